//! A site as seen by a crawl of all its pages.

use magpie_model::CanonicalUrl;

use super::queries::QueryAnswer;
use crate::navigate::{SiteGraph, is_list};

/// Cost of a detail page as a hub, relative to a list.
const DETAIL_PAGE_COST: f64 = 4.0;

/// Cost of a permanently moved page as a hub. Its target is known and checked again only after some
/// rounds.
const MOVED_PAGE_COST: f64 = 0.25;

/// A site as seen by a crawl of all its pages. Pages are identified by their index in `urls`.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// Name of the site.
    pub site: String,
    /// Page at which recrawls begin.
    pub entry: usize,
    /// Pages in order of discovery.
    pub urls: Vec<CanonicalUrl>,
    /// Links as pairs of pages; those of a page are in order.
    pub links: Vec<(u32, u32)>,
    /// Pairs of a page and the id of an object on it. Object ids are shared by all sites.
    pub objects: Vec<(u32, u32)>,
    /// Object pages that only sitemaps and feeds lead to. In `links` they are linked from the entry
    /// page, because sitemaps and feeds are read as often as it.
    pub named: Vec<u32>,
    /// Permanently moved pages, in order. Each links to its target, which exists.
    pub moved: Vec<u32>,
    /// Pages that a browser shows, with the cost of each as a multiple of that of a plain fetch.
    pub rendered: Vec<(u32, u32)>,
    /// Linked pages that were not fetched yet. All others were.
    pub unseen: Vec<u32>,
    /// Answers of the site's search forms. The pages of their results are not among `urls`.
    pub answers: Vec<QueryAnswer>,
}

impl Survey {
    /// Returns the graph of pages and links.
    pub fn graph(&self) -> SiteGraph<'_> {
        SiteGraph::new(&self.urls, &self.links)
    }

    /// Returns the page to which a link to a page leads: the target of one that moved for good.
    pub fn target_of(&self, graph: &SiteGraph<'_>, page: usize) -> usize {
        let has_moved = self.moved.binary_search(&(page as u32)).is_ok();
        match graph.links(page).first() {
            Some(target) if has_moved => *target as usize,
            _ => page,
        }
    }

    /// Returns the distinct objects of each page.
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

    /// Returns the cost of each page as a hub, relative to a list.
    pub(crate) fn hub_costs(&self) -> Vec<f64> {
        let of_pages = self.objects_of_pages();
        let cost = |objects: &Vec<u32>| match objects.len() {
            0 => 1.0,
            objects if is_list(objects, 1) => 1.0,
            // A detail page links to pages that existed when it was made, and seldom to new ones.
            // There is also one more of it with each new object.
            _ => DETAIL_PAGE_COST,
        };
        let mut costs: Vec<f64> = of_pages.iter().map(cost).collect();
        for page in &self.moved {
            if let Some(cost) = costs.get_mut(*page as usize) {
                *cost = MOVED_PAGE_COST;
            }
        }
        for (page, multiple) in &self.rendered {
            if let Some(cost) = costs.get_mut(*page as usize) {
                *cost *= f64::from(*multiple);
            }
        }
        costs
    }
}
