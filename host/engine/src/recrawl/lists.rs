//! The lists that a round reads, and the most that it spends on what is new.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::time::Duration;

use magpie_model::CanonicalUrl;
use magpie_patterns::navigate::{by_added, leading_to, replay};
use magpie_rows::{KnownPage, RunId};

use super::plan::{MAX_DETAIL_OBJECTS, Method, NO_RUN, has_answered};
use crate::filters::SiteRound;
use crate::site::{ObjectsByPage, SiteError, SitePages, Snapshots, View};

/// Requests that a round may spend on what is new, however small the site is: ten lists, and ten
/// new pages.
const MIN_CEILING: u64 = 20;

/// Part of the ceiling that known lists may take, 1/2. The rest is for the new pages that they
/// show.
const LISTS: u64 = 2;

/// Lists that are read even if they add nothing: the calendar of next month may be empty today.
const MIN_LISTS: usize = 5;

/// Pages that a round may fetch again for their age, however small the site is.
const MIN_AGED: usize = 20;

/// Seconds of a day.
const DAY: u64 = 86_400;

/// The objects that the lists of a site show, by the requests for them.
#[derive(Clone, Debug, serde::Serialize, schemars::JsonSchema)]
pub struct ListCurve {
    /// Key of the site.
    pub site: String,
    /// Numbers of lists that are read, and of objects that they show; each list adds most to those
    /// before it. The entry page is the first.
    pub points: Vec<(usize, usize)>,
    /// Lists along the navigation.
    pub lists: usize,
    /// Lists that a round reads, with those that add nothing.
    pub chosen: usize,
    /// Requests that a round may spend on what is new; none without a ceiling.
    pub ceiling: Option<u64>,
}

/// A list, as a round sees it.
#[derive(Clone, Copy, Debug, serde::Serialize, schemars::JsonSchema)]
pub struct ListWorth {
    /// Objects that it shows, and that no list shows which adds more.
    pub adds: usize,
    /// True if the next round reads it.
    pub is_read: bool,
}

/// The lists of a site in a round, and its bound.
#[derive(Default)]
pub(crate) struct Spending {
    /// The entry page and the lists that add to it, with the objects that each adds.
    worth: Vec<(usize, usize)>,
    /// Lists along the navigation, without the entry page.
    lists: Vec<usize>,
    /// Lists along the navigation, by their places, that are not read this time: others show
    /// their objects, or the ceiling leaves no room.
    pub(crate) resting: HashSet<usize>,
    /// Lists that add nothing and are read for their age.
    pub(crate) aged: HashSet<usize>,
    /// Requests for lists and for pages that were never fetched; `None` without a ceiling.
    pub(crate) ceiling: Option<u64>,
}

