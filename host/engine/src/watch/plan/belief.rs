//! Estimates for pages. Each page starts with the estimate for its kind.

use std::collections::{BTreeMap, HashMap};

use magpie_freshness::change::{Belief, Claim, History, Population, RatePrior, Reliability};
use magpie_freshness::schedule::{Page, weight};
use magpie_patterns::navigate::StateId;
use magpie_rows::{Hinted, KnownPage};
use magpie_values::Timestamp;

use super::seen::{Seen, days};
use super::{Purpose, WatchPlan};

/// Changes of a page with objects in a day, before any was seen.
const USUAL_CHANGES: f64 = 1.0 / 30.0;

/// Prior rate of new objects on a list per day, and the factor of its uncertainty.
const USUAL_NEWS: (f64, f64) = (1.0 / 7.0, 2.0);

/// Rate of objects per day that is assumed for pages that were never fetched. It is more than that
/// of any list, since the first visit is always informative.
const AWAITED: f64 = 10.0;

/// Results of the visits to a page, by purpose.
pub(super) enum Group {
    News {
        news: History,
        edits: History,
        /// Objects that came since the first visit.
        found: u32,
    },
    Objects {
        history: History,
        objects: Vec<u32>,
    },
    New,
}

/// The pages by their kind: site, and state of its navigation.
#[derive(Default)]
pub(super) struct Groups {
    kinds: BTreeMap<(usize, StateId), Vec<(usize, Group)>>,
    hints: Vec<Hints>,
}

impl Groups {
    pub(super) fn add(&mut self, kind: (usize, StateId), page: usize, group: Group) {
        self.kinds.entry(kind).or_default().push((page, group));
    }

    pub(super) fn set_hints(&mut self, site: usize, hints: Hints) {
        debug_assert_eq!(site, self.hints.len());
        self.hints.push(hints);
    }

    /// Writes what is believed of each page into the plan.
    pub(super) fn believe(&self, watch_plan: &mut WatchPlan, new_object: f64) {
        self.believe_objects(watch_plan);
        self.believe_news(watch_plan, new_object);
        for watched in &mut watch_plan.pages {
            if watched.purpose == Purpose::New {
                watched.page = Page::of_events(AWAITED, new_object);
            }
        }
        self.heed_hints(watch_plan);
    }

    fn believe_objects(&self, watch_plan: &mut WatchPlan) {
        let histories: Vec<Vec<&History>> = self
            .kinds
            .values()
            .map(|pages| {
                let of_kind = pages.iter().filter_map(|(_, group)| match group {
                    Group::Objects { history, .. } => Some(history),
                    _ => None,
                });
                of_kind.collect()
            })
            .collect();
        // A kind with few visits takes over what the other kinds have shown, and with none at all
        // the guess remains.
        let guess = Population::guess(USUAL_CHANGES);
        let (_, priors) = Population::learn(&guess, histories.iter().map(|pages| pages.iter().copied()));
        let sources = sources(self.kinds.values().flatten().map(|(_, group)| group));
        for (pages, prior) in self.kinds.values().zip(priors) {
            for (page, group) in pages {
                if let Group::Objects { history, objects } = group {
                    let belief = prior.belief_after(history);
                    watch_plan.pages[*page].rate = belief.rate();
                    watch_plan.pages[*page].pace = belief.rate();
                    watch_plan.pages[*page].page = Page {
                        belief,
                        weight: weight(objects.iter().map(|object| sources[object])),
                    };
                }
            }
        }
    }

    fn believe_news(&self, watch_plan: &mut WatchPlan, new_object: f64) {
        let everywhere = |edits: bool| {
            let all = self.kinds.values().flatten();
            prior(all.filter_map(|(_, group)| history_of(group, edits)), None)
        };
        // If no list of a kind was visited twice, the prior of all lists applies.
        let (news_anywhere, edits_anywhere) = (everywhere(false), everywhere(true));
        for pages in self.kinds.values() {
            let of_kind = |edits| {
                pages
                    .iter()
                    .filter_map(move |(_, group)| history_of(group, edits))
            };
            let news_here = prior(of_kind(false), Some(news_anywhere));
            let edits_here = prior(of_kind(true), Some(edits_anywhere));
            for (page, group) in pages {
                let Group::News { news, edits, found } = group else {
                    continue;
                };
                let comes = news_here.posterior(news).mean;
                // A record that comes is also a change of the list, and counted once.
                let changes = match edits.changes() > 0.0 {
                    true => (edits_here.posterior(edits).mean - comes).max(0.0),
                    false => 0.0,
                };
                let watched = &mut watch_plan.pages[*page];
                watched.rate = comes;
                watched.pace = comes + changes;
                watched.compared.1 = *found;
                watched.page = Page::of_events(comes * new_object + changes, 1.0);
                watch_plan.news += comes;
            }
        }
    }

