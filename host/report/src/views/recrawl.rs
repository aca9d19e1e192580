//! The outcome of a recrawl.

use std::path::PathBuf;

use magpie_engine::recrawl::{CoverageFall, RecrawlOutcome, Repaired, SiteOutcome};
use magpie_patterns::drift::Relearn;
use magpie_rows::{RoundMethod, RoundState};
use schemars::JsonSchema;
use serde::Serialize;

use super::sites::FilledView;
use crate::Figures;

/// The outcome of a recrawl for a site.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SiteOutcomeLine {
    /// Key of the site.
    site: String,
    /// Number of fetched pages.
    pages: u64,
    /// Number of fetched hubs.
    hubs: u64,
    /// Number of pages that had not changed.
    unchanged: u64,
    /// Number of failed fetches.
    failures: u64,
    /// Bytes received.
    bytes: u64,
    /// Number of objects on the pages.
    objects: u64,
    /// Number of objects first seen.
    new_objects: u64,
    /// State of the site; see [codes](reference/codes.md).
    state: RoundState,
    /// Patterns that are considered broken.
    alarms: Vec<AlarmView>,
    /// Attributes of which the site has fewer values than when it was learned.
    fell: Vec<FallView>,
    /// Part of the site that has to be learned again.
    relearn: Option<RelearnView>,
    /// Kinds of pages without a pattern, to which lists link.
    unknown: Vec<UnknownView>,
    /// New pages that were not fetched, because the round had come to its ceiling
    /// (`recrawl.share`).
    left_over: usize,
}

impl From<&SiteOutcome> for SiteOutcomeLine {
    fn from(site: &SiteOutcome) -> SiteOutcomeLine {
        let round = &site.round;
        let alarm = |(pattern, alarm): &(_, _)| AlarmView::new(pattern, alarm);
        SiteOutcomeLine {
            site: site.key.clone(),
            pages: round.pages,
            hubs: round.hubs,
            unchanged: round.unchanged,
            failures: round.failures,
            bytes: round.bytes,
            objects: round.objects,
            new_objects: round.new_objects,
            state: round.state,
            alarms: site.alarms.iter().map(alarm).collect(),
            fell: site.falls.iter().map(FallView::from).collect(),
            relearn: match &site.relearn {
                Relearn::Nothing => None,
                Relearn::Folders(folders) => Some(RelearnView::Folders(folders.clone())),
                Relearn::Site => Some(RelearnView::Site(SiteWord::Site)),
            },
            unknown: site
                .shapes
                .iter()
                .map(|shape| UnknownView {
                    pattern: shape.pattern.to_string(),
                    urls: shape.urls.len(),
                })
                .collect(),
            left_over: site.left_over,
        }
    }
}

/// A pattern that is considered broken.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "PatternAlarm")]
pub struct AlarmView {
    /// The pattern.
    pattern: String,
    /// Reason; see [codes](reference/codes.md).
    alarm: String,
}

impl AlarmView {
    fn new(pattern: &impl ToString, alarm: &impl ToString) -> AlarmView {
        AlarmView {
            pattern: pattern.to_string(),
            alarm: alarm.to_string(),
        }
    }
}

/// An attribute of which a site has fewer values than when it was learned.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "CoverageFall")]
pub struct FallView {
    /// Name of the attribute.
    attribute: String,
    /// Records when the site was learned.
    learned: FilledView,
    /// Records of the last rounds.
    last: FilledView,
}

impl From<&CoverageFall> for FallView {
    fn from(fall: &CoverageFall) -> FallView {
        FallView {
            attribute: fall.attribute.clone(),
            learned: fall.learned.into(),
            last: fall.last.into(),
        }
    }
}

/// The part of a site that has to be learned again: the folders, or `site` for all of it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub enum RelearnView {
    /// The whole site.
    Site(SiteWord),
    /// Some folders.
    Folders(Vec<String>),
}

/// The word for a whole site.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum SiteWord {
    /// The whole site.
    Site,
}

/// Pages of a kind without a pattern.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "UnknownPages")]
pub struct UnknownView {
    /// Pattern of their URLs.
    pattern: String,
    /// Number of URLs.
    urls: usize,
}

/// The outcome of a recrawl, in the last line. The [glossary](glossary.md#figures) defines the
/// figures.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RecrawlLine {
    /// Number of the run.
    run: i64,
    /// Method of the round.
    method: RoundMethod,
    /// Number of sites.
    sites: usize,
    /// Number of fetched pages.
    pages: u64,
    /// Bytes received.
    bytes: u64,
    /// Number of objects first seen.
    new_objects: u64,
    /// Number of known HTML pages.
    known_pages: u64,
    /// Number of pages that the round was to fetch.
    promised_pages: u64,
    /// Maximum number of pages that the round could fetch, with new ones; null without a ceiling.
    most_pages: Option<u64>,
    /// Number of pages that the round fetched, without repairs.
    round_fetched_pages: u64,
    /// Number of requests.
    requests: u64,
    /// Number of pages of unknown kinds that were fetched.
    explored: u64,
    /// Sites that were learned again.
    repaired: Vec<Repaired>,
    /// Path of the report; null if it could not be written.
    report: Option<PathBuf>,
    /// Sites without a round, each with the reason as a sentence.
    left_out: Vec<String>,
    /// Figures of the run.
    figures: Figures,
}

impl RecrawlLine {
    pub fn new(outcome: &RecrawlOutcome, figures: &Figures, report: Option<PathBuf>) -> RecrawlLine {
        RecrawlLine {
            run: outcome.run.0,
            method: outcome.method,
            sites: outcome.recorded.sites.len(),
            pages: figures.fetched_pages,
            bytes: figures.bytes,
            new_objects: figures.new_objects,
            known_pages: figures.known_pages,
            promised_pages: outcome.promised,
            most_pages: outcome.most,
            round_fetched_pages: outcome.fetched,
            requests: outcome.crawled.progress.requests,
            explored: outcome.explored,
            repaired: outcome.repaired.clone(),
            report,
            left_out: outcome.left_out.clone(),
            figures: figures.clone(),
        }
    }
}
