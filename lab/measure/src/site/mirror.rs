//! A mirrored site as it was on the web: the answers of its server, with the changes of the
//! mirroring program undone.
//!
//! `urls.tsv` maps files to addresses. A static server answers with the file, with a redirect if
//! only the slash at the end of a folder is missing, and otherwise with 404. Mirrors rename files
//! that have a query, and turn links to other hosts into paths of their own; such links are
//! restored.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use anyhow::{Context, Result, ensure};
use bytes::Bytes;
use lol_html::html_content::Element;
use lol_html::{RewriteStrSettings, element, rewrite_str};
use magpie_discovery::{ScanLimits, scan};
use magpie_model::CanonicalUrl;
use url::{Position, Url};
use xxhash_rust::xxh3::xxh3_64;

use crate::data::{json, text};
use crate::quality::pages::{Document, SOME_DAY};
use crate::quality::strip::strip;

use super::edit::{Edit, Edits, Owner, Swap, swapped};
use super::graph::{GraphLink, SiteGraph};

/// Files that describe a set and are no pages of its site.
const OURS: [&str; 4] = [URLS, "site.json", "SOURCE.txt", TRUTH];

/// The folder that sets with a list of their objects keep their pages in.
const PAGES: &str = "pages";

/// The files of a set and their URLs.
pub(crate) const URLS: &str = "urls.tsv";

/// The list of the objects of a set.
pub(crate) const TRUTH: &str = "truth.jsonl";

/// Files that are read to find the scheme and the host of a site's links; more would change nothing
/// and take minutes.
const SAMPLE: usize = 500;

/// The parts of sitemaps and feeds that are about one page.
const ENTRIES: [&str; 3] = ["url", "item", "entry"];

pub(crate) type FileNumber = u32;

/// A mirror: its files by the addresses under which they are served.
pub(crate) struct Mirror {
    pub(crate) home: Url,
    /// The page where a crawl is to begin, if the set names one.
    start: Option<Url>,
    /// The scheme of the site: that of most of its own links.
    scheme: &'static str,
    /// The host that its pages link to for most of its files, if that is not its own.
    alias: Option<String>,
    /// The folder that the files lie in. They are read when they are asked for: a set has up to a
    /// gigabyte.
    folder: PathBuf,
    files: Vec<File>,
    /// The links between the files, worked out once. Pages have the numbers of the files.
    graph: OnceLock<SiteGraph>,
    /// Path and query of every address.
    places: HashMap<String, FileNumber>,
    lie: HashMap<String, FileNumber>,
}

struct File {
    url: Url,
    lies: String,
    kind: &'static str,
}

#[derive(Clone)]
pub(crate) enum Answer {
    Page {
        body: Bytes,
        kind: &'static str,
        etag: String,
    },
    /// To the same address with a slash, or in the site's scheme.
    Moved(String),
    Nothing,
}

/// A site as it is served: without some of its files, and with or without its structured data.
pub(crate) struct Shown {
    mirror: Arc<Mirror>,
    hidden: HashSet<FileNumber>,
    edits: Option<Arc<Edits>>,
    /// Path and query of the copies of pages, with the pages.
    copies: HashMap<String, FileNumber>,
    /// The entries by which feeds announce the copies.
    news: Vec<String>,
    /// The path of a folder, without a slash at its end, and the one that it has now.
    renamed: Option<[String; 2]>,
    is_stripped: bool,
}

impl Mirror {
    pub(crate) fn read(set: &Path) -> Result<Arc<Mirror>> {
        let about = json(&set.join("site.json"))?;
        let home = about["base"].as_str().context("site.json names no base")?;
        let pages = set.join(PAGES);
        // A site may have a folder of that name itself; only the newer sets come with their truth.
        let has_truth = set.join(TRUTH).is_file();
        let folder = if has_truth { &pages } else { set };
        let mut mirror = Mirror {
            home: home.parse()?,
            start: about["start"].as_str().map(Url::parse).transpose()?,
            scheme: "https",
            alias: None,
            folder: folder.to_owned(),
            files: Vec::new(),
            graph: OnceLock::new(),
            places: HashMap::new(),
            lie: HashMap::new(),
        };
        for line in text(&set.join(URLS))?.lines() {
            let (file, url) = line
                .split_once('\t')
                .with_context(|| format!("urls.tsv: {line}"))?;
            let url: Url = url.parse().with_context(|| format!("urls.tsv: {line}"))?;
            mirror.add(file, url);
        }
        for path in crate::data::files(folder, &["txt", "xml", "json", "html"])? {
            let lies = path.strip_prefix(folder)?.to_string_lossy().replace('\\', "/");
            if !OURS.contains(&lies.as_str()) && !mirror.lie.contains_key(&lies) {
                let url = mirror.home.join(&lies)?;
                mirror.add(&lies, url);
            }
        }
        mirror.scheme = mirror.usual_scheme();
        mirror.alias = mirror.usual_alias();
        Ok(Arc::new(mirror))
    }

