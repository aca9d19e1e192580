//! Behaviour of a site apart from its design: HTTP headers, errors, obstacles to crawlers.

use crate::random::Key;

/// Syntax of the markup of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    None,
    JsonLd,
    Microdata,
    Rdfa,
}

/// Entity tags that a site sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EtagKind {
    None,
    /// Changes with every change of the lasting content.
    Durable,
    /// Changes with every fetch.
    Volatile,
    /// Never changes, even if the page does.
    Constant,
}

/// Modification dates that a site reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DateKind {
    None,
    Right,
    /// The time of the fetch.
    Now,
    /// Always the same old day.
    Constant,
}

/// Treatment of the page of an object that is past or no longer sold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expiry {
    /// The page remains for this many weeks, then it is removed.
    Stays(u32),
    /// Status 404.
    Missing,
    /// Status 410.
    Gone,
    Redirect,
}

/// Treatment of URLs of earlier designs, of other hosts, and with extra parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Forwarding {
    /// Status 301 to the current URL.
    Redirect,
    /// The page itself.
    Same,
    Missing,
}

#[derive(Clone, Debug)]
pub(crate) struct Habits {
    pub(crate) syntax: Syntax,
    pub(crate) etag: EtagKind,
    pub(crate) last_modified: DateKind,
    pub(crate) expiry: Expiry,
    pub(crate) old_urls: Forwarding,
    pub(crate) noisy_urls: Forwarding,
    /// Answers missing pages with status 200.
    pub(crate) has_soft_missing: bool,
    /// Dates in the sitemap; `None` if the site has no sitemap.
    pub(crate) sitemap: Option<DateKind>,
    pub(crate) has_feed: bool,
    /// Planted errors, in thousandths of values.
    pub(crate) errors: u64,
    /// Delay, in weeks, of the site's knowledge of the world.
    pub(crate) lag: u32,
    pub(crate) has_sessions: bool,
    pub(crate) has_tracking: bool,
    pub(crate) reorders_params: bool,
    pub(crate) uppercases_paths: bool,
    pub(crate) has_canonical: bool,
    pub(crate) has_trap: bool,
    /// Fetches that fail at random, in thousandths.
    pub(crate) flaky: u64,
    /// Pages that always fail, in thousandths.
    pub(crate) broken: u64,
    /// Slow pages, in thousandths.
    pub(crate) slow: u64,
    pub(crate) has_ads: bool,
    pub(crate) has_clock: bool,
    pub(crate) has_recommendations: bool,
}

impl Habits {
    /// Draws the behaviour of a site. Shares follow published measurements where they exist: just
    /// over half of the sites have a sitemap, and three fifths of its entries have a date.
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
            etag: key.of("tag", 0).weighted(&[
                (45, EtagKind::None),
                (40, EtagKind::Durable),
                (12, EtagKind::Volatile),
                (3, EtagKind::Constant),
            ]),
            last_modified: date_kind(key.of("modified", 0), 50, 30),
            expiry: key.of("farewell", 0).weighted(&[
                (30, Expiry::Stays(1_000)),
                (25, Expiry::Stays(4)),
                (20, Expiry::Missing),
                (10, Expiry::Gone),
                (15, Expiry::Redirect),
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
            sitemap: is("sitemap", 550).then(|| date_kind(key.of("sitemap dates", 0), 40, 42)),
            has_feed: is("feed", 450),
            errors: if has_errors {
                10 + key.of("errors", 0).below(110)
            } else {
                0
            },
            lag: key.of("lag", 0).weighted(&[(75, 0), (15, 1), (6, 3), (4, 50)]),
            has_sessions: is("sessions", 45),
            has_tracking: is("tracking", 180),
            reorders_params: is("turns", 300),
            uppercases_paths: is("shouts", 60),
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

fn date_kind(key: Key, none: u32, right: u32) -> DateKind {
    key.weighted(&[
        (none, DateKind::None),
        (right, DateKind::Right),
        (12, DateKind::Now),
        (6, DateKind::Constant),
    ])
}
