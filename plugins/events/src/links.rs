//! The kinds of pages that links lead to, by their URLs.

use magpie_sdk::text;

use crate::words::languages as lists;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Place,
    Person,
}

/// Returns true for the URL of a person's page: `/speakers/ada-byron`.
pub(crate) fn leads_to_person(href: &str) -> bool {
    kind(href) == Some(Kind::Person)
}

/// Returns the kind of page to which a URL leads. The second to last path segment names the kind;
/// before a fragment, which then names the person or venue, it is the last.
pub(crate) fn kind(href: &str) -> Option<Kind> {
    let (path, fragment) = href.split_once('#').unwrap_or((href, ""));
    let path = path.split('?').next().unwrap_or(path).trim_end_matches('/');
    let mut steps = path.rsplit('/');
    if fragment.is_empty() {
        steps.next();
    }
    let step = steps.next()?;
    let step = step.split('.').next().unwrap_or(step);
    let step = text::fold_word(step);
    if lists::VENUE_PATH.contains(&step.as_str()) {
        Some(Kind::Place)
    } else if lists::PERSON_PATH.contains(&step.as_str()) {
        Some(Kind::Person)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_tell_what_they_lead_to() {
        for (href, expected) in [
            ("/rooms/blue", Some(Kind::Place)),
            ("../rooms.html#2026-05-03-Blue_Room", Some(Kind::Place)),
            ("https://example.org/speakers/ada-byron/", Some(Kind::Person)),
            ("speakers.html#ada", Some(Kind::Person)),
            // Lists of venues and people name none of them.
            ("/rooms", None),
            ("speakers.html", None),
            ("/news/2026", None),
            ("", None),
        ] {
            assert_eq!(kind(href), expected, "{href}");
        }
    }
}
