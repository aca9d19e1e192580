//! Links at hubs whose URLs look like nothing known: a site has renamed its pages, or got new ones.

use std::collections::{BTreeMap, BTreeSet};

use magpie_model::CanonicalUrl;

use super::cusum::Cusum;
use crate::pattern::{Inducer, PatternSet, SiteUrls, TypedInducer, UrlPattern};

/// Strange URLs that are kept to learn from. A hub that makes up URLs without end must not fill the memory.
const MOST_KEPT: usize = 2_000;

/// Pages of hubs that must show a shape; one page with many odd links is an advertisement.
const LEAST_HUBS: usize = 2;

/// Links of a shape that must have been seen.
const LEAST_LINKS: usize = 3;

/// The share of strange links that is called a change, where they were rare.
const CHANGED: f64 = 0.1;

/// Watches the links of a site's hubs.
#[derive(Clone, Debug)]
pub struct ShapeWatch {
    strange_share: Cusum,
    /// Strange URLs, and the hub pages that link to them.
    strange: BTreeMap<CanonicalUrl, BTreeSet<u64>>,
    links: u64,
}

/// A shape that was not known, worth a look on a small budget.
#[derive(Clone, Debug, PartialEq)]
pub struct NewShape {
    /// What its URLs have in common.
    pub pattern: UrlPattern,
    /// URLs of it that were seen, in order.
    pub urls: Vec<CanonicalUrl>,
    /// How many hub pages link to them.
    pub hubs: usize,
}

impl ShapeWatch {
    /// Watches for more links of unknown shape than there were, with at most one false alarm in so many links on
    /// average. `usual` is the share of links that no pattern matched when the site was learned.
    pub fn new(usual: f64, links_to_false_alarm: f64) -> ShapeWatch {
        let changed = CHANGED.max(2.0 * usual).min(0.95);
        ShapeWatch {
            strange_share: Cusum::new(usual.min(changed), changed, links_to_false_alarm),
            strange: BTreeMap::new(),
            links: 0,
        }
    }

    /// Takes a link that was not on the hub page before; `known` are the patterns of all page classes of the site.
    /// Says whether there are more strange links than there should be.
    pub fn saw(&mut self, hub: &CanonicalUrl, link: &CanonicalUrl, known: &PatternSet) -> bool {
        self.links += 1;
        let is_strange = !known.matches(link);
        if is_strange {
            if let Some(hubs) = self.strange.get_mut(link) {
                hubs.insert(hub.fingerprint().0);
            } else if self.strange.len() < MOST_KEPT {
                self.strange
                    .insert(link.clone(), BTreeSet::from([hub.fingerprint().0]));
            }
        }
        self.strange_share.take(is_strange)
    }

    /// Whether there are more strange links than there should be.
    pub fn is_alarmed(&self) -> bool {
        self.strange_share.is_alarmed()
    }

    /// The shapes that strange links have in common, those with most links first.
    pub fn shapes(&self) -> Vec<NewShape> {
        let urls: Vec<&CanonicalUrl> = self.strange.keys().collect();
        let site = SiteUrls {
            wanted: &urls,
            others: &[],
        };
        let set = TypedInducer::default().induce(&site).compile();
        let mut of_pattern: BTreeMap<usize, (Vec<CanonicalUrl>, BTreeSet<u64>)> = BTreeMap::new();
        for (url, hubs) in &self.strange {
            if let Some(pattern) = set.best(url) {
                let (urls, all) = of_pattern.entry(pattern).or_default();
                urls.push(url.clone());
                all.extend(hubs);
            }
        }
        let mut shapes: Vec<NewShape> = of_pattern
            .into_iter()
            .filter(|(_, (urls, hubs))| urls.len() >= LEAST_LINKS && hubs.len() >= LEAST_HUBS)
            .map(|(pattern, (urls, hubs))| NewShape {
                pattern: set.patterns()[pattern].clone(),
                urls,
                hubs: hubs.len(),
            })
            .collect();
        shapes.sort_by(|one, other| {
            let links = other.urls.len().cmp(&one.urls.len());
            links.then(one.pattern.cmp(&other.pattern))
        });
        shapes
    }
}
