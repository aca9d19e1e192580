//! Link graphs of whole sites that were saved as files.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use magpie_discovery::{ScanLimits, scan};
use magpie_model::CanonicalUrl;
use magpie_page::{Page, PageSource};
use magpie_terminal::{Failure, Kind};
use magpie_values::Timestamp;
use serde_json::Value;
use url::{Position, Url};

use super::graphs::canonical;
use super::site::{GraphLink, SiteGraph};

/// Files of a saved site: `file<TAB>url` lines, its first page, and its objects by page.
const URLS: &str = "urls.tsv";
const SITE: &str = "site.json";
const TRUTH: &str = "truth.jsonl";

/// The folder of the pages, where the site has one.
const PAGES: &str = "pages";

/// Longer files are cut. Pages are a tenth of that.
const MAX_BYTES: usize = 4 << 20;

/// Types of the objects of a page whose markup is its truth.
const TYPES: [&str; 4] = ["Event", "Product", "Book", "CreativeWork"];

/// Reads the saved sites of a folder, or the one that it is itself.
pub(super) fn of_folder(folder: &Path) -> Result<Vec<SiteGraph>, Failure> {
    let unreadable = |error| Failure::new(Kind::Input, format!("can't read {}: {error}", folder.display()));
    let entries = std::fs::read_dir(folder).map_err(unreadable)?;
    let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    folders.push(folder.to_owned());
    folders.retain(|folder| folder.join(URLS).is_file());
    folders.sort();
    match folders.is_empty() {
        true => Err(
            Failure::new(Kind::Input, format!("{} has no saved sites", folder.display())).hint(format!(
                "expected folders with {URLS} (file, tabulator, URL), {SITE} and {TRUTH}"
            )),
        ),
        false => folders.iter().map(|folder| of_site(folder)).collect(),
    }
}

/// The addresses of a saved site.
struct Saved {
    /// Pages by host, path and query.
    by_url: HashMap<String, u32>,
    /// Pages by the path of their file. Links of some sites were changed to those when they were
    /// saved.
    by_file: HashMap<String, u32>,
}

impl Saved {
    /// Returns the page that a link leads to.
    fn page(&self, href: &str, page: &Url, file: &str) -> Option<u32> {
        let known = page.join(href).ok().and_then(|url| {
            let key = key(&url);
            let other = match key.strip_suffix('/') {
                Some(bare) => bare.to_owned(),
                None => format!("{key}/"),
            };
            self.by_url.get(&key).or_else(|| self.by_url.get(&other)).copied()
        });
        known.or_else(|| {
            let path = Url::parse("file:///").ok()?.join(file).ok()?.join(href).ok()?;
            (path.scheme() == "file").then(|| self.by_file.get(path.path()).copied())?
        })
    }
}

fn of_site(folder: &Path) -> Result<SiteGraph, Failure> {
    let read = |name: &str| {
        let path = folder.join(name);
        std::fs::read_to_string(&path)
            .map_err(|error| Failure::new(Kind::Input, format!("can't read {}: {error}", path.display())))
    };
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let mut graph = SiteGraph::default();
    name.trim_start_matches("site-").clone_into(&mut graph.name);
    let mut saved = Saved {
        by_url: HashMap::new(),
        by_file: HashMap::new(),
    };
    let mut files: Vec<(u32, String, Url)> = Vec::new();
    for line in read(URLS)?.lines() {
        let Some((file, written)) = line.split_once('\t') else {
            continue;
        };
        let (Some(url), Ok(address)) = (canonical(written), Url::parse(written)) else {
            continue;
        };
        let page = graph.page(url);
        saved.by_url.entry(key(&address)).or_insert(page);
        if let Ok(path) = Url::parse("file:///").and_then(|root| root.join(file)) {
            saved.by_file.entry(path.path().to_owned()).or_insert(page);
        }
        files.push((page, file.to_owned(), address));
    }
    let about: Value = serde_json::from_str(&read(SITE)?).unwrap_or_default();
    let home = about["base"].as_str().and_then(|base| Url::parse(base).ok());
    graph.home = home
        .and_then(|home| saved.page(home.as_str(), &home, ""))
        .unwrap_or(0);
    let truth = match folder.join(TRUTH).is_file() {
        true => Some(with_objects(&read(TRUTH)?)),
        false => None,
    };
    let pages = Some(folder.join(PAGES)).filter(|pages| pages.is_dir());
    let pages = pages.unwrap_or_else(|| folder.to_owned());
    let mut read_pages: HashSet<u32> = HashSet::new();
    for (page, file, address) in &files {
        let Ok(mut bytes) = std::fs::read(pages.join(file)) else {
            continue;
        };
        bytes.truncate(MAX_BYTES);
        if !is_html(&bytes) || !read_pages.insert(*page) {
            continue;
        }
        let url = &graph.urls[*page as usize];
        let is_target = match &truth {
            Some(truth) => truth.contains(url),
            None => has_one_object(address, &bytes),
        };
        graph.targets[*page as usize] = is_target;
        let html = String::from_utf8_lossy(&bytes);
        let scanned = scan(&html, &ScanLimits::default());
        let base = scanned.base_url(address).into_owned();
        for link in &scanned.links {
            if let Some(to) = saved.page(scanned.href(link), &base, file) {
                // The scan writes `html>body>a`.
                let path = graph.path(&scanned.path(link.path).replace('>', "/"));
                graph.links[*page as usize].push(GraphLink { to, path });
            }
        }
    }
    Ok(graph)
}

/// Returns the host, path and query of a URL, which sites write with either scheme.
fn key(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    let host = host.strip_prefix("www.").unwrap_or(host);
    format!("{host}{}", &url[Position::BeforePath..Position::AfterQuery])
}

fn with_objects(lines: &str) -> HashSet<CanonicalUrl> {
    let rows = lines.lines().filter_map(|line| serde_json::from_str(line).ok());
    let found = rows.filter(|row: &Value| row["objects"].as_array().is_some_and(|all| !all.is_empty()));
    found.filter_map(|row| canonical(row["url"].as_str()?)).collect()
}

fn is_html(bytes: &[u8]) -> bool {
    let start = bytes.trim_ascii_start();
    let start = start
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(start)
        .trim_ascii_start();
    start.starts_with(b"<") && !start.starts_with(b"<?xml")
}

/// Returns true if the markup of a page is about a single object.
fn has_one_object(url: &Url, bytes: &[u8]) -> bool {
    let page = Page::new(PageSource {
        url: url.clone(),
        status: 200,
        headers: vec![("content-type".to_owned(), "text/html".to_owned())],
        fetched_at: Timestamp::from_millis(0),
        body: bytes.to_vec().into(),
    });
    let page = Arc::new(page);
    let items = page.structured_data().iter();
    let objects = items.filter(|item| item.types.iter().any(|name| TYPES.contains(&name.as_str())));
    objects.count() == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_saved_site_is_a_graph() {
        let folder = tempfile::tempdir().expect("a folder");
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
            "index.html",
            "<ul><li><a href=\"http://www.a.example/one\">1</a><li><a href=\"https://other.example/\">2</a></ul>",
        );
        write("one.html", "<p><a href=\"index.html\">Home</a>");
        let graphs = of_folder(folder.path()).expect("graphs");
        assert_eq!(graphs.len(), 1);
        let graph = &graphs[0];
        assert_eq!(graph.targets, [false, true]);
        let to = |page: usize| graph.links[page].iter().map(|link| link.to).collect::<Vec<_>>();
        assert_eq!((graph.home, to(0), to(1)), (0, vec![1], vec![0]));
    }
}
