//! Paths of further pages of lists.

/// Maximum number of digits. Longer numbers are years and identifiers; no list is read to page
/// 1000.
const MAX_DIGITS: usize = 3;

/// Maximum length of the word before the number: `page`, `seite`, `p`.
const MAX_WORD_LENGTH: usize = 12;

/// Splits a path before its file extension and trailing slash: `/list.html` into `/list` and
/// `.html`.
pub(crate) fn split_end(path: &str) -> (&str, &str) {
    let end = path.strip_suffix('/').unwrap_or(path);
    let file = end.rfind('/').map_or(0, |slash| slash + 1);
    match end[file..].rfind('.') {
        Some(dot) if dot > 0 => path.split_at(file + dot),
        _ => path.split_at(end.len()),
    }
}

/// Returns the stems of lists that a stem with a final number may belong to, each with the text in
/// between. `/list/page/2` is a page of `/list/page` by `/`, or of `/list` by `/page/`.
pub(crate) fn possible_lists(stem: &str) -> impl Iterator<Item = (&str, &str)> {
    let before = strip_number(stem).unwrap_or_default();
    let bare = before.strip_suffix(is_separator).unwrap_or(before);
    let list = bare.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let has_word = (1..=MAX_WORD_LENGTH).contains(&(bare.len() - list.len()));
    let by_word = list.strip_suffix(is_separator).filter(|_| has_word);
    // A number without a separator belongs to the name before it, as in `/mp3`.
    let by_number = Some(bare).filter(|bare| bare.len() < before.len());
    let lists = by_number.into_iter().chain(by_word);
    lists.map(|list| (list, &before[list.len()..]))
}

/// Returns the text before a small final number.
pub(crate) fn strip_number(text: &str) -> Option<&str> {
    let before = text.trim_end_matches(|c: char| c.is_ascii_digit());
    is_page_number(&text[before.len()..]).then_some(before)
}

/// Returns true if a text is a number that may count the pages of a list.
pub(crate) fn is_page_number(text: &str) -> bool {
    (1..=MAX_DIGITS).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_separator(c: char) -> bool {
    matches!(c, '/' | '-' | '_')
}

#[cfg(test)]
mod tests {
    use super::{possible_lists, split_end};

    #[test]
    fn paths_are_split_before_their_ends() {
        for (path, expected) in [
            ("/", ("", "/")),
            ("/list", ("/list", "")),
            ("/list/", ("/list", "/")),
            ("/list.html", ("/list", ".html")),
            ("/v1.2/list.html/", ("/v1.2/list", ".html/")),
            ("/v1.2/list", ("/v1.2/list", "")),
            ("/.list", ("/.list", "")),
        ] {
            assert_eq!(split_end(path), expected, "{path}");
        }
    }

    #[test]
    fn further_pages_have_a_number_or_a_word_with_a_number() {
        let cases: &[(&str, &[(&str, &str)])] = &[
            ("/list/2", &[("/list", "/"), ("", "/list/")]),
            ("/list/page/2", &[("/list/page", "/"), ("/list", "/page/")]),
            ("/list/p2", &[("/list", "/p")]),
            ("/list-2", &[("/list", "-"), ("", "/list-")]),
            ("/2", &[("", "/")]),
            ("/list/2026", &[]),
            ("/list/averylongwordforpages2", &[]),
            ("/list", &[]),
        ];
        for (page, expected) in cases {
            assert_eq!(possible_lists(page).collect::<Vec<_>>(), *expected, "{page}");
        }
    }
}
