//! Link graphs of real sites from files, and of the lab's sites.

use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use magpie_discovery::{ScanLimits, scan};
use magpie_lab::{PageKind, Request, Web};
use magpie_model::CanonicalUrl;
use magpie_patterns::pattern::{Inducer as _, SiteUrls, TypedInducer};
use serde_json::Value;
use url::Url;

use crate::site::graph::{GraphLink, Labelled, SiteGraph};
use crate::site::mirror::{Mirror, TRUTH, URLS};

/// Ending of the files with links: `url<TAB>page with the link<TAB>path`.
const EDGES: &str = ".edges.tsv";

/// Ending of the files with labels: `labelling<TAB>url<TAB>class`.
const LABELS: &str = ".gold.tsv";

/// Types of the objects of a page whose markup is its truth.
const TYPES: [&str; 4] = ["Event", "Product", "Book", "CreativeWork"];

/// Labelled pages of a class that make its pages targets.
const MIN_LABELLED: usize = 100;

/// The week of the lab's webs.
const WEEK: u32 = 0;

/// Pages of a site of the lab that its graph has. Traps are endless.
const MAX_PAGES: usize = 5_000;

/// Requests for one page of the lab, some of which fail.
const MAX_TRIES: u64 = 4;

/// Reads the graphs of a folder: one for each site and class of pages that was labelled often. The
/// targets are the pages that patterns match which were learned from the labelled ones.
pub(super) fn of_folder(folder: &Path) -> Result<Vec<SiteGraph>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("can't read {}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let ending = |ending: &'static str| {
        let files = files.iter();
        files.filter(move |path| path.to_string_lossy().ends_with(ending))
    };
    let mut graphs = Vec::new();
    for edges in ending(EDGES) {
        let name = edges.file_name().unwrap_or_default().to_string_lossy();
        let name = name.trim_end_matches(EDGES);
        // `example.com.edges.tsv` has the labels `example.com.gold.tsv` or `example.gold.tsv`.
        let first = name.split('.').next().unwrap_or(name);
        let labels = ending(LABELS).find(|path| {
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            [name, first].contains(&file.trim_end_matches(LABELS))
        });
        let Some(labels) = labels else { continue };
        let labels = crate::data::text(labels)?;
        let mut read = SiteGraph::of_edges(&crate::data::text(edges)?);
        let labellings = read.read_labels(&labels);
        let Some(labelled) = labels.split('\t').next().and_then(|first| labellings.get(first)) else {
            continue;
        };
        for (class, wanted, others) in classes(labelled) {
            let mut graph = read.clone();
            graph.name = format!("{first} {class}");
            mark_targets(&mut graph, &wanted, &others);
            graphs.push(graph);
        }
    }
    ensure!(
        !graphs.is_empty(),
        "{} has no link graphs with labels, such as site{EDGES} and site{LABELS}",
        folder.display()
    );
    Ok(graphs)
}

/// Returns the classes of a labelling with enough pages: the class, its pages, and the labelled
/// pages of other classes.
fn classes(labelled: &Labelled) -> Vec<(u32, Vec<u32>, Vec<u32>)> {
    let classes: BTreeSet<u32> = labelled.iter().filter_map(|(class, _)| *class).collect();
    let pages = |class: u32, is_own: bool| {
        let pages = labelled
            .iter()
            .filter(|(other, _)| (*other == Some(class)) == is_own);
        pages.map(|(_, page)| *page).collect::<Vec<u32>>()
    };
    let all = classes
        .into_iter()
        .map(|class| (class, pages(class, true), pages(class, false)));
    all.filter(|(_, wanted, _)| wanted.len() >= MIN_LABELLED)
        .collect()
}

fn mark_targets(graph: &mut SiteGraph, wanted: &[u32], others: &[u32]) {
    let urls = |pages: &[u32]| {
        pages
            .iter()
            .map(|page| &graph.urls[*page as usize])
            .collect::<Vec<_>>()
    };
    let urls = SiteUrls {
        wanted: &urls(wanted),
        others: &urls(others),
    };
    let patterns = TypedInducer::default().induce(&urls).compile();
    for (url, is_target) in graph.urls.iter().zip(&mut graph.targets) {
        *is_target = patterns.matches(url);
    }
}

/// Reads the saved sites of a folder, or the one that it is itself. Targets are the pages with
/// objects.
pub(super) fn of_saved_sites(folder: &Path) -> Result<Vec<SiteGraph>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("can't read {}", folder.display()))?;
    let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    folders.push(folder.to_owned());
    folders.retain(|folder| folder.join(URLS).is_file());
    folders.sort();
    ensure!(
        !folders.is_empty(),
        "{} has no saved sites: folders with {URLS} (file, tabulator, URL), site.json and {TRUTH}",
        folder.display()
    );
    folders.iter().map(|folder| of_saved_site(folder)).collect()
}

