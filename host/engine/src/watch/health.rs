//! The health of a watch: a file of the workspace, and figures for Prometheus.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use magpie_model::json::{Time, finite};
use magpie_rows::{RunId, StoreError};
use magpie_values::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{Cycle, Picked};
use crate::metrics::{MAX_SITES, escaped, head};
use crate::opened::workspace_holder;
use crate::recrawl::Repaired;
use crate::session::Session;
use crate::settings::Value as _;
use crate::{Clock, write_file};

const FILE: &str = "watch.json";

/// The state of a watch that has not ended.
const WATCHING: &str = "watching";

const MAX_BYTES: u64 = 1 << 20;

/// The health of a watch, as recorded in its file.
#[derive(Debug)]
pub struct Health {
    path: PathBuf,
    value: Value,
    reload: Option<String>,
    clock: Clock,
}

impl Health {
    /// The health of a watch that begins.
    pub fn new(session: &Session) -> Health {
        Health {
            path: session.folder().join(FILE),
            value: json!({
                "vertical": session.vertical(), "process": std::process::id(), "started": session.now().to_string(), "state": WATCHING,
            }),
            reload: None,
            clock: session.clock().clone(),
        }
    }

    /// Writes down that it has begun.
    pub fn begin(&mut self) -> Result<(), StoreError> {
        self.write()
    }

    /// Writes down what a cycle did.
    pub fn took(
        &mut self,
        cycle: &Cycle,
        problems: &[String],
        next: Option<Timestamp>,
    ) -> Result<(), StoreError> {
        self.value["last"] = json!(CycleLine::new(cycle, problems, next));
        self.value["next"] = json!(next.map(|at| at.to_string()));
        self.write()
    }

    /// Writes down that it is over, and why.
    pub fn end(&mut self, failure: Option<&str>) -> Result<(), StoreError> {
        self.value["state"] = json!(match failure {
            Some(_) => "failed",
            None => "stopped",
        });
        self.value["ended"] = json!(self.clock.now().to_string());
        self.value["failure"] = json!(failure);
        self.write()
    }

    /// Notes that the settings can't be read. Returns `true` if that is news.
    pub fn cannot_reload(&mut self, problem: &str) -> bool {
        let before = self.reload.replace(problem.to_owned());
        before.as_deref() != Some(problem)
    }

    /// Notes that the settings can be read. Returns `true` if they could not before.
    pub fn can_reload(&mut self) -> bool {
        self.reload.take().is_some()
    }

    /// Returns the problem with the settings, if they can't be read.
    pub fn reload_problem(&self) -> Option<String> {
        let problem = self.reload.as_ref()?;
        Some(format!("the previous settings stay in force: {problem}"))
    }

    /// It is there whole or as it was.
    fn write(&mut self) -> Result<(), StoreError> {
        self.value["written"] = json!(self.clock.now().to_string());
        let text = format!("{:#}\n", self.value);
        write_file(&self.path, text.as_bytes())
            .map_err(|error| StoreError::file("can't write", &self.path, error))
    }
}

/// Returns the health of the last watch of a workspace. Returns `None` if there never was one.
///
/// The state is `killed` if the watch recorded no end and does not write any more.
pub fn read_health(folder: &Path) -> Option<Value> {
    let path = folder.join(FILE);
    // No watch has written a file of this size, so it is not read into memory.
    if path.metadata().ok()?.len() > MAX_BYTES {
        return None;
    }
    let mut health: Value = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
    // A killed process leaves the state of a running watch behind.
    if health["state"] == WATCHING && !writes(folder, &health["process"]) {
        health["state"] = json!("killed");
    }
    Some(health)
}

/// Returns `false` if a process does not hold the workspace, which a watch does while it lives.
fn writes(folder: &Path, process: &Value) -> bool {
    workspace_holder(folder).is_some_and(|holder| match holder.strip_prefix("process ") {
        Some(number) => number.parse().ok() == process.as_u64(),
        // Its number can't be read now.
        None => true,
    })
}

