//! Books: what a bookshop, a library or a publisher says about an edition of a book.
//!
//! Overview of the code: [`extract`](mod@extract) finds the books of a page (in structured data,
//! then in the visible content, then in lists). [`cluster`] decides if two records are one work,
//! [`edition`] if they are one edition of it, and [`queries`] builds search queries. [`names`]
//! parses titles and names, and [`shelf`] recognises pages about books.

mod book;
mod cluster;
mod edition;
mod evidence;
mod extract;
mod houses;
mod labels;
mod names;
mod queries;
mod shelf;
mod words;
mod work;

use magpie_sdk::{About, Calibration, Error, Found, Key, Page, Query, Verdict, Vertical};

pub use book::Book;

#[derive(Clone, Copy, Debug)]
pub struct Books;

impl Vertical for Books {
    type Record = Book;
    const NAME: &'static str = "books";

    fn about() -> About {
        About::new("Books: title, authors, ISBN, edition, publisher, price.")
            .content_types(&["text/html", "application/xhtml+xml", "application/json"])
            .schema_types(&["Book", "Audiobook", "Product", "CreativeWork"])
            .path_hints(&[
                "book", "buch", "buecher", "livre", "libro", "livro", "isbn", "978", "title", "/product",
            ])
    }

    fn extract(page: &Page) -> Result<Vec<Found<Book>>, Error> {
        Ok(extract::books(page))
    }

    fn calibration() -> Calibration {
        Calibration::parse(include_str!("calibration.txt"))
    }

    fn keys(record: &Book) -> Vec<Key> {
        cluster::keys(record)
    }

    fn compare(one: &Book, other: &Book) -> Verdict {
        cluster::compare(one, other)
    }

    fn queries(record: &Book) -> Vec<Query> {
        queries::queries(record)
    }
}

magpie_sdk::export!(Books);