    pub(crate) fn host(&self) -> &str {
        self.home.host_str().unwrap_or_default()
    }

    pub(crate) fn len(&self) -> usize {
        self.files.len()
    }

    /// The scheme that its pages name it by most often; that of its first page where they never do.
    fn usual_scheme(&self) -> &'static str {
        let written = |scheme: &str| {
            let address = format!("\"{scheme}://{}", self.host());
            let each = self.sample().filter_map(|file| {
                let bytes = self.bytes(file).ok()?;
                Some(String::from_utf8_lossy(&bytes).matches(&address).count())
            });
            each.sum::<usize>()
        };
        match (written("http"), written("https")) {
            (plain, secure) if plain > secure => "http",
            (plain, secure) if plain < secure => "https",
            _ if self.home.scheme() == "http" => "http",
            _ => "https",
        }
    }

    /// The other host that most links to saved files name: the one that the site was made on.
    fn usual_alias(&self) -> Option<String> {
        let mut links: HashMap<String, usize> = HashMap::new();
        for file in self.sample() {
            let Ok(bytes) = self.bytes(file) else { continue };
            let text = String::from_utf8_lossy(&bytes);
            for rest in text.split("<a ").skip(1) {
                let target = rest
                    .split_once("href=\"")
                    .and_then(|(_, rest)| rest.split('"').next());
                // A link within its page says nothing.
                let target = target.filter(|target| !target.starts_with('#'));
                let Some(target) = target.and_then(|target| file.url.join(target).ok()) else {
                    continue;
                };
                if self.saved(&target).is_some() {
                    let host = target.host_str().unwrap_or_default();
                    *links.entry(host.to_owned()).or_default() += 1;
                }
            }
        }
        let (host, _) = links
            .into_iter()
            .max_by_key(|(host, count)| (*count, host.clone()))?;
        (bare_host(&host) != bare_host(self.host())).then_some(host)
    }

    /// Some of the files, for what is the same on most.
    fn sample(&self) -> impl Iterator<Item = &File> {
        let step = self.files.len().div_ceil(SAMPLE).max(1);
        self.files.iter().step_by(step)
    }

    /// The page where a person would begin, and the number of pages that links lead to from there:
    /// the one that the set names, the first page, or if that leads to less than a tenth of the
    /// site, the first page of a folder that leads to most of it.
    pub(crate) fn entry(&self) -> Result<(Url, usize)> {
        let graph = self.graph()?;
        let reached = |file: FileNumber| graph.reachable(&[file]).len();
        if let Some(start) = &self.start {
            return Ok((start.clone(), self.file(start).map_or(0, reached)));
        }
        let from_home = self.file(&self.home).map_or(0, reached);
        let pages = self.files.iter().filter(|file| file.kind == HTML).count();
        if from_home * 10 >= pages {
            return Ok((self.home.clone(), from_home));
        }
        let folders = (0..)
            .zip(&self.files)
            .filter(|(_, file)| file.url.query().is_none() && file.url.path().ends_with('/'));
        let entries = folders.map(|(number, file)| (reached(number), Reverse(file.url.path().len()), number));
        Ok(entries
            .max()
            .filter(|(most, ..)| *most >= from_home * 2)
            .map_or((self.home.clone(), from_home), |(most, _, number)| {
                (self.files[number as usize].url.clone(), most)
            }))
    }

    pub(crate) fn graph(&self) -> Result<&SiteGraph> {
        if let Some(graph) = self.graph.get() {
            return Ok(graph);
        }
        let urls = self
            .files
            .iter()
            .filter_map(|file| CanonicalUrl::trusted(file.url.as_str()));
        let mut graph = SiteGraph::of_urls(urls.collect());
        ensure!(graph.urls.len() == self.files.len(), "a file has no good URL");
        for file in &self.files {
            let links = self.links(file, &mut graph)?;
            graph.links.push(links);
        }
        Ok(self.graph.get_or_init(|| graph))
    }

    /// Returns the links of a page to files.
    fn links(&self, file: &File, graph: &mut SiteGraph) -> Result<Vec<GraphLink>> {
        if file.kind != HTML {
            return Ok(Vec::new());
        }
        let body = self.body(file, &HashSet::new())?;
        let html = String::from_utf8_lossy(&body);
        let scanned = scan(&html, &ScanLimits::default());
        let base = scanned.base_url(&file.url).into_owned();
        let links = scanned.links.iter().filter_map(|link| {
            let to = self.file(&base.join(scanned.href(link)).ok()?)?;
            // The scan writes `html>body>a`.
            let path = graph.path(&scanned.path(link.path).replace('>', "/"));
            Some(GraphLink { to, path })
        });
        Ok(links.collect())
    }

    fn bytes(&self, file: &File) -> Result<Vec<u8>> {
        let path = self.folder.join(&file.lies);
        std::fs::read(&path).with_context(|| format!("can't read {}", path.display()))
    }

    pub(crate) fn documents(&self) -> impl Iterator<Item = (FileNumber, Document)> {
        let pages = (0..).zip(&self.files).filter(|(_, file)| file.kind == HTML);
        pages.map(|(number, _)| (number, self.document(number)))
    }

    /// Counts the files that are pages, and no feeds or sitemaps that are saved as such.
    pub(crate) fn pages(&self) -> Result<usize> {
        let mut pages = 0;
        for file in self.files.iter().filter(|file| file.kind == HTML) {
            let bytes = self.bytes(file)?;
            pages += usize::from(!is_list_of_entries(&String::from_utf8_lossy(&bytes)));
        }
        Ok(pages)
    }

    pub(crate) fn document(&self, number: FileNumber) -> Document {
        let file = &self.files[number as usize];
        Document {
            name: file.lies.clone(),
            path: self.folder.join(&file.lies),
            url: file.url.clone(),
            fetched_at: SOME_DAY,
            skip: 0,
        }
    }

    fn add(&mut self, lies: &str, url: Url) {
        let number = self.files.len() as FileNumber;
        // If several files have one address, the server has the first.
        self.places.entry(place(&url)).or_insert(number);
        if !is_renamed(lies, &url) {
            self.places.entry(format!("/{lies}")).or_insert(number);
        }
        self.lie.insert(lies.to_owned(), number);
        self.files.push(File {
            kind: kind(lies),
            lies: lies.to_owned(),
            url,
        });
    }

    /// The file behind an address, found even with another scheme or a missing final slash.
    pub(crate) fn file(&self, url: &Url) -> Option<FileNumber> {
        if bare_host(url.host_str().unwrap_or_default()) != bare_host(self.host()) {
            return None;
        }
        self.saved(url)
    }

    /// The file that the path and the query of an address lead to.
    fn saved(&self, url: &Url) -> Option<FileNumber> {
        let place = place(url);
        let with_slash = || self.places.get(&format!("{place}/"));
        self.places.get(&place).or_else(with_slash).copied()
    }

    /// Files with what lies below their addresses and is not kept, as a feed about a page does.
    pub(crate) fn with_below(
        &self,
        files: &HashSet<FileNumber>,
        is_kept: impl Fn(FileNumber) -> bool,
    ) -> HashSet<FileNumber> {
        let paths = files.iter().map(|file| self.files[*file as usize].url.path());
        let folders: Vec<&str> = paths.filter(|path| path.ends_with('/') && *path != "/").collect();
        let is_below = |file: &File| folders.iter().any(|folder| file.url.path().starts_with(folder));
        let below = (0..)
            .zip(&self.files)
            .filter(|(number, file)| !is_kept(*number) && is_below(file));
        below
            .map(|(number, _)| number)
            .chain(files.iter().copied())
            .collect()
    }

    /// The text of its files that are no pages, sitemaps or feeds.
    pub(crate) fn data(&self) -> Result<String> {
        let mut data = String::new();
        for file in &self.files {
            let bytes = self.bytes(file)?;
            let text = String::from_utf8_lossy(&bytes);
            let is_page = file.kind == HTML && ["<body", "<BODY"].iter().any(|mark| text.contains(mark));
            if !is_page && !is_list_of_entries(&text) {
                data.push_str(&text);
            }
        }
        Ok(data)
    }

    /// The site without these files, and without links to them.
    pub(crate) fn without(self: &Arc<Self>, hidden: HashSet<FileNumber>) -> Shown {
        Shown {
            mirror: Arc::clone(self),
            hidden,
            edits: None,
            copies: HashMap::new(),
            news: Vec::new(),
            renamed: None,
            is_stripped: false,
        }
    }

    fn body(&self, file: &File, hidden: &HashSet<FileNumber>) -> Result<Vec<u8>> {
        let text = match String::from_utf8(self.bytes(file)?) {
            Ok(text) => text,
            Err(error) => return Ok(error.into_bytes()),
        };
        let text = text.as_str();
        let leads_to_hidden = |target: &str| {
            let url = file.url.join(target).ok();
            url.and_then(|url| self.file(&url))
                .is_some_and(|file| hidden.contains(&file))
        };
        let body = match is_list_of_entries(text) {
            true => self.without_addresses(without_entries(text, &leads_to_hidden), hidden),
            false if file.kind == HTML => self.rewritten(file, text, &leads_to_hidden)?,
            false => text.to_owned(),
        };
        Ok(body.into_bytes())
    }

    /// Replaces references of entries to hidden pages by the first page.
    fn without_addresses(&self, mut text: String, hidden: &HashSet<FileNumber>) -> String {
        let home = format!("//{}/", self.host());
        for file in hidden {
            let place = place(&self.files[*file as usize].url);
            if place != "/" {
                text = text.replace(&format!("//{}{place}", self.host()), &home);
            }
        }
        text
    }

    /// A page with its links led back, and without those to what is hidden.
    fn rewritten(&self, file: &File, text: &str, leads_to_hidden: &dyn Fn(&str) -> bool) -> Result<String> {
        let link = |element: &mut Element<'_, '_>| {
            let Some(written) = element.get_attribute("href") else {
                return Ok(());
            };
            // Attributes come as they are written.
            let written = written.replace("&amp;", "&");
            let original = self.original(file, &written);
            if leads_to_hidden(original.as_deref().unwrap_or(&written)) {
                element.remove();
            } else if let Some(original) = original {
                element.set_attribute("href", &original.replace('&', "&amp;"))?;
            }
            Ok(())
        };
        with_links(text, link).with_context(|| format!("{} can't be rewritten", file.lies))
    }

    /// Target of a link before the site was mirrored, if it has changed.
    fn original(&self, file: &File, written: &str) -> Option<String> {
        let written = written.trim();
        let host = self.host();
        // The page was saved with links to the host that it was made on.
        if let Some(alias) = &self.alias
            && let Ok(mut target) = file.url.join(written)
            && target.host_str() == Some(alias)
        {
            target.set_host(Some(host)).ok()?;
            return Some(target[Position::BeforePath..].to_owned());
        }
        // The scheme of an address was taken away, which made a path of it.
        let rest = written.strip_prefix('/').and_then(|rest| rest.strip_prefix(host));
        if let Some(rest) = rest.filter(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#'])) {
            return Some(if rest.starts_with('/') {
                rest.to_owned()
            } else {
                format!("/{rest}")
            });
        }
        // A file was renamed.
        let place_in_mirror = self.home.join(&file.lies).ok()?;
        let target = place_in_mirror.join(written).ok()?;
        if written.contains("://") || target.host_str() != Some(host) {
            return None;
        }
        let lies = target.path().trim_start_matches('/');
        let target_file = &self.files[*self.lie.get(lies)? as usize];
        is_renamed(lies, &target_file.url).then(|| {
            let mut url = target_file.url.clone();
            url.set_fragment(target.fragment());
            url[Position::BeforePath..].to_owned()
        })
    }
}

