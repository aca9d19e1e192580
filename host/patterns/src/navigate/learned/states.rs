//! Conversion of a route to a navigation with readable states.

use std::collections::{BTreeMap, BTreeSet};

use super::super::document::{MAX_STATES, Navigation, Role, State, Turns};
use super::super::worth::by_added;
use super::{Learned, Learner, Lists, Route};
use crate::pattern::{Kind, UrlPattern};

/// Factor and addend of the growth that a hub may have beyond the pages seen.
const GROWTH: (u32, u32) = (2, 20);

/// Minimum number of pages per object at which a pattern repeats its content.
const REPEATS: usize = 10;

/// Patience of a state with pagination: pages in a row without anything new.
const PATIENCE: u32 = 5;

/// Name of the state for many small classes.
const MERGED_NAME: &str = "others";

/// The states of a navigation. Each class is a state with the class as its id, unless there are too
/// many. Then the smallest classes without outgoing links share the state of the first of them.
struct States {
    of: BTreeMap<u32, u32>,
    merged: Option<u32>,
}

impl States {
    /// Returns the states of these classes, without classes that are not kept.
    fn of_all(&self, classes: impl IntoIterator<Item = u32>) -> BTreeSet<u32> {
        let states = classes.into_iter().filter_map(|class| self.of.get(&class));
        states.copied().collect()
    }

    /// Returns the classes of a state.
    fn classes(&self, state: u32) -> impl Iterator<Item = u32> {
        let of_it = self.of.iter().filter(move |(_, of)| **of == state);
        of_it.map(|(class, _)| *class)
    }
}

