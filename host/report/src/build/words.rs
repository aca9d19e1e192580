//! Words that several parts of a report use.

use magpie_model::Alarm;
use magpie_rows::{LearnedSite, PatternRow, RoundMethod, StageRow};
use magpie_values::Timestamp;
use serde_json::Value;

use crate::format;
use crate::sentences;
use magpie_engine::learn::{SECONDS, StageOutcome};
use magpie_engine::recrawl::Step;

/// Returns the JSON that a stage kept.
pub(super) fn kept(row: &StageRow) -> Value {
    serde_json::from_str(&row.kept).unwrap_or_default()
}

/// Returns a sentence about a stage of learning. Rows of older versions keep a sentence instead of
/// an outcome.
pub(super) fn stage(row: &StageRow) -> String {
    match StageOutcome::of_row(row).filter(|_| row.sentence.is_empty()) {
        Some(outcome) => sentences::learn::stage(&outcome),
        None => row.sentence.clone(),
    }
}

/// Returns a sentence about a step of a recrawl. Accounts of older versions keep a sentence instead
/// of an outcome.
pub(super) fn step(step: &Step) -> String {
    match &step.outcome {
        Some(outcome) => sentences::recrawl::step(outcome),
        None => step.sentence.clone(),
    }
}

pub(super) fn seconds(row: &StageRow) -> f64 {
    kept(row)[SECONDS].as_f64().unwrap_or(0.0)
}

/// A site without the scheme that nearly all have.
pub(super) fn site(key: &str) -> String {
    key.strip_prefix("https://").unwrap_or(key).to_owned()
}

pub(super) fn named(learned: &LearnedSite) -> String {
    site(&learned.key)
}

/// A moment, to the minute.
pub(super) fn when(at: Timestamp) -> String {
    let moment = at.to_string();
    match moment.split_once('T') {
        Some((day, time)) if time.len() >= 5 && time.is_ascii() => format!("{day} {} UTC", &time[..5]),
        _ => moment,
    }
}

pub(super) fn method(method: RoundMethod) -> &'static str {
    match method {
        RoundMethod::Full => "full crawl",
        RoundMethod::AllPatterns => "all patterns",
        RoundMethod::Selective => "selective",
        RoundMethod::Levels => "by levels",
        RoundMethod::Watch => "watch",
    }
}

/// Explains an alarm, with the counts of all recrawls.
pub(super) fn alarm(alarm: Alarm, row: Option<&PatternRow>) -> String {
    let watched = row.map(|row| &row.watched).filter(|watched| watched.fetches > 0);
    let counted = |count: u64, what: &str| {
        let fetches = watched.map_or(0, |watched| watched.fetches);
        format!(
            ": {} of {} {what}",
            format::thousands(count),
            format::counted(fetches, "fetch", "fetches")
        )
    };
    match alarm {
        Alarm::Failures => {
            let count = watched.map(|watched| counted(watched.failures, "failed"));
            format!(
                "its pages fail more often than before{}",
                count.unwrap_or_default()
            )
        }
        Alarm::Yield => {
            let count = watched.map(|watched| counted(watched.yields, "brought an object"));
            format!(
                "its pages yield objects less often than before{}",
                count.unwrap_or_default()
            )
        }
    }
}
