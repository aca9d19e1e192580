//! A site as a crawl of all its pages found it.

use magpie_model::CanonicalUrl;

use crate::navigate::{SiteGraph, is_list};

/// What a page about one thing costs as a hub, against a list. It leads to what stood beside it when it was made, and seldom to
/// anything new; and with each new thing there is one more of it.
const NO_LIST: f64 = 4.0;

/// What a page costs as a hub that has moved for good: where to is known, and asked again after some rounds only.
const MOVED: f64 = 0.25;

/// A site as a crawl of all its pages found it. Pages are known by their place in `urls`.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// What the site is called.
    pub site: String,
    /// The page that recrawls begin with.
    pub entry: usize,
    /// The pages, in the order they were found.
    pub urls: Vec<CanonicalUrl>,
    /// Which page links to which, the links of a page in their order.
    pub links: Vec<(u32, u32)>,
    /// Which page has which object: the page and the object's number, which counts over all sites.
    pub objects: Vec<(u32, u32)>,
    /// Pages with objects that sitemaps and feeds alone lead to. Among `links` they are the entry page's: both are read as often as it is.
    pub named: Vec<u32>,
    /// Pages that have moved for good; their link leads to where they are now, and that page is there.
    pub moved: Vec<u32>,
    /// Pages that links lead to and nobody has fetched yet. All others were.
    pub unseen: Vec<u32>,
}

impl Survey {
    /// The pages and the links between them.
    pub fn graph(&self) -> SiteGraph<'_> {
        SiteGraph::new(&self.urls, &self.links)
    }

    /// For every page its objects, each once.
    pub fn objects_of_pages(&self) -> Vec<Vec<u32>> {
        let mut objects = vec![Vec::new(); self.urls.len()];
        for (page, object) in &self.objects {
            if let Some(of_page) = objects.get_mut(*page as usize) {
                of_page.push(*object);
            }
        }
        for of_page in &mut objects {
            of_page.sort_unstable();
            of_page.dedup();
        }
        objects
    }

    /// For every page what it costs to read it as a hub, against a list.
    pub fn hub_costs(&self) -> Vec<f64> {
        let of_pages = self.objects_of_pages();
        let cost = |objects: &Vec<u32>| match objects.len() {
            0 => 1.0,
            objects if is_list(objects, 1) => 1.0,
            _ => NO_LIST,
        };
        let mut costs: Vec<f64> = of_pages.iter().map(cost).collect();
        for page in &self.moved {
            if let Some(cost) = costs.get_mut(*page as usize) {
                *cost = MOVED;
            }
        }
        costs
    }
}
