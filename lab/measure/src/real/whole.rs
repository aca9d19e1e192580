//! Whole sites: learned once, then recrawled for four weeks, compared with a full crawl.
//!
//! A full crawl is `magpie crawl` in an empty workspace. All requests count, also those for
//! robots.txt and for missing or unchanged pages. An object counts as seen in a round if a page
//! that was fetched in it, or was found unchanged, shows it. Pages with objects come due after four
//! weeks (`recrawl.refresh`), so the rounds of four weeks together visit everything of value; the
//! last of them, in which all of it is due, is shown separately as well.
//!
//! Then the same with a tenth of the objects missing when the site is learned: neither their pages
//! nor any link to them exist.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use anyhow::{Context, Result};
use url::Url;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::serve::Traffic;
use super::workspace::{Desk, Objects, Round, Workspace};
use crate::figure::{Figure, Report};
use crate::site::mirror::{FileNumber, Mirror};

/// Rounds, a week apart.
const WEEKS: u32 = 4;

/// Number of objects for each one that appears after the site was learned.
const APPEARS: u64 = 10;

/// Pages that a site may cost while it is learned: more than any of these has.
const PAGES: u64 = 10_000;

/// Seeds of the random choice of objects that appear later.
const SEEDS: [u64; 3] = [1, 2, 3];

/// Target: almost all objects for half of the fetches.
const OBJECTS: f64 = 0.99;
const FETCHES: f64 = 0.5;

pub(super) fn measure(
    desk: &Desk<'_>,
    name: &str,
    mirror: &Arc<Mirror>,
    vertical: &'static str,
    report: &mut Report,
) -> Result<()> {
    let (entry, reached) = mirror.entry()?;
    let begun = format!(
        "begun at {entry}, from where links lead to {reached} of {} files",
        mirror.len()
    );
    desk.server.show(mirror.without(HashSet::new()));
    let full = Workspace::new(desk, &format!("{name}-full"), vertical)?.crawl(&entry)?;
    let workspace = Workspace::new(desk, name, vertical)?;
    workspace.learn(&entry, PAGES)?;
    let objects = workspace.objects(mirror)?;
    let rounds: Vec<Round> = (1..=WEEKS)
        .map(|week| workspace.recrawl(mirror, week, "selective"))
        .collect::<Result<_>>()?;
    let held = workspace.objects(mirror)?;
    let again = workspace.recrawl(mirror, WEEKS, "full")?;
    let site = Site {
        name,
        entry: &entry,
        begun,
        full,
        objects: &objects,
    };
    let last = rounds.len() - 1;
    site.add("the rounds of four weeks", &rounds, report);
    site.add("the first round", &rounds[..1], report);
    site.add("a round with everything due", &rounds[last..], report);
    site.add_kept(&held, again.traffic, report);
    site.add_new(desk, mirror, vertical, report)
}

/// A site as a full crawl found it.
struct Site<'a> {
    name: &'a str,
    entry: &'a Url,
    begun: String,
    full: Traffic,
    objects: &'a Objects,
}