impl View<'_> {
    /// Returns the curves of the sites that have a navigation.
    pub fn list_curves(&self) -> Result<Vec<ListCurve>, SiteError> {
        let mut curves = Vec::new();
        self.each_spending(None, |key, _, spending| {
            let points = spending
                .worth
                .iter()
                .scan((0, 0), |(requests, objects), (_, adds)| {
                    (*requests, *objects) = (*requests + 1, *objects + adds);
                    Some((*requests, *objects))
                });
            curves.push(ListCurve {
                site: key.to_owned(),
                points: points.collect(),
                lists: 1 + spending.lists.len(),
                chosen: 1 + spending.lists.len() - spending.resting.len() - spending.aged.len(),
                ceiling: spending.ceiling,
            });
        })?;
        Ok(curves)
    }

    /// Returns what a list adds, if the URL is one that rounds may read.
    pub fn list_worth(&self, site: &str, url: &CanonicalUrl) -> Result<Option<ListWorth>, SiteError> {
        let mut worth = None;
        self.each_spending(Some(site), |_, surveyed, spending| {
            let adding = spending.worth.iter().map(|(list, _)| *list);
            let mut lists = adding.chain(spending.lists.iter().copied());
            worth = lists.find(|place| surveyed.at(*place).0 == url).map(|place| {
                let adds = spending.worth.iter().find(|(list, _)| *list == place);
                ListWorth {
                    adds: adds.map_or(0, |(_, adds)| *adds),
                    is_read: !spending.resting.contains(&place),
                }
            });
        })?;
        Ok(worth)
    }

    fn each_spending(
        &self,
        of: Option<&str>,
        mut each: impl FnMut(&str, &SitePages, &Spending),
    ) -> Result<(), SiteError> {
        let mut snapshots = Snapshots::default();
        let sightings = self.sightings(&mut snapshots)?;
        for site in self.reader.learned_sites(self.vertical)? {
            if of.is_some_and(|of| of != site.key) {
                continue;
            }
            let Some((standing, navigator)) = self.guided(Method::Selective, site, &mut snapshots)? else {
                continue;
            };
            let surveyed = &standing.surveyed;
            let memory = self.remembered(Method::Selective, surveyed, &sightings, NO_RUN);
            let mut round = self.site_round(navigator, memory, &standing);
            let pages = replay(&mut round.round, &surveyed.survey.graph(), surveyed.survey.entry);
            let ceiling = self.ceiling(surveyed);
            let spending = self.spending(&round, &pages, (surveyed, &sightings), NO_RUN, ceiling);
            each(&standing.site.key, surveyed, &spending);
        }
        Ok(())
    }

    /// Chooses the lists of a round among the pages along the navigation, within a ceiling if there
    /// is one.
    pub(crate) fn spending(
        &self,
        round: &SiteRound,
        on_the_way: &[usize],
        (surveyed, sightings): (&SitePages, &ObjectsByPage),
        run: RunId,
        ceiling: Option<u64>,
    ) -> Spending {
        // The site has not even an entry page.
        if on_the_way.is_empty() {
            return Spending::default();
        }
        let survey = &surveyed.survey;
        let entry = survey.target_of(&survey.graph(), survey.entry);
        let is_known_list = |place: &usize| {
            let (url, page) = surveyed.at(*place);
            // A page that moved shows nothing itself.
            let is_there = page.fetched_at.is_some() && !surveyed.survey.moved.contains(&(*place as u32));
            *place != entry && is_there && round.navigator().reads(url)
        };
        let lists: Vec<usize> = on_the_way.iter().copied().filter(is_known_list).collect();
        let all: Vec<usize> = std::iter::once(entry).chain(lists.iter().copied()).collect();
        let mut shown = shown_by(&all, round, surveyed, sightings);
        // The entry page is read in any case.
        let by_entry: HashSet<u32> = shown.remove(0).into_iter().collect();
        for objects in &mut shown {
            objects.retain(|object| !by_entry.contains(object));
        }
        let mut adding: Vec<(usize, usize)> = by_added(&shown)
            .into_iter()
            .map(|(at, adds)| (lists[at], adds))
            .collect();
        let worth = std::iter::once((entry, by_entry.len()))
            .chain(adding.iter().copied())
            .collect();
        // Lists that lead to them come after them in worth.
        let places: HashMap<usize, usize> = lists.iter().copied().zip(0..).collect();
        let graph = survey.graph();
        let links_of = |list: usize| {
            let links = graph.links(list).iter();
            links.filter_map(|to| places.get(&survey.target_of(&graph, *to as usize)).copied())
        };
        let links: Vec<Vec<usize>> = lists.iter().map(|list| links_of(*list).collect()).collect();
        let read: Vec<usize> = adding.iter().map(|(list, _)| places[list]).collect();
        let leading = leading_to(&read, &links, &links_of(entry).collect());
        adding.extend(leading.into_iter().map(|list| (lists[list], 1)));
        // Where there is no room for all, those that were not read for long come before those that
        // were read in the last round. A run that was stopped continues with its own choice.
        let age = |page: &KnownPage| page.fetched_at.map_or(Duration::ZERO, |at| self.now.since(at));
        adding.sort_by_cached_key(|(place, adds)| {
            let page = surveyed.at(*place).1;
            (
                !has_answered(page, run),
                Reverse(*adds as u64 * (1 + age(page).as_secs() / DAY)),
            )
        });
        let room = ceiling.map_or(u64::MAX, |ceiling| ceiling.div_ceil(LISTS) - 1);
        let room = usize::try_from(room).unwrap_or(usize::MAX);
        let mut read: HashSet<usize> = adding.iter().take(room).map(|(place, _)| *place).collect();
        let mut others: Vec<usize> = lists
            .iter()
            .copied()
            .filter(|place| !read.contains(place))
            .collect();
        others.sort_by_key(|place| surveyed.at(*place).1.fetched_at);
        read.extend(others.into_iter().take(MIN_LISTS.saturating_sub(read.len())));
        let rest = lists.iter().copied().filter(|place| !read.contains(place));
        // A list that adds nothing today may be the first to show something tomorrow.
        let refresh = self.settings.settings.recrawl.refresh;
        let is_old = |place: &usize| age(surveyed.at(*place).1) >= refresh;
        let (aged, resting) = rest.partition(is_old);
        Spending {
            worth,
            lists,
            resting,
            aged,
            ceiling,
        }
    }

    /// Takes out the pages that wait for a later round: of the pages that are fetched again for
    /// their age, a round takes the share that its time is of the time after which they are due.
    /// After a whole site was learned on one day, all of it is due on one day.
    pub(crate) fn hold_back(
        &self,
        pages: &mut Vec<usize>,
        round: &SiteRound,
        aged: &HashSet<usize>,
        surveyed: &SitePages,
        run: RunId,
    ) -> usize {
        let fetched = |place: usize| surveyed.at(place).1.fetched_at;
        let earlier = surveyed.pages.iter().filter(|page| page.run != Some(run));
        let Some(last) = earlier.filter_map(|page| page.fetched_at).max() else {
            return 0;
        };
        let refresh = self.settings.settings.recrawl.refresh;
        let share = (self.now.since(last).as_secs_f64() / refresh.as_secs_f64()).min(1.0);
        let most = ((surveyed.fetched_pages() as f64 * share).ceil() as usize).max(MIN_AGED);
        let is_for_age = |place: &usize| {
            let (url, page) = surveyed.at(*place);
            // A page that the site says has changed does not wait.
            let is_hinted = page.hinted_at().is_some_and(|at| Some(at) > page.fetched_at);
            let is_known = page.fetched_at.is_some() && !has_answered(page, run) && !is_hinted;
            is_known && (aged.contains(place) || !round.navigator().reads(url))
        };
        let mut due: Vec<usize> = pages.iter().copied().filter(is_for_age).collect();
        due.sort_by_key(|place| fetched(*place));
        let held: HashSet<usize> = due.into_iter().skip(most).collect();
        pages.retain(|place| !held.contains(place));
        held.len()
    }

    /// Requests that a round may spend on what is new at a site.
    pub(crate) fn ceiling(&self, surveyed: &SitePages) -> Option<u64> {
        let share = self.settings.settings.recrawl.share;
        (share < 1.0).then(|| ((surveyed.fetched_pages() as f64 * share).ceil() as u64).max(MIN_CEILING))
    }
}

