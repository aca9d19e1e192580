//! Recrawls by the published method: from the entry page, level by level, along the links that
//! match the patterns of the next level. They use no states, sitemaps or search forms, and fetch
//! every page on the way, due or not.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use magpie_model::CanonicalUrl;
use magpie_patterns::navigate::{Guide, LevelNavigation, LevelWalk, TargetMap, replay};
use magpie_patterns::pattern::{FolderInducer, PatternSet};

use crate::crawl::{LinkFilter, LinkFilters};
use crate::site::SiteSnapshot;

/// The walks of all sites, shared with the crawl.
#[derive(Default)]
pub(crate) struct LevelWalks(HashMap<String, Arc<Mutex<Levels>>>);

/// A walk, and the level of each page that it has met, by fingerprint.
struct Levels {
    walk: LevelWalk,
    met: HashMap<u64, usize>,
}

impl LevelWalks {
    /// Learns the levels of a site and returns the known pages along them, by their places.
    pub(crate) fn add(&mut self, standing: &SiteSnapshot) -> Vec<usize> {
        let survey = &standing.surveyed.survey;
        let graph = survey.graph();
        let selected = PatternSet::new(standing.chosen_patterns());
        // No link leads to pages that sitemaps alone name.
        let is_target =
            |page: &usize| selected.matches(&survey.urls[*page]) && !survey.named.contains(&(*page as u32));
        let targets: Vec<usize> = (0..survey.urls.len()).filter(is_target).collect();
        let map = TargetMap::of(&graph, survey.entry, &targets);
        let navigation = LevelNavigation::learn(&graph, &map, &selected, &FolderInducer::default());
        let mut levels = Levels {
            walk: navigation.walk(),
            met: HashMap::new(),
        };
        if let Some(entry) = survey.urls.get(survey.entry) {
            levels.met.insert(entry.fingerprint().0, levels.walk.entry());
        }
        let along = replay(&mut levels, &graph, survey.entry);
        self.0
            .insert(standing.site.key.clone(), Arc::new(Mutex::new(levels)));
        along
    }
}

impl Guide for Levels {
    type Place = usize;

    fn entry(&self) -> usize {
        self.walk.entry()
    }

    fn follow(&mut self, from: usize, link: &CanonicalUrl) -> Option<usize> {
        let level = self.walk.follow(from, link)?;
        self.met.entry(link.fingerprint().0).or_insert(level);
        Some(level)
    }
}

impl LinkFilters for LevelWalks {
    fn filter(&self, site: &str) -> Option<Box<dyn LinkFilter>> {
        let levels = self.0.get(site)?;
        Some(Box::new(Shared(Arc::clone(levels))))
    }
}

struct Shared(Arc<Mutex<Levels>>);

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Levels> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LinkFilter for Shared {
    fn wants(&mut self, page: &CanonicalUrl, link: &CanonicalUrl, _: bool) -> bool {
        let mut levels = self.lock();
        let Some(from) = levels.met.get(&page.fingerprint().0).copied() else {
            return false;
        };
        !levels.met.contains_key(&link.fingerprint().0) && levels.follow(from, link).is_some()
    }

    fn reads_sitemaps(&self) -> bool {
        false
    }

    fn wants_named(&mut self, _: &CanonicalUrl) -> bool {
        false
    }

    fn is_list(&self, page: &CanonicalUrl) -> bool {
        self.lock().met.contains_key(&page.fingerprint().0)
    }

    fn wants_whole(&self, _: &CanonicalUrl) -> bool {
        false
    }

    fn fetched(&mut self, _: &CanonicalUrl, _: u64, _: u64) {}
}