impl Shown {
    /// The same site without its structured data.
    pub(crate) fn stripped(mut self) -> Shown {
        self.is_stripped = true;
        self
    }

    /// The same site after edits of the objects that its pages are about.
    pub(crate) fn edited(mut self, edits: Arc<Edits>) -> Shown {
        for (number, file) in (0..).zip(&self.mirror.files) {
            match edits.owners.get(&number).and_then(|owner| edits.edits.get(owner)) {
                Some(Edit::Gone) => {
                    self.hidden.insert(number);
                }
                Some(Edit::Copied(swaps)) => {
                    for place in [place(&file.url), format!("/{}", file.lies)] {
                        let copy = swapped(&place, swaps);
                        if copy != place {
                            self.copies.insert(copy, number);
                        }
                    }
                    let (scheme, host) = (self.mirror.scheme, self.mirror.host());
                    let copy = swapped(&place(&file.url), swaps);
                    self.news
                        .extend(swaps.iter().find_map(Swap::new_name).map(|name| {
                            format!("<item><title>{name}</title><link>{scheme}://{host}{copy}</link></item>")
                        }));
                }
                _ => {}
            }
        }
        self.edits = Some(edits);
        self
    }

    /// The same site with another name of a folder, in all links, too.
    pub(crate) fn renamed(mut self, names: [String; 2]) -> Shown {
        self.renamed = Some(names);
        self
    }

