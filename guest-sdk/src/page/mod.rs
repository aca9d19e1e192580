//! The page given to a plugin.

mod attribute;
mod element;
mod entity;
mod form;
mod outline;
mod table;

use std::cell::OnceCell;
use std::fmt;

pub(crate) use attribute::Written;
pub use element::{Ancestors, Element};
pub use entity::{Entities, Entity};
pub use form::{Form, FormField, FormSubmit};
pub use outline::{Children, Outline, OutlineNode};
pub use table::{Cell, Row, Table};

use magpie_values::date::{Date, DateContext};
use magpie_values::money::MoneyContext;

use crate::Error;
use crate::backend::HostPage;
use crate::bindings::pages;
use entity::StructuredData;

/// A fetched page, decoded and parsed by the host. Frequently used values are cached.
///
/// In a component the host lends it. Tests make one from text with [`Page::from_html`].
///
/// Methods that take a CSS selector panic if it can't be parsed, with the location of the call,
/// like an index out of bounds: the first test finds such a mistake. For selectors that are only
/// known at run time there are `try_select` and the like.
pub struct Page {
    host: HostPage,
    url: OnceCell<String>,
    language: OnceCell<Option<String>>,
    own_date: OnceCell<OwnDate>,
    outline: OnceCell<Outline>,
    structured: OnceCell<StructuredData>,
    forms: OnceCell<Vec<pages::Form>>,
}

impl Page {
    pub(crate) fn new(host: HostPage) -> Self {
        Self {
            host,
            url: OnceCell::new(),
            language: OnceCell::new(),
            own_date: OnceCell::new(),
            outline: OnceCell::new(),
            structured: OnceCell::new(),
            forms: OnceCell::new(),
        }
    }

    /// Wraps the page that the host lends for one call; used by the code of `export!`.
    #[cfg(target_arch = "wasm32")]
    #[doc(hidden)]
    pub fn lent(page: &pages::Page) -> Self {
        Self::new(HostPage::lent(page))
    }

    pub(crate) fn host(&self) -> &HostPage {
        &self.host
    }

    /// Final URL, after redirects.
    pub fn url(&self) -> &str {
        self.url.get_or_init(|| self.host.url())
    }

    /// Time of the fetch, in seconds since 1970-01-01T00:00:00Z. No value of an object may depend
    /// on it, because the same page must give the same objects when it is read again; see
    /// [`own_date`](Self::own_date).
    pub fn fetched_at(&self) -> i64 {
        self.host.fetched_at()
    }

    /// HTTP status.
    pub fn status(&self) -> u16 {
        self.host.status()
    }

    /// Media type without parameters, in lower case: `text/html`. Empty if unknown.
    pub fn content_type(&self) -> String {
        self.host.content_type()
    }

    /// Value of a response header; the case of its name does not matter.
    pub fn header(&self, name: &str) -> Option<String> {
        self.host.header(name)
    }

    /// Language of the page as a BCP 47 tag.
    pub fn language(&self) -> Option<&str> {
        self.language.get_or_init(|| self.host.language()).as_deref()
    }

    /// Date of the page itself, as far as it states one. It never depends on the time of the fetch.
    pub fn own_date(&self) -> &OwnDate {
        self.own_date.get_or_init(|| {
            let own = self.host.own_date();
            OwnDate {
                day: own.day.and_then(|day| day.parse().ok()),
                source: own.source,
                year: own.year,
            }
        })
    }

