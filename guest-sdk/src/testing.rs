//! Help for an author's tests in plain Rust, without Wasm.
//!
//! [`Page::from_html`] makes a page; the same parser as the host's stands behind it. Options and
//! log belong to the thread, and so to the test.
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
use crate::{Error, Page, Vertical};

/// Runs the extractor with the defaults of its options, except for those set before.
///
/// # Errors
///
/// The extractor's.
pub fn extract<V: Vertical>(page: &Page) -> Result<Vec<Found<V::Record>>, Error> {
    backend::declare_options(&V::about().options);
    V::extract(page)
}

/// Sets an option, as JSON: `50`, `true`, `"text"`.
pub fn set_option(name: &str, json: &str) {
    backend::set_option(name, json);
}

/// Forgets all options that were set or declared.
pub fn clear_options() {
    backend::clear_options();
}

/// Takes the lines that were logged since the last time: `info: 12 cards`.
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
    /// A page from HTML, for tests.
    ///
    /// # Panics
    ///
    /// When the URL is none.
    #[track_caller]
    pub fn from_html(url: &str, html: &str) -> Self {
        match magpie_page::Page::from_html(url, html) {
            Ok(page) => Self::from_host(Arc::new(page)),
            Err(error) => panic!("`{url}` is not a URL: {error}"),
        }
    }

    /// A page from any body: another media type, status, or day.
    ///
    /// # Panics
    ///
    /// When the URL is none.
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

    /// A page that the host's parser holds, for programs that run a plugin without Wasm.
    pub fn from_host(page: Arc<magpie_page::Page>) -> Self {
        Self::new(HostPage::native(page))
    }
}
