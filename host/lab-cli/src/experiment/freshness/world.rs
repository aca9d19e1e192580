//! What becomes of every page of a web in continuous time.
//!
//! The lab's web changes from week to week. Here everything that a week changes about one object on one site happens at a
//! moment of that week, drawn by the seed: the object's own page and all lists of the site change together, and different objects at
//! different moments. So a list with many objects changes often, and one with few seldom.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroU32;
use std::ops::Range;

use magpie_lab::{PageKind, Shown, TruePage, Web};
use magpie_values::date::parse_iso;

use super::chance::{fold, fold_text, share};

/// An object, by its place in [`World::objects`].
pub(super) type Object = u32;

/// What a site says of an object, by its place in [`World::said`].
pub(super) type Saying = u32;

/// Pages and objects in time, which is counted in weeks.
#[derive(Debug, Default)]
pub(super) struct World {
    pub(super) pages: Vec<Life>,
    pub(super) said: Vec<Said>,
    /// When each object was first to be read on any page, and until when it was.
    pub(super) objects: Vec<Range<f64>>,
    /// The pages of each site with several objects: they link to one another.
    pub(super) hubs: Vec<Vec<usize>>,
    /// All pages of these sites in each week, those included that no policy visits: what a full recrawl requests.
    pub(super) full: Vec<u32>,
}

/// A page's life.
#[derive(Debug, Default)]
pub(super) struct Life {
    pub(super) url: String,
    pub(super) site: usize,
    /// Whether it leads to others, as lists do.
    pub(super) is_hub: bool,
    /// What the page is, from when; never empty.
    pub(super) states: Vec<State>,
    /// Changes a week: before the object that the page is about has taken place, and after. A list has the first alone.
    pub(super) rates: [f64; 2],
}

/// What a page is for some time.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub(super) from: f64,
    /// A hash of what it says of which objects; none while there is no such page.
    pub(super) print: Option<u64>,
    pub(super) records: Box<[Record]>,
}

/// An object on a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) said: Saying,
    /// A hash of its values; none where it is only named, with too little to know it by.
    pub(super) values: Option<NonZeroU32>,
    /// Whether the page is about it alone.
    pub(super) is_main: bool,
    /// The first day, counted from the beginning of week 0, on which it has taken place by what the page says.
    pub(super) past_from: Option<i32>,
}

/// What a site says of an object.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) object: Object,
    /// When it began to say something else.
    pub(super) changes: Vec<f64>,
    /// The pages about this object alone.
    pub(super) pages: Vec<usize>,
}

impl Life {
    /// The place of the state that a page is in; none before it was ever there.
    pub(super) fn state(&self, now: f64) -> Option<usize> {
        self.states
            .partition_point(|state| state.from <= now)
            .checked_sub(1)
    }

    /// Whether there is such a page now.
    pub(super) fn exists(&self, now: f64) -> bool {
        self.state(now)
            .is_some_and(|state| self.states[state].print.is_some())
    }

    /// How often it changed, and for how long it was there by a time: before the object that it is about has taken place, and after.
    fn changes(&self, end: f64) -> [Share; 2] {
        let mut shares = [Share::default(); 2];
        for (place, state) in self
            .states
            .iter()
            .enumerate()
            .filter(|(_, state)| state.print.is_some())
        {
            let next = self.states.get(place + 1);
            let upto = next.map_or(end, |next| next.from);
            let past = state.past_from().unwrap_or(f64::INFINITY).clamp(state.from, upto);
            shares[0].time += past - state.from;
            shares[1].time += upto - past;
            if next.is_some_and(|next| next.print.is_some() && next.print != state.print) {
                shares[usize::from(past < upto)].changes += 1.0;
            }
        }
        shares
    }
}

/// Changes in some time.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    changes: f64,
    time: f64,
}

impl Share {
    fn rate(self) -> f64 {
        if self.time > 0.0 {
            self.changes / self.time
        } else {
            0.0
        }
    }
}

