//! What a recrawl knows of itself and the other tables do not tell. It is kept as the stages of learning are, so that the report
//! can be written again, and later reports can compare.

use std::time::Instant;

use magpie_learn::drift::Relearn;
use magpie_store::{Reader, RunId, StageRow};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::recrawl::Outcome;

/// Accounts are stages with this name and the number of their run.
const NAME: &str = "recrawl-";

/// Patterns of one unknown kind that are named.
const MOST_UNKNOWN: usize = 50;

/// What a recrawl knows of itself.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Account {
    pub(super) run: i64,
    /// The method's word in the workspace.
    pub(super) method: String,
    /// The moment by which it judged what is due.
    pub(super) now: i64,
    /// Pages that all its sites were known to have.
    pub(super) known: u64,
    /// Pages of unknown kinds that were looked at.
    pub(super) explored: u64,
    /// Pages that it was to fetch, and the part of that which a dry walk told.
    pub(super) promised: Option<u64>,
    pub(super) walked: u64,
    /// Pages that it fetched, without those of repairs.
    pub(super) fetched: u64,
    /// Pages that the round after it fetches, as of its end.
    pub(super) next: Option<u64>,
    /// Objects of interest that it keeps up with: they are on pages that it fetched, or would have if they were due.
    pub(super) kept_up: u64,
    /// Objects of interest over all.
    pub(super) current: u64,
    pub(super) steps: Vec<Step>,
    pub(super) alarms: Vec<Alarmed>,
    pub(super) unknown: Vec<Unknown>,
    pub(super) repaired: Vec<Repaired>,
}

/// Something that was done.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Step {
    pub(super) name: String,
    pub(super) seconds: f64,
    pub(super) sentence: String,
}

/// A pattern whose watch gave the alarm.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Alarmed {
    pub(super) site: String,
    pub(super) pattern: String,
    pub(super) alarm: String,
}

/// A kind of pages that nothing was known of.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Unknown {
    pub(super) site: String,
    pub(super) pattern: String,
    pub(super) urls: u64,
    pub(super) hubs: u64,
}

/// A site that was learned again.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Repaired {
    pub(super) site: String,
    /// Below which folders; the whole site when there are none.
    pub(super) folders: Vec<String>,
    pub(super) pages: u64,
    /// No object was found there any more.
    pub(super) in_vain: bool,
}

impl Account {
    pub(super) fn of(outcome: &Outcome, now: i64) -> Account {
        let mut account = Account {
            run: outcome.run.0,
            method: outcome.method.to_owned(),
            now,
            known: outcome.known as u64,
            explored: outcome.explored,
            promised: Some(outcome.promised),
            walked: outcome.walked,
            fetched: outcome.fetched,
            next: outcome.next,
            steps: outcome.steps.taken.clone(),
            ..Account::default()
        };
        for site in &outcome.recorded.sites {
            account
                .alarms
                .extend(site.alarms.iter().map(|(pattern, alarm)| Alarmed {
                    site: site.key.clone(),
                    pattern: pattern.clone(),
                    alarm: alarm.clone(),
                }));
            let shapes = site.shapes.iter().take(MOST_UNKNOWN);
            account.unknown.extend(shapes.map(|shape| Unknown {
                site: site.key.clone(),
                pattern: shape.pattern.to_string(),
                urls: shape.urls.len() as u64,
                hubs: shape.hubs as u64,
            }));
            let repaired = outcome
                .repaired
                .iter()
                .filter(|repaired| repaired.site == site.key);
            account.repaired.extend(repaired.map(|repaired| Repaired {
                site: site.key.clone(),
                folders: match &site.relearn {
                    Relearn::Folders(folders) => folders.clone(),
                    _ => Vec::new(),
                },
                pages: repaired.pages,
                in_vain: repaired.in_vain,
            }));
        }
        account
    }

    /// The account of a run; one without more than the number where the run left none.
    pub(super) fn read(reader: &Reader, vertical: &str, run: RunId) -> Result<Account, Failure> {
        let all = Account::all(reader, vertical)?;
        let found = all.into_iter().find(|account| account.run == run.0);
        Ok(found.unwrap_or_else(|| Account {
            run: run.0,
            ..Account::default()
        }))
    }

    /// All accounts of a vertical, the oldest first.
    pub(super) fn all(reader: &Reader, vertical: &str) -> Result<Vec<Account>, Failure> {
        let rows = reader.stages(vertical)?;
        let rows = rows.iter().filter(|row| row.name.starts_with(NAME));
        let mut all: Vec<Account> = rows
            .filter_map(|row| serde_json::from_str(&row.kept).ok())
            .collect();
        all.sort_by_key(|account| account.run);
        Ok(all)
    }

    /// The pages that it fetched beyond the dry walk before it.
    pub(super) fn beyond_walk(&self) -> Option<u64> {
        self.promised.map(|_| self.fetched.saturating_sub(self.walked))
    }

    /// As it is kept.
    pub(super) fn row(&self, vertical: &str, now: i64) -> StageRow {
        StageRow {
            vertical: vertical.to_owned(),
            name: format!("{NAME}{}", self.run),
            ended_at: now,
            sentence: format!("recrawl {}, {}", self.run, self.method),
            kept: serde_json::to_string(self).unwrap_or_default(),
        }
    }

    /// Whether a stage is one of learning, and no account.
    pub(super) fn is_of_learning(row: &StageRow) -> bool {
        !row.name.starts_with(NAME)
    }
}

/// What was done so far, and how long each step took.
#[derive(Debug)]
pub(crate) struct Steps {
    began: Instant,
    taken: Vec<Step>,
}

impl Steps {
    /// The first step begins.
    pub(crate) fn begin() -> Steps {
        Steps {
            began: Instant::now(),
            taken: Vec::new(),
        }
    }

    /// A step is done; the next one begins.
    pub(crate) fn did(&mut self, name: &str, sentence: impl Into<String>) {
        self.taken.push(Step {
            name: name.to_owned(),
            seconds: self.began.elapsed().as_secs_f64(),
            sentence: sentence.into(),
        });
        self.began = Instant::now();
    }
}
