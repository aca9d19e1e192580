//! The objects of the world: their existence in a week, their popularity and their facts.

mod book;
mod event;
mod product;

use crate::facts::Fact;
use crate::random::{Key, ln};
use crate::spec::{Habit, Vertical, WebSpec};
use crate::words::Tongue;
use crate::words::readable::{self, Lists};

/// Number of categories: genres, subjects, aisles.
pub(crate) const CATEGORIES: u64 = 12;
/// Number of groups, which are independent of categories: towns, publishers, brands.
pub(crate) const GROUPS: u64 = 40;

/// Id of an object. The initial stock comes first, followed by the additions of each week.
pub(crate) type ObjectId = u32;

/// All objects, computed on demand and never stored.
#[derive(Clone, Debug)]
pub(crate) struct Population {
    vertical: Vertical,
    key: Key,
    tongue: Tongue,
    stock: u32,
    per_week: u32,
    epoch: i64,
    skew: f64,
    removal_rate: f64,
    reschedule_rate: f64,
    categories: Vec<String>,
    groups: Vec<String>,
    is_readable: bool,
    has_norms: bool,
    has_late_hours: bool,
}

/// New objects a week, in thousandths of the stock, and the weekly rate at which objects leave for
/// good. Events leave by their date: of a stock spread over twenty weeks, a twentieth passes each
/// week. Books are added at the pace of a catalogue that is renewed in a few years, products at
/// that of one renewed in a year.
const RATES: [(Vertical, u32, f64); 3] = [
    (Vertical::Events, 50, 0.0),
    (Vertical::Books, 6, 0.002),
    (Vertical::Products, 15, 0.012),
];

/// Maximum age in weeks before week 0 of events in the initial stock.
pub(crate) const PAST_WEEKS: i64 = 5;
/// Number of weeks after its announcement within which an event takes place.
const LEAD_WEEKS: i64 = 20;

impl Population {
    pub(crate) fn new(spec: &WebSpec) -> Self {
        let key = Key::root(spec.seed).of("population", spec.vertical as u64);
        let tongue = Tongue::new(key.of("tongue", 0));
        let (_, new, removal_rate) = RATES[spec.vertical as usize];
        let name = |purpose: &str, id| tongue.name(key.of(purpose, id));
        Self {
            vertical: spec.vertical,
            stock: spec.objects,
            per_week: (u64::from(spec.objects) * u64::from(new) / 1000).max(1) as u32,
            epoch: spec.epoch,
            skew: spec.skew,
            removal_rate,
            // An event is rescheduled at a rate of once in a hundred weeks.
            reschedule_rate: if spec.vertical == Vertical::Events {
                0.01
            } else {
                0.0
            },
            categories: (0..CATEGORIES)
                .map(|id| match spec.readable {
                    true => readable_category(spec.vertical, id),
                    false => name("category", id),
                })
                .collect(),
            groups: (0..GROUPS)
                .map(|id| match spec.readable {
                    true => readable_group(spec.vertical, id, key),
                    false => name("group", id),
                })
                .collect(),
            is_readable: spec.readable,
            has_norms: spec.has(Habit::Norms),
            has_late_hours: spec.has(Habit::LateHours),
            key,
            tongue,
        }
    }

    /// Returns the number of objects that have existed by the end of a week.
    pub(crate) fn count(&self, week: u32) -> u32 {
        self.stock + week * self.per_week
    }

    /// Returns the objects that a week adds; week 0 adds the stock.
    pub(crate) fn born_in(&self, week: u32) -> std::ops::Range<ObjectId> {
        if week == 0 {
            0..self.stock
        } else {
            self.count(week - 1)..self.count(week)
        }
    }

    /// Returns the week in which an object was added.
    pub(crate) fn birth(&self, object: ObjectId) -> u32 {
        if object < self.stock {
            0
        } else {
            (object - self.stock) / self.per_week + 1
        }
    }

    /// Returns the key of all decisions about an object.
    pub(crate) fn key(&self, object: ObjectId) -> Key {
        self.key.of("object", u64::from(object))
    }