    /// Makes visits seem older or newer, according to hints.
    fn heed_hints(&self, watch_plan: &mut WatchPlan) {
        for watched in &mut watch_plan.pages {
            if watched.purpose != Purpose::Objects {
                continue;
            }
            let site = &watch_plan.sites[watched.site];
            let page = &site.standing.surveyed.pages[watched.place];
            if let Some(seems) = self.hints[watched.site].seems(page, &watched.page.belief, watch_plan.now) {
                watched.seems = seems;
            }
        }
    }
}

/// Counts for each object the pages that are visited for it.
fn sources<'a>(groups: impl Iterator<Item = &'a Group>) -> HashMap<u32, u32> {
    // A list that shows it as well is visited for what is new, and has only a part of it.
    let mut sources = HashMap::new();
    for group in groups {
        if let Group::Objects { objects, .. } = group {
            for object in objects {
                *sources.entry(*object).or_insert(0) += 1;
            }
        }
    }
    sources
}

fn history_of(group: &Group, edits: bool) -> Option<&History> {
    match group {
        Group::News { news, .. } if !edits => Some(news),
        Group::News { edits, .. } => Some(edits),
        _ => None,
    }
}

/// Returns the prior for lists of a kind, if any was visited twice, else that for all lists.
fn prior<'a>(histories: impl Iterator<Item = &'a History>, anywhere: Option<RatePrior>) -> RatePrior {
    let usual = || RatePrior::about(USUAL_NEWS.0, USUAL_NEWS.1);
    RatePrior::gamma_of(histories).or(anywhere).unwrap_or_else(usual)
}

/// Reliability of a site's sitemaps and of its feeds.
#[derive(Debug, Default)]
pub(super) struct Hints {
    sitemaps: Reliability,
    feeds: Reliability,
}

impl Hints {
    /// Compares the hints about a page with its last two bodies.
    pub(super) fn learn(&mut self, page: &KnownPage, seen: &Seen) {
        let Some((from, to, changed)) = seen.last_compared else {
            return;
        };
        let claims = [(&mut self.sitemaps, page.sitemap), (&mut self.feeds, page.feed)];
        for (reliability, hint) in claims {
            if let Some(claim) = hint.and_then(|hint| claimed(hint, from, to)) {
                reliability.learn(claim, days(from, to), changed);
            }
        }
    }

    /// Returns the apparent age of the last visit in days, given the hints of sitemap and feed
    /// about the time since.
    fn seems(&self, page: &KnownPage, belief: &Belief, now: Timestamp) -> Option<f64> {
        // One program usually writes both, so only the stronger statement counts.
        let at = page.fetched_at.filter(|at| *at <= now)?;
        let claims = [(&self.sitemaps, page.sitemap), (&self.feeds, page.feed)];
        let claims = claims.into_iter().filter_map(|(reliability, hint)| {
            // A hint that was read before the last visit is about a change that this visit has
            // seen.
            let hint = hint.filter(|hint| hint.seen_at > at)?;
            let (claim, until) = match hint.modified_at > at {
                true => (Claim::Changed, now),
                false => (Claim::Same, hint.seen_at.min(now)),
            };
            Some((reliability.doubt(claim), until))
        });
        let weight = |doubt: f64| doubt.ln().abs();
        let (doubt, until) = claims.max_by(|one, other| weight(one.0).total_cmp(&weight(other.0)))?;
        let unchanged = belief.unchanged_after(days(at, until));
        let after = unchanged * doubt / (unchanged * doubt + 1.0 - unchanged);
        let seems = belief.time_to(after) + days(until, now);
        // A page that is never expected to change has no age at which a change would be as likely.
        seems.is_finite().then_some(seems)
    }
}

