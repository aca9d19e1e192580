//! The part of a site that was fetched, and the objects to expect on the rest.
//!
//! - [`UrlForms`] groups the URLs of a site by form: `/{slug}/{slug}.html`.
//! - [`SiteCoverage`] counts pages and objects by form, finds unfetched URLs that look like those
//!   with objects, and estimates the number of objects on all known pages.

mod estimate;
mod forms;

use std::collections::{HashMap, HashSet};

use magpie_model::CanonicalUrl;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use estimate::{Estimate, Novelty};
pub use forms::UrlForms;

/// Minimum share of a form's fetched pages with objects for its unfetched URLs to count as
/// look-alikes.
const MIN_YIELDING_SHARE: f64 = 0.05;

/// A known page of a site.
#[derive(Clone, Copy, Debug)]
pub struct PageFacts<'a> {
    pub url: &'a CanonicalUrl,
    pub objects: &'a [u32],
    pub state: PageState,
}

/// The state of a known page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageState {
    /// Fetched, and an HTML page.
    Fetched,
    /// Fetched, and no HTML page: gone, a file, a feed, a redirect. Its objects count, and it is
    /// evidence for its form.
    NoPage,
    /// Not fetched, but allowed.
    Unfetched,
    /// Excluded from fetching by robots.txt or a rule of the crawl.
    Excluded,
}

/// Counts for the pages of one form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FormCount {
    /// The form for display: `/talk/{slug}`.
    pub form: String,
    /// Number of fetched pages.
    pub fetched: u64,
    /// Number of fetched pages with at least one object.
    pub yielding: u64,
    /// Number of URLs that were not fetched.
    pub unfetched: u64,
    /// Number of distinct objects on the fetched pages.
    pub objects: u64,
}

impl FormCount {
    /// Returns true if enough fetched pages have objects to expect some on unfetched ones.
    fn is_promising(&self) -> bool {
        self.yielding > 0 && self.yielding as f64 >= MIN_YIELDING_SHARE * self.fetched as f64
    }
}

/// Counts of a site's known pages and objects.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SiteCoverage {
    /// Number of known pages: fetched HTML pages, and unfetched URLs.
    pub known_pages: u64,
    /// Number of fetched HTML pages.
    pub fetched_pages: u64,
    /// Number of known URLs that were not fetched.
    pub unfetched_pages: u64,
    /// Number of unfetched URLs of forms whose fetched pages have objects.
    pub lookalike_pages: u64,
    /// Number of unfetched URLs of forms with too few fetched pages.
    pub untried_pages: u64,
    /// Number of distinct objects found.
    pub objects: u64,
    /// Estimated objects on all known pages; `None` if too little was fetched.
    pub estimate: Option<Estimate>,
    /// Forms with unfetched look-alikes, the largest first.
    pub forms: Vec<FormCount>,
}

