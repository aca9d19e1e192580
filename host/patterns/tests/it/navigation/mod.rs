//! Tests of navigation: the published example, learned navigations, and edited documents.

mod document;
mod learned;
mod published;
mod turning;

use magpie_model::CanonicalUrl;

fn urls(paths: &[&str]) -> Vec<CanonicalUrl> {
    let url = |path: &&str| CanonicalUrl::trusted(format!("http://hall.example{path}"));
    paths
        .iter()
        .map(|path| url(path).unwrap_or_else(|| panic!("{path} makes no canonical URL")))
        .collect()
}

/// Converts links by path to links by index.
fn links(urls: &[CanonicalUrl], links: &[(&str, &[&str])]) -> Vec<(u32, u32)> {
    let index = |path: &str| {
        let found = urls.iter().position(|url| url.path_and_query() == path);
        found.unwrap_or_else(|| panic!("there is no page {path}")) as u32
    };
    let pairs = links
        .iter()
        .flat_map(|(from, to)| to.iter().map(move |to| (*from, *to)));
    pairs.map(|(from, to)| (index(from), index(to))).collect()
}
