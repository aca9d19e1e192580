//! How a further page of a list is spelled.

use magpie_model::CanonicalUrl;

use crate::pattern::spelling::{before_number, stem, steps};

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
    let ((list, end), (link, of_link)) = (stem(list.path()), stem(link.path()));
    // `/list.html` may go on as `/list/2`, `/list/2/` and `/list-2.html`.
    let (ending, of_link) = (end.trim_end_matches('/'), of_link.trim_end_matches('/'));
    let may_end = of_link.is_empty() || of_link == ending;
    may_end && (steps(link).any(|(base, _)| base == list) || differs_in_number(list, link))
}

fn differs_in_number(list: &str, link: &str) -> bool {
    let is_whole = |before: &&str| before.ends_with(|letter: char| !letter.is_ascii_digit());
    let before = before_number(link).filter(is_whole);
    before.is_some() && before == before_number(list).filter(is_whole)
}
