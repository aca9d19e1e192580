//! Real servers, as `cargo xtask servers --json` describes them, one JSON object a line.
//!
//! Nothing here knows a server. Objects are the detail links of result pages: links of one shape
//! that good queries bring and nonsense does not. Their entities come from the catalogue that the
//! server was filled with.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use magpie_discovery::UrlTemplate;
use magpie_http::{HttpLimits, HttpResponse};
use magpie_page::{NodeId, Page};
use magpie_surface::ObjectId;
use magpie_surface::arguments::Kind;
use magpie_surface::empty::bad_queries;
use magpie_surface::entities::Described;
use serde::Deserialize;
use url::Url;

use super::site::{Fetched, Record, Shown, Site, Source};

/// Arguments of the result pages of known servers, labelled by hand: server, argument, kind.
const LABELS: &str = include_str!("arguments.txt");

const MAX_REDIRECTS: usize = 5;

const TIMEOUT: Duration = Duration::from_secs(120);

/// Number of titles that show which links lead to objects.
const LEARNING_QUERIES: usize = 12;

/// Maximum number of elements around a link that are compared with titles.
const MAX_ELEMENTS: u32 = 60;

/// Seed of the nonsense that shows the links of all pages.
const SEED: u64 = 1;

/// A line of `cargo xtask servers --json`.
#[derive(Deserialize)]
struct Line {
    server: String,
    url: String,
    /// A search for the title of the first object.
    search: String,
    /// Objects, one JSON object a line.
    catalogue: PathBuf,
}

#[derive(Clone, Deserialize)]
struct Item {
    title: String,
    #[serde(default)]
    authors: Vec<String>,
    #[serde(default)]
    genres: Vec<String>,
    publisher: Option<String>,
}

struct ServerSource {
    /// Links of pages without results, and the home page.
    furniture: BTreeSet<String>,
    /// Shape of the URLs of objects.
    shape: Option<Shape>,
    titles: BTreeMap<String, Vec<ObjectId>>,
    texts: HashMap<ObjectId, String>,
    known: RefCell<Known>,
}

#[derive(Default)]
struct Known {
    by_url: HashMap<String, ObjectId>,
    taken: BTreeSet<ObjectId>,
}

/// Origin and folder of a URL, and the beginning of its last segment if a number follows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Shape {
    folder: String,
    prefix: Option<String>,
}

/// Reads the file and learns the links of each server. Returns names and sites.
pub(super) fn sites(path: &Path) -> Result<Vec<(String, Site<'static>)>> {
    let text = crate::data::text(path)?;
    let mut sites = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let line: Line = serde_json::from_str(line).with_context(|| {
            let file = path.display();
            format!("{file} has a line that describes no server; `cargo xtask servers --json` writes it")
        })?;
        // The catalogue exists while the servers run.
        let catalogue = crate::data::text(&line.catalogue)?;
        let items: Result<Vec<Item>, _> = catalogue.lines().map(serde_json::from_str).collect();
        let items = items.with_context(|| format!("{} has no objects", line.catalogue.display()))?;
        let urls = Url::parse(&line.url).ok().zip(Url::parse(&line.search).ok());
        let site = urls.and_then(|(home, search)| site(&line.server, &home, &search, &items));
        let site = site.with_context(|| {
            let server = &line.server;
            format!("can't read the results of {server}, which `search` finds for the first title")
        })?;
        sites.push((line.server, site));
    }
    Ok(sites)
}

fn site(server: &str, home: &Url, search: &Url, items: &[Item]) -> Option<Site<'static>> {
    let template = UrlTemplate::from_example(search, &items.first()?.title)?;
    let mut source = ServerSource {
        furniture: BTreeSet::new(),
        shape: None,
        titles: BTreeMap::new(),
        texts: HashMap::new(),
        known: RefCell::default(),
    };
    source.learn(home, &template, items);
    source.shape.as_ref()?;
    let mut records: Vec<Record> = (0..).zip(items).map(|(id, item)| record(id, item)).collect();
    source.set_records(&records);
    if source.merges_titles(&template, &records) {
        let mut titles = BTreeSet::new();
        records.retain(|record| titles.insert(plain(&record.title)));
        source.set_records(&records);
    }
    let mut site = Site::new(server, source, template, records);
    site.kinds = labels(server);
    site.form_pages = form_pages(&site, [home, search]);
    Some(site)
}

