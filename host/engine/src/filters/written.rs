//! Link filters as text, for the process that crawls the site.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use super::only_new::{New, OnlyNew};
use super::round::{Rounds, SiteRound};
use crate::crawl::{LinkFilter, LinkFilters};

#[derive(Serialize)]
pub(super) enum Outgoing<'a> {
    Round(&'a SiteRound),
    New(Option<&'a New>),
}

#[derive(Deserialize)]
enum Incoming {
    Round(Box<SiteRound>),
    New(Option<New>),
}

pub(super) fn write(filter: &Outgoing<'_>) -> Option<String> {
    serde_json::to_string(filter).ok()
}

/// Reads the round of a site; `None` if it is another filter or of another version.
pub(super) fn read_round(text: &str) -> Option<SiteRound> {
    match serde_json::from_str(text) {
        Ok(Incoming::Round(round)) => Some(*round),
        Ok(Incoming::New(_)) | Err(_) => None,
    }
}

/// Filters that another process has written. They can be added while a crawl runs.
#[derive(Default)]
pub(crate) struct WrittenFilters(Mutex<BySite>);

/// Filters by the names of their sites.
#[derive(Default)]
struct BySite {
    rounds: Rounds,
    others: HashMap<String, OnlyNew>,
}

impl WrittenFilters {
    /// Adds the filter of a site. If another process has begun the site and was killed, what its
    /// filter had learned since is lost.
    pub(crate) fn add(&self, site: &str, text: &str, is_begun: bool) -> Result<(), serde_json::Error> {
        let site = site.to_owned();
        match serde_json::from_str(text)? {
            Incoming::Round(mut round) => {
                round.is_resumed |= is_begun;
                self.by_site().rounds.0.insert(site, Arc::new(Mutex::new(*round)));
            }
            Incoming::New(new) => {
                self.by_site().others.insert(site, OnlyNew(new.map(Arc::new)));
            }
        }
        Ok(())
    }

    fn by_site(&self) -> MutexGuard<'_, BySite> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LinkFilters for WrittenFilters {
    fn filter(&self, site: &str) -> Option<Box<dyn LinkFilter>> {
        let filters = self.by_site();
        let other = filters.others.get(site).and_then(|filter| filter.filter(site));
        other.or_else(|| filters.rounds.filter(site))
    }

    fn written(&self, site: &str) -> Option<String> {
        self.by_site().rounds.written(site)
    }
}
