//! Signs on pages that a script would show more than a plain fetch does.
//!
//! A page without objects needs a script if it has an empty place that scripts fill. A page with
//! objects may need one all the same: its items lead on by clicks alone, its list continues where a
//! reader scrolls or presses a button, or it is one of a kind of which some pages have objects and
//! some have none. What many kinds of pages have in common is the frame of the site, such as its
//! menu, and is no sign.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use magpie_model::CanonicalUrl;
use magpie_page::Page;
use magpie_web::Exchange;

use super::kinds::Kind;

/// Objects on a page that make it a list.
const MIN_ITEMS: usize = 3;

/// Objects of a list for each link of its own from which on its items seem to lead nowhere.
const ITEMS_A_LINK: usize = 2;

/// Share of the kinds of pages that a link of the menu is on.
const MENU: f64 = 0.75;

/// Kinds of pages from which on a menu can be recognised.
const MIN_KINDS: usize = 3;

/// Digits of the number of a page in a series; longer ones are those of objects.
const MAX_DIGITS: usize = 4;

/// The answer to a plain fetch.
pub(super) struct PlainPage {
    pub(super) url: CanonicalUrl,
    pub(super) exchange: Exchange,
    pub(super) page: Arc<Page>,
    pub(super) records: usize,
}

/// A kind of pages with one of them.
pub(super) struct ShownKind<'k> {
    pub(super) kind: &'k Kind,
    pub(super) plain: PlainPage,
    /// URLs of the site that it leads to.
    pub(super) links: Vec<CanonicalUrl>,
    /// It has objects in the data that its scripts start from, and nowhere else.
    pub(super) is_embedded: bool,
}

impl ShownKind<'_> {
    /// Returns true if most pages of the kind show their objects without a script.
    pub(super) fn is_plain(&self) -> bool {
        self.kind.has_objects() && !self.is_embedded
    }
}

/// Signs on the pages of a site.
pub(super) struct Signs {
    /// Places on pages that show their objects without a script.
    filled: BTreeSet<String>,
    /// Places, and elements that act by script, on pages that are no lists.
    common: BTreeSet<String>,
    /// Links of the menu.
    menu: BTreeSet<u64>,
    /// A browser may click.
    clicks: bool,
}

impl Signs {
    /// Reads one page of each kind.
    pub(super) fn of(shown: &[ShownKind<'_>], clicks: bool) -> Signs {
        let (mut filled, mut common) = (BTreeSet::new(), BTreeSet::new());
        let mut counts: HashMap<u64, usize> = HashMap::new();
        for kind in shown {
            let page = &kind.plain.page;
            if kind.is_plain() {
                filled.extend(page.script_places());
            }
            if kind.plain.records < MIN_ITEMS {
                common.extend(page.script_places());
                common.extend(page.script_actions().into_keys());
            }
            for link in &kind.links {
                *counts.entry(link.fingerprint().0).or_default() += 1;
            }
        }
        let is_menu = |count: usize| shown.len() >= MIN_KINDS && count as f64 >= MENU * shown.len() as f64;
        Signs {
            filled,
            common,
            menu: counts
                .into_iter()
                .filter(|(_, count)| is_menu(*count))
                .map(|(link, _)| link)
                .collect(),
            clicks,
        }
    }

    /// Returns true if a page has an empty place that scripts fill.
    pub(super) fn has_place_to_fill(&self, kind: &ShownKind<'_>) -> bool {
        // Places that are also on pages whose objects a plain fetch shows are those of adverts and
        // the like.
        self.differs(&kind.plain)
    }

    /// Returns true if a page has an empty place that pages with objects do not have.
    pub(super) fn differs(&self, plain: &PlainPage) -> bool {
        plain
            .page
            .script_places()
            .iter()
            .any(|place| !self.filled.contains(place))
    }

    /// Returns true if a list has far fewer links of its own than objects, and its items have
    /// elements that act by script instead.
    pub(super) fn lacks_links(&self, kind: &ShownKind<'_>) -> bool {
        let items = kind.plain.records;
        if !self.clicks || items < MIN_ITEMS {
            return false;
        }
        let own = kind
            .links
            .iter()
            .filter(|link| !self.menu.contains(&link.fingerprint().0));
        let has_few = ITEMS_A_LINK * own.count() < items;
        let mut actions = self.own_actions(&kind.plain.page).into_values();
        has_few && actions.any(|count| count >= MIN_ITEMS.max(items / ITEMS_A_LINK))
    }

    /// Returns true if a list without links to its further pages has a button or an empty place
    /// that other pages do not have: it may continue where a reader scrolls or presses it.
    pub(super) fn leads_on(&self, kind: &ShownKind<'_>) -> bool {
        if kind.plain.records < MIN_ITEMS {
            return false;
        }
        let (page, url) = (&kind.plain.page, &kind.plain.url);
        let is_paged = || {
            let mut links = kind.links.iter();
            links.any(|link| is_further_page(url, link))
        };
        let has_place = || {
            page.script_places()
                .iter()
                .any(|place| !self.common.contains(place))
        };
        let has_button = || self.clicks && self.own_actions(page).values().any(|count| *count == 1);
        (has_place() || has_button()) && !is_paged()
    }

    /// Returns the elements of a page that act by script, but for those that other pages have.
    fn own_actions(&self, page: &Page) -> BTreeMap<String, usize> {
        let mut actions = page.script_actions();
        actions.retain(|action, _| !self.common.contains(action));
        actions
    }
}

/// Returns true if a link of a page looks like one to a further page of its list: the same path
/// with another query, or a short number below the page.
fn is_further_page(page: &CanonicalUrl, link: &CanonicalUrl) -> bool {
    if link.origin() != page.origin() {
        return false;
    }
    if link.path() == page.path() {
        return link.query() != page.query();
    }
    let folder = page.path().trim_end_matches('/');
    let below = link
        .path()
        .strip_prefix(folder)
        .filter(|rest| rest.starts_with('/'));
    let last = below.and_then(|rest| rest.trim_end_matches('/').rsplit('/').next());
    last.is_some_and(|last| {
        (1..=MAX_DIGITS).contains(&last.len()) && last.bytes().all(|byte| byte.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn further_pages_are_known_by_query_or_number() {
        let url = |path: &str| CanonicalUrl::trusted(format!("https://hall.example{path}")).expect("a URL");
        let check = |page: &str, link: &str, expected: bool| {
            assert_eq!(is_further_page(&url(page), &url(link)), expected, "{page} {link}");
        };
        check("/events", "/events?page=2", true);
        check("/events?page=2", "/events?page=3", true);
        check("/events/", "/events/page/2/", true);
        check("/", "/2", true);
        check("/events", "/events", false);
        check("/events", "/events/night-17", false);
        check("/events", "/events/1234567", false);
        check("/events", "/news?page=2", false);
        check("/events", "/events-2", false);
    }
}
