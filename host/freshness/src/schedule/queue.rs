//! Which page to fetch next.
//!
//! A page is due when its crawl value has grown to the price of a visit; as it grows in a known way, that
//! time is known, and pages wait in the order of it. What is due already is ranked by value, the
//! greatest first, so that after downtime, or at a site whose limit holds visits back, those are
//! fetched that are worth most. Each site has its own two heaps and a time from which it may be asked.

use crate::change::Goal;

use super::frequency::Page;
use super::ranked::{Heap, Ranked};
use super::site::Site;
use super::table::Table;

/// A page's place in a queue; given to another page once this one is removed.
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
    /// What the visit is worth: the price or more, unless the longest gap made it due.
    pub value: f64,
    /// How long ago the last visit was.
    pub gap: f64,
}

/// Pages by the time they are due, with the limits of their sites.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    table: Table,
    sites: Vec<Site>,
    /// Sites by when there is something to do: the earliest time ranks highest.
    calendar: Heap,
    /// Sites with a page that may be fetched, by its value.
    active: Heap,
    /// When it was asked last.
    now: f64,
}

impl Queue {
    /// An empty queue at a price, as from [`price`](super::price()). No page waits longer than the
    /// longest gap, whatever it is worth, so that rates that changed are noticed; it may be infinite.
    pub fn new(goal: Goal, price: f64, longest_gap: f64) -> Self {
        Self {
            table: Table::new(goal, price, longest_gap),
            now: f64::NEG_INFINITY,
            ..Self::default()
        }
    }

    /// Adds a site that may be asked once per `gap`. A limit of so many visits a day is a gap, too.
    pub fn add_site(&mut self, gap: f64) -> SitePlace {
        self.sites.push(Site::new(gap));
        SitePlace(self.sites.len() as u32 - 1)
    }

    /// Changes a site's gap, from its next fetch on.
    pub fn set_site_gap(&mut self, site: SitePlace, gap: f64) {
        if let Some(site) = self.sites.get_mut(site.0 as usize) {
            site.gap = gap.max(0.0);
        }
    }

    /// Adds a page that was last fetched at a time; at minus infinity if it never was, so that it is
    /// due at once unless it is worth nothing. None if there is no such site.
    pub fn add(&mut self, site: SitePlace, page: Page, last: f64) -> Option<Place> {
        self.sites.get_mut(site.0 as usize)?.pages += 1;
        let place = self.table.add(page, site.0, last);
        self.enter(place);
        Some(Place(place))
    }

    /// Changes what is believed of a page, or its weight.
    pub fn update(&mut self, place: Place, page: Page) {
        if self.table.change(place.0, |entry| entry.page = page) {
            self.enter(place.0);
        }
    }

    /// A page was fetched, taken from here or not, and waits anew, with what is believed of it now.
    ///
    /// Say the same of one that was taken and could not be fetched: a broken page is then not tried
    /// without end.
    pub fn fetched(&mut self, place: Place, at: f64, page: Page) {
        let changed = self.table.change(place.0, |entry| {
            entry.page = page;
            entry.last = at;
            entry.set_waiting();
        });
        if changed {
            self.enter(place.0);
        }
    }

    /// Removes a page: it is gone, or its object has expired.
    pub fn remove(&mut self, place: Place) {
        if let Some(site) = self.table.remove(place.0) {
            self.sites[site as usize].pages -= 1;
        }
    }

    /// Takes the page that is worth most of those that are due at sites that may be asked now.
    ///
    /// None when nothing is: then what is left of the budget is for other things, or the price is
    /// too high. With many pages overdue, values are some visits old, and the order nearly right.
    pub fn take(&mut self, now: f64) -> Option<Due> {
        self.now = now;
        self.wake(now);
        let (sites, table) = (&self.sites, &self.table);
        let current = |ranked: &Ranked| sites[ranked.place as usize].stamp == ranked.stamp;
        self.active
            .freshen(|ranked| current(ranked).then(|| sites[ranked.place as usize].best(table, now)));
        while let Some(top) = self
            .active
            .pop(|ranked| self.sites[ranked.place as usize].stamp == ranked.stamp)
        {
            let taken = self.sites[top.place as usize].take(&self.table, now);
            let due = taken.and_then(|place| self.hand_out(place, now));
            self.schedule(top.place, now);
            if due.is_some() {
                return due;
            }
        }
        None
    }

