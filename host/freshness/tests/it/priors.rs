//! Priors, posteriors, and learning from patterns.

use magpie_freshness::change::{Goal, History, Observation, Population, RatePrior};
use magpie_freshness::schedule::{Page, expected, optimal};

use crate::support::{Random, near};

fn log_normal(centre: f64, deviation: f64) -> RatePrior {
    RatePrior::LogNormal { centre, deviation }
}

fn seen(gaps: &[(f64, bool)]) -> History {
    let mut history = History::default();
    for (gap, changed) in gaps {
        history.add(
            *gap,
            if *changed {
                Observation::Changed
            } else {
                Observation::Same
            },
        );
    }
    history
}

#[test]
fn without_visits_a_page_has_its_prior() {
    let posterior = log_normal(-1.0, 0.7).posterior(&History::default());
    near(posterior.log_mean, -1.0, 1e-6);
    near(posterior.log_deviation, 0.7, 1e-5);
    near(posterior.mean, f64::exp(-1.0 + 0.7 * 0.7 / 2.0), 1e-5);
    let posterior = RatePrior::Gamma {
        shape: 2.5,
        time: 5.0,
    }
    .posterior(&History::default());
    near(posterior.mean, 0.5, 1e-5);
    near(posterior.deviation, 2.5_f64.sqrt() / 5.0, 1e-4);
}

/// Counts update a gamma distribution to another one.
#[test]
fn counts_update_gamma_exactly() {
    let mut history = History::default();
    history.add(4.0, Observation::Counted(7));
    history.add(2.0, Observation::Counted(0));
    let prior = RatePrior::Gamma {
        shape: 1.5,
        time: 3.0,
    };
    let posterior = prior.posterior(&history);
    near(posterior.mean, 8.5 / 9.0, 1e-6);
    near(posterior.deviation, 8.5_f64.sqrt() / 9.0, 1e-5);
    let unchanged = prior.belief_after(&history).unchanged_after(1.0);
    near(unchanged, (9.0_f64 / 10.0).powf(8.5), 1e-5);
}

/// Compares with a plain sum over a fine grid.
#[test]
fn posteriors_follow_bayes_rule() {
    let cases = [
        seen(&[(1.0, true); 10]),
        seen(&[(1.0, false); 30]),
        seen(&[(0.5, true), (3.0, false), (9.0, true), (0.1, false)]),
    ];
    for history in &cases {
        let prior = log_normal(-1.5, 1.2);
        let (mut weight, mut mean) = (0.0, 0.0);
        for step in -4000..4000 {
            let log = f64::from(step) / 400.0;
            let rate = log.exp();
            let mut chance = (-(log + 1.5_f64).powi(2) / (2.0 * 1.2 * 1.2)).exp();
            for (gap, changed) in gaps_of(history, &cases) {
                let same = (-rate * gap).exp();
                chance *= if changed { 1.0 - same } else { same };
            }
            weight += chance;
            mean += chance * rate;
        }
        near(prior.posterior(history).mean, mean / weight, 1e-4 * mean / weight);
    }
}

fn gaps_of(history: &History, cases: &[History]) -> Vec<(f64, bool)> {
    match cases.iter().position(|case| case == history) {
        Some(0) => vec![(1.0, true); 10],
        Some(1) => vec![(1.0, false); 30],
        _ => vec![(0.5, true), (3.0, false), (9.0, true), (0.1, false)],
    }
}

#[test]
fn many_changes_at_many_gaps_have_a_posterior() {
    let mut history = History::default();
    for number in 0..240 {
        history.add(0.3 + 0.01 * f64::from(number % 40), Observation::Changed);
    }
    history.add(48.7, Observation::Same);
    let likely = history.most_likely_rate().unwrap();
    // This much evidence outweighs a prior three deviations away.
    near(
        log_normal(-4.2, 2.2).posterior(&history).mean,
        likely,
        0.05 * likely,
    );
}