impl State {
    /// What the page is about, where that is one object alone. A list with one object on it is about none.
    pub(super) fn main(&self) -> Option<&Record> {
        self.records.iter().find(|record| record.is_main)
    }

    /// From when on the object that the page is about has taken place.
    pub(super) fn past_from(&self) -> Option<f64> {
        self.main()?.past_from.map(|day| f64::from(day) / 7.0)
    }
}

impl World {
    /// Looks at a web from week 0 to a week.
    ///
    /// Left out are pages beside the point, broken ones, and sites whose objects are only behind forms: no schedule of visits
    /// leads to these.
    pub(super) fn of(web: &Web, weeks: u32) -> World {
        let mut world = World {
            full: vec![0; weeks as usize + 1],
            ..World::default()
        };
        let mut objects = HashMap::new();
        let sites: Vec<_> = web.sites().filter(|site| !site.is_deep).collect();
        for (number, site) in sites.iter().enumerate() {
            let mut builder = Builder::new(web, (number, site.index));
            for week in 0..=weeks {
                builder.add_week(week, &mut world, &mut objects);
            }
            builder.finish(f64::from(weeks), &mut world);
        }
        world
    }

    /// How many pages there are.
    pub(super) fn count(&self, now: f64) -> u32 {
        self.pages.iter().map(|page| u32::from(page.exists(now))).sum()
    }

    /// When pages came, or came again, after the beginning; the last one first.
    pub(super) fn arrivals(&self) -> Vec<(f64, usize)> {
        let of_page = |(place, page): (usize, &Life)| -> Vec<(f64, usize)> {
            let is_there = |place: usize| page.states.get(place).is_some_and(|state| state.print.is_some());
            let came = (0..page.states.len()).filter(|state| {
                is_there(*state) && page.states[*state].from > 0.0 && (*state == 0 || !is_there(state - 1))
            });
            came.map(|state| (page.states[state].from, place)).collect()
        };
        let mut arrivals: Vec<(f64, usize)> = self.pages.iter().enumerate().flat_map(of_page).collect();
        arrivals.sort_by(|one, other| other.0.total_cmp(&one.0));
        arrivals
    }
}

/// What a page says: of each object what it says of it, in the objects' order.
type Content = BTreeMap<Saying, Record>;

/// Builds the pages of one site, week by week.
struct Builder<'a> {
    web: &'a Web,
    /// The site's place in the world, and in the web.
    site: (usize, u32),
    by_url: HashMap<String, Page>,
    said: HashMap<u32, Telling>,
}

/// A page under way.
struct Page {
    place: usize,
    kind: PageKind,
    content: Option<Content>,
    week: u32,
}

/// What the site says of an object, under way.
struct Telling {
    place: Saying,
    /// All values in the last week in which some page had any.
    values: BTreeMap<String, u64>,
    week: u32,
    /// The values of the week under way.
    now: BTreeMap<String, u64>,
}

impl<'a> Builder<'a> {
    fn new(web: &'a Web, site: (usize, u32)) -> Self {
        Self {
            web,
            site,
            by_url: HashMap::new(),
            said: HashMap::new(),
        }
    }

    fn add_week(&mut self, week: u32, world: &mut World, objects: &mut HashMap<u32, Object>) {
        for page in self.web.pages(self.site.1, week) {
            world.full[week as usize] += 1;
            if !is_wanted(&page) {
                continue;
            }
            let mut content = Content::new();
            for shown in self.web.shown(&page.url, week) {
                let record = self.record(&page, &shown, week, world, objects);
                // Said twice, the fuller one counts.
                let known = content.entry(record.said).or_insert(record);
                known.values = known.values.or(record.values);
                known.past_from = known.past_from.or(record.past_from);
            }
            self.put(&page, content, week, world);
        }
        let gone: Vec<String> = self
            .by_url
            .iter()
            .filter(|(_, page)| page.week != week && page.content.is_some())
            .map(|(url, _)| url.clone())
            .collect();
        for url in gone {
            if let Some(page) = self.by_url.get_mut(&url) {
                let content = page.content.take();
                let moments = Moments::new(self.web, self.site.1, week, &world.said);
                let states = moments.states(&url, content.as_ref(), None);
                world.pages[page.place].states.extend(states);
            }
        }
        self.end_week(week, world);
    }

