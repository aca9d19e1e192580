//! Share of the gain from perfect knowledge of change rates that learning them achieves.
//!
//! Synthetic pages show it where everything is known. Each row has a distribution of rates and a
//! number of visits per page. It shows the share of the gap between uniform visits and the oracle
//! that is closed by each page's own estimate, and by beliefs that start from the pattern. It also
//! shows the upper limit for these visits, which uses the true distribution of rates in each
//! pattern. Real histories show it where the model does not hold; their pages are drawn for each
//! seed, by service or page, with replacement. The half-lives of observations are compared on these
//! histories; `watch.half_life` was chosen by them.

mod histories;
mod limit;
mod synthetic;

use anyhow::Result;
use clap::ValueEnum;

use self::histories::{Collection, Life, world};
use self::synthetic::{Pages, Reached, Spread};
use super::policy::Policy;
use super::simulation::{Discovery, Scenario, simulate};
use super::tally::Tally;
use super::{DAYS, World};
use crate::figure::{Figure, Report, cell};
use crate::mean::{Mean, mean};
use crate::random::Random;

/// The options of the benchmark.
#[derive(clap::Args)]
#[group(skip)]
pub(crate) struct Options {
    /// Only this part
    #[arg(long, value_name = "PART")]
    part: Option<Part>,
    /// Number of seeds
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(2..))]
    seeds: u64,
    /// Only rows whose name contains this
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Part {
    /// Made-up pages
    Synthetic,
    /// Real histories
    Histories,
    /// Half-lives of observations on real histories
    HalfLife,
}

const VISITS: [u32; 3] = [2, 10, 30];
/// Half-lives in days. The policy with a half-life uses the second.
const HALF_LIVES: [u32; 6] = [60, 120, 180, 365, 730, 1_460];
/// Days between the visits to a page.
const GAPS: [f64; 5] = [60.0, 30.0, 14.0, 7.0, 3.0];
/// Uniform first and the oracle last.
const POLICIES: [(Policy, &str); 5] = [
    (Policy::Uniform, "uniform"),
    (Policy::PerPage, "per page"),
    (Policy::Pattern, "pattern"),
    (Policy::HalfLife(HALF_LIVES[1]), "pattern of late"),
    (Policy::Oracle, "oracle"),
];
const ORACLE: usize = POLICIES.len() - 1;
/// Minimum gain in freshness of the oracle for shares of it to be meaningful.
const MIN_GAP: f64 = 0.002;

type Reach = [Tally; POLICIES.len()];

/// Share of the time, from the start, that is used for learning and not measured.
const LEARNING_SHARE: f64 = 0.25;

pub(crate) fn run(options: &Options, report: &mut Report) -> Result<()> {
    let wants = |part: Part| options.part.is_none_or(|only| only == part);
    if wants(Part::Synthetic) {
        add_synthetic(options, report);
    }
    let collections = histories::collections();
    for collection in collections.iter().filter(|one| one.name.contains(&options.only)) {
        if wants(Part::Histories) {
            add_histories(collection, options.seeds, report);
        }
        if wants(Part::HalfLife) {
            add_half_lives(collection, report);
        }
    }
    Ok(())
}