#[test]
fn posteriors_are_always_finite() {
    let mut random = Random(31);
    for _ in 0..2000 {
        let mut history = History::default();
        for _ in 0..(random.share() * 40.0) as usize {
            let gap = 10_f64.powf(24.0 * random.share() - 12.0);
            let observation = match (random.share() * 5.0) as u32 {
                0 => Observation::Same,
                1 => Observation::Changed,
                2 => Observation::ChangedAgo(gap * random.share()),
                3 => Observation::Counted((random.share() * 1e6) as u32),
                _ => Observation::Claimed {
                    doubt: 10_f64.powf(8.0 * random.share() - 4.0),
                },
            };
            history.add(gap, observation);
        }
        for prior in [
            log_normal(0.0, 3.0),
            log_normal(-20.0, 0.05),
            RatePrior::Gamma {
                shape: 0.05,
                time: 1e6,
            },
        ] {
            let belief = prior.belief_after(&history);
            assert!(
                belief.rate() > 0.0 && belief.rate().is_finite(),
                "{prior:?} {history:?} {belief:?}"
            );
            assert!((0.0..=1.0).contains(&belief.unchanged_after(1.0)));
        }
    }
}

/// Patterns of pages visited daily.
struct Synthetic {
    rates: Vec<f64>,
    histories: Vec<History>,
}

fn synthetic(patterns: usize, pages: usize, within: f64, visits: usize, seed: u64) -> Synthetic {
    let mut random = Random(seed);
    let mut synthetic = Synthetic {
        rates: Vec::new(),
        histories: Vec::new(),
    };
    for _ in 0..patterns {
        let centre = -1.5 + 1.5 * random.normal();
        for _ in 0..pages {
            let rate = (centre + within * random.normal()).exp();
            let mut history = History::default();
            for _ in 0..visits {
                let changed = random.wait(rate) < 1.0;
                history.add(
                    1.0,
                    if changed {
                        Observation::Changed
                    } else {
                        Observation::Same
                    },
                );
            }
            synthetic.rates.push(rate);
            synthetic.histories.push(history);
        }
    }
    synthetic
}

#[test]
fn a_population_is_recovered() {
    let synthetic = synthetic(200, 40, 0.6, 15, 3);
    let (population, priors) = Population::learn(&Population::guess(1.0), synthetic.histories.chunks(40));
    near(population.centre, -1.5, 0.3);
    near(population.between, 1.5, 0.25);
    near(population.within, 0.6, 0.12);
    assert_eq!(priors.len(), 200);
}

#[test]
fn a_pattern_without_visits_has_the_population_prior() {
    let synthetic = synthetic(60, 20, 0.5, 10, 5);
    let none = vec![History::default(); 20];
    let patterns = synthetic.histories.chunks(20).chain([none.as_slice()]);
    let (population, priors) = Population::learn(&Population::guess(1.0), patterns);
    let RatePrior::LogNormal { centre, deviation } = priors[60] else {
        panic!("a log-normal")
    };
    // Both are still converging when the iterations end.
    near(centre, population.centre, 1e-2);
    assert!(deviation >= 0.95 * population.between);
    let RatePrior::LogNormal { centre, .. } = population.new_pattern() else {
        panic!("a log-normal")
    };
    near(centre, population.centre, 1e-12);
}

#[test]
fn a_pattern_of_few_pages_borrows_from_the_others() {
    let population = Population {
        centre: -3.0,
        between: 0.5,
        within: 0.5,
    };
    let centre = |pages: usize| {
        let always = vec![seen(&[(1.0, true); 8]); pages];
        let RatePrior::LogNormal { centre, .. } = population.pattern(&always) else {
            panic!("a log-normal")
        };
        centre
    };
    assert!(
        centre(1) < centre(5) && centre(5) < centre(200),
        "{} {} {}",
        centre(1),
        centre(5),
        centre(200)
    );
    near(
        population.pattern(&[]).belief().rate(),
        population.new_pattern().belief().rate(),
        1e-6,
    );
}

/// A pattern that never changed is estimated as slow by all observations of its pages, beside one
/// that always changes.
#[test]
fn a_pattern_that_never_changes_is_slow_immediately() {
    let still = vec![seen(&[(1.0, false); 10]); 100];
    let busy = vec![seen(&[(1.0, true); 10]); 100];
    let (_, priors) = Population::learn(&Population::guess(1.0), [&still, &busy]);
    // A thousand visits without a change: a rate of 1/200 would have shown five, and has a
    // probability of one in 150.
    let rate = priors[0].belief().rate();
    assert!(rate < 1.0 / 200.0, "{rate}");
    // At a rate of 1 there would be 368 visits without a change.
    let same = priors[1].belief().unchanged_after(1.0);
    assert!(same < 0.05, "{same}");
}

