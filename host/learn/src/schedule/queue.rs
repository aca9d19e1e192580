//! Which page to fetch next.
//!
//! A page is due when its crawl value has grown to the price of a visit; as it grows in a known way, that time is
//! known, and pages wait in the order of it. What is due already is ranked by value, the greatest first, so that
//! after downtime, or at a site whose limit holds visits back, those are fetched that are worth most.
//! Each site has its own two heaps and the time from which it may be asked again.

use crate::change::{Belief, Goal};

use super::ranked::{Heap, Ranked};
use super::frequency::Page;

/// A page's place in a queue; free to be given to another once the page is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place(pub u32);

/// A site's place in a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SitePlace(pub u32);

/// A page to be fetched now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Due {
    /// The page.
    pub place: Place,
    /// Its site.
    pub site: SitePlace,
    /// What the visit is worth: the price, or more.
    pub value: f64,
    /// How long ago the last visit was.
    pub gap: f64,
}

/// Pages by the time they are due, with the limits of their sites.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    goal: Goal,
    price: f64,
    longest_gap: f64,
    pages: Vec<Entry>,
    free: Vec<u32>,
    sites: Vec<Site>,
    /// Sites by when something is next to be done, as negative times.
    calendar: Heap,
    /// Sites that have a page due and may be asked, by its value.
    active: Heap,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    page: Page,
    last: f64,
    site: u32,
    stamp: u32,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Waiting,
    Taken,
    Removed,
}

#[derive(Clone, Debug, Default)]
struct Site {
    gap: f64,
    free_at: f64,
    /// Pages not yet due, as negative times.
    waiting: Heap,
    /// Pages that are, by value.
    ready: Heap,
    pages: usize,
    stamp: u32,
    /// When it is next looked at.
    scheduled: f64,
}

impl Queue {
    /// An empty queue at a price, as from [`price`](super::price()). No page waits longer than the longest
    /// gap, whatever it is worth: so rates that changed are noticed. It may be infinite.
    pub fn new(goal: Goal, price: f64, longest_gap: f64) -> Self {
        Self { goal, price, longest_gap, ..Self::default() }
    }

    /// Adds a site that may be asked once per `gap`.
    pub fn add_site(&mut self, gap: f64) -> SitePlace {
        self.sites.push(Site {
            gap: gap.max(0.0),
            free_at: f64::NEG_INFINITY,
            scheduled: f64::INFINITY,
            ..Site::default()
        });
        SitePlace(self.sites.len() as u32 - 1)
    }

    /// Changes a site's gap, from its next fetch on.
    pub fn set_site_gap(&mut self, site: SitePlace, gap: f64) {
        if let Some(site) = self.sites.get_mut(site.0 as usize) {
            site.gap = gap.max(0.0);
        }
    }

    /// Adds a page that was fetched at `last`; at minus infinity if it never was, so that it is due at
    /// once. None if there is no such site.
    pub fn add(&mut self, site: SitePlace, page: Page, last: f64) -> Option<Place> {
        self.sites.get_mut(site.0 as usize)?.pages += 1;
        let entry = Entry { page, last, site: site.0, stamp: 0, state: State::Waiting };
        let place = match self.free.pop() {
            Some(place) => {
                // The stamp goes on, so that entries of the former owner stay out of date.
                let stamp = self.pages[place as usize].stamp;
                self.pages[place as usize] = Entry { stamp, ..entry };
                place
            }
            None => {
                self.pages.push(entry);
                self.pages.len() as u32 - 1
            }
        };
        self.enter(place);
        Some(Place(place))
    }

    /// Changes what is believed of a page, or its weight.
    pub fn update(&mut self, place: Place, page: Page) {
        let Some(entry) = self.known(place) else { return };
        entry.page = page;
        if entry.state == State::Waiting {
            self.enter(place.0);
        }
    }

    /// A page was fetched, taken from here or not: it waits anew. With what is believed of it now.
    pub fn fetched(&mut self, place: Place, at: f64, page: Page) {
        let Some(entry) = self.known(place) else { return };
        entry.page = page;
        entry.last = at;
        entry.state = State::Waiting;
        self.enter(place.0);
    }

    /// A page that was taken could not be fetched: it waits again until `at`, by when it counts as
    /// visited although it was not, so that a broken page is not tried for ever.
    pub fn failed(&mut self, place: Place, at: f64) {
        if let Some(page) = self.known(place).map(|entry| entry.page) {
            self.fetched(place, at, page);
        }
    }

    /// Removes a page: it is gone, or its object has expired.
    pub fn remove(&mut self, place: Place) {
        let Some(entry) = self.known(place) else { return };
        entry.state = State::Removed;
        entry.stamp = entry.stamp.wrapping_add(1);
        let site = entry.site as usize;
        self.sites[site].pages -= 1;
        self.free.push(place.0);
    }

    /// Takes the page that is worth most of those that are due at sites that may be asked now.
    /// None when nothing is due: what is left of the budget is for other things, or the price is too high.
    pub fn take(&mut self, now: f64) -> Option<Due> {
        self.wake(now);
        let (sites, pages, goal) = (&mut self.sites, &self.pages, self.goal);
        self.active.freshen(|ranked| {
            let site = sites.get(ranked.place as usize)?;
            (site.stamp == ranked.stamp).then_some(ranked.rank)
        });
        loop {
            let site = self.active.pop(|ranked| sites[ranked.place as usize].stamp == ranked.stamp)?;
            let held = &mut sites[site.place as usize];
            let current = |ranked: &Ranked| is_current(pages, ranked);
            held.ready.freshen(|ranked| current(ranked).then(|| value(&pages[ranked.place as usize], goal, now)));
            let Some(top) = held.ready.pop(current) else {
                self.schedule(site.place, now);
                return self.take(now);
            };
            held.free_at = now + held.gap;
            let entry = &mut self.pages[top.place as usize];
            entry.state = State::Taken;
            entry.stamp = entry.stamp.wrapping_add(1);
            let due = Due {
                place: Place(top.place),
                site: SitePlace(site.place),
                value: value(entry, self.goal, now),
                gap: now - entry.last,
            };
            self.schedule(site.place, now);
            return Some(due);
        }
    }
}
