//! What speaks for a page, a listing or a record being about events, and what against.
//!
//! Signs are added up like evidence: 1 is a good sign, 3 is nearly sure. No single one decides,
//! because each of them stands on other pages too.

use magpie_sdk::Page;
use magpie_sdk::extract::Layout;

use crate::words;

/// From this on a listing, or a page, is taken for one of events.
pub(crate) const ENOUGH: f64 = 2.0;

/// Types in structured data of pages that are about something else, though they may name dates.
const OTHER_TYPES: &[&str] = &[
    "Recipe",
    "*Product",
    "ProductGroup",
    "Book",
    "*Article",
    "*Posting",
    "JobPosting",
    "QAPage",
    "FAQPage",
    "*Review",
    "VideoObject",
    "Movie",
    "*Episode",
    "SoftwareApplication",
    "h-recipe",
    "h-product",
    "h-review",
    "og:product",
    "og:book",
];

/// The signs of a page as a whole.
#[derive(Clone, Debug, Default)]
pub(crate) struct Signs {
    /// What the address, the title and the headings say.
    pub(crate) page: f64,
}

impl Signs {
    /// Reads a page's address, title, headings and the types of its structured data.
    pub(crate) fn of(layout: &Layout<'_>) -> Self {
        let page = layout.page();
        let path = page.url().splitn(4, '/').nth(3).unwrap_or_default();
        let title = page.title().unwrap_or_default();
        let heading = layout.heading().map(|heading| heading.text).unwrap_or_default();
        let (path, title, heading) = (worth(path), worth(&title), worth(&heading));
        let other = if is_other(page) || has_other_part(layout) {
            -3.0
        } else {
            0.0
        };
        Self {
            page: path + title.max(heading) + title.min(heading).min(0.0) + other,
        }
    }
}

/// What a name (a path, a class, a heading) is worth, for or against.
pub(crate) fn worth(name: &str) -> f64 {
    match words::speaks(name) {
        (0, 0) if words::meets(name) || words::meets_in(name) => 0.6,
        (0, 0) => 0.0,
        (_, 0) => 1.2,
        (0, _) => -1.5,
        // `/blog/events` is as likely one as the other.
        _ => -0.3,
    }
}

fn is_other(page: &Page) -> bool {
    page.structured()
        .any(|entity| OTHER_TYPES.iter().any(|name| entity.is(name)))
        || (page.entities()).any(|entity| ["Recipe", "Product", "Book"].iter().any(|name| entity.is(name)))
}

/// Whether a heading on the page is one of pages about something else.
fn has_other_part(layout: &Layout<'_>) -> bool {
    /// Bytes of a heading that only names a part.
    const MOST: usize = 80;
    let headings = layout
        .outline()
        .nodes()
        .filter(|node| matches!(node.tag(), "h2" | "h3" | "h4"));
    headings
        .map(|node| node.text().trim())
        .any(|text| text.len() <= MOST && words::heads_other(text))
}
