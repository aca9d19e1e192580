//! A way written down as a navigation, whose states a person can read.

use std::collections::{BTreeMap, BTreeSet};

use super::super::document::{MOST_STATES, Navigation, Role, State, Turns};
use super::{Learned, Learner, Lists, Way};
use crate::pattern::{Kind, UrlPattern};

/// A hub may grow to so many times what was seen, and by so many pages more.
const GROWTH: (u32, u32) = (2, 20);

/// From so many pages to an object on, a pattern shows the same again and again, as where every visit makes new addresses for old
/// pages. Its pages are then bounded by its objects.
const REPEATS: usize = 10;

/// Pages in a row without anything new before a state that turns pages is left.
const PATIENCE: u32 = 5;

/// Named for the classes that are one state because there are so many.
const TOGETHER: &str = "others";

/// The states of a navigation: each class of pages is one, by its number, unless there are too many. Then the smallest of those that lead
/// nowhere are one together, under the number of the first of them.
struct States {
    of: BTreeMap<u32, u32>,
    together: Option<u32>,
}

impl States {
    /// Classes that lead somewhere from a state, as states.
    fn of_all(&self, classes: impl IntoIterator<Item = u32>) -> BTreeSet<u32> {
        let states = classes.into_iter().filter_map(|class| self.of.get(&class));
        states.copied().collect()
    }

    /// The classes of a state.
    fn classes(&self, state: u32) -> impl Iterator<Item = u32> {
        let of_it = self.of.iter().filter(move |(_, of)| **of == state);
        of_it.map(|(class, _)| *class)
    }
}

impl Learner<'_, '_> {
    pub(super) fn learned(&self, way: &Way, reachable: usize) -> Learned {
        let (hubs, reach) = (&way.hubs, self.reach(way));
        let mut next: BTreeMap<Option<u32>, BTreeSet<u32>> = BTreeMap::new();
        let also = || way.starts[1..].iter().chain(&way.lists);
        let mut kept: BTreeSet<u32> = also().filter_map(|list| self.class_of[*list]).collect();
        let mut read = Vec::new();
        let is_known = |page: &usize| reach.pages[*page] || way.lists.contains(page);
        for page in (0..self.graph.pages()).filter(is_known) {
            let from = self.class_of[page].filter(|_| page != self.entry);
            let is_hub = self.is_read(page, hubs, &reach) && !way.skipped.contains(&page);
            let is_list =
                self.worth.lists == Lists::Promising && from.is_some_and(|class| self.lists[class as usize]);
            if is_hub || way.lists.contains(&page) {
                read.push(page);
            }
            if !is_hub && !is_list {
                continue;
            }
            let ways = next.entry(from).or_default();
            for link in self
                .graph
                .links(page)
                .iter()
                .filter(|link| **link as usize != self.entry)
            {
                let to = self.class_of[*link as usize];
                // Lists are read for what is on them, and lead to nothing else that is read in every round.
                let leads = |to: &u32| match is_hub {
                    true => hubs.contains(to) || (*to as usize) < self.selected,
                    false => self.is_of_things(*to, way),
                };
                if let Some(to) = to.filter(leads) {
                    ways.insert(to);
                    kept.insert(to);
                }
            }
        }
        let states = self.states(&kept, hubs);
        let names = self.names(&states);
        let named = |classes: BTreeSet<u32>| -> Vec<String> {
            let ways = states.of_all(classes);
            ways.iter().filter_map(|to| names.get(to).cloned()).collect()
        };
        let written = names.iter().map(|(state, name)| {
            let classes: Vec<u32> = states.classes(*state).collect();
            let ways = classes.iter().filter_map(|class| next.get(&Some(*class)));
            let ways = ways.flatten().copied().collect();
            self.state(&classes, hubs, name.clone(), named(ways))
        });
        Learned {
            navigation: Navigation {
                entry: UrlPattern::exact(self.graph.url(self.entry)),
                also: also()
                    .map(|list| self.graph.url(*list).as_str().to_owned())
                    .collect(),
                skip: way
                    .skipped
                    .iter()
                    .map(|page| self.graph.url(*page).as_str().to_owned())
                    .collect(),
                sitemaps: false,
                start: named(next.get(&None).cloned().unwrap_or_default()),
                states: written.collect(),
            },
            reached: self.known(&reach.objects),
            reachable,
            hubs: read,
        }
    }

    fn states(&self, kept: &BTreeSet<u32>, hubs: &BTreeSet<u32>) -> States {
        let mut states = States {
            of: kept.iter().map(|class| (*class, *class)).collect(),
            together: None,
        };
        let beyond = (kept.len() + 1).saturating_sub(MOST_STATES);
        if beyond <= 1 {
            return states;
        }
        // Hubs are few: the learner takes no more.
        let is_end = |class: &u32| {
            let place = *class as usize;
            place < self.selected && !self.lists[place] && !hubs.contains(class)
        };
        let mut smallest: Vec<u32> = kept.iter().copied().filter(is_end).collect();
        smallest.sort_by_key(|class| self.sizes[*class as usize]);
        smallest.truncate(beyond);
        states.together = smallest.iter().min().copied();
        let together = smallest
            .into_iter()
            .filter_map(|class| Some((class, states.together?)));
        states.of.extend(together);
        states
    }

    /// The state of these classes, which have one role.
    fn state(&self, classes: &[u32], hubs: &BTreeSet<u32>, name: String, next: Vec<String>) -> State {
        let is_hub = classes.iter().all(|class| hubs.contains(class));
        let is_wanted = classes.iter().all(|class| (*class as usize) < self.selected);
        let is_list = classes.iter().any(|class| self.lists[*class as usize]);
        let patterns: Vec<UrlPattern> = classes
            .iter()
            .map(|class| self.patterns[*class as usize].clone())
            .collect();
        let turns = next.contains(&name).then(|| turns(&patterns));
        let sum = |counts: &[u32]| classes.iter().map(|class| counts[*class as usize]).sum();
        let (size, objects): (u32, u32) = (sum(&self.sizes), sum(&self.objects));
        let repeats = is_wanted && size as usize > REPEATS * objects as usize;
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
            turns,
            patterns,
            name,
        }
    }

    /// Names a person can tell apart: the constant words of the pattern, and a number where that is not enough.
    fn names(&self, states: &States) -> BTreeMap<u32, String> {
        let mut names: BTreeMap<u32, String> = BTreeMap::new();
        let mut taken: BTreeSet<String> = BTreeSet::new();
        for state in states.of_all(states.of.keys().copied()) {
            let words = self.patterns[state as usize].words().join("-");
            let base = match () {
                () if states.together == Some(state) => TOGETHER.to_owned(),
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

/// A class that links to itself by dates is a calendar.
fn turns(patterns: &[UrlPattern]) -> Turns {
    let is_date = |kind: &Kind| matches!(kind, Kind::Date | Kind::Year | Kind::Month | Kind::Day);
    if patterns.iter().any(|pattern| pattern.kinds().iter().any(is_date)) {
        Turns::Calendar
    } else {
        Turns::Pages
    }
}