/// Returns pages that may have a form: the home page, a result page, and pages that these link to
/// as a search.
fn form_pages(site: &Site<'_>, known: [&Url; 2]) -> Vec<Url> {
    let mut pages = known.map(Url::clone).to_vec();
    for page in known {
        let answer = site.get(page);
        let searches = answer.links.iter().filter(|link| {
            let href = link.href.to_lowercase();
            href.contains("search") && !href.contains("action=") && link.is_same_site(page)
        });
        let urls = searches.filter_map(|link| Url::parse(&link.href).ok());
        pages.extend(urls.filter(|url| url.query().is_none_or(|query| query.len() < 30)));
    }
    let mut distinct = BTreeSet::new();
    pages.retain(|page| distinct.insert(page.clone()));
    pages
}

fn record(id: ObjectId, item: &Item) -> Record {
    let entity = |kind: &str, name: &String| (kind.to_owned(), name.clone());
    let mut entities = vec![entity("title", &item.title)];
    entities.extend(item.authors.iter().map(|name| entity("person", name)));
    entities.extend(item.publisher.iter().map(|name| entity("group", name)));
    entities.extend(item.genres.iter().map(|name| entity("category", name)));
    let text: Vec<&str> = entities.iter().map(|(_, name)| name.as_str()).collect();
    Record {
        text: text.join(" "),
        title: item.title.clone(),
        described: Described { id, entities },
    }
}

fn labels(server: &str) -> BTreeMap<String, Kind> {
    let lines = LABELS.lines().filter(|line| !line.starts_with('#'));
    let fields = lines.map(|line| line.split_whitespace().collect::<Vec<&str>>());
    let own = fields.filter_map(|fields| match fields[..] {
        [name, argument, kind] if name == server => Some((argument.to_owned(), parse_kind(kind)?)),
        _ => None,
    });
    own.collect()
}

fn parse_kind(name: &str) -> Option<Kind> {
    Some(match name {
        "query" => Kind::Query,
        "selection" => Kind::Selection,
        "presentation" => Kind::Presentation,
        "paging" => Kind::Paging,
        "irrelevant" => Kind::Irrelevant,
        _ => return None,
    })
}

impl ServerSource {
    fn learn(&mut self, home: &Url, template: &UrlTemplate, items: &[Item]) {
        let pages = bad_queries(SEED).into_iter();
        let pages = pages.filter_map(|query| template.fill(&query, &[]));
        for url in pages.chain([home.clone()]) {
            self.furniture.extend(self.links(&url));
        }
        let mut shapes: BTreeMap<Shape, BTreeSet<String>> = BTreeMap::new();
        let step = (items.len() / LEARNING_QUERIES).max(1);
        for item in items.iter().step_by(step).take(LEARNING_QUERIES) {
            let Some(url) = template.fill(&item.title, &[]) else {
                continue;
            };
            for link in self.links(&url) {
                if !self.furniture.contains(&link)
                    && let Some(shape) = shape(&link)
                {
                    shapes.entry(shape).or_default().insert(link);
                }
            }
        }
        let best = shapes.into_iter().max_by_key(|(_, links)| links.len());
        self.shape = best.map(|(shape, _)| shape);
    }

    fn links(&self, url: &Url) -> Vec<String> {
        let page = self.fetch(url).and_then(|fetched| {
            let page = Page::from_html(fetched.url.as_str(), &fetched.html);
            page.ok()
        });
        let links = page.iter().flat_map(Page::links);
        links.map(|link| link.href).collect()
    }

    fn set_records(&mut self, records: &[Record]) {
        self.known = RefCell::default();
        self.titles.clear();
        for record in records {
            let ids = self.titles.entry(plain(&record.title)).or_default();
            ids.push(record.described.id);
            self.texts.insert(record.described.id, record.text.clone());
        }
    }

    /// Returns true if objects with the same title have one page.
    fn merges_titles(&self, template: &UrlTemplate, records: &[Record]) -> bool {
        let twice = self.titles.iter().find(|(_, ids)| ids.len() > 1);
        let Some((title, ids)) = twice else {
            return false;
        };
        let query = records.iter().find(|record| plain(&record.title) == *title);
        let url = query.and_then(|record| template.fill(&record.title, &[]));
        let Some(fetched) = url.as_ref().and_then(|url| self.fetch(url)) else {
            return false;
        };
        let Ok(page) = Page::from_html(fetched.url.as_str(), &fetched.html) else {
            return false;
        };
        let shown = self.read(&fetched.url, &page);
        let found = shown.objects.iter().filter(|(id, _)| ids.contains(id));
        found.count() == 1
    }

    fn is_detail(&self, href: &str) -> bool {
        !self.furniture.contains(href) && self.shape.is_some() && shape(href) == self.shape
    }

