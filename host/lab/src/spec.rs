//! What web to make.

use magpie_values::date::Date;
use serde::{Deserialize, Serialize};

/// A kind of objects that a generated web is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Vertical {
    /// Things to go to.
    Events,
    /// Editions of books.
    Books,
    /// Things that are sold.
    Products,
}

impl Vertical {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Events, Self::Books, Self::Products];

    /// Its name: `events`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Events => "events",
            Self::Books => "books",
            Self::Products => "products",
        }
    }

    /// The vertical of a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|vertical| vertical.name() == name)
    }
}

/// How large a web is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Size {
    /// 3 sites with a few hundred pages: tests and the demo.
    Small,
    /// 300 sites with some 60,000 pages and 13,000 objects: experiments.
    Paper,
    /// 3,000 sites with a million pages: scale.
    Large,
}

impl Size {
    /// The size of a name: `small`, `paper`, `large`.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "small" => Some(Self::Small),
            "paper" => Some(Self::Paper),
            "large" => Some(Self::Large),
            _ => None,
        }
    }

    /// Sites, pages and objects.
    fn numbers(self) -> (u32, u32, u32) {
        match self {
            Self::Small => (3, 360, 90),
            Self::Paper => (300, 60_000, 13_000),
            Self::Large => (3_000, 1_000_000, 220_000),
        }
    }
}

/// How much of what stands around the content (styles, scripts, menus) the pages carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weight {
    /// A few kilobytes: where the number of pages counts and their bytes do not.
    Light,
    /// As real sites have it, some ten to two hundred kilobytes a page, always the same within a site.
    Real,
}

/// What makes one web. The same specification gives the same bytes on every machine, every week.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WebSpec {
    /// What its objects are.
    pub vertical: Vertical,
    /// How many sites.
    pub sites: u32,
    /// About how many pages in week 0, all sites together.
    pub pages: u32,
    /// How many objects the world holds in week 0, bygone ones that are still shown included.
    pub objects: u32,
    /// The seed.
    pub seed: u64,
    /// The Monday that week 0 begins with, in days since 1970-01-01.
    pub epoch: i64,
    /// How skewed popularity is: 0 spreads the copies of objects evenly over them, 1 is Zipf's law.
    pub skew: f64,
    /// The share of sites, in thousandths, that are redesigned in a week.
    pub redesigns: u32,
    /// What stands around the content.
    pub weight: Weight,
    /// Whether pages may be slow, fail, or lead into traps.
    pub hazards: bool,
    /// The share of sites with decoys (month grids, old articles, codes beside prices and so on) in
    /// percent of the standard shares: 100 for a realistic web, 0 for a web without decoys.
    pub decoys: u32,
}

/// Monday, 2 November 2026.
const EPOCH: (i32, u8, u8) = (2026, 11, 2);

/// Copies follow popularity a little flatter than Zipf's law: the largest source of a well studied book corpus
/// holds most objects, yet half the objects are on few sources.
const SKEW: f64 = 0.8;

/// One redesign in about two years and a half per site.
const REDESIGNS: u32 = 8;

impl WebSpec {
    /// A web of a standard size.
    #[must_use]
    pub fn new(vertical: Vertical, size: Size, seed: u64) -> Self {
        let (sites, pages, objects) = size.numbers();
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
        }
    }

    /// The same with another number of sites; pages and objects follow in proportion.
    #[must_use]
    pub fn with_sites(mut self, sites: u32) -> Self {
        let scaled = |count: u32| (u64::from(count) * u64::from(sites) / u64::from(self.sites.max(1))) as u32;
        self.pages = scaled(self.pages);
        self.objects = scaled(self.objects).max(1);
        self.sites = sites.max(1);
        self
    }

    /// The same scaled: so many times the pages and objects on the same sites.
    #[must_use]
    pub fn with_scale(mut self, scale: f64) -> Self {
        let scaled = |count: u32| ((f64::from(count) * scale) as u32).max(1);
        self.pages = scaled(self.pages);
        self.objects = scaled(self.objects);
        self
    }

    /// The first day of a week, in days since 1970-01-01.
    #[must_use]
    pub fn monday(&self, week: u32) -> i64 {
        self.epoch + 7 * i64::from(week)
    }
}
