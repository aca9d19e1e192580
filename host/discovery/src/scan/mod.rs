//! The links of a page, read from its text without a tree.
//!
//! One pass with the tokeniser of the HTML standard and the part of its tree builder that paths
//! need. A page of 31 KB with fifty links takes some tens of microseconds, a tenth of the cost of a
//! tree. Scripting counts as disabled, so the content of `noscript` counts.

mod element;
mod flow;
mod foreign;
mod headers;
mod links;
mod markup;
mod paths;
mod references;
mod refresh;
mod relations;
mod scanner;
mod tags;
mod tree;

use std::borrow::Cow;
use std::fmt;

use url::Url;

use crate::directives::RobotsDirectives;
use markup::Span;
use paths::Paths;

pub use headers::{HeaderLink, links_of_header, refresh_of_header};
pub use paths::{PathId, path_hash};
pub use relations::Relations;

/// Limits and options for reading a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanLimits {
    /// Bytes of the page's text. The rest is not read.
    pub max_bytes: usize,
    /// Links. The rest of the page is not read.
    pub max_links: usize,
    /// Bytes of one reference. Links with longer ones are left out and counted.
    pub max_href_bytes: usize,
    /// Bytes of one link's text. The rest of the text is left out.
    pub max_text_bytes: usize,
    /// Keeps the visible text, for fingerprints and near duplicates.
    pub keep_text: bool,
    /// The product token by which robots meta tags may speak to us alone; empty for none.
    pub product_token: String,
}

/// Usual maximum for the body of a page.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// Pages for readers have some hundred links, site maps in HTML a few thousand.
const MAX_LINKS: usize = 5_000;

/// Servers refuse longer request lines.
const MAX_HREF_BYTES: usize = 8 * 1024;

/// A link around a whole card of a listing has a few hundred bytes.
const MAX_TEXT_BYTES: usize = 1024;

impl Default for ScanLimits {
    fn default() -> Self {
        ScanLimits {
            max_bytes: MAX_BYTES,
            max_links: MAX_LINKS,
            max_href_bytes: MAX_HREF_BYTES,
            max_text_bytes: MAX_TEXT_BYTES,
            keep_text: false,
            product_token: String::new(),
        }
    }
}

/// The element or header that a link is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkKind {
    /// `a` or `area`: what a reader can click.
    Anchor,
    /// `link`, as `rel=next` or `rel=canonical`, without those that load styles, icons or scripts.
    Head,
    /// `link rel=alternate` with the media type of a feed.
    Feed,
    /// `iframe` or `frame`: a page shown inside this one.
    Frame,
    /// `meta http-equiv=refresh`: the page to which it sends its reader.
    Refresh,
    /// The action of a form that asks by GET.
    Form,
}

impl LinkKind {}

/// A part of the page's source, or of what was decoded from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    Source(Span),
    Decoded(Span),
    LinkText(Span),
}

impl Piece {
    const EMPTY: Piece = Piece::Source(Span { start: 0, end: 0 });
}

/// One link. Its texts are asked of the [`ScannedPage`].
#[derive(Clone, Copy, Debug)]
pub struct ScannedLink {
    pub kind: LinkKind,
    /// Its position.
    pub path: PathId,
    /// The `rel` values that matter to a crawler.
    pub relations: Relations,
    href: Piece,
    text: Piece,
    rel: Span,
    language: Span,
}

/// An automatic redirect of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refresh {
    /// Seconds until the redirect.
    pub seconds: u32,
    /// The position of its target among the links.
    pub link: usize,
}

/// Reason why a page was not read in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScanTruncation {
    #[error("there are more than {0} links; the rest of the page was not read")]
    TooManyLinks(usize),
    /// More text than the limit.
    #[error("the page is longer than {0} bytes; the rest was not read")]
    TooLong(usize),
}

