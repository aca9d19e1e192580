//! Share of the gain from perfect knowledge of change rates that learning them achieves.
//!
//! `cargo run --release -p magpie-freshness --example freshness_gap -- [synthetic|replay|half-life]
//! [seeds] [part of a name]`
//!
//! Synthetic pages show it where everything is known. Each row has a distribution of rates and a
//! number of visits per page. It shows the share of the gap between uniform visits and the oracle
//! that is closed by each page's own estimate, and by beliefs that start from the pattern. It also
//! shows the upper limit for these visits, which uses the true distribution of rates in each
//! pattern. Real histories show it where the model does not hold; their pages are drawn for each
//! seed, by service or page, with replacement. Intervals are 95%. `half-life` compares half-lives
//! of observations on these histories; `watch.half_life` was chosen by it.
#![expect(clippy::print_stdout, reason = "an example prints its figures")]

mod histories;
mod limit;
mod random;
mod replay;
mod synthetic;

use histories::{Collection, Life};
use random::{Interval, Random};
use replay::{Outcome, Policy, replay};
use synthetic::{Reached, Spread, World};

const VISITS: [u32; 3] = [2, 10, 30];
/// Half-lives in days. The policy with a half-life uses the second.
const HALF_LIVES: [u32; 6] = [60, 120, 180, 365, 730, 1_460];
/// Days between the visits to a page.
const GAPS: [f64; 5] = [60.0, 30.0, 14.0, 7.0, 3.0];
/// Uniform first and the oracle last.
const POLICIES: [Policy; 5] = [
    Policy::Uniform,
    Policy::PlugIn,
    Policy::Pattern,
    Policy::PatternHalfLife(HALF_LIVES[1]),
    Policy::Oracle,
];
const ORACLE: usize = POLICIES.len() - 1;
/// Minimum gain in freshness of the oracle for shares of it to be meaningful.
const MIN_GAP: f64 = 0.002;

/// Outcomes of all policies.
type Reach = [Outcome; POLICIES.len()];

fn main() {
    let mut arguments = std::env::args().skip(1);
    let part = arguments.next().unwrap_or_default();
    let seeds = arguments
        .next()
        .and_then(|seeds| seeds.parse().ok())
        .unwrap_or(10)
        .max(2);
    let wanted = arguments.next().unwrap_or_default();
    if part == "half-life" {
        for collection in histories::collections() {
            print_half_lives(&collection);
        }
        return;
    }
    if part != "replay" {
        print_synthetic(seeds, &wanted);
    }
    if part != "synthetic" {
        let collections = histories::collections().into_iter();
        for collection in collections.filter(|collection| collection.name.contains(&wanted)) {
            print_real(&collection, seeds);
        }
    }
}

