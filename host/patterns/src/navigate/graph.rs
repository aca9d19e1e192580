//! The link graph of a crawled site.

use magpie_model::CanonicalUrl;

/// Pages by index, and the links between them.
#[derive(Clone, Debug)]
pub struct SiteGraph<'a> {
    urls: &'a [CanonicalUrl],
    starts: Vec<u32>,
    links: Vec<u32>,
}

impl<'a> SiteGraph<'a> {
    /// Creates a graph. `links` are pairs of page indexes; the links of a page keep their order.
    /// Ignores links from or to unknown pages.
    pub fn new(urls: &'a [CanonicalUrl], links: &[(u32, u32)]) -> SiteGraph<'a> {
        let pages = urls.len();
        let known = |link: &&(u32, u32)| (link.0 as usize) < pages && (link.1 as usize) < pages;
        let mut starts = vec![0_u32; pages + 1];
        for (from, _) in links.iter().filter(known) {
            starts[*from as usize + 1] += 1;
        }
        for page in 0..pages {
            starts[page + 1] += starts[page];
        }
        let mut next = starts.clone();
        let mut sorted = vec![0_u32; starts[pages] as usize];
        for (from, to) in links.iter().filter(known) {
            let position = &mut next[*from as usize];
            sorted[*position as usize] = *to;
            *position += 1;
        }
        SiteGraph {
            urls,
            starts,
            links: sorted,
        }
    }

    pub fn pages(&self) -> usize {
        self.urls.len()
    }

    pub fn url(&self, page: usize) -> &'a CanonicalUrl {
        &self.urls[page]
    }

    /// Pages that a page links to, in order.
    pub fn links(&self, page: usize) -> &[u32] {
        &self.links[self.starts[page] as usize..self.starts[page + 1] as usize]
    }
}
