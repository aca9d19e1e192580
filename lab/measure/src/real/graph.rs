//! A site as a crawl found it, with pages that persons sorted into classes.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use anyhow::Result;
use magpie_model::CanonicalUrl;
use magpie_patterns::pattern::PlacedLink;

use crate::data::text;

/// The links of a site, and labellings of its pages.
#[derive(Default)]
pub(super) struct Graph {
    pub(super) urls: Vec<CanonicalUrl>,
    places: HashMap<CanonicalUrl, u32>,
    pub(super) links: Vec<PlacedLink>,
    positions: HashMap<String, u32>,
    /// Pages of every labelling with their classes, in the order of the file. Outliers have no
    /// class.
    pub(super) labellings: BTreeMap<String, Vec<Labelled>>,
}

/// A page that a person has sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Labelled {
    /// Its class, which means nothing outside of its labelling.
    pub(super) class: u32,
    /// Its place among the URLs.
    pub(super) page: u32,
}

impl Graph {
    /// Reads `edges` and `gold` of a folder.
    pub(super) fn read(folder: &Path, edges: &str, gold: &str) -> Result<Graph> {
        let mut graph = Graph::default();
        graph.read_edges(&text(&folder.join(edges))?);
        graph.read_labels(&text(&folder.join(gold))?);
        Ok(graph)
    }

    fn read_edges(&mut self, text: &str) {
        for line in text.lines() {
            let mut columns = line.split('\t');
            let Some(to) = columns.next().and_then(|url| self.place(url)) else {
                continue;
            };
            let from = columns.next().and_then(|url| self.place(url));
            if let (Some(from), Some(position)) = (from, columns.next()) {
                let count = self.positions.len() as u32;
                let position = *self.positions.entry(position.to_owned()).or_insert(count);
                self.links.push(PlacedLink { from, to, position });
            }
        }
    }

    fn read_labels(&mut self, text: &str) {
        for line in text.lines() {
            let columns: Vec<&str> = line.split('\t').collect();
            let [labelling, url, class] = columns[..] else {
                continue;
            };
            if let (Ok(class), Some(page)) = (class.parse(), self.place(url)) {
                let labelled = self.labellings.entry(labelling.to_owned()).or_default();
                labelled.push(Labelled { class, page });
            }
        }
    }

    fn place(&mut self, text: &str) -> Option<u32> {
        let url = canonical(text)?;
        if let Some(place) = self.places.get(&url) {
            return Some(*place);
        }
        let place = self.urls.len() as u32;
        self.places.insert(url.clone(), place);
        self.urls.push(url);
        Some(place)
    }
}

/// The canonical form of a URL of the set: no fragment, and a path.
fn canonical(text: &str) -> Option<CanonicalUrl> {
    let text = text.split('#').next().unwrap_or(text).trim();
    let host_only = text.splitn(4, '/').count() < 4;
    CanonicalUrl::trusted(if host_only {
        format!("{text}/")
    } else {
        text.to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_labels_share_their_pages() {
        let mut graph = Graph::default();
        graph.read_edges("http://a.example\nhttp://a.example/x\thttp://a.example\thtml>body>a\n");
        graph.read_labels("first\thttp://a.example/x#part\t3\nfirst\thttp://a.example/\t-1\nsecond\thttp://a.example/y\t3\n");
        assert_eq!(graph.urls.len(), 3);
        assert_eq!(
            graph.links,
            [PlacedLink {
                from: 0,
                to: 1,
                position: 0
            }]
        );
        assert_eq!(graph.labellings["first"], [Labelled { class: 3, page: 1 }]);
        assert_eq!(graph.labellings["second"], [Labelled { class: 3, page: 2 }]);
    }
}
