//! Finds the books of a page.
//!
//! 1. Structured data names books. Missing attributes are filled from the visible page.
//! 2. Without it, the page itself may be about one book: it has a heading, labels, a price.
//! 3. Otherwise the page may list books.
//! 4. A page that shows none may have them in the data that its scripts start from, and a JSON
//!    document is such data.

mod confidence;
mod detail;
mod imprint;
mod listing;
mod parts;
mod people;
mod state;
mod structured;

use std::collections::HashSet;

use magpie_sdk::extract::{Layout, RecordGroup, is_deep, own_address};
use magpie_sdk::{Found, Page, Url, text, title};

use self::confidence::{Source, confidence};
use self::parts::{Marked, Places, SAME_TITLE, fill, placed};
use crate::Book;

/// Returns the books of a page, or none if the page is about something else.
pub(crate) fn books(page: &Page) -> Vec<Found<Book>> {
    let layout = Layout::new(page);
    let groups = layout.records();
    let marked = structured::books(&layout);
    let single = detail::book(&layout, &groups);
    match choose(&layout, marked, &groups, single.as_ref()) {
        Choice::One(book) => one(page, *book, single),
        Choice::Many(books) => many(&layout, &groups, books),
        Choice::Nothing => match single {
            Some(single) if single.is_sure() => one(page, Marked::default(), Some(single)),
            _ => {
                let listed = listing::books(&layout, &groups);
                if listed.is_empty() { stated(page) } else { listed }
            }
        },
    }
}

/// Returns the books in the state of a page. A single one without a link is the page's own.
fn stated(page: &Page) -> Vec<Found<Book>> {
    let mut books = state::books(page);
    if let [only] = &mut books[..]
        && only.url.is_none()
        // A JSON document is no page for readers, so its URL is not that of the book.
        && page.content_type() == "text/html"
    {
        only.url = Some(Url::from(own_address(page)));
    }
    let found = books.into_iter().map(|book| {
        let signs = state::facts(&book);
        Found::new(book).confidence(confidence(Source::State, signs))
    });
    found.collect()
}

enum Choice {
    One(Box<Marked>),
    Many(Vec<Marked>),
    Nothing,
}

/// Decides if the page is about one of the marked books or lists them.
fn choose(
    layout: &Layout<'_>,
    mut marked: Vec<Marked>,
    groups: &[RecordGroup],
    single: Option<&detail::Single>,
) -> Choice {
    let sure = single.is_some_and(detail::Single::is_sure);
    marked.retain(|one| {
        one.is_certain
            || (sure && single.is_some_and(|single| is_same(&one.book, &single.book)))
            || shelved(layout, one)
    });
    let Some(first) = marked.first() else {
        return Choice::Nothing;
    };
    if marked.len() == 1 {
        return Choice::One(Box::new(first.clone()));
    }
    let heading = layout
        .main_block(groups)
        .map(|block| block.heading().text.clone())
        .unwrap_or_default();
    let named = marked
        .iter()
        .filter(|one| title::similarity(&one.book.title, &heading) >= SAME_TITLE);
    let own_url = |one: &&Marked| one.book.url.as_deref() == Some(layout.page().url());
    let mut named: Vec<&Marked> = named.collect();
    // A list with the title of one of its books is rarer than a book next to others.
    named.sort_by_key(|one| !own_url(one));
    match named.first() {
        Some(&first) => Choice::One(Box::new(first.clone())),
        None => Choice::Many(marked),
    }
}

/// Returns true if the page has enough signs of books, for a work that has none of its own.
fn shelved(layout: &Layout<'_>, marked: &Marked) -> bool {
    let name = crate::names::heading(&marked.book.title);
    let bookish = name.edition.is_some()
        || name.format.is_some()
        || crate::work::edition_number(&marked.book.title).is_some();
    let signs = crate::shelf::signs(layout);
    signs >= 2 || (signs == 1 && (bookish || !marked.book.authors.is_empty()))
}

fn is_same(one: &Book, other: &Book) -> bool {
    title::similarity(&one.title, &other.title) >= SAME_TITLE
}

/// Builds the record of the book that a page is about, from structured data, the visible page, or
/// both.
fn one(page: &Page, marked: Marked, single: Option<detail::Single>) -> Vec<Found<Book>> {
    let mut book = marked.book;
    let mut places: Places = Vec::new();
    let read = single.unwrap_or_default();
    let agrees = book.title.is_empty() || is_same(&book, &read.book);
    // Markup with a title that the page does not show (`Home`, the name of the shop) is usually
    // correct otherwise.
    if book.title.is_empty() || (!agrees && read.is_sure() && !read.is_shown(&book.title)) {
        book.title.clone_from(&read.book.title);
        places.push(("title", read.title_node));
    }
    let taken = read.complete(&mut book);
    places.extend(taken);
    if let (Some(node), false) = (marked.node, has(&places, "title")) {
        places.push(("title", node));
    }
    // Some markup gives the URL of the home page for all books.
    if book.url.as_ref().is_none_or(|url| !is_deep(url)) {
        book.url = Some(Url::from(own_address(page)));
    }
    let source = match (marked.is_certain, marked.is_marked) {
        (true, _) => Source::Marked,
        (false, true) => Source::MarkedThing,
        (false, false) => Source::Page,
    };
    let confidence = confidence(source, read.evidence());
    vec![placed(Found::new(book).confidence(confidence), places)]
}

/// Returns the books that a page lists in structured data, with missing attributes filled from its
/// rows.
fn many(layout: &Layout<'_>, groups: &[RecordGroup], books: Vec<Marked>) -> Vec<Found<Book>> {
    let rows = listing::rows(layout, groups);
    let named: HashSet<String> = books
        .iter()
        .map(|marked| text::bare(&marked.book.title))
        .collect();
    let found = books.into_iter().map(|marked| {
        let mut book = marked.book;
        if let Some(row) = row_of(&rows, &book, &named) {
            fill(&mut book, &row.book);
        }
        let places = marked.node.map(|node| ("title", node)).into_iter().collect();
        placed(
            Found::new(book).confidence(confidence(Source::MarkedList, 0)),
            places,
        )
    });
    found.collect()
}

/// Returns the row of a marked book: one with its title, or the first with a similar title that is
/// not that of another marked book. The volumes of a collection have similar titles.
fn row_of<'r>(rows: &'r [listing::Row], book: &Book, named: &HashSet<String>) -> Option<&'r listing::Row> {
    let title = text::bare(&book.title);
    let is_named = |row: &&listing::Row| text::bare(&row.book.title) == title;
    let is_free = |row: &&listing::Row| !named.contains(&text::bare(&row.book.title));
    let own = rows.iter().find(is_named);
    own.or_else(|| rows.iter().filter(is_free).find(|row| is_same(&row.book, book)))
}

fn has(places: &Places, name: &str) -> bool {
    places.iter().any(|(known, _)| *known == name)
}
