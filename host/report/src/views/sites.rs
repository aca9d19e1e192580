//! The sites that a vertical is collected from.

use std::collections::BTreeMap;

use magpie_engine::recrawl::{Account, DriedUp, RepairedSite};
use magpie_engine::site::{SiteFigures, View};
use magpie_model::json::{Address, Time};
use magpie_patterns::coverage::Estimate;
use magpie_rows::{
    CoverageRow, Filled, LearnedSite, RoundFilter, RoundMethod, RoundRow, RoundState, RunId, SiteId,
    StoreError,
};
use magpie_values::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::figures::Warning;
use crate::sentences::recrawl::learned_again;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SiteState {
    /// Its navigation can't be read, so rounds skip it.
    InvalidNavigation,
    /// Its last round went as it should, or it had none yet.
    Fine,
    /// Fewer records have a value of these attributes than when it was learned.
    FewerValues(Vec<String>),
    /// Few of its objects are current.
    Dry(DriedUp),
    Failed(RoundState),
    /// Its last round ended like this, and it was learned again.
    Repaired(LearnedAgain),
    /// Other sites have its objects for less.
    NotChosen,
}

/// A site that was learned again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LearnedAgain {
    /// The state in which its last round found it.
    was: RoundState,
    /// The repair in that round; none if it was learned by a person.
    by: Option<RepairedSite>,
}

impl SiteState {
    /// Returns the state of a site. `rounds` are its rounds, and `began` the beginning of the run
    /// that the last one belongs to; `coverage` is that of all sites.
    pub fn of(
        view: &View<'_>,
        site: &LearnedSite,
        rounds: &[RoundRow],
        began: Option<Timestamp>,
        coverage: &[CoverageRow],
    ) -> SiteState {
        if view.check_navigation(site).is_err() {
            return SiteState::InvalidNavigation;
        }
        // A site that was learned again in its last round is repaired, whatever that round met.
        let is_mended = began.is_some_and(|began| site.learned_at >= began);
        match rounds.last().map(|round| round.state) {
            Some(RoundState::Done) => {
                let own = coverage.iter().filter(|row| row.site == site.site);
                let fallen = own.filter(|row| row.fell_at.is_some());
                let fallen: Vec<String> = fallen.map(|row| row.attribute.clone()).collect();
                match DriedUp::of(rounds) {
                    Some(dry) => SiteState::Dry(dry),
                    None if fallen.is_empty() => SiteState::Fine,
                    None => SiteState::FewerValues(fallen),
                }
            }
            Some(was) if is_mended => SiteState::Repaired(LearnedAgain {
                was,
                by: repair(view, site, rounds.last()),
            }),
            Some(state) => SiteState::Failed(state),
            None if site.hubs == 0 => SiteState::NotChosen,
            None => SiteState::Fine,
        }
    }

    /// Returns true if a person should look at the site.
    pub fn is_failing(&self) -> bool {
        match self {
            SiteState::InvalidNavigation
            | SiteState::FewerValues(_)
            | SiteState::Dry(_)
            | SiteState::Failed(_) => true,
            SiteState::Fine | SiteState::Repaired(_) | SiteState::NotChosen => false,
        }
    }

    /// Returns the state in words; nothing for a site that does as it should.
    pub fn sentence(&self) -> String {
        match self {
            SiteState::InvalidNavigation => {
                "skipped: its navigation is invalid; run `magpie recrawl` for the cause".to_owned()
            }
            SiteState::Fine => String::new(),
            SiteState::FewerValues(attributes) => format!("fewer values of {}", attributes.join(", ")),
            SiteState::Dry(DriedUp { last, most }) => {
                format!("drying up: current objects fell from {most} to {last}")
            }
            SiteState::Failed(state) => format!("{state}: {}", cause(*state)),
            SiteState::Repaired(again) => {
                let repair = again.by.as_ref();
                let repair = repair.map(|repair| (&repair.folders[..], repair.pages));
                learned_again(again.was.as_str(), repair)
            }
            SiteState::NotChosen => "not chosen: others have its objects for less".to_owned(),
        }
    }
}