    pub(crate) fn host(&self) -> &str {
        self.mirror.host()
    }

    pub(crate) fn answer(&self, url: &Url) -> Answer {
        let Some([before, now]) = &self.renamed else {
            return self.answer_unrenamed(url);
        };
        let mut url = url.clone();
        if below(url.path(), before).is_some() {
            return Answer::Nothing;
        }
        if let Some(rest) = below(url.path(), now) {
            let path = format!("{before}{rest}");
            url.set_path(&path);
        }
        match self.answer_unrenamed(&url) {
            Answer::Moved(to) => Answer::Moved(self.with_new_name(&to)),
            answer => answer,
        }
    }

    /// Replaces the name of the renamed folder in addresses that are written in full.
    fn with_new_name(&self, text: &str) -> String {
        let mut text = text.to_owned();
        if let Some(names) = &self.renamed {
            let [before, now] = names
                .each_ref()
                .map(|folder| format!("//{}{folder}/", self.host()));
            text = text.replace(&before, &now);
            text = text.replace(&before.replace('/', "\\/"), &now.replace('/', "\\/"));
        }
        text
    }

    /// Leads the links of a page, sitemap or feed to the new name of a folder.
    fn with_new_links(&self, file: &File, text: &str) -> Result<String> {
        let text = self.with_new_name(text);
        let Some([before, now]) = &self.renamed else {
            return Ok(text);
        };
        if is_list_of_entries(&text) {
            return Ok(text.replace(&format!(">{before}/"), &format!(">{now}/")));
        }
        if file.kind != HTML {
            return Ok(text);
        }
        let link = |element: &mut Element<'_, '_>| {
            let written = element.get_attribute("href").unwrap_or_default();
            let target = file.url.join(&written.replace("&amp;", "&"));
            let target = target.ok().filter(|url| url.host_str() == Some(self.host()));
            if let Some(target) = target
                && let Some(rest) = below(&target[Position::BeforePath..], before)
            {
                element.set_attribute("href", &format!("{now}{rest}").replace('&', "&amp;"))?;
            }
            Ok(())
        };
        with_links(&text, link)
    }

