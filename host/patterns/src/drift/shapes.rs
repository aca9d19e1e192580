//! Links on hubs whose URLs match no known pattern: a site has renamed its pages, or has new ones.

use std::collections::{BTreeMap, BTreeSet};

use magpie_model::CanonicalUrl;
use serde::{Deserialize, Serialize};

use super::cusum::Cusum;
use crate::pattern::{Inducer, PatternSet, SiteUrls, TypedInducer, UrlPattern};

/// Maximum number of unknown URLs kept to learn from.
const MAX_KEPT: usize = 2_000;

/// Minimum number of hub pages with links of a shape.
const MIN_HUBS: usize = 2;

/// Minimum number of links of a shape.
const MIN_LINKS: usize = 3;

/// Share of unknown links that counts as a change, where they were rare.
const MIN_CHANGED_SHARE: f64 = 0.1;

/// A monitor of the links on a site's hubs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ShapeWatch {
    unknown_share: Cusum,
    /// Unknown URLs with the fingerprints of the hub pages that link to them.
    unknown: BTreeMap<CanonicalUrl, BTreeSet<u64>>,
    links: u64,
    unknown_links: u64,
}

/// An unknown shape of URLs, worth exploring on a small budget.
#[derive(Clone, Debug, PartialEq)]
pub struct NewShape {
    pub pattern: UrlPattern,
    /// Its URLs, sorted.
    pub urls: Vec<CanonicalUrl>,
    /// Number of hub pages that link to them.
    pub hubs: usize,
}

impl ShapeWatch {
    /// Creates a monitor for an increase of unknown links, with on average at most one false alarm
    /// in `links_to_false_alarm` links. `usual` is the share of links that no pattern matched
    /// before.
    pub fn new(usual: f64, links_to_false_alarm: f64) -> ShapeWatch {
        let changed = MIN_CHANGED_SHARE.max(2.0 * usual).min(0.95);
        ShapeWatch {
            unknown_share: Cusum::new(usual.min(changed), changed, links_to_false_alarm),
            unknown: BTreeMap::new(),
            links: 0,
            unknown_links: 0,
        }
    }

    /// Returns the share of the links that no pattern matched; 0 if there were none.
    pub fn share_of_unknown(&self) -> f64 {
        self.unknown_links as f64 / self.links.max(1) as f64
    }

    /// Records a link that is new on the hub page. `known` has the patterns of all page classes of
    /// the site. Returns true if there are too many unknown links.
    pub fn saw(&mut self, hub: &CanonicalUrl, link: &CanonicalUrl, known: &PatternSet) -> bool {
        self.links += 1;
        let is_unknown = !known.matches(link);
        self.unknown_links += u64::from(is_unknown);
        if is_unknown {
            if let Some(hubs) = self.unknown.get_mut(link) {
                hubs.insert(hub.fingerprint().0);
            // A hub that generates URLs endlessly must not fill the memory.
            } else if self.unknown.len() < MAX_KEPT {
                self.unknown
                    .insert(link.clone(), BTreeSet::from([hub.fingerprint().0]));
            }
        }
        self.unknown_share.take(is_unknown)
    }

    /// Returns true if there are too many unknown links.
    pub fn is_alarmed(&self) -> bool {
        self.unknown_share.is_alarmed()
    }

    /// Returns the shapes of unknown links, those with the most links first.
    pub fn shapes(&self) -> Vec<NewShape> {
        let urls: Vec<&CanonicalUrl> = self.unknown.keys().collect();
        let site = SiteUrls {
            wanted: &urls,
            others: &[],
        };
        let set = TypedInducer::default().induce(&site).compile();
        let mut of_pattern: BTreeMap<usize, (Vec<CanonicalUrl>, BTreeSet<u64>)> = BTreeMap::new();
        for (url, hubs) in &self.unknown {
            if let Some(pattern) = set.best(url) {
                let (urls, all) = of_pattern.entry(pattern).or_default();
                urls.push(url.clone());
                all.extend(hubs);
            }
        }
        let mut shapes: Vec<NewShape> = of_pattern
            .into_iter()
            // A single page with many odd links is an advertisement.
            .filter(|(_, (urls, hubs))| urls.len() >= MIN_LINKS && hubs.len() >= MIN_HUBS)
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
