//! Link graphs of real sites from files, and of the lab's sites.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};

use magpie_discovery::{ScanLimits, scan};
use magpie_lab::{PageKind, Request, Web};
use magpie_model::CanonicalUrl;
use magpie_patterns::pattern::{Inducer as _, SiteUrls, TypedInducer};
use magpie_terminal::{Failure, Kind};
use url::Url;

use super::site::{GraphLink, SiteGraph};

/// Ending of the files with links: `url<TAB>page with the link<TAB>path`.
const EDGES: &str = ".edges.tsv";

/// Ending of the files with labels: `labelling<TAB>url<TAB>class`.
const LABELS: &str = ".gold.tsv";

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
pub(super) fn of_folder(folder: &Path) -> Result<Vec<SiteGraph>, Failure> {
    let unreadable = |path: &Path, error: &std::io::Error| {
        Failure::new(Kind::Input, format!("can't read {}: {error}", path.display()))
    };
    let entries = std::fs::read_dir(folder).map_err(|error| unreadable(folder, &error))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let ending = |ending: &'static str| {
        let files = files.iter();
        files.filter(move |path| path.to_string_lossy().ends_with(ending))
    };
    let read = |path: &Path| std::fs::read_to_string(path).map_err(|error| unreadable(path, &error));
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
        let text = read(edges)?;
        for (class, wanted, others) in classes(&read(labels)?) {
            let mut graph = of_edges(&text);
            graph.name = format!("{first} {class}");
            mark_targets(&mut graph, &wanted, &others);
            graphs.push(graph);
        }
    }
    match graphs.is_empty() {
        true => Err(Failure::new(
            Kind::Input,
            format!("{} has no link graphs with labels", folder.display()),
        )
        .hint(format!("expected files such as site{EDGES} and site{LABELS}"))),
        false => Ok(graphs),
    }
}

fn of_edges(text: &str) -> SiteGraph {
    let mut graph = SiteGraph::default();
    let mut home = None;
    for line in text.lines() {
        let mut columns = line.split('\t');
        let Some(to) = columns.next().and_then(canonical) else {
            continue;
        };
        let to = graph.page(to);
        let from = columns.next().filter(|from| !from.is_empty()).and_then(canonical);
        match (from, columns.next()) {
            (Some(from), Some(path)) => {
                let (from, path) = (graph.page(from), graph.path(path));
                graph.links[from as usize].push(GraphLink { to, path });
            }
            // The page that the crawl began with.
            _ => home = home.or(Some(to)),
        }
    }
    graph.home = home.unwrap_or(0);
    graph
}

/// Returns the classes of the first labelling with enough pages: the name, its pages, and the
/// labelled pages of other classes.
fn classes(labels: &str) -> Vec<(String, Vec<CanonicalUrl>, Vec<CanonicalUrl>)> {
    let mut by_class: BTreeMap<&str, Vec<CanonicalUrl>> = BTreeMap::new();
    let first = labels.split('\t').next().unwrap_or_default();
    for line in labels.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        if let [labelling, url, class] = columns[..]
            && labelling == first
            && let Some(url) = canonical(url)
        {
            by_class.entry(class).or_default().push(url);
        }
    }
    let is_large =
        |(class, urls): &(&&str, &Vec<CanonicalUrl>)| **class != "-1" && urls.len() >= MIN_LABELLED;
    let large = by_class.iter().filter(is_large);
    large
        .map(|(class, urls)| {
            let others = by_class.iter().filter(|(other, _)| *other != class);
            let others = others.flat_map(|(_, urls)| urls.iter().cloned()).collect();
            ((*class).to_owned(), urls.clone(), others)
        })
        .collect()
}

fn mark_targets(graph: &mut SiteGraph, wanted: &[CanonicalUrl], others: &[CanonicalUrl]) {
    let (wanted, others): (Vec<_>, Vec<_>) = (wanted.iter().collect(), others.iter().collect());
    let urls = SiteUrls {
        wanted: &wanted,
        others: &others,
    };
    let patterns = TypedInducer::default().induce(&urls).compile();
    for (url, is_target) in graph.urls.iter().zip(&mut graph.targets) {
        *is_target = patterns.matches(url);
    }
}

/// Returns a URL of the files without its fragment, and with a path.
pub(super) fn canonical(text: &str) -> Option<CanonicalUrl> {
    let text = text.split('#').next().unwrap_or(text).trim();
    let has_path = text.splitn(4, '/').count() == 4;
    CanonicalUrl::trusted(match has_path {
        true => text.to_owned(),
        false => format!("{text}/"),
    })
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
    fn edges_and_labels_are_read() {
        let graph =
            of_edges("http://a.example\t\nhttp://a.example/x#part\thttp://a.example\t/html/body/a[]\n");
        assert_eq!(graph.urls.len(), 2);
        assert_eq!((graph.home, graph.links[0].len()), (0, 1));
        let mut labels: String = (0..120)
            .map(|number| format!("one\thttp://a.example/t/{number}\t6\n"))
            .collect();
        labels.push_str("one\thttp://a.example/about\t2\ntwo\thttp://a.example/t/1\t9\n");
        let found = classes(&labels);
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].0.as_str(), found[0].1.len(), found[0].2.len()),
            ("6", 120, 1)
        );
    }
}