    fn answer_unrenamed(&self, url: &Url) -> Answer {
        let place = place(url);
        let (scheme, host) = (self.mirror.scheme, self.host());
        if url.scheme() != scheme {
            return Answer::Moved(format!("{scheme}://{host}{place}"));
        }
        if let Some(file) = self.copies.get(&place) {
            return self.page(*file, true).unwrap_or(Answer::Nothing);
        }
        if let Some(file) = self.mirror.places.get(&place) {
            return self.page(*file, false).unwrap_or(Answer::Nothing);
        }
        let folder = format!("{place}/");
        if self.copies.contains_key(&folder) {
            return Answer::Moved(format!("{scheme}://{host}{folder}"));
        }
        match self.mirror.places.get(&folder) {
            Some(file) if !self.hidden.contains(file) => Answer::Moved(format!("{scheme}://{host}{folder}")),
            _ => Answer::Nothing,
        }
    }

    /// A file as it is shown, or the copy of it; none if it is hidden or can't be read.
    fn page(&self, number: FileNumber, is_copy: bool) -> Option<Answer> {
        if self.hidden.contains(&number) {
            return None;
        }
        let file = &self.mirror.files[number as usize];
        let mut body = match &self.edits {
            Some(edits) => self.edited_body(edits, number, is_copy).ok()?,
            None => self.mirror.body(file, &self.hidden).ok()?,
        };
        if self.renamed.is_some() {
            let text = String::from_utf8_lossy(&body);
            body = self.with_new_links(file, &text).ok()?.into_bytes();
        }
        if self.is_stripped && file.kind == HTML {
            body = strip(&String::from_utf8_lossy(&body)).into_bytes();
        }
        Some(Answer::Page {
            etag: format!("\"{:x}-{:x}\"", body.len(), xxh3_64(&body)),
            kind: file.kind,
            body: body.into(),
        })
    }

