//! A fetched page and its parsed contents, each parsed on first use.

use std::collections::{BTreeMap, HashSet};
use std::sync::OnceLock;

use bytes::Bytes;
use magpie_values::Timestamp;
use url::Url;

use crate::decode::{self, Decoded};
use crate::dom::{Document, NodeId, Outline};
use crate::forms::{self, Forms};
use crate::links::{self, Link};
use crate::own_date::{OwnDate, Parts};
use crate::select::{Column, Row, Selector, Stopped};
use crate::structured::{self, StructuredItem};
use crate::{Limits, Problem, language};

/// Response from the network or the archive.
#[derive(Clone, Debug)]
pub struct PageSource {
    /// The final URL, after redirects.
    pub url: Url,
    /// The HTTP status.
    pub status: u16,
    /// The response headers, in order, names in any case.
    pub headers: Vec<(String, String)>,
    /// Time of the fetch.
    pub fetched_at: Timestamp,
    /// The body, without transfer and content encodings.
    pub body: Bytes,
}

/// A fetched page. Creating one costs nothing: text, tree, structured data and forms are parsed on
/// demand, once. No content of a page is an error (see `problems`).
#[derive(Debug)]
pub struct Page {
    source: PageSource,
    limits: Limits,
    content_type: String,
    decoded: OnceLock<Decoded>,
    tree: OnceLock<(Document, Vec<Problem>)>,
    language: OnceLock<Option<String>>,
    title: OnceLock<Option<String>>,
    structured: OnceLock<(Vec<StructuredItem>, Vec<Problem>)>,
    forms: OnceLock<Forms>,
    own_date: OnceLock<OwnDate>,
}

impl Page {
    /// A page with the usual limits.
    pub fn new(source: PageSource) -> Page {
        Page::with_limits(source, Limits::default())
    }

    /// A page with limits of one's own.
    pub fn with_limits(source: PageSource, limits: Limits) -> Page {
        let content_type =
            decode::media_type(find_header(&source.headers, "content-type").unwrap_or_default());
        Page {
            source,
            limits,
            content_type,
            decoded: OnceLock::new(),
            tree: OnceLock::new(),
            language: OnceLock::new(),
            title: OnceLock::new(),
            structured: OnceLock::new(),
            forms: OnceLock::new(),
            own_date: OnceLock::new(),
        }
    }

    /// A page from HTML at hand: status 200, `text/html; charset=utf-8`, fetched at 0.
    pub fn from_html(url: &str, html: &str) -> Result<Page, url::ParseError> {
        Ok(Page::new(PageSource {
            url: Url::parse(url)?,
            status: 200,
            headers: vec![("content-type".to_owned(), "text/html; charset=utf-8".to_owned())],
            fetched_at: Timestamp::default(),
            body: html.as_bytes().to_vec().into(),
        }))
    }

    /// The final URL, after redirects.
    pub fn url(&self) -> &Url {
        &self.source.url
    }

    /// The HTTP status.
    pub fn status(&self) -> u16 {
        self.source.status
    }

    /// Time of the fetch.
    pub fn fetched_at(&self) -> Timestamp {
        self.source.fetched_at
    }

    /// The media type without parameters, in lower case; empty when unknown.
    pub fn content_type(&self) -> &str {
        &self.content_type
    }

