//! Probes for programs: liveness, readiness, and the metrics for Prometheus.

use std::fmt::Write as _;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use magpie_rows::{CrewState, RoundFilter, RoundState, UrlState};

use crate::{App, Error};

fn plain(text: impl Into<String>) -> Response {
    ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text.into()).into_response()
}

/// Says that the server answers.
pub(super) async fn healthy() -> Response {
    plain("the server answers\n")
}

/// Says that the workspace can be read.
pub(super) async fn ready(State(app): State<App>) -> Result<Response, Error> {
    app.read(|reader| Ok(reader.url_counts(None)?)).await?;
    Ok(plain("the workspace can be read\n"))
}

/// The figures of the workspace for Prometheus.
pub(super) async fn metrics(State(app): State<App>) -> Result<Response, Error> {
    let page = app
        .read(|reader| {
            let status = reader.status()?;
            let mut page = Metrics::default();
            page.family("build_info", "The program.", "gauge");
            page.line("build_info", &[("version", env!("CARGO_PKG_VERSION"))], 1.0);
            page.family("urls", "Known URLs by state.", "gauge");
            for state in UrlState::ALL {
                let urls = status.urls.of(state);
                page.line("urls", &[("state", state.as_str())], urls as f64);
            }
            page.family("workspace_pages", "Pages in the workspace.", "gauge");
            page.line("workspace_pages", &[], status.pages as f64);
            page.family("archive_bytes", "Bytes of the archive.", "gauge");
            page.line("archive_bytes", &[], status.archive_bytes as f64);
            if let Some(crew) = reader.crew() {
                page.crew(&crew.state()?);
            }
            let rows = reader.warehouse_verticals()?;
            page.family("objects", "Objects of each vertical.", "gauge");
            for row in &rows {
                let objects = reader.warehouse_objects(row)?;
                page.line("objects", &[("vertical", &row.vertical)], objects as f64);
            }
            let mut states = Vec::new();
            for row in &rows {
                let sites = reader.learned_sites(&row.vertical)?;
                let rounds = reader.rounds(&row.vertical, RoundFilter::All)?;
                for site in sites {
                    let last = rounds.iter().rev().find(|round| round.site == site.site);
                    states.extend(last.map(|last| (row.vertical.clone(), site.key, *last)));
                }
            }
            page.family(
                "site_state",
                "1 for the state of the last round of a site.",
                "gauge",
            );
            for (vertical, site, last) in &states {
                let labels = [
                    ("vertical", vertical.as_str()),
                    ("site", site),
                    ("state", last.state.as_str()),
                ];
                page.line("site_state", &labels, 1.0);
            }
            page.family(
                "round_last_success_timestamp_seconds",
                "Beginning of the last round of a site that went well.",
                "gauge",
            );
            for (vertical, site, last) in states
                .iter()
                .filter(|(_, _, last)| last.state == RoundState::Done)
            {
                let labels = [("vertical", vertical.as_str()), ("site", site.as_str())];
                let at = last.began_at.as_millis() as f64 / 1_000.0;
                page.line("round_last_success_timestamp_seconds", &labels, at);
            }
            Ok(page.0)
        })
        .await?;
    Ok((
        [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")],
        page,
    )
        .into_response())
}

/// Figures in the text format of Prometheus.
#[derive(Default)]
struct Metrics(String);

impl Metrics {
    fn family(&mut self, name: &str, about: &str, kind: &str) {
        let _ = writeln!(
            self.0,
            "# HELP magpie_{name} {about}\n# TYPE magpie_{name} {kind}"
        );
    }

    /// The figures of processes that work together.
    fn crew(&mut self, crew: &CrewState) {
        let live = || crew.workers.iter().filter(|row| row.is_live);
        let workers = live().filter(|row| row.is_worker).count();
        self.family("workers", "Workers with a recent heartbeat.", "gauge");
        self.line("workers", &[], workers as f64);
        let buckets: u64 = live().map(|row| row.buckets).sum();
        self.family("leased_buckets", "Buckets that live processes have.", "gauge");
        self.line("leased_buckets", &[], buckets as f64);
        self.family(
            "crawl_sites_left",
            "Sites that the open crawl of workers has left.",
            "gauge",
        );
        self.line(
            "crawl_sites_left",
            &[],
            crew.tasks_left.unwrap_or_default() as f64,
        );
    }

    fn line(&mut self, name: &str, labels: &[(&str, &str)], value: f64) {
        let labels: Vec<String> = labels
            .iter()
            .map(|(name, value)| {
                let value = value
                    .replace('\\', "\\\\")
                    .replace('"', "\\\"")
                    .replace('\n', "\\n");
                format!("{name}=\"{value}\"")
            })
            .collect();
        let labels = match labels.is_empty() {
            true => String::new(),
            false => format!("{{{}}}", labels.join(",")),
        };
        let _ = writeln!(self.0, "magpie_{name}{labels} {value}");
    }
}