fn worlds() -> Vec<Pages> {
    let normal = |centre, within: f64, all: f64| Spread::Normal {
        centre,
        between: (all * all - within * within).sqrt(),
        within,
    };
    let group = Pages {
        name: "400 patterns of 50, within 0.5",
        patterns: 400,
        pages: 50,
        spread: Spread::Normal {
            centre: -1.5,
            between: 1.5,
            within: 0.5,
        },
        budget: 0.4,
        dated: false,
        weighted: false,
    };
    let within = |name, within| Pages {
        name,
        spread: Spread::Normal {
            centre: -1.5,
            between: 1.5,
            within,
        },
        ..group
    };
    let large = Pages {
        name: "200,000 pages, budget 5 % of changes",
        patterns: 4000,
        spread: normal(-3.0, 0.5, 1.5),
        budget: 0.05 * (-3.0_f64 + 1.125).exp(),
        weighted: true,
        ..group
    };
    vec![
        within("400 patterns of 50, within 0.2", 0.2),
        group,
        Pages {
            name: "the same, with dates",
            dated: true,
            ..group
        },
        within("400 patterns of 50, within 1.0", 1.0),
        Pages {
            name: "even centres, two kinds of pages, 10 % strangers",
            spread: Spread::Odd {
                low: -4.0,
                high: 1.0,
                apart: 0.5,
            },
            ..group
        },
        Pages {
            name: "2,000 patterns of 3, within 0.5",
            patterns: 2000,
            pages: 3,
            ..group
        },
        large,
        Pages {
            name: "200,000 pages, budget 20 % of changes",
            budget: 4.0 * large.budget,
            ..large
        },
    ]
}

fn add_synthetic(options: &Options, report: &mut Report) {
    report.table(&[
        "made-up pages: share of the gap closed",
        "gaps",
        "visits",
        "per page",
        "pattern",
        "all it can be",
        "uniform",
        "oracle",
    ]);
    for world in worlds()
        .into_iter()
        .filter(|world| world.name.contains(&options.only))
    {
        // The large worlds vary little between seeds, and are slow.
        let most = if world.patterns > 2000 { 3 } else { u64::MAX };
        for visits in VISITS {
            let reached = each_seed(options.seeds.min(most), |seed| {
                synthetic::daily(&world, visits, seed)
            });
            add_row(&world, "daily", visits, &reached, report);
        }
        if world.patterns <= 400 {
            let reached = each_seed(options.seeds.min(4), |seed| synthetic::own(&world, 10, seed));
            add_row(&world, "its own", 10, &reached, report);
        }
    }
}

fn each_seed(seeds: u64, of: impl Fn(u64) -> Reached) -> Vec<Reached> {
    (1..=seeds).map(of).collect()
}

fn add_row(world: &Pages, gaps: &str, visits: u32, reached: &[Reached], report: &mut Report) {
    let over_seeds = |of: &dyn Fn(&Reached) -> Option<f64>| {
        let values: Option<Vec<f64>> = reached.iter().map(of).collect();
        mean(&values.unwrap_or_default())
    };
    let means = [
        ("per page", over_seeds(&|one| Some(one.closed(one.plug_in)))),
        ("pattern", over_seeds(&|one| Some(one.closed(one.pattern)))),
        ("all it can be", over_seeds(&|one| Some(one.closed(one.limit?)))),
        ("uniform", over_seeds(&|one| Some(one.uniform))),
        ("oracle", over_seeds(&|one| Some(one.oracle))),
    ];
    let name = [world.name.to_owned(), gaps.to_owned(), visits.to_string()];
    for (quantity, mean) in means {
        if let Some(mean) = mean {
            let name = format!("{}, {quantity}", name.join(", "));
            report.add(Figure::new(name, mean, "share").more_is_better());
        }
    }
    report.row(name.into_iter().chain(means.map(|(_, mean)| cell(mean, "share"))));
}

/// Adds results on real pages at several budgets: freshness, and the share of the gap that is
/// closed.
fn add_histories(collection: &Collection, seeds: u64, report: &mut Report) {
    let head = format!("{}: gap, days", collection.name);
    let names = POLICIES.map(|(_, name)| name);
    report.table(&[&[head.as_str()], &names[..], &names[1..ORACLE]].concat());
    for gap in GAPS {
        let run = |lives: &[Life]| {
            let world = world(lives);
            POLICIES.map(|(policy, _)| visited(&world, gap, policy))
        };
        let all = run(&collection.lives);
        let drawn: Vec<Reach> = (1..=seeds)
            .map(|seed| run(&draw(&collection.lives, seed)))
            .collect();
        let mut row = vec![gap.to_string()];
        for (at, name) in names.iter().enumerate() {
            let fresh: Vec<f64> = drawn.iter().map(|one| one[at].freshness()).collect();
            let mean = spread_as_drawn(all[at].freshness(), &fresh);
            let missed = 100.0 * all[at].missed();
            row.push(format!("{}, {missed:.1} % missed", cell(Some(mean), "share")));
            let name = format!("{}, every {gap} days, {name}: freshness", collection.name);
            report.add(
                Figure::new(name, mean, "share")
                    .more_is_better()
                    .beside("missed", all[at].missed()),
            );
        }
        row.extend((1..ORACLE).map(|at| cell(closed(&all, &drawn, at), "share")));
        report.row(row);
    }
}

