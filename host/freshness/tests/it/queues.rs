//! The queue: due pages, their order, and the limits of sites.

use magpie_freshness::change::{Belief, Goal};
use magpie_freshness::schedule::{Page, Place, Queue, expected, optimal};

use crate::support::{Random, near};

fn queue(price: f64) -> Queue {
    Queue::new(Goal::Freshness, price, f64::INFINITY)
}

#[test]
fn a_page_is_due_when_its_value_is_the_price() {
    let mut queue = queue(0.2);
    let site = queue.add_site(0.0);
    let page = Page::of_rate(1.0);
    let place = queue.add(site, page, 10.0).unwrap();
    let due = 10.0 + page.belief.gap_for(Goal::Freshness, 0.2);
    near(queue.due_at(place).unwrap(), due, 1e-12);
    assert_eq!(queue.take(due - 1e-6), None);
    let taken = queue.take(due + 1e-9).unwrap();
    assert_eq!((taken.place, taken.site), (place, site));
    near(taken.value, 0.2, 1e-6);
    // It is not offered again until it was fetched.
    assert_eq!(queue.take(1e9), None);
    queue.fetched(place, due, page);
    near(queue.due_at(place).unwrap(), due + (due - 10.0), 1e-9);
}

#[test]
fn the_most_valuable_overdue_page_comes_first() {
    let mut queue = queue(0.01);
    let site = queue.add_site(0.0);
    let page = |rate: f64, weight: f64| Page {
        weight,
        ..Page::of_rate(rate)
    };
    let pages = [page(0.1, 1.0), page(5.0, 1.0), page(0.1, 3.0), page(1.0, 1.0)];
    let places: Vec<Place> = pages
        .iter()
        .map(|page| queue.add(site, *page, 0.0).unwrap())
        .collect();
    // After a week of downtime: values 1.6, 0.2, 4.7, and 1.0.
    let order: Vec<Place> = std::iter::from_fn(|| queue.take(7.0))
        .map(|due| due.place)
        .collect();
    assert_eq!(order, [places[2], places[0], places[3], places[1]]);
}

#[test]
fn a_new_page_precedes_less_valuable_ones() {
    let mut queue = queue(0.01);
    let sites = [queue.add_site(0.0), queue.add_site(0.0)];
    // Both sites have more due pages than there are visits; the second has the least valuable ones.
    for _ in 0..50 {
        queue.add(sites[0], Page::of_rate(1.0), 0.0);
        queue.add(sites[1], Page::of_rate(20.0), 0.0);
    }
    let first = queue.take(7.0).expect("all are overdue");
    assert_eq!(first.site, sites[0]);
    let new = queue
        .add(sites[1], Page::of_rate(0.1), f64::NEG_INFINITY)
        .unwrap();
    assert_eq!(queue.take(7.1).map(|due| due.place), Some(new));
    assert_eq!(queue.take(7.2).map(|due| due.site), Some(sites[0]));
    // The same for a page whose belief changes.
    let known = queue.add(sites[1], Page::of_rate(30.0), 0.0).unwrap();
    queue.update(known, Page::of_rate(0.2));
    assert_eq!(queue.take(7.3).map(|due| due.place), Some(known));
}

#[test]
fn a_site_is_accessed_no_sooner_than_its_gap() {
    let mut queue = queue(1e-6);
    let (slow, quick) = (queue.add_site(10.0), queue.add_site(1.0));
    for site in [slow, quick] {
        for _ in 0..100 {
            queue.add(site, Page::of_rate(1.0), 0.0);
        }
    }
    let mut times = [Vec::new(), Vec::new()];
    let mut now = 1.0;
    while now < 60.0 {
        match queue.take(now) {
            Some(due) => {
                times[due.site.0 as usize].push(now);
                queue.fetched(due.place, now, Page::of_rate(1.0));
            }
            None => now += 0.01,
        }
    }
    for (times, gap) in times.iter().zip([10.0, 1.0]) {
        assert!(times.windows(2).all(|pair| pair[1] - pair[0] >= gap - 1e-9));
        assert!(times.len() as f64 >= 59.0 / gap - 1.0, "{}", times.len());
    }
}

#[test]
fn the_current_belief_counts() {
    let mut queue = queue(0.1);
    let site = queue.add_site(0.0);
    let places: Vec<Place> = (0..3)
        .map(|_| queue.add(site, Page::of_rate(0.01), 0.0).unwrap())
        .collect();
    queue.update(places[1], Page::of_rate(1.0));
    let due = queue.due_at(places[1]).unwrap();
    assert_eq!(queue.take(due + 1e-9).map(|due| due.place), Some(places[1]));
    queue.remove(places[0]);
    queue.remove(places[0]);
    queue.update(places[0], Page::of_rate(5.0));
    assert_eq!(queue.due_at(places[0]), None);
    // Its slot is reused for another page, which is unrelated.
    assert_eq!(queue.add(site, Page::of_rate(0.5), 1000.0), Some(places[0]));
    assert_eq!(queue.take(999.0).map(|due| due.place), Some(places[2]));
    assert_eq!(queue.take(999.0), None);
}

