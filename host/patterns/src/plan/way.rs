//! The way to the chosen patterns of a site.

use std::collections::HashSet;

use super::induced::SitePatterns;
use super::survey::Survey;
use crate::navigate::{self, Learned, Lists, PageValues};
use crate::pattern::{PatternSet, UrlPattern};

/// The part of the objects that can be reached which the way must reach: what is linked from a page or two alone costs more
/// hubs than it brings.
const REACHED: f64 = 0.995;

/// The navigation of a site for its chosen patterns. Patterns that were not chosen are pages like others, and may be hubs.
/// A page that nobody has fetched yet is worth a way as if it were like those of its pattern, with an object that stands nowhere else.
/// None where the survey has no entry page.
pub fn way(survey: &Survey, found: &SitePatterns, chosen: &[UrlPattern], lists: Lists) -> Option<Learned> {
    let left = found.wanted.iter().filter(|pattern| !chosen.contains(pattern));
    let classes: Vec<UrlPattern> = left.chain(&found.others).cloned().collect();
    let (mut objects, mut hub_costs) = (survey.objects_of_pages(), survey.hub_costs());
    let known = objects.iter().flatten().max().map_or(0, |most| most + 1);
    expect(survey, chosen, known, &mut objects, &mut hub_costs);
    let worth = PageValues {
        objects: &objects,
        known,
        hub_costs: &hub_costs,
        lists,
    };
    let mut learned = navigate::learn(&survey.graph(), survey.entry, chosen, &classes, REACHED, worth)?;
    let mut named = survey.named.iter().map(|page| &survey.urls[*page as usize]);
    learned.navigation.sitemaps = named.any(|url| chosen.iter().any(|pattern| pattern.matches(url)));
    Some(learned)
}

/// Gives every page of a chosen pattern that nobody has fetched an object of its own, with numbers from this one on, and as a hub the
/// cost that pages of the pattern have. Other unseen pages cost nothing, since nobody knows what they lead to.
fn expect(
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
