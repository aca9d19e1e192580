//! The `Set-Cookie` field (RFC 6265bis, 5.6).

use std::time::Duration;

use crate::parse_http_date;
use magpie_values::Timestamp;

/// Name and value together. The standard's limit.
const MAX_PAIR_LEN: usize = 4096;

/// The value of an attribute. The standard's limit.
const MAX_ATTRIBUTE_LEN: usize = 1024;

/// The longest that a cookie is kept: 400 days, the standard's limit.
const MAX_LIFE: Duration = Duration::from_secs(400 * 24 * 60 * 60);

/// The content of a field, before it is known whether the server may set it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Parsed {
    pub(super) name: String,
    pub(super) value: String,
    pub(super) domain: Option<String>,
    pub(super) path: Option<String>,
    pub(super) secure: bool,
    pub(super) expires: Option<Timestamp>,
}

impl Parsed {
    pub(super) fn read(field: &str, now: Timestamp) -> Option<Parsed> {
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
        if (name.is_empty() && value.is_empty()) || name.len() + value.len() > MAX_PAIR_LEN {
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
        // RFC 6265bis, 5.6: `Max-Age` wins over `Expires`, whichever comes last.
        if max_age.is_some() {
            parsed.expires = max_age;
        }
        Some(parsed)
    }

    /// Takes an attribute; the last of each kind counts.
    fn take(&mut self, name: &str, value: &str, now: Timestamp, max_age: &mut Option<Timestamp>) {
        if value.len() > MAX_ATTRIBUTE_LEN {
            return;
        }
        match name.to_ascii_lowercase().as_str() {
            "expires" => {
                if let Some(expires) = parse_http_date(value) {
                    self.expires = Some(Timestamp::from(expires).min(now + MAX_LIFE));
                }
            }
            "max-age" => {
                if let Some(seconds) = whole_seconds(value) {
                    *max_age = Some(match u64::try_from(seconds) {
                        Ok(seconds @ 1..) => now + Duration::from_secs(seconds).min(MAX_LIFE),
                        _ => Timestamp::MIN,
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
