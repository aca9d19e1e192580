//! Targets of redirects.

use http::header;
use url::Url;

use crate::Exchange;
use crate::safe_url::without_credentials;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RedirectKind {
    /// The page has moved: the new URL is to be remembered in place of the old one (301, 308).
    Permanent,
    /// The page is elsewhere today (302, 303, 307).
    Temporary,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadRedirect {
    /// No `Location`, or an empty one.
    #[error("the redirect has no location")]
    NoLocation,
    /// Several that differ.
    #[error("the redirect names {count} different locations")]
    SeveralLocations {
        /// The number.
        count: usize,
    },
    #[error("the redirect's location has more than {limit} bytes")]
    TooLong { limit: usize },
    #[error("the redirect's location is not a URL: {0}")]
    Unreadable(url::ParseError),
    /// It leads out of the web.
    #[error("the redirect leads to a `{scheme}:` URL; only http and https are followed")]
    OtherScheme { scheme: String },
}

/// RFC 9110, 4.1, asks for at least 8,000 bytes.
const MAX_LOCATION_LEN: usize = 8 * 1024;

impl Exchange {
    /// Returns the kind of redirect, or `None` if the response is not a redirect.
    pub fn redirect_kind(&self) -> Option<RedirectKind> {
        match self.status {
            301 | 308 => Some(RedirectKind::Permanent),
            302 | 303 | 307 => Some(RedirectKind::Temporary),
            _ => None,
        }
    }

    /// Returns the target of a redirect (RFC 9110, 10.2.2): its location, resolved against this
    /// URL. The fragment of this URL is kept if the location has none. User name and password in
    /// the location are dropped: only the user who starts a crawl sets these.
    pub fn redirect_target(&self) -> Option<Result<Url, BadRedirect>> {
        self.redirect_kind()?;
        Some(self.location().and_then(|location| resolve(&self.url, location)))
    }

    fn location(&self) -> Result<&[u8], BadRedirect> {
        let mut locations: Vec<&[u8]> = Vec::new();
        for value in self.headers.get_all(header::LOCATION) {
            let value = value.as_bytes().trim_ascii();
            // Servers that send the same location twice mean one. Two that differ are an error,
            // since either choice may be the wrong one.
            if !value.is_empty() && !locations.contains(&value) {
                locations.push(value);
            }
        }
        match locations.as_slice() {
            [] => Err(BadRedirect::NoLocation),
            [location] => Ok(location),
            _ => Err(BadRedirect::SeveralLocations {
                count: locations.len(),
            }),
        }
    }
}

fn resolve(base: &Url, location: &[u8]) -> Result<Url, BadRedirect> {
    if location.len() > MAX_LOCATION_LEN {
        return Err(BadRedirect::TooLong {
            limit: MAX_LOCATION_LEN,
        });
    }
    let mut target = base.join(&ascii(location)).map_err(BadRedirect::Unreadable)?;
    if !matches!(target.scheme(), "http" | "https") {
        return Err(BadRedirect::OtherScheme {
            // The scheme is a part of what the server sent, and its length is the choice of the
            // server.
            scheme: target.scheme().chars().take(40).collect(),
        });
    }
    if target.fragment().is_none() {
        target.set_fragment(base.fragment());
    }
    Ok(without_credentials(target))
}

/// Percent-encodes the non-ASCII bytes of a location.
fn ascii(location: &[u8]) -> String {
    let mut text = String::with_capacity(location.len());
    for &byte in location {
        if byte.is_ascii() {
            text.push(char::from(byte));
        } else {
            // The server gets back the very bytes that it sent, whatever their encoding. In a host
            // name the URL parser decodes them.
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(base: &str, location: &[u8], expected: &str) {
        let target = resolve(&Url::parse(base).unwrap(), location).map(|target| target.to_string());
        assert_eq!(target.unwrap_or_else(|error| error.to_string()), expected);
    }

    #[test]
    fn locations_are_read_in_their_place() {
        check("http://a.org/b/c?d", b"e", "http://a.org/b/e");
        check("http://a.org/b/c?d", b"?e", "http://a.org/b/c?e");
        check("https://a.org/b", b"//b.org/", "https://b.org/");
        check("https://a.org/b", b"http://A.ORG:80/../c", "http://a.org/c");
    }

    #[test]
    fn the_fragment_goes_on_unless_the_location_has_one() {
        // The examples of RFC 9110, 10.2.2.
        check(
            "http://www.example.org/~tim",
            b"/People.html#tim",
            "http://www.example.org/People.html#tim",
        );
        check(
            "http://www.example.org/index.html#larry",
            b"http://www.example.net/index.html",
            "http://www.example.net/index.html#larry",
        );
        check("http://a.org/#b", b"/c#", "http://a.org/c#");
    }

    #[test]
    fn credentials_are_dropped() {
        check("http://a.org/", b"http://ann:secret@b.org/", "http://b.org/");
        check("http://ann:secret@a.org/", b"/c", "http://a.org/c");
    }

    #[test]
    fn bytes_that_are_not_ascii_come_back_as_they_were() {
        check("http://a.org/", b"/caf\xe9", "http://a.org/caf%E9");
        check(
            "http://a.org/",
            "/café?ü".as_bytes(),
            "http://a.org/caf%C3%A9?%C3%BC",
        );
        check(
            "http://a.org/",
            "http://bücher.example/".as_bytes(),
            "http://xn--bcher-kva.example/",
        );
    }

    #[test]
    fn what_leads_nowhere_is_said() {
        check(
            "http://a.org/",
            b"mailto:a@b.org",
            "the redirect leads to a `mailto:` URL; only http and https are followed",
        );
        check(
            "http://a.org/",
            b"http://[::",
            "the redirect's location is not a URL: invalid IPv6 address",
        );
        check(
            "http://a.org/",
            &[b'a'; 9000],
            "the redirect's location has more than 8192 bytes",
        );
    }
}
