//! A navigation learned from a crawled site: the cheapest hubs that lead to the objects of the wanted pages.
//!
//! Pages fall into classes by pattern. Starting with the entry page, the class is added again and again that
//! leads to most new objects for what its pages cost; where none leads to any in one step, all classes of the shortest way
//! to the next one are added. Then every hub is dropped that the others make needless. A wanted page whose objects others
//! have too, as the tenth colour of a shirt, is worth no way of its own. Where lists are reached over pages about one thing alone,
//! recrawls start at these lists, which are known, instead of reading all those pages for their links.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

use super::document::{Navigation, Role, State, Turns};
use super::graph::SiteGraph;
use crate::pattern::{Kind, PatternSet, UrlPattern};

/// Hub classes at most; each is one more look at all links.
const MOST_HUBS: usize = 64;

/// A hub may grow to so many times what was seen, and by so many pages more.
const GROWTH: (u32, u32) = (2, 20);

/// From so much on average, against a list, pages are too dear to be read for their links if there is another way.
const DEAR: f64 = 2.0;

/// A way past dear hubs is taken where it saves at least so much of what they cost: it finds no new lists of its own.
const WORTH_IT: f64 = 0.5;

/// Lists that a recrawl starts with at most, besides its entry page; to find each is a look at all links.
const MOST_STARTS: usize = 20;

/// From so many pages to an object on, a pattern shows the same again and again, as where every visit makes new addresses for old
/// pages. Its pages are then bounded by its objects.
const REPEATS: usize = 10;

/// Pages in a row without anything new before a state that turns pages is left.
const PATIENCE: u32 = 5;

/// What was learned, and how well it does on the site it was learned from.
#[derive(Clone, Debug)]
pub struct Learned {
    /// The navigation.
    pub navigation: Navigation,
    /// Objects that it reaches on wanted pages.
    pub reached: usize,
    /// Of so many that can be reached at all.
    pub reachable: usize,
    /// Hub pages that it fetches, by number, the entry page with them.
    pub hubs: Vec<usize>,
}

/// What the pages of a site bring and cost, each by its number.
#[derive(Clone, Copy, Debug)]
pub struct Worth<'a> {
    /// The objects on each page.
    pub objects: &'a [Vec<u32>],
    /// What each costs as a hub.
    pub hub_costs: &'a [f64],
}

impl Worth<'_> {
    fn objects(&self, page: usize) -> &[u32] {
        self.objects.get(page).map_or(&[], Vec::as_slice)
    }

    fn hub_cost(&self, page: usize) -> f64 {
        self.hub_costs.get(page).copied().unwrap_or(1.0)
    }
}

/// Learns how to get from the entry to the pages that `selected` matches.
///
/// `classes` are patterns for the other pages of the site, as an inducer makes them of all its URLs. The
/// navigation reaches `share` of the objects on wanted pages that can be reached along classes, or all that it can.
pub fn learn(
    graph: &SiteGraph<'_>,
    entry: usize,
    selected: &[UrlPattern],
    classes: &[UrlPattern],
    share: f64,
    worth: Worth<'_>,
) -> Option<Learned> {
    if entry >= graph.pages() {
        return None;
    }
    let learner = Learner::new(graph, entry, selected, classes, worth);
    let everything: BTreeSet<u32> = (0..learner.patterns.len() as u32).collect();
    let everything = Way {
        hubs: everything,
        starts: vec![entry],
    };
    let reachable = learner.reach(&everything).objects.len();
    let needed = (reachable as f64 * share.clamp(0.0, 1.0)).ceil() as usize;
    let hubs = learner.grown(needed);
    let mut way = Way {
        hubs,
        starts: vec![entry],
    };
    learner.shrink(&mut way, needed);
    learner.shorten(&mut way, needed);
    Some(learner.learned(&way, reachable))
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
    /// How many objects they have.
    objects: Vec<u32>,
    worth: Worth<'a>,
}

/// What a recrawl reads for its links.
#[derive(Clone)]
struct Way {
    /// Classes of pages.
    hubs: BTreeSet<u32>,
    /// Where it starts: the entry page, and lists.
    starts: Vec<usize>,
}

/// What hubs lead to.
struct Reach {
    pages: Vec<bool>,
    /// The objects on wanted pages.
    objects: HashSet<u32>,
}