    fn record(
        &mut self,
        page: &TruePage,
        shown: &Shown,
        week: u32,
        world: &mut World,
        objects: &mut HashMap<u32, Object>,
    ) -> Record {
        let telling = self.said.entry(shown.object).or_insert_with(|| {
            let object = *objects.entry(shown.object).or_insert_with(|| {
                world.objects.push(f64::INFINITY..f64::NEG_INFINITY);
                world.objects.len() as Object - 1
            });
            world.said.push(Said {
                object,
                ..Said::default()
            });
            Telling {
                place: world.said.len() as Saying - 1,
                values: BTreeMap::new(),
                week,
                now: BTreeMap::new(),
            }
        });
        let mut record = Record {
            said: telling.place,
            values: None,
            is_main: shown.is_main,
            past_from: past_from(shown, self.web.spec().monday(0)),
        };
        if page.objects.contains(&shown.object) {
            let mut hash = 0;
            for (name, value) in &shown.values {
                let normal = value.normal.iter().fold(0, |hash, text| fold_text(hash, text));
                hash = fold(fold_text(hash, name), normal);
                telling.now.insert(name.clone(), normal);
            }
            record.values = NonZeroU32::new(hash as u32 | 1);
        }
        record
    }

    fn put(&mut self, page: &TruePage, content: Content, week: u32, world: &mut World) {
        let known = self.by_url.entry(page.url.clone()).or_insert_with(|| {
            let place = world.pages.len();
            let is_hub = matches!(page.kind, PageKind::Home | PageKind::List | PageKind::Calendar);
            world.pages.push(Life {
                url: page.url.clone(),
                site: self.site.0,
                is_hub,
                ..Life::default()
            });
            world
                .hubs
                .resize(world.hubs.len().max(self.site.0 + 1), Vec::new());
            if is_hub {
                world.hubs[self.site.0].push(place);
            } else {
                for said in content.keys() {
                    world.said[*said as usize].pages.push(place);
                }
            }
            Page {
                place,
                kind: page.kind,
                content: None,
                week,
            }
        });
        let moments = Moments::new(self.web, self.site.1, week, &world.said);
        let states = moments.states(&page.url, known.content.as_ref(), Some(&content));
        world.pages[known.place].states.extend(states);
        known.content = Some(content);
        known.week = week;
    }

    /// Notes what the site began to say this week, and which objects are there.
    fn end_week(&mut self, week: u32, world: &mut World) {
        for telling in self.said.values_mut() {
            let at = Moments::new(self.web, self.site.1, week, &world.said).of(telling.place);
            let said = &mut world.said[telling.place as usize];
            let time = &mut world.objects[said.object as usize];
            if telling.now.is_empty() {
                // Nothing says it any more since this week.
                if telling.week + 1 == week && !telling.values.is_empty() {
                    time.end = time.end.max(at);
                }
                continue;
            }
            if telling.values.is_empty() {
                time.start = time.start.min(at);
            } else if telling.values != telling.now {
                said.changes.push(at);
            }
            telling.week = week;
            telling.values = std::mem::take(&mut telling.now);
        }
    }

