//! History of every page of a web in continuous time.
//!
//! The lab's web changes from week to week. Here, all changes of a week to one object on one site
//! happen at one time within that week, drawn by the seed. The object's own page and all lists of
//! the site change together, and different objects change at different times. A list with many
//! objects thus changes often, and one with few objects rarely.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroU32;
use std::ops::Range;

use magpie_lab::{PageKind, Shown, TruePage, Web};
use magpie_values::date::parse_iso;

use crate::random::{fold, fold_text, share};

/// Index into [`World::objects`].
pub(super) type ObjectIndex = u32;

/// Index into [`World::statements`].
pub(super) type StatementIndex = u32;

/// History of pages and objects. Times are in weeks.
#[derive(Debug, Default)]
pub(super) struct World {
    pub(super) pages: Vec<PageHistory>,
    pub(super) statements: Vec<Statement>,
    /// Period in which each object could be read on some page.
    pub(super) objects: Vec<Range<f64>>,
    /// Hubs of each site, which link to one another.
    pub(super) hubs: Vec<Vec<usize>>,
    /// Number of all pages of these sites in each week, including those that no policy visits: the
    /// requests of a full recrawl.
    pub(super) full: Vec<u32>,
}

#[derive(Debug, Default)]
pub(super) struct PageHistory {
    pub(super) url: String,
    pub(super) site: usize,
    /// Pattern of the page, where it is known and not induced from URLs.
    pub(super) pattern: Option<usize>,
    /// True if the page links to others, as lists do.
    pub(super) is_hub: bool,
    /// States in chronological order; never empty.
    pub(super) states: Vec<State>,
    /// Changes a week, before and after the date of the object that the page is about. Lists only
    /// have the first rate.
    pub(super) rates: [f64; 2],
}

#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub(super) from: f64,
    /// Hash of the page's statements about objects; `None` while the page does not exist.
    pub(super) fingerprint: Option<u64>,
    pub(super) records: Box<[Record]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) statement: StatementIndex,
    /// Hash of its values; `None` if the object is only named, with too little data to identify it.
    pub(super) values: Option<NonZeroU32>,
    /// True if the page is about this object alone.
    pub(super) is_main: bool,
    /// First day on which the object is past, according to the page; counted from the beginning of
    /// week 0.
    pub(super) past_from: Option<i32>,
}

/// Statements of a site about an object.
#[derive(Debug, Default)]
pub(super) struct Statement {
    pub(super) object: ObjectIndex,
    pub(super) changes: Vec<f64>,
    /// Pages about this object alone.
    pub(super) pages: Vec<usize>,
}

impl PageHistory {
    /// Returns the index of the state at a time; `None` before the page first existed.
    pub(super) fn state(&self, now: f64) -> Option<usize> {
        self.states
            .partition_point(|state| state.from <= now)
            .checked_sub(1)
    }

    pub(super) fn exists(&self, now: f64) -> bool {
        self.state(now)
            .is_some_and(|state| self.states[state].fingerprint.is_some())
    }

    /// Returns the number of changes and the time of existence up to `end`, before and after the
    /// date of the object that the page is about.
    fn changes(&self, end: f64) -> [Share; 2] {
        let mut shares = [Share::default(); 2];
        for (index, state) in self
            .states
            .iter()
            .enumerate()
            .filter(|(_, state)| state.fingerprint.is_some())
        {
            let next = self.states.get(index + 1);
            let upto = next.map_or(end, |next| next.from);
            let past = state.past_from().unwrap_or(f64::INFINITY).clamp(state.from, upto);
            shares[0].time += past - state.from;
            shares[1].time += upto - past;
            if next.is_some_and(|next| next.fingerprint.is_some() && next.fingerprint != state.fingerprint) {
                shares[usize::from(past < upto)].changes += 1.0;
            }
        }
        shares
    }
}

/// Number of changes in some time.
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
    /// Returns the object that the page is about, if that is one alone. A list with one object is
    /// about none.
    pub(super) fn main(&self) -> Option<&Record> {
        self.records.iter().find(|record| record.is_main)
    }

    /// Returns the time from which the object that the page is about is past.
    pub(super) fn past_from(&self) -> Option<f64> {
        self.main()?.past_from.map(|day| f64::from(day) / 7.0)
    }
}

impl World {
    /// Builds the history of a web from week 0 to a week.
    ///
    /// Excludes off-topic pages, broken pages, and sites whose objects can only be reached through
    /// forms, since no schedule of visits leads to these.
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

    pub(super) fn count(&self, now: f64) -> u32 {
        self.pages.iter().map(|page| u32::from(page.exists(now))).sum()
    }