    pub(crate) fn category(&self, object: ObjectId) -> u8 {
        self.key(object).of("category", 0).below(CATEGORIES) as u8
    }

    /// Returns the group of an object: town, publisher or brand. Low numbers are more frequent.
    pub(crate) fn group(&self, object: ObjectId) -> u16 {
        let key = self.key(object).of("group", 0);
        key.of("first", 0)
            .below(GROUPS)
            .min(key.of("second", 0).below(GROUPS)) as u16
    }

    pub(crate) fn category_name(&self, category: u8) -> &str {
        &self.categories[usize::from(category) % self.categories.len()]
    }

    pub(crate) fn group_name(&self, group: u16) -> &str {
        &self.groups[usize::from(group) % self.groups.len()]
    }

    /// Returns the popularity of an object; the average is 1.
    pub(crate) fn popularity(&self, object: ObjectId) -> f64 {
        popularity(self.key(object).of("popularity", 0).unit(), self.skew)
    }

    /// Returns true if the object has left for good by a week. Events leave when their date has
    /// passed.
    pub(crate) fn is_gone(&self, object: ObjectId, week: u32) -> bool {
        match self.vertical {
            Vertical::Events => self.day(object, week) < self.epoch + 7 * i64::from(week),
            _ => self.removal_week(object).is_some_and(|left| left <= week),
        }
    }

    /// Returns the week from which the object is gone, for verticals without dates: a waiting time
    /// of constant rate.
    fn removal_week(&self, object: ObjectId) -> Option<u32> {
        let survived = 1.0 - self.key(object).of("leaves", 0).unit();
        let weeks = -ln(survived) / self.removal_rate;
        (weeks < HORIZON).then(|| self.birth(object) + 1 + weeks as u32)
    }

    /// Returns the day by which objects are ordered: the date of an event, the release date of
    /// others.
    pub(crate) fn day(&self, object: ObjectId, week: u32) -> i64 {
        let key = self.key(object);
        match self.vertical {
            Vertical::Events => self.planned_day(object) + self.days_moved(object, week),
            _ if object < self.stock => self.epoch - 1 - key.of("day", 0).below(3_000) as i64,
            _ => self.epoch + 7 * i64::from(self.birth(object)) + key.of("day", 0).below(7) as i64,
        }
    }

    fn planned_day(&self, object: ObjectId) -> i64 {
        let key = self.key(object).of("day", 0);
        let announced = self.epoch + 7 * i64::from(self.birth(object));
        if object < self.stock {
            return announced + key.below((7 * (PAST_WEEKS + LEAD_WEEKS)) as u64) as i64 - 7 * PAST_WEEKS;
        }
        announced + 7 + key.below((7 * LEAD_WEEKS) as u64) as i64
    }

    /// Returns the number of days by which an event has been moved by a week. Past events are not
    /// moved.
    fn days_moved(&self, object: ObjectId, week: u32) -> i64 {
        let key = self.key(object);
        let planned = self.planned_day(object);
        let moves = |at: &u32| {
            self.epoch + 7 * i64::from(*at) < planned - 7
                && key.of("moves", u64::from(*at)).likely(self.reschedule_rate)
        };
        let last = (self.birth(object) + 1..=week).rev().find(moves);
        last.map_or(0, |at| 1 + key.of("moved to", u64::from(at)).below(20) as i64)
    }

    /// Returns the last week, up to `week`, in which a fact of the object changed.
    pub(crate) fn last_change(&self, object: ObjectId, week: u32) -> u32 {
        if self.vertical != Vertical::Events {
            return 0;
        }
        let differs = |at: &u32| {
            self.days_moved(object, *at) != self.days_moved(object, at - 1)
                || self.is_cancelled(object, *at) != self.is_cancelled(object, at - 1)
        };
        (self.birth(object) + 1..=week).rev().find(differs).unwrap_or(0)
    }

    /// Returns true if an event has been cancelled by a week. Past events are not cancelled.
    pub(crate) fn is_cancelled(&self, object: ObjectId, week: u32) -> bool {
        let key = self.key(object);
        let off = |at: u32| {
            key.of("called off", u64::from(at))
                .likely(self.reschedule_rate * 0.5)
                && !self.is_gone(object, at)
        };
        self.vertical == Vertical::Events && (self.birth(object) + 1..=week).any(off)
    }