    fn edited_body(&self, edits: &Edits, number: FileNumber, is_copy: bool) -> Result<Vec<u8>> {
        let file = &self.mirror.files[number as usize];
        let text = match String::from_utf8(self.mirror.body(file, &HashSet::new())?) {
            Ok(text) => text,
            Err(error) => return Ok(error.into_bytes()),
        };
        let owner = |target: &str| -> Option<Owner> {
            let file = self.mirror.file(&file.url.join(target).ok()?)?;
            edits.owners.get(&file).copied()
        };
        let own = edits.owners.get(&number).copied();
        let text = match edits.reordered == Some(number) {
            true => edits.reversed(&text, &owner),
            false => text,
        };
        let edited = match own.filter(|_| is_copy) {
            Some(own) => edits.copy(&text, own, &owner),
            None if text.contains("<rss") => self.feed(edits, &text, &owner),
            None if is_list_of_entries(&text) => with_entries(&text, &|entry| {
                edits.entry(entry, addresses(entry).find_map(owner))
            }),
            None if file.kind == HTML => edits.page(&text, own, &owner),
            None => text,
        };
        Ok(edited.into_bytes())
    }

    /// A feed with its entries edited. If it has objects, the new ones come first, and as many of
    /// the last fall out.
    fn feed(&self, edits: &Edits, text: &str, owner: &dyn Fn(&str) -> Option<Owner>) -> String {
        let items = RefCell::new(Vec::new());
        let mut feed = with_entries(text, &|entry| {
            // The picture of a feed has an element `url`, too.
            if !entry.starts_with("<item") {
                return entry.to_owned();
            }
            items.borrow_mut().push(entry.to_owned());
            String::new()
        });
        let items = items.into_inner();
        let owners: Vec<_> = items.iter().map(|item| addresses(item).find_map(owner)).collect();
        let has_objects = owners.iter().any(Option::is_some);
        let news = self.news.iter().filter(|_| has_objects).cloned();
        let old = items.iter().zip(owners).map(|(item, owner)| {
            let is_copied =
                owner.is_some_and(|owner| matches!(edits.edits.get(&owner), Some(Edit::Copied(_))));
            if is_copied {
                item.clone()
            } else {
                edits.entry(item, owner)
            }
        });
        let edited: String = news.chain(old).take(items.len()).collect();
        feed.insert_str(text.find("<item").unwrap_or(feed.len()).min(feed.len()), &edited);
        feed
    }
}

/// A page with its links edited.
fn with_links(
    text: &str,
    edit: impl FnMut(&mut Element<'_, '_>) -> Result<(), Box<dyn std::error::Error + Send + Sync>>,
) -> Result<String> {
    let settings = RewriteStrSettings::new()
        .append_element_content_handler(element!("a[href], area[href], link[href]", edit))
        .with_strict(false);
    Ok(rewrite_str(text, settings)?)
}

/// Returns the rest of an address after a folder; none if it is another one's.
fn below<'a>(address: &'a str, folder: &str) -> Option<&'a str> {
    let rest = address.strip_prefix(folder);
    rest.filter(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#']))
}

fn bare_host(host: &str) -> &str {
    host.trim_start_matches("www.")
}

/// The part of an address that distinguishes a site's pages.
fn place(url: &Url) -> String {
    url[Position::BeforePath..Position::AfterQuery].to_owned()
}

