//! A site as it was crawled.

use magpie_model::CanonicalUrl;

/// Pages and the links between them, each page known by its number.
#[derive(Clone, Debug)]
pub struct SiteGraph<'a> {
    urls: &'a [CanonicalUrl],
    starts: Vec<u32>,
    links: Vec<u32>,
}

impl<'a> SiteGraph<'a> {
    /// The graph of these pages. Links are pairs of page numbers, those of one page in the order in which they
    /// stand on it; links from or to pages that are not there are left out.
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
            let place = &mut next[*from as usize];
            sorted[*place as usize] = *to;
            *place += 1;
        }
        SiteGraph {
            urls,
            starts,
            links: sorted,
        }
    }

    /// How many pages there are.
    pub fn pages(&self) -> usize {
        self.urls.len()
    }

    /// The URL of a page.
    pub fn url(&self, page: usize) -> &'a CanonicalUrl {
        &self.urls[page]
    }

    /// Where the links of a page lead, in their order.
    pub fn links(&self, page: usize) -> &[u32] {
        &self.links[self.starts[page] as usize..self.starts[page + 1] as usize]
    }
}