    /// Returns the times at which pages appeared or reappeared after the beginning, latest first.
    pub(super) fn arrivals(&self) -> Vec<(f64, usize)> {
        let of_page = |(index, page): (usize, &PageHistory)| -> Vec<(f64, usize)> {
            let is_there = |index: usize| {
                page.states
                    .get(index)
                    .is_some_and(|state| state.fingerprint.is_some())
            };
            let came = (0..page.states.len()).filter(|state| {
                is_there(*state) && page.states[*state].from > 0.0 && (*state == 0 || !is_there(state - 1))
            });
            came.map(|state| (page.states[state].from, index)).collect()
        };
        let mut arrivals: Vec<(f64, usize)> = self.pages.iter().enumerate().flat_map(of_page).collect();
        arrivals.sort_by(|one, other| other.0.total_cmp(&one.0));
        arrivals
    }
}

/// Statements of a page about each object, in the order of the objects.
type Content = BTreeMap<StatementIndex, Record>;

/// Builds the pages of one site, week by week.
struct Builder<'a> {
    web: &'a Web,
    /// Index of the site in the world, and in the web.
    site: (usize, u32),
    by_url: HashMap<String, Page>,
    builders: HashMap<u32, StatementBuilder>,
}

/// A page while its history is built.
struct Page {
    index: usize,
    kind: PageKind,
    content: Option<Content>,
    week: u32,
}

/// Statements of the site about an object while its history is built.
struct StatementBuilder {
    index: StatementIndex,
    /// All values in the last week in which some page had any.
    values: BTreeMap<String, u64>,
    week: u32,
    /// Values of the current week.
    now: BTreeMap<String, u64>,
}

impl<'a> Builder<'a> {
    fn new(web: &'a Web, site: (usize, u32)) -> Self {
        Self {
            web,
            site,
            by_url: HashMap::new(),
            builders: HashMap::new(),
        }
    }

