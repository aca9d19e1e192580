//! Books: what a bookshop, a library or a publisher says of one edition of one book.
//!
//! The way through the code: [`extract`](mod@extract) finds books on a page (structured data first,
//! then the page as a reader sees it, then listings), [`cluster`] says when two are the same work,
//! [`edition`] when they are the same edition of it, [`queries`] what to ask a search engine.
//! [`names`] and [`shelf`] know how titles and people are written, and what makes a page one about
//! books.

mod cluster;
mod edition;
mod evidence;
mod extract;
mod houses;
mod labels;
mod names;
mod queries;
mod shelf;
mod work;

use magpie_sdk::{
    About, Calibration, DateTime, Error, Found, Image, Isbn, Key, Language, Money, Organisation, Page,
    Person, Query, Rating, Record, Url, Verdict, Vertical,
};

/// One edition of a book.
#[derive(Record, Clone, Debug, Default, PartialEq)]
pub struct Book {
    /// The title as it is published, with edition and series where these are written in it, without the binding.
    #[attribute(identifies, query, weight = 2.0)]
    pub title: String,
    /// What follows the title where the page sets it apart.
    pub subtitle: Option<String>,
    /// Who wrote it, without those who only translated or drew.
    #[attribute(identifies, query)]
    pub authors: Vec<Person>,
    /// Who published it.
    pub publisher: Option<Organisation>,
    /// When this edition came out; often the year alone.
    pub published: Option<DateTime>,
    /// The edition's number.
    #[attribute(identifies)]
    pub isbn: Option<Isbn>,
    /// `2nd edition`, `3., überarbeitete Auflage`
    pub edition: Option<String>,
    /// The binding or medium: `Hardcover`, `Taschenbuch`, `Audio CD`.
    pub format: Option<String>,
    /// How many pages it has.
    pub pages: Option<u32>,
    /// The language it is written in.
    pub language: Option<Language>,
    /// What it costs here.
    pub price: Option<Money>,
    /// What readers of this site think of it.
    pub rating: Option<Rating>,
    /// Its page.
    pub url: Option<Url>,
    /// Its cover.
    pub image: Option<Image>,
}

/// The vertical.
#[derive(Clone, Copy, Debug)]
pub struct Books;

impl Vertical for Books {
    type Record = Book;
    const NAME: &'static str = "books";

    fn about() -> About {
        About::new("Books: title, authors, ISBN, edition, publisher, price.")
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