/// Beliefs have the right probability of no change over time, even if the distribution is not
/// gamma: every visit, or none, saw a change.
#[test]
fn beliefs_match_the_survival_of_their_distribution() {
    let prior = log_normal(0.0, 2.0);
    for visits in [[(1.0, true); 30], [(1.0, false); 30]] {
        let history = seen(&visits);
        let belief = prior.belief_after(&history);
        for time in [0.01, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0] {
            let (mut all, mut same) = (0.0, 0.0);
            for index in -4000..4000 {
                let log = f64::from(index) / 400.0;
                let weight = (-log * log / 8.0 + history.log_likelihood(log.exp())).exp();
                all += weight;
                same += weight * (-log.exp() * time).exp();
            }
            near(belief.unchanged_after(time), same / all, 0.05);
        }
    }
}

/// New objects of lists, counted: a gamma prior is recovered.
#[test]
fn rates_of_new_objects_are_learned_from_counts() {
    let mut random = Random(17);
    // Of shape two: the sum of two exponentials, with mean three per day.
    let lists = (0..800).map(|_| {
        let rate = random.wait(1.0 / 1.5) + random.wait(1.0 / 1.5);
        let (mut count, mut time) = (0, random.wait(rate));
        while time < 10.0 {
            count += 1;
            time += random.wait(rate);
        }
        let mut history = History::default();
        history.add(10.0, Observation::Counted(count));
        history
    });
    let lists: Vec<History> = lists.collect();
    let Some(RatePrior::Gamma { shape, time }) = RatePrior::gamma_of(&lists) else {
        panic!("a gamma")
    };
    near(shape, 2.0, 0.35);
    near(shape / time, 3.0, 0.3);
    assert_eq!(RatePrior::gamma_of(&[]), None);
}

/// Deaths are events at a rate, too: nearly all pages live, a few are gone at a visit.
#[test]
fn rates_of_death_are_learned_from_few() {
    let alive = vec![seen(&[(30.0, false); 4]); 95];
    let dead = vec![seen(&[(30.0, false), (30.0, true)]); 5];
    let prior = RatePrior::gamma_of(alive.iter().chain(&dead)).unwrap();
    // Five deaths in at most 95·120 + 5·60 days.
    near(prior.belief().rate(), 5.0 / 11_600.0, 1.5e-4);
}

/// The purpose of all this: plans from few visits are better than equal frequencies, and those from
/// each page's own estimate are worse.
#[test]
fn patterns_close_the_gap_to_the_oracle() {
    let synthetic = synthetic(200, 50, 0.5, 10, 21);
    let truth: Vec<Page> = synthetic.rates.iter().map(|rate| Page::of_rate(*rate)).collect();
    let budget = 0.4 * truth.len() as f64;
    let reached = |frequencies: &[f64]| expected(&truth, Goal::Freshness, frequencies);
    let plan = |pages: Vec<Page>| reached(&optimal(&pages, Goal::Freshness, budget).frequencies);
    let (_, priors) = Population::learn(&Population::guess(1.0), synthetic.histories.chunks(50));
    let learned = synthetic
        .histories
        .iter()
        .enumerate()
        .map(|(number, history)| Page {
            belief: priors[number / 50].belief_after(history),
            weight: 1.0,
        });
    let alone = synthetic
        .histories
        .iter()
        .map(|history| Page::of_rate(history.most_likely_rate().unwrap().min(1e6)));
    let (same, best) = (
        reached(&vec![budget / truth.len() as f64; truth.len()]),
        plan(truth.clone()),
    );
    let closed = (plan(learned.collect()) - same) / (best - same);
    // About 0.85 ± 0.02 over many seeds.
    assert!(closed > 0.8, "{closed}");
    assert!(plan(alone.collect()) < same);
}
