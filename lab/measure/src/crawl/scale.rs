//! A crawl that knows a million URLs: its time per page, its memory, its start after a crash, and
//! the speed at which URLs become durable.
//!
//! Sitemaps name all pages of a site of a million, and of one of ten thousand. After they are read,
//! some thousand pages of each are observed: the CPU time of the process between two of them, so
//! that neither its start nor the sitemaps count. Then it is killed.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use magpie_rows::{FetchResult, Frontier, LeaseRequest, Offer};
use magpie_sqlite::{Workspace, WorkspaceOptions};
use magpie_values::Timestamp;

use super::contestants::{Magpie, Places, Row};
use super::cores::{Core, stay_on};
use super::process::{Usage, cpu_of, last_words, watch};
use super::serving::Server;
use super::site::Site;
use super::words::spread;
use crate::figure::{Figure, Report, tell};
use crate::sample::Samples;

/// Known URLs of the two sites. The smaller one is the first.
const KNOWN: [usize; 2] = [10_000, 1_000_000];

/// The same for a quick run.
const KNOWN_QUICK: [usize; 2] = [4_000, 40_000];

/// Pages before the watch begins: connections are open and caches are warm.
const WARM: usize = 1_000;

/// Sites have pages of this length; longer ones would hide what the frontier costs.
const BYTES: usize = 8_000;

/// Longer than all of it takes.
const LIMIT: Duration = Duration::from_secs(300);

/// Interval between requests for the progress of the crawl.
const ASK_EVERY: Duration = Duration::from_millis(10);

pub(super) fn run(quick: bool, rounds: usize, places: &Places, report: &mut Report) -> Result<()> {
    let known = if quick { KNOWN_QUICK } else { KNOWN };
    let sites = known.map(|pages| Site {
        pages,
        bytes: BYTES,
        announced: true,
    });
    let mut server = Server::start(&sites)?;
    let magpie = Magpie::find(places)?;
    let scratch = places.scratch();
    for row in [Row::FetchAndDiscover, Row::Durable] {
        let mut watched = [Vec::new(), Vec::new()];
        // In turn, so that what else the machine does in these minutes spoils both alike.
        for _ in 0..rounds {
            for (number, watched) in watched.iter_mut().enumerate() {
                tell(&format!("{} with {} known URLs", row.name(), known[number]));
                clean(&scratch)?;
                watched.push(crawl(&magpie, row, &mut server, number, known[0], &scratch)?);
            }
        }
        add(row, known, &watched, report);
        if row == Row::Durable {
            restart(&magpie, &mut server, known[1], &scratch, report)?;
        }
    }
    offers(known[1] as u64, &scratch, report)
}

struct Watched {
    /// CPU time of a page, in microseconds.
    page: f64,
    usage: Usage,
}

fn add(row: Row, known: [usize; 2], watched: &[Vec<Watched>; 2], report: &mut Report) {
    let [fewer, more] = known;
    let [few, many] = watched;
    let pages = |watched: &[Watched]| Samples::new(watched.iter().map(|watched| watched.page).collect());
    let memory = |watched: &[Watched]| {
        watched
            .iter()
            .map(|watched| watched.usage.memory)
            .fold(0.0, f64::max)
    };
    let ratios = many.iter().zip(few).map(|(many, few)| many.page / few.page);
    let figure = Figure::of(
        format!("{}: a page with {more} known URLs", row.name()),
        &Samples::new(ratios.collect()),
        "times its CPU time",
    );
    let figure = figure
        .at_most(1.15)
        .beside("µs/page", pages(many).median())
        .beside(format!("µs/page with {fewer}"), pages(few).median())
        .note(format!(
            "times that with {fewer}, in the same round; pages of {} KB",
            BYTES / 1_000
        ));
    report.add(figure);
    let name = format!("{}: memory with {more} known URLs", row.name());
    let figure = Figure::new(name, memory(many), "MB")
        .at_most(150.0)
        .beside(format!("with {fewer}"), memory(few))
        .note("the most the process ever had, all of them queued, sitemaps of 50,000 URLs read meanwhile");
    report.add(figure);
}

