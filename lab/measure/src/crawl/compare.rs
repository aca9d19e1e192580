//! The contestants side by side.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};

use super::contestants::{BARE, Contestant, Places, Row, SCRAPY, SPIDER};
use super::ledger::Seen;
use super::process::{Usage, last_words, run as run_process};
use super::serving::Server;
use super::site::Site;
use crate::figure::{Figure, Report, tell};
use crate::sample::Samples;

pub(super) struct Plan {
    pub(super) sizes: Vec<usize>,
    pub(super) kilobytes: Vec<usize>,
    pub(super) rounds: usize,
}

/// Upper bound on the time for one site.
const LIMIT: Duration = Duration::from_secs(300);

/// Measurements of a contestant on a site, one of each per round.
struct Measured<'a> {
    contestant: &'a Contestant,
    usages: Vec<Usage>,
    /// Requests that the server saw in the last round.
    seen: Seen,
}

pub(super) fn run(
    plan: &Plan,
    contestants: &[Contestant],
    places: &Places,
    report: &mut Report,
) -> Result<()> {
    let sites = sites(plan);
    let mut server = Server::start(&sites)?;
    for (number, site) in sites.iter().enumerate() {
        let name = format!("{} pages of {} KB", site.pages, site.bytes / 1_000);
        let measured = measure(plan.rounds, contestants, &mut server, number, site, places)
            .with_context(|| format!("a site of {name}"))?;
        for each in &measured {
            report.add(each.figure(&name, site));
        }
        ratios(&name, site, &measured, report);
    }
    Ok(())
}

fn sites(plan: &Plan) -> Vec<Site> {
    let each = plan.kilobytes.iter().flat_map(|kilobytes| {
        plan.sizes.iter().map(move |pages| Site {
            pages: *pages,
            bytes: kilobytes * 1_000,
            announced: false,
        })
    });
    each.collect()
}

/// Lets all crawl a site, in turns: what disturbs the machine disturbs all alike.
fn measure<'a>(
    rounds: usize,
    contestants: &'a [Contestant],
    server: &mut Server,
    number: usize,
    site: &Site,
    places: &Places,
) -> Result<Vec<Measured<'a>>> {
    let mut measured = Vec::new();
    for contestant in contestants {
        if site.pages > contestant.largest {
            tell(&format!(
                "left out: {} with {} pages, which takes it too long",
                contestant.name, site.pages
            ));
            continue;
        }
        measured.push(Measured {
            contestant,
            usages: Vec::new(),
            seen: Seen::default(),
        });
    }
    for round in 0..rounds {
        for each in &mut measured {
            if round > 0 && site.pages > each.contestant.once_above {
                continue;
            }
            tell(&format!(
                "{} pages of {} KB, round {}: {}",
                site.pages,
                site.bytes / 1_000,
                round + 1,
                each.contestant.name
            ));
            each.once(server, number, &places.scratch())?;
        }
    }
    Ok(measured)
}

