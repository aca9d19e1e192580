//! A way written down as a navigation, whose states a person can read.

use std::collections::{BTreeMap, BTreeSet};

use super::super::document::{Navigation, Role, State, Turns};
use super::{Learned, Learner, Way};
use crate::pattern::{Kind, UrlPattern};

/// A hub may grow to so many times what was seen, and by so many pages more.
const GROWTH: (u32, u32) = (2, 20);

/// From so many pages to an object on, a pattern shows the same again and again, as where every visit makes new addresses for old
/// pages. Its pages are then bounded by its objects.
const REPEATS: usize = 10;

/// Pages in a row without anything new before a state that turns pages is left.
const PATIENCE: u32 = 5;

impl Learner<'_, '_> {
    pub(super) fn learned(&self, way: &Way, reachable: usize) -> Learned {
        let (hubs, reach) = (&way.hubs, self.reach(way));
        let mut next: BTreeMap<Option<u32>, BTreeSet<u32>> = BTreeMap::new();
        let started = way.starts[1..].iter().filter_map(|start| self.class_of[*start]);
        let mut kept: BTreeSet<u32> = started.collect();
        let mut read = Vec::new();
        for page in (0..self.graph.pages()).filter(|page| self.is_read(*page, hubs, &reach)) {
            read.push(page);
            let from = self.class_of[page].filter(|_| page != self.entry);
            let ways = next.entry(from).or_default();
            for link in self
                .graph
                .links(page)
                .iter()
                .filter(|link| **link as usize != self.entry)
            {
                let to = self.class_of[*link as usize];
                if let Some(to) = to.filter(|to| hubs.contains(to) || (*to as usize) < self.selected) {
                    ways.insert(to);
                    kept.insert(to);
                }
            }
        }
        let names = self.names(&kept);
        let named = |from: Option<u32>| -> Vec<String> {
            let ways = next.get(&from).into_iter().flatten();
            ways.filter_map(|to| names.get(to).cloned()).collect()
        };
        let states = kept
            .iter()
            .map(|class| self.state(*class, hubs, &names, named(Some(*class))));
        Learned {
            navigation: Navigation {
                entry: UrlPattern::exact(self.graph.url(self.entry)),
                also: way.starts[1..]
                    .iter()
                    .map(|start| self.graph.url(*start).as_str().to_owned())
                    .collect(),
                start: named(None),
                states: states.collect(),
            },
            reached: reach.objects.len(),
            reachable,
            hubs: read,
        }
    }

    fn state(
        &self,
        class: u32,
        hubs: &BTreeSet<u32>,
        names: &BTreeMap<u32, String>,
        next: Vec<String>,
    ) -> State {
        let is_hub = hubs.contains(&class);
        let is_wanted = (class as usize) < self.selected;
        let pattern = self.patterns[class as usize].clone();
        let name = names.get(&class).cloned().unwrap_or_default();
        let turns = next.contains(&name).then(|| turns(&pattern));
        let (size, objects) = (self.sizes[class as usize], self.objects[class as usize]);
        let repeats = is_wanted && size as usize > REPEATS * objects as usize;
        let expected = if repeats { objects } else { size };
        let (times, more) = GROWTH;
        State {
            role: match (is_hub, is_wanted) {
                (true, true) => Role::Both,
                (false, true) => Role::Object,
                _ => Role::Hub,
            },
            next: if is_hub { next } else { Vec::new() },
            most_pages: (is_hub || repeats).then(|| expected * times + more),
            patience: turns.map(|_| PATIENCE),
            turns,
            patterns: vec![pattern],
            name,
        }
    }

    /// Names a person can tell apart: the constant words of the pattern, and a number where that is not enough.
    fn names(&self, classes: &BTreeSet<u32>) -> BTreeMap<u32, String> {
        let mut names: BTreeMap<u32, String> = BTreeMap::new();
        let mut taken: BTreeSet<String> = BTreeSet::new();
        for class in classes {
            let base = self.patterns[*class as usize].words().join("-");
            let base = if base.is_empty() { "pages".to_owned() } else { base };
            let numbered = (2..).map(|number| format!("{base}-{number}"));
            let mut free = std::iter::once(base.clone()).chain(numbered);
            let name = free.find(|name| !taken.contains(name)).unwrap_or(base);
            taken.insert(name.clone());
            names.insert(*class, name);
        }
        names
    }
}

/// A class that links to itself by dates is a calendar.
fn turns(pattern: &UrlPattern) -> Turns {
    let is_date = |kind: &Kind| matches!(kind, Kind::Date | Kind::Year | Kind::Month | Kind::Day);
    if pattern.kinds().iter().any(is_date) {
        Turns::Calendar
    } else {
        Turns::Pages
    }
}
