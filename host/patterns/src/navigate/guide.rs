//! Replay of a guide on a stored site.

use std::collections::VecDeque;

use magpie_model::CanonicalUrl;

use super::graph::SiteGraph;

/// A policy for the links that a recrawl follows.
pub trait Guide {
    /// Position of a page in the navigation.
    type Place: Copy;

    /// Returns the position of the entry page.
    fn entry(&self) -> Self::Place;

    /// Returns the position of a page at which the guide starts besides the entry page; `None` for
    /// others.
    fn begins(&self, _page: &CanonicalUrl) -> Option<Self::Place> {
        None
    }

    /// Returns the position that a link leads to, or `None` if it is not followed. The caller must
    /// fetch a link that is followed, since it may count against a cap.
    fn follow(&mut self, from: Self::Place, link: &CanonicalUrl) -> Option<Self::Place>;
}

/// Returns the pages that a recrawl by the guide would fetch, in breadth-first order, each once.
pub fn replay<G: Guide>(guide: &mut G, graph: &SiteGraph<'_>, entry: usize) -> Vec<usize> {
    if entry >= graph.pages() {
        return Vec::new();
    }
    let mut seen = vec![false; graph.pages()];
    seen[entry] = true;
    let mut queue = VecDeque::from([(entry, guide.entry())]);
    for page in (0..graph.pages()).filter(|page| *page != entry) {
        if let Some(place) = guide.begins(graph.url(page)) {
            seen[page] = true;
            queue.push_back((page, place));
        }
    }
    let mut fetched = Vec::new();
    while let Some((page, place)) = queue.pop_front() {
        fetched.push(page);
        for link in graph.links(page) {
            let link = *link as usize;
            if seen[link] {
                continue;
            }
            if let Some(next) = guide.follow(place, graph.url(link)) {
                // Marked only if the guide follows: another page may lead to the same link from a
                // place that allows it.
                seen[link] = true;
                queue.push_back((link, next));
            }
        }
    }
    fetched
}