impl Measured<'_> {
    fn once(&mut self, server: &mut Server, number: usize, scratch: &Path) -> Result<()> {
        let name = self.contestant.name;
        if scratch.exists() {
            std::fs::remove_dir_all(scratch).context("can't clean up")?;
        }
        std::fs::create_dir_all(scratch)?;
        let log = scratch.join("log.txt");
        let mut command = (self.contestant.command)(&server.home(number), scratch)?;
        server.clear(number)?;
        let usage = run_process(&mut command, &log, LIMIT)?;
        self.seen = server.seen(number)?;
        self.usages.push(usage);
        match usage.status {
            None => tell(&format!(
                "{name} was stopped after {} s, with {} pages",
                LIMIT.as_secs(),
                self.seen.fetched
            )),
            Some(status) if !status.success() => {
                tell(&format!("{name} ended with {status}:\n{}", last_words(&log)));
            }
            Some(_) => {}
        }
        Ok(())
    }

    fn cpu(&self) -> Samples {
        Samples::new(self.usages.iter().map(|usage| usage.cpu).collect())
    }

    fn fetched(&self) -> f64 {
        self.seen.fetched as f64
    }

    /// Pages for a second of CPU time.
    fn per_cpu_second(&self) -> Samples {
        Samples::new(
            self.usages
                .iter()
                .map(|usage| self.fetched() / usage.cpu)
                .collect(),
        )
    }

    /// The cost of a thousand pages, and what else there is to know.
    fn figure(&self, site_name: &str, site: &Site) -> Figure {
        let fetched = self.fetched();
        let each = |value: fn(&Usage) -> f64| Samples::new(self.usages.iter().map(value).collect()).median();
        let costs = self
            .usages
            .iter()
            .map(|usage| usage.cpu * 1_000.0 / fetched)
            .collect();
        let name = format!("{site_name}: {}", self.contestant.name);
        Figure::of(name, &Samples::new(costs), "CPU s/1,000 pages")
            .beside("pages/s", fetched / each(|usage| usage.wall))
            .beside("pages/CPU s", fetched / self.cpu().median())
            .beside("peak MB", each(|usage| usage.memory))
            .beside("missed", site.pages as f64 - fetched)
            .beside("fetched twice", self.seen.again as f64)
            .beside("forbidden", self.seen.forbidden as f64)
            .note(self.note(site))
    }

    fn note(&self, site: &Site) -> String {
        let mut note = self.contestant.does.to_owned();
        let seen = &self.seen;
        if self.usages.iter().any(|usage| usage.status.is_none()) {
            note.push_str("; it was stopped before it was through");
        }
        if seen.fetched < site.pages {
            note.push_str(&format!("; pages missed, for example number {:?}", seen.missed));
        }
        if !seen.examples.is_empty() {
            note.push_str(&format!(
                "; {} requests for what is not there, as {:?}",
                seen.nowhere, seen.examples
            ));
        }
        note
    }
}

fn ratios(name: &str, site: &Site, measured: &[Measured<'_>], report: &mut Report) {
    let find = |name: &str| measured.iter().find(|each| each.contestant.name == name);
    let [first, durable, everything] = Row::ALL.map(|row| find(row.name()));
    // On large sites spider's time grows faster than the number of pages.
    let over_spider = if site.pages >= 50_000 { 5.0 } else { 1.2 };
    for (ours, other, target) in [
        (first, find(BARE), Some(0.85)),
        (
            first,
            find(SPIDER),
            (site.pages <= 5_000 || site.pages >= 50_000).then_some(over_spider),
        ),
        (durable, find(SCRAPY), Some(20.0)),
        (everything, find(SCRAPY), Some(5.0)),
    ] {
        if let (Some(ours), Some(other)) = (ours, other) {
            report.add(ratio(name, ours, other, target));
        }
    }
    if let Some(durable) = durable {
        let name = format!("{name}: {}, pages of one core", durable.contestant.name);
        report.add(Figure::of(name, &durable.per_cpu_second(), "pages/CPU s").at_least(4_000.0));
    }
}

/// Ratio of pages per second of CPU time.
fn ratio(name: &str, ours: &Measured<'_>, other: &Measured<'_>, target: Option<f64>) -> Figure {
    let (one, two) = (ours.per_cpu_second(), other.per_cpu_second());
    let ratios = if ours.usages.len() == other.usages.len() {
        one.over(&two)
    } else {
        let median = two.median();
        Samples::new(
            ours.usages
                .iter()
                .map(|usage| ours.fetched() / usage.cpu / median)
                .collect(),
        )
    };
    let name = format!("{name}: {} over {}", ours.contestant.name, other.contestant.name);
    let figure = Figure::of(name, &ratios, "times the pages/CPU s").more_is_better();
    match target {
        Some(target) => figure.at_least(target),
        None => figure,
    }
}
