//! Signs that a page is about books.

use magpie_sdk::extract::Layout;
use magpie_sdk::text;

use crate::words::{BOOKS, BOOKS_IN_TEXT, SINGLE};

/// Maximum depth of the nodes whose classes are read. Those describe the page as a whole.
const TOP_LEVELS: u16 = 12;

/// Maximum number of bytes of a URL's path that are read.
const MAX_PATH: usize = 300;

/// Returns true if the page's URL, breadcrumbs, title or outermost classes name books.
pub(crate) fn is_shelf(layout: &Layout<'_>) -> bool {
    signs(layout) > 0 || has_word(&layout.page().title().unwrap_or_default())
}

/// Counts which of the page's URL, breadcrumbs and outermost classes name books.
pub(crate) fn signs(layout: &Layout<'_>) -> usize {
    let signs = [
        is_shelf_address(layout.page().url()),
        in_trail(layout),
        in_classes(layout),
    ];
    signs.into_iter().filter(|sign| *sign).count()
}

/// Returns true if a class of the whole page marks it as one about a single book: `single-book`,
/// `node-type-book`, `book-detail`. Sections of newspapers have other classes (`section-books`).
pub(crate) fn is_of_a_book(layout: &Layout<'_>) -> bool {
    let nodes = layout.outline().nodes();
    let whole = nodes.filter(|node| matches!(node.tag(), "html" | "body" | "main"));
    let mut classes = whole.filter_map(|node| layout.class(node.id()));
    classes.any(|class| class.split_whitespace().any(names_one_book))
}

/// Returns true if a class has a word for single items next to a word for books.
fn names_one_book(class: &str) -> bool {
    let words = text::tokens(class);
    let is_book = |word: &String| BOOKS.contains(&word.as_str());
    let is_single = |word: &String| SINGLE.contains(&word.as_str());
    words.windows(2).any(|pair| match pair {
        [one, other] => is_single(one) && is_book(other) || is_book(one) && is_single(other),
        _ => false,
    })
}

/// Returns true if a text has a word for books.
pub(crate) fn has_word(written: &str) -> bool {
    BOOKS_IN_TEXT.is_in(written)
}

/// Returns true if a segment of a URL's path is a word for books: `/books/…`. Longer segments
/// (`/how-to-borrow-books`) are about something else.
pub(crate) fn is_shelf_address(url: &str) -> bool {
    let path = url.splitn(4, '/').nth(3).unwrap_or_default();
    let path = text::truncate(path, MAX_PATH)
        .split(['?', '#'])
        .next()
        .unwrap_or_default();
    path.split('/')
        .any(|folder| BOOKS.contains(&folder.to_lowercase().as_str()))
}

fn in_trail(layout: &Layout<'_>) -> bool {
    let mut crumbs = layout.breadcrumbs();
    // The last entry is the page itself: `Books of the dead` may be a film.
    if crumbs.len() > 2 {
        crumbs.pop();
    }
    crumbs.iter().any(|crumb| has_word(&crumb.text))
}

fn in_classes(layout: &Layout<'_>) -> bool {
    let nodes = layout.outline().nodes();
    let top = nodes.filter(|node| {
        node.depth() <= TOP_LEVELS && matches!(node.tag(), "body" | "main" | "article" | "html")
    });
    let mut classes = top.filter_map(|node| layout.class(node.id()));
    classes.any(has_word)
}

#[cfg(test)]
mod tests {
    use super::names_one_book;

    #[test]
    fn classes_tell_one_book_from_a_shelf() {
        for class in ["single-books", "page-node-type-book", "book_detail", "view-buch"] {
            assert!(names_one_book(class), "{class}");
        }
        for class in [
            "section-books",
            "post-type-archive-books",
            "single",
            "books-list",
            "facebook-view",
        ] {
            assert!(!names_one_book(class), "{class}");
        }
    }
}
