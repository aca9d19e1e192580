//! Kinds of content that are worth a download.

/// A list of media types such as `text/html`, `text/*`, `application/*+xml` or `*/*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaTypes(Vec<String>);

impl MediaTypes {
    /// A list of types. What follows a semicolon is left out; what has no slash accepts nothing.
    pub fn new<Text: AsRef<str>>(types: impl IntoIterator<Item = Text>) -> MediaTypes {
        let types = types.into_iter();
        MediaTypes(
            types
                .map(|entry| essence(entry.as_ref()).to_ascii_lowercase())
                .collect(),
        )
    }

    /// Returns true if a `Content-Type` is in the list. An invalid type is accepted.
    pub fn accepts(&self, content_type: &str) -> bool {
        let given = essence(content_type);
        // Servers with wrong types mostly send pages.
        let Some((kind, subtype)) = given.split_once('/') else {
            return true;
        };
        self.0.iter().any(|accepted| {
            accepted
                .split_once('/')
                .is_some_and(|(wanted_kind, wanted)| matches(wanted_kind, kind) && matches(wanted, subtype))
        })
    }
}

/// The type without its parameters.
pub(crate) fn essence(content_type: &str) -> &str {
    content_type.split(';').next().unwrap_or_default().trim()
}

/// A part of a type against a pattern with at most one star.
fn matches(pattern: &str, part: &str) -> bool {
    let Some((before, after)) = pattern.split_once('*') else {
        return pattern.eq_ignore_ascii_case(part);
    };
    let part = part.as_bytes();
    part.len() >= before.len() + after.len()
        && part[..before.len()].eq_ignore_ascii_case(before.as_bytes())
        && part[part.len() - after.len()..].eq_ignore_ascii_case(after.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(types: &[&str], content_type: &str, expected: bool) {
        assert_eq!(
            MediaTypes::new(types).accepts(content_type),
            expected,
            "{types:?} {content_type}"
        );
    }

    #[test]
    fn types_are_compared_without_case_and_parameters() {
        check(&["text/html; charset=utf-8"], "Text/HTML;charset=latin1", true);
        check(&["text/html"], "text/htmlx", false);
        check(&["text/html", "image/png"], " image/png ", true);
    }

    #[test]
    fn stars_stand_for_anything() {
        check(&["text/*"], "text/css", true);
        check(&["text/*"], "video/mp4", false);
        check(&["*/*"], "video/mp4", true);
        check(&["application/*+xml"], "application/rss+xml", true);
        check(&["application/*+xml"], "application/xml", false);
        check(&["application/*+xml"], "application/+xml", true);
    }

    #[test]
    fn what_is_no_type_is_taken() {
        check(&["text/html"], "", true);
        check(&["text/html"], "html", true);
        check(&["html"], "text/html", false);
    }
}
