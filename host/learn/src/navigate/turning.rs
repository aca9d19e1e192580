//! How a further page of a list is spelled.

use magpie_model::CanonicalUrl;

/// Longer numbers are years and identifiers; no list is read to its thousandth page.
const MOST_DIGITS: usize = 3;

/// Letters of the word before the number: `page`, `seite`, `p`.
const MOST_LETTERS: usize = 12;

/// Whether a link on a list may lead to a further page of it, by its spelling: the same path with another query; or with the same query
/// the path with a small number after it (`/list/page/2`, `/list-2.html`), or with another number where the list has one.
pub fn may_turn(list: &CanonicalUrl, link: &CanonicalUrl) -> bool {
    if list.origin() != link.origin() || list == link {
        return false;
    }
    if list.path() == link.path() {
        return true;
    }
    if list.query() != link.query() {
        return false;
    }
    let ((list, ending), (link, of_link)) = (stem(list.path()), stem(link.path()));
    // `/list.html` may go on as `/list/2`, `/list/2/` and `/list-2.html`.
    let may_end = of_link.is_empty() || of_link == ending;
    may_end && (goes_on(list, link) || differs_in_number(list, link))
}

/// A path without a slash at its end and without the ending of its file, and that ending.
fn stem(path: &str) -> (&str, &str) {
    let path = path.strip_suffix('/').unwrap_or(path);
    let file = path.rfind('/').map_or(0, |slash| slash + 1);
    match path[file..].rfind('.') {
        Some(dot) if dot > 0 => path.split_at(file + dot),
        _ => (path, ""),
    }
}

fn goes_on(list: &str, link: &str) -> bool {
    let rest = link
        .strip_prefix(list)
        .and_then(|rest| rest.strip_prefix(is_separator));
    rest.and_then(before_number).is_some_and(|word| {
        let word = word.strip_suffix(is_separator).unwrap_or(word);
        word.len() <= MOST_LETTERS && word.bytes().all(|byte| byte.is_ascii_alphabetic())
    })
}

fn differs_in_number(list: &str, link: &str) -> bool {
    let is_whole = |before: &&str| before.ends_with(|letter: char| !letter.is_ascii_digit());
    let before = before_number(link).filter(is_whole);
    before.is_some() && before == before_number(list).filter(is_whole)
}

/// What stands before the small number that a text ends with.
fn before_number(text: &str) -> Option<&str> {
    let before = text.trim_end_matches(|letter: char| letter.is_ascii_digit());
    (1..=MOST_DIGITS)
        .contains(&(text.len() - before.len()))
        .then_some(before)
}

fn is_separator(letter: char) -> bool {
    matches!(letter, '/' | '-' | '_')
}
