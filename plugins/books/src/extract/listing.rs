//! Reads the books of list pages.

use magpie_sdk::extract::{Block, Layout, Pair, Pairs, RecordGroup, RecordRow};
use magpie_sdk::{Found, Image, Isbn, Money, Person, Rating, Url};

use super::confidence::{Source, confidence};
use super::parts::{Places, placed};
use super::{detail, people};
use crate::words::SECTIONS;
use crate::{Book, labels, names, shelf, work};

/// Minimum number of rows of a list. Two may be anything.
const MIN_ROWS: usize = 3;

/// A row of a list, read as a book.
pub(super) struct Row {
    pub(super) book: Book,
    places: Places,
}

/// Returns the books of the lists on a page.
pub(super) fn books(layout: &Layout<'_>, groups: &[RecordGroup]) -> Vec<Found<Book>> {
    let shelf = Shelf {
        signs: shelf::signs(layout),
        is_titled: shelf::is_shelf(layout),
    };
    let pairs = layout.pairs();
    let named = authors_named(&pairs);
    let mut found = Vec::new();
    for group in groups {
        let rows: Vec<Row> = group
            .rows
            .iter()
            .filter_map(|row| read(layout, row, &named))
            .collect();
        // At least a quarter of the rows must look like books, if the rows have little more than
        // names.
        let bookish = rows.iter().filter(|row| row.is_bookish()).count() * 4 >= rows.len();
        let books: Vec<Row> = rows
            .into_iter()
            .filter(|row| row.is_book(&shelf, bookish) && !leads_to_section(layout, row))
            .collect();
        // Most rows of a list are of the same kind. A few rows that look like books are chance.
        if books.len() >= MIN_ROWS && books.len() * 5 >= group.rows.len() * 3 {
            found.extend(books.into_iter().map(|row| {
                let confidence = confidence(Source::Row, row.signs());
                placed(Found::new(row.book).confidence(confidence), row.places)
            }));
        }
    }
    found
}

/// Returns true for a row whose link leads to a category, to a person, or to the page itself:
/// `/category/poetry`, `/author/lee`.
fn leads_to_section(layout: &Layout<'_>, row: &Row) -> bool {
    let Some(url) = row.book.url.as_deref() else {
        return false;
    };
    let path = |url: &str| {
        url.split(['?', '#'])
            .next()
            .unwrap_or_default()
            .trim_end_matches('/')
            .to_lowercase()
    };
    let own = path(url);
    let mut folders = own.rsplit('/');
    let last = folders.next().unwrap_or_default();
    let before = folders.next().unwrap_or_default();
    own == path(layout.page().url()) || SECTIONS.contains(&before) || SECTIONS.contains(&last)
}

/// Signs of books on the page around a list.
struct Shelf {
    signs: usize,
    is_titled: bool,
}

/// Returns all rows with a name, whether they are books or not.
pub(super) fn rows(layout: &Layout<'_>, groups: &[RecordGroup]) -> Vec<Row> {
    let pairs = layout.pairs();
    let named = authors_named(&pairs);
    groups
        .iter()
        .flat_map(|group| &group.rows)
        .filter_map(|row| read(layout, row, &named))
        .collect()
}

impl Row {
    /// Returns true for a row with an ISBN. Without one, an author or a binding must come with a
    /// price, or the page or the URL of the row must be about books.
    fn is_book(&self, shelf: &Shelf, bookish: bool) -> bool {
        let book = &self.book;
        let (authored, priced, pictured) = (
            !book.authors.is_empty(),
            book.price.is_some(),
            book.image.is_some(),
        );
        // The heading of a comment is its author.
        if book.authors.iter().any(|author| **author == *book.title) {
            return false;
        }
        let Some(url) = &book.url else { return false };
        let shelved = shelf::is_shelf_address(url);
        book.isbn.is_some()
            || (book.format.is_some() && (authored || priced))
            || (shelf.is_titled && priced)
            || ((shelved || shelf.signs > 0) && ((authored && pictured) || priced))
            || (shelved && pictured && bookish)
    }

    /// Counts the signs that the row is a book.
    fn signs(&self) -> u32 {
        let book = &self.book;
        // Bookshops sell records and calendars too.
        if book.isbn.is_none() && !self.is_bookish() {
            return 0;
        }
        let signs = [
            !book.authors.is_empty(),
            book.isbn.is_some(),
            book.format.is_some() || book.edition.is_some(),
            book.price.is_some(),
            book.image.is_some(),
        ];
        signs.iter().filter(|sign| **sign).count() as u32
    }

    /// Returns true if the row by itself looks like a book.
    fn is_bookish(&self) -> bool {
        let book = &self.book;
        book.edition.is_some()
            || book.format.is_some()
            || !book.authors.is_empty()
            || work::edition_number(&book.title).is_some()
    }
}

/// Returns the values with an author label, looked up once for all rows.
fn authors_named(pairs: &Pairs) -> Vec<&Pair> {
    pairs.all(labels::AUTHOR).collect()
}

fn read(layout: &Layout<'_>, row: &RecordRow, named: &[&Pair]) -> Option<Row> {
    let block = layout.row_block(row)?;
    let name = detail::name(&block);
    let (authors, author_node) = authors(&block, named).unwrap_or_default();
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
        subtitle: name.subtitle,
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

fn authors(block: &Block<'_, '_>, named: &[&Pair]) -> Option<(Vec<Person>, u32)> {
    let own = named.iter().find(|pair| block.holds(pair.node));
    let labelled = own.map(|pair| (names::authors(&pair.value), pair.node));
    labelled
        .filter(|(authors, _)| !authors.is_empty())
        .or_else(|| people::classed(block))
        .or_else(|| people::byline(block))
}

/// Returns the binding from a line with nothing else: `Hardcover`.
fn format(block: &Block<'_, '_>) -> Option<String> {
    let mut lines = block.lines().filter(|(_, line)| line.text.len() <= 40);
    // `heading` recognises a binding only in brackets behind a title.
    lines.find_map(|(_, line)| names::heading(&format!("x ({})", line.text)).format)
}
