//! The purpose of a field.

use std::fmt;

use magpie_page::{Field, FieldKind, Form};

use super::features::is_usable;
use super::words::{Notion, Words};

/// The purpose of a field of a search or a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FieldPurpose {
    Keyword,
    /// A town, an address, a postal code.
    Place,
    DateFrom,
    DateTo,
    PriceFrom,
    PriceTo,
    Category,
    /// A person who made the object.
    Author,
    /// A number of a book or a product.
    Isbn,
    PageSize,
    Sort,
    Page,
    /// A value that the server gave and expects back.
    Token,
    Submit,
    Other,
}

impl FieldPurpose {
    /// A short name that stays the same from version to version.
    pub fn name(self) -> &'static str {
        match self {
            FieldPurpose::Keyword => "keyword",
            FieldPurpose::Place => "place",
            FieldPurpose::DateFrom => "date-from",
            FieldPurpose::DateTo => "date-to",
            FieldPurpose::PriceFrom => "price-from",
            FieldPurpose::PriceTo => "price-to",
            FieldPurpose::Category => "category",
            FieldPurpose::Author => "author",
            FieldPurpose::Isbn => "isbn",
            FieldPurpose::PageSize => "page-size",
            FieldPurpose::Sort => "sort",
            FieldPurpose::Page => "page",
            FieldPurpose::Token => "token",
            FieldPurpose::Submit => "submit",
            FieldPurpose::Other => "other",
        }
    }
}

impl fmt::Display for FieldPurpose {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// Returns the purpose of a field by its kind, its name and its label.
pub fn field_purpose(field: &Field) -> FieldPurpose {
    use FieldPurpose::*;
    let name = Words::of_name(&field.name);
    let mut words = name.clone();
    words.extend(Words::of_name(&field.id));
    words.extend(Words::of_text(&field.label));
    words.extend(Words::of_text(&field.placeholder));
    let has = |notion| words.has(notion);
    match field.kind {
        FieldKind::Button | FieldKind::Reset => return Submit,
        FieldKind::Hidden if name.has(Notion::Token) || is_random(&field.value) => return Token,
        FieldKind::Hidden if name.has(Notion::Sort) => return Sort,
        FieldKind::Hidden if name.has(Notion::PageSize) => return PageSize,
        FieldKind::Hidden if name.has(Notion::Page) => return Page,
        FieldKind::Hidden | FieldKind::Password | FieldKind::File | FieldKind::Email | FieldKind::Color => {
            return Other;
        }
        FieldKind::Telephone | FieldKind::Url | FieldKind::TextArea => return Other,
        FieldKind::Search => return Keyword,
        FieldKind::Date | FieldKind::DateTime | FieldKind::Month | FieldKind::Week => {
            return if has(Notion::To) { DateTo } else { DateFrom };
        }
        _ => {}
    }
    let is_choice = field.kind.has_choices();
    if has(Notion::Isbn) {
        Isbn
    } else if has(Notion::Price) && !is_choice {
        if has(Notion::To) { PriceTo } else { PriceFrom }
    } else if has(Notion::Date) && !name.has(Notion::Search) && !is_choice {
        if has(Notion::To) { DateTo } else { DateFrom }
    } else if is_choice && has(Notion::Sort) {
        Sort
    } else if is_choice && has(Notion::PageSize) {
        PageSize
    } else if is_choice && has(Notion::Place) {
        Place
    } else if is_choice && has(Notion::Category) {
        Category
    } else if is_choice {
        Other
    } else if field.kind.is_text() && (name.has_exactly(Notion::QueryName) || has(Notion::Search)) {
        Keyword
    } else if has(Notion::Place) {
        Place
    } else if has(Notion::Author) {
        Author
    } else if field.kind.is_text() && !is_personal(&words) {
        Keyword
    } else {
        Other
    }
}

/// Returns true if a value looks like one that a server drew at random.
fn is_random(value: &str) -> bool {
    let is_drawn =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'=' | b'+' | b'/');
    value.len() >= 24
        && value.bytes().all(is_drawn)
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Returns true if a field asks for something about its reader.
fn is_personal(words: &Words) -> bool {
    use Notion::*;
    [Email, Telephone, Person, Login, Captcha, Order]
        .into_iter()
        .any(|notion| words.has(notion))
}

/// Returns the field that a search takes its words from, as an index: the text field that looks
/// most like it, the first of several.
pub fn query_field(form: &Form) -> Option<usize> {
    let is_candidate = |field: &Field| field.kind.is_text() && is_usable(field) && !field.name.is_empty();
    let candidates = form
        .fields
        .iter()
        .enumerate()
        .filter(|(_, field)| is_candidate(field))
        .map(|(at, field)| (at, score(field)));
    // The first of equals: `max_by_key` would return the last.
    candidates
        .reduce(|best, next| if next.1 > best.1 { next } else { best })
        .map(|(at, _)| at)
}

/// Names of fields that people leave empty.
const TRAP_NAMES: [&str; 5] = ["homepage", "honeypot", "hp", "url", "website"];

fn score(field: &Field) -> i32 {
    let name = Words::of_name(&field.name);
    let mut words = Words::of_name(&field.id);
    words.extend(Words::of_text(&field.label));
    words.extend(Words::of_text(&field.placeholder));
    words.extend(Words::of_text(&field.value));
    let mut score = 0;
    let mut add = |holds: bool, points: i32| score += if holds { points } else { 0 };
    add(field.kind == FieldKind::Search, 6);
    add(name.has_exactly(Notion::QueryName), 4);
    add(name.has(Notion::Search), 3);
    add(words.has(Notion::Search), 2);
    let others = [
        Notion::Place,
        Notion::Date,
        Notion::Price,
        Notion::Email,
        Notion::Isbn,
        Notion::Person,
        Notion::Author,
        Notion::Captcha,
        Notion::PageSize,
        Notion::Login,
    ];
    add(others.into_iter().any(|notion| name.has(notion)), -5);
    // Fields by which programs give themselves away, hidden by style sheets.
    add(name.iter().any(|word| TRAP_NAMES.contains(&word)), -8);
    score
}
