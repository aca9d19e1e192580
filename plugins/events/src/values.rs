//! Parses places, people, prices and links as written on pages.

use magpie_sdk::extract::is_navigation;
use magpie_sdk::name::place_similarity;
use magpie_sdk::{money, text};

use crate::draft::Draft;
use crate::words::languages as lists;
use crate::{name, words};

/// Maximum length of the name of a place, in bytes.
pub(crate) const MAX_PLACE: usize = 160;

/// Takes a place, perhaps with an address after its name.
pub(crate) fn add_place(draft: &mut Draft, written: &str, node: u32) {
    if written.len() > MAX_PLACE || draft.event.venue.is_some() || is_navigation(written) {
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

/// Splits name and address: `Old Mill, 3 Mill Lane, Ashford`. `Old Mill, Ashford` is not split.
pub(crate) fn split_place(written: &str) -> (&str, Option<&str>) {
    let has_number = |text: &str| text.contains(|letter: char| letter.is_ascii_digit());
    match written.split_once(", ") {
        Some((name, rest)) if has_number(rest) && !has_number(name) => (name.trim(), Some(rest.trim())),
        _ => (written, None),
    }
}

/// Returns true for a short text that is not part of the name.
pub(crate) fn stands_alone(text: &str, name: &str) -> bool {
    /// Maximum length of the name of a place without a label, in bytes.
    const MAX_LOOSE: usize = 70;
    text.len() <= MAX_LOOSE
        && name::is_telling(text)
        && !text.ends_with(['.', '!', '?', ':'])
        && !name.contains(text)
        && !is_price(text)
        && words::status(text).is_none()
        && !words::is_generic(text)
        && !is_navigation(text)
        && !words::is_entry(text)
        && !(words::leads_aside(text) && text::words(text).count() <= 2)
}

/// Maximum number of words of the name of a place with its room.
const MAX_PLACE_WORDS: usize = 8;

/// Takes the place behind an `@` in a name. If the event has another place, it was a part of the
/// name: `Open Desktops @ Harrow College` in the Lecture Hall.
pub(crate) fn add_place_behind_at(draft: &mut Draft, place: Option<String>) {
    /// Minimum similarity of two spellings of one place.
    const SAME: f64 = 0.6;
    let Some(place) = place else { return };
    match &draft.event.venue {
        None => draft.event.venue = Some(place.into()),
        Some(venue) if place_similarity(venue, &place) < SAME => {
            draft.event.name = format!("{} @ {place}", draft.event.name);
        }
        Some(_) => {}
    }
}

/// Returns the place that a short text names. Next to a date, any text with a capital letter is a
/// place.
pub(crate) fn place_in(text: &str, beside_date: bool) -> Option<&str> {
    if is_navigation(text) || words::is_entry(text) {
        return None;
    }
    if let Some(place) = words::behind_at(text) {
        return Some(place);
    }
    let capital = text.starts_with(char::is_uppercase);
    let count = text::words(text).count();
    let few = count <= 5;
    // A longer text mentions a place in a sentence.
    let is_place = count <= MAX_PLACE_WORDS && words::is_place(text);
    (capital && (is_place || (beside_date && few && !words::sells(text) && !words::meets(text))))
        .then_some(text)
}

/// Takes the people of a list of names.
pub(crate) fn add_performers(draft: &mut Draft, written: &str, node: u32) {
    /// Maximum number of performers. Festivals have more, which then are no useful evidence.
    const MAX_PERFORMERS: usize = 20;
    /// Maximum length of a name, in bytes.
    const MAX_PERSON: usize = 80;
    let names = written
        .split([',', ';', '•', '|', '/', '\n'])
        .flat_map(|part| part.split(" & "))
        .flat_map(|part| part.split(" and "))
        .map(name::trimmed)
        .filter(|name| name::is_telling(name) && name.len() <= MAX_PERSON && !is_navigation(name));
    for name in names.take(MAX_PERFORMERS) {
        draft.event.performers.push(name.into());
        draft.at("performers", node);
    }
}

/// Returns true if a text is a price or states free admission.
pub(crate) fn is_price(text: &str) -> bool {
    money::parse(text, &money::MoneyContext::default()).is_some()
        && (has_currency(text) || is_bare_price(text))
}

/// Returns true for a price without a currency: a number with few letters after it, or a word for
/// free admission. `Apollo 13` is a name.
fn is_bare_price(text: &str) -> bool {
    /// Maximum number of letters next to a number: `10 / 8 erm.`
    const MAX_LETTERS: usize = 8;
    /// Maximum number of letters of a text that states free admission.
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
        (is_number && letters <= MAX_LETTERS) || is_led()
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

/// Returns true if a reference leads to a page.
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

/// Returns true for the name or reference of a picture, which stands in a gallery.
pub(crate) fn is_picture(href: &str) -> bool {
    let path = href.split(['?', '#']).next().unwrap_or(href).to_ascii_lowercase();
    [".jpg", ".jpeg", ".png", ".gif", ".webp"]
        .iter()
        .any(|ending| path.ends_with(ending))
}

pub(crate) fn is_icon(src: &str) -> bool {
    let src = src.to_ascii_lowercase();
    ["icon", "logo", "pixel", "spacer", "avatar", ".svg", "placeholder"]
        .iter()
        .any(|word| src.contains(word))
}
