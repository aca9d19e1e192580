//! Following a guide through a stored site.

use std::collections::VecDeque;

use magpie_model::CanonicalUrl;

use super::graph::SiteGraph;

/// What says which links a recrawl follows.
pub trait Guide {
    /// Where in the navigation a page stands.
    type Place: Copy;

    /// The place of the entry page.
    fn entry(&self) -> Self::Place;

    /// Where a page stands that the guide begins at besides the entry page; none for all others.
    fn begins(&self, _page: &CanonicalUrl) -> Option<Self::Place> {
        None
    }

    /// Whether the link of a page at this place is followed, and where that leads. A link that is followed will
    /// be fetched: it may count against a cap.
    fn follow(&mut self, from: Self::Place, link: &CanonicalUrl) -> Option<Self::Place>;
}

/// The pages that a recrawl along the guide would fetch, in their order: breadth-first from where it begins, every page once.
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
                seen[link] = true;
                queue.push_back((link, next));
            }
        }
    }
    fetched
}
