//! Entries of what is forgotten for good: sites, URLs and patterns of URLs.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use magpie_discovery::{ForgottenUrls, Scope, ScopeSettings};
use magpie_model::CanonicalUrl;
use magpie_patterns::pattern::UrlPattern;
use magpie_rows::UrlTest;
use url::Url;

/// Pages that are forgotten together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The pages of a host, with or without its port, and of the hosts below it.
    Host(String),
    /// A URL, or all that a pattern matches.
    Urls(String),
}

/// An entry of `scope.forgotten`: a date, and what was forgotten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForgottenEntry {
    /// The day, as in `2026-03-31`.
    pub day: String,
    /// The pages.
    pub target: Target,
}

impl Target {
    fn regex(&self) -> Result<String, String> {
        let escaped = |text: &str| -> String {
            let mut escaped = String::new();
            for c in text.chars() {
                if !c.is_ascii_alphanumeric() {
                    escaped.push('\\');
                }
                escaped.push(c);
            }
            escaped
        };
        match self {
            Target::Host(host) => {
                let has_port = host.rsplit_once(':').is_some_and(|(_, port)| !port.contains(']'));
                let port = if has_port { "" } else { "(?::[0-9]+)?" };
                Ok(format!(
                    r"^https?://(?:[^/?#@]+\.)?{}{port}(?:[/?#]|$)",
                    escaped(host)
                ))
            }
            Target::Urls(text) => match url(text) {
                Some(url) => Ok(UrlPattern::exact(&url).to_regex()),
                None => {
                    let pattern: UrlPattern = text
                        .parse()
                        .map_err(|error| format!("`{text}` is no URL and no pattern of URLs: {error}"))?;
                    Ok(pattern.to_regex())
                }
            },
        }
    }
}

/// Returns a URL in its canonical form. `None` for a pattern.
fn url(text: &str) -> Option<CanonicalUrl> {
    let url = Url::parse(text).ok().filter(|_| !text.contains('{'))?;
    CanonicalUrl::trusted(url.as_str())
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Target, String> {
        if text.contains("://") {
            let text = url(text).map_or_else(|| text.to_owned(), |url| url.as_str().to_owned());
            let target = Target::Urls(text);
            return target.regex().map(|_| target);
        }
        let host = url(&format!("https://{text}/"));
        let host = host.filter(|url| url.path_and_query() == "/" && !text.contains(['@', '/']));
        let host = host.ok_or_else(|| {
            format!(
                "`{text}` is no site, URL or pattern: write shop.example, https://shop.example/page, \
                 or a pattern as `magpie patterns` prints them"
            )
        })?;
        let host = host.authority();
        Ok(Target::Host(host.strip_prefix("www.").unwrap_or(host).to_owned()))
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Host(text) | Target::Urls(text) => f.write_str(text),
        }
    }
}

impl ForgottenEntry {
    /// Returns the reason that is kept with the URLs.
    pub fn detail(&self) -> String {
        format!("forgotten on {} ({})", self.day, self.target)
    }
}

impl FromStr for ForgottenEntry {
    type Err = String;

    fn from_str(text: &str) -> Result<ForgottenEntry, String> {
        let entry = text.split_once(' ').filter(|(day, _)| {
            let is_digit = |c: char| c.is_ascii_digit();
            day.len() == 10 && day.split('-').all(|part| part.chars().all(is_digit))
        });
        let (day, target) = entry
            .ok_or_else(|| format!("`{text}` has no date: write it as in \"2026-03-31 shop.example\""))?;
        Ok(ForgottenEntry {
            day: day.to_owned(),
            target: target.trim().parse()?,
        })
    }
}

impl fmt::Display for ForgottenEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.day, self.target)
    }
}

/// Returns what a scope needs of the entries of `scope.forgotten`.
pub(crate) fn forgotten_urls(entries: &[String]) -> Vec<ForgottenUrls> {
    let entries = entries
        .iter()
        .filter_map(|text| text.parse::<ForgottenEntry>().ok());
    let urls = entries.filter_map(|entry| {
        Some(ForgottenUrls {
            regex: entry.target.regex().ok()?,
            detail: entry.detail(),
        })
    });
    urls.collect()
}

/// Returns a test for the URLs of entries.
pub fn is_forgotten(entries: &[ForgottenEntry]) -> Result<UrlTest, String> {
    let entries: Vec<String> = entries.iter().map(ToString::to_string).collect();
    let scope = Scope::new(&ScopeSettings {
        forgotten: forgotten_urls(&entries),
        ..ScopeSettings::default()
    });
    let scope = scope.map_err(|error| error.to_string())?;
    Ok(UrlTest(Arc::new(move |url| scope.forgotten(url).is_some())))
}

/// Returns a scope that knows the entries of `scope.forgotten`, and nothing else.
pub(crate) fn forgotten_scope(entries: &[String]) -> Option<Scope> {
    let scope = ScopeSettings {
        forgotten: forgotten_urls(entries),
        ..ScopeSettings::default()
    };
    // Settings with an invalid entry are refused when they are read.
    Scope::new(&scope).ok()
}

/// Returns the reason for which the pages of a URL were removed for good, by the entries of
/// `scope.forgotten`.
pub fn forgotten_reason(entries: &[String], url: &str) -> Option<String> {
    forgotten_scope(entries)?.forgotten(url).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_a_site_a_url_or_a_pattern() {
        for (target, url, is_meant) in [
            ("shop.example", "https://shop.example/", true),
            ("shop.example", "http://www.shop.example:8080/a?b", true),
            ("shop.example", "https://myshop.example/", false),
            (
                "shop.example",
                "https://other.test/?of=https://shop.example/",
                false,
            ),
            ("www.shop.example", "https://shop.example/a", true),
            ("shop.example:8080", "http://shop.example:8080/a", true),
            ("shop.example:8080", "http://shop.example/a", false),
            ("HTTPS://Shop.example/a", "https://shop.example/a", true),
            ("https://shop.example/a", "https://shop.example/ab", false),
            ("https://shop.example/a.b", "https://shop.example/a-b", false),
            (
                "https://shop.example/of/{slug}",
                "https://shop.example/of/ada-quill",
                true,
            ),
            (
                "https://shop.example/of/{slug}",
                "https://shop.example/of/ada/quill",
                false,
            ),
        ] {
            let entry = format!("2026-03-31 {target}").parse::<ForgottenEntry>();
            let test = is_forgotten(&[entry.expect("an entry")]).expect("a test");
            assert_eq!((test.0)(url), is_meant, "{target} {url}");
        }
        for wrong in [
            "",
            "shop example",
            "ann@shop.example",
            "shop.example/a",
            "https://a.test/{",
        ] {
            assert!(wrong.parse::<Target>().is_err(), "{wrong}");
        }
        for wrong in ["shop.example", "31.3.2026 shop.example", "2026-03-31"] {
            assert!(wrong.parse::<ForgottenEntry>().is_err(), "{wrong}");
        }
    }
}
