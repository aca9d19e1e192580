//! The crawl of a cycle: due pages, and unknown pages that their lists link to.

use magpie_values::Timestamp;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use magpie_patterns::plan::Known;
use xxhash_rust::xxh3::xxh3_64;

use super::{Purpose, ScheduledVisit, WatchPlan, Watched, WatchedSite};
use crate::filters::{FetchHistory, Rounds, SiteRound};
use crate::recrawl::{Plan, PlannedSite, named_pages};
use crate::site::{Collection, SiteError};
use magpie_model::UrlReason;
use magpie_rows::RoundMethod;

impl Collection<'_> {
    /// Queues what was picked. The guides of the plan keep a crawl to it and to what is new.
    pub(crate) fn plan_cycle(
        &self,
        watch_plan: &WatchPlan,
        picks: &[ScheduledVisit],
    ) -> Result<Plan, SiteError> {
        let mut by_site: HashMap<usize, Vec<&Watched>> = HashMap::new();
        for pick in picks {
            let watched = &watch_plan.pages[pick.page];
            by_site.entry(watched.site).or_default().push(watched);
        }
        let mut rounds = Rounds::default();
        let (mut sites, mut named) = (Vec::new(), Vec::new());
        for (number, site) in watch_plan.sites.iter().enumerate() {
            // A site without a pick gets no request, not even for its sitemaps.
            let Some(picks) = by_site.get(&number) else {
                continue;
            };
            named.extend(named_pages(&site.navigator, &site.standing));
            let (round, planned) = self.begin_round(watch_plan, site, picks);
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
            searched: watch_plan.searched(),
            judges: true,
            since: Some(watch_plan.now),
            sites,
            named,
            // The watch plan has reported them.
            left_out: Vec::new(),
            idle: Vec::new(),
            rounds: Some(Arc::new(rounds)),
            levels: None,
        })
    }

    /// The round of a site: what is fetched of it, and how its crawl is kept to that.
    fn begin_round(
        &self,
        watch_plan: &WatchPlan,
        site: &WatchedSite,
        picks: &[&Watched],
    ) -> (SiteRound, PlannedSite) {
        let surveyed = &site.standing.surveyed;
        let pages = surveyed.survey.urls.iter().zip(&surveyed.pages);
        let known = pages.map(|(url, page)| {
            // The plan has chosen the due pages by their worth, so links lead only to pages that
            // were never fetched.
            let known = match page.fetched_at {
                Some(_) => Known::Fresh,
                None => Known::Never,
            };
            (url.fingerprint().0, known)
        });
        let memory = FetchHistory {
            pages: known.collect(),
            ..FetchHistory::default()
        };
        let mut round = self
            .view()
            .site_round(Arc::clone(&site.navigator), memory, &site.standing);
        // A watch weighs the claims of sitemaps and feeds by how often they were right.
        round.reads_sitemaps = true;
        // A look at a quiet site is bounded, however much its lists have changed.
        if site.opens_at > Timestamp::MIN {
            round.left = super::quiet::LOOK;
        }
        let mut planned = PlannedSite::of(&site.standing);
        for watched in picks {
            // The pages are queued already, so links to them must not use up the pages of the
            // round.
            let fingerprint = watched.address.fingerprint().0;
            round.taken.insert(fingerprint);
            if wants_look(watched.address.as_str(), watch_plan.now, site.looks) {
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

/// Returns true for a pseudorandom share of visits, in which a page is fetched whole instead of
/// conditionally.
fn wants_look(url: &str, now: Timestamp, share: f64) -> bool {
    let chance = xxh3_64(format!("{} {url}", now.as_millis()).as_bytes()) as f64 / u64::MAX as f64;
    chance < share
}
