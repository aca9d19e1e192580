//! Names and passwords for basic authentication.

use std::fmt;

use base64::Engine as _;
use http::HeaderValue;
use url::Url;

/// A name and a password. Neither is shown by `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    username: String,
    password: String,
}

impl Credentials {
    /// A name and a password, as the person knows them (not percent-encoded).
    pub fn new(username: impl Into<String>, password: impl Into<String>) -> Credentials {
        Credentials {
            username: username.into(),
            password: password.into(),
        }
    }

    pub(crate) fn username(&self) -> &str {
        &self.username
    }

    pub(crate) fn password(&self) -> &str {
        &self.password
    }

    pub fn from_url(url: &Url) -> Option<Credentials> {
        crate::safe_url::has_credentials(url).then(|| {
            Credentials::new(
                percent_decoded(url.username()),
                percent_decoded(url.password().unwrap_or_default()),
            )
        })
    }

    /// Returns the value of `Authorization` (RFC 7617), in UTF-8. It is marked as sensitive, which
    /// keeps it out of `Debug` output and of the compression tables of HTTP/2.
    pub(crate) fn basic(&self) -> HeaderValue {
        let joined = format!("{}:{}", self.username, self.password);
        let encoded = base64::engine::general_purpose::STANDARD.encode(joined);
        let mut value =
            HeaderValue::try_from(format!("Basic {encoded}")).expect("base64 has only characters of a field");
        value.set_sensitive(true);
        value
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Credentials(***)")
    }
}

/// Undoes percent-encoding; what is no encoding stays as it is.
pub(crate) fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut index = 0;
    while index < bytes.len() {
        let pair = (bytes[index] == b'%')
            .then(|| bytes.get(index + 1..index + 3))
            .flatten();
        let byte = pair
            .filter(|pair| pair.iter().all(u8::is_ascii_hexdigit))
            .and_then(|pair| str::from_utf8(pair).ok())
            .and_then(|pair| u8::from_str_radix(pair, 16).ok());
        decoded.push(byte.unwrap_or(bytes[index]));
        index += if byte.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_give_what_they_carry() {
        let parse = |url| Credentials::from_url(&Url::parse(url).unwrap());
        assert_eq!(
            parse("http://a%40b:c%3A%zz@example.org/"),
            Some(Credentials::new("a@b", "c:%zz"))
        );
        assert_eq!(
            parse("http://token@example.org/"),
            Some(Credentials::new("token", ""))
        );
        assert_eq!(parse("http://example.org/"), None);
    }

    #[test]
    fn the_header_is_as_in_rfc_7617_and_is_not_shown() {
        let credentials = Credentials::new("Aladdin", "open sesame");
        assert_eq!(credentials.basic(), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
        assert!(!format!("{:?} {credentials:?}", credentials.basic()).contains("QWx"));
        assert_eq!(Credentials::new("test", "123£").basic(), "Basic dGVzdDoxMjPCow==");
    }
}
