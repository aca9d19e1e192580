//! The specification of a web.

use magpie_values::date::Date;
use serde::{Deserialize, Serialize};

/// The kind of objects that a generated web is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Vertical {
    /// Concerts, talks, fairs and the like.
    Events,
    Books,
    Products,
}

impl Vertical {
    pub const ALL: [Self; 3] = [Self::Events, Self::Books, Self::Products];

    /// Returns the name, such as `events`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Events => "events",
            Self::Books => "books",
            Self::Products => "products",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|vertical| vertical.name() == name)
    }
}

/// A habit of real sites that misleads readers. All sites of a web have it that it applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Habit {
    /// Pages about an event show others with their dates before their names.
    DatedTeasers,
    /// Lists of events have headings of days, and rows with times alone.
    DayHeadings,
    /// Some events begin after midnight. Below headings of days, they end the day before.
    LateHours,
    /// Articles have the time of their publication, in the markup of a blog.
    PublishingTimes,
    /// Every page of a shop shows a cart with products and prices.
    CartOnEveryPage,
    /// Structured data has addresses of a host that is not served.
    StagingHost,
    /// Lists of events begin with a notice that some day has none.
    EmptyDays,
    /// Names of products end with a norm that many share.
    Norms,
    /// Each page is there in two languages, at different addresses. Sites with a search or scripts
    /// have one language.
    LanguageVersions,
}

impl Habit {
    pub const ALL: [Self; 9] = [
        Self::DatedTeasers,
        Self::DayHeadings,
        Self::LateHours,
        Self::PublishingTimes,
        Self::CartOnEveryPage,
        Self::StagingHost,
        Self::EmptyDays,
        Self::Norms,
        Self::LanguageVersions,
    ];

    /// Returns the name, such as `dated-teasers`.
    pub fn name(self) -> &'static str {
        match self {
            Self::DatedTeasers => "dated-teasers",
            Self::DayHeadings => "day-headings",
            Self::LateHours => "late-hours",
            Self::PublishingTimes => "publishing-times",
            Self::CartOnEveryPage => "cart-on-every-page",
            Self::StagingHost => "staging-host",
            Self::EmptyDays => "empty-days",
            Self::Norms => "norms",
            Self::LanguageVersions => "language-versions",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|habit| habit.name() == name)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Size {
    /// 3 sites with a few hundred pages, for tests and the demo.
    Small,
    /// 300 sites with about 60,000 pages and 13,000 objects, for experiments.
    Paper,
    /// 3,000 sites with a million pages, for tests of scale.
    Large,
}

impl Size {
    /// Parses `small`, `paper` or `large`.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "small" => Some(Self::Small),
            "paper" => Some(Self::Paper),
            "large" => Some(Self::Large),
            _ => None,
        }
    }

    /// Returns the numbers of sites, pages and objects.
    fn counts(self) -> (u32, u32, u32) {
        match self {
            Self::Small => (3, 360, 90),
            Self::Paper => (300, 60_000, 13_000),
            Self::Large => (3_000, 1_000_000, 220_000),
        }
    }
}

/// Amount of markup around the content: styles, scripts, menus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weight {
    /// A few kilobytes, for uses where the number of pages matters and their size does not.
    Light,
    /// As on real sites: about 10 to 200 kilobytes a page, always the same within a site.
    Real,
}

/// Specification of a web. The same specification gives the same bytes on every machine, every
/// week.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WebSpec {
    pub vertical: Vertical,
    pub sites: u32,
    /// Approximate number of pages in week 0, all sites together.
    pub pages: u32,
    /// Number of objects in week 0, including past ones that are still shown.
    pub objects: u32,
    pub seed: u64,
    /// Monday on which week 0 begins, in days since 1970-01-01.
    pub epoch: i64,
    /// Skew of popularity: with 0 all objects have equally many copies on average, 1 is Zipf's law.
    pub skew: f64,
    /// Share of sites, in thousandths, that are redesigned in a week.
    pub redesigns: u32,
    /// Amount of markup around the content.
    pub weight: Weight,
    /// Enables pages that are slow, fail, or lead into traps.
    pub hazards: bool,
    /// Frequency of decoys (month grids, old articles, codes beside prices and so on) in percent of
    /// the standard shares: 100 for a realistic web, 0 for a web without decoys.
    pub decoys: u32,
    /// Share of deep sites, in thousandths. Their objects are reached only through a search form.
    #[serde(default = "usual_deep")]
    pub deep: u32,
    /// Uses names of real languages instead of made-up syllables, for webs that people look at.
    #[serde(default)]
    pub readable: bool,
    /// Share of sites, in thousandths, that show their objects by scripts. Deep sites do not.
    #[serde(default)]
    pub scripted: u32,
    /// Share of those sites whose scripts make lists longer or lead on from them, in thousandths,
    /// whose first part of a list is in the page without its script.
    #[serde(default)]
    pub hydrated: u32,
    #[serde(default)]
    pub script_change: Option<ScriptChange>,
    /// Habits of all sites. Without them, a web has the bytes that it had before there were any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub habits: Vec<Habit>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScriptChange {
    /// Sites show their objects without scripts before this week.
    BeginIn(u32),
    /// From this week on, endpoints are elsewhere.
    MoveIn(u32),
}

/// Default share of deep sites, in thousandths. No source; set by hand.
fn usual_deep() -> u32 {
    90
}

/// Monday, 2 November 2026.
const EPOCH: (i32, u8, u8) = (2026, 11, 2);

/// A little flatter than Zipf's law: the largest source of a well studied book corpus holds most
/// objects, yet half of the objects are on few sources.
const SKEW: f64 = 0.8;

/// One redesign per site in about two and a half years.
const REDESIGNS: u32 = 8;

impl WebSpec {
    /// Creates the specification of a web of a standard size.
    pub fn new(vertical: Vertical, size: Size, seed: u64) -> Self {
        let (sites, pages, objects) = size.counts();
        Self {
            vertical,
            sites,
            pages,
            objects,
            seed,
            epoch: Date::new(EPOCH.0, EPOCH.1, EPOCH.2).map_or(0, Date::to_days),
            skew: SKEW,
            redesigns: REDESIGNS,
            weight: if size == Size::Paper {
                Weight::Real
            } else {
                Weight::Light
            },
            hazards: true,
            decoys: 100,
            deep: usual_deep(),
            readable: false,
            scripted: 0,
            hydrated: 0,
            script_change: None,
            habits: Vec::new(),
        }
    }

    pub(crate) fn has(&self, habit: Habit) -> bool {
        self.habits.contains(&habit)
    }

    /// Changes the number of sites; pages and objects scale in proportion.
    pub fn with_sites(mut self, sites: u32) -> Self {
        let scaled = |count: u32| (u64::from(count) * u64::from(sites) / u64::from(self.sites.max(1))) as u32;
        self.pages = scaled(self.pages);
        self.objects = scaled(self.objects).max(1);
        self.sites = sites.max(1);
        self
    }

    /// Multiplies the numbers of pages and objects, on the same sites.
    pub fn with_scale(mut self, scale: f64) -> Self {
        let scaled = |count: u32| ((f64::from(count) * scale) as u32).max(1);
        self.pages = scaled(self.pages);
        self.objects = scaled(self.objects);
        self
    }

    /// Returns the first day of a week, in days since 1970-01-01.
    pub fn monday(&self, week: u32) -> i64 {
        self.epoch + 7 * i64::from(week)
    }
}
