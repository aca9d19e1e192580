//! A URL in canonical form: the one name by which a page is known.

use std::fmt;
use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

/// An `http` or `https` URL in canonical form, without fragment and without credentials.
///
/// It is made by canonicalisation, or by [`CanonicalUrl::trusted`] from a stored one. Without
/// credentials, it can be printed and logged.
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CanonicalUrl {
    text: Box<str>,
    /// Start of the host, after `://`. Less than `path_start`.
    host_start: u32,
    /// Start of the path, at the first `/` after the host. Less than the length of `text`.
    path_start: u32,
}

/// The hash of a canonical URL, by which known sets and the store look pages up.
///
/// xxh3 with 64 bits. Among a hundred million URLs, a collision is expected in one of three
/// thousand crawls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UrlFingerprint(pub u64);

impl UrlFingerprint {
    /// The fingerprint of a canonical form.
    pub fn of(canonical: &str) -> UrlFingerprint {
        UrlFingerprint(xxh3_64(canonical.as_bytes()))
    }
}

impl TryFrom<String> for CanonicalUrl {
    type Error = &'static str;

    fn try_from(text: String) -> Result<CanonicalUrl, &'static str> {
        CanonicalUrl::trusted(text).ok_or("not a canonical http or https URL")
    }
}

impl From<CanonicalUrl> for String {
    fn from(url: CanonicalUrl) -> String {
        url.text.into()
    }
}

impl CanonicalUrl {
    /// Restores a URL from [`CanonicalUrl::as_str`], as from a database. Checks its form, not that
    /// it is canonical. Returns `None` if it can't have been one.
    pub fn trusted(text: impl Into<Box<str>>) -> Option<CanonicalUrl> {
        let text = text.into();
        let host_start = ["https://", "http://"]
            .into_iter()
            .find_map(|scheme| text.starts_with(scheme).then_some(scheme.len()))?;
        let bytes = text.as_bytes();
        let path_start = host_start + bytes[host_start..].iter().position(|byte| *byte == b'/')?;
        let host = &bytes[host_start..path_start];
        // Checks all bytes without an early exit: nearly all are valid, and the loop vectorises.
        // Each link of a large site is checked here.
        let is_plain = bytes.iter().fold(true, |is_plain, byte| {
            is_plain & byte.is_ascii_graphic() & (*byte != b'#')
        });
        // An `@` would mean credentials. A `?` before the first slash belongs to a URL without a
        // path, which is not canonical.
        if host.is_empty() || host.iter().any(|byte| matches!(byte, b'@' | b'?')) || !is_plain {
            return None;
        }
        Some(CanonicalUrl {
            host_start: u32::try_from(host_start).ok()?,
            path_start: u32::try_from(path_start).ok()?,
            text,
        })
    }

    /// The whole URL.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// As the `url` crate has it. An error only for a `trusted` URL that never was canonical.
    pub fn to_url(&self) -> Result<Url, url::ParseError> {
        Url::parse(&self.text)
    }

    /// `http` or `https`.
    pub fn scheme(&self) -> &str {
        &self.text[..self.host_start as usize - "://".len()]
    }

    /// Scheme, host and port: `https://shop.example:8443`.
    pub fn origin(&self) -> &str {
        &self.text[..self.path_start as usize]
    }

    /// Host and port, the port only when it is not the scheme's own: `shop.example:8443`.
    pub fn authority(&self) -> &str {
        &self.text[self.host_start as usize..self.path_start as usize]
    }

    /// The host, in lower case and in ASCII; IPv6 addresses are in brackets.
    pub fn host(&self) -> &str {
        split_port(self.authority()).0
    }

    /// The port, when it is not the scheme's own.
    pub fn explicit_port(&self) -> Option<&str> {
        split_port(self.authority()).1
    }

    /// The request target: `/books?page=2`.
    pub fn path_and_query(&self) -> &str {
        &self.text[self.path_start as usize..]
    }

    /// The path, without the query.
    pub fn path(&self) -> &str {
        let request = self.path_and_query();
        request.split_once('?').map_or(request, |(path, _)| path)
    }

    /// The query without its question mark.
    pub fn query(&self) -> Option<&str> {
        self.path_and_query().split_once('?').map(|(_, query)| query)
    }

    /// The number it is known by.
    pub fn fingerprint(&self) -> UrlFingerprint {
        UrlFingerprint::of(&self.text)
    }
}

/// Splits `host:port`; colons inside the brackets of an IPv6 address are not that colon.
pub(crate) fn split_port(authority: &str) -> (&str, Option<&str>) {
    match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (authority, None),
    }
}

impl fmt::Display for CanonicalUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for CanonicalUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text, f)
    }
}

impl AsRef<str> for CanonicalUrl {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

// The offsets follow from the text, so the text alone decides.
impl PartialEq for CanonicalUrl {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for CanonicalUrl {}

impl PartialOrd for CanonicalUrl {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for CanonicalUrl {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.text.cmp(&other.text)
    }
}

impl Hash for CanonicalUrl {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl fmt::Display for UrlFingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::CanonicalUrl;

    #[test]
    fn parts_of_a_url() {
        let url = CanonicalUrl::trusted("https://shop.example:8443/a/b?c=d").expect("canonical");
        assert_eq!(url.scheme(), "https");
        assert_eq!(url.origin(), "https://shop.example:8443");
        assert_eq!(url.host(), "shop.example");
        assert_eq!(url.explicit_port(), Some("8443"));
        assert_eq!(url.path_and_query(), "/a/b?c=d");
        assert_eq!((url.path(), url.query()), ("/a/b", Some("c=d")));
    }

    #[test]
    fn an_ipv6_host_keeps_its_brackets() {
        let url = CanonicalUrl::trusted("http://[2001:db8::1]/").expect("canonical");
        assert_eq!((url.host(), url.explicit_port()), ("[2001:db8::1]", None));
        let url = CanonicalUrl::trusted("http://[2001:db8::1]:81/").expect("canonical");
        assert_eq!((url.host(), url.explicit_port()), ("[2001:db8::1]", Some("81")));
    }

    #[test]
    fn what_never_was_canonical_is_not_taken_back() {
        let wrong = [
            "",
            "http://",
            "http:///path",
            "http://host",
            "ftp://host/",
            "http://user:secret@host/",
            "http://host/#part",
            "http://host/a b",
            "http://host/é",
            "http://host?a/b",
        ];
        for text in wrong {
            assert_eq!(CanonicalUrl::trusted(text), None, "{text}");
        }
    }
}