    /// Returns the title alone, which is most of what lists need.
    pub(crate) fn title(&self, object: ObjectId) -> String {
        match self.vertical {
            Vertical::Events => self.event_title(object),
            Vertical::Books => self.book_title(object),
            Vertical::Products => self.product_title(object),
        }
    }

    /// Returns the facts of an object in a week, without those that differ between sites.
    pub(crate) fn facts(&self, object: ObjectId, week: u32) -> Vec<Fact> {
        match self.vertical {
            Vertical::Events => self.event(object, week),
            Vertical::Books => self.book(object),
            Vertical::Products => self.product(object),
        }
    }

    /// Returns the average price of an object, in cents of the currency of its group.
    pub(crate) fn usual_price(&self, object: ObjectId) -> u32 {
        let key = self.key(object).of("price", 0);
        let (low, high) = match self.vertical {
            Vertical::Events => (800, 9_000),
            Vertical::Books => (700, 4_500),
            Vertical::Products => (900, 60_000),
        };
        // The smaller of two draws, since cheap objects are more common.
        (low + key
            .of("one", 0)
            .below(high - low)
            .min(key.of("two", 0).below(high - low))) as u32
    }

    /// Returns people with names of a language, where names are readable.
    fn people(&self, key: Key, count: u64, lists: Option<&Lists>) -> Vec<crate::facts::Person> {
        let person = |id| {
            let (given, family) = (key.of("given", id), key.of("family", id));
            match lists {
                Some(lists) => crate::facts::Person {
                    given: lists.pick("given", given),
                    family: lists.pick("family", family).to_owned(),
                },
                None => crate::facts::Person {
                    given: given.pick(&crate::words::stock::GIVEN),
                    family: self.tongue.name(family),
                },
            }
        };
        (0..count).map(person).collect()
    }

    /// Returns the lists of readable names of a language; none if names are made up.
    pub(crate) fn lists(&self, language: usize) -> Option<&'static Lists> {
        self.is_readable.then(|| Lists::of(language))
    }

    /// Returns a made-up name, or a readable one: that of a person, for headings and links.
    pub(crate) fn name(&self, key: Key) -> String {
        match self.lists(0) {
            Some(lists) => lists.fill("person", key, &[]),
            None => self.tongue.name(key),
        }
    }

    pub(crate) fn tongue(&self) -> &Tongue {
        &self.tongue
    }
}

fn readable_category(vertical: Vertical, id: u64) -> String {
    let list = match vertical {
        Vertical::Events => "event-category",
        Vertical::Books => "book-category",
        Vertical::Products => "product-category",
    };
    Lists::of(0).nth(list, id as usize).to_owned()
}

/// Returns the readable name of a group, in the language of the group.
fn readable_group(vertical: Vertical, id: u64, key: Key) -> String {
    let lists = Lists::of(group_language(id));
    match vertical {
        Vertical::Events => lists.nth("town", id as usize / readable::LANGUAGES).to_owned(),
        Vertical::Books => lists.fill("publisher", key.of("group", id), &[]),
        Vertical::Products => lists.nth("brand", id as usize).to_owned(),
    }
}

/// Returns the language of the readable names of a group.
fn group_language(group: u64) -> usize {
    group as usize % readable::LANGUAGES
}

/// Objects that would leave after more weeks than this never leave.
const HORIZON: f64 = 10_000.0;

/// Returns the popularity at a rank from 0 (most popular) to 1: a mixture of a uniform share and
/// Zipf's law with an average of 1 for every skew.
pub(crate) fn popularity(rank: f64, skew: f64) -> f64 {
    /// Limits the popularity of the most popular object to about 80 times the average.
    const OFFSET: f64 = 0.0024;
    // The average of 1 / (rank + OFFSET) over all ranks.
    let average = ln((1.0 + OFFSET) / OFFSET);
    (1.0 - skew) + skew / ((rank + OFFSET) * average)
}
