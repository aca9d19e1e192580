//! Evidence that a page, a list or a record is about events.
//!
//! The weights of signs are added: 1 is a good sign, 3 is nearly certain. No sign decides alone, as
//! each also occurs on other pages.

use magpie_sdk::Page;
use magpie_sdk::extract::Layout;

use crate::words;

/// Minimum sum for a list or page of events.
pub(crate) const ENOUGH: f64 = 2.0;

/// Types in structured data of pages that are about something else, though they may contain dates.
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

/// Signs of a page as a whole.
#[derive(Clone, Debug, Default)]
pub(crate) struct Signs {
    /// Evidence of the URL, the title and the headings.
    pub(crate) page: f64,
}

impl Signs {
    /// Reads the URL, the title, the headings and the types of structured data of a page.
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
        // The heading mostly repeats the title, so the better of them counts. A sign against events
        // counts in either.
        Self {
            page: path + title.max(heading) + title.min(heading).min(0.0) + other,
        }
    }
}

/// Returns the evidence of a name (a path, a class, a heading).
pub(crate) fn worth(name: &str) -> f64 {
    match words::speaks(name) {
        (0, 0) if words::meets(name) || words::meets_in(name) => 0.6,
        (0, 0) => 0.0,
        (_, 0) => 1.2,
        (0, _) => -1.5,
        // `/blog/events` may be either.
        _ => -0.3,
    }
}

fn is_other(page: &Page) -> bool {
    page.structured()
        .any(|entity| OTHER_TYPES.iter().any(|name| entity.is(name)))
        || (page.entities()).any(|entity| ["Recipe", "Product", "Book"].iter().any(|name| entity.is(name)))
}

/// Returns true if a heading on the page belongs to other kinds of pages.
fn has_other_part(layout: &Layout<'_>) -> bool {
    /// Maximum length of a heading that names a section, in bytes.
    const MAX_LENGTH: usize = 80;
    let headings = layout
        .outline()
        .nodes()
        .filter(|node| matches!(node.tag(), "h2" | "h3" | "h4"));
    headings
        .map(|node| node.text().trim())
        .any(|text| text.len() <= MAX_LENGTH && words::heads_other(text))
}
