//! The `Set-Cookie` field (RFC 6265bis, 5.6).

use std::time::UNIX_EPOCH;

use crate::parse_http_date;

/// Name and value together. The standard's limit.
const LONGEST_PAIR: usize = 4096;

/// The value of an attribute. The standard's limit.
const LONGEST_ATTRIBUTE: usize = 1024;

/// The longest that a cookie is kept: 400 days, the standard's limit.
const LONGEST_LIFE: i64 = 400 * 24 * 60 * 60 * 1000;

/// What a field says, before it is known who may say it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Parsed {
    pub(super) name: String,
    pub(super) value: String,
    pub(super) domain: Option<String>,
    pub(super) path: Option<String>,
    pub(super) secure: bool,
    pub(super) expires: Option<i64>,
}

impl Parsed {
    pub(super) fn read(field: &str, now: i64) -> Option<Parsed> {
        if field
            .chars()
            .any(|character| character.is_ascii_control() && character != '\t')
        {
            return None;
        }
        let mut parts = field.split(';');
        let pair = parts.next()?;
        let (name, value) = pair.split_once('=').unwrap_or(("", pair));
        let (name, value) = (trimmed(name), trimmed(value));
        if (name.is_empty() && value.is_empty()) || name.len() + value.len() > LONGEST_PAIR {
            return None;
        }
        let mut parsed = Parsed {
            name: name.to_owned(),
            value: value.to_owned(),
            ..Parsed::default()
        };
        let mut max_age = None;
        for part in parts {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            parsed.take(trimmed(name), trimmed(value), now, &mut max_age);
        }
        if max_age.is_some() {
            parsed.expires = max_age;
        }
        Some(parsed)
    }

    /// Takes an attribute; the last of each kind counts.
    fn take(&mut self, name: &str, value: &str, now: i64, max_age: &mut Option<i64>) {
        if value.len() > LONGEST_ATTRIBUTE {
            return;
        }
        match name.to_ascii_lowercase().as_str() {
            "expires" => {
                if let Some(expires) = milliseconds(value) {
                    self.expires = Some(expires.min(now.saturating_add(LONGEST_LIFE)));
                }
            }
            "max-age" => {
                if let Some(seconds) = whole_seconds(value) {
                    let life = seconds.saturating_mul(1000).min(LONGEST_LIFE);
                    *max_age = Some(if life <= 0 {
                        i64::MIN
                    } else {
                        now.saturating_add(life)
                    });
                }
            }
            "domain" => {
                let domain = value.strip_prefix('.').unwrap_or(value);
                self.domain = (!domain.is_empty()).then(|| canonical_domain(domain));
            }
            "path" => self.path = value.starts_with('/').then(|| value.to_owned()),
            "secure" => self.secure = true,
            _ => {}
        }
    }
}

fn trimmed(text: &str) -> &str {
    text.trim_matches([' ', '\t'])
}

/// A domain as hosts of URLs are written; what is no domain stays as it is and matches none.
fn canonical_domain(domain: &str) -> String {
    match url::Host::parse(domain) {
        Ok(host) => host.to_string(),
        Err(_) => domain.to_ascii_lowercase(),
    }
}

fn milliseconds(date: &str) -> Option<i64> {
    let since = parse_http_date(date)?.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_millis()).ok()
}

/// Digits with perhaps a minus before them; more of them than a number has are as good as for ever.
fn whole_seconds(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let seconds = digits.parse().unwrap_or(i64::MAX);
    Some(if digits.len() < text.len() {
        -seconds
    } else {
        seconds
    })
}