    fn finish(self, end: f64, world: &mut World) {
        for telling in self.said.values().filter(|telling| !telling.values.is_empty()) {
            if f64::from(telling.week) >= end {
                world.objects[world.said[telling.place as usize].object as usize].end = f64::INFINITY;
            }
        }
        // The lab changes all objects of a site alike, so the rate of pages about one object is that of their kind. A hub's
        // follows from what it lists, and is its own.
        let mut kinds: BTreeMap<PageKind, [Share; 2]> = BTreeMap::new();
        for page in self.by_url.values() {
            let changes = world.pages[page.place].changes(end);
            let kind = kinds.entry(page.kind).or_default();
            for (all, one) in kind.iter_mut().zip(changes) {
                all.changes += one.changes;
                all.time += one.time;
            }
        }
        for page in self.by_url.values() {
            let life = &mut world.pages[page.place];
            let shares = if life.is_hub {
                life.changes(end)
            } else {
                kinds[&page.kind]
            };
            life.rates = shares.map(Share::rate);
        }
    }
}

fn is_wanted(page: &TruePage) -> bool {
    !page.is_broken && !matches!(page.kind, PageKind::Form | PageKind::Beside)
}

/// The day after the one that a page says, counted from another.
fn past_from(shown: &Shown, from: i64) -> Option<i32> {
    let start = parse_iso(shown.values.get("start")?.normal.first()?)?;
    i32::try_from(start.date().to_days() + 1 - from).ok()
}

/// When what a week brings happens.
struct Moments<'a> {
    seed: u64,
    week: u32,
    said: &'a [Said],
}

impl<'a> Moments<'a> {
    fn new(web: &Web, site: u32, week: u32, said: &'a [Said]) -> Self {
        let seed = fold(fold(web.spec().seed, u64::from(site)), u64::from(week));
        Self { seed, week, said }
    }

    /// When what changes about an object does. What there is in week 0 was there before.
    fn of(&self, said: Saying) -> f64 {
        self.at(u64::from(self.said[said as usize].object))
    }

    fn at(&self, what: u64) -> f64 {
        match self.week {
            0 => 0.0,
            week => f64::from(week - 1) + share(fold(self.seed, what)),
        }
    }

    /// What becomes of a page in this week, from what it was to what it will be.
    fn states(&self, url: &str, from: Option<&Content>, to: Option<&Content>) -> Vec<State> {
        let empty = Content::new();
        let (before, after) = (from.unwrap_or(&empty), to.unwrap_or(&empty));
        let differs = |said: &&Saying| before.get(*said) != after.get(*said);
        let both = before
            .keys()
            .chain(after.keys().filter(|said| !before.contains_key(said)));
        let mut turns: Vec<(f64, Saying)> =
            both.filter(differs).map(|said| (self.of(*said), *said)).collect();
        turns.sort_by(|one, other| one.0.total_cmp(&other.0));
        if turns.is_empty() {
            // A page without objects comes and goes by itself.
            let at = self.at(fold_text(0, url));
            return match (from, to) {
                (None, Some(_)) => vec![state(at, Some(after))],
                (Some(_), None) => vec![state(at, None)],
                _ => Vec::new(),
            };
        }
        let mut states: Vec<State> = Vec::with_capacity(turns.len());
        let mut content = before.clone();
        for (turn, (at, said)) in turns.iter().enumerate() {
            if let Some(record) = after.get(said) {
                content.insert(*said, *record);
            } else {
                content.remove(said);
            }
            // What was there before week 0 came at once.
            if turns.get(turn + 1).is_some_and(|next| next.0 == *at) {
                continue;
            }
            let is_last = turn + 1 == turns.len();
            states.push(state(*at, (!is_last || to.is_some()).then_some(&content)));
        }
        states
    }
}

fn state(from: f64, content: Option<&Content>) -> State {
    let Some(content) = content else {
        return State {
            from,
            ..State::default()
        };
    };
    let records: Box<[Record]> = content.values().copied().collect();
    let print = records.iter().fold(1, |hash, record| {
        let values = record.values.map_or(0, NonZeroU32::get);
        fold(fold(hash, u64::from(record.said)), u64::from(values))
    });
    State {
        from,
        print: Some(print),
        records,
    }
}
