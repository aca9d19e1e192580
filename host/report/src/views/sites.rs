//! The sites that a vertical is collected from.

use magpie_engine::site::{SiteFigures, View};
use magpie_rows::{CoverageRow, Filled, LearnedSite, RoundRow, RoundState};
use magpie_values::Timestamp;
use serde_json::{Value, json};

use crate::sentences::figures::warnings_json;

/// The state of a learned site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SiteState {
    /// Its navigation can't be read, so rounds skip it.
    InvalidNavigation,
    /// Its last round went as it should, or it had none yet.
    Fine,
    /// Fewer records have a value of these attributes than when it was learned.
    FewerValues(Vec<String>),
    /// Its last round ended like this.
    Failed(RoundState),
    /// Its last round ended like this, and it was learned again.
    Repaired(RoundState),
    /// Other sites have its objects for less.
    NotChosen,
}

impl SiteState {
    /// Returns the state of a site. `last` is its last round, and `began` the beginning of the run
    /// that the round belongs to; `coverage` is that of all sites.
    pub fn of(
        view: &View<'_>,
        site: &LearnedSite,
        last: Option<&RoundRow>,
        began: Option<Timestamp>,
        coverage: &[CoverageRow],
    ) -> SiteState {
        if view.check_navigation(site).is_err() {
            return SiteState::InvalidNavigation;
        }
        // A site that was learned again in its last round is repaired, whatever that round met.
        let is_mended = began.is_some_and(|began| site.learned_at >= began);
        match last.map(|round| round.state) {
            Some(RoundState::Done) => {
                let own = coverage.iter().filter(|row| row.site == site.site);
                let fallen = own.filter(|row| row.fell_at.is_some());
                let fallen: Vec<String> = fallen.map(|row| row.attribute.clone()).collect();
                match fallen.is_empty() {
                    true => SiteState::Fine,
                    false => SiteState::FewerValues(fallen),
                }
            }
            Some(state) if is_mended => SiteState::Repaired(state),
            Some(state) => SiteState::Failed(state),
            None if site.hubs == 0 => SiteState::NotChosen,
            None => SiteState::Fine,
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
            SiteState::Failed(state) => state.as_str().to_owned(),
            SiteState::Repaired(state) => format!("was {state}, learned again"),
            SiteState::NotChosen => "not chosen: others have its objects for less".to_owned(),
        }
    }
}

/// Returns the cause of the state of a round, in words.
pub fn cause(state: RoundState) -> &'static str {
    match state {
        RoundState::Done => "nothing has to be repaired",
        RoundState::Blocked => "it does not answer: it is down or blocks us",
        RoundState::Forbidden => "its robots.txt forbids the planned pages",
        RoundState::Broken => "its pages no longer bring what they did",
        RoundState::Gone => "most of its list pages are gone or lead to nothing",
    }
}

/// Returns a learned site with its figures and rounds as JSON.
pub fn site_json(
    vertical: &str,
    site: &LearnedSite,
    figures: Option<&SiteFigures>,
    rounds: &[RoundRow],
    coverage: &[CoverageRow],
) -> Value {
    let fields = coverage.iter().filter(|row| row.site == site.site);
    let own = rounds.iter().filter(|round| round.site == site.site);
    let read = figures.map(|figures| &figures.coverage);
    json!({
        "fields": fields.map(field_json).collect::<Vec<_>>(),
        "known_pages": read.map(|read| read.known_pages),
        "unfetched_pages": read.map(|read| read.unfetched_pages),
        "lookalike_pages": read.map(|read| read.lookalike_pages),
        "expected_objects": read.and_then(|read| read.estimate),
        "warnings": figures.map(warnings_json),
        "vertical": vertical, "site": site.key, "entry": site.entry,
        "learned_at": site.learned_at.to_string(), "pages": site.pages, "yielding": site.yielding,
        "objects": site.objects, "hubs": site.hubs, "rounds": own.map(round_json).collect::<Vec<_>>(),
    })
}

/// Returns a site that was named and not learned as JSON.
pub fn begun_json(vertical: &str, key: &str) -> Value {
    json!({"vertical": vertical, "site": key, "learned_at": null})
}

/// Returns the coverage of an attribute as JSON.
fn field_json(row: &CoverageRow) -> Value {
    json!({
        "attribute": row.attribute, "learned": filled_json(row.learned), "last": filled_json(row.last),
        "fell_at": row.fell_at.map(|at| at.to_string()),
    })
}

/// Returns a number of records, and of those with a value, as JSON.
pub fn filled_json(filled: Filled) -> Value {
    json!({"filled": filled.filled, "records": filled.records})
}

fn round_json(round: &RoundRow) -> Value {
    json!({
        "run": round.run.0, "method": round.method, "pages": round.pages, "unchanged": round.unchanged,
        "hubs": round.hubs, "failures": round.failures, "bytes": round.bytes, "objects": round.objects,
        "new_objects": round.new_objects, "state": round.state,
    })
}
