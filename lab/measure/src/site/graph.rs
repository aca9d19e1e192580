//! A site as a graph of its pages and links.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BinaryHeap, HashMap, HashSet, VecDeque};

use magpie_focus::region::{RegionKind, RegionLink, region};
use magpie_model::CanonicalUrl;

/// Share of the targets that the smallest set of hubs leads to.
const COVERED: f64 = 0.95;

/// The pages of a site, their links, and which of them are targets.
#[derive(Clone, Default)]
pub(crate) struct SiteGraph {
    pub(crate) name: String,
    pub(crate) urls: Vec<CanonicalUrl>,
    pub(crate) links: Vec<Vec<GraphLink>>,
    pub(crate) paths: Vec<String>,
    pub(crate) targets: Vec<bool>,
    /// The page that the site begins with.
    pub(crate) home: u32,
    positions: HashMap<CanonicalUrl, u32>,
    path_numbers: HashMap<String, u32>,
}

#[derive(Clone, Copy)]
pub(crate) struct GraphLink {
    pub(crate) to: u32,
    pub(crate) path: u32,
}

/// Pages that a person has sorted: the class, which means nothing outside of its labelling, and the
/// page. Outliers have no class.
pub(crate) type Labelled = Vec<(Option<u32>, u32)>;

impl SiteGraph {
    /// Creates a graph of pages without links, some of which may have the same URL.
    pub(crate) fn of_urls(urls: Vec<CanonicalUrl>) -> SiteGraph {
        SiteGraph {
            targets: vec![false; urls.len()],
            urls,
            ..SiteGraph::default()
        }
    }

    /// Reads links from lines of URL, page with the link, and path, separated by tabulators. A line
    /// without a page with the link has the page that the crawl began with.
    pub(crate) fn of_edges(text: &str) -> SiteGraph {
        let mut graph = SiteGraph::default();
        let mut home = None;
        for line in text.lines() {
            let mut columns = line.split('\t');
            let Some(to) = columns.next().and_then(canonical) else {
                continue;
            };
            let to = graph.page(to);
            let from = columns.next().filter(|from| !from.is_empty()).and_then(canonical);
            match (from, columns.next()) {
                (Some(from), Some(path)) => {
                    let (from, path) = (graph.page(from), graph.path(path));
                    graph.links[from as usize].push(GraphLink { to, path });
                }
                _ => home = home.or(Some(to)),
            }
        }
        graph.home = home.unwrap_or(0);
        graph
    }

    /// Reads labelled pages from lines of labelling, URL and class. Returns them by labelling.
    pub(crate) fn read_labels(&mut self, text: &str) -> BTreeMap<String, Labelled> {
        let mut labellings: BTreeMap<String, Labelled> = BTreeMap::new();
        for line in text.lines() {
            let columns: Vec<&str> = line.split('\t').collect();
            if let [labelling, url, class] = columns[..]
                && let Some(url) = canonical(url)
            {
                let labelled = labellings.entry(labelling.to_owned()).or_default();
                labelled.push((class.parse().ok(), self.page(url)));
            }
        }
        labellings
    }

    /// Adds a page by its URL, if it is new. Returns its number.
    pub(crate) fn page(&mut self, url: CanonicalUrl) -> u32 {
        if let Some(position) = self.positions.get(&url) {
            return *position;
        }
        let position = self.urls.len() as u32;
        self.positions.insert(url.clone(), position);
        self.urls.push(url);
        self.links.push(Vec::new());
        self.targets.push(false);
        position
    }

    pub(crate) fn path(&mut self, path: &str) -> u32 {
        if let Some(number) = self.path_numbers.get(path) {
            return *number;
        }
        let number = self.paths.len() as u32;
        self.path_numbers.insert(path.to_owned(), number);
        self.paths.push(path.to_owned());
        number
    }

    pub(crate) fn target_pages(&self) -> Vec<u32> {
        let pages = (0..).zip(&self.targets);
        pages
            .filter(|(_, is_target)| **is_target)
            .map(|(page, _)| page)
            .collect()
    }

    /// Returns the pages that can be reached from some pages.
    pub(crate) fn reachable(&self, from: &[u32]) -> HashSet<u32> {
        self.clicks(from).into_keys().collect()
    }

    /// Returns the pages that can be reached from some pages, with the fewest clicks to each.
    pub(crate) fn clicks(&self, from: &[u32]) -> HashMap<u32, usize> {
        let mut clicks: HashMap<u32, usize> = from.iter().map(|page| (*page, 0)).collect();
        let mut open: VecDeque<u32> = from.iter().copied().collect();
        while let Some(page) = open.pop_front() {
            let next = clicks[&page] + 1;
            for link in &self.links[page as usize] {
                if let Entry::Vacant(new) = clicks.entry(link.to) {
                    new.insert(next);
                    open.push_back(link.to);
                }
            }
        }
        clicks
    }

