//! Challenges of registries: where an anonymous user gets a token.

use url::Url;

/// A `Bearer` challenge of a `WWW-Authenticate` field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Challenge {
    realm: String,
    service: Option<String>,
    scope: Option<String>,
}

impl Challenge {
    /// Parses a field value. Returns `None` if it has no `Bearer` challenge with a realm.
    pub fn parse(field: &str) -> Option<Challenge> {
        let mut challenge = None;
        let mut rest = field;
        // A field may have several challenges. A parameter has `=`, the name of a scheme has not.
        while let Some((word, after)) = next_word(rest) {
            let Some(after) = after.trim_start().strip_prefix('=') else {
                // The name of the next scheme ends the parameters of the `Bearer` challenge.
                if challenge.is_some() {
                    break;
                }
                if word.eq_ignore_ascii_case("bearer") {
                    challenge = Some(Challenge::default());
                }
                rest = after;
                continue;
            };
            let (value, after) = value(after.trim_start());
            if let Some(challenge) = &mut challenge {
                challenge.set(word, value);
            }
            rest = after;
        }
        challenge.filter(|challenge| !challenge.realm.is_empty())
    }

    fn set(&mut self, name: &str, value: String) {
        match name.to_ascii_lowercase().as_str() {
            "realm" => self.realm = value,
            "service" => self.service = Some(value),
            "scope" => self.scope = Some(value),
            _ => {}
        }
    }

    /// URL of the token for pulling from a repository. Returns `None` if the realm is no URL.
    pub(super) fn url(&self, repository: &str) -> Option<Url> {
        let mut url = Url::parse(&self.realm).ok()?;
        if !matches!(url.scheme(), "http" | "https") || !url.username().is_empty() || url.password().is_some()
        {
            return None;
        }
        let own = format!("repository:{repository}:pull");
        let scope = self.scope.as_deref().unwrap_or(&own);
        let mut query = url.query_pairs_mut();
        if let Some(service) = &self.service {
            query.append_pair("service", service);
        }
        query.append_pair("scope", scope);
        drop(query);
        Some(url)
    }
}

/// Splits the next word off, after spaces and commas.
fn next_word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start_matches([' ', '\t', ',']);
    let end = text.find([' ', '\t', ',', '=', '"']).unwrap_or(text.len());
    match text.split_at(end) {
        // Not by the grammar; skipping one character ends the loop.
        ("", rest) => {
            let mut chars = rest.chars();
            chars.next()?;
            Some(("", chars.as_str()))
        }
        split => Some(split),
    }
}

/// Splits a value off: a word, or a quoted text with its quotes removed.
fn value(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([' ', '\t', ',']).unwrap_or(text.len());
        return (text[..end].to_owned(), &text[end..]);
    };
    let mut value = String::new();
    let mut chars = quoted.chars();
    while let Some(char) = chars.next() {
        match char {
            '"' => break,
            // A backslash stands for the character behind it.
            '\\' => value.extend(chars.next()),
            char => value.push(char),
        }
    }
    (value, chars.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token_url(field: &str) -> Option<String> {
        let url = Challenge::parse(field)?.url("magpie/events")?;
        Some(url.to_string())
    }

    #[test]
    fn challenges_of_registries_are_parsed() {
        for (field, expected) in [
            (
                r#"Bearer realm="https://ghcr.io/token",service="ghcr.io",scope="repository:user/image:pull""#,
                "https://ghcr.io/token?service=ghcr.io&scope=repository%3Auser%2Fimage%3Apull",
            ),
            (
                "bearer  realm=https://a.org/t , error=\"insufficient_scope\"",
                "https://a.org/t?scope=repository%3Amagpie%2Fevents%3Apull",
            ),
            (
                r#"Basic realm="a, b", Bearer realm="https://a.org/t?x=1", Digest realm="https://b.org""#,
                "https://a.org/t?x=1&scope=repository%3Amagpie%2Fevents%3Apull",
            ),
            (
                r#"Bearer realm="https://a.org/\"t""#,
                "https://a.org/%22t?scope=repository%3Amagpie%2Fevents%3Apull",
            ),
        ] {
            assert_eq!(token_url(field).as_deref(), Some(expected), "{field}");
        }
    }

    #[test]
    fn other_fields_give_no_url() {
        for field in [
            "",
            "Basic realm=\"https://a.org\"",
            "Bearer",
            "Bearer realm=",
            "Bearer realm=\"\"",
            "Bearer service=\"a\"",
            "Bearer realm=\"/token\"",
            "Bearer realm=\"file:///etc/passwd\"",
            "Bearer realm=\"https://ann:secret@a.org/\"",
            "===\"\"\"",
            "\\",
        ] {
            assert_eq!(token_url(field), None, "{field}");
        }
    }
}
