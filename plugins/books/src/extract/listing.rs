//! A page that lists books.

use magpie_sdk::extract::{Block, Layout, RecordGroup, RecordRow};
use magpie_sdk::{Found, Image, Isbn, Money, Rating, Url};

use super::{Places, detail, placed};
use crate::names;
use crate::{Book, shelf};

/// Rows that make a listing; two may be anything.
const FEWEST: usize = 3;

/// A row of a listing, read as a book.
pub(super) struct Row {
    pub(super) book: Book,
    places: Places,
}

/// The books of the page's listings.
pub(super) fn books(layout: &Layout<'_>, groups: &[RecordGroup]) -> Vec<Found<Book>> {
    let on_shelf = shelf::is_shelf(layout);
    let mut found = Vec::new();
    for group in groups {
        let rows: Vec<Row> = group.rows.iter().filter_map(|row| read(layout, row)).collect();
        let books: Vec<Row> = rows.into_iter().filter(|row| is_book(&row.book, on_shelf)).collect();
        // Most of a listing's rows are of one kind; a few that fit are chance.
        if books.len() >= FEWEST && books.len() * 5 >= group.rows.len() * 3 {
            found.extend(books.into_iter().map(|row| placed(Found::new(row.book).confidence(0.7), row.places)));
        }
    }
    found
}

/// All rows that have a name, whatever they are.
pub(super) fn rows(layout: &Layout<'_>, groups: &[RecordGroup]) -> Vec<Row> {
    groups.iter().flat_map(|group| &group.rows).filter_map(|row| read(layout, row)).collect()
}

/// A number makes a book. Without one an author or a binding must come with a price, or the page be about books.
fn is_book(book: &Book, on_shelf: bool) -> bool {
    let authored = !book.authors.is_empty();
    let priced = book.price.is_some();
    let bound = book.format.is_some();
    book.isbn.is_some()
        || (bound && (authored || priced))
        || (on_shelf && (priced || (authored && book.image.is_some())))
}

fn read(layout: &Layout<'_>, row: &RecordRow) -> Option<Row> {
    let block = layout.row_block(row)?;
    let name = names::heading(&block.heading().text);
    let (authors, author_node) = authors(&block).unwrap_or_default();
    let number = detail::numbers(&block).into_iter().next();
    let (price, stars, picture) = (block.price(), block.stars(), block.picture());
    let mut places: Places = vec![("title", block.heading().node)];
    places.extend(authors.iter().map(|_| ("authors", author_node)));
    places.extend(number.as_ref().map(|(_, _, node)| ("isbn", *node)));
    places.extend(price.as_ref().map(|price| ("price", price.node)));
    places.extend(stars.as_ref().map(|stars| ("rating", stars.node)));
    places.extend(picture.as_ref().map(|picture| ("image", picture.node)));
    let book = Book {
        title: names::without_author(&name.title, &authors),
        authors,
        isbn: number.map(|(_, number, _)| Isbn::from(number)),
        edition: name.edition,
        format: name.format.or_else(|| format(&block)),
        price: price.map(|price| Money::from(price.text)),
        rating: stars.map(|stars| Rating::from(stars.text)),
        url: block.link().map(Url::from),
        image: picture.map(|picture| Image::from(picture.text)),
        ..Book::default()
    };
    Some(Row { book, places })
}

fn authors(block: &Block<'_, '_>) -> Option<(Vec<magpie_sdk::Person>, u32)> {
    detail::classed_authors(block).or_else(|| detail::byline(block))
}

/// A line that is a binding and nothing else: `Hardcover`.
fn format(block: &Block<'_, '_>) -> Option<String> {
    let mut lines = block.lines().filter(|(_, line)| line.text.len() <= 40);
    lines.find_map(|(_, line)| names::heading(&format!("x ({})", line.text)).format)
}