    /// Returns the smallest set of hubs of the site: pages that together lead to nearly all targets
    /// that links lead to. Targets among them cost nothing and are left out.
    pub(crate) fn smallest_hub_set(&self) -> Vec<u32> {
        self.cover(0..self.urls.len() as u32, &|target| self.targets[target as usize])
    }

    /// Returns the smallest set of fetched pages that leads to nearly all targets among them.
    pub(crate) fn hubs_among(&self, fetched: &[u32]) -> Vec<u32> {
        let known: HashSet<u32> = fetched.iter().copied().collect();
        let is_target = |page: u32| self.targets[page as usize] && known.contains(&page);
        self.cover(fetched.iter().copied(), &is_target)
    }

    /// Covers nearly all targets that some pages link to with few of them, by greedy choice.
    fn cover(&self, pages: impl Iterator<Item = u32>, is_target: &dyn Fn(u32) -> bool) -> Vec<u32> {
        let targets_of = |page: u32| {
            let links = self.links[page as usize].iter().map(|link| link.to);
            links
                .filter(|target| is_target(*target))
                .collect::<HashSet<u32>>()
        };
        let sets: HashMap<u32, HashSet<u32>> = pages.map(|page| (page, targets_of(page))).collect();
        let all: HashSet<u32> = sets.values().flatten().copied().collect();
        let mut covered: HashSet<u32> = HashSet::new();
        for (page, set) in &sets {
            if self.targets[*page as usize] {
                covered.extend(set);
            }
        }
        let sized = sets.iter().filter(|(page, _)| !self.targets[**page as usize]);
        let mut heap: BinaryHeap<(usize, u32)> = sized.map(|(page, set)| (set.len(), *page)).collect();
        let mut hubs = Vec::new();
        while (covered.len() as f64) < COVERED * all.len() as f64 {
            let Some((_, page)) = heap.pop() else { break };
            let new = sets[&page].difference(&covered).count();
            if heap.peek().is_some_and(|(next, _)| *next > new) {
                heap.push((new, page));
                continue;
            }
            if new == 0 {
                break;
            }
            covered.extend(&sets[&page]);
            hubs.push(page);
        }
        hubs
    }

    /// Returns the share of the links in the regions of hubs that lead to targets, and the share of
    /// their links to targets that are in the regions. Verdicts are known of fetched pages alone.
    pub(crate) fn region_quality(
        &self,
        hubs: &[u32],
        fetched: &HashSet<u32>,
        kind: RegionKind,
    ) -> Option<(f64, f64)> {
        let (mut inside, mut right, mut all) = (0.0, 0.0, 0.0);
        for hub in hubs {
            let links = &self.links[*hub as usize];
            let seen: Vec<RegionLink<'_>> = links
                .iter()
                .map(|link| RegionLink {
                    path: &self.paths[link.path as usize],
                    is_accepted: fetched
                        .contains(&link.to)
                        .then_some(self.targets[link.to as usize]),
                })
                .collect();
            let is_target = |place: &usize| self.targets[links[*place].to as usize];
            let found = region(&seen, kind);
            inside += found.len() as f64;
            right += found.iter().filter(|place| is_target(place)).count() as f64;
            all += (0..links.len()).filter(is_target).count() as f64;
        }
        (inside > 0.0 && all > 0.0).then(|| (right / inside, right / all))
    }
}

/// Returns a URL of the files without its fragment, and with a path.
fn canonical(text: &str) -> Option<CanonicalUrl> {
    let text = text.split('#').next().unwrap_or(text).trim();
    let has_path = text.splitn(4, '/').count() == 4;
    CanonicalUrl::trusted(match has_path {
        true => text.to_owned(),
        false => format!("{text}/"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_labels_share_their_pages() {
        let edges = "http://a.example\t\nhttp://a.example/x#part\thttp://a.example\t/html/body/a[]\n";
        let mut graph = SiteGraph::of_edges(edges);
        assert_eq!((graph.home, graph.urls.len(), graph.links[0].len()), (0, 2, 1));
        let labels = "first\thttp://a.example/x#part\t3\nfirst\thttp://a.example/\t-1\nsecond\thttp://a.example/y\t3\n";
        let labellings = graph.read_labels(labels);
        assert_eq!(labellings["first"], [(Some(3), 1), (None, 0)]);
        assert_eq!(labellings["second"], [(Some(3), 2)]);
    }
}