impl SiteCoverage {
    /// Counts the known pages of a site.
    pub fn of(pages: &[PageFacts<'_>]) -> SiteCoverage {
        let known = || pages.iter().filter(|page| page.state != PageState::Excluded);
        let forms = UrlForms::new(known().map(|page| (page.url, page.state != PageState::Unfetched)));
        let mut counts: Vec<FormPages<'_>> = (0..forms.len()).map(|_| FormPages::default()).collect();
        for page in known() {
            let form = &mut counts[forms.index(page.url)];
            match page.state {
                PageState::Fetched | PageState::NoPage => form.pages.push(page),
                _ => form.unfetched += 1,
            }
        }
        let mut coverage = SiteCoverage::default();
        let mut parts = Vec::new();
        for (index, form) in counts.iter().enumerate() {
            let fetched = form.pages.iter().filter(|page| page.state == PageState::Fetched);
            let fetched = fetched.count() as u64;
            coverage.fetched_pages += fetched;
            coverage.unfetched_pages += form.unfetched;
            let is_tried = form.pages.len() >= forms::MIN_FETCHED;
            if !is_tried {
                coverage.untried_pages += form.unfetched;
            }
            let on_pages = occurrences(&form.pages);
            let count = FormCount {
                form: forms.name(index),
                fetched,
                yielding: form.pages.iter().filter(|page| !page.objects.is_empty()).count() as u64,
                unfetched: form.unfetched,
                objects: on_pages.len() as u64,
            };
            let further = match is_tried {
                // A form with few fetched pages would give an estimate from next to nothing.
                true => form.novelty(&on_pages).further(form.unfetched as f64),
                false => Estimate::default(),
            };
            parts.push(Part {
                total: further.plus_found(count.objects as f64),
                found: on_pages.into_keys().collect(),
            });
            if is_tried && count.is_promising() && count.unfetched > 0 {
                coverage.lookalike_pages += count.unfetched;
                coverage.forms.push(count);
            }
        }
        parts.sort_by(|one, other| other.total.value.total_cmp(&one.total.value));
        let all = parts.into_iter().reduce(Part::with).unwrap_or_default();
        coverage.objects = all.found.len() as u64;
        coverage.known_pages = coverage.fetched_pages + coverage.unfetched_pages;
        coverage.forms.sort_by(|one, other| {
            let unfetched = other.unfetched.cmp(&one.unfetched);
            unfetched.then_with(|| one.form.cmp(&other.form))
        });
        // Untried pages may contain anything. Where they are most of the unfetched pages, an
        // estimate would be a guess.
        let is_known = coverage.objects > 0 && 2 * coverage.untried_pages <= coverage.unfetched_pages;
        coverage.estimate = is_known.then_some(all.total);
        coverage
    }
}

#[derive(Default)]
struct FormPages<'a> {
    pages: Vec<&'a PageFacts<'a>>,
    unfetched: u64,
}

impl FormPages<'_> {
    /// Returns the objects that each page alone has, given the number of pages of each object.
    fn novelty(&self, on_pages: &HashMap<u32, u32>) -> Novelty {
        let mut novelty = Novelty::default();
        for page in &self.pages {
            let alone = page
                .objects
                .iter()
                .filter(|object| on_pages[*object] == 1)
                .count();
            novelty.add(folder(page.url), alone as u32);
        }
        novelty.twice = on_pages.values().filter(|pages| **pages == 2).count() as u32;
        novelty
    }
}

/// Counts the pages of each object.
fn occurrences(pages: &[&PageFacts<'_>]) -> HashMap<u32, u32> {
    let mut counts = HashMap::new();
    for object in pages.iter().flat_map(|page| page.objects) {
        *counts.entry(*object).or_default() += 1;
    }
    counts
}

/// Some forms with the objects of all their pages.
#[derive(Default)]
struct Part {
    /// Objects on the fetched pages.
    found: HashSet<u32>,
    /// Estimated objects on all pages.
    total: Estimate,
}

impl Part {
    /// Merges two parts. Lists and the pages that they link to share objects; the overlap is
    /// estimated from the objects found on both.
    fn with(mut self, other: Part) -> Part {
        let both = other
            .found
            .iter()
            .filter(|object| self.found.contains(object))
            .count();
        let seen = |part: &Part| match part.total.value {
            0.0 => 1.0,
            total => part.found.len() as f64 / total,
        };
        let total = self
            .total
            // An object counts as shared if both parts have shown it. So the overlap that was seen
            // is divided by the product of what each has shown.
            .with(&other.total, both as f64, seen(&self) * seen(&other));
        self.found.extend(other.found);
        self.total = total.not_below(self.found.len() as f64);
        self
    }
}

/// Returns the folder of a page. Pages of one folder are more alike than others of their form.
fn folder(url: &CanonicalUrl) -> &str {
    let path = url.path().trim_end_matches('/');
    path.rfind('/').map_or("", |end| &path[..end])
}