fn worlds() -> Vec<World> {
    let normal = |centre, within: f64, all: f64| Spread::Normal {
        centre,
        between: (all * all - within * within).sqrt(),
        within,
    };
    let group = World {
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
    let within = |name, within| World {
        name,
        spread: Spread::Normal {
            centre: -1.5,
            between: 1.5,
            within,
        },
        ..group
    };
    let large = World {
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
        World {
            name: "the same, with dates",
            dated: true,
            ..group
        },
        within("400 patterns of 50, within 1.0", 1.0),
        World {
            name: "even centres, two kinds of pages, 10 % strangers",
            spread: Spread::Odd {
                low: -4.0,
                high: 1.0,
                apart: 0.5,
            },
            ..group
        },
        World {
            name: "2,000 patterns of 3, within 0.5",
            patterns: 2000,
            pages: 3,
            ..group
        },
        large,
        World {
            name: "200,000 pages, budget 20 % of changes",
            budget: 4.0 * large.budget,
            ..large
        },
    ]
}

fn print_synthetic(seeds: u64, wanted: &str) {
    println!("made-up pages: share of the gap closed, {seeds} seeds, freshness of uniform and oracle");
    println!(
        "{:50} {:>8} {:>6} {:>16} {:>15} {:>15} {:>7} {:>7}",
        "rates", "gaps", "visits", "per page", "pattern", "all it can be", "uniform", "oracle"
    );
    for world in worlds().into_iter().filter(|world| world.name.contains(wanted)) {
        // The large worlds vary little between seeds, and are slow.
        let seeds = if world.patterns > 2000 {
            seeds.min(3)
        } else {
            seeds
        };
        for visits in VISITS {
            print_row(
                &world,
                "daily",
                visits,
                &each_seed(seeds, |seed| synthetic::daily(&world, visits, seed)),
            );
        }
        if world.patterns <= 400 {
            print_row(
                &world,
                "its own",
                10,
                &each_seed(seeds.min(4), |seed| synthetic::own(&world, 10, seed)),
            );
        }
    }
}

fn each_seed(seeds: u64, of: impl Fn(u64) -> Reached) -> Vec<Reached> {
    (1..=seeds).map(of).collect()
}

fn print_row(world: &World, gaps: &str, visits: u32, reached: &[Reached]) {
    let show = |of: &dyn Fn(&Reached) -> f64| {
        if of(&reached[0]).is_nan() {
            return String::new();
        }
        let interval = Interval::of(&reached.iter().map(of).collect::<Vec<f64>>());
        format!("{:.3} ± {:.3}", interval.mean, interval.half)
    };
    let mean = |of: &dyn Fn(&Reached) -> f64| reached.iter().map(of).sum::<f64>() / reached.len() as f64;
    println!(
        "{:50} {gaps:>8} {visits:>6} {:>16} {:>15} {:>15} {:>7.4} {:>7.4}",
        world.name,
        show(&|one| one.closed(one.plug_in)),
        show(&|one| one.closed(one.pattern)),
        show(&|one| one.closed(one.limit.unwrap_or(f64::NAN))),
        mean(&|one| one.uniform),
        mean(&|one| one.oracle)
    );
}

/// Prints results on real pages at several budgets.
fn print_real(collection: &Collection, seeds: u64) {
    let changes: usize = collection.lives.iter().map(|life| life.changes.len()).sum();
    println!(
        "\n{}: {} pages, {changes} changes; freshness, and versions never seen",
        collection.name,
        collection.lives.len()
    );
    print!("{:>10}", "gap, days");
    for name in ["uniform", "per page", "pattern", "pattern of late", "oracle"] {
        print!(" {name:>23}");
    }
    println!(" {:>17} {:>17} {:>17}", "per page", "pattern", "pattern of late");
    for gap in GAPS {
        print_budget(collection, gap, seeds);
    }
}

/// Prints the freshness with each half-life, and without one.
fn print_half_lives(collection: &Collection) {
    println!(
        "\n{}: {} pages; freshness in percent",
        collection.name,
        collection.lives.len()
    );
    print!("{:>10}", "gap, days");
    for days in HALF_LIVES {
        print!(" {days:>8}");
    }
    println!(" {:>8}", "none");
    for gap in GAPS {
        print!("{gap:>10}");
        let policies = HALF_LIVES
            .map(Policy::PatternHalfLife)
            .into_iter()
            .chain([Policy::Pattern]);
        for policy in policies {
            let reached = replay(&collection.lives, 1.0 / gap, policy);
            print!(" {:>8.2}", 100.0 * reached.freshness);
        }
        println!();
    }
}

/// Prints a row: the outcome of each policy, and the share of the gap it closes.
fn print_budget(collection: &Collection, gap: f64, seeds: u64) {
    let run = |lives: &[Life]| POLICIES.map(|policy| replay(lives, 1.0 / gap, policy));
    let all = run(&collection.lives);
    let drawn: Vec<_> = (1..=seeds)
        .map(|seed| run(&draw(&collection.lives, seed)))
        .collect();
    print!("{gap:>10}");
    for (index, reached) in all.iter().enumerate() {
        let fresh: Vec<f64> = drawn.iter().map(|one| one[index].freshness).collect();
        let half = Interval::of_draws(&fresh);
        let cell = format!(
            "{:.4} ± {half:.4} {:5.1} %",
            reached.freshness,
            100.0 * reached.missed
        );
        print!(" {cell:>23}");
    }
    for index in 1..ORACLE {
        print!(" {:>17}", closed(&all, &drawn, index));
    }
    println!();
}

/// Returns the share of the gap closed, if there is one. If pages are all alike, or all fresh, the
/// oracle has no gain.
fn closed(all: &Reach, drawn: &[Reach], index: usize) -> String {
    let gap = |one: &Reach| one[ORACLE].freshness - one[0].freshness;
    if gap(all) < MIN_GAP {
        return "no gap".to_owned();
    }
    let share = |one: &Reach| (one[index].freshness - one[0].freshness) / gap(one);
    // Draws without a gap of their own would give arbitrary shares.
    let shares: Vec<f64> = drawn
        .iter()
        .filter(|one| gap(one) >= MIN_GAP)
        .map(share)
        .collect();
    let half = if shares.len() < 3 {
        f64::NAN
    } else {
        Interval::of_draws(&shares)
    };
    format!("{:.2} ± {half:.2}", share(all))
}

/// Draws the same number of groups of pages, with replacement.
fn draw(lives: &[Life], seed: u64) -> Vec<Life> {
    let mut groups: Vec<&str> = lives.iter().map(|life| life.group.as_str()).collect();
    groups.sort_unstable();
    groups.dedup();
    let mut random = Random::new(seed);
    let mut drawn = Vec::new();
    for _ in 0..groups.len() {
        let group = groups[(random.share() * groups.len() as f64) as usize];
        drawn.extend(lives.iter().filter(|life| life.group == group).cloned());
    }
    drawn
}
