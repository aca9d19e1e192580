//! Choice of the next page to fetch.
//!
//! A page is due when its crawl value has grown to the price of a visit. The time of that is known,
//! since the value grows in a known way, and pages wait in its order. Pages that are due are
//! ordered by value, highest first. So after downtime, or at a site at its limit, the most valuable
//! ones are fetched. Each site has its own two heaps and a time from which on it may be accessed.

use crate::change::Goal;

use super::frequency::Page;
use super::ranked::{Heap, Ranked};
use super::site::Site;
use super::table::Table;

/// Id of a page in a queue; reused after the page is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place(pub u32);

/// Id of a site in a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SiteSlot(pub u32);

/// A page to be fetched now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Due {
    pub place: Place,
    pub site: SiteSlot,
    /// Value of the visit: at least the price, unless the maximum gap made it due.
    pub value: f64,
    /// Time since the last visit.
    pub gap: f64,
}

/// Pages by due time, with the limits of their sites.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    table: Table,
    sites: Vec<Site>,
    /// Sites by the time of their next event; the earliest has the highest rank.
    calendar: Heap,
    /// Sites with a due page, by its value.
    active: Heap,
    /// Time of the last request.
    now: f64,
}

impl Queue {
    /// Creates an empty queue at a price, such as from [`price`](super::price()). Where prices
    /// change or differ by site, use the price 1 and divide the weights of pages by their price. No
    /// page waits longer than `max_gap`, whatever its value, so that changed rates are noticed; it
    /// may be infinite.
    pub fn new(goal: Goal, price: f64, max_gap: f64) -> Self {
        Self {
            table: Table::new(goal, price, max_gap),
            now: f64::NEG_INFINITY,
            ..Self::default()
        }
    }

    /// Adds a site that may be accessed once per `gap`. A daily limit of visits is a gap, too.
    pub fn add_site(&mut self, gap: f64) -> SiteSlot {
        self.sites.push(Site::new(gap));
        SiteSlot(self.sites.len() as u32 - 1)
    }

    /// Adds a page that was last fetched at a time. Minus infinity means never, which makes the
    /// page due at once unless it is worth nothing. Returns `None` if there is no such site.
    pub fn add(&mut self, site: SiteSlot, page: Page, last: f64) -> Option<Place> {
        self.sites.get_mut(site.0 as usize)?.pages += 1;
        let place = self.table.add(page, site.0, last);
        self.enqueue(place);
        Some(Place(place))
    }

    /// Changes the belief and weight of a page.
    pub fn update(&mut self, place: Place, page: Page) {
        if self.table.change(place.0, |entry| entry.page = page) {
            self.enqueue(place.0);
        }
    }

    /// Records that a page was fetched, taken from here or not. The page then waits again, with its
    /// new belief.
    ///
    /// Call this also for a page that was taken and could not be fetched, so that a broken page is
    /// not retried endlessly.
    pub fn fetched(&mut self, place: Place, at: f64, page: Page) {
        let changed = self.table.change(place.0, |entry| {
            entry.page = page;
            entry.last = at;
            entry.set_waiting();
        });
        if changed {
            self.enqueue(place.0);
        }
    }

    /// Removes a page that is gone, or whose object has expired.
    pub fn remove(&mut self, place: Place) {
        if let Some(site) = self.table.remove(place.0) {
            self.sites[site as usize].pages -= 1;
        }
    }

    /// Takes the most valuable page that is due at an accessible site.
    ///
    /// Without such a page it returns `None`: the rest of the budget is free for other purposes, or
    /// the price is too high. With many pages overdue, values are a few visits old, and the order
    /// is approximate.
    pub fn take(&mut self, now: f64) -> Option<Due> {
        self.now = now;
        self.wake(now);
        let (sites, table) = (&self.sites, &self.table);
        let current = |ranked: &Ranked| sites[ranked.index as usize].stamp == ranked.stamp;
        self.active
            .rerank(|ranked| current(ranked).then(|| sites[ranked.index as usize].best(table, now)));
        while let Some(top) = self
            .active
            .pop(|ranked| self.sites[ranked.index as usize].stamp == ranked.stamp)
        {
            let taken = self.sites[top.index as usize].take(&self.table, now);
            let due = taken.and_then(|place| self.make_due(place, now));
            self.schedule(top.index, now);
            if due.is_some() {
                return due;
            }
        }
        None
    }

    /// Returns the time at which a page is due, regardless of its site's limit; infinite if never.
    pub fn due_at(&self, place: Place) -> Option<f64> {
        self.table.get(place.0).map(|entry| self.table.due(entry))
    }

    fn make_due(&mut self, place: u32, now: f64) -> Option<Due> {
        self.table.change(place, super::table::Entry::set_taken);
        let entry = self.table.get(place)?;
        Some(Due {
            place: Place(place),
            site: SiteSlot(entry.site),
            value: self.table.value(entry, now),
            gap: now - entry.last,
        })
    }

    /// Adds a page to the waiting ones, and schedules its site for when it is due.
    fn enqueue(&mut self, place: u32) {
        let Some(entry) = self.table.get(place).filter(|entry| entry.is_waiting()) else {
            return;
        };
        let site_index = entry.site;
        let Some(ranked) = self.table.by_time(place) else {
            return;
        };
        let entry = *entry;
        let site = &mut self.sites[site_index as usize];
        site.enqueue(ranked, &self.table);
        let due = site.free_at.max(-ranked.rank);
        let is_active = site.scheduled == f64::NEG_INFINITY;
        if is_active
            && due <= self.now
            && self.table.value(&entry, self.now) > site.best(&self.table, self.now)
        {
            // Its site waits among the others with its former value.
            self.schedule(site_index, self.now);
        } else if due < site.scheduled {
            site.scheduled = due;
            let stamp = site.stamp;
            self.calendar.push(Ranked {
                rank: -due,
                index: site_index,
                stamp,
            });
            self.prune();
        }
    }

    /// Schedules the sites whose time has come.
    fn wake(&mut self, now: f64) {
        loop {
            let sites = &self.sites;
            let current = |ranked: &Ranked| sites[ranked.index as usize].stamp == ranked.stamp;
            match self.calendar.peek(current) {
                Some(first) if -first.rank <= now => self.schedule(first.index, now),
                _ => return,
            }
        }
    }

    /// Reschedules a site: among those with a due page, or for when it has one.
    fn schedule(&mut self, site_index: u32, now: f64) {
        let site = &mut self.sites[site_index as usize];
        site.move_due(&self.table, now);
        site.stamp = site.stamp.wrapping_add(1);
        let (next, stamp) = (site.next(&self.table), site.stamp);
        if next <= now {
            site.scheduled = f64::NEG_INFINITY;
            let rank = site.best(&self.table, now);
            self.active.push(Ranked {
                rank,
                index: site_index,
                stamp,
            });
        } else {
            site.scheduled = next;
            if next < f64::INFINITY {
                self.calendar.push(Ranked {
                    rank: -next,
                    index: site_index,
                    stamp,
                });
            }
        }
        self.prune();
    }

    fn prune(&mut self) {
        let (sites, count) = (&self.sites, self.sites.len());
        let current = |ranked: &Ranked| sites[ranked.index as usize].stamp == ranked.stamp;
        self.calendar.prune(count, current);
        self.active.prune(count, current);
    }
}
