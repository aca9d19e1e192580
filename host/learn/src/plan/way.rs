//! The way to the chosen patterns of a site.

use super::induced::SitePatterns;
use super::survey::Survey;
use crate::navigate::{self, Learned, Lists, Worth};
use crate::pattern::UrlPattern;

/// The part of the objects that can be reached which the way must reach: what is linked from a page or two alone costs more
/// hubs than it brings.
const REACHED: f64 = 0.995;

/// The navigation of a site for its chosen patterns. Patterns that were not chosen are pages like others, and may be hubs.
/// None where the survey has no entry page.
pub fn way(survey: &Survey, found: &SitePatterns, chosen: &[UrlPattern], lists: Lists) -> Option<Learned> {
    let left = found.wanted.iter().filter(|pattern| !chosen.contains(pattern));
    let classes: Vec<UrlPattern> = left.chain(&found.others).cloned().collect();
    let worth = Worth {
        objects: &survey.objects_of_pages(),
        hub_costs: &survey.hub_costs(),
        lists,
    };
    let mut learned = navigate::learn(&survey.graph(), survey.entry, chosen, &classes, REACHED, worth)?;
    let mut named = survey.named.iter().map(|page| &survey.urls[*page as usize]);
    learned.navigation.sitemaps = named.any(|url| chosen.iter().any(|pattern| pattern.matches(url)));
    Some(learned)
}
