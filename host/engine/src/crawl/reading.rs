//! The parts of a page that a crawler reads. They are read on the thread that has the page, so that
//! the loop that decides only decides.

use std::sync::Arc;

use magpie_discovery::forms::form_links;
use magpie_discovery::{
    Acts, LinkKind, Relations, RobotsDirectives, ScanLimits, ScannedPage, TextPrint, links_of_header,
    path_hash, refresh_of_header, scan,
};
use magpie_model::CanonicalUrl;
use magpie_page::{Page, PageSource};
use magpie_patterns::rendering::{Mode, RenderingRules};
use magpie_rows::{Link, LinkList, ProbedLink};
use magpie_web::Exchange;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

/// Feeds that one page may name.
const MAX_FEEDS: usize = 32;

/// `Link` headers of a page that are read.
const MAX_LINK_HEADERS: usize = 20;

/// Paths of links that are no elements of the page.
const SRCDOC: &str = "iframe>";
const FORM: &str = "form";
const REFRESH: &str = "header:refresh";
const LINK: &str = "header:link";
const DATA: &str = "data";
const ENDPOINT: &str = "endpoint";
/// Beginning of the path of a link that a click on an element led to.
const PROBE: &str = "probe:";

#[derive(Clone, Debug)]
pub(crate) struct ReadingSettings {
    /// Without the text that readers see, which most pages need not be read for.
    pub(super) limits: ScanLimits,
    /// The same limits for pages whose text is wanted.
    pub(super) limits_with_text: ScanLimits,
    /// Anchor texts and places are kept, not only addresses.
    pub(super) keep_links: bool,
    /// The rules by which forms act that lead to pages as links do.
    pub(super) acts: Acts,
    /// The ways to have pages that a plain fetch does not have whole.
    pub(super) rendering: Arc<RenderingRules>,
}

/// The content of a page.
pub(crate) struct Reading {
    pub(crate) page: Arc<Page>,
    pub(crate) links: LinkList,
    /// For each link, whether the page permits following it, and the source of its URL.
    pub(crate) follow: Vec<bool>,
    /// For each link the hash of its place on the page.
    pub(super) places: Vec<u64>,
    pub(crate) title: Option<String>,
    pub(crate) canonical: Option<Url>,
    pub(super) feeds: Vec<Url>,
    pub(crate) directives: RobotsDirectives,
    pub(super) fingerprints: Option<Fingerprints>,
    /// Text that readers see; empty unless requested.
    pub(super) text: String,
}

/// Fingerprints of the text of a page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fingerprints {
    /// Equal for equal texts only.
    pub(super) exact: u64,
    pub(super) print: Option<TextPrint>,
}

/// Parts of a page to read besides its links. Most pages need none, and they take as long as the
/// links.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TextWanted {
    /// The text that readers see.
    pub(super) text: bool,
    pub(super) print: bool,
    /// The page answers a query, so that verticals are shown it although it asks not to be indexed.
    pub(super) is_asked: bool,
}

impl Reading {
    /// Reads a page, with its visible text if that is wanted.
    pub(crate) fn of(exchange: &Exchange, settings: &ReadingSettings, wanted: TextWanted) -> Reading {
        Reading::probed(exchange, &[], settings, wanted)
    }

    /// Reads a page with links that only its elements' scripts know.
    pub(super) fn probed(
        exchange: &Exchange,
        probed: &[ProbedLink],
        settings: &ReadingSettings,
        wanted: TextWanted,
    ) -> Reading {
        let page = Arc::new(Page::new(source(exchange)));
        let limits = match wanted.text {
            true => &settings.limits_with_text,
            false => &settings.limits,
        };
        let mut scanned = scan(page.text(), limits);
        let base = scanned.base_url(page.url()).into_owned();
        let mut links = Links::new(&page, base, settings.keep_links);
        links.add_page(&scanned, "");
        for html in &scanned.srcdocs {
            links.add_page(&scan(html, limits), SRCDOC);
        }
        if scanned.has_form_without_text {
            for form in &page.forms().forms {
                for (url, label) in form_links(form, page.url(), &settings.acts) {
                    links.add(url.as_str(), &label, FORM, "");
                }
            }
        }
        links.add_data(&settings.rendering);
        for link in probed {
            links.add(&link.url, &link.text, &format!("{PROBE}{}", link.path), "");
        }
        links.add_headers(exchange);
        let mut directives = scanned.robots;
        let header: Vec<_> = exchange.header_all("x-robots-tag").collect();
        if !header.is_empty() {
            let values = header.iter().map(AsRef::as_ref);
            directives.merge(&RobotsDirectives::from_headers(values, &limits.product_token));
        }
        let fingerprints = wanted.text.then(|| Fingerprints {
            exact: xxh3_64(scanned.text.as_bytes()),
            print: wanted.print.then(|| TextPrint::of(&scanned.text)),
        });
        let canonical = scanned
            .canonical_href()
            .and_then(|href| links.base.join(href).ok());
        Reading {
            links: links.list,
            follow: links.follow,
            places: links.places,
            title: Some(scanned.title.clone()).filter(|title| !title.is_empty()),
            canonical: canonical.or(links.canonical),
            feeds: links.feeds,
            directives,
            fingerprints,
            text: std::mem::take(&mut scanned.text),
            page: Arc::clone(&page),
        }
    }
}

/// The links of a page, from its elements and from its headers.
struct Links<'p> {
    page: &'p Page,
    base: Url,
    /// Paths are relative to the page's own origin, unless it has a `base`.
    has_own_paths: bool,
    keeps_texts: bool,
    list: LinkList,
    follow: Vec<bool>,
    places: Vec<u64>,
    feeds: Vec<Url>,
    /// The canonical URL that a header states.
    canonical: Option<Url>,
}

