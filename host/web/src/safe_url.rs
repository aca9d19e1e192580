//! URLs as they may be shown.

use std::fmt;

use url::Url;

/// Text that replaces user name and password.
const HIDDEN: &str = "***@";

/// A URL that hides its user name and password when printed. Both are hidden, since tokens are
/// often used as user names without a password.
#[derive(Clone, PartialEq, Eq)]
pub struct SafeUrl(Url);

impl SafeUrl {
    pub fn new(url: Url) -> SafeUrl {
        SafeUrl(url)
    }

    /// The URL itself, with what it hides.
    pub fn reveal(&self) -> &Url {
        &self.0
    }

    /// Returns true if the URL has credentials.
    fn has_credentials(&self) -> bool {
        has_credentials(&self.0)
    }
}

/// Returns an invalid URL for display.
pub fn masked(text: &str) -> String {
    let start = text.find("://").map_or(0, |scheme| scheme + "://".len());
    match text[start..].rfind('@') {
        // The end of the credentials is unknown in a URL that can't be parsed, so everything up to
        // the last `@` is hidden.
        Some(end) => format!("{}{HIDDEN}{}", &text[..start], &text[start + end + 1..]),
        None => text.to_owned(),
    }
}

impl From<Url> for SafeUrl {
    fn from(url: Url) -> SafeUrl {
        SafeUrl(url)
    }
}

impl fmt::Display for SafeUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.has_credentials() {
            return formatter.write_str(self.0.as_str());
        }
        formatter.write_str(&self.0[..url::Position::BeforeUsername])?;
        formatter.write_str(HIDDEN)?;
        formatter.write_str(&self.0[url::Position::BeforeHost..])
    }
}

impl fmt::Debug for SafeUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

pub(crate) fn has_credentials(url: &Url) -> bool {
    !url.username().is_empty() || url.password().is_some()
}

/// The URL without name and password.
pub(crate) fn without_credentials(mut url: Url) -> Url {
    if has_credentials(&url) {
        // Both fail only for URLs that have no host, which then have no credentials either.
        let _ = url.set_username("");
        let _ = url.set_password(None);
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(url: &str, shown: &str) {
        let url = SafeUrl::new(Url::parse(url).unwrap());
        assert_eq!(url.to_string(), shown);
        assert_eq!(format!("{url:?}"), shown);
    }

    #[test]
    fn credentials_are_hidden() {
        check(
            "https://ann:secret@example.org:8443/a?b#c",
            "https://***@example.org:8443/a?b#c",
        );
        check("http://token@example.org/", "http://***@example.org/");
        check("http://:secret@[::1]/", "http://***@[::1]/");
        check("http://a%40b:c%3Ad@example.org/@x", "http://***@example.org/@x");
    }

    #[test]
    fn what_is_no_url_is_shown_without_its_password() {
        for (text, shown) in [
            ("https://ann:se/cret@example.org/a", "https://***@example.org/a"),
            ("https://ann:secret@exa mple.org", "https://***@exa mple.org"),
            ("ann:se@cret@example.org", "***@example.org"),
            ("https://example.org:port/", "https://example.org:port/"),
        ] {
            assert_eq!(masked(text), shown);
        }
    }

    #[test]
    fn other_urls_are_shown_as_they_are() {
        check("https://example.org/a@b:c", "https://example.org/a@b:c");
        check("data:text/plain,a:b@c", "data:text/plain,a:b@c");
    }
}
