//! The expected number of new targets that a page leads to.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap, HashSet};

use magpie_discovery::UrlForm;
use xxhash_rust::xxh3::Xxh3;

use super::{Link, Strategy, Visit, path_number};
use crate::PageId;

/// Classes of links of one site. Further links are classed by the depth of their form alone.
const MAX_CLASSES: usize = 4_096;

/// Classes that the pages of one class are known to lead to.
const MAX_CHILDREN: usize = 48;

/// Fetches that what is known of a wider kind counts for, against those of a kind itself.
const PRIOR: f64 = 2.0;

/// Fetches that the share of a class counts for, against those of the links of one place on one
/// page.
const BLOCK_PRIOR: f64 = 4.0;

/// Expected targets that the mean of a class counts for, against those of one series of pages.
const SERIES_PRIOR: f64 = 2.0;

/// Fetches after which an observation counts only by a third.
const MEMORY: f64 = 150.0;

/// New objects of one page that count.
const MAX_REWARD: f64 = 40.0;

/// Targets a fetch that nothing is known of is thought to bring.
const HOPE: f64 = 0.01;

/// Rounds in which values spread from pages to the pages that lead to them.
const SWEEPS: usize = 3;

/// Fetches of a class until it counts as tried.
const TRIES: f64 = 2.0;

/// Period, in fetches, at which a class that was not tried gets one, while there is such a class.
const TRY_EVERY: u64 = 4;

/// Steps that a forecast follows links for, at most.
const LOOK_AHEAD: usize = 64;

/// Times that the best page is weighed again before it is taken.
const MAX_LOOKS: usize = 16;

/// The objects that queued pages are expected to bring.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Forecast {
    /// New objects found so far.
    pub found: f64,
    /// New objects on the queued pages, and on the pages that these lead to.
    pub expected: f64,
}

impl Forecast {
    /// Returns the estimated share of all objects that were found.
    pub fn share(&self) -> f64 {
        match self.found > 0.0 {
            true => self.found / (self.found + self.expected),
            false => 0.0,
        }
    }
}

/// The new targets that a page is expected to bring.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Expectation {
    /// On the page itself.
    pub own: f64,
    /// On the pages that it leads to and that are worth a fetch.
    pub led: f64,
    /// The number of those pages.
    pub fetches: f64,
}

impl Expectation {
    /// Returns the expected number of new targets for each fetch.
    pub fn rate(self) -> f64 {
        (self.own + self.led) / (1.0 + self.fetches)
    }
}

/// Fetches the page with the best rate of new targets: its own, and those of the pages that it is
/// expected to lead to, each for a fetch more.
///
/// Links are of one class if their URLs have the same form and their elements the same path. The
/// yield of a class is weighed against those of wider kinds; the share of targets behind the links
/// of one place on one page against that of their class; and the new pages of one series, such as
/// the pages of one list, against what its class would bring. So a list that is exhausted is left,
/// and one that is not is followed to its end.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    classes: Vec<Class>,
    by_class: HashMap<(u32, u64), u32>,
    kinds: Vec<Kind>,
    by_kind: HashMap<(u8, u64), u32>,
    all: Known,
    pages: HashMap<PageId, Place>,
    blocks: HashMap<(PageId, u32), Block>,
    series: HashMap<u64, Series>,
    visited: HashSet<PageId>,
    taken: HashSet<PageId>,
    offers: u64,
    picks: u64,
    tried: u64,
    learned: u64,
    valued: u64,
    found: f64,
    forecast: Forecast,
    /// When the forecast was worked out, in fetches.
    forecast_at: u64,
}

/// The position of a page among classes, blocks and series.
#[derive(Clone, Copy, Debug)]
struct Place {
    class: u32,
    /// The page with the link; its own number for a page that the crawl began with.
    source: PageId,
    series: u64,
    is_file: bool,
}