impl<'p> Links<'p> {
    fn new(page: &'p Page, base: Url, keeps_texts: bool) -> Links<'p> {
        Links {
            has_own_paths: base.origin() == page.url().origin(),
            page,
            base,
            keeps_texts,
            list: LinkList::new(),
            follow: Vec::new(),
            places: Vec::new(),
            feeds: Vec::new(),
            canonical: None,
        }
    }

    /// Adds the links of the page, or of a document inside it, whose paths begin with `within`.
    fn add_page(&mut self, scanned: &ScannedPage<'_>, within: &str) {
        let base = match within {
            "" => self.base.clone(),
            _ => scanned.base_url(&self.base).into_owned(),
        };
        let has_own_paths = base.origin() == self.page.url().origin();
        self.follow.reserve(scanned.links.len());
        self.places.reserve(scanned.links.len());
        let (mut path_of, mut path) = (None, String::new());
        for link in &scanned.links {
            match link.kind {
                LinkKind::Form => continue,
                LinkKind::Feed => {
                    let feed = base.join(scanned.href(link)).ok();
                    self.feeds.extend(feed.filter(|_| self.feeds.len() < MAX_FEEDS));
                    continue;
                }
                LinkKind::Anchor | LinkKind::Head | LinkKind::Frame | LinkKind::Refresh => {}
            }
            let Some(href) = resolved(scanned.href(link), &base, has_own_paths) else {
                continue;
            };
            // The links of a listing stand one after another in the same place.
            if self.keeps_texts && path_of != Some(link.path) {
                path_of = Some(link.path);
                path = format!("{within}{}", scanned.path(link.path));
            }
            let (text, rel) = match self.keeps_texts {
                true => (scanned.text_of(link), scanned.rel(link)),
                false => ("", ""),
            };
            let kept = Link {
                href: &href,
                text,
                path: &path,
                rel,
            };
            if !self.list.push(kept) {
                break;
            }
            self.follow.push(!link.relations.asks_not_to_follow());
            self.places.push(scanned.path_hash(link.path));
        }
    }

    /// Adds a link from elsewhere than an element.
    fn add(&mut self, href: &str, text: &str, path: &str, rel: &str) {
        let Some(href) = resolved(href, &self.base, self.has_own_paths) else {
            return;
        };
        let (place, is_followed) = (path_hash(path), !Relations::of(rel).asks_not_to_follow());
        let (text, path, rel) = match self.keeps_texts {
            true => (text, path, rel),
            false => ("", "", ""),
        };
        let link = Link {
            href: &href,
            text,
            path,
            rel,
        };
        if self.list.push(link) {
            self.follow.push(is_followed);
            self.places.push(place);
        }
    }

    /// Adds the links in the data of the page, if it is a JSON document or its kind has them there,
    /// and the URL from which its scripts fetch their data.
    fn add_data(&mut self, rules: &RenderingRules) {
        let url = CanonicalUrl::trusted(self.page.url().as_str());
        let mode = url.as_ref().map_or(Mode::Plain, |url| rules.mode(url));
        if self.page.content_type().ends_with("json") || mode == Mode::Embedded {
            for url in self.page.data_urls() {
                self.add(&url, "", DATA, "");
            }
        }
        if let Some(data) = url.and_then(|url| rules.endpoint(&url)) {
            self.add(data.as_str(), "", ENDPOINT, "");
        }
    }

    /// Adds what the headers `Refresh` and `Link` name.
    fn add_headers(&mut self, exchange: &Exchange) {
        // The base of links in headers is the page's URL, even if it has a `base` element.
        let own = |href: &str| self.page.url().join(href).ok();
        let (mut found, mut canonical) = (Vec::new(), None);
        for value in exchange.header_all("refresh").take(1) {
            let url = refresh_of_header(&value).and_then(own);
            found.extend(url.map(|url| (url, REFRESH, String::new())));
        }
        for value in exchange.header_all("link").take(MAX_LINK_HEADERS) {
            for link in links_of_header(&value) {
                let Some(url) = own(link.href) else { continue };
                if canonical.is_none() && link.relations.contains(Relations::CANONICAL) {
                    canonical = Some(url.clone());
                }
                found.push((url, LINK, link.rel.to_owned()));
            }
        }
        for (url, path, rel) in found {
            self.add(url.as_str(), "", path, &rel);
        }
        self.canonical = canonical;
    }
}

/// The page as extractors and decoders take it.
pub(crate) fn source(exchange: &Exchange) -> PageSource {
    PageSource {
        url: exchange.url.clone(),
        status: exchange.status,
        headers: exchange
            .headers()
            .map(|(name, value)| (name.to_owned(), value.into_owned()))
            .collect(),
        fetched_at: exchange.started_at.into(),
        body: exchange.shared_body(),
    }
}

/// Returns a reference in a form that needs no page to resolve: an absolute URL, or a path of the
/// page's own origin.
fn resolved<'a>(href: &'a str, base: &Url, own_paths: bool) -> Option<std::borrow::Cow<'a, str>> {
    // Most links are written like that.
    let is_path = own_paths && href.starts_with('/') && !href[1..].starts_with(['/', '\\']);
    if is_path || href.starts_with("http://") || href.starts_with("https://") {
        return Some(href.into());
    }
    let url = base.join(href).ok()?;
    matches!(url.scheme(), "http" | "https").then(|| String::from(url).into())
}