impl<'a, 'g> Learner<'a, 'g> {
    fn new(
        graph: &'a SiteGraph<'g>,
        entry: usize,
        selected: &[UrlPattern],
        classes: &[UrlPattern],
        worth: Worth<'a>,
    ) -> Learner<'a, 'g> {
        let patterns: Vec<UrlPattern> = selected.iter().chain(classes).cloned().collect();
        let (wanted, others) = (
            PatternSet::new(selected.iter().cloned()),
            PatternSet::new(classes.iter().cloned()),
        );
        let (mut sizes, mut costs) = (vec![0; patterns.len()], vec![0.0; patterns.len()]);
        let mut objects: Vec<HashSet<u32>> = vec![HashSet::new(); patterns.len()];
        let class = |page: usize| {
            let url = graph.url(page);
            let other = || others.best(url).map(|class| class + selected.len());
            let class = wanted.best(url).or_else(other)? as u32;
            sizes[class as usize] += 1;
            costs[class as usize] += worth.hub_cost(page);
            objects[class as usize].extend(worth.objects(page));
            Some(class)
        };
        Learner {
            class_of: (0..graph.pages()).map(class).collect(),
            objects: objects.iter().map(|objects| objects.len() as u32).collect(),
            sizes,
            costs,
            worth,
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
    fn reach(&self, way: &Way) -> Reach {
        let mut reach = Reach {
            pages: vec![false; self.graph.pages()],
            objects: HashSet::new(),
        };
        for start in &way.starts {
            self.enter(&mut reach, *start);
        }
        let mut queue: VecDeque<usize> = way.starts.iter().copied().collect();
        while let Some(page) = queue.pop_front() {
            for link in self.graph.links(page) {
                let link = *link as usize;
                let is_hub = self.class_of[link].is_some_and(|class| way.hubs.contains(&class));
                if reach.pages[link] || !(is_hub || self.is_wanted(link)) {
                    continue;
                }
                self.enter(&mut reach, link);
                if is_hub {
                    queue.push_back(link);
                }
            }
        }
        reach
    }

    fn enter(&self, reach: &mut Reach, page: usize) {
        reach.pages[page] = true;
        if self.is_wanted(page) {
            reach.objects.extend(self.worth.objects(page));
        }
    }

    /// The objects of a page that nothing led to yet; none on pages that are not wanted.
    fn new_objects(&self, page: usize, reach: &Reach) -> impl Iterator<Item = u32> {
        let is_new = self.is_wanted(page) && !reach.pages[page];
        let objects = if is_new { self.worth.objects(page) } else { &[] };
        objects
            .iter()
            .copied()
            .filter(|object| !reach.objects.contains(object))
    }

    fn grown(&self, needed: usize) -> BTreeSet<u32> {
        let mut way = Way {
            hubs: BTreeSet::new(),
            starts: vec![self.entry],
        };
        let mut reach = self.reach(&way);
        while reach.objects.len() < needed && way.hubs.len() < MOST_HUBS {
            let more = match self.best_step(&way.hubs, &reach) {
                Some(class) => vec![class],
                None => self.shortest_way(&way.hubs, &reach),
            };
            if more.is_empty() {
                break;
            }
            way.hubs.extend(more);
            reach = self.reach(&way);
        }
        way.hubs
    }

    /// The class that leads to most new objects for what its pages cost, among those that hubs link to.
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
                entry.1 += self.worth.hub_cost(place);
                let new = self.graph.links(place).iter();
                entry
                    .0
                    .extend(new.flat_map(|link| self.new_objects(*link as usize, reach)));
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

    /// The classes on the shortest way to an object that is not reached.
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
                if self.new_objects(link, reach).next().is_some() {
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
    fn shrink(&self, way: &mut Way, needed: usize) {
        for class in self.dearest(way) {
            way.hubs.remove(&class);
            if self.reach(way).objects.len() < needed {
                way.hubs.insert(class);
            }
        }
    }

    /// The hubs of a way, those that cost most first.
    fn dearest(&self, way: &Way) -> Vec<u32> {
        let mut dearest: Vec<u32> = way.hubs.iter().copied().collect();
        let cost = |class: &u32| self.costs[*class as usize];
        dearest.sort_by(|one, other| cost(other).total_cmp(&cost(one)).then(one.cmp(other)));
        dearest
    }

    /// Replaces hubs that are pages about one thing by the lists they lead to, where these are much cheaper.
    fn shorten(&self, way: &mut Way, needed: usize) {
        for class in self.dearest(way) {
            if self.is_dear(class)
                && let Some(shorter) = self.without(way, class, needed)
                && self.price(way, None) - self.price(&shorter, None)
                    >= self.price(way, Some(class)) * WORTH_IT
            {
                *way = shorter;
            }
        }
    }

    fn is_dear(&self, class: u32) -> bool {
        self.costs[class as usize] >= DEAR * f64::from(self.sizes[class as usize])
    }

    /// What reading all hubs of a way costs, or those of one class.
    fn price(&self, way: &Way, class: Option<u32>) -> f64 {
        let reach = self.reach(way);
        let read = (0..self.graph.pages()).filter(|page| self.is_read(*page, &way.hubs, &reach));
        let counted = read.filter(|page| class.is_none() || self.class_of[*page] == class);
        counted.map(|page| self.worth.hub_cost(page)).sum()
    }

    /// A way without a class of hubs: it starts with as many of the lists as are needed that only these led to.
    fn without(&self, way: &Way, class: u32, needed: usize) -> Option<Way> {
        let before = self.reach(way);
        let mut shorter = way.clone();
        shorter.hubs.remove(&class);
        loop {
            let reach = self.reach(&shorter);
            if reach.objects.len() >= needed {
                return Some(shorter);
            }
            let lost = (0..self.graph.pages()).filter(|page| before.pages[*page] && !reach.pages[*page]);
            let lists = lost.filter(|page| self.class_of[*page].is_some_and(|class| !self.is_dear(class)));
            let gains = lists.map(|page| (self.objects_at(page, &reach).len(), page));
            let (gain, best) = gains.max_by_key(|(gain, page)| (*gain, std::cmp::Reverse(*page)))?;
            if gain == 0 || shorter.starts.len() > MOST_STARTS {
                return None;
            }
            shorter.starts.push(best);
            shorter.hubs.extend(self.class_of[best]);
        }
    }

    /// The objects that nothing led to yet of a page and of those it links to.
    fn objects_at(&self, page: usize, reach: &Reach) -> HashSet<u32> {
        let links = self.graph.links(page).iter();
        let all = links.flat_map(|link| self.new_objects(*link as usize, reach));
        all.chain(self.new_objects(page, reach)).collect()
    }

    fn learned(&self, way: &Way, reachable: usize) -> Learned {
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
