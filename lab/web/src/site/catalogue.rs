//! The catalogue of a site: all objects that it has ever shown, in order, and their state in a
//! week.

use crate::address::Style;
use crate::population::{ObjectId, Population};
use crate::random::Key;
use crate::words::push_slug;

use super::habits::Expiry;
use super::spread::Spread;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) object: ObjectId,
    /// Week from which the site shows the object.
    pub(crate) listed: u32,
}

/// All objects that a site has shown up to some week. It only grows, so a position identifies an
/// object.
#[derive(Clone, Debug, Default)]
pub(crate) struct Catalogue {
    pub(crate) entries: Vec<Entry>,
    /// Number of entries by the end of each week.
    counts_by_week: Vec<u32>,
    /// Slugs with their positions, sorted; filled only if URLs identify objects by slugs alone.
    slugs: Vec<(Box<str>, u32)>,
    /// Positions of objects whose slug is not unique, except the first of each slug, with their
    /// rank among the objects of that slug.
    repeats: Vec<(u32, u32)>,
    counters: Option<Counters>,
}

/// Slugs with a counter, as content management systems add it, although no other page of the site
/// has the slug.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counters {
    pub(crate) key: Key,
    /// Share of slugs, in thousandths.
    pub(crate) share: u64,
}

impl Counters {
    fn draw(self, slug: &str) -> Option<Key> {
        let key = self.key.of(slug, 0);
        key.per_mille(self.share).then_some(key)
    }

    /// Appends a year to a slug, as if the object were about that year.
    fn push_year(self, slug: &mut String) {
        let Some(key) = self.draw(slug) else { return };
        if key.of("year", 0).per_mille(350) {
            slug.push_str(&format!("-of-{}", 1_500 + key.of("which", 0).below(500)));
        }
    }

    /// Number of earlier uses of a slug by pages that are not objects.
    fn earlier(self, slug: &str) -> u32 {
        let stem = slug.split("-of-1").next().unwrap_or(slug);
        u32::from(self.draw(stem).is_some())
    }
}

/// Maximum delay in weeks between the addition of an object and its appearance on a site.
const MAX_LAG: u32 = 2;

impl Catalogue {
    /// Builds the catalogue up to the end of a week.
    pub(crate) fn new(
        site: u32,
        week: u32,
        spread: &Spread,
        population: &Population,
        has_slugs: bool,
        counters: Counters,
    ) -> Self {
        let mut catalogue = Self {
            counters: Some(counters),
            ..Self::default()
        };
        for current in 0..=week {
            catalogue.add_week(site, current, spread, population);
        }
        if has_slugs {
            catalogue.add_slugs(population);
        }
        catalogue
    }

    fn add_week(&mut self, site: u32, week: u32, spread: &Spread, population: &Population) {
        for birth in week.saturating_sub(MAX_LAG)..=week {
            for object in population.born_in(birth) {
                if birth + lag(site, object, birth, population) == week
                    && spread.has(site, object, population)
                {
                    self.entries.push(Entry { object, listed: week });
                }
            }
        }
        self.counts_by_week.push(self.entries.len() as u32);
    }

    fn add_slugs(&mut self, population: &Population) {
        let mut slugs: Vec<(String, u32)> = (0..)
            .zip(&self.entries)
            .map(|(position, entry)| (self.stem(entry.object, population), position))
            .collect();
        slugs.sort();
        let mut run = 0;
        for index in 0..slugs.len() {
            run = if index > 0 && slugs[index].0 == slugs[index - 1].0 {
                run + 1
            } else {
                0
            };
            if run > 0 {
                self.repeats.push((slugs[index].1, run));
            }
        }
        self.repeats.sort_unstable();
        self.slugs = slugs
            .into_iter()
            .map(|(slug, position)| (slug.into_boxed_str(), position))
            .collect();
    }

    /// Returns the slug of an object without the counter that distinguishes it from others.
    fn stem(&self, object: ObjectId, population: &Population) -> String {
        let mut slug = String::new();
        push_slug(&mut slug, &population.title(object), '-');
        if let Some(counters) = self.counters {
            counters.push_year(&mut slug);
        }
        slug
    }

    fn earlier(&self, stem: &str) -> u32 {
        self.counters.map_or(0, |counters| counters.earlier(stem))
    }

    /// Returns true if the slug of an object has a counter that distinguishes it from no other
    /// object.
    pub(crate) fn is_counted(&self, position: u32, population: &Population) -> bool {
        let entry = self.entries.get(position as usize);
        entry.is_some_and(|entry| self.earlier(&self.stem(entry.object, population)) > 0)
    }

    /// Number of objects by the end of a week.
    pub(crate) fn count(&self, week: u32) -> u32 {
        self.counts_by_week.get(week as usize).copied().unwrap_or(0)
    }

    /// Number of weeks that the catalogue covers.
    pub(crate) fn weeks(&self) -> u32 {
        self.counts_by_week.len() as u32
    }