/// Returns the figures of a cycle for Prometheus, with the objects of the workspace and the states
/// of its sites.
pub fn metrics(
    session: &Session,
    cycle: &Cycle,
    problems: usize,
    next: Option<Timestamp>,
) -> Result<String, StoreError> {
    let seconds = |at: Timestamp| at.as_millis() as f64 / 1_000.0;
    let mut page = String::new();
    let gauges = [
        (
            "watch_last_beat_seconds",
            "Time of the last check for due pages, in seconds since 1970.",
            seconds(cycle.at),
        ),
        (
            "watch_next_beat_seconds",
            "Time of the next request, in seconds since 1970.",
            next.map_or(f64::NAN, seconds),
        ),
        ("watch_pages", "Watched pages.", cycle.watched as f64),
        ("watch_sites", "Watched sites.", cycle.sites as f64),
        (
            "watch_budget_left_pages",
            "Requests that the budget allows now.",
            cycle.left as f64,
        ),
        ("watch_problems", "Problems that need attention.", problems as f64),
        (
            "watch_expected_freshness",
            "Expected share of known objects that are up to date.",
            cycle.forecast.freshness,
        ),
        (
            "watch_expected_delay_seconds",
            "Expected time until a new object is found, in seconds.",
            cycle.forecast.delay.unwrap_or(f64::NAN) * 86_400.0,
        ),
    ];
    for (name, about, value) in gauges {
        let value = match value {
            value if value.is_nan() => "NaN".to_owned(),
            value if value.is_infinite() => "+Inf".to_owned(),
            value => value.to_string(),
        };
        let _ = writeln!(
            page,
            "# HELP magpie_{name} {about}\n# TYPE magpie_{name} gauge\nmagpie_{name} {value}"
        );
    }
    let (current, expired) = cycle.objects;
    let vertical = escaped(session.vertical());
    head(
        &mut page,
        "known_objects",
        "Objects of the workspace, by state.",
        "gauge",
    );
    for (state, count) in [("current", current), ("expired", expired)] {
        let labels = format!("vertical=\"{vertical}\",state=\"{state}\"");
        let _ = writeln!(page, "magpie_known_objects{{{labels}}} {count}");
    }
    let about = "The state of the last round of a site: one series for each site.";
    head(&mut page, "site_state", about, "gauge");
    let store = session.store();
    // Each site is a time series of its own in Prometheus.
    for site in store.learned_sites(session.vertical())?.iter().take(MAX_SITES) {
        let states = store.states_before(session.vertical(), site.site, RunId(i64::MAX))?;
        if let Some(state) = states.first() {
            let site = escaped(&site.key);
            let _ = writeln!(page, "magpie_site_state{{site=\"{site}\",state=\"{state}\"}} 1");
        }
    }
    Ok(page)
}

/// A cycle of a watch.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CycleLine {
    /// Time of the cycle.
    at: Time,
    /// Number of list pages that were fetched.
    lists: usize,
    /// Number of known pages that were fetched again.
    known: usize,
    /// Number of pages that were fetched for the first time.
    new: usize,
    /// Number of pages with a response.
    pages: u64,
    /// Number of pages without one.
    failures: u64,
    /// Number of objects first seen.
    new_objects: u64,
    /// Number of pages of unknown kinds that were fetched.
    explored: u64,
    /// Sites that were learned again.
    repaired: Vec<Repaired>,
    /// Number of watched pages.
    watched: usize,
    /// Number of watched sites.
    sites: usize,
    /// Budget of the watch, as in its setting.
    budget: String,
    /// Number of requests that the budget still allows.
    left: u64,
    /// Expected freshness of the objects under this budget.
    expected: ExpectedFreshness,
    /// Problems that need attention.
    problems: Vec<String>,
    /// True if the watch was stopped during the cycle.
    stopped: bool,
    /// Time of the next request, null if there is none.
    next: Option<Time>,
}

/// Expected freshness under a budget.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct ExpectedFreshness {
    /// Share of objects that are up to date, from 0 to 1.
    freshness: f64,
    /// Mean age of what is out of date, in days.
    age_days: Option<f64>,
    /// Mean time until a new object is found, in days.
    new_object_days: Option<f64>,
}

impl CycleLine {
    /// Describes a cycle.
    pub fn new(cycle: &Cycle, problems: &[String], next: Option<Timestamp>) -> CycleLine {
        let Picked { lists, known, new } = cycle.picked;
        CycleLine {
            at: cycle.at.into(),
            lists,
            known,
            new,
            pages: cycle.pages,
            failures: cycle.failures,
            new_objects: cycle.new_objects,
            explored: cycle.explored,
            repaired: cycle.repaired.clone(),
            watched: cycle.watched,
            sites: cycle.sites,
            budget: cycle.budget.write().trim_matches('"').to_owned(),
            left: cycle.left,
            expected: ExpectedFreshness {
                freshness: cycle.forecast.freshness,
                age_days: finite(cycle.forecast.age),
                new_object_days: cycle.forecast.delay.and_then(finite),
            },
            problems: problems.to_vec(),
            stopped: cycle.was_stopped,
            next: next.map(Time::from),
        }
    }
}
