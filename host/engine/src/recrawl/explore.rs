//! Pages of unknown kinds: those of them that can be looked at.

use std::collections::{BTreeMap, HashMap};

use crate::site::{Collection, SiteError, View};
use magpie_model::{CanonicalUrl, UrlReason};
use magpie_patterns::drift::NewShape;
use magpie_rows::{FoundUrl, SiteId, StoreError, UrlId, UrlState};

/// Pages of unknown kinds that a round looks at.
#[derive(Clone, Debug, Default)]
pub struct Exploration {
    /// Those that are known and were never asked for, by site.
    pub known: BTreeMap<String, (SiteId, Vec<UrlId>)>,
    /// Those that no site's frontier has.
    pub new: Vec<CanonicalUrl>,
}

/// The next step for a URL of an unknown kind.
enum Reach {
    /// It waits at a site, and can be queued.
    Known(String, SiteId, UrlId),
    /// It can be asked for.
    New,
    /// It was asked for, or may not be.
    Tried,
}

impl Exploration {
    /// The number of pages that are looked at.
    pub fn pages(&self) -> usize {
        let known = self.known.values().map(|(_, urls)| urls.len());
        known.sum::<usize>() + self.new.len()
    }
}

impl View<'_> {
    /// Chooses a few unfetched pages of each kind that lists began to link to, at most `max` in
    /// all.
    pub(crate) fn exploration(&self, shapes: &[NewShape], max: usize) -> Result<Exploration, SiteError> {
        // The limit is shared among the kinds, so that one kind does not take all of it.
        let each = max.div_ceil(shapes.len().max(1)).max(1);
        let reach = self.reach(shapes)?;
        let mut exploration = Exploration::default();
        for shape in shapes {
            let mut left = each.min(max.saturating_sub(exploration.pages()));
            for url in &shape.urls {
                if left == 0 {
                    break;
                }
                match reach(url) {
                    Reach::Known(key, site, id) => {
                        let of_site = exploration.known.entry(key).or_insert_with(|| (site, Vec::new()));
                        of_site.1.push(id);
                    }
                    Reach::New => exploration.new.push(url.clone()),
                    // A URL that was tried costs nothing of the limit.
                    Reach::Tried => continue,
                }
                left -= 1;
            }
        }
        Ok(exploration)
    }

    /// Leaves out the kinds of pages of which every URL was asked for, or may not be: they are
    /// known to have nothing.
    pub(crate) fn untried(&self, mut shapes: Vec<NewShape>) -> Result<Vec<NewShape>, SiteError> {
        let reach = self.reach(&shapes)?;
        shapes.retain(|shape| shape.urls.iter().any(|url| !matches!(reach(url), Reach::Tried)));
        Ok(shapes)
    }

    /// Looks up all URLs of some kinds at once.
    fn reach(&self, shapes: &[NewShape]) -> Result<impl Fn(&CanonicalUrl) -> Reach + use<>, StoreError> {
        let urls = shapes.iter().flat_map(|shape| &shape.urls);
        let prints: Vec<u64> = urls.map(|url| url.fingerprint().0).collect();
        let mut found: HashMap<u64, FoundUrl> = HashMap::new();
        if !prints.is_empty() {
            for url in self.reader.find_urls(&prints)? {
                found.entry(url.fingerprint).or_insert(url);
            }
        }
        Ok(move |url: &CanonicalUrl| {
            let Some(known) = found.get(&url.fingerprint().0) else {
                return Reach::New;
            };
            let waits = matches!(known.state, UrlState::Queued | UrlState::Held) && !known.is_fetched;
            match waits {
                true => Reach::Known(known.site_key.clone(), known.site, known.id),
                false => Reach::Tried,
            }
        })
    }
}

impl Collection<'_> {
    /// Queues the known pages of an exploration, and puts aside everything else that waits at
    /// their sites.
    pub(crate) fn queue_exploration(&self, exploration: &Exploration) -> Result<(), SiteError> {
        for (site, urls) in exploration.known.values() {
            self.store.hold_queue(*site, &UrlReason::NotPlanned)?;
            self.store.queue_urls(*site, urls.clone())?;
        }
        Ok(())
    }
}