    /// Context for parsing a date on this page: its own day and year, and its language. A date
    /// without a year keeps none if the page states neither.
    pub fn date_context(&self) -> DateContext<'_> {
        let own = self.own_date();
        DateContext {
            today: own.day,
            year: own.year,
            language: self.language(),
            ..DateContext::default()
        }
    }

    /// Context for parsing a price on this page: its language.
    pub fn money_context(&self) -> MoneyContext<'_> {
        MoneyContext {
            language: self.language(),
            ..MoneyContext::default()
        }
    }

    /// Text of the `title` element.
    pub fn title(&self) -> Option<String> {
        self.host.title()
    }

    /// Visible text of the whole page. See [`Element::text`].
    pub fn text(&self) -> String {
        self.host.text_of(0)
    }

    /// The whole source, decoded to text.
    pub fn source(&self) -> String {
        self.host.source()
    }

    /// The whole source as bytes, for plugins with their own parser.
    pub fn body(&self) -> Vec<u8> {
        self.host.body()
    }

    /// Resolves a reference on the page to an absolute URL.
    pub fn resolve(&self, reference: &str) -> Option<String> {
        self.host.resolve(reference)
    }

    /// Value of an option; the same as [`magpie_sdk::option`](crate::option()).
    ///
    /// # Errors
    ///
    /// As for [`magpie_sdk::option`](crate::option()).
    pub fn option<T: crate::OptionValue>(&self, name: &str) -> Result<T, Error> {
        crate::option(name)
    }

    /// The document itself, as an element.
    pub fn root(&self) -> Element<'_> {
        self.element(0)
    }

    /// Element with this node id, as in the contract and in [`Outline`].
    pub fn element(&self, node: u32) -> Element<'_> {
        Element::new(self, node)
    }

    /// Elements that match a CSS selector, in document order.
    #[track_caller]
    pub fn select(&self, css: &str) -> std::vec::IntoIter<Element<'_>> {
        self.root().select(css)
    }

    /// First element that matches a CSS selector.
    #[track_caller]
    pub fn select_one(&self, css: &str) -> Option<Element<'_>> {
        self.root().select_one(css)
    }

    /// As [`Page::select`], for a selector that is only known at run time.
    ///
    /// # Errors
    ///
    /// Fails with `invalid-selector` if the selector can't be parsed.
    pub fn try_select(&self, css: &str) -> Result<Vec<Element<'_>>, Error> {
        self.root().try_select(css)
    }

    /// Rows and their cells in one call; see [`Table`].
    pub fn table(&self, rows: &str) -> Table<'_> {
        self.root().table(rows)
    }

    /// All elements that have an attribute, with its value, in document order.
    pub fn having(&self, attribute: &str) -> Vec<(Element<'_>, String)> {
        let written = self.written(attribute);
        written
            .iter()
            .map(|(node, value)| (self.element(node), value.to_owned()))
            .collect()
    }

    /// As [`having`](Self::having), without allocating a string for each value.
    pub(crate) fn written(&self, attribute: &str) -> Written {
        Written::new(self.host.having(attribute))
    }

    /// Outermost entities of the page's structured data (JSON-LD, microdata, RDFa, microformats,
    /// Open Graph), in document order.
    pub fn structured(&self) -> Entities<'_> {
        Entities::outermost(self, self.structured_data())
    }

    /// All entities of the page's structured data; a nested one comes after the one that contains
    /// it.
    pub fn entities(&self) -> Entities<'_> {
        Entities::all(self, self.structured_data())
    }

    /// Forms with their fields, labels and choices, in document order.
    pub fn forms(&self) -> impl Iterator<Item = Form<'_>> {
        let forms = self.forms.get_or_init(|| self.host.forms());
        forms.iter().map(|form| Form::new(self, form))
    }

    /// The whole tree in the plugin's memory, for walking without calls to the host.
    pub fn outline(&self) -> &Outline {
        self.outline.get_or_init(|| Outline::new(self.host.outline()))
    }

    fn structured_data(&self) -> &StructuredData {
        self.structured
            .get_or_init(|| StructuredData::new(self.host.structured_data()))
    }
}

/// Date of a page itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnDate {
    /// Day on which the page was published or changed. "Today" and "tomorrow" on it are relative to
    /// this day.
    pub day: Option<Date>,
    /// Place where the day is stated: `structured-data`, `url`, `heading` or `header`. Empty
    /// without a day. The list grows.
    pub source: String,
    /// Year that the title, the main heading or the URL states for the dates on the page.
    pub year: Option<i32>,
}

impl fmt::Debug for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Page")
            .field("url", &self.url())
            .finish_non_exhaustive()
    }
}