/// A learned site with its rounds and its state: the verdict on it that all commands and pages
/// give.
#[derive(Clone, Debug)]
pub struct SiteHealth {
    /// Name of the vertical.
    pub vertical: String,
    pub site: LearnedSite,
    /// Its rounds, the oldest first.
    pub rounds: Vec<RoundRow>,
    pub state: SiteState,
    /// Number of objects that were found on it, as a search for the site counts them.
    pub objects: u64,
}

impl SiteHealth {
    /// Reads the sites of a vertical that are wanted. What all of them share is read once, since
    /// there may be thousands.
    pub fn read(
        view: &View<'_>,
        is_wanted: impl Fn(&LearnedSite) -> bool,
    ) -> Result<Vec<SiteHealth>, StoreError> {
        let reader = view.reader;
        let mut sites = reader.learned_sites(view.vertical)?;
        sites.retain(is_wanted);
        if sites.is_empty() {
            return Ok(Vec::new());
        }
        let began: BTreeMap<RunId, Timestamp> = reader
            .runs()?
            .into_iter()
            .map(|run| (run.id, run.started_at))
            .collect();
        let mut rounds: BTreeMap<SiteId, Vec<RoundRow>> = BTreeMap::new();
        for round in reader.rounds(view.vertical, RoundFilter::All)? {
            rounds.entry(round.site).or_default().push(round);
        }
        let coverage = reader.field_coverage(view.vertical, None)?;
        let keys: Vec<&str> = sites.iter().map(|site| site.key.as_str()).collect();
        let objects = reader.objects_of_sites(view.vertical, &keys)?;
        let health = |(site, objects): (LearnedSite, u64)| {
            let rounds = rounds.remove(&site.site).unwrap_or_default();
            let began = rounds.last().and_then(|round| began.get(&round.run).copied());
            SiteHealth {
                state: SiteState::of(view, &site, &rounds, began, &coverage),
                vertical: view.vertical.to_owned(),
                rounds,
                site,
                objects,
            }
        };
        Ok(sites.into_iter().zip(objects).map(health).collect())
    }
}

/// Returns the repair of a site in its last round, if there was one.
fn repair(view: &View<'_>, site: &LearnedSite, last: Option<&RoundRow>) -> Option<RepairedSite> {
    let account = Account::read(view.reader, view.vertical, last?.run).ok()?;
    account
        .repaired
        .into_iter()
        .find(|repaired| repaired.site == site.key)
}

/// Returns the cause of the state of a round, in words.
fn cause(state: RoundState) -> &'static str {
    match state {
        RoundState::Done => "nothing has to be repaired",
        RoundState::Blocked => "it does not answer: it is down or blocks us",
        RoundState::Forbidden => "its robots.txt forbids the planned pages",
        RoundState::Broken => "its pages no longer bring what they did",
        RoundState::Gone => "most of its list pages are gone or lead to nothing",
    }
}

/// A learned site.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SiteLine {
    /// Name of the vertical.
    vertical: String,
    /// Key of the site.
    site: String,
    /// URL where the crawl of the site begins.
    entry: Address,
    /// Time when it was learned.
    learned_at: Time,
    /// Number of pages that were fetched to learn it.
    pages: u64,
    /// Number of them with objects.
    yielding: u64,
    /// State in words, empty if the site does as it should.
    state: String,
    /// Number of objects that were found on the site.
    objects: u64,
    /// Number of hubs that rounds fetch.
    hubs: u64,
    /// Number of known HTML pages.
    known_pages: Option<u64>,
    /// Number of known pages that were never fetched.
    unfetched_pages: Option<u64>,
    /// Number of unfetched pages of forms whose fetched pages have objects.
    lookalike_pages: Option<u64>,
    /// Objects expected on all known pages; null if too little was fetched.
    expected_objects: Option<Estimate>,
    /// Reasons to distrust the objects.
    warnings: Option<Vec<Warning>>,
    /// Attributes, and the share of records with a value.
    fields: Vec<FieldView>,
    /// Rounds, the oldest first.
    rounds: Vec<RoundView>,
}