/// Links of one form in one place.
#[derive(Clone, Debug)]
struct Class {
    /// Its kinds, from the widest: depth, siblings, form; then its path.
    kinds: [u32; 4],
    known: Known,
    yields: Yield,
    queue: BinaryHeap<Queued>,
    open: u64,
    fetched: f64,
    is_file: bool,
}

/// A wider kind of links.
#[derive(Clone, Debug, Default)]
struct Kind {
    wider: Option<u32>,
    known: Known,
    yields: Yield,
}

/// The yield of a fetch of a class.
#[derive(Clone, Copy, Debug, Default)]
struct Yield {
    /// New objects on the page.
    own: f64,
    /// New objects on the pages that it leads to and that are worth a fetch, and their number.
    led: f64,
    fetches: f64,
}

impl Yield {
    fn value(&self) -> f64 {
        (self.own + self.led) / (1.0 + self.fetches)
    }
}

/// Observed fetches of a kind. Older ones count less.
#[derive(Clone, Debug, Default)]
struct Known {
    fetches: f64,
    objects: f64,
    led_to: Vec<(u32, f64)>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Block {
    fetches: f64,
    objects: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Series {
    expected: f64,
    brought: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Queued {
    value: f64,
    number: Reverse<u64>,
    page: PageId,
}

impl Eq for Queued {}

impl Ord for Queued {
    fn cmp(&self, other: &Queued) -> Ordering {
        let by_value = self.value.total_cmp(&other.value);
        by_value.then_with(|| self.number.cmp(&other.number))
    }
}

impl PartialOrd for Queued {
    fn partial_cmp(&self, other: &Queued) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Expected {
    /// Returns what the queued pages are expected to bring, as of a few fetches ago.
    pub fn forecast(&self) -> Forecast {
        self.forecast
    }

    /// Works out what the queued pages will bring, with the pages that they lead to. A class may
    /// have as many pages left as are known of it: of what has not ended, half is seen on average.
    fn look_ahead(&mut self) {
        self.forecast_at = self.learned;
        let limits: Vec<f64> = self
            .classes
            .iter()
            .map(|class| class.fetched + class.open as f64)
            .collect();
        let open: Vec<f64> = self.classes.iter().map(|class| class.open as f64).collect();
        let mut left = open.clone();
        for _ in 0..LOOK_AHEAD {
            let mut next = open.clone();
            for (class, left) in self.classes.iter().zip(&left).filter(|(_, left)| **left > 0.0) {
                for (child, count) in &class.known.led_to {
                    next[*child as usize] += left * count / class.known.fetches;
                }
            }
            // Classes that lead to one another, such as pages of a list, would grow without a
            // limit.
            let limited = next.iter().zip(&limits).map(|(next, limit)| next.min(*limit));
            let limited: Vec<f64> = limited.collect();
            let is_stable = limited
                .iter()
                .zip(&left)
                .all(|(one, other)| (one - other).abs() < 0.5);
            left = limited;
            if is_stable {
                break;
            }
        }
        // Files are fetched only when nothing else is left, so they are no part of the forecast.
        let classes = self.classes.iter().zip(&left).filter(|(class, _)| !class.is_file);
        self.forecast = Forecast {
            found: self.found,
            expected: classes.map(|(class, left)| left * class.yields.own).sum(),
        };
    }

    /// Returns what a page that is queued, or was, is expected to bring.
    pub fn expectation(&self, page: PageId) -> Option<Expectation> {
        self.pages.get(&page).map(|place| self.expected(*place))
    }

    fn value(&self, place: Place) -> f64 {
        self.expected(place).rate()
    }

    fn expected(&self, place: Place) -> Expectation {
        let yields = self.classes[place.class as usize].yields;
        let block = self
            .blocks
            .get(&(place.source, place.class))
            .copied()
            .unwrap_or_default();
        let own = (block.objects + BLOCK_PRIOR * yields.own) / (block.fetches + BLOCK_PRIOR);
        let series = self.series.get(&place.series).copied().unwrap_or_default();
        // Both counts start at the prior, so that a new series counts as an average one.
        let factor = (series.brought + SERIES_PRIOR) / (series.expected + SERIES_PRIOR);
        Expectation {
            own,
            led: factor * yields.led,
            fetches: factor * yields.fetches,
        }
    }

    /// Queues a page that is new. Returns its class.
    fn queue(&mut self, link: &Link<'_>, source: PageId) -> Option<u32> {
        if self.pages.contains_key(&link.target) {
            return None;
        }
        let form = UrlForm::of(link.url.path(), link.url.query());
        let class = self.class(form, path_number(link.path));
        let place = Place {
            class,
            source,
            series: series_of(link.url.as_str(), class),
            is_file: form.is_file,
        };
        self.pages.insert(link.target, place);
        // A page that was visited before the first link to it was found has a place, but is not
        // queued.
        if self.visited.contains(&link.target) {
            return None;
        }
        self.offers += 1;
        let value = self.value(place);
        let entry = &mut self.classes[class as usize];
        entry.open += 1;
        entry.queue.push(Queued {
            value,
            number: Reverse(self.offers),
            page: link.target,
        });
        Some(class)
    }

    fn class(&mut self, form: UrlForm, path: u64) -> u32 {
        let key = match self.classes.len() < MAX_CLASSES || self.by_class.contains_key(&(form.folder, path)) {
            true => (form.folder, path),
            false => (form.depth, 0),
        };
        if let Some(class) = self.by_class.get(&key) {
            return *class;
        }
        let depth = self.kind(0, form.depth.into(), None);
        let siblings = self.kind(1, form.siblings.into(), Some(depth));
        let own = self.kind(2, form.folder.into(), Some(siblings));
        let place = self.kind(3, path, None);
        let number = self.classes.len() as u32;
        self.by_class.insert(key, number);
        let mut class = Class {
            kinds: [depth, siblings, own, place],
            known: Known::default(),
            yields: Yield::default(),
            queue: BinaryHeap::new(),
            open: 0,
            fetched: 0.0,
            is_file: form.is_file,
        };
        class.yields = self.prior(&class);
        self.classes.push(class);
        number
    }

    fn kind(&mut self, level: u8, hash: u64, wider: Option<u32>) -> u32 {
        let next = self.kinds.len() as u32;
        let kind = *self.by_kind.entry((level, hash)).or_insert(next);
        if kind == next {
            self.kinds.push(Kind {
                wider,
                ..Kind::default()
            });
        }
        kind
    }

    /// Returns the yields of a class by those of its form and its path.
    fn prior(&self, class: &Class) -> Yield {
        let [depth, siblings, form, path] = class.kinds.map(|kind| &self.kinds[kind as usize]);
        // The narrowest kind that was fetched at least once says most about the class.
        let tried = [form, siblings, depth]
            .into_iter()
            .find(|kind| kind.known.fetches > 0.0);
        let tried = tried.unwrap_or(depth);
        let weight = |kind: &Kind| kind.known.fetches / (kind.known.fetches + PRIOR);
        let (one, other) = (weight(tried), weight(path));
        if one + other == 0.0 {
            return Yield {
                own: HOPE,
                ..Yield::default()
            };
        }
        let mixed =
            |of: fn(&Yield) -> f64| (one * of(&tried.yields) + other * of(&path.yields)) / (one + other);
        Yield {
            own: mixed(|yields| yields.own),
            led: mixed(|yields| yields.led),
            fetches: mixed(|yields| yields.fetches),
        }
    }

    /// Works out what all classes bring. Wider kinds were made before those within them.
    fn revalue(&mut self) {
        self.valued = self.learned;
        // Values depend on those of the pages that are led to. Each round carries them one link
        // further.
        for _ in 0..SWEEPS {
            let values: Vec<f64> = self.classes.iter().map(|class| class.yields.value()).collect();
            let hope = Yield {
                own: HOPE,
                ..Yield::default()
            };
            let all = self.all.yields(hope, &values);
            for number in 0..self.kinds.len() {
                let wider = self.kinds[number].wider;
                let wider = wider.map_or(all, |wider| self.kinds[wider as usize].yields);
                self.kinds[number].yields = self.kinds[number].known.yields(wider, &values);
            }
            for number in 0..self.classes.len() {
                let prior = self.prior(&self.classes[number]);
                let class = &mut self.classes[number];
                class.yields = class.known.yields(prior, &values);
            }
        }
    }

    /// Returns a class that has pages and was hardly tried, the one with most pages first.
    fn untried(&self) -> Option<usize> {
        let classes = self.classes.iter().enumerate();
        classes
            .filter(|(_, class)| class.open > 0 && class.known.fetches < TRIES && !class.is_file)
            .max_by_key(|(number, class)| {
                // Classes of a form that was fetched often come last, because their prior already
                // knows the form.
                let form = self.kinds[class.kinds[2] as usize].known.fetches;
                (Reverse(form as u64), class.open, Reverse(*number))
            })
            .map(|(number, _)| number)
    }

    fn best(&self) -> Option<usize> {
        let mut best: Option<(f64, usize)> = None;
        for (number, class) in self.classes.iter().enumerate() {
            let Some(first) = class.queue.peek() else {
                continue;
            };
            let place = self.pages[&first.page];
            // Below every other value, so that files are fetched only when nothing else is left.
            let value = if place.is_file { -1.0 } else { self.value(place) };
            if best.is_none_or(|(other, _)| value > other) {
                best = Some((value, number));
            }
        }
        best.map(|(_, number)| number)
    }

    /// Takes the best page of a class; `None` if it has none left.
    fn take(&mut self, class: usize) -> Option<PageId> {
        let mut looks = 0;
        loop {
            let first = self.classes[class].queue.pop()?;
            if self.visited.contains(&first.page) || self.taken.contains(&first.page) {
                continue;
            }
            let value = self.value(self.pages[&first.page]);
            looks += 1;
            // The value of the next page may be old, too. The number of looks bounds the work.
            let next = self.classes[class].queue.peek();
            if looks < MAX_LOOKS && next.is_some_and(|next| next.value > value) {
                self.classes[class].queue.push(Queued { value, ..first });
                continue;
            }
            self.taken.insert(first.page);
            let open = &mut self.classes[class].open;
            *open = open.saturating_sub(1);
            return Some(first.page);
        }
    }
}

impl Strategy for Expected {
    fn offer(&mut self, page: &Link<'_>) {
        self.queue(page, page.target);
    }

    fn next(&mut self) -> Option<PageId> {
        self.picks += 1;
        if self.picks - self.tried >= TRY_EVERY
            && let Some(class) = self.untried()
        {
            self.tried = self.picks;
            if let Some(page) = self.take(class) {
                return Some(page);
            }
        }
        // A queue may hold only pages that were fetched meanwhile. Taking from it empties it, so
        // the loop ends.
        while let Some(class) = self.best() {
            if let Some(page) = self.take(class) {
                return Some(page);
            }
        }
        // The last forecast may be a few fetches old, and now nothing is left to expect.
        self.look_ahead();
        None
    }

    fn visited(&mut self, visit: &Visit<'_>) {
        if !self.visited.insert(visit.page) {
            return;
        }
        self.found += visit.new_objects as f64;
        let led_to: Vec<u32> = visit
            .links
            .iter()
            .filter_map(|link| self.queue(link, visit.page))
            .collect();
        self.learned += 1;
        if let Some(place) = self.pages.get(&visit.page).copied() {
            self.learn(visit, place, led_to);
        }
        // A revaluation visits all classes. The interval grows with the crawl, so that its share of
        // the time stays small.
        if self.learned >= self.valued + 4.max(self.valued / 50) || self.valued == 0 {
            self.revalue();
        }
        if self.learned > self.forecast_at + self.forecast_at / 50 {
            self.look_ahead();
        }
    }
}

impl Expected {
    /// Learns what a page brought that is known by its place: new objects, and links of classes.
    fn learn(&mut self, visit: &Visit<'_>, place: Place, mut led_to: Vec<u32>) {
        let reward = (visit.new_objects as f64).min(MAX_REWARD);
        // A page of an earlier run was never taken from its queue.
        if !self.taken.contains(&visit.page) {
            let open = &mut self.classes[place.class as usize].open;
            *open = open.saturating_sub(1);
        }
        led_to.sort_unstable();
        let led_to: Vec<(u32, f64)> = led_to
            .chunk_by(|one, other| one == other)
            .map(|equal| (equal[0], equal.len() as f64))
            .collect();
        let expected = self.classes[place.class as usize].yields.led;
        // Only links that are better than their page are worth following for its sake.
        let best = self.classes[place.class as usize].yields.value();
        let worth = led_to
            .iter()
            .map(|(class, count)| (self.classes[*class as usize].yields.value(), count));
        let brought: f64 = worth
            .filter(|(value, _)| *value > best)
            .map(|(value, count)| value * count)
            .sum();
        let series = self.series.entry(place.series).or_default();
        series.expected += expected;
        series.brought += brought;
        let block = self.blocks.entry((place.source, place.class)).or_default();
        block.fetches += 1.0;
        block.objects += reward;
        let class = &mut self.classes[place.class as usize];
        class.fetched += 1.0;
        class.known.learn(reward, &led_to);
        for kind in class.kinds {
            self.kinds[kind as usize].known.learn(reward, &led_to);
        }
        self.all.learn(reward, &led_to);
    }
}

impl Known {
    fn learn(&mut self, reward: f64, led_to: &[(u32, f64)]) {
        let kept = 1.0 - 1.0 / MEMORY;
        self.fetches = self.fetches * kept + 1.0;
        self.objects = self.objects * kept + reward;
        self.led_to.iter_mut().for_each(|(_, count)| *count *= kept);
        for (class, count) in led_to {
            match self.led_to.iter().position(|(known, _)| known == class) {
                Some(place) => self.led_to[place].1 += count,
                None if self.led_to.len() < MAX_CHILDREN => self.led_to.push((*class, *count)),
                None => {
                    // A frequent class replaces the rarest one. Its own count is not added, as
                    // nothing is known of its past.
                    let least = self
                        .led_to
                        .iter_mut()
                        .min_by(|one, other| one.1.total_cmp(&other.1));
                    if let Some(least) = least.filter(|least| least.1 < *count) {
                        *least = (*class, *count);
                    }
                }
            }
        }
    }

    /// Returns the yields, weighed against that of a wider kind.
    fn yields(&self, wider: Yield, values: &[f64]) -> Yield {
        if self.fetches == 0.0 {
            return wider;
        }
        let mut led_to: Vec<(f64, f64)> = self
            .led_to
            .iter()
            .filter_map(|(class, count)| Some((*values.get(*class as usize)?, count / self.fetches)))
            .collect();
        // Best first: once one class would lower the rate, all after it would, too.
        led_to.sort_by(|one, other| other.0.total_cmp(&one.0));
        let own = self.objects / self.fetches;
        let (mut led, mut fetches) = (0.0, 0.0);
        for (value, count) in led_to {
            if value <= (own + led) / (1.0 + fetches) {
                break;
            }
            led += value * count;
            fetches += count;
        }
        let shrunk = |own: f64, wider: f64| (self.fetches * own + PRIOR * wider) / (self.fetches + PRIOR);
        Yield {
            own: shrunk(own, wider.own),
            led: shrunk(led, wider.led),
            fetches: shrunk(fetches, wider.fetches),
        }
    }
}

/// Returns the number of the series of a URL: of those that differ by their figures only.
fn series_of(url: &str, class: u32) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(&class.to_le_bytes());
    let mut is_figure = false;
    for byte in url.bytes() {
        match byte.is_ascii_digit() {
            true if is_figure => {}
            true => hash.update(b"0"),
            false => hash.update(&[byte]),
        }
        is_figure = byte.is_ascii_digit();
    }
    hash.digest()
}
