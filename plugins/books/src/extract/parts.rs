//! Parts of books that several readers of a page use.

use magpie_sdk::Found;

use crate::Book;

/// Minimum similarity of two spellings of one title on the same page.
pub(super) const SAME_TITLE: f64 = 0.85;

/// Attributes with the nodes from which they were read.
pub(super) type Places = Vec<(&'static str, u32)>;

/// A book read from structured data.
#[derive(Clone, Debug, Default)]
pub(super) struct Marked {
    pub(super) book: Book,
    pub(super) node: Option<u32>,
    /// Is true if the structured data by itself shows that it is a book: by its type, number or
    /// category.
    pub(super) is_certain: bool,
    /// Is true if the page has structured data of the book.
    pub(super) is_marked: bool,
}

/// Fills the missing attributes of a book and returns their names.
pub(super) fn fill(book: &mut Book, other: &Book) -> Vec<&'static str> {
    let mut taken = Vec::new();
    macro_rules! fill {
        ($($field:ident),*) => {$(
            if book.$field.is_none() && other.$field.is_some() {
                book.$field.clone_from(&other.$field);
                taken.push(stringify!($field));
            }
        )*};
    }
    fill!(
        subtitle, publisher, published, isbn, edition, format, pages, language, price, rating, url, image
    );
    if book.authors.is_empty() && !other.authors.is_empty() {
        book.authors.clone_from(&other.authors);
        taken.push("authors");
    }
    taken
}

pub(super) fn placed(mut found: Found<Book>, places: Places) -> Found<Book> {
    // Node 0 stands for values that no element contains, such as those from the URL.
    for (name, node) in places.into_iter().filter(|(_, node)| *node > 0) {
        found = found.at_node(name, node);
    }
    found
}
