//! Elements of a page.

use std::fmt;

use super::{Page, Table};
use crate::Error;

/// One element of a page: an index and a reference to the page, so it is cheap to copy.
///
/// Two are equal if they are the same element of the same page.
#[derive(Clone, Copy)]
pub struct Element<'p> {
    page: &'p Page,
    node: u32,
}

impl<'p> Element<'p> {
    pub(super) fn new(page: &'p Page, node: u32) -> Self {
        Self { page, node }
    }

    /// Node id: the index in document order.
    pub fn node(self) -> u32 {
        self.node
    }

    /// Page of the element.
    pub fn page(self) -> &'p Page {
        self.page
    }

    /// Tag name in lower case.
    pub fn tag(self) -> String {
        self.page.host().tag(self.node)
    }

    /// Visible text: each run of white space is one space, blocks and line breaks are a line feed,
    /// and the ends are trimmed.
    pub fn text(self) -> String {
        self.page.host().text_of(self.node)
    }

    /// As [`Element::text`], without the text of child elements.
    pub fn own_text(self) -> String {
        self.page.host().own_text(self.node)
    }

    /// The element as HTML.
    pub fn html(self) -> String {
        self.page.host().html_of(self.node)
    }

    /// An attribute as written.
    pub fn attr(self, name: &str) -> Option<String> {
        self.page.host().attribute(self.node, name)
    }

    /// An attribute with a reference, as an absolute URL.
    pub fn url_attr(self, name: &str) -> Option<String> {
        self.attr(name)
            .and_then(|reference| self.page.resolve(&reference))
    }

    /// All attributes, in source order.
    pub fn attrs(self) -> Vec<(String, String)> {
        self.page.host().attributes(self.node)
    }

    /// Parent of the element; `None` for the document itself.
    pub fn parent(self) -> Option<Self> {
        self.page
            .host()
            .parent(self.node)
            .map(|node| Self::new(self.page, node))
    }

    /// The parent, its parent, and so on up to the document itself.
    pub fn ancestors(self) -> Ancestors<'p> {
        Ancestors { next: self.parent() }
    }

    /// The child elements, without text.
    pub fn children(self) -> std::vec::IntoIter<Self> {
        self.all(self.page.host().children(self.node))
    }

    /// Elements below this one that match a CSS selector, in document order.
    #[track_caller]
    pub fn select(self, css: &str) -> std::vec::IntoIter<Self> {
        match self.page.host().select(self.node, css) {
            Ok(nodes) => self.all(nodes),
            Err(error) => refuse(&error),
        }
    }

    /// First element below this one that matches a CSS selector.
    #[track_caller]
    pub fn select_one(self, css: &str) -> Option<Self> {
        self.select(css).next()
    }

    /// Returns true if this element matches a CSS selector.
    #[track_caller]
    pub fn matches(self, css: &str) -> bool {
        match self.page.host().matches(self.node, css) {
            Ok(matches) => matches,
            Err(error) => refuse(&error),
        }
    }

    /// As [`Element::select`], for a selector that is only known at run time.
    ///
    /// # Errors
    ///
    /// Fails with `invalid-selector` if the selector can't be parsed.
    pub fn try_select(self, css: &str) -> Result<Vec<Self>, Error> {
        Ok(self.all(self.page.host().select(self.node, css)?).collect())
    }

    /// Rows and their cells below this element in one call; see [`Table`].
    pub fn table(self, rows: &str) -> Table<'p> {
        Table::new(self, rows)
    }

    fn all(self, nodes: Vec<u32>) -> std::vec::IntoIter<Self> {
        let page = self.page;
        nodes
            .into_iter()
            .map(|node| Self::new(page, node))
            .collect::<Vec<_>>()
            .into_iter()
    }
}

impl PartialEq for Element<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.node == other.node && std::ptr::eq(self.page, other.page)
    }
}

impl Eq for Element<'_> {}

impl fmt::Debug for Element<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}>#{}", self.tag(), self.node)
    }
}

/// Ancestors of an element, nearest first.
#[derive(Clone, Debug)]
pub struct Ancestors<'p> {
    next: Option<Element<'p>>,
}

impl<'p> Iterator for Ancestors<'p> {
    type Item = Element<'p>;

    fn next(&mut self) -> Option<Self::Item> {
        let current = self.next?;
        self.next = current.parent();
        Some(current)
    }
}

/// Panics because of an invalid selector, with the location of the caller.
#[track_caller]
pub(super) fn refuse(error: &Error) -> ! {
    panic!("{error}")
}
