//! Pages for tests.

use magpie_sdk::Page;
use magpie_sdk::extract::Layout;

use crate::when::{Clock, Posted, Stated};

/// Creates a page that was fetched in the last hour of March 2026.
pub(crate) fn page(html: &str) -> Page {
    Page::from_response(
        "https://example.org/",
        "text/html",
        1_775_000_000,
        html.as_bytes(),
    )
}

pub(crate) fn clock<'p>(layout: &Layout<'p>) -> Clock<'p> {
    Clock::new(layout, &Stated::of(layout), &Posted::of(layout))
}
