//! The number of pages of each kind on a site.

use super::hidden::SearchDesign;
use crate::random::Key;
use crate::spec::Vertical;

#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Approximate number of objects shown in week 0.
    pub(crate) objects: f64,
    pub(crate) stories: u32,
    pub(crate) threads: u32,
    pub(crate) help_pages: u32,
    pub(crate) about_pages: u32,
    pub(crate) tags: u8,
    pub(crate) has_categories: bool,
    pub(crate) has_groups: bool,
    pub(crate) has_calendar: bool,
    pub(crate) has_print: bool,
    pub(crate) has_sub: bool,
    /// Objects with a second path, in thousandths.
    pub(crate) twins: u64,
    pub(crate) has_comments: bool,
    pub(crate) has_cart: bool,
    pub(crate) has_login: bool,
    pub(crate) has_search: bool,
    /// True if objects can only be reached through the search form.
    pub(crate) is_deep: bool,
    pub(crate) search: Option<Box<SearchDesign>>,
    pub(crate) has_related: bool,
    /// Lists show enough of an object to identify it.
    pub(crate) has_rich_lists: bool,
    /// Lists can be sorted in other orders.
    pub(crate) has_orders: bool,
}

/// Number of list, calendar and category pages for each detail page.
const LISTS: f64 = 0.38;
/// Share of objects with a page below their main one, in thousandths, on sites with such pages.
pub(crate) const SUB_PAGE_SHARE: u64 = 500;

impl Plan {
    /// Removes shortcuts to objects, for sites whose objects are far from the entry page.
    pub(crate) fn remove_shortcuts(&mut self) {
        self.tags = 0;
        self.has_categories = false;
        self.has_groups = false;
        self.has_calendar = false;
        self.has_orders = false;
        self.has_related = false;
        self.has_search = false;
    }

    /// Makes the site a deep one: a search is the only route to its objects.
    pub(crate) fn hide(&mut self, search: SearchDesign) {
        self.has_search = false;
        // Objects without a page of their own must be recognisable in lists.
        self.has_rich_lists |= search.list_only > 0;
        self.search = Some(Box::new(search));
    }

    /// Draws a plan for about `pages` pages. `deep` is the share of deep sites in thousandths.
    pub(crate) fn new(key: Key, vertical: Vertical, pages: f64, deep: u32) -> Self {
        let is = |name: &str, share: u64| key.of(name, 0).per_mille(share);
        let has_print = is("print", 130);
        let has_sub = is("sub", 260);
        let twins = if is("twins", 240) {
            200 + key.of("twins", 1).below(800)
        } else {
            0
        };
        let sells = if vertical == Vertical::Events { 250 } else { 450 };
        let (has_comments, has_cart) = (is("comments", 250), is("cart", sells));
        // Nearly half of all pages are off topic; the share differs widely between sites.
        let junk =
            key.of("junk", 0)
                .weighted(&[(1, 0.10), (2, 0.20), (3, 0.35), (3, 0.45), (2, 0.55), (1, 0.70)]);
        let extra =
            f64::from(u8::from(has_print)) + 0.5 * f64::from(u8::from(has_sub)) + twins as f64 / 1000.0;
        let beside = f64::from(u8::from(has_comments)) + f64::from(u8::from(has_cart));
        let objects = (pages * (1.0 - junk) / (1.0 + extra + LISTS))
            .min(pages / (1.0 + extra + LISTS + beside))
            .max(3.0);
        let rest = (pages * junk - objects * beside).max(6.0);
        let has_board = is("board", 450);
        let (stories, threads) = if has_board { (0.42, 0.36) } else { (0.85, 0.0) };
        Self {
            objects,
            stories: (rest * stories) as u32,
            // A thread has 1.5 pages on average.
            threads: (rest * threads / 1.5) as u32,
            help_pages: (rest * 0.08) as u32 + 1,
            about_pages: 2 + key.of("abouts", 0).below(3) as u32,
            tags: if is("tags", 280) {
                3 + key.of("tags", 1).below(8) as u8
            } else {
                0
            },
            has_categories: is("categories", 750),
            has_groups: is("groups", 200),
            has_calendar: is("calendar", if vertical == Vertical::Events { 450 } else { 40 }),
            has_print,
            has_sub,
            twins,
            has_comments,
            has_cart,
            has_login: is("login", 700),
            has_search: is("search", 650),
            is_deep: is("deep", deep.into()),
            search: None,
            has_related: is("related", 600),
            has_orders: is("orders", 400),
            has_rich_lists: is("rich", 800),
        }
    }
}
