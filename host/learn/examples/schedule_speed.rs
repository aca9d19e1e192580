//! How fast frequencies are found and pages find their place in the queue, in seconds of one core.
//!
//! `cargo run --release -p magpie-learn --example schedule_speed -- [pages for frequencies] [pages in the queue]`
#![expect(clippy::print_stdout, reason = "an example prints its figures")]

use std::time::{Duration, Instant};

use magpie_learn::change::{Belief, Goal};
use magpie_learn::schedule::{Page, Place, Queue, expected, optimal, price};

/// Pages of one site, on average.
const SITE: usize = 500;
/// Visits for each change that happens.
const SHARE: f64 = 0.2;

fn main() {
    let mut counts = std::env::args().skip(1).map_while(|count| count.parse().ok());
    let pages = counts.next().unwrap_or(10_000_000);
    let queued = counts.next().unwrap_or(1_000_000);
    for (name, spread) in [("known rates", 0.0), ("beliefs in doubt", 0.5)] {
        for goal in [Goal::Freshness, Goal::Age] {
            frequencies(name, pages, spread, goal);
        }
        requeue(name, queued, spread);
    }
}

fn made_up(count: usize, spread: f64) -> Vec<Page> {
    let mut random = Random(7);
    let page = |_| Page {
        belief: Belief::uncertain((1.5 * random.normal() - 3.0).exp(), spread),
        weight: 0.1 + random.share().powf(-1.0 / 1.5),
    };
    (0..count).map(page).collect()
}

fn frequencies(name: &str, count: usize, spread: f64, goal: Goal) {
    let pages = made_up(count, spread);
    let budget = SHARE * pages.iter().map(|page| page.belief.rate()).sum::<f64>();
    let start = Clock::start();
    let plan = optimal(&pages, goal, budget);
    let took = start.seconds();
    println!(
        "{name}: {goal:?} of {count} pages in {took:.2} s, budget missed by {:.1e}, reaches {:.4}",
        (plan.visits() / budget - 1.0).abs(),
        expected(&pages, goal, &plan.frequencies)
    );
}

fn requeue(name: &str, count: usize, spread: f64) {
    let pages = made_up(count, spread);
    let budget = SHARE * pages.iter().map(|page| page.belief.rate()).sum::<f64>();
    let mut queue = Queue::new(
        Goal::Freshness,
        price(&pages, Goal::Freshness, budget),
        f64::INFINITY,
    );
    let sites: Vec<_> = (0..count.div_ceil(SITE)).map(|_| queue.add_site(1e-5)).collect();
    let mut random = Random(11);
    let start = Clock::start();
    let places: Vec<Place> = pages
        .iter()
        .enumerate()
        .filter_map(|(number, page)| queue.add(sites[number / SITE], *page, -random.share()))
        .collect();
    per_second(name, "added", places.len(), &start);

    let start = Clock::start();
    for _ in 0..2 * count {
        let number = (random.share() * count as f64) as usize;
        let page = pages[number];
        let rate = page.belief.rate() * (0.8 + 0.4 * random.share());
        let belief = Belief::uncertain(rate, page.belief.spread());
        queue.update(places[number], Page { belief, ..page });
    }
    per_second(name, "re-prioritised at random", 2 * count, &start);

    let start = Clock::start();
    let (mut taken, mut now) = (0, 0.0);
    while taken < count && now < 1e6 {
        match queue.take(now) {
            Some(due) => {
                taken += 1;
                queue.fetched(due.place, now, pages[due.place.0 as usize]);
            }
            None => now = queue.next_time().max(now),
        }
    }
    per_second(name, "taken and put back", taken, &start);
    println!(
        "{name}: that was {now:.2} days of a budget of {:.2} a day per page",
        budget / count as f64
    );
}

fn per_second(name: &str, what: &str, count: usize, start: &Clock) {
    let took = start.seconds();
    println!(
        "{name}: {count} {what} in {took:.2} s, {:.2} million/s",
        count as f64 / took / 1e6
    );
}

/// The time the processor spent on this, where the system tells it; otherwise the time that passed.
struct Clock(Instant, Option<Duration>);

impl Clock {
    fn start() -> Self {
        Self(Instant::now(), Self::on_processor())
    }

    fn seconds(&self) -> f64 {
        let spent = self
            .1
            .zip(Self::on_processor())
            .map(|(from, to)| to.saturating_sub(from));
        spent.unwrap_or_else(|| self.0.elapsed()).as_secs_f64()
    }

    fn on_processor() -> Option<Duration> {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split_whitespace()
            .next()?
            .parse()
            .ok()
            .map(Duration::from_nanos)
    }
}

/// A small generator, the same on every run.
struct Random(u64);

impl Random {
    fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (((mixed ^ (mixed >> 31)) >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * self.share().ln()).sqrt() * (std::f64::consts::TAU * self.share()).cos()
    }
}
