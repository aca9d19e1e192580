//! Decoys: parts of real sites that look like objects or values but are not.
//!
//! Structure and class names are those of widely used plugins. The texts are the lab's own.

use serde::Serialize;

use crate::random::Key;
use crate::spec::Vertical;

/// A kind of decoy, as named in the truth and in scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decoy {
    /// The month grid of a calendar plugin: weekday heads, day numbers, counts, endless empty
    /// months.
    MonthGrid,
    /// An old article that lists events by day and month, without a year.
    RoundUp,
    /// A bar code or article number in the element of the price.
    Code,
    /// An object that the site sells on request: its price is missing or 0.
    NoPrice,
    /// A sample of the theme: a sample object, filler text, a link to a form for new objects.
    Placeholder,
    /// One of thousands of tag or person pages that lead to the same few objects.
    Hub,
    /// Other objects with their prices, below the object of the page.
    Related,
    /// The name of a category directly before the name of an object.
    CategoryName,
    /// A counter in the slug of an object: `-2`, `-of-1776-2`.
    SlugCounter,
    /// Texts whose entities are double-encoded, numeric, or lack the semicolon.
    Entities,
    /// Objects up to 50 links away from the entry page.
    Remote,
    /// Links that only sort or act: `?orderby=`, `?add-to-cart=`.
    ActionLinks,
    /// Links to an API for programs, such as `/wp-json/`.
    MachineLinks,
}

impl Decoy {
    /// Returns the name, such as `month-grid`.
    pub fn name(self) -> &'static str {
        match self {
            Self::MonthGrid => "month-grid",
            Self::RoundUp => "round-up",
            Self::Code => "code",
            Self::NoPrice => "no-price",
            Self::Placeholder => "placeholder",
            Self::Hub => "hub",
            Self::Related => "related",
            Self::CategoryName => "category-name",
            Self::SlugCounter => "slug-counter",
            Self::Entities => "entities",
            Self::Remote => "remote",
            Self::ActionLinks => "action-links",
            Self::MachineLinks => "machine-links",
        }
    }
}

