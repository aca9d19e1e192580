//! Pages for tests.

use magpie_sdk::Page;
use magpie_sdk::extract::Layout;

use crate::when::{Clock, Posted, Stated};

/// Creates a page that was published in March 2026.
pub(crate) fn page(html: &str) -> Page {
    let graph =
        "<meta property=og:type content=website><meta property=article:published_time content=2026-03-31>";
    Page::from_html("https://example.org/", &format!("{graph}{html}"))
}

pub(crate) fn clock<'p>(layout: &Layout<'p>) -> Clock<'p> {
    Clock::new(layout, &Stated::of(layout), &Posted::of(layout))
}
