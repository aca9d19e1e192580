//! Reads books from JSON: the state of a page's scripts, and answers that scripts fetch.
//!
//! Objects are recognised by the words of their keys, as nothing else describes them.

use std::collections::HashSet;

use magpie_sdk::extract::{self, StateObject, state_objects};
use magpie_sdk::identifier::Scheme;
use magpie_sdk::{DateTime, Image, Isbn, Language, Money, Organisation, Page, Person, Rating, Url, text};

use super::detail;
use crate::{Book, names};

/// Maximum number of books of a page.
const MAX_BOOKS: usize = 1_000;

/// Maximum number of authors of a book.
const MAX_AUTHORS: usize = 20;

magpie_sdk::word_lists! { "state.txt";
    BESIDE: Words = "beside";
    CALLED: Words = "called";
    TITLE: Words = "title";
    SUBTITLE: Words = "subtitle";
    AUTHORS: Words = "authors";
    PUBLISHER: Words = "publisher";
    PUBLISHED: Words = "published";
    ISBN: Words = "isbn";
    FORMAT: Words = "format";
    PAGES: Words = "pages";
    LANGUAGE: Words = "language";
    PRICE: Words = "price";
    IMAGE: Words = "image";
}

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
    let isbn = object.identifier(Scheme::Isbn, ISBN);
    let written = object.texts(AUTHORS);
    // A single text may name several people, but texts in a list name one each.
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
        rating: object.rating().map(Rating::from),
        url: object.link().map(Url::from),
        image: object.url(IMAGE).map(Image::from),
    })
}
