//! Tests of the changes from week to week, and of their rates.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::support::{fetch, visible};
use magpie_lab::{PageKind, RedesignKind, Size, Truth, Vertical, Web, WebSpec};

/// Returns a web of forty sites, large enough to measure rates.
fn web(vertical: Vertical) -> Arc<Web> {
    let spec = WebSpec {
        hazards: false,
        redesigns: 0,
        ..WebSpec::new(vertical, Size::Paper, 21).with_sites(40)
    };
    Arc::new(Web::new(spec))
}

fn current(truth: &Truth) -> BTreeSet<u32> {
    truth
        .objects
        .iter()
        .filter(|object| !object.is_gone)
        .map(|object| object.id)
        .collect()
}

/// Returns true if a count is within three standard deviations of the expected one.
fn within(count: usize, expected: f64) -> bool {
    (count as f64 - expected).abs() <= 3.0 * expected.sqrt() + 1.0
}

#[test]
fn objects_come_and_go_at_the_stated_rates() {
    let weeks = 10;
    // New objects and removed objects a week, as shares of the initial ones.
    for (vertical, coming, leaving) in [
        (Vertical::Events, 0.05, None),
        (Vertical::Books, 0.006, Some(0.002)),
        (Vertical::Products, 0.015, Some(0.012)),
    ] {
        let web = web(vertical);
        let stock = f64::from(web.spec().objects);
        let (first, last) = (web.truth(0), web.truth(weeks));
        let (before, after) = (current(&first), current(&last));
        let came = after
            .difference(&before)
            .filter(|id| f64::from(**id) >= stock)
            .count();
        let left = before.difference(&after).count();
        match leaving {
            // Events of the next weeks pass: half of a stock that reaches twenty weeks ahead. A
            // site may list new ones two weeks late, and some of these have passed again.
            None => {
                assert!(
                    (0.35..0.6).contains(&(left as f64 / before.len() as f64)),
                    "{left} of {}",
                    before.len()
                );
                assert!((0.2..0.5).contains(&(came as f64 / stock)), "{came}");
            }
            Some(rate) => {
                let weeks = f64::from(weeks);
                // Ten weeks add ten batches; the last may not have reached every site, and some
                // objects are gone again.
                let expected = stock * coming * weeks;
                assert!(
                    (came as f64) < expected + 1.0 && came as f64 > 0.8 * expected,
                    "{vertical:?}: {came} of {expected}"
                );
                // Products leave all sites at the same time, so the rate is that of the population.
                let expected = before.len() as f64 * (1.0 - (-rate * weeks).exp());
                assert!(
                    within(left, expected),
                    "{vertical:?}: {left} left, {expected} expected"
                );
            }
        }
    }
}

/// Returns the numbers of changed and compared pages of a kind; compares the lasting content of
/// consecutive weeks.
fn change_rate(web: &Web, kind: PageKind, wanted: fn(&str) -> bool) -> (usize, usize) {
    let (mut changed, mut compared) = (0, 0);
    for week in 1..5 {
        for site in 0..40 {
            for page in web
                .pages(site, week)
                .filter(|page| page.kind == kind && wanted(&page.url))
                .step_by(5)
                .take(12)
            {
                let (before, after) = (fetch(web, &page.url, week - 1, 0), fetch(web, &page.url, week, 0));
                // Pages that differ at every fetch are skipped.
                let again = fetch(web, &page.url, week - 1, 1);
                if before.status == 200 && before.body == again.body {
                    compared += 1;
                    changed += usize::from(main_text(&before) != main_text(&after));
                }
            }
        }
    }
    (changed, compared)
}

fn main_text(response: &magpie_lab::Response) -> String {
    visible(&crate::support::body(response))
}

#[test]
fn kinds_of_pages_change_at_their_own_rates() {
    let web = web(Vertical::Products);
    let rate = |kind| {
        let (changed, compared) = change_rate(&web, kind, |_| true);
        assert!(compared > 40, "{kind:?}: {compared}");
        changed as f64 / compared as f64
    };
    let (home, list, detail, beside) = (
        rate(PageKind::Home),
        rate(PageKind::List),
        rate(PageKind::Detail),
        rate(PageKind::Beside),
    );
    assert!(
        home > list && list > detail && detail > beside,
        "{home} {list} {detail} {beside}"
    );
    assert!(beside < 0.2, "{beside}");
}

#[test]
fn events_are_rescheduled_and_cancelled() {
    let web = web(Vertical::Events);
    let values = |week, name: &str| -> BTreeMap<u32, Vec<String>> {
        let objects = web.truth(week).objects;
        objects
            .into_iter()
            .filter_map(|mut o| Some((o.id, o.attributes.remove(name)?)))
            .collect()
    };
    let (before, after) = (values(0, "start"), values(6, "start"));
    let moved = before
        .iter()
        .filter(|(id, start)| after.get(id).is_some_and(|later| later != *start))
        .count();
    let both = before.keys().filter(|id| after.contains_key(id)).count();
    let share = moved as f64 / both as f64;
    // Once in a hundred weeks, for events that are more than a week away: about half of them over
    // six weeks.
    assert!((0.01..0.06).contains(&share), "{moved} of {both}");
    assert!(!values(6, "status").is_empty());
}

