//! What was learned of sites, and how recrawls went: the tables `stage`, `learned_site`, `pattern`, `selection` and `round`.

mod figures;
mod read;
mod survey;
mod visits;
mod write;

pub use figures::RunTotals;
pub use survey::{Hinted, KnownPage, PageLinks};
pub use visits::{RecordTimes, Spent, VisitRow};

use magpie_model::Alarm;

use crate::hand_in::{RunId, SiteId};
use crate::words::{RoundMethod, RoundState, SelectionStrategy};

/// What a stage of learning did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageRow {
    /// The vertical.
    pub vertical: String,
    /// The stage.
    pub name: String,
    /// When it was through.
    pub ended_at: i64,
    /// What it did and why.
    pub sentence: String,
    /// What it goes on from, as JSON.
    pub kept: String,
}

/// A site that a vertical is collected from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LearnedSite {
    /// The site.
    pub site: SiteId,
    /// Its key; read, and not written.
    pub key: String,
    /// The URL that recrawls begin with.
    pub entry: String,
    /// When its patterns were made.
    pub learned_at: i64,
    /// Pages known then.
    pub pages: u64,
    /// Those with objects.
    pub yielding: u64,
    /// Different objects on them.
    pub objects: u64,
    /// Hub pages of its navigation.
    pub hubs: u64,
}

/// A URL pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatternRow {
    /// Its number; 0 for one that is not yet in the database.
    pub id: i64,
    /// As people write it.
    pub pattern: String,
    /// Its pages have objects.
    pub wanted: bool,
    /// Recrawls fetch its pages.
    pub chosen: bool,
    /// Pages that it matched when it was made.
    pub pages: u64,
    /// Those with objects.
    pub yielding: u64,
    /// Different objects on them.
    pub objects: u64,
    /// Hub pages that lead to them.
    pub hubs: u64,
    /// When it was made.
    pub learned_at: i64,
    /// How it did in recrawls.
    pub watched: Watched,
}

/// How a pattern did in recrawls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watched {
    /// Fetches of its pages.
    pub fetches: u64,
    /// Those that failed.
    pub failures: u64,
    /// Those that brought an object.
    pub yields: u64,
    /// The reason to call it broken.
    pub alarm: Option<Alarm>,
    /// The state of its watch, as JSON.
    pub monitor: Option<String>,
}

/// Which patterns were chosen, and how good the choice is.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectionRow {
    /// When it was made.
    pub made_at: i64,
    /// The strategy.
    pub strategy: SelectionStrategy,
    /// For what.
    pub goal: String,
    /// How many patterns.
    pub patterns: u64,
    /// What a round costs, in pages.
    pub cost: f64,
    /// What no choice can beat.
    pub lower_bound: f64,
    /// How far the choice is from it.
    pub gap: f64,
    /// Objects on pages of chosen patterns.
    pub covered: f64,
    /// Objects on pages of any pattern.
    pub coverable: f64,
    /// The 95% interval of what is covered.
    pub interval: (f64, f64),
    /// Coverage against cost, as JSON.
    pub curve: String,
}

/// What a recrawl did at a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundRow {
    /// The recrawl.
    pub run: RunId,
    /// The site.
    pub site: SiteId,
    /// Its method.
    pub method: RoundMethod,
    /// Pages fetched.
    pub pages: u64,
    /// Those that the site said had not changed.
    pub unchanged: u64,
    /// Those that were read for their links.
    pub hubs: u64,
    /// Those that failed.
    pub failures: u64,
    /// Of their bodies.
    pub bytes: u64,
    /// Different objects on them.
    pub objects: u64,
    /// Those never seen before.
    pub new_objects: u64,
    /// Its outcome.
    pub state: RoundState,
}