impl Site<'_> {
    /// Fetches and objects of some rounds.
    fn add(&self, what: &str, rounds: &[Round], report: &mut Report) {
        let sum =
            |value: fn(&Traffic) -> u64| rounds.iter().map(|round| value(&round.traffic)).sum::<u64>() as f64;
        let full = (self.full.requests * rounds.len() as u64) as f64;
        let fetches = Figure::new(
            format!("{}: fetches, {what}", self.name),
            sum(|traffic| traffic.requests) / full.max(1.0),
            "of as many full crawls",
        );
        report.add(
            fetches
                .at_most(FETCHES)
                .beside("fetches", sum(|traffic| traffic.requests))
                .beside("unchanged", sum(|traffic| traffic.unchanged))
                .beside("not there", sum(|traffic| traffic.missing))
                .beside("KB", sum(|traffic| traffic.bytes) / 1_000.0)
                .beside("a full crawl's fetches", self.full.requests as f64)
                .beside("its KB", self.full.bytes as f64 / 1_000.0)
                .note(self.begun.clone()),
        );
        let files: BTreeSet<FileNumber> = rounds
            .iter()
            .flat_map(|round| round.files.iter().copied())
            .collect();
        let seen = self.objects.values().filter(|of| !of.is_disjoint(&files)).count();
        let figure = Figure::new(
            format!("{}: objects, {what}", self.name),
            seen as f64 / self.objects.len().max(1) as f64,
            "of all",
        );
        report.add(
            figure
                .at_least(OBJECTS)
                .beside("seen", seen as f64)
                .beside("all", self.objects.len() as f64),
        );
    }

    /// Adds the objects that the workspace has after the rounds, and the cost of a full recrawl.
    fn add_kept(&self, held: &Objects, again: Traffic, report: &mut Report) {
        let kept = self
            .objects
            .keys()
            .filter(|object| held.contains_key(object))
            .count();
        let figure = Figure::new(
            format!("{}: objects held after four weeks", self.name),
            kept as f64 / self.objects.len().max(1) as f64,
            "of all",
        );
        report.add(figure.at_least(OBJECTS).beside("held", held.len() as f64));
        let figure = Figure::new(
            format!("{}: a full recrawl", self.name),
            again.requests as f64,
            "fetches",
        );
        report.add(
            figure
                .beside("unchanged", again.unchanged as f64)
                .beside("KB", again.bytes as f64 / 1_000.0),
        );
    }

    /// Learns the site without some of its objects, and looks for them a week later.
    fn add_new(
        &self,
        desk: &Desk<'_>,
        mirror: &Arc<Mirror>,
        vertical: &'static str,
        report: &mut Report,
    ) -> Result<()> {
        let (mut found, mut fetches, mut of, mut read) = (Vec::new(), Vec::new(), 0, 0);
        for seed in SEEDS {
            let new = self.appearing(mirror, seed);
            let hidden: HashSet<FileNumber> =
                new.iter().flat_map(|(_, files)| files.iter().copied()).collect();
            if new.is_empty() {
                continue;
            }
            let shows_objects = |file| self.objects.values().any(|files| files.contains(&file));
            desk.server
                .show(mirror.without(mirror.with_below(&hidden, shows_objects)));
            let workspace = Workspace::new(desk, &format!("{}-new-{seed}", self.name), vertical)?;
            workspace.learn(self.entry, PAGES)?;
            desk.server.show(mirror.without(HashSet::new()));
            let round = workspace
                .recrawl(mirror, 1, "selective")
                .with_context(|| format!("with other objects, seed {seed}"))?;
            let seen = new
                .iter()
                .filter(|(object, _)| !self.objects[object].is_disjoint(&round.files))
                .count();
            found.push(seen as f64 / new.len() as f64);
            fetches.push(round.traffic.requests as f64 / self.full.requests.max(1) as f64);
            of += new.len();
            read += hidden.intersection(&round.files.into_iter().collect()).count();
        }
        if found.is_empty() {
            return Ok(());
        }
        let figure = mean(
            format!("{}: new objects found a week later", self.name),
            &found,
            "of all new",
        );
        report.add(
            figure
                .at_least(OBJECTS)
                .beside("new", of as f64)
                .beside("their pages read", read as f64),
        );
        let name = format!("{}: fetches of the round that finds them", self.name);
        report.add(mean(name, &fetches, "of a full crawl").at_most(FETCHES));
        Ok(())
    }

    /// The objects that are to appear later, with the pages about them alone.
    fn appearing(&self, mirror: &Arc<Mirror>, seed: u64) -> Vec<(i64, BTreeSet<FileNumber>)> {
        let mut objects_on = std::collections::HashMap::new();
        for file in self.objects.values().flatten() {
            *objects_on.entry(*file).or_insert(0_usize) += 1;
        }
        let home = mirror.file(self.entry);
        let own = self.objects.iter().map(|(object, files)| {
            let about = files
                .iter()
                .copied()
                .filter(|file| objects_on[file] == 1 && Some(*file) != home);
            (*object, about.collect::<BTreeSet<_>>())
        });
        // Drawn by page, since objects have other numbers in every run.
        own.filter(|(_, files)| {
            let first = files.first().map(|file| u64::from(*file));
            first.is_some_and(|file| xxh3_64_with_seed(&file.to_le_bytes(), seed).is_multiple_of(APPEARS))
        })
        .collect()
    }
}

/// The mean of the draws, with the least and the most.
fn mean(name: String, draws: &[f64], unit: &'static str) -> Figure {
    let (least, most) = draws.iter().fold((f64::MAX, f64::MIN), |(least, most), one| {
        (least.min(*one), most.max(*one))
    });
    Figure::new(name, draws.iter().sum::<f64>() / draws.len() as f64, unit).spread(least, most)
}
