//! The page a plugin is asked about.

mod attribute;
mod element;
mod entity;
mod outline;
mod table;

use std::cell::OnceCell;
use std::fmt;

pub(crate) use attribute::Written;
pub use element::{Ancestors, Element};
pub use entity::{Entities, Entity};
pub use outline::{Children, Outline, OutlineNode};
pub use table::{Cell, Row, Table};

use magpie_values::date::{Date, DateContext};
use magpie_values::money::MoneyContext;

use crate::Error;
use crate::backend::HostPage;
use entity::StructuredData;

/// A fetched page. The host has decoded and parsed it; what is read often is kept here.
///
/// In a component the host lends it. In tests it is made from text with [`Page::from_html`].
///
/// Methods that take a CSS selector end the call with a sentence that names the line in your code
/// when the selector can't be parsed, like an index out of bounds: it is a slip to be found by the
/// first test. For selectors that are not known while writing there are `try_select` and the like.
pub struct Page {
    host: HostPage,
    url: OnceCell<String>,
    language: OnceCell<Option<String>>,
    outline: OnceCell<Outline>,
    structured: OnceCell<StructuredData>,
}

impl Page {
    pub(crate) fn new(host: HostPage) -> Self {
        Self {
            host,
            url: OnceCell::new(),
            language: OnceCell::new(),
            outline: OnceCell::new(),
            structured: OnceCell::new(),
        }
    }

    /// The page that the host lends for one call; for the code of `export!`.
    #[cfg(target_arch = "wasm32")]
    #[doc(hidden)]
    pub fn lent(page: &crate::bindings::pages::Page) -> Self {
        Self::new(HostPage::lent(page))
    }

    pub(crate) fn host(&self) -> &HostPage {
        &self.host
    }

    /// The final URL, after redirects.
    pub fn url(&self) -> &str {
        self.url.get_or_init(|| self.host.url())
    }

    /// When it was fetched, in seconds since 1970-01-01T00:00:00Z. "Now", for a plugin.
    pub fn fetched_at(&self) -> i64 {
        self.host.fetched_at()
    }

    /// The HTTP status.
    pub fn status(&self) -> u16 {
        self.host.status()
    }

    /// The media type without parameters, in lower case: `text/html`. Empty when unknown.
    pub fn content_type(&self) -> String {
        self.host.content_type()
    }

    /// The value of a response header, by its name in any case.
    pub fn header(&self, name: &str) -> Option<String> {
        self.host.header(name)
    }

    /// The page's language as a BCP 47 tag.
    pub fn language(&self) -> Option<&str> {
        self.language.get_or_init(|| self.host.language()).as_deref()
    }

    /// What is to be known before reading a date on this page: its day and its language.
    pub fn date_context(&self) -> DateContext<'_> {
        let fetched = self.fetched_at();
        let today = (fetched > 0)
            .then(|| Date::from_days(fetched.div_euclid(86_400)))
            .flatten();
        DateContext {
            today,
            language: self.language(),
            ..DateContext::default()
        }
    }

    /// What is to be known before reading a price on this page: its language.
    pub fn money_context(&self) -> MoneyContext<'_> {
        MoneyContext {
            language: self.language(),
            ..MoneyContext::default()
        }
    }

    /// The text of the `title` element.
    pub fn title(&self) -> Option<String> {
        self.host.title()
    }

    /// The text a reader sees on the whole page. See [`Element::text`].
    pub fn text(&self) -> String {
        self.host.text_of(0)
    }

    /// The whole source, decoded to text.
    pub fn source(&self) -> String {
        self.host.source()
    }

    /// The whole source, as bytes, for those who bring a parser.
    pub fn body(&self) -> Vec<u8> {
        self.host.body()
    }

    /// A reference on the page as an absolute URL.
    pub fn resolve(&self, reference: &str) -> Option<String> {
        self.host.resolve(reference)
    }

    /// The value of an option; the same as [`magpie_sdk::option`](crate::option()).
    ///
    /// # Errors
    ///
    /// As there.
    pub fn option<T: crate::OptionValue>(&self, name: &str) -> Result<T, Error> {
        crate::option(name)
    }

    /// The document itself, as an element: the scope of everything.
    pub fn root(&self) -> Element<'_> {
        self.element(0)
    }

    /// The element with this node id, as the contract and [`Outline`] number them.
    pub fn element(&self, node: u32) -> Element<'_> {
        Element::new(self, node)
    }

    /// The elements that match a CSS selector, in document order.
    #[track_caller]
    pub fn select(&self, css: &str) -> std::vec::IntoIter<Element<'_>> {
        self.root().select(css)
    }

    /// The first element that matches a CSS selector.
    #[track_caller]
    pub fn select_one(&self, css: &str) -> Option<Element<'_>> {
        self.root().select_one(css)
    }

    /// As [`Page::select`], for a selector that is not known while writing.
    ///
    /// # Errors
    ///
    /// `invalid-selector` when it can't be parsed.
    pub fn try_select(&self, css: &str) -> Result<Vec<Element<'_>>, Error> {
        self.root().try_select(css)
    }

    /// Rows and their cells in one call; see [`Table`].
    pub fn table(&self, rows: &str) -> Table<'_> {
        self.root().table(rows)
    }

    /// All elements that carry an attribute, with its value, in document order.
    pub fn having(&self, attribute: &str) -> Vec<(Element<'_>, String)> {
        let written = self.written(attribute);
        written
            .iter()
            .map(|(node, value)| (self.element(node), value.to_owned()))
            .collect()
    }

    /// As [`having`](Self::having), without a string for each.
    pub(crate) fn written(&self, attribute: &str) -> Written {
        Written::new(self.host.having(attribute))
    }

    /// The page's structured data (JSON-LD, microdata, RDFa, microformats, Open Graph), each
    /// outermost entity in document order.
    pub fn structured(&self) -> Entities<'_> {
        Entities::outermost(self, self.structured_data())
    }

    /// All entities of the page's structured data, a nested one after the one that holds it.
    pub fn entities(&self) -> Entities<'_> {
        Entities::all(self, self.structured_data())
    }

    /// The whole tree in this plugin's memory, to walk without asking the host for each node.
    pub fn outline(&self) -> &Outline {
        self.outline.get_or_init(|| Outline::new(self.host.outline()))
    }

    fn structured_data(&self) -> &StructuredData {
        self.structured
            .get_or_init(|| StructuredData::new(self.host.structured_data()))
    }
}

impl fmt::Debug for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Page")
            .field("url", &self.url())
            .finish_non_exhaustive()
    }
}