#[test]
fn past_objects_do_not_change() {
    let web = web(Vertical::Events);
    let (before, after) = (web.truth(4), web.truth(8));
    let later: BTreeMap<u32, _> = after.objects.iter().map(|object| (object.id, object)).collect();
    let passed = before.objects.iter().filter(|object| object.is_gone);
    let both: Vec<_> = passed
        .filter_map(|object| Some((object, later.get(&object.id)?)))
        .collect();
    assert!(both.len() > 100, "{}", both.len());
    for (object, later) in both {
        assert_eq!(object.attributes, later.attributes, "{}", object.id);
    }
}

#[test]
fn prices_differ_from_site_to_site_and_change() {
    let web = web(Vertical::Products);
    let price = |week| -> BTreeMap<u32, Vec<String>> {
        let objects = web.truth(week).objects;
        objects
            .into_iter()
            .filter_map(|mut o| Some((o.id, o.local.remove("price")?)))
            .collect()
    };
    let (now, next) = (price(0), price(1));
    assert!(now.values().filter(|prices| prices.len() > 1).count() > 50);
    let single = now
        .iter()
        .filter(|(_, prices)| prices.len() == 1)
        .filter_map(|(id, prices)| Some((prices, next.get(id)?)));
    let (mut changed, mut compared) = (0, 0);
    for (before, after) in single.filter(|(_, after)| after.len() == 1) {
        compared += 1;
        changed += usize::from(before != after);
    }
    // 6 % of the prices change in a week; one in fifty of these happens to get the old price.
    assert!(
        within(changed, f64::from(compared) * 0.059),
        "{changed} of {compared}"
    );
}

#[test]
fn redesigns_change_their_part() {
    let spec = WebSpec {
        redesigns: 40,
        hazards: false,
        ..WebSpec::new(Vertical::Books, Size::Paper, 3).with_sites(60)
    };
    let web = Arc::new(Web::new(spec));
    let mut seen = BTreeSet::new();
    for site in web.sites() {
        for redesign in site
            .redesigns
            .iter()
            .filter(|redesign| redesign.week < 60)
            .take(1)
        {
            let urls = |week| -> BTreeMap<String, Vec<u32>> {
                let details = web
                    .pages(site.index, week)
                    .filter(|page| page.kind == PageKind::Detail);
                details.map(|page| (page.url, page.objects)).collect()
            };
            let (before, after) = (urls(redesign.week - 1), urls(redesign.week));
            let kept = before
                .iter()
                .filter(|(url, objects)| after.get(*url) == Some(*objects))
                .count();
            let is_changed = match redesign.kind {
                RedesignKind::Gone => after.is_empty(),
                RedesignKind::Template | RedesignKind::Pagination => kept * 2 > before.len(),
                // Two schemes may both start with the same number.
                RedesignKind::Ids => kept <= 1,
                _ => true,
            };
            assert!(
                is_changed,
                "{:?} of {}: {kept} of {} kept",
                redesign.kind,
                site.host,
                before.len()
            );
            seen.insert(format!("{:?}", redesign.kind));
        }
    }
    assert!(seen.len() >= 6, "{seen:?}");
}

#[test]
fn old_urls_are_redirected_served_or_missing() {
    let spec = WebSpec {
        redesigns: 60,
        hazards: false,
        ..WebSpec::new(Vertical::Events, Size::Paper, 5).with_sites(40)
    };
    let web = Web::new(spec);
    let mut statuses = BTreeSet::new();
    for site in web.sites() {
        for redesign in site
            .redesigns
            .iter()
            .filter(|r| r.kind == RedesignKind::Relaunch || r.kind == RedesignKind::Paths)
            .take(1)
        {
            let page = web
                .pages(site.index, redesign.week - 1)
                .find(|page| page.kind == PageKind::Detail);
            statuses.extend(page.map(|page| fetch(&web, &page.url, redesign.week, 0).status));
        }
    }
    assert!(
        statuses.contains(&301) && (statuses.contains(&404) || statuses.contains(&200)),
        "{statuses:?}"
    );
}

#[test]
fn truth_knows_pages_by_the_urls_of_earlier_designs() {
    let spec = WebSpec {
        redesigns: 60,
        hazards: false,
        ..WebSpec::new(Vertical::Products, Size::Paper, 5).with_sites(20)
    };
    let web = Arc::new(Web::new(spec));
    let (mut known, mut asked) = (0, 0);
    let now = web.truth(20);
    for page in web
        .truth(0)
        .pages
        .iter()
        .filter(|page| page.kind == PageKind::Detail)
    {
        let still = now.object(page.objects[0]).is_some_and(|object| {
            object
                .pages
                .iter()
                .any(|index| now.pages[*index as usize].site == page.site)
        });
        if still {
            asked += 1;
            known += usize::from(
                now.source(&page.url)
                    .is_some_and(|found| found.objects == page.objects),
            );
        }
    }
    // A new design may use an old URL for another object.
    assert!(asked > 100 && known * 100 > asked * 90, "{known} of {asked}");
}