    /// The first response header of a name, in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        find_header(&self.source.headers, name)
    }

    /// The source, as bytes.
    pub fn body(&self) -> &[u8] {
        &self.source.body
    }

    /// The source, decoded to text.
    pub fn text(&self) -> &str {
        &self.decoded().text
    }

    /// Name of the encoding by which the source was decoded, as the Encoding Standard spells it:
    /// `UTF-8`.
    pub fn encoding(&self) -> &'static str {
        self.decoded().encoding
    }

    /// The page's language as a BCP 47 tag, from the page itself or its headers.
    pub fn language(&self) -> Option<&str> {
        let language = self
            .language
            .get_or_init(|| language::language(self.document(), self.header("content-language")));
        language.as_deref()
    }

    /// The text of the `title` element, tidied.
    pub fn title(&self) -> Option<&str> {
        self.title.get_or_init(|| find_title(self.document())).as_deref()
    }

    /// The date of the page itself, as far as it states one: never that of the fetch.
    pub fn own_date(&self) -> OwnDate {
        *self.own_date.get_or_init(|| {
            let parts = Parts {
                url: self.url(),
                title: self.title(),
                document: self.document(),
                structured: self.structured_data(),
                last_modified: self.header("last-modified"),
                answered: self.header("date"),
            };
            parts.date()
        })
    }

    /// The tree. For a page that is text but no markup it contains the text; for other pages it is
    /// the root alone.
    pub fn document(&self) -> &Document {
        &self.tree().0
    }

    /// All structured data of the page, in document order. Of a JSON document these are its
    /// objects.
    pub fn structured_data(&self) -> &[StructuredItem] {
        &self.structured().0
    }

    /// Resolves a reference on the page to an absolute URL, by the page's URL and its `base`
    /// element. Returns `None` if it is no URL.
    pub fn resolve(&self, reference: &str) -> Option<String> {
        self.document().resolve(reference)
    }

    /// The whole tree in columns.
    pub fn outline(&self) -> &Outline {
        self.document().outline()
    }

    /// The links to other pages, in document order.
    pub fn links(&self) -> Vec<Link> {
        links::links(self.document())
    }

    /// The elements that are empty until a script fills them, each by its tag and its id or the
    /// name of a data attribute: `div#app`. Empty if the page has no script.
    pub fn script_places(&self) -> Vec<String> {
        crate::dom::script_places(self.document())
    }

    /// The elements that look like links or buttons though they name no address: their number by
    /// their tags and classes, as in `li.item>span.more`. Buttons of forms are none. Empty if the
    /// page has no script.
    pub fn script_actions(&self) -> BTreeMap<String, usize> {
        crate::dom::script_actions(self.document())
    }

    /// The URLs in the page's data that may lead to pages: in the state that its scripts start
    /// from, or in a JSON document. Absolute, in document order; each once.
    pub fn data_urls(&self) -> Vec<String> {
        let written = match self.content_type.ends_with("json") {
            true => structured::document_urls(self.text()),
            false => structured::state_urls(self.document()),
        };
        let mut known = HashSet::new();
        let urls = written.iter().filter_map(|reference| self.resolve(reference));
        urls.filter(|url| url.starts_with("http") && known.insert(url.clone()))
            .collect()
    }

    /// The forms, in document order.
    pub fn forms(&self) -> &Forms {
        self.forms
            .get_or_init(|| forms::forms(self.document(), self.url(), self.encoding()))
    }

    /// Rows and their cells in one go; see `Document::table`.
    pub fn table(
        &self,
        scope: NodeId,
        rows: &Selector,
        columns: &[Column],
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<Row>, Stopped> {
        self.document().table(scope, rows, columns, keep_going)
    }

    /// Everything that was wrong with the page. Reads the page in full to find out.
    pub fn problems(&self) -> Vec<Problem> {
        let found = [&self.decoded().problems, &self.tree().1, &self.structured().1];
        found.into_iter().flatten().cloned().collect()
    }

    fn decoded(&self) -> &Decoded {
        self.decoded
            .get_or_init(|| decode::decode(&self.source, self.limits.max_source_bytes))
    }

    fn tree(&self) -> &(Document, Vec<Problem>) {
        self.tree.get_or_init(|| {
            let kind = decode::kind(&self.content_type, &self.source.body);
            match kind {
                decode::Kind::Markup => Document::parse(self.text(), self.url(), &self.limits),
                decode::Kind::Text => (Document::preformatted(self.text(), self.url()), Vec::new()),
                decode::Kind::Binary => (Document::empty(self.url()), Vec::new()),
            }
        })
    }

    fn structured(&self) -> &(Vec<StructuredItem>, Vec<Problem>) {
        self.structured
            .get_or_init(|| match self.content_type.ends_with("json") {
                true => structured::read_json(self.text(), &self.limits),
                false => structured::read(self.document(), &self.limits),
            })
    }
}

fn find_header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let found = headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.as_str())
}

/// The first `title` that is the page's own: drawings have titles too.
fn find_title(document: &Document) -> Option<String> {
    let mut titles = (0..document.node_count())
        .filter(|&node| document.tag(node) == "title" && document.is_html(node))
        .map(|node| document.text_of(node));
    titles.find(|title| !title.is_empty())
}
