//! Crawled: a site is learned from its entry page as a user would do it, recrawled a week later,
//! and watched for two weeks. The clock is set to the day on which the pages were saved.
//!
//! Objects are those of the workspace. An object is judged if one of the pages that show it is; it
//! is right if the site truly has it.

use magpie_rows::Catalogue;
use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;

use anyhow::{Context, Result};
use magpie_rows::{ObjectFilter, Objects as _};

use super::Site;
use super::reading::share;
use super::truth::SiteTruth;
use super::workspace::{Desk, Workspace};
use crate::figure::{Figure, Report};
use crate::site::mirror::FileNumber;
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

const PRECISION: [f64; 2] = [
    super::reading::PLAIN_PRECISION,
    super::reading::STRIPPED_PRECISION,
];
const FOUND: [f64; 2] = [super::reading::PLAIN_RECALL, super::reading::STRIPPED_RECALL];
const ROUND: f64 = 0.1;
const KEPT: f64 = 0.97;
const HALF: f64 = 3.0;
const MOST: f64 = 4.0;

/// Learns, recrawls and watches a site in one way, and adds the figures.
pub(super) fn measure(
    desk: &Desk<'_>,
    site: &Site,
    truth: &SiteTruth,
    is_stripped: bool,
    report: &mut Report,
) -> Result<()> {
    let way = if is_stripped { "stripped" } else { "as it is" };
    let title = format!("{}: crawled {way}", site.name);
    let (entry, reached_files) = desk.mirror.entry()?;
    let shown = desk.mirror.without(HashSet::new());
    desk.server
        .show(if is_stripped { shown.stripped() } else { shown });
    let name = format!("{}-{}", site.name, if is_stripped { "stripped" } else { "plain" });
    let mut workspace = Workspace::new(desk, &name, site.vertical)?;
    workspace.set_clock(site.saved_at()?);
    let learned = workspace.learn(&entry, PAGES)?;
    let order = workspace.fetched(None)?;
    let way = usize::from(is_stripped);
    let found = Found::of(&workspace, desk, truth)?;
    let about = format!(
        "begun at {entry}, from where links lead to {reached_files} of {} files",
        desk.mirror.len()
    );
    if found.judged > 0 {
        let figure = Figure::new(
            format!("{title}, objects right"),
            share(found.right, found.judged),
            "of the judged objects",
        );
        report.add(
            figure
                .at_least(PRECISION[way])
                .beside("objects", found.all as f64)
                .beside("judged", found.judged as f64)
                .beside("phantoms", (found.judged - found.right) as f64),
        );
    }
    report.add(
        Figure::new(
            format!("{title}, objects found"),
            share(found.objects.len(), truth.len()),
            "of the site's objects",
        )
        .at_least(FOUND[way])
        .beside("found", found.objects.len() as f64)
        .beside("all", truth.len() as f64)
        .beside(
            "requests",
            learned.map_or(order.len() as u64, |traffic| traffic.requests) as f64,
        )
        .note(about),
    );
    add_order(desk, &title, truth, &order, report)?;
    if learned.is_none() {
        return Ok(());
    }
    add_round(&mut workspace, desk, &title, truth, &found, report)?;
    add_watch(&mut workspace, &title, report)
}

/// The objects of a workspace beside the truth.
struct Found {
    all: usize,
    judged: usize,
    right: usize,
    objects: HashSet<usize>,
}

impl Found {
    fn of(workspace: &Workspace<'_>, desk: &Desk<'_>, truth: &SiteTruth) -> Result<Found> {
        let reader = workspace.reader()?;
        let mut pages: BTreeMap<i64, Vec<FileNumber>> = BTreeMap::new();
        for row in reader.all_objects_on_pages(workspace.vertical())? {
            let file = row.url.parse().ok().and_then(|url| desk.mirror.file(&url));
            pages.entry(row.object.0).or_default().extend(file);
        }
        let mut found = Found {
            all: 0,
            judged: 0,
            right: 0,
            objects: HashSet::new(),
        };
        reader.objects(&ObjectFilter::default(), &mut |object| {
            let files = pages.get(&object.id.0).map_or(&[][..], Vec::as_slice);
            let is_judged = files.iter().any(|file| truth.on(*file).is_some());
            found.all += 1;
            if is_judged {
                let number = truth.find(&object.record);
                found.judged += 1;
                found.right += usize::from(number.is_some());
                found.objects.extend(number);
            }
            ControlFlow::Continue(())
        })?;
        Ok(found)
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

/// Adds the round a week later: its cost beside a full crawl and beside what was promised, and the
/// right objects that are still there.
fn add_round(
    workspace: &mut Workspace<'_>,
    desk: &Desk<'_>,
    title: &str,
    truth: &SiteTruth,
    before: &Found,
    report: &mut Report,
) -> Result<()> {
    workspace.advance(WEEK);
    let round = workspace.recrawl(desk.mirror, 0, "selective")?;
    let after = Found::of(workspace, desk, truth)?;
    let pages = desk.mirror.documents().count().min(PAGES as usize);
    let figure = Figure::new(
        format!("{title}, a round a week later"),
        round.traffic.requests as f64 / pages as f64,
        "of a full crawl's pages",
    )
    .at_most(ROUND)
    .beside("requests", round.traffic.requests as f64);
    report.add(figure);
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
    let kept = before.objects.intersection(&after.objects).count();
    report.add(
        Figure::new(
            format!("{title}, objects kept by the round"),
            share(kept, before.objects.len()),
            "of the right objects",
        )
        .at_least(KEPT)
        .beside("objects", before.objects.len() as f64),
    );
    Ok(())
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