impl Learner<'_, '_, '_> {
    pub(super) fn to_learned(&self, route: &Route, reachable: usize) -> Learned {
        let (hubs, reach) = (&route.hubs, self.reach(route));
        let mut next: BTreeMap<Option<u32>, BTreeSet<u32>> = BTreeMap::new();
        let also = || route.starts[1..].iter().chain(&route.lists);
        let mut kept: BTreeSet<u32> = also().filter_map(|list| self.class_of[*list]).collect();
        let read = self.read_pages(route, &reach);
        let is_known = |page: &usize| reach.pages[*page] || route.lists.contains(page);
        for page in (0..self.site.graph.pages()).filter(is_known) {
            let from = self.class_of[page].filter(|_| page != self.site.entry);
            let is_hub = self.is_read(page, hubs, &reach) && !route.skipped.contains(&page);
            let is_list =
                self.site.lists == Lists::Promising && from.is_some_and(|class| self.lists()[class as usize]);
            if !is_hub && !is_list {
                continue;
            }
            let targets = next.entry(from).or_default();
            for link in self
                .site
                .graph
                .links(page)
                .iter()
                .filter(|link| **link as usize != self.site.entry)
            {
                let to = self.class_of[*link as usize];
                // Lists that are not hubs lead to detail pages only, not to other pages read in
                // every round.
                let productive_count = |to: &u32| match is_hub {
                    true => hubs.contains(to) || (*to as usize) < self.selected,
                    false => self.is_detail_class(*to, route),
                };
                if let Some(to) = to.filter(productive_count) {
                    targets.insert(to);
                    kept.insert(to);
                }
            }
        }
        let states = self.states(&kept, hubs);
        let names = self.names(&states);
        let named = |classes: BTreeSet<u32>| -> Vec<String> {
            let targets = states.of_all(classes);
            targets.iter().filter_map(|to| names.get(to).cloned()).collect()
        };
        let (added, objects_of) = (self.added(&read), self.objects_of_classes());
        let written = names.iter().map(|(state, name)| {
            let classes: Vec<u32> = states.classes(*state).collect();
            let targets = classes.iter().filter_map(|class| next.get(&Some(*class)));
            let targets = targets.flatten().copied().collect();
            let (pages, objects) = classes
                .iter()
                .filter_map(|class| added.get(class))
                .fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
            State {
                adds: (pages > 0).then(|| (100 * objects / pages) as u32),
                ..self.state((&classes, &objects_of), hubs, name.clone(), named(targets))
            }
        });
        Learned {
            navigation: Navigation {
                rendering: Vec::new(),
                entry: UrlPattern::exact(self.site.graph.url(self.site.entry)),
                also: also()
                    .map(|list| self.site.graph.url(*list).as_str().to_owned())
                    .collect(),
                skip: route
                    .skipped
                    .iter()
                    .map(|page| self.site.graph.url(*page).as_str().to_owned())
                    .collect(),
                sitemaps: false,
                start: named(next.get(&None).cloned().unwrap_or_default()),
                searches: Vec::new(),
                states: written.collect(),
            },
            reached: self.site.count_known(&reach.objects),
            reachable,
            hubs: read,
        }
    }

    /// Returns by class the number of lists, and the known objects that they show and no better
    /// list does.
    fn added(&self, lists: &[usize]) -> BTreeMap<u32, (usize, usize)> {
        let shown = lists.iter().map(|list| {
            let linked = self.site.graph.links(*list).iter().map(|link| *link as usize);
            let pages = std::iter::once(*list)
                .chain(linked)
                .filter(|page| self.is_wanted(*page));
            let objects = pages.flat_map(|page| self.site.seen(page));
            objects.collect::<BTreeSet<u32>>().into_iter().collect()
        });
        let shown: Vec<Vec<u32>> = shown.collect();
        let mut adds = vec![0; lists.len()];
        by_added(&shown)
            .into_iter()
            .for_each(|(list, objects)| adds[list] = objects);
        let mut added: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
        for (list, adds) in lists.iter().zip(adds) {
            let class = self.class_of[*list].filter(|_| *list != self.site.entry);
            if let Some((pages, objects)) = class.map(|class| added.entry(class).or_default()) {
                *pages += 1;
                *objects += adds;
            }
        }
        added
    }

    fn states(&self, kept: &BTreeSet<u32>, hubs: &BTreeSet<u32>) -> States {
        let mut states = States {
            of: kept.iter().map(|class| (*class, *class)).collect(),
            merged: None,
        };
        let beyond = (kept.len() + 1).saturating_sub(MAX_STATES);
        if beyond <= 1 {
            return states;
        }
        // The number of hubs is limited by the learner.
        let is_end = |class: &u32| {
            let index = *class as usize;
            index < self.selected && !self.lists()[index] && !hubs.contains(class)
        };
        let mut smallest: Vec<u32> = kept.iter().copied().filter(is_end).collect();
        // The smallest lose least by sharing a state, whose limits are then common.
        smallest.sort_by_key(|class| self.sizes[*class as usize]);
        smallest.truncate(beyond);
        states.merged = smallest.iter().min().copied();
        let merged = smallest
            .into_iter()
            .filter_map(|class| Some((class, states.merged?)));
        states.of.extend(merged);
        states
    }

    /// Returns the number of objects of each class.
    fn objects_of_classes(&self) -> Vec<u32> {
        let mut found: Vec<(u32, u32)> = Vec::new();
        for (page, class) in self.class_of.iter().enumerate() {
            let objects =
                class.map(|class| self.site.objects(page).iter().map(move |object| (class, *object)));
            found.extend(objects.into_iter().flatten());
        }
        found.sort_unstable();
        found.dedup();
        let mut objects = vec![0; self.patterns.len()];
        found.iter().for_each(|(class, _)| objects[*class as usize] += 1);
        objects
    }

    /// Creates the state of these classes, which have the same role, with the numbers of objects of
    /// all classes.
    fn state(
        &self,
        (classes, objects_of): (&[u32], &[u32]),
        hubs: &BTreeSet<u32>,
        name: String,
        next: Vec<String>,
    ) -> State {
        let is_hub = classes.iter().all(|class| hubs.contains(class));
        let is_wanted = classes.iter().all(|class| (*class as usize) < self.selected);
        let is_list = classes.iter().any(|class| self.lists()[*class as usize]);
        let patterns: Vec<UrlPattern> = classes.iter().map(|class| self.pattern(*class).clone()).collect();
        let turns = next.contains(&name).then(|| pagination_kind(&patterns));
        let sum = |counts: &[u32]| classes.iter().map(|class| counts[*class as usize]).sum();
        let (size, objects): (u32, u32) = (sum(&self.sizes), sum(objects_of));
        let repeats = is_wanted && size as usize > REPEATS * objects as usize;
        // A site that creates new URLs for old pages at each visit may have any number of pages.
        // Its objects show how many are worth reading.
        let expected = if repeats { objects } else { size };
        let (times, more) = GROWTH;
        State {
            role: match (is_hub || is_list, is_wanted) {
                (true, true) => Role::Both,
                (false, true) => Role::Object,
                _ => Role::Hub,
            },
            next: if is_hub || is_list { next } else { Vec::new() },
            most_pages: (is_hub || repeats).then(|| expected * times + more),
            patience: turns.map(|_| PATIENCE),
            adds: None,
            turns,
            patterns,
            name,
        }
    }

    /// Chooses distinct readable names: the constant words of the pattern, with a number if needed.
    fn names(&self, states: &States) -> BTreeMap<u32, String> {
        let mut names: BTreeMap<u32, String> = BTreeMap::new();
        let mut taken: BTreeSet<String> = BTreeSet::new();
        for state in states.of_all(states.of.keys().copied()) {
            let words = self.pattern(state).words().join("-");
            let base = match () {
                () if states.merged == Some(state) => MERGED_NAME.to_owned(),
                () if words.is_empty() => "pages".to_owned(),
                () => words,
            };
            let numbered = (2..).map(|number| format!("{base}-{number}"));
            let mut free = std::iter::once(base.clone()).chain(numbered);
            let name = free.find(|name| !taken.contains(name)).unwrap_or(base);
            taken.insert(name.clone());
            names.insert(state, name);
        }
        names
    }
}

/// Returns the kind of pagination. A class that links to itself by dates is a calendar.
fn pagination_kind(patterns: &[UrlPattern]) -> Turns {
    let is_date = |kind: &Kind| matches!(kind, Kind::Date | Kind::Year | Kind::Month | Kind::Day);
    if patterns.iter().any(|pattern| pattern.kinds().iter().any(is_date)) {
        Turns::Calendar
    } else {
        Turns::Pages
    }
}
