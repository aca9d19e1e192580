//! What a site is like apart from its looks: how it serves, what it gets wrong, what stands in the crawler's way.

use crate::chance::Key;

/// What a site says to machines about its objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    None,
    JsonLd,
    Microdata,
    Rdfa,
}

/// What a site sends as entity tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tagging {
    None,
    /// Changes with every byte that lasts.
    Durable,
    /// Changes with every fetch.
    Restless,
    /// Never changes, whatever happens to the page.
    Stuck,
}

/// What a site says of when pages changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dating {
    None,
    Right,
    /// Always now.
    Now,
    /// Always the same old day.
    Stuck,
}

/// What happens to the page of an object that has passed or is sold no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Farewell {
    /// It stays, for so many weeks, then is gone.
    Stays(u32),
    /// 404
    Missing,
    /// 410
    Gone,
    /// A redirect to the list.
    Redirect,
}

/// What happens to a URL that another design has written, or another host, or with noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Forwarding {
    /// 301 to the URL of today.
    Redirect,
    /// The page itself.
    Same,
    /// It is unknown.
    Missing,
}

/// The habits of a site.
#[derive(Clone, Debug)]
pub(crate) struct Habits {
    pub(crate) syntax: Syntax,
    pub(crate) tagging: Tagging,
    pub(crate) last_modified: Dating,
    pub(crate) farewell: Farewell,
    /// URLs of earlier designs.
    pub(crate) old_urls: Forwarding,
    /// URLs with noise in them.
    pub(crate) noisy_urls: Forwarding,
    /// Whether what is missing is answered with 200.
    pub(crate) has_soft_missing: bool,
    /// The sitemap's idea of changes; none: no sitemap.
    pub(crate) sitemap: Option<Dating>,
    pub(crate) has_feed: bool,
    /// Planted errors in thousandths of values.
    pub(crate) errors: u64,
    /// Weeks by which its knowledge of the world lags.
    pub(crate) lag: u32,
    pub(crate) has_sessions: bool,
    pub(crate) has_tracking: bool,
    pub(crate) turns_params: bool,
    pub(crate) shouts: bool,
    pub(crate) has_canonical: bool,
    pub(crate) has_trap: bool,
    /// Fetches that fail by chance, in thousandths.
    pub(crate) flaky: u64,
    /// Pages that always fail, in thousandths.
    pub(crate) broken: u64,
    /// Pages that are slow, in thousandths.
    pub(crate) slow: u64,
    pub(crate) has_ads: bool,
    pub(crate) has_clock: bool,
    pub(crate) has_recommendations: bool,
}

impl Habits {
    /// Habits of one's own. Shares that published measurements give are kept: a good half of sites has a sitemap,
    /// three fifths of its entries carry a date.
    pub(crate) fn new(key: Key, has_hazards: bool) -> Self {
        let is = |name: &str, share: u64| key.of(name, 0).per_mille(share);
        let hazard =
            |name: &str, share: u64, size: u64| if has_hazards && is(name, share) { size } else { 0 };
        let has_errors = is("errs", 350);
        Self {
            syntax: key.of("syntax", 0).weighted(&[
                (52, Syntax::None),
                (28, Syntax::JsonLd),
                (14, Syntax::Microdata),
                (6, Syntax::Rdfa),
            ]),
            tagging: key.of("tag", 0).weighted(&[
                (45, Tagging::None),
                (40, Tagging::Durable),
                (12, Tagging::Restless),
                (3, Tagging::Stuck),
            ]),
            last_modified: dating(key.of("modified", 0), 50, 30),
            farewell: key.of("farewell", 0).weighted(&[
                (30, Farewell::Stays(1_000)),
                (25, Farewell::Stays(4)),
                (20, Farewell::Missing),
                (10, Farewell::Gone),
                (15, Farewell::Redirect),
            ]),
            old_urls: key.of("old", 0).weighted(&[
                (5, Forwarding::Redirect),
                (1, Forwarding::Same),
                (4, Forwarding::Missing),
            ]),
            noisy_urls: key
                .of("noisy", 0)
                .weighted(&[(3, Forwarding::Redirect), (7, Forwarding::Same)]),
            has_soft_missing: is("soft missing", 220),
            sitemap: is("sitemap", 550).then(|| dating(key.of("sitemap dates", 0), 40, 42)),
            has_feed: is("feed", 450),
            errors: if has_errors {
                10 + key.of("errors", 0).below(110)
            } else {
                0
            },
            lag: key.of("lag", 0).weighted(&[(75, 0), (15, 1), (6, 3), (4, 50)]),
            has_sessions: is("sessions", 45),
            has_tracking: is("tracking", 180),
            turns_params: is("turns", 300),
            shouts: is("shouts", 60),
            has_canonical: is("canonical", 450),
            has_trap: hazard("trap", 130, 1) == 1,
            flaky: hazard("flaky", 100, 20),
            broken: hazard("broken", 200, 12),
            slow: hazard("slow", 80, 60),
            has_ads: is("ads", 450),
            has_clock: is("clock", 250),
            has_recommendations: is("recommends", 350),
        }
    }
}

fn dating(key: Key, none: u32, right: u32) -> Dating {
    key.weighted(&[
        (none, Dating::None),
        (right, Dating::Right),
        (12, Dating::Now),
        (6, Dating::Stuck),
    ])
}
