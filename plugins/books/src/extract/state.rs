//! Reads books from JSON: the state of a page's scripts, and answers that scripts fetch.
//!
//! Objects are recognised by the words of their keys, as nothing else describes them.

use std::collections::HashSet;

use magpie_sdk::extract::{self, StateObject, state_objects};
use magpie_sdk::identifier::{self, Scheme};
use magpie_sdk::{DateTime, Image, Isbn, Language, Money, Organisation, Page, Person, Rating, Url, text};

use super::detail;
use crate::{Book, names};

/// Maximum number of books of a page.
const MAX_BOOKS: usize = 1_000;

/// Maximum number of authors of a book.
const MAX_AUTHORS: usize = 20;

/// Words that a key may have in addition: `bookTitle`.
const BESIDE: &[&str] = &["book", "product", "edition"];

/// Names of properties that hold books.
const CALLED: &[&str] = &["book", "title", "edition", "ebook", "audiobook", "buch", "livre"];

const TITLE: &[&str] = &["title", "name", "full title", "display title"];
const SUBTITLE: &[&str] = &["subtitle", "sub title"];
const AUTHORS: &[&str] = &[
    "authors",
    "author",
    "author name",
    "author names",
    "contributors",
    "creators",
    "writers",
];
const PUBLISHER: &[&str] = &["publisher", "imprint", "publisher name", "publishing house"];
const PUBLISHED: &[&str] = &[
    "published",
    "publication date",
    "published at",
    "publish date",
    "release date",
    "released",
    "publication year",
];
const ISBN: &[&str] = &[
    "isbn", "isbn13", "isbn 13", "ean", "gtin", "isbn10", "isbn 10", "barcode",
];
const FORMAT: &[&str] = &["format", "binding", "cover type"];
const PAGES: &[&str] = &["pages", "page count", "number of pages", "num pages"];
const LANGUAGE: &[&str] = &["language", "lang", "language code"];
const PRICE: &[&str] = &[
    "price",
    "sale price",
    "current price",
    "list price",
    "final price",
];
const RATING: &[&str] = &["rating", "average rating", "rating value"];
const IMAGE: &[&str] = &[
    "image",
    "cover",
    "cover url",
    "image url",
    "thumbnail",
    "cover image",
];

/// Returns the books in the state of a page, or in a JSON document.
pub(super) fn books(page: &Page) -> Vec<Book> {
    let mut known: HashSet<(String, Option<String>)> = HashSet::new();
    let objects = state_objects(page, BESIDE);
    objects
        .iter()
        .filter_map(book)
        .filter(|book| known.insert((text::fold(&book.title), book.url.as_deref().map(str::to_owned))))
        .take(MAX_BOOKS)
        .collect()
}

/// Counts the attributes that a book has besides its title.
pub(super) fn facts(book: &Book) -> u32 {
    let facts = [
        book.isbn.is_some(),
        !book.authors.is_empty(),
        book.publisher.is_some(),
        book.published.is_some(),
        book.pages.is_some(),
    ];
    facts.iter().filter(|fact| **fact).count() as u32
}

/// Returns the book that an object is: with a title and an ISBN; or with authors, and either a fact
/// that only books have or a property that says so.
fn book(object: &StateObject<'_>) -> Option<Book> {
    let name = names::heading(&extract::plain_name(&object.text(TITLE)?));
    if !name.title.contains(char::is_alphanumeric) {
        return None;
    }
    let isbn = object
        .texts(ISBN)
        .into_iter()
        .find(|code| identifier::normalise(Scheme::Isbn, code).is_ok());
    let written = object.texts(AUTHORS);
    let authors: Vec<Person> = match &written[..] {
        [only] => names::authors(only),
        all => all
            .iter()
            .take(MAX_AUTHORS)
            .map(|author| Person::from(author.clone()))
            .collect(),
    };
    let pages = object.text(PAGES).and_then(|pages| detail::page_count(&pages));
    let publisher = object.text(PUBLISHER);
    let is_called = object.is_called(CALLED) || object.has_beside();
    let has_facts = publisher.is_some() || pages.is_some() || object.has(FORMAT);
    let is_sold = object.link().is_some() || object.has(PRICE);
    if isbn.is_none() && (authors.is_empty() || !(has_facts || (is_called && is_sold))) {
        return None;
    }
    let rating = object.text(RATING).filter(|rating| {
        rating
            .parse::<f64>()
            .is_ok_and(|stars| stars > 0.0 && stars <= 5.0)
    });
    Some(Book {
        title: names::without_author(&name.title, &authors),
        subtitle: name.subtitle.or_else(|| object.text(SUBTITLE)),
        authors,
        publisher: publisher.map(Organisation::from),
        published: object.text(PUBLISHED).map(DateTime::from),
        isbn: isbn.map(Isbn::from),
        edition: name.edition,
        format: object.text(FORMAT).or(name.format),
        pages,
        language: object.text(LANGUAGE).map(Language::from),
        price: object.money(PRICE).map(Money::from),
        rating: rating.map(|stars| Rating::from(format!("{stars}/5"))),
        url: object.link().map(Url::from),
        image: object
            .text(IMAGE)
            .filter(|image| image.starts_with("http"))
            .map(Image::from),
    })
}