/// Returns the claim of a hint about the time between two visits. `None` if the hint was read too
/// early or speaks of a later time.
fn claimed(hint: Hinted, from: Timestamp, to: Timestamp) -> Option<Claim> {
    if hint.modified_at > from && hint.modified_at <= to {
        Some(Claim::ChangedAgo(days(hint.modified_at, to)))
    } else if hint.modified_at <= from && hint.seen_at >= to {
        Some(Claim::Same)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::visited_page;

    const DAY: i64 = 86_400_000;

    fn page(fetched: i64, hinted: i64, read: i64) -> KnownPage {
        KnownPage {
            sitemap: Some(Hinted {
                modified_at: Timestamp::from_millis(hinted * DAY),
                seen_at: Timestamp::from_millis(read * DAY),
            }),
            ..visited_page(1, "https://a.example/", Timestamp::from_millis(fetched * DAY))
        }
    }

    fn after(from: i64, to: i64, changed: bool) -> Seen {
        Seen {
            last_compared: Some((
                Timestamp::from_millis(from * DAY),
                Timestamp::from_millis(to * DAY),
                changed,
            )),
            ..Seen::default()
        }
    }

    #[test]
    fn an_object_is_shared_out_among_the_pages_that_are_visited_for_it() {
        let objects = |objects: &[u32]| Group::Objects {
            history: History::default(),
            objects: objects.to_vec(),
        };
        let groups = [objects(&[1, 2]), objects(&[1]), Group::New];
        let sources = sources(groups.iter());
        let of = |objects: &[u32]| weight(objects.iter().map(|object| sources[object]));
        assert_eq!((of(&[1, 2]), of(&[1])), (1.5, 0.5));
    }

    #[test]
    fn hints_that_proved_right_move_visits_and_others_do_not() {
        let belief = Belief::uncertain(0.05, 0.5);
        let (changed, same) = (page(20, 25, 29), page(20, 15, 29));
        let mut right = Hints::default();
        for _ in 0..40 {
            right.learn(&page(10, 5, 11), &after(0, 10, true));
            right.learn(&page(10, 0, 11), &after(2, 10, false));
        }
        let seems = |hints: &Hints, page: &KnownPage| {
            hints
                .seems(page, &belief, Timestamp::from_millis(30 * DAY))
                .expect("a hint")
        };
        assert!(
            seems(&right, &changed) > 30.0,
            "it seems never to have been visited"
        );
        assert!(
            seems(&right, &same) < 4.0,
            "little more than since the sitemap was read"
        );
        let mut wrong = Hints::default();
        for number in 0..40 {
            // Its hints are independent of the changes.
            wrong.learn(&page(10, 5, 11), &after(0, 10, number % 2 == 0));
            wrong.learn(&page(10, 0, 11), &after(2, 10, number % 2 == 0));
        }
        for hint in [&changed, &same] {
            let seems = seems(&wrong, hint);
            assert!((seems - 10.0).abs() < 1.0, "{seems}");
        }
        assert_eq!(
            right.seems(&page(20, 15, 19), &belief, Timestamp::from_millis(30 * DAY)),
            None,
            "read before the visit"
        );
    }

    /// The same hint from a feed.
    fn by_feed(page: KnownPage) -> KnownPage {
        KnownPage {
            feed: page.sitemap,
            sitemap: None,
            ..page
        }
    }

    #[test]
    fn a_feed_that_is_wrong_takes_nothing_from_what_the_sitemap_says() {
        let belief = Belief::uncertain(0.05, 0.5);
        let mut hints = Hints::default();
        for number in 0..40 {
            hints.learn(&page(10, 5, 11), &after(0, 10, true));
            hints.learn(&page(10, 0, 11), &after(2, 10, false));
            // The feed has the dates on which pages appeared, and never those of changes.
            hints.learn(&by_feed(page(10, 0, 11)), &after(2, 10, number % 2 == 0));
        }
        let same = page(20, 15, 29);
        let by_sitemap = hints
            .seems(&same, &belief, Timestamp::from_millis(30 * DAY))
            .expect("a hint");
        let by_feed = hints
            .seems(&by_feed(same.clone()), &belief, Timestamp::from_millis(30 * DAY))
            .expect("a hint");
        assert!(by_sitemap < 4.0, "{by_sitemap}");
        assert!(by_feed > 7.0, "the visit ten days ago, or little less: {by_feed}");
        let both = KnownPage {
            feed: same.sitemap,
            ..same
        };
        assert_eq!(
            hints.seems(&both, &belief, Timestamp::from_millis(30 * DAY)),
            Some(by_sitemap)
        );
    }
}