/// Visits the pages of a world, each on average once in `gap` days.
fn visited(world: &World, gap: f64, policy: Policy) -> Tally {
    let weeks = world.full.len() as u32;
    let visits = (0..weeks).map(|week| (f64::from(world.count(f64::from(week))) * DAYS / gap).round() as u32);
    let scenario = Scenario {
        visits: visits.collect(),
        learning: (f64::from(weeks) * LEARNING_SHARE) as u32,
        has_uniform_learning: false,
        discovery: Discovery::Shown,
    };
    simulate(world, &scenario, policy).tally
}

/// Adds the freshness with each half-life, and without one.
fn add_half_lives(collection: &Collection, report: &mut Report) {
    let head = format!("{}: freshness by half-life; gap, days", collection.name);
    let days = HALF_LIVES.map(|days| days.to_string());
    let days: Vec<&str> = days.iter().map(String::as_str).chain(["none"]).collect();
    report.table(&[&[head.as_str()], &days[..]].concat());
    let policies = HALF_LIVES
        .map(Policy::HalfLife)
        .into_iter()
        .chain([Policy::Pattern]);
    let world = world(&collection.lives);
    for gap in GAPS {
        let mut row = vec![gap.to_string()];
        for (policy, days) in policies.clone().zip(&days) {
            let fresh = visited(&world, gap, policy).freshness();
            row.push(cell(Some(fresh.into()), "share"));
            let name = format!(
                "{}, every {gap} days, half-life {days}: freshness",
                collection.name
            );
            report.add(Figure::new(name, fresh, "share").more_is_better());
        }
        report.row(row);
    }
}

/// Returns a value with an interval from values that were each computed on a drawn sample of the
/// full size: they spread as the measured value does.
fn spread_as_drawn(value: f64, drawn: &[f64]) -> Mean {
    let interval = mean(drawn).and_then(|mean| mean.interval).map(|(low, high)| {
        let half = (high - low) / 2.0 * (drawn.len() as f64).sqrt();
        (value - half, value + half)
    });
    Mean {
        interval,
        ..value.into()
    }
}

/// Returns the share of the gap closed, if there is one. If pages are all alike, or all fresh, the
/// oracle has no gain.
fn closed(all: &Reach, drawn: &[Reach], at: usize) -> Option<Mean> {
    let gap = |one: &Reach| one[ORACLE].freshness() - one[0].freshness();
    let share = |one: &Reach| (one[at].freshness() - one[0].freshness()) / gap(one);
    // Draws without a gap of their own would give arbitrary shares.
    let with_gap = drawn.iter().filter(|one| gap(one) >= MIN_GAP);
    let shares: Vec<f64> = with_gap.map(share).collect();
    (gap(all) >= MIN_GAP).then(|| spread_as_drawn(share(all), &shares))
}

/// Draws the same number of groups of pages, with replacement.
fn draw(lives: &[Life], seed: u64) -> Vec<Life> {
    let mut groups: Vec<&str> = lives.iter().map(|life| life.group.as_str()).collect();
    groups.sort_unstable();
    groups.dedup();
    let mut random = Random::new(seed, 0);
    let mut drawn = Vec::new();
    for _ in 0..groups.len() {
        let group = groups[random.below(groups.len())];
        drawn.extend(lives.iter().filter(|life| life.group == group).cloned());
    }
    drawn
}
