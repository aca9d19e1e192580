//! How a watch does: a file of the workspace that says so, and numbers for Prometheus.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use magpie_engine::Session;
use magpie_engine::watch::Cycle;
use magpie_store::put_file;
use magpie_terminal::process::now;
use magpie_terminal::{Failure, Kind};
use serde_json::{Value, json};

use crate::render::watch as render;
use magpie_terminal::format::moment;

/// The file.
const FILE: &str = "watch.json";

/// The longest file that is read.
const MOST_BYTES: u64 = 1 << 20;

/// What the file says.
pub(super) struct Health {
    path: PathBuf,
    value: Value,
    reload: Option<String>,
}

impl Health {
    pub(super) fn new(session: &Session, now: i64) -> Health {
        Health {
            path: session.folder().join(FILE),
            value: json!({
                "vertical": session.vertical(), "process": std::process::id(), "started": moment(now), "state": "watching",
            }),
            reload: None,
        }
    }

    /// Writes down what a cycle did.
    pub(super) fn took(
        &mut self,
        cycle: &Cycle,
        problems: &[String],
        next: Option<i64>,
    ) -> Result<(), Failure> {
        self.value["last"] = render::json(cycle, problems, next);
        self.value["next"] = json!(next.map(moment));
        self.write()
    }

    /// Writes down that it is over, and why.
    pub(super) fn end(&mut self, failure: Option<&Failure>, now: i64) -> Result<(), Failure> {
        self.value["state"] = json!(match failure {
            Some(_) => "failed",
            None => "stopped",
        });
        self.value["ended"] = json!(moment(now));
        self.value["failure"] = json!(failure.map(|failure| &failure.message));
        self.write()
    }

    /// The settings can't be read. Whether that is news.
    pub(super) fn cannot_reload(&mut self, failure: &Failure) -> bool {
        let before = self.reload.replace(failure.message.clone());
        before.as_ref() != Some(&failure.message)
    }

    /// The settings can be read. Whether they could not before.
    pub(super) fn can_reload(&mut self) -> bool {
        self.reload.take().is_some()
    }

    pub(super) fn reload_problem(&self) -> Option<String> {
        let problem = self.reload.as_ref()?;
        Some(format!("the settings before stay in force: {problem}"))
    }

    /// It is there whole or as it was.
    fn write(&mut self) -> Result<(), Failure> {
        self.value["written"] = json!(moment(now()));
        let failed = |error: io::Error| {
            Failure::new(
                Kind::Input,
                format!("can't write {}: {error}", self.path.display()),
            )
        };
        let text = format!("{:#}\n", self.value);
        put_file(&self.path, failed, |mut file, _| {
            file.write_all(text.as_bytes()).map_err(failed)
        })
    }
}

/// How the last watch of a workspace does or did; none where there never was one.
pub(crate) fn read(folder: &Path) -> Option<Value> {
    let path = folder.join(FILE);
    if path.metadata().ok()?.len() > MOST_BYTES {
        return None;
    }
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

/// The numbers, for Prometheus.
pub(super) fn metrics(cycle: &Cycle, problems: usize, next: Option<i64>) -> String {
    let seconds = |at: i64| at as f64 / 1_000.0;
    let mut page = String::new();
    let gauges = [
        (
            "watch_last_beat_seconds",
            "When it was looked last what is due.",
            seconds(cycle.at),
        ),
        (
            "watch_next_beat_seconds",
            "When the next page is asked for.",
            next.map_or(f64::NAN, seconds),
        ),
        ("watch_pages", "Pages that are watched.", cycle.watched as f64),
        ("watch_sites", "Sites that are watched.", cycle.sites as f64),
        (
            "watch_budget_left_pages",
            "Pages that may be asked for at once.",
            cycle.left as f64,
        ),
        (
            "watch_problems",
            "Things that somebody should look after.",
            problems as f64,
        ),
        (
            "watch_expected_freshness",
            "The share of known objects that is expected to be right.",
            cycle.forecast.freshness,
        ),
        (
            "watch_expected_delay_seconds",
            "How long a new object is expected to go unseen.",
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
    page
}