#[test]
fn without_a_budget_nothing_is_due() {
    let mut queue = queue(f64::INFINITY);
    let site = queue.add_site(0.0);
    queue.add(site, Page::of_rate(1.0), f64::NEG_INFINITY);
    queue.add(
        site,
        Page {
            weight: f64::INFINITY,
            ..Page::of_rate(1.0)
        },
        0.0,
    );
    assert_eq!(queue.take(1e12), None);
}

#[test]
fn new_pages_are_due_at_once_and_worthless_ones_never() {
    let mut queue = queue(0.1);
    let site = queue.add_site(0.0);
    let new = queue.add(site, Page::of_rate(0.5), f64::NEG_INFINITY).unwrap();
    queue.add(
        site,
        Page {
            weight: 0.0,
            ..Page::of_rate(0.5)
        },
        f64::NEG_INFINITY,
    );
    queue.add(site, Page::of_rate(0.0), 0.0);
    assert_eq!(queue.take(-1e9).map(|due| due.place), Some(new));
    assert_eq!(queue.take(1e12), None);
    assert!(
        queue
            .add(magpie_freshness::schedule::SiteSlot(7), Page::of_rate(1.0), 0.0)
            .is_none()
    );
}

#[test]
fn no_page_waits_longer_than_the_longest_gap() {
    let mut queue = Queue::new(Goal::Freshness, 0.5, 30.0);
    let site = queue.add_site(0.0);
    // Changes far too often to be worth a visit, and never.
    let fast = queue.add(site, Page::of_rate(1000.0), 0.0).unwrap();
    let never = queue.add(site, Page::of_rate(0.0), 5.0).unwrap();
    assert_eq!(queue.take(29.9), None);
    assert_eq!(queue.take(30.0).map(|due| due.place), Some(fast));
    assert_eq!(queue.take(35.0).map(|due| due.place), Some(never));
}

#[test]
fn a_taken_page_is_not_offered_again() {
    let mut queue = queue(0.2);
    let site = queue.add_site(0.0);
    let place = queue.add(site, Page::of_rate(1.0), 0.0).unwrap();
    assert!(queue.take(10.0).is_some());
    queue.update(place, Page::of_rate(2.0));
    assert_eq!(queue.take(1e6), None);
    queue.remove(place);
    queue.fetched(place, 11.0, Page::of_rate(1.0));
    assert_eq!(queue.take(1e6), None);
}

/// Compares with a linear search at each step.
#[test]
fn the_queue_matches_a_linear_search() {
    let mut random = Random(13);
    let price = 0.15;
    let mut queue = queue(price);
    let site = queue.add_site(0.0);
    let mut plain: Vec<(Place, Page, f64)> = Vec::new();
    let mut now = 0.0;
    for _ in 0..3000 {
        now += 0.05 * random.share();
        let page = Page {
            belief: Belief::uncertain((random.normal() - 1.0).exp(), random.share()),
            weight: 0.2 + random.share(),
        };
        let some = (random.share() * plain.len().max(1) as f64) as usize;
        match (random.share() * 10.0) as u32 {
            0..=2 => {
                let last = now - random.share();
                plain.push((queue.add(site, page, last).unwrap(), page, last));
            }
            3..=4 if !plain.is_empty() => {
                queue.update(plain[some].0, page);
                plain[some].1 = page;
            }
            5 if !plain.is_empty() => queue.remove(plain.swap_remove(some).0),
            _ => {
                let worth = |(_, page, last): &(Place, Page, f64)| {
                    page.weight * page.belief.value(Goal::Freshness, now - last)
                };
                let due = plain.iter().filter(|page| worth(page) >= price).count();
                let taken = queue.take(now);
                assert_eq!(taken.is_some(), due > 0);
                if let Some(taken) = taken {
                    let page = plain.iter_mut().find(|page| page.0 == taken.place).unwrap();
                    near(taken.value, worth(page), 1e-9);
                    page.2 = now;
                    queue.fetched(taken.place, now, page.1);
                }
            }
        }
    }
}

/// Fetching due pages at the price of the optimal plan uses its budget and achieves its freshness.
#[test]
fn the_queue_reproduces_the_optimal_plan() {
    let mut random = Random(29);
    let pages: Vec<Page> = (0..500)
        .map(|_| Page::of_rate((1.2 * random.normal() - 1.0).exp()))
        .collect();
    let (budget, days) = (60.0, 400.0);
    let plan = optimal(&pages, Goal::Freshness, budget);
    let mut queue = queue(plan.price);
    let site = queue.add_site(0.0);
    for page in &pages {
        queue.add(site, *page, -random.share());
    }
    let (mut now, mut visits, mut fresh) = (0.0, 0, 0.0);
    while now < days {
        match queue.take(now) {
            Some(due) => {
                visits += 1;
                let belief = pages[due.place.0 as usize].belief;
                fresh += due.gap * belief.freshness(1.0 / due.gap);
                queue.fetched(due.place, now, pages[due.place.0 as usize]);
            }
            None => now += 1e-3,
        }
    }
    near(f64::from(visits) / days, budget, 0.02 * budget);
    near(
        fresh / days / 500.0,
        expected(&pages, Goal::Freshness, &plan.frequencies),
        0.01,
    );
}