/// Returns true if the path of a file differs from that of its address.
fn is_renamed(lies: &str, url: &Url) -> bool {
    let folder = lies.strip_suffix("index.html");
    let is_own = |path: &str| path.trim_start_matches('/') == lies;
    let is_folder = |path: &str| {
        folder.is_some_and(|folder| {
            path.trim_start_matches('/').trim_end_matches('/') == folder.trim_end_matches('/')
        })
    };
    url.query().is_some() || !(is_own(url.path()) || is_folder(url.path()))
}

const HTML: &str = "text/html";

/// Content type that a static server gives for a file name.
fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("xml") => "application/xml",
        Some("json") => "application/json",
        Some("txt") => "text/plain",
        _ => HTML,
    }
}

/// Returns true if a text is a sitemap or a feed.
fn is_list_of_entries(text: &str) -> bool {
    let marks = ["<rss", "<urlset", "<sitemapindex", "<feed"];
    marks.iter().any(|mark| text.contains(mark))
}

/// A sitemap or feed without the entries whose address is hidden.
fn without_entries(text: &str, is_hidden: &dyn Fn(&str) -> bool) -> String {
    with_entries(text, &|entry| {
        let is_hidden = addresses(entry).any(is_hidden);
        if is_hidden {
            String::new()
        } else {
            entry.to_owned()
        }
    })
}

/// A sitemap or feed with its entries edited.
fn with_entries(text: &str, edit: &dyn Fn(&str) -> String) -> String {
    let mut left = text;
    let mut edited = String::with_capacity(text.len());
    while let Some((start, name)) = next_entry(left) {
        let close = format!("</{name}>");
        let Some(end) = left[start..].find(&close).map(|end| start + end + close.len()) else {
            break;
        };
        edited.push_str(&left[..start]);
        edited.push_str(&edit(&left[start..end]));
        left = &left[end..];
    }
    edited + left
}

/// Start of the next entry, and the name of its element.
fn next_entry(text: &str) -> Option<(usize, &'static str)> {
    let starts = ENTRIES.iter().filter_map(|name| {
        let starts = [format!("<{name}>"), format!("<{name} ")];
        let start = starts.iter().filter_map(|start| text.find(start)).min()?;
        Some((start, *name))
    });
    starts.min()
}