impl SiteLine {
    /// Describes a learned site with its figures and rounds.
    pub fn new(health: &SiteHealth, figures: Option<&SiteFigures>, coverage: &[CoverageRow]) -> SiteLine {
        let site = &health.site;
        let fields = coverage.iter().filter(|row| row.site == site.site);
        let read = figures.map(|figures| &figures.coverage);
        SiteLine {
            vertical: health.vertical.clone(),
            site: site.key.clone(),
            entry: Address::new(&site.entry),
            learned_at: site.learned_at.into(),
            pages: site.pages,
            yielding: site.yielding,
            state: health.state.sentence(),
            objects: health.objects,
            hubs: site.hubs,
            known_pages: read.map(|read| read.known_pages),
            unfetched_pages: read.map(|read| read.unfetched_pages),
            lookalike_pages: read.map(|read| read.lookalike_pages),
            expected_objects: read.and_then(|read| read.estimate),
            warnings: figures.map(Warning::of),
            fields: fields.map(FieldView::from).collect(),
            rounds: health.rounds.iter().map(RoundView::from).collect(),
        }
    }
}

/// A site that was named and not learned.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BegunSiteLine {
    /// Name of the vertical.
    pub vertical: String,
    /// Key of the site.
    pub site: String,
    /// Null.
    pub learned_at: (),
}

impl BegunSiteLine {
    /// Describes a site that was named and not learned.
    pub fn new(vertical: &str, key: &str) -> BegunSiteLine {
        BegunSiteLine {
            vertical: vertical.to_owned(),
            site: key.to_owned(),
            learned_at: (),
        }
    }
}

/// A site that was dropped with `--drop`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DroppedSiteLine {
    /// Name of the vertical.
    pub vertical: String,
    /// Key of the site.
    pub site: String,
    /// True.
    pub dropped: bool,
}

/// A site that was returned to an earlier selection with `--undo`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UndoneSiteLine {
    /// Name of the vertical.
    pub vertical: String,
    /// Key of the site.
    pub site: String,
    /// Number of patterns that are selected now.
    pub patterns: usize,
    /// True.
    pub undone: bool,
}

/// The effect of `--pause` or `--resume`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PausedSiteLine {
    /// Key of the site, null for all sites.
    pub site: Option<String>,
    /// True if a watch fetches nothing there until it is resumed.
    pub paused: bool,
}

/// An attribute, and the records of a site that have a value of it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Field")]
pub struct FieldView {
    /// Name of the attribute.
    attribute: String,
    /// Records when the site was learned.
    learned: FilledView,
    /// Records on all pages as they stand.
    last: FilledView,
    /// Time when fewer records began to have a value, or null.
    fell_at: Option<Time>,
}

impl From<&CoverageRow> for FieldView {
    fn from(row: &CoverageRow) -> FieldView {
        FieldView {
            attribute: row.attribute.clone(),
            learned: row.learned.into(),
            last: row.last.into(),
            fell_at: row.fell_at.map(Time::from),
        }
    }
}

/// Records, and those of them with a value.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Filled")]
pub struct FilledView {
    /// Number of records with a value.
    filled: u64,
    /// Number of records.
    records: u64,
}

impl From<Filled> for FilledView {
    fn from(filled: Filled) -> FilledView {
        FilledView {
            filled: filled.filled,
            records: filled.records,
        }
    }
}

/// A round of a site.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Round")]
pub struct RoundView {
    /// Number of the run.
    run: i64,
    /// Method of the round.
    method: RoundMethod,
    /// Number of fetched pages.
    pages: u64,
    /// Number of pages that had not changed.
    unchanged: u64,
    /// Number of fetched hubs.
    hubs: u64,
    /// Number of failed fetches.
    failures: u64,
    /// Bytes received.
    bytes: u64,
    /// Number of objects on the pages.
    objects: u64,
    /// Number of objects first seen.
    new_objects: u64,
    /// Number of current objects of the site after the round.
    current_objects: u64,
    /// State of the site after the round; see [codes](reference/codes.md).
    state: RoundState,
}

impl From<&RoundRow> for RoundView {
    fn from(round: &RoundRow) -> RoundView {
        RoundView {
            run: round.run.0,
            method: round.method,
            pages: round.pages,
            unchanged: round.unchanged,
            hubs: round.hubs,
            failures: round.failures,
            bytes: round.bytes,
            objects: round.objects,
            new_objects: round.new_objects,
            current_objects: round.current_objects,
            state: round.state,
        }
    }
}
