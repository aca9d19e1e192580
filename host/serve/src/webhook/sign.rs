//! Signatures by Standard Webhooks.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;

/// The beginning of a secret.
const PREFIX: &str = "whsec_";

/// Lengths of the key, in bytes. The standard asks for these.
const LENGTHS: std::ops::RangeInclusive<usize> = 24..=64;

/// A key with which messages are signed. It can't be printed.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(Vec<u8>);

impl Secret {
    /// The form of a secret, for messages.
    pub(crate) const FORM: &'static str = "`whsec_` and 24 to 64 bytes in base64";

    /// Parses a secret as it is written in settings.
    pub(crate) fn parse(text: &str) -> Option<Secret> {
        let key = STANDARD.decode(text.trim().strip_prefix(PREFIX)?).ok()?;
        LENGTHS.contains(&key.len()).then_some(Secret(key))
    }

    /// Returns the signature of a message: the value of `webhook-signature`. `timestamp` is the
    /// time of the attempt in seconds since 1970.
    pub(crate) fn sign(&self, id: &str, timestamp: i64, body: &str) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &self.0);
        let signature = hmac::sign(&key, format!("{id}.{timestamp}.{body}").as_bytes());
        format!("v1,{}", STANDARD.encode(signature))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example in the documents of Standard Webhooks' reference libraries.
    #[test]
    fn the_published_example_has_the_published_signature() {
        let secret = Secret::parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").expect("it is one");
        let signature = secret.sign(
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1_614_265_330,
            "{\"test\": 2432232314}",
        );
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn weak_and_broken_secrets_are_refused() {
        for text in [
            "",
            "whsec_",
            "whsec_c2hvcnQ=",
            "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "whsec_!",
        ] {
            assert!(Secret::parse(text).is_none(), "{text}");
        }
    }
}
