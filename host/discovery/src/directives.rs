//! Directives of pages for robots: `meta name=robots`, `X-Robots-Tag`.

use crate::dates;
use magpie_values::Timestamp;

/// Permissions for a page. Everything not forbidden is allowed; the strictest directive counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RobotsDirectives {
    /// The page may be kept and shown.
    pub index: bool,
    pub follow: bool,
    /// A copy may be shown.
    pub archive: bool,
    /// Parts of its text may be shown.
    pub snippet: bool,
    /// Seconds since 1970 from which on it may no longer be shown.
    pub unavailable_after: Option<Timestamp>,
}

impl Default for RobotsDirectives {
    fn default() -> Self {
        RobotsDirectives {
            index: true,
            follow: true,
            archive: true,
            snippet: true,
            unavailable_after: None,
        }
    }
}

/// Directives that have a colon and a value, and are not the names of robots therefore.
const WITH_VALUE: [&str; 4] = [
    "unavailable_after",
    "max-snippet",
    "max-image-preview",
    "max-video-preview",
];

/// Parts of one value that are read; real ones have five.
const MAX_PARTS: usize = 64;

impl RobotsDirectives {
    /// Reads the values of `X-Robots-Tag` headers, those for all robots and those for the given
    /// product token.
    pub fn from_headers<'a>(
        values: impl IntoIterator<Item = &'a str>,
        product_token: &str,
    ) -> RobotsDirectives {
        let mut directives = RobotsDirectives::default();
        for value in values {
            directives.read_header(value, product_token);
        }
        directives
    }

    /// Adds the directives of another source. The stricter ones count.
    pub fn merge(&mut self, other: &RobotsDirectives) {
        self.index &= other.index;
        self.follow &= other.follow;
        self.archive &= other.archive;
        self.snippet &= other.snippet;
        let known = [self.unavailable_after, other.unavailable_after];
        self.unavailable_after = known.into_iter().flatten().min();
    }

    /// Returns true if the page may be indexed at a time.
    pub fn index_at(&self, now: Timestamp) -> bool {
        self.index && self.unavailable_after.is_none_or(|end| now < end)
    }

    /// Adds the content of a robots meta tag.
    pub(crate) fn read(&mut self, content: &str) {
        self.read_for(content, None);
    }

    fn read_header(&mut self, value: &str, product_token: &str) {
        self.read_for(value, Some(product_token));
    }

    /// With a token, parts may start with the name of a robot, which holds until the next name.
    fn read_for(&mut self, text: &str, product_token: Option<&str>) {
        let mut is_for_us = true;
        let mut parts = text.split(',').take(MAX_PARTS).peekable();
        while let Some(part) = parts.next() {
            let mut part = part.trim();
            let (name, value) = part.split_once(':').unwrap_or((part, ""));
            let has_value = WITH_VALUE
                .iter()
                .any(|known| name.trim().eq_ignore_ascii_case(known));
            // A name holds for all parts up to the next name, across commas.
            if let (false, true, Some(token)) = (has_value, part.contains(':'), product_token) {
                is_for_us = name.trim().eq_ignore_ascii_case(token) || name.trim() == "*";
                part = value.trim();
            }
            if !is_for_us {
                continue;
            }
            if has_value && name.trim().eq_ignore_ascii_case("unavailable_after") {
                // Dates of mail have a comma of their own.
                let with_next = || {
                    parts
                        .peek()
                        .and_then(|next| dates::parse(&format!("{value},{next}")))
                };
                let end = dates::parse(value).or_else(with_next);
                self.merge(&RobotsDirectives {
                    unavailable_after: end,
                    ..Default::default()
                });
                continue;
            }
            self.forbid(part);
        }
    }

    fn forbid(&mut self, directive: &str) {
        let is = |name: &str| directive.eq_ignore_ascii_case(name);
        let is_none = is("none");
        self.index &= !(is("noindex") || is_none);
        self.follow &= !(is("nofollow") || is_none);
        self.archive &= !(is("noarchive") || is("nocache"));
        self.snippet &= !is("nosnippet");
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn meta(content: &str) -> RobotsDirectives {
        let mut directives = RobotsDirectives::default();
        directives.read(content);
        directives
    }

    #[test]
    fn meta_tags() {
        let directives = meta("NoIndex, follow,noarchive");
        assert!(!directives.index && directives.follow && !directives.archive && directives.snippet);
        let directives = meta(" none ");
        assert!(!directives.index && !directives.follow && directives.archive);
        assert_eq!(
            meta("all, max-snippet:-1, max-image-preview:large"),
            RobotsDirectives::default()
        );
        assert_eq!(meta(""), RobotsDirectives::default());
    }

    #[test]
    fn an_end_of_availability() {
        let noon = Timestamp::from_seconds(1_277_467_200);
        for text in [
            "2010-06-25T12:00:00Z",
            "25 Jun 2010 12:00:00 GMT",
            "Fri, 25 Jun 2010 12:00:00 GMT",
        ] {
            let directives = meta(&format!("noarchive, unavailable_after: {text}, nofollow"));
            assert_eq!(directives.unavailable_after, Some(noon), "{text}");
            assert!(!directives.follow && !directives.archive);
            assert!(directives.index_at(noon - Duration::from_secs(1)) && !directives.index_at(noon));
        }
        assert_eq!(meta("unavailable_after: whenever").unavailable_after, None);
    }

    #[test]
    fn headers_for_all_and_for_one_robot() {
        let read = |values: &[&str]| RobotsDirectives::from_headers(values.iter().copied(), "magpie");
        assert!(!read(&["noindex"]).index);
        assert!(read(&["otherbot: noindex"]).index);
        assert!(!read(&["Magpie: noindex, nofollow"]).follow);
        let mixed = read(&["otherbot: noindex, magpie: nofollow", "noarchive"]);
        assert!(mixed.index && !mixed.follow && !mixed.archive);
        assert_eq!(
            read(&["unavailable_after: 25 Jun 2010 12:00:00 GMT"]).unavailable_after,
            Some(Timestamp::from_seconds(1_277_467_200))
        );
    }
}
