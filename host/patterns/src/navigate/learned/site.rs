//! A site as navigations are learned from it: its pages with the patterns that match them and their
//! objects. It is made once, and serves for each choice of patterns.

use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::VecDeque;

use super::super::graph::SiteGraph;
use super::{Lists, PageValues};
use crate::bits::BitSet;
use crate::pattern::{PatternSet, UrlPattern};

/// A site with its classified pages.
pub(crate) struct Site<'a, 'g> {
    pub(crate) graph: &'a SiteGraph<'g>,
    pub(super) entry: usize,
    pub(super) patterns: Vec<UrlPattern>,
    /// The patterns that match each page, the most specific first.
    matching: Rows,
    /// The objects of each page, numbered from 0 within the site in the order of their ids.
    objects: Rows,
    /// Number of objects, and of those that are known; expected ones have higher numbers.
    count: usize,
    known: usize,
    hub_costs: &'a [f64],
    pub(super) lists: Lists,
    connected: OnceCell<Vec<bool>>,
    menu: OnceCell<Vec<bool>>,
}

/// Minimum number of pages with links for a site to have a menu.
const MIN_PAGES: usize = 8;

/// Numbers of each page.
struct Rows {
    starts: Vec<u32>,
    numbers: Vec<u32>,
}

/// A set of a site's objects.
pub(super) struct ObjectSet {
    bits: BitSet,
    len: usize,
}

impl Rows {
    fn with_capacity(pages: usize) -> Rows {
        let mut starts = Vec::with_capacity(pages + 1);
        starts.push(0);
        Rows {
            starts,
            numbers: Vec::with_capacity(pages),
        }
    }

    /// Adds the numbers of the next page.
    fn push(&mut self, numbers: impl IntoIterator<Item = u32>) {
        self.numbers.extend(numbers);
        self.starts.push(self.numbers.len() as u32);
    }

    fn of(&self, page: usize) -> &[u32] {
        &self.numbers[self.starts[page] as usize..self.starts[page + 1] as usize]
    }
}

impl ObjectSet {
    pub(super) fn contains(&self, object: u32) -> bool {
        self.bits.has(object)
    }

    pub(super) fn extend(&mut self, objects: impl IntoIterator<Item = u32>) {
        for object in objects {
            self.len += usize::from(self.bits.add(object));
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }
}

impl<'a, 'g> Site<'a, 'g> {
    /// Classifies the pages of a site.
    pub(crate) fn new(
        graph: &'a SiteGraph<'g>,
        entry: usize,
        patterns: Vec<UrlPattern>,
        values: PageValues<'a>,
    ) -> Site<'a, 'g> {
        let set = PatternSet::new(patterns.iter().cloned());
        let lengths: Vec<usize> = patterns.iter().map(UrlPattern::constant_length).collect();
        let mut ids: Vec<u32> = values.objects.iter().flatten().copied().collect();
        ids.sort_unstable();
        ids.dedup();
        let (mut matching, mut objects) = (
            Rows::with_capacity(graph.pages()),
            Rows::with_capacity(graph.pages()),
        );
        for page in 0..graph.pages() {
            let mut found = set.matching(graph.url(page));
            found.sort_unstable_by_key(|pattern| (Reverse(lengths[*pattern]), *pattern));
            matching.push(found.into_iter().map(|pattern| pattern as u32));
            let of_page = values.objects.get(page).into_iter().flatten();
            objects.push(
                of_page
                    .filter_map(|id| ids.binary_search(id).ok())
                    .map(|number| number as u32),
            );
        }
        Site {
            graph,
            entry,
            patterns,
            matching,
            objects,
            count: ids.len(),
            known: ids.partition_point(|id| *id < values.known),
            hub_costs: values.hub_costs,
            lists: values.lists,
            connected: OnceCell::new(),
            menu: OnceCell::new(),
        }
    }

    /// Returns the patterns that match a page, the most specific first.
    pub(crate) fn matching(&self, page: usize) -> &[u32] {
        self.matching.of(page)
    }

    pub(super) fn objects(&self, page: usize) -> &[u32] {
        self.objects.of(page)
    }

    /// Returns the known objects of a page.
    pub(super) fn seen(&self, page: usize) -> impl Iterator<Item = u32> {
        let objects = self.objects(page).iter().copied();
        objects.filter(|object| (*object as usize) < self.known)
    }

    /// Returns the number of known objects in a set.
    pub(super) fn count_known(&self, objects: &ObjectSet) -> usize {
        (0..self.known as u32)
            .filter(|object| objects.contains(*object))
            .count()
    }

    pub(super) fn objects_count(&self) -> usize {
        self.count
    }

    pub(super) fn no_objects(&self) -> ObjectSet {
        ObjectSet {
            bits: BitSet::new(self.count),
            len: 0,
        }
    }

    pub(super) fn hub_cost(&self, page: usize) -> f64 {
        self.hub_costs.get(page).copied().unwrap_or(1.0)
    }

    /// Returns for each page whether links lead to it from the entry page, all of whose pages match
    /// a pattern.
    pub(super) fn connected(&self) -> &[bool] {
        self.connected.get_or_init(|| {
            let mut connected = vec![false; self.graph.pages()];
            connected[self.entry] = true;
            let mut queue = VecDeque::from([self.entry]);
            while let Some(page) = queue.pop_front() {
                for link in self.graph.links(page) {
                    let link = *link as usize;
                    if !connected[link] && !self.matching(link).is_empty() {
                        connected[link] = true;
                        queue.push_back(link);
                    }
                }
            }
            connected
        })
    }

    /// Returns for each page whether more than half of all pages link to it.
    pub(super) fn menu(&self) -> &[bool] {
        self.menu.get_or_init(|| {
            let pages = self.graph.pages();
            let (mut linked, mut last_linked_by) = (vec![0_u32; pages], vec![pages as u32; pages]);
            let mut read = 0;
            for page in 0..pages {
                let links = self.graph.links(page);
                read += u32::from(!links.is_empty());
                for link in links {
                    // A page may link to another one several times.
                    let page = page as u32;
                    if std::mem::replace(&mut last_linked_by[*link as usize], page) != page {
                        linked[*link as usize] += 1;
                    }
                }
            }
            // On smaller sites menus and lists look alike.
            let is_menu = |linked: u32| read as usize >= MIN_PAGES && 2 * linked > read;
            linked.into_iter().map(is_menu).collect()
        })
    }
}
