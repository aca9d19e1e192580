//! How paths of further pages of lists are spelled.

/// Longer numbers are years and identifiers; no list is read to its thousandth page.
const MOST_DIGITS: usize = 3;

/// Letters of the word before the number: `page`, `seite`, `p`.
const MOST_LETTERS: usize = 12;

/// A path without what it ends with, and that: the ending of its file and a slash. `/list.html` is `/list` and `.html`.
pub(crate) fn stem(path: &str) -> (&str, &str) {
    let end = path.strip_suffix('/').unwrap_or(path);
    let file = end.rfind('/').map_or(0, |slash| slash + 1);
    match end[file..].rfind('.') {
        Some(dot) if dot > 0 => path.split_at(file + dot),
        _ => path.split_at(end.len()),
    }
}

/// The stems of the lists that a stem with a number at its end may be a further page of, each with what stands between: `/list/page/2`
/// goes on from `/list/page` by `/`, or from `/list` by `/page/`.
pub(crate) fn steps(stem: &str) -> impl Iterator<Item = (&str, &str)> {
    let before = before_number(stem).unwrap_or_default();
    let bare = before.strip_suffix(is_separator).unwrap_or(before);
    let list = bare.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let has_word = (1..=MOST_LETTERS).contains(&(bare.len() - list.len()));
    let by_word = list.strip_suffix(is_separator).filter(|_| has_word);
    let by_number = Some(bare).filter(|bare| bare.len() < before.len());
    let lists = by_number.into_iter().chain(by_word);
    lists.map(|list| (list, &before[list.len()..]))
}

/// What stands before the small number that a text ends with.
pub(crate) fn before_number(text: &str) -> Option<&str> {
    let before = text.trim_end_matches(|letter: char| letter.is_ascii_digit());
    is_small(&text[before.len()..]).then_some(before)
}

/// Whether a text is a number that may count the pages of a list.
pub(crate) fn is_small(text: &str) -> bool {
    (1..=MOST_DIGITS).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_separator(letter: char) -> bool {
    matches!(letter, '/' | '-' | '_')
}

#[cfg(test)]
mod tests {
    use super::{stem, steps};

    #[test]
    fn paths_are_cut_before_what_they_end_with() {
        for (path, expected) in [
            ("/", ("", "/")),
            ("/list", ("/list", "")),
            ("/list/", ("/list", "/")),
            ("/list.html", ("/list", ".html")),
            ("/v1.2/list.html/", ("/v1.2/list", ".html/")),
            ("/v1.2/list", ("/v1.2/list", "")),
            ("/.list", ("/.list", "")),
        ] {
            assert_eq!(stem(path), expected, "{path}");
        }
    }

    #[test]
    fn lists_go_on_by_a_number_or_by_a_word_with_one() {
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
            assert_eq!(steps(page).collect::<Vec<_>>(), *expected, "{page}");
        }
    }
}
