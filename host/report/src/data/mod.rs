//! The data of a report: plain values that any front end can fill in, store as JSON and render
//! later.
//!
//! All parts may be absent from JSON; absent parts are not shown. Shares are from 0 to 1, times are
//! in seconds.

mod figures;
mod site;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use figures::{Expected, Figure, FigureValue, Figures};
pub use site::{MapState, Pattern, Role, Sample, Site, SiteMap};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Report {
    pub head: Head,
    /// Notices, the most severe first.
    pub notices: Vec<Notice>,
    /// Ways to crawl the same sites beside each other.
    pub methods: Vec<Method>,
    /// Chosen patterns, and the quality of the choice.
    pub selection: Option<Selection>,
    /// The stages, in order.
    pub stages: Vec<Stage>,
    /// The sites, in any order.
    pub sites: Vec<Site>,
    /// Navigations of sites, the most important first.
    pub maps: Vec<SiteMap>,
    /// The patterns, in any order.
    pub patterns: Vec<Pattern>,
    /// Changes of the sites, and reactions to them.
    pub drift: Drift,
    /// Pages that gave trouble, site by site.
    pub problems: Vec<Problem>,
    /// All figures of the run, under their names.
    pub figures: Option<Figures>,
}

/// A page that gave trouble.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Problem {
    pub site: String,
    /// The page, without its site.
    pub page: String,
    pub what: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Head {
    pub title: String,
    /// The command: `learn`, `recrawl`.
    pub run: String,
    pub vertical: String,
    pub vertical_version: String,
    pub workspace: String,
    /// When the run began, as text.
    pub when: String,
    pub program_version: String,
    /// Duration in seconds.
    pub seconds: f64,
}

/// A sentence that a person should read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Notice {
    /// Its severity.
    pub level: Level,
    /// The sentence.
    pub sentence: String,
}

/// Severity of a notice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Level {
    /// Good to know.
    #[default]
    Note,
    /// Worth a look.
    Warning,
    /// Something is wrong or missing.
    Problem,
}

/// A way to crawl, and what it costs and brings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Method {
    pub name: String,
    /// Remark on its figures: their time, or that they are estimates.
    pub note: String,
    /// Patterns that it follows.
    pub patterns: u64,
    /// Pages that it downloads, hubs with them.
    pub pages: u64,
    /// Bytes that it downloads.
    pub bytes: u64,
    /// Distinct objects that it finds.
    pub distinct_objects: u64,
    /// Number of previously unknown objects, if meaningful.
    pub new_objects: Option<u64>,
    /// Number of correct ones among them, if the truth is known.
    pub correct_objects: Option<u64>,
    /// Its pages as a share of all pages.
    pub share_of_pages: f64,
    /// Its objects as a share of all objects found so far.
    pub share_of_objects: f64,
    /// The 95% interval of the share of objects, where one is known.
    pub share_of_objects_interval: Option<(f64, f64)>,
    /// True if it is the method of this run.
    pub is_this_run: bool,
}

/// Chosen patterns, and the quality of the choice.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Selection {
    pub strategy: String,
    pub goal: String,
    pub chosen_patterns: u64,
    pub all_patterns: u64,
    /// Cost of the chosen patterns, in pages of an average week: their pages as often as they are
    /// due, the hubs that lead to them, and overheads. A round fetches another number.
    pub cost: f64,
    /// The cost below which no selection reaches the goal, where the goal is coverage.
    pub lower_bound: Option<f64>,
    /// The objects above which no selection gets, where the goal is a number of pages.
    pub upper_bound: Option<f64>,
    /// Distance of the selection from its bound, as a share of it.
    pub gap: Option<f64>,
    /// Objects that are covered; expected ones where they are uncertain.
    pub covered: f64,
    /// Objects that could be covered.
    pub coverable: f64,
    /// The 95% interval of the objects covered.
    pub interval: Option<(f64, f64)>,
    /// Coverage by the number of selected patterns.
    pub curve: Vec<CurvePoint>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CurvePoint {
    /// Patterns chosen so far.
    pub patterns: u64,
    /// Their cost.
    pub cost: f64,
    /// Objects that they cover.
    pub covered: f64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Stage {
    pub name: String,
    /// Duration in seconds.
    pub seconds: f64,
    pub sentence: String,
}

/// Changes of the sites, and reactions to them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Drift {
    /// The alarms that stand or stood in this run.
    pub alarms: Vec<Alarm>,
    /// Sites that were learned again.
    pub relearned: Vec<Relearned>,
}

/// A pattern that no longer does what it did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Alarm {
    pub site: String,
    pub pattern: String,
    /// Since when, as text.
    pub since: String,
    pub sentence: String,
}

/// A site that was learned again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Relearned {
    pub site: String,
    /// The whole site, or which folder of it.
    pub what: String,
    pub sentence: String,
}