/// The plugin whose structure a month grid has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CalendarKind {
    /// The Events Calendar since version 5: each event three times, with a tooltip and a list for
    /// phones.
    TribeNew,
    /// The Events Calendar before version 5: a table, with the details in an attribute.
    TribeOld,
    /// FullCalendar, as saved by a browser.
    FullCalendar,
    /// Modern Events Calendar: a grid without events, and a list of the days beside it.
    Modern,
    /// EventON: a row of days above a list.
    EventOn,
    /// A hand-made table, with or without the time of each event.
    Table { has_times: bool },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CodePlace {
    /// With a label, before the price in its element.
    Before,
    /// With a label, after the price in its element.
    After,
    /// In an element without a label, before the price.
    Bare,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PriceSubstitute {
    Nothing,
    Words,
    Zero,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArticleDate {
    /// `article:published_time` alone.
    Meta,
    /// `article:published_time` and a line of text.
    MetaAndText,
    /// A line of text alone.
    Text,
    /// The URL alone, on sites with folders; otherwise a line of text.
    Url,
}

/// Route to objects that are far from the entry page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Remote {
    /// A list of about 50 pages that link only to the next and the previous one.
    Chain,
    /// Year, month, day, object.
    Dated,
}

/// Encoding of special characters in texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entities {
    /// `&amp;#8217;`
    Double,
    /// `&#8217;`
    Numeric,
    /// `&eacute` without its semicolon
    Bare,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Decoys {
    pub(crate) calendar: Option<CalendarKind>,
    /// Set if old articles list dates.
    pub(crate) round_ups: Option<ArticleDate>,
    pub(crate) codes: Option<CodePlace>,
    /// Substitute for missing prices, and the share of objects without a price in thousandths.
    pub(crate) price_substitute: Option<(PriceSubstitute, u64)>,
    /// Share of slugs with counters, in thousandths.
    pub(crate) counters: u64,
    pub(crate) has_samples: bool,
    /// Number of tag and person pages of each object.
    pub(crate) hubs: u32,
    pub(crate) remote: Option<Remote>,
    pub(crate) entities: Option<Entities>,
    pub(crate) has_related_prices: bool,
    pub(crate) has_category_names: bool,
    pub(crate) has_action_links: bool,
    pub(crate) has_machine_links: bool,
}

const HUBS: u32 = 6;
/// Share of sites with hubs, in thousandths.
const HUB_SITES: u64 = 80;
/// Share of sites with remote objects, in thousandths.
const REMOTE_SITES: u64 = 100;

impl Decoys {
    /// Draws the decoys of a site. `percent` scales all shares; 0 gives none. The shares are set by
    /// hand: of the real sites that the lab was compared with, about a third had each kind.
    pub(crate) fn new(key: Key, vertical: Vertical, percent: u32, is_deep: bool) -> Self {
        let is = |name: &str, share: u64| {
            key.of(name, 0)
                .per_mille((share * u64::from(percent) / 100).min(1_000))
        };
        let sells = vertical != Vertical::Events;
        let either = |selling: u64, other: u64| if sells { selling } else { other };
        // Counters, samples and APIs come with one content management system.
        let is_press = is("press", 450);
        let pressed = |name: &str, share: u64, other: u64| is(name, if is_press { share } else { other });
        let remote = key.of("remote kind", 0).pick(&[Remote::Chain, Remote::Dated]);
        let remote = (!is_deep && is("remote", REMOTE_SITES)).then_some(remote);
        let is_open = !is_deep && remote.is_none();
        let price_substitute = key.of("asking kind", 0).pick(&[
            PriceSubstitute::Nothing,
            PriceSubstitute::Words,
            PriceSubstitute::Zero,
        ]);
        let asked = 150 + key.of("asked", 0).below(800);
        Self {
            calendar: (!sells && is_open && is("calendar", 450)).then(|| calendar(key.of("plugin", 0))),
            round_ups: (!sells && is("round-ups", 450)).then(|| {
                key.of("article date", 0).weighted(&[
                    (3, ArticleDate::Meta),
                    (3, ArticleDate::MetaAndText),
                    (2, ArticleDate::Text),
                    (2, ArticleDate::Url),
                ])
            }),
            codes: is(
                "codes",
                if vertical == Vertical::Products {
                    400
                } else {
                    either(300, 0)
                },
            )
            .then(|| {
                key.of("code place", 0)
                    .pick(&[CodePlace::Before, CodePlace::After, CodePlace::Bare])
            }),
            price_substitute: is(
                "asking",
                if vertical == Vertical::Products {
                    300
                } else {
                    either(120, 0)
                },
            )
            .then_some((price_substitute, asked)),
            counters: if pressed("counters", 600, 50) {
                60 + key.of("counted", 0).below(240)
            } else {
                0
            },
            has_samples: pressed("samples", 400, 120),
            hubs: if is_open && is("hubs", HUB_SITES) { HUBS } else { 0 },
            remote,
            entities: is("entities", 300).then(|| {
                key.of("entity form", 0).weighted(&[
                    (3, Entities::Double),
                    (4, Entities::Numeric),
                    (2, Entities::Bare),
                ])
            }),
            has_related_prices: is_open && is("related", 300),
            has_category_names: is("category names", 250),
            has_action_links: is("action links", either(350, 120)),
            has_machine_links: is_press,
        }
    }

    pub(crate) fn kinds(&self) -> Vec<Decoy> {
        [
            (self.calendar.is_some(), Decoy::MonthGrid),
            (self.round_ups.is_some(), Decoy::RoundUp),
            (self.codes.is_some(), Decoy::Code),
            (self.price_substitute.is_some(), Decoy::NoPrice),
            (self.has_samples, Decoy::Placeholder),
            (self.hubs > 0, Decoy::Hub),
            (self.has_related_prices, Decoy::Related),
            (self.has_category_names, Decoy::CategoryName),
            (self.counters > 0, Decoy::SlugCounter),
            (self.entities.is_some(), Decoy::Entities),
            (self.remote.is_some(), Decoy::Remote),
            (self.has_action_links, Decoy::ActionLinks),
            (self.has_machine_links, Decoy::MachineLinks),
        ]
        .into_iter()
        .filter_map(|(has, kind)| has.then_some(kind))
        .collect()
    }
}

fn calendar(key: Key) -> CalendarKind {
    key.weighted(&[
        (5, CalendarKind::TribeNew),
        (2, CalendarKind::TribeOld),
        (3, CalendarKind::FullCalendar),
        (2, CalendarKind::Modern),
        (2, CalendarKind::EventOn),
        (1, CalendarKind::Table { has_times: true }),
        (1, CalendarKind::Table { has_times: false }),
    ])
}

/// Returns the factor by which hub sites would enlarge a web. Page budgets are divided by it.
pub(crate) fn hub_growth(percent: u32) -> f64 {
    /// Hub pages for each page of a hub site: about a third of the pages are objects that are still
    /// current.
    const HUBS_PER_PAGE: f64 = 1.8;
    1.0 + HUBS_PER_PAGE * HUB_SITES as f64 / 1_000.0 * f64::from(percent) / 100.0
}
