//! Crawled: a site is learned from its entry page as a user would do it, recrawled a week later
//! after some changes, and watched for two weeks. The clock is set to the day on which the pages
//! were saved.

use std::collections::HashSet;
use std::sync::Arc;

use anyhow::{Context, Result};
use magpie_values::text;

use super::Site;
use super::announced::{self, Source};
use super::objects::{self, Judgement, Listed, Means};
use super::round::{Change, Renamed};
use super::truth::{ObjectNumber, SiteTruth};
use super::workspace::{Desk, Workspace};
use crate::figure::{Figure, Report};
use crate::site::mirror::{FileNumber, Shown};
use crate::site::oracle::Oracle;
use crate::site::replay::Replay;

/// Shares of the object pages at which pages are counted.
const SHARES: [f64; 3] = [0.1, 0.5, 0.9];

/// Pages that a site may cost while it is learned.
const PAGES: u64 = 5_000;

/// The watch: cycles this far apart, in hours, for two weeks.
const CYCLE: u32 = 6;
const CYCLES: u32 = 14 * 24 / CYCLE;

/// A week, in hours.
const WEEK: u32 = 7 * 24;

/// Methods that the round is compared with, on copies of the workspace.
const OTHERS: [(&str, &str); 2] = [
    ("levels", "the published recrawl a week later"),
    ("full", "a full crawl a week later"),
];

/// Programs that read only what the site announces, with which it is compared as well.
const ANNOUNCED: [(Source, &str); 2] = [
    (Source::Sitemaps, "a sitemap-only round a week later"),
    (Source::Feeds, "a feed-only round a week later"),
];

const ROUND: f64 = 0.1;
const HALF: f64 = 3.0;
const MOST: f64 = 4.0;

/// The last part of a measurement.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Depth {
    /// Learn sites and judge their objects
    Objects,
    /// Change the learned sites, too, and recrawl them once
    Round,
    /// Also read all pages apart, watch, and compare with full crawls
    All,
}

/// A site that is crawled in one way.
pub(super) struct Crawl<'a> {
    pub(super) desk: &'a Desk<'a>,
    pub(super) site: &'a Site,
    pub(super) truth: &'a SiteTruth,
    pub(super) is_stripped: bool,
}

impl Crawl<'_> {
    pub(super) fn way(&self) -> &'static str {
        if self.is_stripped { "stripped" } else { "as it is" }
    }

    /// Learns the site and judges its objects; then changes and recrawls it, and watches it, as far
    /// as is wanted. Returns the lines about objects that are not right.
    pub(super) fn measure(
        &self,
        depth: Depth,
        means: &mut Means,
        report: &mut Report,
    ) -> Result<Vec<String>> {
        let Crawl {
            desk, site, truth, ..
        } = *self;
        let title = format!("{}: crawled {}", site.name, self.way());
        let (entry, reached_files) = desk.mirror.entry()?;
        desk.server.show(self.shown());
        let name = format!(
            "{}-{}",
            site.name,
            if self.is_stripped { "stripped" } else { "plain" }
        );
        let mut workspace = Workspace::new(desk, &name, site.vertical)?;
        workspace.set_clock(site.saved_at()?);
        let learned = workspace.learn(&entry, PAGES)?;
        let order = workspace.fetched(None)?;
        let listed = objects::listed(&workspace, desk.mirror)?;
        let mut judgement = Judgement::of(&listed, truth, &|number, year| {
            objects::states_year(desk.mirror, truth, number, year)
        });
        let reachable = self.reachable()?;
        means.set_way(self.way());
        judgement.report(&title, truth, &reachable, order.len(), means, report);
        let requests = learned.map_or(order.len() as u64, |traffic| traffic.requests);
        let figure = Figure::new(format!("{title}, learned"), requests as f64, "requests").note(format!(
            "begun at {entry}, from where links lead to {reached_files} of {} files",
            desk.mirror.len()
        ));
        report.add(match learned {
            Some(learned) => figure
                .beside("for media", learned.media as f64)
                .beside("not there", learned.missing as f64)
                .beside("again not there", learned.missing_again as f64),
            None => figure,
        });
        judgement.tell_missed(truth, &reachable, &|file| {
            desk.mirror.document(file).url.to_string()
        });
        let mut lines = std::mem::take(&mut judgement.lines);
        if depth == Depth::Objects {
            return Ok(lines);
        }
        if learned.is_some() {
            lines.extend(self.add_round(&mut workspace, &title, &listed, report)?);
        }
        if depth == Depth::All {
            add_order(desk, &title, truth, &order, report)?;
            if learned.is_some() {
                add_watch(&mut workspace, &title, report)?;
            }
        }
        Ok(lines)
    }

    /// Returns the true objects of pages that links lead to.
    fn reachable(&self) -> Result<HashSet<ObjectNumber>> {
        let mirror = self.desk.mirror;
        let entry = mirror
            .file(&mirror.entry()?.0)
            .context("the entry page is not saved")?;
        Ok(self.truth.objects_on(&mirror.graph()?.reachable(&[entry])))
    }
}

