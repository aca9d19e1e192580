//! Growth of selection, and its distance from the upper bound of any selection.

use anyhow::Result;
use magpie_patterns::select::{Candidates, CostAware, Goal, PatternSpec, Strategy as _};

use super::part::{Measured, Outcome, Part, numbers};
use crate::figure::{Figure, Report};
use crate::random::Random;
use crate::sample::timed;

/// Pairs of pattern and object for each pattern, on average.
const PAIRS_OF_PATTERN: usize = 10;

const PATTERNS_OF_SITE: usize = 20;

/// Maximum cost of the largest selection, in seconds and MB.
const MAX_SECONDS: f64 = 5.0;
const MAX_MEMORY: f64 = 2_000.0;

/// Maximum distance of a selection from its bound, in percent of it.
const MAX_GAP: f64 = 1.0;

/// Minimum total time of repeated selections, in seconds: small ones are too fast for the clock.
const MIN_TOGETHER: f64 = 0.5;

const COSTS: [(&str, &str); 2] = [("pages", "pages alone"), ("hubs", "pages, hubs and sites")];

/// Shares of all objects that are to be covered.
const SHARES: [f64; 2] = [1.0, 0.95];

pub(super) fn measure(sizes: &[usize], report: &mut Report) -> Result<()> {
    let largest = sizes.iter().copied().max().unwrap_or(0);
    for (costs, name) in COSTS {
        for share in SHARES {
            let mut least = None;
            for size in sizes.iter().copied() {
                let outcome = Part::new("selection", &[&size, &costs, &share]).run()?;
                let name = format!("selection, {size} pairs, {name}, {} %", share * 100.0);
                add(&name, &outcome, size == largest, &mut least, report)?;
            }
        }
    }
    Ok(())
}

/// The figures of one selection. `least` is the time for each step of n log n of the smallest.
fn add(
    name: &str,
    outcome: &Outcome,
    is_largest: bool,
    least: &mut Option<f64>,
    report: &mut Report,
) -> Result<()> {
    let pairs = outcome.get("pairs")?;
    let seconds = outcome.get("seconds")?;
    let of_step = seconds / (pairs * pairs.max(2.0).ln());
    let growth = of_step / *least.get_or_insert(of_step);
    let mut time = Figure::new(name, seconds, "s")
        .beside("on the wall", outcome.get("wall")?)
        .beside("patterns", outcome.get("patterns")?)
        .beside("pairs", pairs)
        .beside("chosen", outcome.get("chosen")?);
    let mut memory = Figure::new(format!("{name}: memory"), outcome.memory, "MB");
    let mut grown = Figure::new(
        format!("{name}: time for n log n, of the smallest's"),
        growth,
        "times",
    );
    if is_largest {
        time = time.at_most(MAX_SECONDS);
        memory = memory.at_most(MAX_MEMORY);
        grown = grown.at_most(1.0);
    }
    let gap = Figure::new(format!("{name}: above its bound"), outcome.get("gap")?, "%")
        .at_most(MAX_GAP)
        .beside("cost", outcome.get("cost")?);
    for figure in [time, grown, memory, gap] {
        report.add(figure);
    }
    Ok(())
}

pub(super) fn run(part: &Part) -> Result<Measured> {
    let (size, costs, share): (usize, String, f64) = (part.value(0)?, part.value(1)?, part.value(2)?);
    let candidates = candidates(size, costs == "hubs")?;
    let (mut seconds, mut wall, mut times) = (0.0, 0.0, 0.0);
    let selection = loop {
        let (selection, cpu, on_wall) =
            timed(|| CostAware::default().select(&candidates, Goal::Coverage(share)));
        seconds += cpu.as_secs_f64();
        wall += on_wall.as_secs_f64();
        times += 1.0;
        if seconds >= MIN_TOGETHER {
            break selection;
        }
    };
    Ok(numbers([
        ("seconds", seconds / times),
        ("wall", wall / times),
        ("patterns", candidates.patterns() as f64),
        ("pairs", candidates.pairs() as f64),
        ("chosen", selection.patterns.len() as f64),
        ("cost", selection.cost),
        ("gap", selection.gap() * 100.0),
    ]))
}

/// Patterns of Pareto-like size with popular objects and rare ones, as vertical sites have them.
fn candidates(pairs: usize, with_hubs: bool) -> Result<Candidates> {
    let patterns = pairs / PAIRS_OF_PATTERN;
    let objects = (pairs / 3).max(1);
    let mut random = Random::new(7, 0);
    let mut builder = Candidates::builder(u32::try_from(objects)?);
    let (mut site, mut hubs) = (0, [0; 2]);
    for pattern in 0..patterns {
        if pattern % PATTERNS_OF_SITE == 0 {
            site = builder.site(if with_hubs { 3.0 } else { 0.0 });
            hubs = [0; 2].map(|_| {
                let cost = (1 + random.below(20)) as f64;
                builder.hub(if with_hubs { cost } else { 0.0 })
            });
        }
        let size = pareto(&mut random).min(objects);
        let listed: Vec<u32> = (0..size).map(|_| popular(&mut random, objects)).collect();
        builder.pattern(PatternSpec {
            site,
            own_pages: (size + random.below(1 + size * 3)) as f64,
            hubs: &hubs[..=pattern % 2],
            objects: &listed,
            ..PatternSpec::default()
        })?;
    }
    Ok(builder.build())
}

/// A size with a long tail, ten on average.
fn pareto(random: &mut Random) -> usize {
    ((3.4 / random.share().powf(0.66)) as usize).clamp(1, 20_000)
}

/// Popularity falls with the rank to the power 0.6.
fn popular(random: &mut Random, objects: usize) -> u32 {
    ((objects as f64 * random.share().powf(2.5)) as usize).min(objects - 1) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_have_about_as_many_pairs_as_they_are_asked_for() {
        let candidates = candidates(20_000, true).unwrap();
        assert_eq!(candidates.patterns(), 2_000);
        assert!(
            (15_000..25_000).contains(&candidates.pairs()),
            "{}",
            candidates.pairs()
        );
    }

    #[test]
    fn a_selection_is_measured_whatever_its_costs() {
        for costs in ["pages", "hubs"] {
            let measured = run(&Part::new("selection", &[&1_000, &costs, &0.95])).unwrap();
            assert!(
                measured["seconds"] > 0.0 && measured["chosen"] > 0.0,
                "{measured:?}"
            );
        }
    }
}