/// The addresses that an entry gives for its page.
fn addresses(entry: &str) -> impl Iterator<Item = &str> {
    ["loc", "link", "guid"].into_iter().filter_map(|name| {
        let (_, rest) = entry.split_once(&format!("<{name}"))?;
        let (_, value) = rest.split_once('>')?;
        Some(value.split('<').next()?.trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mirror() -> (tempfile::TempDir, Arc<Mirror>) {
        let folder = tempfile::tempdir().unwrap();
        let list = "index.html\thttps://shop.example/\nhat1a2b.html\thttps://shop.example/hat.html?size=2\n\
                    about/index.html\thttps://shop.example/about/\n";
        let first = "<a href='hat1a2b.html?size=2#top'>Hat</a><a href=\"/shop.example/about?x=1&amp;y=2\">About</a>\
                     <a href=//elsewhere.example/>Else</a><a href='/shop.example'>Home</a><a href=about/index.html>We</a>";
        for (name, content) in [
            ("site.json", r#"{"base": "https://shop.example/"}"#),
            ("urls.tsv", list),
            ("index.html", first),
            ("hat1a2b.html", "<h1>Hat</h1>"),
            ("about/index.html", "<h1>About</h1>"),
            (
                "sitemap.xml",
                "<urlset><url><loc>https://shop.example/hat.html?size=2</loc></url><url><loc>https://shop.example/about/</loc></url></urlset>",
            ),
        ] {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content).unwrap();
        }
        let mirror = Mirror::read(folder.path()).unwrap();
        (folder, mirror)
    }

    fn body(shown: &Shown, place: &str) -> String {
        let url = format!("https://shop.example{place}");
        match shown.answer(&url.parse().unwrap()) {
            Answer::Page { body, .. } => String::from_utf8(body.to_vec()).unwrap(),
            Answer::Moved(to) => format!("moved to {to}"),
            Answer::Nothing => "nothing".to_owned(),
        }
    }

    #[test]
    fn links_lead_where_they_led_before_the_site_was_mirrored() {
        let (_folder, mirror) = mirror();
        let shown = mirror.without(HashSet::new());
        let home = body(&shown, "/");
        for link in [
            "\"/hat.html?size=2#top\"",
            "\"/about?x=1&amp;y=2\"",
            "//elsewhere.example/",
            "\"/\"",
            "about/index.html",
        ] {
            assert!(home.contains(link), "{link} is not in {home}");
        }
        assert_eq!(body(&shown, "/hat.html?size=2"), "<h1>Hat</h1>");
        assert_eq!(body(&shown, "/about"), "moved to https://shop.example/about/");
        assert_eq!(body(&shown, "/about/index.html"), "<h1>About</h1>");
        assert_eq!(body(&shown, "/hat1a2b.html"), "nothing");
        assert_eq!(body(&shown, "/urls.tsv"), "nothing");
        let plain = shown.answer(&"http://shop.example/hat.html?size=2".parse().unwrap());
        assert!(matches!(plain, Answer::Moved(to) if to == "https://shop.example/hat.html?size=2"));
    }

    #[test]
    fn links_to_the_host_that_the_site_was_made_on_lead_to_the_site() {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in [
            ("site.json", r#"{"base": "https://shop.example/"}"#),
            (
                "urls.tsv",
                "index.html\thttps://shop.example/\nhat.html\thttps://shop.example/hat.html\n",
            ),
            (
                "index.html",
                r##"<a href="#a">A</a><a href="#b">B</a><a href="https://made.example/hat.html?a=1#top">Hat</a><a href="https://made.example/hat.html">Hat</a><a href="https://made.example/">Home</a>
                   <a href="https://shop.example/">Home</a><a href="https://other.example/">Other</a>"##,
            ),
            ("hat.html", "<h1>Hat</h1>"),
        ] {
            std::fs::write(folder.path().join(name), content).unwrap();
        }
        let mirror = Mirror::read(folder.path()).unwrap();
        let home = body(&mirror.without(HashSet::new()), "/");
        for link in ["\"/hat.html?a=1#top\"", "\"/hat.html\"", "https://other.example/"] {
            assert!(home.contains(link), "{link} is not in {home}");
        }
        assert!(!home.contains("made.example"), "{home}");
        assert_eq!(mirror.entry().unwrap(), (mirror.home.clone(), 2));
    }

    #[test]
    fn the_entry_leads_to_most_of_the_site() {
        let (_folder, mirror) = mirror();
        // The first of three pages leads to all: itself, the hat, and the page about the shop.
        assert_eq!(mirror.entry().unwrap(), (mirror.home.clone(), 3));
    }

    #[test]
    fn a_renamed_folder_is_linked_by_its_new_name() {
        let (_folder, mirror) = mirror();
        let names = ["/about".to_owned(), "/us".to_owned()];
        let shown = mirror.without(HashSet::new()).renamed(names);
        assert_eq!(body(&shown, "/about/"), "nothing");
        assert_eq!(body(&shown, "/about"), "nothing");
        assert_eq!(body(&shown, "/us/"), "<h1>About</h1>");
        assert_eq!(body(&shown, "/us"), "moved to https://shop.example/us/");
        let home = body(&shown, "/");
        assert!(
            home.contains("/us/index.html") && !home.contains("about/"),
            "{home}"
        );
        let sitemap = body(&shown, "/sitemap.xml");
        assert!(
            sitemap.contains("shop.example/us/") && !sitemap.contains("about/"),
            "{sitemap}"
        );
    }

    #[test]
    fn what_is_hidden_is_not_linked_either() {
        let (_folder, mirror) = mirror();
        let hat = mirror.file(&"http://shop.example/hat.html?size=2".parse().unwrap());
        let shown = mirror.without(hat.into_iter().collect());
        assert_eq!(body(&shown, "/hat.html?size=2"), "nothing");
        let home = body(&shown, "/");
        assert!(!home.contains("Hat") && home.contains("About"), "{home}");
        let sitemap = body(&shown, "/sitemap.xml");
        assert!(
            !sitemap.contains("hat") && sitemap.contains("<url><loc>https://shop.example/about/</loc></url>"),
            "{sitemap}"
        );
    }
}