fn of_saved_site(folder: &Path) -> Result<SiteGraph> {
    let mirror = Mirror::read(folder)?;
    let mut graph = mirror.graph()?.clone();
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    name.trim_start_matches("site-").clone_into(&mut graph.name);
    graph.home = mirror.file(&mirror.home).unwrap_or(0);
    if folder.join(TRUTH).is_file() {
        for line in crate::data::text(&folder.join(TRUTH))?.lines() {
            let row: Value = serde_json::from_str(line)?;
            let url = row["url"].as_str().unwrap_or_default().parse();
            if let Some(file) = url.ok().and_then(|url| mirror.file(&url)) {
                graph.targets[file as usize] |= row["objects"].as_array().is_some_and(|all| !all.is_empty());
            }
        }
        return Ok(graph);
    }
    // Without a list, the pages whose markup is about a single object are the targets.
    for (file, document) in mirror.documents() {
        let page = document.page()?;
        let items = page.structured_data().iter();
        let objects = items.filter(|item| item.types.iter().any(|name| TYPES.contains(&name.as_str())));
        graph.targets[file as usize] = objects.count() == 1;
    }
    Ok(graph)
}

/// Returns the graphs of a web's sites: all pages that links lead to. Targets are detail pages.
pub(super) fn of_lab(web: &std::sync::Arc<Web>) -> Vec<SiteGraph> {
    let truth = web.truth(WEEK);
    let is_target = |url: &str| {
        let page = truth.page(url);
        page.is_some_and(|page| page.kind == PageKind::Detail && !page.objects.is_empty())
    };
    let open = web.sites().filter(|site| !site.is_deep);
    open.map(|site| of_lab_site(web, &site, &is_target)).collect()
}

fn of_lab_site(web: &Web, site: &magpie_lab::SiteInfo, is_target: &dyn Fn(&str) -> bool) -> SiteGraph {
    let mut graph = SiteGraph::default();
    graph.name.clone_from(&site.host);
    let Some(home) = CanonicalUrl::trusted(site.home.as_str()) else {
        return graph;
    };
    graph.home = graph.page(home);
    let mut queue = VecDeque::from([graph.home]);
    let mut known = 1;
    while let Some(page) = queue.pop_front() {
        let url = graph.urls[page as usize].clone();
        graph.targets[page as usize] = is_target(url.as_str());
        let Ok(url) = Url::parse(url.as_str()) else {
            continue;
        };
        let links = links_of(web, &url);
        for (href, path) in links {
            let is_own = Url::parse(&href).is_ok_and(|href| {
                href.host_str()
                    .is_some_and(|host| site.hosts.iter().any(|own| own == host))
            });
            let Some(target) = CanonicalUrl::trusted(href).filter(|_| is_own && known < MAX_PAGES) else {
                continue;
            };
            let (to, path) = (graph.page(target), graph.path(&path));
            graph.links[page as usize].push(GraphLink { to, path });
            if to as usize == known {
                known += 1;
                queue.push_back(to);
            }
        }
    }
    graph
}

/// Returns the links of a page of the lab with their paths; a redirect is one.
fn links_of(web: &Web, url: &Url) -> Vec<(String, String)> {
    let path = url.as_str().splitn(4, '/').nth(3).unwrap_or_default();
    for nonce in 0..MAX_TRIES {
        let request = Request {
            host: url.host_str().unwrap_or_default(),
            path_and_query: &format!("/{path}"),
            ..Request::default()
        };
        let response = web.respond(&request, WEEK, nonce);
        if let Some(location) = response.location {
            let target = url.join(&location).ok();
            return target
                .map(|target| (without_fragment(target), String::new()))
                .into_iter()
                .collect();
        }
        if response.status >= 500 {
            continue;
        }
        if response.status >= 400 || !response.content_type.starts_with("text/html") {
            return Vec::new();
        }
        let html = String::from_utf8_lossy(&response.body);
        let scanned = scan(&html, &ScanLimits::default());
        let base = scanned.base_url(url).into_owned();
        let links = scanned.links.iter().filter_map(|link| {
            let href = base.join(scanned.href(link)).ok()?;
            // The scan writes `html>body>a`.
            Some((without_fragment(href), scanned.path(link.path).replace('>', "/")))
        });
        return links.collect();
    }
    Vec::new()
}

fn without_fragment(mut url: Url) -> String {
    url.set_fragment(None);
    url.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_classes_have_the_pages_of_others_beside_them() {
        let labelled: Labelled = (0..120)
            .map(|page| (Some(6), page))
            .chain([(Some(2), 120), (None, 121)])
            .collect();
        let found = classes(&labelled);
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].0, found[0].1.len(), &found[0].2[..]),
            (6, 120, &[120, 121][..])
        );
    }

    #[test]
    fn a_saved_site_is_a_graph() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("pages")).expect("a folder");
        let write = |name: &str, text: &str| {
            std::fs::write(folder.path().join(name), text).expect("written");
        };
        write(
            "urls.tsv",
            "index.html\thttps://a.example/\none.html\thttps://a.example/one/\n",
        );
        write("site.json", r#"{"base": "https://a.example/"}"#);
        write(
            "truth.jsonl",
            "{\"url\": \"https://a.example/one/\", \"objects\": [{}]}\n{\"url\": \"https://a.example/\", \"objects\": []}\n",
        );
        write(
            "pages/index.html",
            "<ul><li><a href=\"http://www.a.example/one\">1</a><li><a href=\"https://other.example/\">2</a></ul>",
        );
        write("pages/one.html", "<p><a href=\"index.html\">Home</a>");
        let graphs = of_saved_sites(folder.path()).expect("graphs");
        assert_eq!(graphs.len(), 1);
        let graph = &graphs[0];
        assert_eq!(graph.targets, [false, true]);
        let to = |page: usize| graph.links[page].iter().map(|link| link.to).collect::<Vec<_>>();
        assert_eq!((graph.home, to(0), to(1)), (0, vec![1], vec![0]));
    }
}
