//! Backend in a component: forwards every call to the host.

use std::mem::ManuallyDrop;
use std::sync::Once;

use crate::Error;
use crate::bindings::host::{self, Level};
use crate::bindings::pages::{self, AttributeColumns, Column, Form, Outline, Row, StructuredItem};

/// The page that the host lent for this call.
#[derive(Debug)]
pub(crate) struct HostPage(ManuallyDrop<pages::Page>);

impl HostPage {
    /// Borrows a page that the host lent. The result must not outlive the call that lent the page;
    /// the only caller, `component::extract`, keeps it on its stack and passes it on by reference.
    pub(crate) fn lent(page: &pages::Page) -> Self {
        // SAFETY: the handle comes from a live page, and `ManuallyDrop` never returns it a second
        // time.
        Self(ManuallyDrop::new(unsafe {
            pages::Page::from_handle(page.handle())
        }))
    }

    pub(crate) fn url(&self) -> String {
        self.0.url()
    }

    pub(crate) fn fetched_at(&self) -> i64 {
        self.0.fetched_at()
    }

    pub(crate) fn status(&self) -> u16 {
        self.0.status()
    }

    pub(crate) fn content_type(&self) -> String {
        self.0.content_type()
    }

    pub(crate) fn header(&self, name: &str) -> Option<String> {
        self.0.header(name)
    }

    pub(crate) fn language(&self) -> Option<String> {
        self.0.language()
    }

    pub(crate) fn own_date(&self) -> pages::PageDate {
        self.0.own_date()
    }

    pub(crate) fn title(&self) -> Option<String> {
        self.0.title()
    }

    pub(crate) fn source(&self) -> String {
        self.0.text()
    }

    pub(crate) fn body(&self) -> Vec<u8> {
        self.0.body()
    }

    pub(crate) fn structured_data(&self) -> Vec<StructuredItem> {
        self.0.structured_data()
    }

    pub(crate) fn forms(&self) -> Vec<Form> {
        self.0.forms()
    }

    pub(crate) fn resolve(&self, reference: &str) -> Option<String> {
        self.0.resolve(reference)
    }

    pub(crate) fn select(&self, scope: u32, css: &str) -> Result<Vec<u32>, Error> {
        self.0.select(scope, css).map_err(Error::from)
    }

    pub(crate) fn matches(&self, node: u32, css: &str) -> Result<bool, Error> {
        self.0.matches(node, css).map_err(Error::from)
    }

    pub(crate) fn table(&self, scope: u32, rows: &str, columns: &[Column]) -> Result<Vec<Row>, Error> {
        self.0.table(scope, rows, columns).map_err(Error::from)
    }

    pub(crate) fn text_of(&self, node: u32) -> String {
        self.0.text_of(node)
    }

    pub(crate) fn own_text(&self, node: u32) -> String {
        self.0.own_text(node)
    }

    pub(crate) fn html_of(&self, node: u32) -> String {
        self.0.html_of(node)
    }

    pub(crate) fn tag(&self, node: u32) -> String {
        self.0.tag(node)
    }

    pub(crate) fn attribute(&self, node: u32, name: &str) -> Option<String> {
        self.0.attribute(node, name)
    }

    pub(crate) fn attributes(&self, node: u32) -> Vec<(String, String)> {
        self.0.attributes(node)
    }

    pub(crate) fn having(&self, name: &str) -> AttributeColumns {
        self.0.having_columns(name)
    }

    pub(crate) fn parent(&self, node: u32) -> Option<u32> {
        self.0.parent(node)
    }

    pub(crate) fn children(&self, node: u32) -> Vec<u32> {
        self.0.children(node)
    }

    pub(crate) fn outline(&self) -> Outline {
        self.0.outline()
    }
}

pub(crate) fn log(level: Level, message: &str) {
    host::log(level, message);
}

pub(crate) fn option(name: &str) -> Option<String> {
    host::get_option(name)
}

/// Sends the text of a panic to the log: without WASI there is no stderr, and the host would only
/// see that the component stopped.
pub(crate) fn report_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        std::panic::set_hook(Box::new(|panic| log(Level::Error, &panic.to_string())));
    });
}
