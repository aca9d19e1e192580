//! A navigation learned from a crawled site: the fewest hubs that lead to the wanted pages.
//!
//! Pages fall into classes by pattern. Starting with the entry page, the class is added again and again that
//! reaches most new wanted pages for its own; where none reaches any in one step, all classes of the shortest way
//! to the next wanted page are added. Then every hub is dropped that the others make needless.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::document::{Navigation, Role, State, Turns};
use super::graph::SiteGraph;
use crate::pattern::{Kind, PatternSet, UrlPattern};

/// Hub classes at most; each is one more look at all links.
const MOST_HUBS: usize = 64;

/// A hub may grow to so many times what was seen, and by so many pages more.
const GROWTH: (u32, u32) = (2, 20);

/// Pages in a row without anything new before a state that turns pages is left.
const PATIENCE: u32 = 5;

/// What was learned, and how well it does on the site it was learned from.
#[derive(Clone, Debug)]
pub struct Learned {
    /// The navigation.
    pub navigation: Navigation,
    /// Wanted pages that it reaches.
    pub reached: usize,
    /// Of so many that can be reached at all.
    pub reachable: usize,
    /// Hub pages that it fetches, by number, the entry page with them.
    pub hubs: Vec<usize>,
}

/// Learns how to get from the entry to the pages that `selected` matches.
///
/// `classes` are patterns for the other pages of the site, as an inducer makes them of all its URLs. The
/// navigation reaches `share` of the wanted pages that can be reached along classes, or all that it can. `cost` is what a page costs
/// as a hub.
pub fn learn(
    graph: &SiteGraph<'_>,
    entry: usize,
    selected: &[UrlPattern],
    classes: &[UrlPattern],
    share: f64,
    cost: &dyn Fn(usize) -> f64,
) -> Option<Learned> {
    if entry >= graph.pages() {
        return None;
    }
    let learner = Learner::new(graph, entry, selected, classes, cost);
    let everything: BTreeSet<u32> = (0..learner.patterns.len() as u32).collect();
    let reachable = learner.reach(&everything).wanted;
    let needed = (reachable as f64 * share.clamp(0.0, 1.0)).ceil() as usize;
    let mut hubs = learner.grown(needed);
    learner.shrink(&mut hubs, needed);
    Some(learner.learned(&hubs, reachable))
}

struct Learner<'a, 'g> {
    graph: &'a SiteGraph<'g>,
    entry: usize,
    patterns: Vec<UrlPattern>,
    /// Patterns before this one are selected: their pages are wanted.
    selected: usize,
    /// The class of every page; none where no pattern matches.
    class_of: Vec<Option<u32>>,
    /// Pages of each class.
    sizes: Vec<u32>,
    /// What they cost as hubs.
    costs: Vec<f64>,
    cost: &'a dyn Fn(usize) -> f64,
}

/// What hubs lead to.
struct Reach {
    pages: Vec<bool>,
    wanted: usize,
}

impl<'a, 'g> Learner<'a, 'g> {
    fn new(
        graph: &'a SiteGraph<'g>,
        entry: usize,
        selected: &[UrlPattern],
        classes: &[UrlPattern],
        cost: &'a dyn Fn(usize) -> f64,
    ) -> Learner<'a, 'g> {
        let patterns: Vec<UrlPattern> = selected.iter().chain(classes).cloned().collect();
        let (wanted, others) = (
            PatternSet::new(selected.iter().cloned()),
            PatternSet::new(classes.iter().cloned()),
        );
        let (mut sizes, mut costs) = (vec![0; patterns.len()], vec![0.0; patterns.len()]);
        let class = |page: usize| {
            let url = graph.url(page);
            let other = || others.best(url).map(|class| class + selected.len());
            let class = wanted.best(url).or_else(other)? as u32;
            sizes[class as usize] += 1;
            costs[class as usize] += cost(page);
            Some(class)
        };
        Learner {
            class_of: (0..graph.pages()).map(class).collect(),
            sizes,
            costs,
            cost,
            selected: selected.len(),
            patterns,
            entry,
            graph,
        }
    }

    fn is_wanted(&self, page: usize) -> bool {
        self.class_of[page].is_some_and(|class| (class as usize) < self.selected)
    }

    /// All pages that are fetched when these classes are hubs: links of other pages are not followed, for wanted
    /// pages are read once and not in every recrawl.
    fn reach(&self, hubs: &BTreeSet<u32>) -> Reach {
        let mut reach = Reach {
            pages: vec![false; self.graph.pages()],
            wanted: 0,
        };
        reach.pages[self.entry] = true;
        reach.wanted += usize::from(self.is_wanted(self.entry));
        let mut queue = VecDeque::from([self.entry]);
        while let Some(page) = queue.pop_front() {
            for link in self.graph.links(page) {
                let link = *link as usize;
                let is_hub = self.class_of[link].is_some_and(|class| hubs.contains(&class));
                if reach.pages[link] || !(is_hub || self.is_wanted(link)) {
                    continue;
                }
                reach.pages[link] = true;
                reach.wanted += usize::from(self.is_wanted(link));
                if is_hub {
                    queue.push_back(link);
                }
            }
        }
        reach
    }

