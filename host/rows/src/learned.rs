//! Results of learning and of recrawls: the tables `stage`, `learned_site`, `pattern`, `selection`
//! and `round`.
//!
//! [`Learned`] reads them and [`LearnedStore`] writes them.

use magpie_model::Alarm;
use magpie_values::Timestamp;

use crate::error::StoreError;
use crate::hidden::SelectedQuery;
use crate::ids::{RunId, SiteId};
use crate::words::{RoundMethod, RoundState, SelectionStrategy};

/// Reads what was learned for verticals. The lists are of one vertical or one site, and short.
pub trait Learned {
    /// Returns the verticals that something was learned for, by name.
    fn learned_verticals(&self) -> Result<Vec<String>, StoreError>;

    /// Returns the stages that are done for a vertical, in the order they ended.
    fn stages(&self, vertical: &str) -> Result<Vec<StageRow>, StoreError>;

    /// Returns the sites that a vertical is collected from, those with most objects first.
    fn learned_sites(&self, vertical: &str) -> Result<Vec<LearnedSite>, StoreError>;

    /// Returns the patterns of a site, wanted ones first, those with most objects first.
    fn patterns(&self, vertical: &str, site: SiteId) -> Result<Vec<PatternRow>, StoreError>;

    fn selection(&self, vertical: &str) -> Result<Option<SelectionRow>, StoreError>;

    /// Returns what recrawls did, by run and site.
    fn rounds(&self, vertical: &str, of: RoundFilter) -> Result<Vec<RoundRow>, StoreError>;

    /// Returns how recrawls before one left a site, the last one first.
    fn states_before(&self, vertical: &str, site: SiteId, run: RunId) -> Result<Vec<RoundState>, StoreError> {
        let rounds = self.rounds(vertical, RoundFilter::Site(site))?;
        let before = rounds.into_iter().rev().filter(|round| round.run < run);
        Ok(before.map(|round| round.state).collect())
    }

    /// Returns when the last recrawl began that found the lists of a site gone.
    fn lists_gone_at(&self, vertical: &str, site: SiteId) -> Result<Option<Timestamp>, StoreError> {
        let rounds = self.rounds(vertical, RoundFilter::Site(site))?;
        let gone = rounds.iter().filter(|round| round.state == RoundState::Gone);
        Ok(gone.map(|round| round.began_at).max())
    }
}

/// Writes what was learned. Each call is one transaction: a site has all of its new patterns or its
/// old ones.
pub trait LearnedStore: Learned {
    /// Keeps the outcome of a stage in place of the one before, and forgets stages that are to be
    /// done again.
    fn put_stage(&self, stage: StageRow, forget: &[&str]) -> Result<(), StoreError>;

    /// Keeps a site with its patterns in place of those before. A pattern that the site had already
    /// keeps its number and the counts of its recrawls.
    fn put_patterns(
        &self,
        vertical: &str,
        site: LearnedSite,
        patterns: Vec<PatternRow>,
    ) -> Result<(), StoreError>;

    /// Forgets a site of a vertical. Its pages and objects stay.
    fn forget_site(&self, vertical: &str, site: SiteId) -> Result<(), StoreError>;

    /// Keeps a selection in place of the one before, and for each pattern, by site and pattern, the
    /// number of hubs that lead to it, and `true` if it is chosen. Patterns that are not named are
    /// not chosen. The queries are those of all sites that are asked in every round.
    fn put_selection(
        &self,
        vertical: &str,
        selection: SelectionRow,
        patterns: Vec<(SiteId, String, u64, bool)>,
        queries: Vec<SelectedQuery>,
    ) -> Result<(), StoreError>;

    /// Keeps the number of hub pages in the navigation of a site.
    fn put_hubs(&self, vertical: &str, site: SiteId, hubs: u64) -> Result<(), StoreError>;

    /// Keeps what a recrawl did at a site, and how patterns of the site did in recrawls.
    fn put_round(&self, vertical: &str, round: RoundRow, patterns: Vec<PatternRow>)
    -> Result<(), StoreError>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoundFilter {
    All,
    /// Those of a recrawl.
    Run(RunId),
    Site(SiteId),
}

/// The result of a stage of learning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageRow {
    pub vertical: String,
    pub name: String,
    pub ended_at: Timestamp,
    /// The result and its reasons, in a sentence.
    pub sentence: String,
    /// The state from which later stages continue, as JSON.
    pub kept: String,
}

/// A site that a vertical is collected from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LearnedSite {
    pub site: SiteId,
    /// Its key; read, and not written.
    pub key: String,
    /// The URL that recrawls begin with.
    pub entry: String,
    /// When its patterns were made.
    pub learned_at: Timestamp,
    /// Pages known then.
    pub pages: u64,
    /// Those with objects.
    pub yielding: u64,
    /// Different objects on them.
    pub objects: u64,
    /// Hub pages of its navigation.
    pub hubs: u64,
}

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
    pub learned_at: Timestamp,
    /// Its results in recrawls.
    pub watched: Watched,
}

/// The results of a pattern in recrawls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watched {
    pub fetches: u64,
    pub failures: u64,
    /// Those that brought an object.
    pub yields: u64,
    /// The reason to call it broken.
    pub alarm: Option<Alarm>,
    /// The state of its watch, as JSON.
    pub monitor: Option<String>,
}

/// Chosen patterns, and the quality of the choice.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectionRow {
    pub made_at: Timestamp,
    pub strategy: SelectionStrategy,
    pub goal: String,
    pub patterns: u64,
    /// Cost of a round, in pages.
    pub cost: f64,
    /// Lower bound for any selection.
    pub lower_bound: f64,
    /// Distance of the selection from the bound.
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

/// The result of a recrawl at a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundRow {
    pub run: RunId,
    /// When it began; read, and not written.
    pub began_at: Timestamp,
    pub site: SiteId,
    pub method: RoundMethod,
    pub pages: u64,
    /// Those that the site answered with "not modified".
    pub unchanged: u64,
    /// Those that were read for their links.
    pub hubs: u64,
    pub failures: u64,
    /// Bytes of their bodies.
    pub bytes: u64,
    /// Different objects on them.
    pub objects: u64,
    pub new_objects: u64,
    /// Current objects of the site after it.
    pub current_objects: u64,
    pub state: RoundState,
}
