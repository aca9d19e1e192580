//! The account of a recrawl: facts about it that no other table has.
//!
//! It is kept as the stages of learning are, so that the report can be written again and later
//! rounds can compare.

use magpie_model::{Alarm, word_or_empty};
use magpie_rows::{ReadStore, RoundMethod, RunId, StageRow, StoreError};
use magpie_values::Timestamp;
use serde::{Deserialize, Serialize};

use super::{RecrawlOutcome, StepOutcome};

/// Accounts are stages with this name and the number of their run.
const NAME: &str = "recrawl-";

/// Unknown kinds of pages of a site that are named.
const MAX_UNKNOWN: usize = 50;

/// The account of a recrawl.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Account {
    /// The number of its run.
    pub run: i64,
    /// Its method; none for a run without an account.
    #[serde(with = "word_or_empty")]
    pub method: Option<RoundMethod>,
    /// The moment by which it judged what is due.
    #[serde(with = "millis")]
    pub now: Timestamp,
    /// Pages that all its sites were known to have.
    pub known: u64,
    /// Pages of unknown kinds that were fetched.
    pub explored: u64,
    /// Pages that it was to fetch; none in accounts of older versions.
    pub promised: Option<u64>,
    /// Maximum number of pages it could fetch, including new pages; `None` without a ceiling.
    pub most: Option<u64>,
    /// Pages of the dry walk before it.
    pub walked: u64,
    /// Pages that it fetched, without those of repairs.
    pub fetched: u64,
    /// Pages that the round after it fetches, as of its end.
    pub next: Option<u64>,
    /// The objects that it keeps up with.
    #[serde(flatten)]
    pub kept: KeptUp,
    /// The steps, in their order.
    pub steps: Vec<Step>,
    /// Patterns whose watch gave an alarm.
    pub alarms: Vec<Alarmed>,
    /// Kinds of pages that nothing was known of.
    pub unknown: Vec<UnknownPages>,
    /// Sites that were learned again.
    pub repaired: Vec<RepairedSite>,
}

/// The objects that a recrawl keeps up with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct KeptUp {
    /// Objects of interest on pages that it fetched, or would have fetched if they were due.
    pub kept_up: u64,
    /// Objects of interest over all.
    pub current: u64,
}

/// A step of a recrawl.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Step {
    /// The name of the step, as in [`StepOutcome::name`].
    pub name: String,
    /// The seconds that it took.
    pub seconds: f64,
    /// A sentence about it, in accounts of older versions.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub sentence: String,
    /// Its outcome; none in accounts of older versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<StepOutcome>,
}

/// A pattern whose watch gave an alarm.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Alarmed {
    /// The site's key.
    pub site: String,
    /// The URL pattern.
    pub pattern: String,
    /// The quantity that changed.
    pub alarm: Alarm,
}

/// A kind of pages that nothing was known of.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct UnknownPages {
    /// The site's key.
    pub site: String,
    /// The pattern of their URLs.
    pub pattern: String,
    /// URLs of that pattern.
    pub urls: u64,
    /// Hubs that link to them.
    pub hubs: u64,
}

/// A site that was learned again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RepairedSite {
    /// The site's key.
    pub site: String,
    /// The folders below which it was learned again; none for the whole site.
    pub folders: Vec<String>,
    /// Pages that it took.
    pub pages: u64,
    /// No object was found there any more.
    pub in_vain: bool,
}

impl Account {
    /// The account of a recrawl that judged what is due by a moment.
    pub fn of(outcome: &RecrawlOutcome, now: Timestamp) -> Account {
        let steps = outcome.steps.iter().map(|(step, seconds)| Step {
            name: step.name().to_owned(),
            seconds: *seconds,
            sentence: String::new(),
            outcome: Some(step.clone()),
        });
        let mut account = Account {
            run: outcome.run.0,
            method: Some(outcome.method),
            now,
            known: outcome.known as u64,
            explored: outcome.explored,
            promised: Some(outcome.promised),
            most: outcome.most,
            walked: outcome.walked,
            fetched: outcome.fetched,
            next: outcome.next,
            steps: steps.collect(),
            ..Account::default()
        };
        for site in &outcome.recorded.sites {
            let alarms = site.alarms.iter().map(|(pattern, alarm)| Alarmed {
                site: site.key.clone(),
                pattern: pattern.clone(),
                alarm: *alarm,
            });
            account.alarms.extend(alarms);
            let shapes = site.shapes.iter().take(MAX_UNKNOWN);
            account.unknown.extend(shapes.map(|shape| UnknownPages {
                site: site.key.clone(),
                pattern: shape.pattern.to_string(),
                urls: shape.urls.len() as u64,
                hubs: shape.hubs as u64,
            }));
            let repaired = outcome
                .repaired
                .iter()
                .filter(|repaired| repaired.site == site.key);
            account.repaired.extend(repaired.map(|repaired| RepairedSite {
                site: site.key.clone(),
                folders: repaired.folders.clone(),
                pages: repaired.pages,
                in_vain: repaired.in_vain,
            }));
        }
        account
    }

    /// Reads the account of a run. A run that left none gets one with nothing but its number.
    pub fn read(reader: &dyn ReadStore, vertical: &str, run: RunId) -> Result<Account, StoreError> {
        let all = Account::all(reader, vertical)?;
        let found = all.into_iter().find(|account| account.run == run.0);
        Ok(found.unwrap_or_else(|| Account {
            run: run.0,
            ..Account::default()
        }))
    }

    /// Reads all accounts of a vertical, the oldest first.
    pub fn all(reader: &dyn ReadStore, vertical: &str) -> Result<Vec<Account>, StoreError> {
        let rows = reader.stages(vertical)?;
        let rows = rows.iter().filter(|row| !Account::is_of_learning(row));
        let mut all: Vec<Account> = rows
            .filter_map(|row| serde_json::from_str(&row.kept).ok())
            .collect();
        all.sort_by_key(|account| account.run);
        Ok(all)
    }

    /// Returns the pages that it fetched beyond the dry walk before it.
    pub(crate) fn beyond_walk(&self) -> Option<u64> {
        self.promised.map(|_| self.fetched.saturating_sub(self.walked))
    }

    /// The row that keeps it.
    pub fn to_row(&self, vertical: &str, now: Timestamp) -> StageRow {
        StageRow {
            vertical: vertical.to_owned(),
            name: format!("{NAME}{}", self.run),
            ended_at: now,
            sentence: format!(
                "recrawl {}, {}",
                self.run,
                self.method.map_or("", RoundMethod::as_str)
            ),
            kept: serde_json::to_string(self).unwrap_or_default(),
        }
    }

    /// Returns `true` if a row keeps a stage of learning, and no account.
    pub fn is_of_learning(row: &StageRow) -> bool {
        !row.name.starts_with(NAME)
    }
}

/// The form in which accounts keep a moment: milliseconds since 1970.
mod millis {
    use magpie_values::Timestamp;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(moment: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
        moment.as_millis().serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
        i64::deserialize(deserializer).map(Timestamp::from_millis)
    }
}