    fn add_week(&mut self, week: u32, world: &mut World, objects: &mut HashMap<u32, ObjectIndex>) {
        for page in self.web.pages(self.site.1, week) {
            world.full[week as usize] += 1;
            if !is_wanted(&page) {
                continue;
            }
            let mut content = Content::new();
            for shown in self.web.shown(&page.url, week) {
                let record = self.record(&page, &shown, week, world, objects);
                // If an object is on the page twice, the record with more data counts.
                let known = content.entry(record.statement).or_insert(record);
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
                let change_times = ChangeTimes::new(self.web, self.site.1, week, &world.statements);
                let states = change_times.states(&url, content.as_ref(), None);
                world.pages[page.index].states.extend(states);
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
        objects: &mut HashMap<u32, ObjectIndex>,
    ) -> Record {
        let builder = self.builders.entry(shown.object).or_insert_with(|| {
            let object = *objects.entry(shown.object).or_insert_with(|| {
                world.objects.push(f64::INFINITY..f64::NEG_INFINITY);
                world.objects.len() as ObjectIndex - 1
            });
            world.statements.push(Statement {
                object,
                ..Statement::default()
            });
            StatementBuilder {
                index: world.statements.len() as StatementIndex - 1,
                values: BTreeMap::new(),
                week,
                now: BTreeMap::new(),
            }
        });
        let mut record = Record {
            statement: builder.index,
            values: None,
            is_main: shown.is_main,
            past_from: past_from(shown, self.web.spec().monday(0)),
        };
        if page.objects.contains(&shown.object) {
            let mut hash = 0;
            for (name, value) in &shown.values {
                let normal = value.normal.iter().fold(0, |hash, text| fold_text(hash, text));
                hash = fold(fold_text(hash, name), normal);
                builder.now.insert(name.clone(), normal);
            }
            record.values = NonZeroU32::new(hash as u32 | 1);
        }
        record
    }

    fn put(&mut self, page: &TruePage, content: Content, week: u32, world: &mut World) {
        let known = self.by_url.entry(page.url.clone()).or_insert_with(|| {
            let index = world.pages.len();
            let is_hub = matches!(page.kind, PageKind::Home | PageKind::List | PageKind::Calendar);
            world.pages.push(PageHistory {
                url: page.url.clone(),
                site: self.site.0,
                is_hub,
                ..PageHistory::default()
            });
            world
                .hubs
                .resize(world.hubs.len().max(self.site.0 + 1), Vec::new());
            if is_hub {
                world.hubs[self.site.0].push(index);
            } else {
                for statement in content.keys() {
                    world.statements[*statement as usize].pages.push(index);
                }
            }
            Page {
                index,
                kind: page.kind,
                content: None,
                week,
            }
        });
        let change_times = ChangeTimes::new(self.web, self.site.1, week, &world.statements);
        let states = change_times.states(&page.url, known.content.as_ref(), Some(&content));
        world.pages[known.index].states.extend(states);
        known.content = Some(content);
        known.week = week;
    }

    /// Records which statements changed this week, and which objects exist.
    fn end_week(&mut self, week: u32, world: &mut World) {
        for builder in self.builders.values_mut() {
            let at = ChangeTimes::new(self.web, self.site.1, week, &world.statements).of(builder.index);
            let statement = &mut world.statements[builder.index as usize];
            let time = &mut world.objects[statement.object as usize];
            if builder.now.is_empty() {
                // No page mentions the object since this week.
                if builder.week + 1 == week && !builder.values.is_empty() {
                    time.end = time.end.max(at);
                }
                continue;
            }
            if builder.values.is_empty() {
                time.start = time.start.min(at);
            } else if builder.values != builder.now {
                statement.changes.push(at);
            }
            builder.week = week;
            builder.values = std::mem::take(&mut builder.now);
        }
    }

    fn finish(self, end: f64, world: &mut World) {
        for builder in self
            .builders
            .values()
            .filter(|builder| !builder.values.is_empty())
        {
            if f64::from(builder.week) >= end {
                world.objects[world.statements[builder.index as usize].object as usize].end = f64::INFINITY;
            }
        }
        // The lab changes all objects of a site alike, so pages about one object have the rate of
        // their kind. The rate of a hub depends on its list, so each hub has its own.
        let mut kinds: BTreeMap<PageKind, [Share; 2]> = BTreeMap::new();
        for page in self.by_url.values() {
            let changes = world.pages[page.index].changes(end);
            let kind = kinds.entry(page.kind).or_default();
            for (all, one) in kind.iter_mut().zip(changes) {
                all.changes += one.changes;
                all.time += one.time;
            }
        }
        for page in self.by_url.values() {
            let life = &mut world.pages[page.index];
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

/// Returns the day after the start on the page, counted from `from`.
fn past_from(shown: &Shown, from: i64) -> Option<i32> {
    let start = parse_iso(shown.values.get("start")?.normal.first()?)?;
    i32::try_from(start.date().to_days() + 1 - from).ok()
}

struct ChangeTimes<'a> {
    seed: u64,
    week: u32,
    statements: &'a [Statement],
}

impl<'a> ChangeTimes<'a> {
    fn new(web: &Web, site: u32, week: u32, statements: &'a [Statement]) -> Self {
        let seed = fold(fold(web.spec().seed, u64::from(site)), u64::from(week));
        Self {
            seed,
            week,
            statements,
        }
    }

    /// Returns the time of the changes to an object. Everything in week 0 existed before.
    fn of(&self, statement: StatementIndex) -> f64 {
        self.at(u64::from(self.statements[statement as usize].object))
    }

    fn at(&self, what: u64) -> f64 {
        match self.week {
            0 => 0.0,
            week => f64::from(week - 1) + share(fold(self.seed, what)),
        }
    }

    /// Returns the states of a page in this week, from its old content to its new one.
    fn states(&self, url: &str, from: Option<&Content>, to: Option<&Content>) -> Vec<State> {
        let empty = Content::new();
        let (before, after) = (from.unwrap_or(&empty), to.unwrap_or(&empty));
        let differs = |statement: &&StatementIndex| before.get(*statement) != after.get(*statement);
        let both = before
            .keys()
            .chain(after.keys().filter(|statement| !before.contains_key(statement)));
        let mut turns: Vec<(f64, StatementIndex)> = both
            .filter(differs)
            .map(|statement| (self.of(*statement), *statement))
            .collect();
        turns.sort_by(|one, other| one.0.total_cmp(&other.0));
        if turns.is_empty() {
            // A page without objects appears and disappears by itself.
            let at = self.at(fold_text(0, url));
            return match (from, to) {
                (None, Some(_)) => vec![state(at, Some(after))],
                (Some(_), None) => vec![state(at, None)],
                _ => Vec::new(),
            };
        }
        let mut states: Vec<State> = Vec::with_capacity(turns.len());
        let mut content = before.clone();
        for (turn, (at, statement)) in turns.iter().enumerate() {
            if let Some(record) = after.get(statement) {
                content.insert(*statement, *record);
            } else {
                content.remove(statement);
            }
            // Changes at the same time, as in week 0, give one state.
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
    let fingerprint = records.iter().fold(1, |hash, record| {
        let values = record.values.map_or(0, NonZeroU32::get);
        fold(fold(hash, u64::from(record.statement)), u64::from(values))
    });
    State {
        from,
        fingerprint: Some(fingerprint),
        records,
    }
}
