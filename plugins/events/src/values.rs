//! Places, people, prices and links, as they stand on pages.

use magpie_sdk::{money, text};

use crate::draft::Draft;
use crate::words::languages as lists;
use crate::{name, words};

/// Bytes of a place's name.
pub(crate) const MOST_PLACE: usize = 160;

/// Takes a place, whose address may follow its name.
pub(crate) fn add_place(draft: &mut Draft, written: &str, node: u32) {
    if written.len() > MOST_PLACE || draft.event.venue.is_some() {
        return;
    }
    let (venue, address) = split_place(written);
    draft.event.venue = Some(venue.into());
    draft.at("venue", node);
    if let Some(address) = address.filter(|_| draft.event.address.is_none()) {
        draft.event.address = Some(address.into());
        draft.at("address", node);
    }
}

/// `Old Mill, 3 Mill Lane, Ashford` is a name and an address; `Old Mill, Ashford` is left as it is.
pub(crate) fn split_place(written: &str) -> (&str, Option<&str>) {
    let has_number = |text: &str| text.contains(|letter: char| letter.is_ascii_digit());
    match written.split_once(", ") {
        Some((name, rest)) if has_number(rest) && !has_number(name) => (name.trim(), Some(rest.trim())),
        _ => (written, None),
    }
}

/// Whether a text is a short one beside the name.
pub(crate) fn stands_alone(text: &str, name: &str) -> bool {
    /// Bytes of a place's name where nothing says that it is one.
    const MOST_LOOSE: usize = 70;
    text.len() <= MOST_LOOSE
        && name::is_telling(text)
        && !text.ends_with(['.', '!', '?', ':'])
        && !name.contains(text)
        && !is_price(text)
        && words::status(text).is_none()
        && !words::is_generic(text)
        && !(words::leads_aside(text) && text::words(text).count() <= 2)
}

/// Words of a place's name with its room.
const MOST_PLACE_WORDS: usize = 8;

/// The place that a short text names; beside a date anything with a capital letter is one.
pub(crate) fn place_in(text: &str, beside_date: bool) -> Option<&str> {
    if let Some(place) = words::behind_at(text) {
        return Some(place);
    }
    let capital = text.starts_with(char::is_uppercase);
    let count = text::words(text).count();
    let few = count <= 5;
    // What is longer tells something in which a place is named.
    let is_place = count <= MOST_PLACE_WORDS && words::is_place(text);
    (capital && (is_place || (beside_date && few && !words::sells(text) && !words::meets(text))))
        .then_some(text)
}

/// Takes the people of a list of names.
pub(crate) fn add_performers(draft: &mut Draft, written: &str, node: u32) {
    /// People of one event that are kept; a festival names more, and then they tell little.
    const MOST_PERFORMERS: usize = 20;
    /// Bytes of a name.
    const MOST_PERSON: usize = 80;
    let names = written
        .split([',', ';', '•', '|', '/', '\n'])
        .flat_map(|part| part.split(" & "))
        .flat_map(|part| part.split(" and "))
        .map(name::trimmed)
        .filter(|name| name::is_telling(name) && name.len() <= MOST_PERSON);
    for name in names.take(MOST_PERFORMERS) {
        draft.event.performers.push(name.into());
        draft.at("performers", node);
    }
}

/// Whether a text is a price or says that there is none.
pub(crate) fn is_price(text: &str) -> bool {
    money::parse(text, &money::MoneyContext::default()).is_some()
        && (has_currency(text) || is_bare_price(text))
}

/// Returns true for a price without its currency: a number with few letters behind it, or a word
/// for nothing. `Apollo 13` is a name.
fn is_bare_price(text: &str) -> bool {
    /// Letters beside a number: `10 / 8 erm.`
    const FEW: usize = 8;
    /// Letters of a text that says that nothing is to be paid.
    const FREE: usize = 11;
    let letters = text.chars().filter(|letter| letter.is_alphabetic()).count();
    let is_number = text
        .trim_start()
        .starts_with(|letter: char| letter.is_ascii_digit());
    if text::has_figure(text) {
        let is_led = || {
            text::words(text)
                .next()
                .is_some_and(|word| lists::LABEL_PRICE.has(word) || words::leads_price(word))
        };
        (is_number && letters <= FEW) || is_led()
    } else {
        letters <= FREE
    }
}

pub(crate) fn has_currency(text: &str) -> bool {
    text.len() < 60
        && money::find_all(text, &money::MoneyContext::default())
            .iter()
            .any(|found| found.money.currency().is_some())
}

/// Whether a reference leads to a page.
pub(crate) fn is_page(href: &str) -> bool {
    let href = href.trim();
    let other = ["javascript:", "mailto:", "tel:", "data:", "webcal:", "#"];
    !href.is_empty()
        && !other
            .iter()
            .any(|scheme| text::truncate(href, scheme.len()).eq_ignore_ascii_case(scheme))
}

pub(crate) fn is_document(href: &str) -> bool {
    let path = href.split(['?', '#']).next().unwrap_or(href).to_ascii_lowercase();
    [".pdf", ".doc", ".docx", ".ics", ".zip", ".mp3", ".jpg", ".png"]
        .iter()
        .any(|ending| path.ends_with(ending))
}

pub(crate) fn is_icon(src: &str) -> bool {
    let src = src.to_ascii_lowercase();
    ["icon", "logo", "pixel", "spacer", "avatar", ".svg", "placeholder"]
        .iter()
        .any(|word| src.contains(word))
}
