//! Speed of finding frequencies, and of moving pages in the queue when their value changes.

use anyhow::Result;
use magpie_freshness::change::{Belief, Goal};
use magpie_freshness::schedule::{Page, Place, Queue, optimal, price};

use super::part::{Measured, Part, numbers};
use crate::figure::{Figure, Report};
use crate::random::Random;
use crate::sample::timed;

/// Pages of one site, on average.
const PAGES_OF_SITE: usize = 500;

/// Visits for each change that happens.
const VISITS: f64 = 0.2;

/// Target for the frequencies of ten million pages, in seconds.
const MAX_SECONDS: f64 = 10.0;

/// Target for the queue: changes in a second, in millions.
const MIN_CHANGES: f64 = 1.0;

/// Changes for each page of the queue.
const CHANGES: usize = 2;

/// Certainty of the rates: the spread of the belief.
const DOUBTS: [(&str, f64); 2] = [("known rates", 0.0), ("rates in doubt", 0.5)];

const GOALS: [(&str, Goal); 2] = [("freshness", Goal::Freshness), ("age", Goal::Age)];

pub(super) fn measure_frequencies(pages: usize, report: &mut Report) -> Result<()> {
    for (doubt, spread) in DOUBTS {
        for (place, (goal, _)) in GOALS.iter().enumerate() {
            let outcome = Part::new("frequencies", &[&pages, &spread, &place]).run()?;
            let name = format!("frequencies of {pages} pages, {doubt}, {goal}");
            let figure = Figure::new(name, outcome.get("seconds")?, "s").at_most(MAX_SECONDS);
            report.add(
                figure
                    .beside("on the wall", outcome.get("wall")?)
                    .beside("budget missed, %", outcome.get("missed")?)
                    .beside("MB", outcome.memory),
            );
        }
    }
    Ok(())
}

pub(super) fn measure_queue(pages: usize, report: &mut Report) -> Result<()> {
    for (doubt, spread) in DOUBTS {
        let outcome = Part::new("queue", &[&pages, &spread]).run()?;
        let name = format!("queue of {pages} pages, {doubt}: re-prioritised");
        report.add(
            Figure::new(name, outcome.get("changed")?, "million/s")
                .at_least(MIN_CHANGES)
                .beside("added", outcome.get("added")?)
                .beside("taken and put back", outcome.get("taken")?)
                .beside("MB", outcome.memory),
        );
    }
    Ok(())
}

pub(super) fn run_frequencies(part: &Part) -> Result<Measured> {
    let (count, spread, goal): (usize, f64, usize) = (part.value(0)?, part.value(1)?, part.value(2)?);
    let goal = GOALS[goal.min(1)].1;
    let pages = made_up(count, spread);
    let budget = budget(&pages);
    let (plan, cpu, wall) = timed(|| optimal(&pages, goal, budget));
    Ok(numbers([
        ("seconds", cpu.as_secs_f64()),
        ("wall", wall.as_secs_f64()),
        ("missed", (plan.visits() / budget - 1.0).abs() * 100.0),
    ]))
}

pub(super) fn run_queue(part: &Part) -> Result<Measured> {
    let (count, spread): (usize, f64) = (part.value(0)?, part.value(1)?);
    let pages = made_up(count, spread);
    let price = price(&pages, Goal::Freshness, budget(&pages));
    let mut queue = Queue::new(Goal::Freshness, price, f64::INFINITY);
    let sites: Vec<_> = (0..count.div_ceil(PAGES_OF_SITE))
        .map(|_| queue.add_site(1e-5))
        .collect();
    let mut random = Random::new(11, 0);
    let (places, cpu, _) = timed(|| {
        let added = pages
            .iter()
            .enumerate()
            .filter_map(|(number, page)| queue.add(sites[number / PAGES_OF_SITE], *page, -random.share()));
        added.collect::<Vec<Place>>()
    });
    let added = millions(places.len(), cpu);
    let ((), cpu, _) = timed(|| {
        for _ in 0..CHANGES * count {
            let number = random.below(count);
            let page = pages[number];
            let rate = page.belief.rate() * (0.8 + 0.4 * random.share());
            let belief = Belief::uncertain(rate, spread);
            queue.update(places[number], Page { belief, ..page });
        }
    });
    let changed = millions(CHANGES * count, cpu);
    let (taken, cpu, _) = timed(|| take_all(&mut queue, &pages));
    Ok(numbers([
        ("added", added),
        ("changed", changed),
        ("taken", millions(taken, cpu)),
    ]))
}

/// Takes as many pages as there are when they are due, and puts each back.
fn take_all(queue: &mut Queue, pages: &[Page]) -> usize {
    /// Days after which it is given up; the queue is not stopped by a limit here, so it never comes
    /// to that.
    const LAST_DAY: f64 = 1e6;
    /// Days after which it is asked again if no page is due: a few pages become due in them.
    const STEP: f64 = 1e-4;
    let (mut taken, mut now) = (0, 0.0);
    while taken < pages.len() && now < LAST_DAY {
        match queue.take(now) {
            Some(due) => {
                taken += 1;
                queue.fetched(due.place, now, pages[due.place.0 as usize]);
            }
            None => now += STEP,
        }
    }
    taken
}

fn made_up(count: usize, spread: f64) -> Vec<Page> {
    let mut random = Random::new(7, 0);
    let page = |_| Page {
        belief: Belief::uncertain((1.5 * random.normal() - 3.0).exp(), spread),
        weight: 0.1 + random.share().powf(-1.0 / 1.5),
    };
    (0..count).map(page).collect()
}

fn budget(pages: &[Page]) -> f64 {
    VISITS * pages.iter().map(|page| page.belief.rate()).sum::<f64>()
}

fn millions(count: usize, took: std::time::Duration) -> f64 {
    count as f64 / took.as_secs_f64().max(f64::MIN_POSITIVE) / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequencies_keep_the_budget() {
        for goal in [0, 1] {
            let measured = run_frequencies(&Part::new("frequencies", &[&2_000, &0.5, &goal])).unwrap();
            assert!(measured["missed"] < 1.0, "{measured:?}");
        }
    }

    #[test]
    fn a_queue_is_measured_in_all_it_does() {
        let measured = run_queue(&Part::new("queue", &[&2_000, &0.0])).unwrap();
        assert!(measured.values().all(|speed| *speed > 0.0), "{measured:?}");
    }
}
