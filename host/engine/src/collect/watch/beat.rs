//! One beat: what is due is fetched, and what its lists have that nobody has seen.

use magpie_values::Timestamp;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use magpie_patterns::plan::Known;
use xxhash_rust::xxh3::xxh3_64;

use super::super::recrawl::named_pages;
use super::super::round::{Remembered, Rounds, SiteRound};
use super::super::{CollectError, Collection, Plan, PlannedSite};
use super::{Outlook, Pick, Purpose, Watched, WatchedSite};
use magpie_model::UrlReason;
use magpie_store::RoundMethod;

impl Collection<'_> {
    /// Queues what was picked. The guides of the plan keep a crawl to it and to what is new.
    pub fn plan_beat(&self, outlook: &Outlook, picks: &[Pick]) -> Result<Plan, CollectError> {
        let mut by_site: HashMap<usize, Vec<&Watched>> = HashMap::new();
        for pick in picks {
            let watched = &outlook.pages[pick.page];
            by_site.entry(watched.site).or_default().push(watched);
        }
        let mut rounds = Rounds::default();
        let (mut sites, mut named) = (Vec::new(), Vec::new());
        for (number, site) in outlook.sites.iter().enumerate() {
            let Some(picks) = by_site.get(&number) else {
                continue;
            };
            named.extend(named_pages(&site.navigator, &site.standing));
            let (round, planned) = self.begin_round(outlook, site, picks);
            let places = picks.iter().map(|watched| watched.place);
            let (urls, renamed) = site.standing.surveyed.asked_by(places);
            named.extend(renamed);
            self.store.hold_queue(site.site, &UrlReason::NotPlanned)?;
            self.store.queue_urls(site.site, urls)?;
            rounds.0.insert(site.key.clone(), Arc::new(Mutex::new(round)));
            sites.push(planned);
        }
        Ok(Plan {
            method: RoundMethod::Watch,
            judges: true,
            since: Some(outlook.now),
            sites,
            named,
            // The outlook has told of them.
            left_out: Vec::new(),
            idle: Vec::new(),
            rounds: Some(Arc::new(rounds)),
        })
    }

    /// The round of a site: what is fetched of it, and how its crawl is kept to that.
    fn begin_round(
        &self,
        outlook: &Outlook,
        site: &WatchedSite,
        picks: &[&Watched],
    ) -> (SiteRound, PlannedSite) {
        let surveyed = &site.standing.surveyed;
        let pages = surveyed.survey.urls.iter().zip(&surveyed.pages);
        let known = pages.map(|(url, page)| {
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
        // A watch weighs what sitemaps and feeds say of pages, and by how much they were right.
        round.reads_sitemaps = true;
        if site.opens_at > Timestamp::MIN {
            round.left = super::quiet::LOOK;
        }
        let mut planned = PlannedSite::of(&site.standing);
        for watched in picks {
            let fingerprint = watched.address.fingerprint().0;
            round.taken.insert(fingerprint);
            if wants_look(watched.address.as_str(), outlook.now, site.looks) {
                round.whole.insert(fingerprint);
            }
            match watched.purpose {
                Purpose::News => planned.hubs += 1,
                Purpose::Objects => planned.due += 1,
                Purpose::New => planned.unseen += 1,
            }
        }
        (round, planned)
    }
}

/// Whether a page is had whole this time, instead of asking whether it has changed: so large a share of visits, as if by chance.
fn wants_look(url: &str, now: Timestamp, share: f64) -> bool {
    let chance = xxh3_64(format!("{} {url}", now.as_millis()).as_bytes()) as f64 / u64::MAX as f64;
    chance < share
}
