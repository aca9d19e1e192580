//! The parts of a page that a crawler reads. They are read on the thread that has the page, so that
//! the loop that decides only decides.

use std::sync::Arc;

use magpie_discovery::{LinkKind, RobotsDirectives, ScanLimits, TextPrint, scan};
use magpie_page::{Page, PageSource};
use magpie_store::{Link, LinkList};
use magpie_web::Exchange;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

/// Feeds that one page may name.
const MAX_FEEDS: usize = 32;

/// Settings for reading pages.
#[derive(Clone, Debug)]
pub(crate) struct ReadingSettings {
    /// Without the text that readers see, which most pages need not be read for.
    pub(super) limits: ScanLimits,
    /// With it.
    pub(super) limits_with_text: ScanLimits,
    /// Anchor texts and places are kept, not only addresses.
    pub(super) keep_links: bool,
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
    /// The feeds that it names.
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
    /// Its fingerprints.
    pub(super) print: bool,
    /// The page answers a query, so that verticals are shown it although it asks not to be indexed.
    pub(super) is_asked: bool,
}

impl Reading {
    /// Reads a page, with its visible text if that is wanted.
    pub(crate) fn of(exchange: &Exchange, settings: &ReadingSettings, wanted: TextWanted) -> Reading {
        let page = Arc::new(Page::new(source(exchange)));
        let limits = match wanted.text {
            true => &settings.limits_with_text,
            false => &settings.limits,
        };
        let mut scanned = scan(page.text(), limits);
        let base = scanned.base_url(page.url());
        // Paths mean the page's own origin, unless its `base` says otherwise.
        let own_paths = base.origin() == page.url().origin();
        let mut links = LinkList::new();
        let mut follow = Vec::with_capacity(scanned.links.len());
        let mut places = Vec::with_capacity(scanned.links.len());
        let (mut path_of, mut path) = (None, String::new());
        let mut feeds = Vec::new();
        for link in &scanned.links {
            match link.kind {
                LinkKind::Form => continue,
                LinkKind::Feed => {
                    feeds.extend(
                        base.join(scanned.href(link))
                            .ok()
                            .filter(|_| feeds.len() < MAX_FEEDS),
                    );
                    continue;
                }
                LinkKind::Anchor | LinkKind::Head | LinkKind::Frame | LinkKind::Refresh => {}
            }
            let Some(href) = resolved(scanned.href(link), &base, own_paths) else {
                continue;
            };
            // The links of a listing stand one after another in the same place.
            if settings.keep_links && path_of != Some(link.path) {
                path_of = Some(link.path);
                path = scanned.path(link.path);
            }
            let kept = Link {
                href: &href,
                text: if settings.keep_links {
                    scanned.text_of(link)
                } else {
                    ""
                },
                path: &path,
                rel: if settings.keep_links {
                    scanned.rel(link)
                } else {
                    ""
                },
            };
            if !links.push(kept) {
                break;
            }
            follow.push(!link.relations.asks_not_to_follow());
            places.push(scanned.path_hash(link.path));
        }
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
        Reading {
            links,
            follow,
            places,
            title: Some(scanned.title.clone()).filter(|title| !title.is_empty()),
            canonical: scanned.canonical_href().and_then(|href| base.join(href).ok()),
            feeds,
            directives,
            fingerprints,
            text: std::mem::take(&mut scanned.text),
            page: Arc::clone(&page),
        }
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
/// page's own origin. Most links are written like that.
fn resolved<'a>(href: &'a str, base: &Url, own_paths: bool) -> Option<std::borrow::Cow<'a, str>> {
    let is_path = own_paths && href.starts_with('/') && !href[1..].starts_with(['/', '\\']);
    if is_path || href.starts_with("http://") || href.starts_with("https://") {
        return Some(href.into());
    }
    let url = base.join(href).ok()?;
    matches!(url.scheme(), "http" | "https").then(|| String::from(url).into())
}
