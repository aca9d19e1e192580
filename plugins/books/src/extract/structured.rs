//! Reads books from structured data.

use magpie_sdk::extract::{self, Layout};
use magpie_sdk::identifier::{self, Scheme};
use magpie_sdk::{DateTime, Entity, Image, Isbn, Language, Money, Organisation, Person, Rating, Url, text};

use super::detail;
use super::parts::{Marked, fill};
use crate::names;
use crate::{Book, shelf};

/// Types that may be books. Those that are not in [`BOOKS`] need an ISBN, a category or signs on
/// the page.
const TYPES: &[&str] = &[
    "Book",
    "Audiobook",
    "Product",
    "CreativeWork",
    "og:book",
    "og:books.book",
];

/// Types that only books have.
const BOOKS: &[&str] = &["Book", "Audiobook"];

/// Properties that hold the books of a page or list. Books in other properties (`isRelatedTo`) are
/// not separate records.
const HOLDERS: &[&str] = &[
    "mainEntity",
    "itemListElement",
    "item",
    "itemOffered",
    "mainEntityOfPage",
    "@graph",
    "itemReviewed",
];

/// Properties that may contain an ISBN, the most specific first.
const NUMBERS: &[&str] = &["isbn", "gtin13", "gtin", "productID", "sku", "mpn", "identifier"];

/// Maximum number of books per page.
const MAX_BOOKS: usize = 1_000;

/// Returns the books in the structured data of a page.
pub(super) fn books(layout: &Layout<'_>) -> Vec<Marked> {
    let page = layout.page();
    let entities = extract::entities(page, TYPES)
        .into_iter()
        .filter(|entity| stands_for_itself(*entity));
    let mut found: Vec<Marked> = Vec::new();
    for entity in entities.take(MAX_BOOKS) {
        let is_typed = BOOKS.iter().any(|name| entity.is(name));
        let Some(book) = book(entity) else { continue };
        let category = || {
            entity
                .all("category")
                .iter()
                .any(|category| shelf::has_word(category))
        };
        let is_certain = is_typed || book.isbn.is_some() || category();
        let node = entity.element().map(|element| element.node());
        for edition in editions(entity, book) {
            add(
                &mut found,
                Marked {
                    book: edition,
                    node,
                    is_certain,
                    is_marked: true,
                },
            );
        }
    }
    // A page of books may also mark up other goods of the shop.
    if found.iter().any(|marked| marked.is_certain) {
        found.retain(|marked| marked.is_certain);
    }
    found
}

fn stands_for_itself(entity: Entity<'_>) -> bool {
    match entity.holder() {
        None => true,
        // A review may be of anything, and only books have an ISBN.
        Some((_, "itemReviewed")) => isbn(entity).is_some(),
        Some((_, property)) => HOLDERS.contains(&property),
    }
}

/// Adds a book, merging it with one that is marked up twice, as JSON-LD and as microdata.
fn add(found: &mut Vec<Marked>, marked: Marked) {
    let number = |book: &Book| book.isbn.as_ref().and_then(Isbn::read);
    let same = |known: &&mut Marked| {
        let numbers = (number(&known.book), number(&marked.book));
        let (same, differ) = match numbers {
            (Some(one), Some(other)) => (one == other, one != other),
            _ => (false, false),
        };
        same || (!differ && text::tokens(&known.book.title) == text::tokens(&marked.book.title))
    };
    match found.iter_mut().find(same) {
        Some(known) => {
            fill(&mut known.book, &marked.book);
            known.is_certain |= marked.is_certain;
        }
        None => found.push(marked),
    }
}