    /// Appends the slug of an object: that of its title, and a counter if it was already used.
    pub(crate) fn push_slug(
        &self,
        out: &mut String,
        position: u32,
        separator: char,
        population: &Population,
    ) {
        let Some(entry) = self.entries.get(position as usize) else {
            return;
        };
        let stem = self.stem(entry.object, population);
        out.extend(
            stem.chars()
                .map(|letter| if letter == '-' { separator } else { letter }),
        );
        let repeat = self
            .repeats
            .binary_search_by_key(&position, |(position, _)| *position);
        let run = repeat.map_or(0, |index| self.repeats[index].1) + self.earlier(&stem);
        if run > 0 {
            out.push(separator);
            out.push_str(&(run + 1).to_string());
        }
    }

    /// Returns the object of a slug in lower case.
    pub(crate) fn find_slug(&self, slug: &str, style: &Style) -> Option<u32> {
        let slug = if style.separator == '-' {
            slug.to_owned()
        } else {
            slug.replace(style.separator, "-")
        };
        self.find_run(&slug, 0).or_else(|| {
            let (stem, number) = slug.rsplit_once('-')?;
            self.find_run(
                stem,
                number
                    .parse::<u32>()
                    .ok()?
                    .checked_sub(1)
                    .filter(|run| *run > 0)?,
            )
        })
    }

    fn find_run(&self, slug: &str, run: u32) -> Option<u32> {
        let run = run.checked_sub(self.earlier(slug))?;
        let first = self.slugs.partition_point(|(known, _)| **known < *slug);
        let (known, position) = self.slugs.get(first + run as usize)?;
        (**known == *slug).then_some(*position)
    }
}

/// Returns the delay in weeks after which a site lists a new object.
fn lag(site: u32, object: ObjectId, birth: u32, population: &Population) -> u32 {
    if birth == 0 {
        return 0;
    }
    population
        .key(object)
        .of("lag", u64::from(site))
        .weighted(&[(7, 0), (2, 1), (1, MAX_LAG)])
}

/// State of a catalogue entry in a week.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Unborn,
    Current,
    /// Past, but its page remains.
    Past,
    Removed,
}

/// An object in the lists of a week.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    pub(crate) position: u32,
    pub(crate) object: ObjectId,
    pub(crate) category: u8,
    pub(crate) group: u16,
    /// Tags, one bit each.
    pub(crate) tags: u16,
    pub(crate) day: i64,
}

/// State of a site's objects in a week.
#[derive(Clone, Debug)]
pub(crate) struct View {
    /// Listed objects, in the order of the site.
    pub(crate) current: Vec<Item>,
    /// Past objects that still have a page, latest first.
    pub(crate) past: Vec<Item>,
    states: Vec<State>,
}

/// Order of the objects in a site's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// By date, soonest first.
    Day,
    /// Latest in the catalogue first.
    Newest,
    /// Without a visible order.
    Mixed,
}

impl View {
    pub(crate) fn new(
        catalogue: &Catalogue,
        week: u32,
        population: &Population,
        expiry: Expiry,
        order: Order,
        lag: u32,
    ) -> Self {
        // A site that lags behind still shows objects that have passed since.
        let seen = week.saturating_sub(lag.min(2));
        let mut view = Self {
            current: Vec::new(),
            past: Vec::new(),
            states: Vec::new(),
        };
        for (position, entry) in (0..catalogue.count(week)).zip(&catalogue.entries) {
            let item = item(position, entry, week, population);
            let is_gone = population.is_gone(entry.object, seen) && population.is_gone(entry.object, week);
            let state = if is_gone {
                expired_state(entry, week, population, expiry)
            } else {
                State::Current
            };
            match state {
                State::Current => view.current.push(item),
                State::Past => view.past.push(item),
                State::Unborn | State::Removed => {}
            }
            view.states.push(state);
        }
        let mixed = |item: &Item| population.key(item.object).of("mixed", 0).bits();
        match order {
            Order::Day => view.current.sort_by_key(|item| (item.day, item.position)),
            Order::Newest => view.current.reverse(),
            Order::Mixed => view.current.sort_by_key(mixed),
        }
        view.past.sort_by_key(|item| (-item.day, item.position));
        view
    }

    pub(crate) fn state(&self, position: u32) -> State {
        self.states
            .get(position as usize)
            .copied()
            .unwrap_or(State::Unborn)
    }
}

fn item(position: u32, entry: &Entry, week: u32, population: &Population) -> Item {
    Item {
        position,
        object: entry.object,
        category: population.category(entry.object),
        group: population.group(entry.object),
        tags: population.key(entry.object).of("tags", 0).bits() as u16
            & population.key(entry.object).of("tags", 1).bits() as u16,
        day: population.day(entry.object, week),
    }
}

fn expired_state(entry: &Entry, week: u32, population: &Population, expiry: Expiry) -> State {
    match expiry {
        Expiry::Stays(weeks) if week < weeks || !population.is_gone(entry.object, week - weeks) => {
            State::Past
        }
        _ => State::Removed,
    }
}
