//! Support for plain Rust tests, without Wasm.
//!
//! [`Page::from_html`] makes a page with the same parser as the host's. Options and log belong to
//! the thread, and so to the test.
//!
//! ```
//! use magpie_sdk::{Error, Found, Page, Record, Vertical, testing};
//!
//! #[derive(Record)]
//! struct Book { title: String }
//!
//! struct Books;
//!
//! impl Vertical for Books {
//!     type Record = Book;
//!     const NAME: &'static str = "books";
//!
//!     fn extract(page: &Page) -> Result<Vec<Found<Book>>, Error> {
//!         magpie_sdk::info!("looking at {}", page.url());
//!         Ok(page.select("h1").map(|heading| Book { title: heading.text() }.into()).collect())
//!     }
//! }
//!
//! let page = Page::from_html("https://example.org/1", "<h1>Tempest</h1>");
//! let books = testing::extract::<Books>(&page).unwrap();
//! assert_eq!(books[0].record.title, "Tempest");
//! assert_eq!(testing::log(), ["info: looking at https://example.org/1"]);
//! ```

use std::sync::Arc;

use magpie_page::PageSource;

use crate::backend::{self, HostPage};
use crate::bindings::host::Level;
use crate::record::Found;
use crate::{Error, Judgement, Page, Validator, Vertical, component};

/// Runs the extractor with the defaults of its options, except for those set before.
///
/// # Errors
///
/// Returns the extractor's errors.
pub fn extract<V: Vertical>(page: &Page) -> Result<Vec<Found<V::Record>>, Error> {
    backend::declare_options(&V::about().options);
    V::extract(page)
}

/// Runs a validator with the defaults of its options, except for those set before.
///
/// # Errors
///
/// Returns the validator's errors.
pub fn judge<V: Validator>(page: &Page) -> Result<Judgement, Error> {
    component::judge::<V>(page)
}

/// Sets an option, as JSON: `50`, `true`, `"text"`.
pub fn set_option(name: &str, json: &str) {
    backend::set_option(name, json);
}

/// Removes all options that were set or declared.
pub fn clear_options() {
    backend::clear_options();
}

/// Takes the lines logged since the last call: `info: 12 cards`.
pub fn log() -> Vec<String> {
    let level = |level| match level {
        Level::Debug => "debug",
        Level::Info => "info",
        Level::Warn => "warn",
        Level::Error => "error",
    };
    backend::take_log()
        .into_iter()
        .map(|(of, message)| format!("{}: {message}", level(of)))
        .collect()
}

impl Page {
    /// Makes a page from HTML, for tests.
    ///
    /// # Panics
    ///
    /// Panics if the URL is invalid.
    #[track_caller]
    pub fn from_html(url: &str, html: &str) -> Self {
        match magpie_page::Page::from_html(url, html) {
            Ok(page) => Self::from_host(Arc::new(page)),
            Err(error) => panic!("`{url}` is not a URL: {error}"),
        }
    }

    /// Makes a page from any body, with a media type and a day.
    ///
    /// # Panics
    ///
    /// Panics if the URL is invalid.
    #[track_caller]
    pub fn from_response(url: &str, content_type: &str, fetched_at: i64, body: &[u8]) -> Self {
        let url = match url::Url::parse(url) {
            Ok(url) => url,
            Err(error) => panic!("`{url}` is not a URL: {error}"),
        };
        let headers = vec![("content-type".to_owned(), content_type.to_owned())];
        let source = PageSource {
            url,
            status: 200,
            headers,
            fetched_at: magpie_values::Timestamp::from_seconds(fetched_at),
            body: body.to_vec().into(),
        };
        Self::from_host(Arc::new(magpie_page::Page::new(source)))
    }

    /// Wraps a page of the host's parser, for programs that run a plugin without Wasm.
    pub fn from_host(page: Arc<magpie_page::Page>) -> Self {
        Self::new(HostPage::native(page))
    }
}