/// The links of a page and its directives.
pub struct ScannedPage<'h> {
    html: &'h str,
    /// References, and texts from attributes, that had to be decoded.
    decoded: String,
    /// Text inside links. Separate from the rest, because the text of a link grows while others are
    /// found in it.
    link_texts: String,
    paths: Paths,
    base: Option<Piece>,
    /// The links, in the order of the page.
    pub links: Vec<ScannedLink>,
    /// Text of the first `title`, with white space normalised; empty if the page has no title.
    pub title: String,
    /// The robots meta tags, for all robots and for ours.
    pub robots: RobotsDirectives,
    /// The link with `rel=canonical`, by its number.
    pub canonical: Option<usize>,
    /// The automatic redirect of the page, unless it applies only without scripts.
    pub refresh: Option<Refresh>,
    /// The text a reader sees, if asked for; empty otherwise.
    pub text: String,
    /// The HTML of `iframe` elements with a `srcdoc`, whose links are relative to this page.
    pub srcdocs: Vec<String>,
    /// A form that asks by GET has no text field: it leads to pages as links do.
    pub has_form_without_text: bool,
    /// Links left out because their reference is too long.
    pub oversized: usize,
    /// Reason why the page was not read in full.
    pub truncated: Option<ScanTruncation>,
}

/// Reads the links of a page from its decoded text. Never fails, in time linear in the page.
pub fn scan<'h>(html: &'h str, limits: &ScanLimits) -> ScannedPage<'h> {
    scanner::Scanner::new(html, limits).run()
}

impl<'h> ScannedPage<'h> {
    fn new(html: &'h str) -> ScannedPage<'h> {
        ScannedPage {
            html,
            decoded: String::new(),
            link_texts: String::new(),
            paths: Paths::new(),
            base: None,
            links: Vec::new(),
            title: String::new(),
            robots: RobotsDirectives::default(),
            canonical: None,
            refresh: None,
            text: String::new(),
            srcdocs: Vec::new(),
            has_form_without_text: false,
            oversized: 0,
            truncated: None,
        }
    }

    fn piece(&self, piece: Piece) -> &str {
        let (text, span) = match piece {
            Piece::Source(span) => (self.html, span),
            Piece::Decoded(span) => (self.decoded.as_str(), span),
            Piece::LinkText(span) => (self.link_texts.as_str(), span),
        };
        text.get(span.start as usize..span.end as usize)
            .unwrap_or_default()
    }

    /// The reference of a link: decoded and without white space around it, not yet resolved.
    pub fn href(&self, link: &ScannedLink) -> &str {
        self.piece(link.href).trim_matches(|c| c <= ' ')
    }

    /// Returns the text of a link, or its replacement: the text of its image, its label, its title.
    pub fn text_of(&self, link: &ScannedLink) -> &str {
        self.piece(link.text)
    }

    /// The `rel` attribute as it is written.
    pub fn rel(&self, link: &ScannedLink) -> &str {
        self.piece(Piece::Source(link.rel)).trim()
    }

    /// The stated language of a link's page (`hreflang`); empty if none is stated.
    pub fn language(&self, link: &ScannedLink) -> &str {
        self.piece(Piece::Source(link.language)).trim()
    }

    /// A path as text: `html>body>div#main>ul.list>li>a`.
    pub fn path(&self, path: PathId) -> String {
        self.paths.text(path)
    }

    /// The hash of a path: the same for the same path on all pages, [`path_hash`] of its text.
    pub fn path_hash(&self, path: PathId) -> u64 {
        self.paths.hash(path)
    }

    /// Returns the base of the page's links: its own URL, or that of its `base` element.
    pub fn base_url<'u>(&self, page: &'u Url) -> Cow<'u, Url> {
        let base = self.base.and_then(|base| page.join(self.piece(base)).ok());
        // A base like `mailto:` could resolve nothing.
        match base.filter(|base| !base.cannot_be_a_base()) {
            Some(base) => Cow::Owned(base),
            None => Cow::Borrowed(page),
        }
    }

    pub fn canonical_href(&self) -> Option<&str> {
        self.canonical
            .and_then(|link| self.links.get(link))
            .map(|link| self.href(link))
    }
}

impl fmt::Debug for ScannedPage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScannedPage")
            .field("title", &self.title)
            .field("links", &self.links.len())
            .field("truncated", &self.truncated)
            .finish_non_exhaustive()
    }
}
