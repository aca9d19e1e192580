//! Sites, how they are walked, and their patterns.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Site {
    pub name: String,
    pub pages_known: u64,
    pub pages_fetched: u64,
    pub objects: u64,
    /// Objects that were not known before this run.
    pub new_objects: u64,
    pub patterns_selected: u64,
    pub patterns: u64,
    /// Pages that are fetched for their links.
    pub hub_pages: u64,
    /// Pages that gave trouble in this run.
    pub problems: u64,
    pub state: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SiteMap {
    pub site: String,
    /// Name of the state in which the walk starts. If no state has this name, it is shown as a page
    /// of its own that leads to all states without another way in.
    pub entry: String,
    /// Objects found on all its pages, each counted once.
    pub objects: u64,
    /// The kinds of pages that are walked.
    pub states: Vec<MapState>,
}

/// A kind of pages within a walk.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MapState {
    pub name: String,
    pub role: Role,
    pub patterns: Vec<String>,
    /// Pages of it that are known.
    pub pages_seen: u64,
    /// Pages of it fetched in this run.
    pub pages_fetched: u64,
    pub objects: u64,
    /// The names of the states that its pages lead to; its own name where it turns pages.
    pub next: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    #[default]
    Hub,
    Object,
    /// They are fetched for both.
    Both,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pattern {
    /// The pattern as people write it.
    pub readable: String,
    /// The same as a regular expression.
    pub regex: String,
    pub site: String,
    /// Pages that it matches.
    pub pages: u64,
    pub objects: u64,
    /// Objects that were not known before this run.
    pub new_objects: u64,
    /// True if its pages are fetched.
    pub is_selected: bool,
    /// Reason for its selection, or against it.
    pub reason: String,
    pub objects_per_page: f64,
    /// The share of its pages that gave trouble.
    pub failure_share: f64,
    /// Its alarm, if any.
    pub alarm: Option<String>,
    /// Some of the objects on its pages.
    pub samples: Vec<Sample>,
}

/// An object as a sample.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sample {
    pub label: String,
    /// Labels and values of its most informative attributes.
    pub attributes: Vec<(String, String)>,
    /// A page that has it.
    pub page: String,
}