    /// Returns the object behind a detail link.
    fn identify(&self, href: &str, texts: &[String]) -> ObjectId {
        let mut known = self.known.borrow_mut();
        if let Some(id) = known.by_url.get(href) {
            return *id;
        }
        let segment = href.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let slug = segment.trim_end_matches(|character: char| character.is_ascii_digit());
        let slug = slug.trim_end_matches('_').replace(['-', '_'], " ");
        let names = texts.iter().chain([&slug]).map(|text| plain(text));
        let ids = names.filter_map(|name| self.titles.get(&name)).flatten();
        let free = ids.copied().find(|id| !known.taken.contains(id));
        // An object that the catalogue lacks has a number of its own.
        let id = free.unwrap_or(u64::MAX - known.by_url.len() as u64);
        known.taken.insert(id);
        known.by_url.insert(href.to_owned(), id);
        id
    }
}

impl Source for ServerSource {
    fn fetch(&self, url: &Url) -> Option<Fetched> {
        let mut url = url.clone();
        for _ in 0..=MAX_REDIRECTS {
            let response = get(&url)?;
            if let Some(location) = response.headers.get("Location")
                && (300..400).contains(&response.status)
            {
                url = url.join(location).ok()?;
                continue;
            }
            return (response.status < 500).then(|| Fetched {
                url,
                html: String::from_utf8_lossy(&response.body).into_owned(),
            });
        }
        None
    }

    fn read(&self, _: &Url, page: &Page) -> Shown {
        let document = page.document();
        let mut nodes: Vec<(NodeId, String, String)> = Vec::new();
        for link in page.links() {
            let href = link.href.split('#').next().unwrap_or_default().to_owned();
            if self.is_detail(&href) {
                nodes.push((link.node, href, link.text));
            }
        }
        let mut objects: Vec<(ObjectId, String)> = Vec::new();
        let mut done = BTreeSet::new();
        for (node, href, _) in &nodes {
            if !done.insert(href) {
                continue;
            }
            // The largest element around the link without a link to another object.
            let is_own = |ancestor: &NodeId| {
                let range = *ancestor..document.end(*ancestor);
                nodes
                    .iter()
                    .all(|(other, target, _)| target == href || !range.contains(other))
            };
            let block = document
                .ancestors(*node)
                .take_while(is_own)
                .last()
                .unwrap_or(*node);
            let own = nodes.iter().filter(|(_, target, _)| target == href);
            let mut texts: Vec<String> = own.map(|(_, _, text)| text.clone()).collect();
            let elements = (block..document.end(block)).filter(|node| document.is_element(*node));
            texts.extend(
                elements
                    .take(MAX_ELEMENTS as usize)
                    .map(|node| document.text_of(node)),
            );
            let id = self.identify(href, &texts);
            let text = self.texts.get(&id).cloned();
            objects.push((id, text.unwrap_or_else(|| document.text_of(block))));
        }
        Shown {
            is_empty: objects.is_empty(),
            objects,
        }
    }
}

/// Returns the shape of a URL without a query; `None` with one.
fn shape(href: &str) -> Option<Shape> {
    if href.contains('?') {
        return None;
    }
    let trimmed = href.trim_end_matches('/');
    let (folder, segment) = trimmed.rsplit_once('/')?;
    let letters = segment.trim_end_matches(|character: char| character.is_ascii_digit());
    let is_numbered = letters.len() < segment.len() && letters.chars().all(char::is_alphabetic);
    Some(Shape {
        folder: folder.to_owned(),
        prefix: is_numbered.then(|| letters.to_owned()),
    })
}

/// Returns letters and digits in lower case.
fn plain(text: &str) -> String {
    text.chars()
        .filter(|character| character.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

fn get(url: &Url) -> Option<HttpResponse> {
    let (host, port) = (url.host_str()?, url.port_or_known_default()?);
    let mut stream = TcpStream::connect((host, port)).ok()?;
    stream.set_read_timeout(Some(TIMEOUT)).ok()?;
    let target = &url[url::Position::BeforePath..url::Position::AfterQuery];
    let head = format!("GET {target} HTTP/1.0\r\nHost: {host}:{port}\r\nAccept: text/html\r\n\r\n");
    stream.write_all(head.as_bytes()).ok()?;
    let mut message = Vec::new();
    stream.read_to_end(&mut message).ok()?;
    HttpResponse::parse(&message, &HttpLimits::default()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_have_the_folder_and_the_word_before_a_number() {
        let of = |href: &str| shape(href).map(|shape| (shape.folder, shape.prefix));
        let prefix = |prefix: &str| Some(prefix.to_owned());
        assert_eq!(
            of("http://a.test/b/17"),
            Some(("http://a.test/b".to_owned(), prefix("")))
        );
        assert_eq!(
            of("http://a.test/issue17"),
            Some(("http://a.test".to_owned(), prefix("issue")))
        );
        assert_eq!(
            of("http://a.test/c/red-book_17/"),
            Some(("http://a.test/c".to_owned(), None))
        );
        assert_eq!(of("http://a.test/s?q=1"), None);
    }
}
