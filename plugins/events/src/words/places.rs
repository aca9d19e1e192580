//! Words for venues and rooms.

use magpie_sdk::text;

use super::{has, languages as lists};

/// Returns true for the text of a link to a map that names no place: `Show on map`, `Anfahrt`.
pub(crate) fn names_map(text: &str) -> bool {
    has(&lists::MAP_LINK, text)
}

/// Returns true for a room with its number: `Fermi (Floor 3)`, `Raum 12`.
pub(crate) fn is_room(text: &str) -> bool {
    /// Maximum number of words of a room, with its number and floor.
    const MAX_WORDS: usize = 4;
    text::has_figure(text) && text::words(text).count() <= MAX_WORDS && has(&lists::ROOM, text)
}

/// Returns true if a text has a word that names of places contain, such as `theatre`.
pub(crate) fn is_place(text: &str) -> bool {
    has(&lists::PLACE, text)
}

/// Returns the place after a preposition: `at Old Mill`.
pub(crate) fn behind_at(text: &str) -> Option<&str> {
    let (lead, place) = text.trim().split_once(' ')?;
    let leads = lists::BEFORE_PLACE
        .iter()
        .any(|known| lead.eq_ignore_ascii_case(known));
    let capital = place
        .trim_start()
        .starts_with(|first: char| first.is_uppercase() || first.is_numeric())
        || place.trim_start().starts_with("the ");
    // Much else is in something: `in German`.
    let is_in = lead.eq_ignore_ascii_case("in") && is_place(place);
    ((leads || is_in) && capital).then(|| place.trim())
}
