//! Recognition of further pages of a list by their URLs.

use magpie_model::CanonicalUrl;

use crate::pattern::page_suffix::{possible_lists, split_end, strip_number};

/// Returns true if a link on a list may lead to a further page of it, judged by the URLs. Either
/// the path is the same with another query, or the query is the same and the path adds a small
/// number (`/list/page/2`, `/list-2.html`) or differs in the final number.
pub fn is_possible_next_page(list: &CanonicalUrl, link: &CanonicalUrl) -> bool {
    if list.origin() != link.origin() || list == link {
        return false;
    }
    if list.path() == link.path() {
        return true;
    }
    if list.query() != link.query() {
        return false;
    }
    let ((list, end), (link, of_link)) = (split_end(list.path()), split_end(link.path()));
    // `/list.html` may continue as `/list/2`, `/list/2/`, and `/list-2.html`.
    let (ending, of_link) = (end.trim_end_matches('/'), of_link.trim_end_matches('/'));
    let may_end = of_link.is_empty() || of_link == ending;
    may_end && (possible_lists(link).any(|(base, _)| base == list) || differs_in_number(list, link))
}

fn differs_in_number(list: &str, link: &str) -> bool {
    let is_whole = |before: &&str| before.ends_with(|c: char| !c.is_ascii_digit());
    let before = strip_number(link).filter(is_whole);
    before.is_some() && before == strip_number(list).filter(is_whole)
}