/// Crawls until the watch is over: until most of the pages are fetched that the smaller site has.
fn crawl(
    magpie: &Magpie,
    row: Row,
    server: &mut Server,
    number: usize,
    smaller: usize,
    scratch: &Path,
) -> Result<Watched> {
    let mut command = magpie.crawl(row, scratch)?;
    command.arg(server.home(number));
    let until = smaller - smaller / 10;
    let (mut first, mut last, mut asked) = (None, None, Instant::now());
    server.clear(number)?;
    let log = scratch.join("log.txt");
    let usage = watch(&mut command, &log, LIMIT, &mut |process| {
        if asked.elapsed() < ASK_EVERY {
            return Ok(true);
        }
        asked = Instant::now();
        let (fetched, cpu) = (server.seen(number)?.fetched, cpu_of(process));
        if let Some(cpu) = cpu.filter(|_| fetched >= WARM) {
            let now = (fetched as f64, cpu);
            first.get_or_insert(now);
            last = Some(now);
        }
        Ok(fetched < until)
    })?;
    let (Some((from, before)), Some((to, after))) = (first, last) else {
        bail!(
            "no pages were fetched, or the system does not tell a process's time:\n{}",
            last_words(&log)
        );
    };
    Ok(Watched {
        page: (after - before) * 1e6 / (to - from),
        usage,
    })
}

/// The crawl was killed; begins it again and waits for its first request.
fn restart(
    magpie: &Magpie,
    server: &mut Server,
    known: usize,
    scratch: &Path,
    report: &mut Report,
) -> Result<()> {
    tell("Magpie begins again after it was killed");
    let mut command = magpie.crawl(Row::Durable, scratch)?;
    server.clear(1)?;
    let log = scratch.join("log.txt");
    watch(&mut command, &log, LIMIT, &mut |_| {
        Ok(server.seen(1)?.first.is_none())
    })?;
    let first = server.seen(1)?.first;
    let first = first.with_context(|| format!("nothing was asked for:\n{}", last_words(&log)))?;
    let figure = Figure::new(format!("begin again with {known} known URLs"), first, "s")
        .at_most(2.0)
        .note("from the start of the program to its first request, after it was killed at work");
    report.add(figure);
    Ok(())
}

/// Offers in batches, three of ten known already, each batch durable before the next.
fn offers(urls: u64, scratch: &Path, report: &mut Report) -> Result<()> {
    const BATCH: u64 = 20_000;
    tell("durable offers of URLs");
    clean(scratch)?;
    // Before the workspace is there, whose writer stays where it begins.
    stay_on(Core::Contestants);
    let workspace = Workspace::create(&scratch.join("workspace"), &WorkspaceOptions::default())?;
    let request = LeaseRequest {
        worker: "bench",
        site: Some(workspace.site("shop.example")?),
        now: Timestamp::default(),
        until: Timestamp::MAX,
    };
    let lease = workspace.lease(&request)?.context("the site is not free")?;
    let offer = |number: u64| {
        let url = format!(
            "https://shop.example/catalogue/section-{}/product-{number}.html",
            number % 100
        );
        Offer::queued(url, spread(number), 1, Timestamp::default())
    };
    let began = Instant::now();
    let (mut fresh, mut offered) = (0, 0);
    while fresh < urls {
        let mut offers = Vec::with_capacity(BATCH as usize);
        for turn in 0..BATCH {
            let is_new = turn % 10 < 7;
            offers.push(offer(if is_new { fresh } else { spread(turn) % (fresh + 1) }));
            fresh += u64::from(is_new);
        }
        offered += BATCH;
        workspace.commit(
            &lease,
            FetchResult {
                offers,
                ..FetchResult::default()
            },
        )?;
        workspace.flush()?;
    }
    let seconds = began.elapsed().as_secs_f64();
    stay_on(Core::Server);
    let figure = Figure::new("durable offers of URLs", offered as f64 / seconds, "URLs/s")
        .at_least(60_000.0)
        .note(format!(
            "by the clock, in batches of {BATCH}, until {urls} are known; three of ten are known already"
        ));
    report.add(figure);
    Ok(())
}

fn clean(scratch: &Path) -> Result<()> {
    if scratch.exists() {
        std::fs::remove_dir_all(scratch).context("can't clean up")?;
    }
    std::fs::create_dir_all(scratch).context("can't make a folder")
}
