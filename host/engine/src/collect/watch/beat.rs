//! One beat: what is due is fetched, and what its lists have that nobody has seen.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use magpie_learn::plan::Known;
use magpie_store::UrlId;
use xxhash_rust::xxh3::xxh3_64;

use super::super::recrawl::NOT_PLANNED;
use super::super::round::{Remembered, Rounds};
use super::super::{CollectError, Collection, Plan, PlannedSite};
use super::{Outlook, Pick, Purpose, WATCH};

impl Collection<'_> {
    /// Queues what was picked. The guides of the plan keep a crawl to it and to what is new.
    pub fn plan_beat(&self, outlook: &Outlook, picks: &[Pick]) -> Result<Plan, CollectError> {
        let mut by_site: HashMap<usize, Vec<&Pick>> = HashMap::new();
        for pick in picks {
            by_site
                .entry(outlook.pages[pick.page].site)
                .or_default()
                .push(pick);
        }
        let mut rounds = Rounds::default();
        let mut sites = Vec::new();
        for (number, site) in outlook.sites.iter().enumerate() {
            let Some(picks) = by_site.get(&number) else {
                continue;
            };
            let surveyed = &site.standing.surveyed;
            let known = surveyed
                .survey
                .urls
                .iter()
                .zip(&surveyed.pages)
                .map(|(url, page)| {
                    let known = match page.fetched_at {
                        Some(_) => Known::Fresh,
                        None => Known::Never,
                    };
                    (url.fingerprint().0, known)
                });
            let memory = Remembered {
                pages: known.collect(),
                hubs_are_due: false,
            };
            let mut round = self.site_round(Arc::clone(&site.navigator), memory, &site.standing);
            let mut planned = PlannedSite::of(&site.standing);
            let mut urls: Vec<UrlId> = Vec::new();
            for pick in picks {
                let watched = &outlook.pages[pick.page];
                round.taken.insert(watched.address.fingerprint().0);
                if wants_look(watched.address.as_str(), outlook.now, site.looks) {
                    round.whole.insert(watched.address.fingerprint().0);
                }
                urls.push(watched.url);
                match watched.purpose {
                    Purpose::News => planned.hubs += 1,
                    Purpose::Objects => planned.due += 1,
                    Purpose::New => planned.unseen += 1,
                }
            }
            self.workspace.hold_queue(site.site, NOT_PLANNED)?;
            self.workspace.queue_urls(site.site, urls)?;
            rounds.0.insert(site.key.clone(), Arc::new(Mutex::new(round)));
            sites.push(planned);
        }
        Ok(Plan {
            word: WATCH,
            judges: true,
            since: Some(outlook.now),
            sites,
            rounds: Some(Arc::new(rounds)),
        })
    }
}

/// Whether a page is had whole this time, instead of asking whether it has changed: so large a share of visits, as if by chance.
fn wants_look(url: &str, now: i64, share: f64) -> bool {
    let chance = xxh3_64(format!("{now} {url}").as_bytes()) as f64 / u64::MAX as f64;
    chance < share
}