/// The objects that each list shows: its own, those of the detail pages that it links to, and one
/// for each page that was never fetched. Expired objects count only on sites that have no others.
fn shown_by(
    lists: &[usize],
    round: &SiteRound,
    surveyed: &SitePages,
    sightings: &ObjectsByPage,
) -> Vec<Vec<u32>> {
    /// Distinguishes numbers of pages from those of objects.
    const PAGE: u32 = 1 << 31;
    let graph = surveyed.survey.graph();
    let shown = lists.iter().map(|list| {
        let mut objects = sightings.of(&surveyed.at(*list).1.url).to_vec();
        for link in graph.links(*list) {
            let target = surveyed.survey.target_of(&graph, *link as usize);
            let (url, page) = surveyed.at(target);
            if !round.navigator().may_have_objects(url) {
                continue;
            }
            let of_page = sightings.of(&page.url);
            match page.fetched_at {
                None => objects.push(PAGE | target as u32),
                // A new object on a known page with many is seen by those who read that page.
                Some(_) if of_page.len() as u64 > MAX_DETAIL_OBJECTS => {}
                Some(_) => objects.extend(of_page),
            }
        }
        objects.sort_unstable();
        objects.dedup();
        objects
    });
    let mut shown: Vec<Vec<u32>> = shown.collect();
    let is_current = |object: &u32| object & PAGE > 0 || sightings.is_current(*object);
    if shown.iter().flatten().any(is_current) {
        shown.iter_mut().for_each(|objects| objects.retain(is_current));
    }
    shown
}