    /// When something can next be taken; before now if something can already, infinite if nothing ever will.
    pub fn next_time(&mut self) -> f64 {
        let sites = &self.sites;
        let current = |ranked: &Ranked| sites[ranked.place as usize].stamp == ranked.stamp;
        if self.active.peek(current).is_some() {
            return f64::NEG_INFINITY;
        }
        self.calendar
            .peek(current)
            .map_or(f64::INFINITY, |first| -first.rank)
    }

    /// When a page is due, whatever its site allows; infinite when never.
    pub fn due_at(&self, place: Place) -> Option<f64> {
        self.table.get(place.0).map(|entry| self.table.due(entry))
    }

    /// What a visit to a page would be worth.
    pub fn value(&self, place: Place, now: f64) -> Option<f64> {
        self.table.get(place.0).map(|entry| self.table.value(entry, now))
    }

    /// The price of a visit.
    pub fn price(&self) -> f64 {
        self.table.price
    }

    /// Changes the price, because the budget changed or many beliefs did. Every page finds its place
    /// anew, which takes about as long as all were updated.
    pub fn set_price(&mut self, price: f64) {
        self.table.price = price;
        self.enter_all();
    }

    /// Says that the clock stepped back to `now`: nothing was visited later than that, and no site
    /// has to wait for longer than its gap. Without being told, the queue would wait until the clock
    /// has come as far as it was.
    pub fn clock_stepped(&mut self, now: f64) {
        self.now = now;
        let places: Vec<u32> = self.table.places().collect();
        for place in places {
            self.table.change(place, |entry| entry.last = entry.last.min(now));
        }
        for site in &mut self.sites {
            site.free_at = site.free_at.min(now + site.gap);
        }
        self.enter_all();
    }

    fn hand_out(&mut self, place: u32, now: f64) -> Option<Due> {
        self.table.change(place, super::table::Entry::set_taken);
        let entry = self.table.get(place)?;
        Some(Due {
            place: Place(place),
            site: SitePlace(entry.site),
            value: self.table.value(entry, now),
            gap: now - entry.last,
        })
    }

    /// Lets a page wait, and its site be looked at when it is due.
    fn enter(&mut self, place: u32) {
        let Some(entry) = self.table.get(place).filter(|entry| entry.is_waiting()) else {
            return;
        };
        let number = entry.site;
        let Some(ranked) = self.table.by_time(place) else {
            return;
        };
        let entry = *entry;
        let site = &mut self.sites[number as usize];
        site.enter(ranked, &self.table);
        let due = site.free_at.max(-ranked.rank);
        let is_active = site.scheduled == f64::NEG_INFINITY;
        if is_active
            && due <= self.now
            && self.table.value(&entry, self.now) > site.best(&self.table, self.now)
        {
            // Its site waits with the others for what it had so far.
            self.schedule(number, self.now);
        } else if due < site.scheduled {
            site.scheduled = due;
            let stamp = site.stamp;
            self.calendar.push(Ranked {
                rank: -due,
                place: number,
                stamp,
            });
            self.sweep();
        }
    }

    fn enter_all(&mut self) {
        self.calendar = Heap::default();
        self.active = Heap::default();
        self.sites.iter_mut().for_each(Site::clear);
        let waiting: Vec<u32> = self.table.waiting().collect();
        for place in waiting {
            self.enter(place);
        }
    }

    /// Looks at the sites whose time has come.
    fn wake(&mut self, now: f64) {
        loop {
            let sites = &self.sites;
            let current = |ranked: &Ranked| sites[ranked.place as usize].stamp == ranked.stamp;
            match self.calendar.peek(current) {
                Some(first) if -first.rank <= now => self.schedule(first.place, now),
                _ => return,
            }
        }
    }

    /// Enters a site anew: among those that can give a page, or for when it can.
    fn schedule(&mut self, number: u32, now: f64) {
        let site = &mut self.sites[number as usize];
        site.stir(&self.table, now);
        site.stamp = site.stamp.wrapping_add(1);
        let (next, stamp) = (site.next(&self.table), site.stamp);
        if next <= now {
            site.scheduled = f64::NEG_INFINITY;
            let rank = site.best(&self.table, now);
            self.active.push(Ranked {
                rank,
                place: number,
                stamp,
            });
        } else {
            site.scheduled = next;
            if next < f64::INFINITY {
                self.calendar.push(Ranked {
                    rank: -next,
                    place: number,
                    stamp,
                });
            }
        }
        self.sweep();
    }

    fn sweep(&mut self) {
        let (sites, count) = (&self.sites, self.sites.len());
        let current = |ranked: &Ranked| sites[ranked.place as usize].stamp == ranked.stamp;
        self.calendar.sweep(count, current);
        self.active.sweep(count, current);
    }
}
