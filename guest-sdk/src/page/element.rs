//! One element of a page.

use std::fmt;

use super::{Page, Table};
use crate::Error;

/// One element of a page: a number and the page it belongs to, so it is copied freely.
///
/// Two are equal when they are the same element of the same page.
#[derive(Clone, Copy)]
pub struct Element<'p> {
    page: &'p Page,
    node: u32,
}

impl<'p> Element<'p> {
    pub(super) fn new(page: &'p Page, node: u32) -> Self {
        Self { page, node }
    }

    /// Its number: its place in document order. Later elements have greater ones.
    pub fn node(self) -> u32 {
        self.node
    }

    /// The page it belongs to.
    pub fn page(self) -> &'p Page {
        self.page
    }

    /// The tag's name in lower case.
    pub fn tag(self) -> String {
        self.page.host().tag(self.node)
    }

    /// The text a reader sees: runs of white space are one space, blocks and line breaks a line
    /// feed, nothing at the ends.
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

    /// An attribute that holds a reference, as an absolute URL.
    pub fn url_attr(self, name: &str) -> Option<String> {
        self.attr(name)
            .and_then(|reference| self.page.resolve(&reference))
    }

    /// All attributes, in the order written.
    pub fn attrs(self) -> Vec<(String, String)> {
        self.page.host().attributes(self.node)
    }

    /// The parent; none for the document itself.
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

    /// The elements below this one that match a CSS selector, in document order.
    #[track_caller]
    pub fn select(self, css: &str) -> std::vec::IntoIter<Self> {
        match self.page.host().select(self.node, css) {
            Ok(nodes) => self.all(nodes),
            Err(error) => refuse(&error),
        }
    }

    /// The first element below this one that matches a CSS selector.
    #[track_caller]
    pub fn select_one(self, css: &str) -> Option<Self> {
        self.select(css).next()
    }

    /// Whether this element matches a CSS selector.
    #[track_caller]
    pub fn matches(self, css: &str) -> bool {
        match self.page.host().matches(self.node, css) {
            Ok(matches) => matches,
            Err(error) => refuse(&error),
        }
    }

    /// As [`Element::select`], for a selector that is not known while writing.
    ///
    /// # Errors
    ///
    /// `invalid-selector` when it can't be parsed.
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

/// The ancestors of an element, nearest first.
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

/// Ends the call for a selector that can't be parsed, blaming the line that wrote it.
#[track_caller]
pub(super) fn refuse(error: &Error) -> ! {
    panic!("{error}")
}