    fn grown(&self, needed: usize) -> BTreeSet<u32> {
        let mut hubs = BTreeSet::new();
        let mut reach = self.reach(&hubs);
        while reach.wanted < needed && hubs.len() < MOST_HUBS {
            let more = match self.best_step(&hubs, &reach) {
                Some(class) => vec![class],
                None => self.shortest_way(&hubs, &reach),
            };
            if more.is_empty() {
                break;
            }
            hubs.extend(more);
            reach = self.reach(&hubs);
        }
        hubs
    }

    /// The class with most new wanted pages for what its own pages cost, among those that hubs link to.
    fn best_step(&self, hubs: &BTreeSet<u32>, reach: &Reach) -> Option<u32> {
        let mut found: BTreeMap<u32, (BTreeSet<u32>, f64)> = BTreeMap::new();
        let mut seen = vec![false; self.graph.pages()];
        for page in (0..self.graph.pages()).filter(|page| self.is_read(*page, hubs, reach)) {
            for link in self.graph.links(page) {
                let place = *link as usize;
                let Some(class) = self.class_of[place] else {
                    continue;
                };
                if hubs.contains(&class) || std::mem::replace(&mut seen[place], true) {
                    continue;
                }
                let entry = found.entry(class).or_default();
                // A wanted page is fetched anyway; as a hub it is fetched again and again.
                entry.1 += (self.cost)(place);
                let new = self.graph.links(place).iter();
                let new = new.filter(|link| self.is_wanted(**link as usize) && !reach.pages[**link as usize]);
                entry.0.extend(new);
            }
        }
        let rate = |(new, cost): &(BTreeSet<u32>, f64)| new.len() as f64 / cost;
        let best = found
            .iter()
            .filter(|(_, (new, _))| !new.is_empty())
            .max_by(|one, other| rate(one.1).total_cmp(&rate(other.1)).then(other.0.cmp(one.0)));
        best.map(|(class, _)| *class)
    }

    /// Whether the links of a page are followed.
    fn is_read(&self, page: usize, hubs: &BTreeSet<u32>, reach: &Reach) -> bool {
        let is_hub = page == self.entry || self.class_of[page].is_some_and(|class| hubs.contains(&class));
        reach.pages[page] && is_hub
    }

    /// The classes on the shortest way to a wanted page that is not reached.
    fn shortest_way(&self, hubs: &BTreeSet<u32>, reach: &Reach) -> Vec<u32> {
        let read = |page: &usize| self.is_read(*page, hubs, reach);
        let mut queue: VecDeque<usize> = (0..self.graph.pages()).filter(read).collect();
        let mut parent: Vec<Option<usize>> = vec![None; self.graph.pages()];
        let mut seen = vec![false; self.graph.pages()];
        for page in &queue {
            seen[*page] = true;
        }
        while let Some(page) = queue.pop_front() {
            for link in self.graph.links(page) {
                let link = *link as usize;
                if seen[link] || self.class_of[link].is_none() {
                    continue;
                }
                seen[link] = true;
                parent[link] = Some(page);
                if self.is_wanted(link) && !reach.pages[link] {
                    return self.classes_up(link, &parent);
                }
                queue.push_back(link);
            }
        }
        Vec::new()
    }

    fn classes_up(&self, page: usize, parent: &[Option<usize>]) -> Vec<u32> {
        let mut classes = Vec::new();
        let mut page = parent[page];
        while let Some(at) = page {
            // Where the way starts, a hub stands already.
            if parent[at].is_some() {
                classes.extend(self.class_of[at]);
            }
            page = parent[at];
        }
        classes
    }

    /// Drops hubs that are not needed, those that cost most first.
    fn shrink(&self, hubs: &mut BTreeSet<u32>, needed: usize) {
        let mut largest: Vec<u32> = hubs.iter().copied().collect();
        let cost = |class: &u32| self.costs[*class as usize];
        largest.sort_by(|one, other| cost(other).total_cmp(&cost(one)).then(one.cmp(other)));
        for class in largest {
            hubs.remove(&class);
            if self.reach(hubs).wanted < needed {
                hubs.insert(class);
            }
        }
    }

    fn learned(&self, hubs: &BTreeSet<u32>, reachable: usize) -> Learned {
        let reach = self.reach(hubs);
        let mut next: BTreeMap<Option<u32>, BTreeSet<u32>> = BTreeMap::new();
        let mut kept: BTreeSet<u32> = BTreeSet::new();
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
                start: named(None),
                states: states.collect(),
            },
            reached: reach.wanted,
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
        let (times, more) = GROWTH;
        State {
            role: match (is_hub, is_wanted) {
                (true, true) => Role::Both,
                (false, true) => Role::Object,
                _ => Role::Hub,
            },
            next: if is_hub { next } else { Vec::new() },
            most_pages: is_hub.then(|| self.sizes[class as usize] * times + more),
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
