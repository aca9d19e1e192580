//! Books: what a bookshop, a library or a publisher says about an edition of a book.
//!
//! Overview of the code: [`extract`](mod@extract) finds the books of a page (in structured data,
//! then in the visible content, then in lists). [`cluster`] decides if two records are one work,
//! [`edition`] if they are one edition of it, and [`queries`] builds search queries. [`names`]
//! parses titles and names, and [`shelf`] recognises pages about books.

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

use magpie_sdk::{
    About, Calibration, DateTime, Error, Found, Image, Isbn, Key, Language, Money, Organisation, Page,
    Person, Query, Rating, Record, Url, Verdict, Vertical,
};

/// An edition of a book.
#[derive(Record, Clone, Debug, Default, PartialEq)]
pub struct Book {
    /// Title as published, with edition and series if they are part of it, without the binding.
    #[attribute(identifies, query, weight = 2.0, schema_org = "name")]
    pub title: String,
    /// Subtitle, if the page separates it from the title.
    #[attribute(schema_org = "alternativeHeadline")]
    pub subtitle: Option<String>,
    /// Authors, without translators and illustrators.
    #[attribute(identifies, query, schema_org = "author.name")]
    pub authors: Vec<Person>,
    /// Publisher of this edition.
    #[attribute(schema_org = "publisher.name")]
    pub publisher: Option<Organisation>,
    /// Date of publication of this edition; often only the year.
    #[attribute(schema_org = "datePublished")]
    pub published: Option<DateTime>,
    /// ISBN of this edition.
    #[attribute(identifies, schema_org = "isbn")]
    pub isbn: Option<Isbn>,
    /// Statement of the edition: `2nd edition`, `3., überarbeitete Auflage`.
    #[attribute(schema_org = "bookEdition")]
    pub edition: Option<String>,
    /// Binding or medium: `Hardcover`, `Taschenbuch`, `Audio CD`.
    #[attribute(schema_org = "bookFormat")]
    pub format: Option<String>,
    /// Number of pages.
    #[attribute(schema_org = "numberOfPages")]
    pub pages: Option<u32>,
    /// Language of the text.
    #[attribute(schema_org = "inLanguage")]
    pub language: Option<Language>,
    /// Price in this shop.
    #[attribute(schema_org = "offers.price")]
    pub price: Option<Money>,
    /// Average rating by readers of this site.
    #[attribute(schema_org = "aggregateRating")]
    pub rating: Option<Rating>,
    /// URL of its page.
    #[attribute(schema_org = "url")]
    pub url: Option<Url>,
    /// URL of its cover.
    #[attribute(schema_org = "image")]
    pub image: Option<Image>,
}

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