fn book(entity: Entity<'_>) -> Option<Book> {
    let name = entity.get("name").or_else(|| entity.get("headline"))?;
    let name = names::heading(&extract::plain_name(name));
    if !name.title.contains(char::is_alphanumeric) {
        return None;
    }
    let authors = authors(entity);
    let one = |path: &str| entity.get(path).map(text::tidy).filter(|text| !text.is_empty());
    // `bookFormat` is mostly a URL such as `https://schema.org/EBook`.
    let last = |written: String| written.rsplit(['/', '#']).next().map(str::to_owned);
    Some(Book {
        title: names::without_author(&name.title, &authors),
        subtitle: name.subtitle.or_else(|| one("alternativeHeadline")),
        authors,
        publisher: one("publisher").map(Organisation::from),
        published: one("datePublished")
            .or_else(|| one("releaseDate"))
            .map(DateTime::from),
        isbn: isbn(entity),
        edition: one("bookEdition").or(name.edition),
        format: one("bookFormat").and_then(last).map(spaced).or(name.format),
        pages: one("numberOfPages").and_then(|pages| detail::page_count(&pages)),
        language: one("inLanguage").map(Language::from),
        price: extract::offered_price(entity, &["offers"]).map(Money::from),
        rating: extract::known_rating(entity, "aggregateRating").map(Rating::from),
        url: one("url")
            .or_else(|| one("mainEntityOfPage"))
            .filter(|url| url.starts_with("http"))
            .map(Url::from),
        image: extract::marked_picture(entity).map(Image::from),
    })
}

/// Returns the editions that a work names (`workExample`), or the work itself.
fn editions(entity: Entity<'_>, work: Book) -> Vec<Book> {
    let examples: Vec<Entity<'_>> = entity
        .entities("workExample")
        .filter(|example| isbn(*example).is_some())
        .collect();
    if examples.is_empty() {
        return vec![work];
    }
    let edition = |example: &Entity<'_>| {
        let mut edition = book(*example).unwrap_or_default();
        edition.isbn = isbn(*example);
        edition.format = edition.format.or_else(|| {
            let format = example.get("bookFormat")?;
            format.rsplit(['/', '#']).next().map(str::to_owned).map(spaced)
        });
        edition.edition = edition
            .edition
            .or_else(|| example.get("bookEdition").map(text::tidy));
        if edition.title.is_empty() {
            edition.title.clone_from(&work.title);
        }
        // The ISBN of the work is that of another edition.
        fill(
            &mut edition,
            &Book {
                isbn: None,
                ..work.clone()
            },
        );
        edition
    };
    examples.iter().map(edition).collect()
}

fn authors(entity: Entity<'_>) -> Vec<Person> {
    let mut names = extract::names(entity, "author");
    if names.is_empty() {
        names = extract::names(entity, "creator");
    }
    let mut authors: Vec<Person> = Vec::new();
    for name in names {
        // Splits a list of people and removes roles. A single name is kept as it is.
        let people = names::authors(&name);
        let people = if people.len() < 2 && !name.contains(['(', '[']) {
            vec![Person::from(name)]
        } else {
            people
        };
        authors.extend(
            people
                .into_iter()
                .filter(|one| !authors.contains(one))
                .collect::<Vec<_>>(),
        );
    }
    authors
}

fn isbn(entity: Entity<'_>) -> Option<Isbn> {
    let texts = NUMBERS.iter().flat_map(|name| {
        let labelled = *name == "isbn";
        entity.all(name).into_iter().map(move |text| (labelled, text))
    });
    let mut valid = texts.filter(|(labelled, text)| {
        let number = identifier::normalise(Scheme::Isbn, text);
        // Ten digits may be a shop's own number whose check digit is valid by chance, except in
        // `isbn`.
        number.is_ok() && (*labelled || text.chars().filter(char::is_ascii_digit).count() >= 13)
    });
    valid.next().map(|(_, text)| Isbn::from(text))
}

/// Replaces names of schema.org by those that people use: `AudiobookFormat` becomes `Audiobook`.
fn spaced(format: String) -> String {
    match format.as_str() {
        "AudiobookFormat" => "Audiobook".to_owned(),
        "EBook" => "E-book".to_owned(),
        "GraphicNovel" => "Graphic novel".to_owned(),
        _ => format,
    }
}
