//! A graph of pages that grows while they are visited.

use std::collections::HashMap;

/// A page, by the fingerprint of its URL.
pub type PageId = u64;

/// Links of one page that are kept. A page with more is a sitemap or a trap.
const MAX_LINKS: usize = 10_000;

/// The pages of a site and the links between them, as far as they are known.
#[derive(Clone, Debug, Default)]
pub struct WebGraph {
    positions: HashMap<PageId, u32>,
    nodes: Vec<Node>,
    accepted: Vec<u32>,
    links: usize,
}

#[derive(Clone, Debug)]
struct Node {
    page: PageId,
    /// Pages that it links to, each once, in the order of the page.
    out: Vec<u32>,
    is_visited: bool,
    is_accepted: bool,
}

impl WebGraph {
    /// Returns the position of a page, which is added if it is new.
    pub(crate) fn add(&mut self, page: PageId) -> usize {
        let next = self.nodes.len() as u32;
        let position = *self.positions.entry(page).or_insert(next);
        if position == next {
            self.nodes.push(Node {
                page,
                out: Vec::new(),
                is_visited: false,
                is_accepted: false,
            });
        }
        position as usize
    }

    /// Returns the position of a page, if it is known.
    pub fn position(&self, page: PageId) -> Option<usize> {
        self.positions.get(&page).map(|position| *position as usize)
    }

    /// Adds what a visit of a page showed. A second visit changes nothing.
    pub fn visit(&mut self, page: PageId, is_accepted: bool, links: impl IntoIterator<Item = PageId>) {
        let position = self.add(page);
        if std::mem::replace(&mut self.nodes[position].is_visited, true) {
            return;
        }
        let mut seen = std::collections::HashSet::new();
        let mut out = Vec::new();
        for link in links.into_iter().take(MAX_LINKS) {
            let target = self.add(link);
            // A link to the page itself, or a second one to the same page, would pass on weight
            // twice.
            if target != position && seen.insert(target) {
                out.push(target as u32);
            }
        }
        self.links += out.len();
        let node = &mut self.nodes[position];
        (node.out, node.is_accepted) = (out, is_accepted);
        if is_accepted {
            self.accepted.push(position as u32);
        }
    }

    /// The number of pages, visited or not.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns `true` if no page is known.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub fn links(&self) -> usize {
        self.links
    }

    /// Returns the page at a position.
    pub fn page(&self, position: usize) -> PageId {
        self.nodes[position].page
    }

    /// Returns the positions that a page links to.
    pub fn out(&self, position: usize) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.nodes[position].out.iter().map(|target| *target as usize)
    }

    /// Returns `true` if a page was visited.
    pub(crate) fn is_visited(&self, position: usize) -> bool {
        self.nodes[position].is_visited
    }

    /// Returns `true` if a page was accepted.
    pub(crate) fn is_accepted(&self, position: usize) -> bool {
        self.nodes[position].is_accepted
    }

    /// Returns the positions of accepted pages, in the order of their visits.
    pub fn accepted(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.accepted.iter().map(|position| *position as usize)
    }
}
