//! The navigation to the chosen patterns of a site.

use std::collections::HashSet;

use super::induced::SitePatterns;
use super::survey::Survey;
use crate::navigate::{self, Learned, Lists, PageValues};
use crate::pattern::{PatternSet, UrlPattern};

/// Minimum share of the reachable objects that a navigation reaches. Objects that only one or two
/// pages link to cost more hubs than they are worth.
const MIN_REACHED: f64 = 0.995;

/// Learns the navigation of a site to its chosen patterns. Other patterns are treated as other
/// pages and may be hubs. Unfetched pages of chosen patterns are expected to be like the rest of
/// their pattern, each with an object of its own. Returns `None` if the survey lacks the entry
/// page.
pub fn way(survey: &Survey, found: &SitePatterns, chosen: &[UrlPattern], lists: Lists) -> Option<Learned> {
    let left = found.wanted.iter().filter(|pattern| !chosen.contains(pattern));
    let classes: Vec<UrlPattern> = left.chain(&found.others).cloned().collect();
    let (mut objects, mut hub_costs) = (survey.objects_of_pages(), survey.hub_costs());
    let known = objects.iter().flatten().max().map_or(0, |max| max + 1);
    // Unfetched pages of chosen patterns would be worth no route otherwise, since no object on them
    // is known.
    add_expected_objects(survey, chosen, known, &mut objects, &mut hub_costs);
    let values = PageValues {
        objects: &objects,
        known,
        hub_costs: &hub_costs,
        lists,
    };
    let mut learned = navigate::learn(
        &survey.graph(),
        survey.entry,
        chosen,
        &classes,
        MIN_REACHED,
        values,
    )?;
    let mut named = survey.named.iter().map(|page| &survey.urls[*page as usize]);
    learned.navigation.sitemaps = named.any(|url| chosen.iter().any(|pattern| pattern.matches(url)));
    Some(learned)
}

/// Gives each unfetched page of a chosen pattern an object of its own, with ids from `from`, and
/// the average hub cost of the pattern's pages. Other unfetched pages cost nothing, since their
/// links are unknown.
fn add_expected_objects(
    survey: &Survey,
    chosen: &[UrlPattern],
    from: u32,
    objects: &mut [Vec<u32>],
    hub_costs: &mut [f64],
) {
    if survey.unseen.is_empty() {
        return;
    }
    let patterns = PatternSet::new(chosen.iter().cloned());
    let unseen: HashSet<u32> = survey.unseen.iter().copied().collect();
    let mut seen = vec![(0.0, 0_u32); chosen.len()];
    for (page, url) in (0..).zip(&survey.urls).filter(|(page, _)| !unseen.contains(page)) {
        if let Some(pattern) = patterns.best(url) {
            seen[pattern].0 += hub_costs[page as usize];
            seen[pattern].1 += 1;
        }
    }
    for (number, page) in (from..).zip(&survey.unseen) {
        let page = *page as usize;
        let pattern = patterns.best(&survey.urls[page]);
        let (cost, pages) = pattern.map_or((0.0, 0), |pattern| seen[pattern]);
        hub_costs[page] = cost / f64::from(pages.max(1));
        if pattern.is_some() {
            objects[page].push(number);
        }
    }
}