/// Adds the pages until shares of the object pages were fetched, beside an oracle and a draw
/// without replacement from all pages of the site.
fn add_order(
    desk: &Desk<'_>,
    title: &str,
    truth: &SiteTruth,
    order: &[Option<FileNumber>],
    report: &mut Report,
) -> Result<()> {
    let mut graph = desk.mirror.graph()?.clone();
    let entry = desk.mirror.file(&desk.mirror.entry()?.0);
    let entry = entry.context("the entry page is not saved")?;
    truth
        .object_pages()
        .for_each(|file| graph.targets[file as usize] = true);
    let best = graph.replay(&mut Oracle::new(&graph), &[entry], usize::MAX, 1.0, &[]);
    // Pages that no link leads to can't be reached by anybody.
    let wanted = best.found.last().copied().unwrap_or(0) as usize;
    if wanted == 0 {
        return Ok(());
    }
    let within_reach: HashSet<FileNumber> = best.fetched.iter().copied().collect();
    let is_wanted = |file: FileNumber| graph.targets[file as usize] && within_reach.contains(&file);
    let ours = Replay::of(order, is_wanted);
    let pages = desk.mirror.documents().count();
    for (at, share) in SHARES.into_iter().enumerate() {
        let needed = best.fetches_to(share, wanted).unwrap_or(1) as f64;
        let drawn = (share * wanted as f64).ceil().max(1.0) * (pages + 1) as f64 / (wanted + 1) as f64;
        let figure = match ours.fetches_to(share, wanted) {
            Some(pages) => Figure::new(
                format!("{title}, pages until {:.0} % of the object pages", share * 100.0),
                pages as f64 / needed,
                "times an oracle's",
            )
            .beside("pages", pages as f64),
            None => Figure::new(
                format!("{title}, pages until {:.0} % of the object pages", share * 100.0),
                f64::INFINITY,
                "times an oracle's",
            )
            .note(format!("not reached within {} pages", order.len())),
        };
        let figure = figure.beside("oracle", needed).beside("blind draw", drawn);
        report.add(match at {
            1 => figure.at_most(HALF),
            2 => figure.at_most(MOST),
            _ => figure,
        });
    }
    Ok(())
}

impl Crawl<'_> {
    /// Changes the site, and adds the round a week later: its cost beside a full crawl and beside
    /// what was promised, and what it noticed of the changes. Returns lines about the other
    /// changes.
    fn add_round(
        &self,
        workspace: &mut Workspace<'_>,
        title: &str,
        before: &[Listed],
        report: &mut Report,
    ) -> Result<Vec<String>> {
        let desk = self.desk;
        let change = Change::of(desk.mirror, self.truth, before, self.site.saved_at()?)?;
        let edited = || self.shown().edited(Arc::clone(&change.edits));
        desk.server.show(edited());
        workspace.advance(WEEK);
        let pages = desk.mirror.pages()?.min(PAGES as usize);
        let cost = |what: &str, requests: u64| {
            let requests = requests as f64;
            Figure::new(
                format!("{title}, {what}"),
                requests / pages as f64,
                "of a full crawl's pages",
            )
            .beside("requests", requests)
        };
        for (method, what) in OTHERS {
            let other = workspace.copied(&format!("{}-{method}", text::bare(title)))?;
            let round = other.recrawl(desk.mirror, 0, method)?;
            let after = objects::listed(&other, desk.mirror)?;
            report.add(change.compared(cost(what, round.traffic.requests), self.truth, &after));
        }
        for (source, what) in ANNOUNCED {
            let after = edited();
            if let Some(visit) = announced::round(source, desk.mirror, &self.shown(), &after)? {
                report.add(change.compared_visit(cost(what, visit.requests), self.truth, &visit));
            }
        }
        if let Some(renamed) = Renamed::of(desk.mirror, self.truth)? {
            desk.server.show(self.shown().renamed(renamed.names.clone()));
            let other = workspace.copied(&format!("{}-renamed", text::bare(title)))?;
            let round = other.recrawl(desk.mirror, 0, "selective")?;
            let after = objects::listed(&other, desk.mirror)?;
            let figure = cost("a round after a folder was renamed", round.traffic.requests);
            report.add(renamed.judged(figure, self.truth, before, &after));
            desk.server.show(edited());
        }
        let round = workspace.recrawl(desk.mirror, 0, "selective")?;
        let after = objects::listed(workspace, desk.mirror)?;
        let figure = cost("a round a week later", round.traffic.requests).at_most(ROUND);
        report.add(change.compared(figure, self.truth, &after));
        if round.promised > 0 {
            let figure = Figure::new(
                format!("{title}, cost of the round"),
                round.fetched as f64 / round.promised as f64,
                "of the promised pages",
            );
            report.add(
                figure
                    .beside("promised", round.promised as f64)
                    .beside("fetched", round.fetched as f64),
            );
        }
        Ok(change.report(title, self.truth, &after, report))
    }

    fn shown(&self) -> Shown {
        let shown = self.desk.mirror.without(HashSet::new());
        if self.is_stripped { shown.stripped() } else { shown }
    }
}

/// Adds what a watch of two weeks fetches.
fn add_watch(workspace: &mut Workspace<'_>, title: &str, report: &mut Report) -> Result<()> {
    let (mut requests, mut unchanged) = (0, 0);
    for _ in 0..CYCLES {
        workspace.advance(CYCLE);
        let traffic = workspace.watch_once()?;
        requests += traffic.requests;
        unchanged += traffic.unchanged;
    }
    let days = f64::from(CYCLES * CYCLE) / 24.0;
    report.add(
        Figure::new(
            format!("{title}, a watch of two weeks"),
            requests as f64 / days,
            "requests a day",
        )
        .beside("requests", requests as f64)
        .beside("unchanged", unchanged as f64),
    );
    Ok(())
}
