//! Search queries for sites that have a book.

use magpie_sdk::title::Title;
use magpie_sdk::{Isbn, Query};

use crate::Book;

/// Maximum length of a quoted title, in bytes. Longer titles are seldom written the same elsewhere.
const MAX_QUOTED: usize = 80;

/// Returns queries for the ISBN, and for the title with its first author, quoted and unquoted.
pub(crate) fn queries(book: &Book) -> Vec<Query> {
    let query = |text: String, purpose: &str| Query {
        text,
        purpose: purpose.to_owned(),
    };
    let mut queries: Vec<Query> = book
        .isbn
        .as_ref()
        .and_then(Isbn::read)
        .map(|isbn| query(isbn, "identifier"))
        .into_iter()
        .collect();
    let title = Title::parse(&book.title).main;
    let author = book
        .authors
        .first()
        .map(|author| author.as_str())
        .unwrap_or_default();
    // A quotation mark within the title would end the quoted phrase.
    if title.len() <= MAX_QUOTED && !title.contains('"') {
        queries.push(query(
            format!("\"{title}\" {author}").trim_end().to_owned(),
            "exact",
        ));
    }
    queries.push(query(
        format!("{title} {author} book")
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" "),
        "loose",
    ));
    queries
}

#[cfg(test)]
mod tests {
    use super::queries;
    use crate::Book;

    #[test]
    fn the_number_is_asked_for_first() {
        let book = Book {
            title: "The Harbour Lights: A Novel".into(),
            authors: vec!["Ann Lee".into()],
            isbn: Some("0-306-40615-2".into()),
            ..Book::default()
        };
        let texts: Vec<String> = queries(&book).into_iter().map(|query| query.text).collect();
        assert_eq!(
            texts,
            [
                "9780306406157",
                "\"The Harbour Lights\" Ann Lee",
                "The Harbour Lights Ann Lee book"
            ]
        );
    }
}
