//! A navigation learned from a crawled site: the cheapest hubs that lead to the objects of the wanted pages.
//!
//! Pages fall into classes by pattern. Starting with the entry page, the class is added again and again that
//! leads to most new objects for what its pages cost; where none leads to any in one step, all classes of the shortest way
//! to the next one are added. Then every hub is dropped that the others make needless. A wanted page whose objects others
//! have too, as the tenth colour of a shirt, is worth no way of its own. Where lists are reached over pages about one thing alone,
//! recrawls start at these lists, which are known, instead of reading all those pages for their links.

mod grow;
mod lists;
mod shorten;
mod skip;
mod written;

use std::collections::{BTreeSet, HashSet, VecDeque};

use super::document::Navigation;
use super::graph::SiteGraph;
use crate::pattern::{PatternSet, UrlPattern};

pub(crate) use lists::is_list;

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
    /// Objects with numbers from this one on are not known: they are expected on pages that nobody has fetched. They are worth a way as
    /// others are, and are counted nowhere.
    pub known: u32,
    /// What each costs as a hub.
    pub hub_costs: &'a [f64],
    /// What lists are worth.
    pub lists: Lists,
}

/// Which lists a navigation reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lists {
    /// Those that lead to objects of today: all that published methods read.
    Needed,
    /// Those too that lead to nothing of their own today, for what may come.
    Promising,
}

impl Worth<'_> {
    fn objects(&self, page: usize) -> &[u32] {
        self.objects.get(page).map_or(&[], Vec::as_slice)
    }

    /// Those that were seen there.
    fn seen(&self, page: usize) -> impl Iterator<Item = u32> {
        self.objects(page)
            .iter()
            .copied()
            .filter(|object| self.is_known(*object))
    }

    fn is_known(&self, object: u32) -> bool {
        object < self.known
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
    let reachable = learner.reach(&Way::from(entry, everything)).objects;
    let needed = (reachable.len() as f64 * share.clamp(0.0, 1.0)).ceil() as usize;
    let hubs = learner.grown(needed);
    let mut way = Way::from(entry, hubs);
    learner.shrink(&mut way, needed);
    learner.shorten(&mut way, needed);
    learner.skip_fruitless(&mut way);
    if worth.lists == Lists::Promising {
        learner.add_lists(&mut way);
    }
    Some(learner.learned(&way, learner.known(&reachable)))
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
    /// Which are wanted and list several objects on each page.
    lists: Vec<bool>,
    worth: Worth<'a>,
}

/// What a recrawl reads for its links.
#[derive(Clone)]
struct Way {
    /// Classes of pages.
    hubs: BTreeSet<u32>,
    /// Where it starts: the entry page, and lists of these classes.
    starts: Vec<usize>,
    /// Lists among pages about one thing, read for what may come: nothing is reached by them that is there today.
    lists: BTreeSet<usize>,
    /// Pages of hub classes that lead nowhere of their own.
    skipped: BTreeSet<usize>,
}

impl Way {
    fn from(entry: usize, hubs: BTreeSet<u32>) -> Way {
        Way {
            hubs,
            starts: vec![entry],
            lists: BTreeSet::new(),
            skipped: BTreeSet::new(),
        }
    }
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
        let class_of: Vec<Option<u32>> = (0..graph.pages()).map(class).collect();
        Learner {
            lists: lists::of_classes(&class_of, selected.len(), patterns.len(), worth),
            class_of,
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

    /// How many of these objects are known.
    fn known(&self, objects: &HashSet<u32>) -> usize {
        objects
            .iter()
            .filter(|object| self.worth.is_known(**object))
            .count()
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
                let is_hub = self.class_of[link].is_some_and(|class| way.hubs.contains(&class))
                    && !way.skipped.contains(&link);
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

    /// Whether the links of a page are followed.
    fn is_read(&self, page: usize, hubs: &BTreeSet<u32>, reach: &Reach) -> bool {
        let is_hub = page == self.entry || self.class_of[page].is_some_and(|class| hubs.contains(&class));
        reach.pages[page] && is_hub
    }
}
