//! Words of places.

use magpie_sdk::text::{self, WordList};

use super::has;

/// Words in the names of places.
static PLACE_WORDS: WordList = WordList::new(&[
    "hall",
    "theatre",
    "theater",
    "club",
    "church",
    "chapel",
    "cathedral",
    "museum",
    "gallery",
    "room",
    "library",
    "park",
    "arena",
    "stadium",
    "house",
    "cafe",
    "bar",
    "pub",
    "inn",
    "school",
    "college",
    "university",
    "centre",
    "center",
    "auditorium",
    "studio",
    "studios",
    "garden",
    "gardens",
    "palace",
    "castle",
    "square",
    "barn",
    "brewery",
    "ballroom",
    "opera",
    "cinema",
    "lounge",
    "hotel",
    "campus",
    "pavilion",
    "stage",
    "building",
    "office",
    "offices",
    "chamber",
    "chambers",
    "courthouse",
    "courtroom",
    "boardroom",
    "headquarters",
    "annex",
    "terminal",
    "bank",
    "rathaus",
    "zimmer",
    "haus",
    "halle",
    "saal",
    "kirche",
    "buhne",
    "schloss",
    "platz",
    "bibliothek",
    "keller",
    "universitat",
    "schule",
    "salle",
    "eglise",
    "theatre",
    "musee",
    "mairie",
    "bibliotheque",
    "chateau",
    "teatro",
    "sala",
    "iglesia",
    "museo",
    "plaza",
    "casa",
    "chiesa",
    "piazza",
    "auditorio",
    "bahnhof",
    "philharmonie",
    "konzerthaus",
    "stadthalle",
    "kulturzentrum",
    "staatsoper",
    "schauspielhaus",
]);

/// Returns true for the text of a link to a map that names no place: `Show on map`, `Anfahrt`.
pub(crate) fn names_map(text: &str) -> bool {
    has(
        list![
            "map",
            "maps",
            "directions",
            "route",
            "karte",
            "anfahrt",
            "routenplaner",
            "lageplan",
            "plan",
            "itineraire",
            "carte",
            "mapa",
            "mappa",
            "kaart",
            "dojazd",
            "larger",
            "地図",
        ],
        text,
    )
}

/// Returns true for a room with its number: `Fermi (Floor 3)`, `Raum 12`.
pub(crate) fn is_room(text: &str) -> bool {
    /// Words of a room, its number and its floor.
    const MAX_WORDS: usize = 4;
    text::has_figure(text)
        && text::words(text).count() <= MAX_WORDS
        && has(
            list![
                "floor", "room", "level", "raum", "saal", "etage", "stock", "zimmer", "sala", "salle",
                "piso", "piano", "zaal", "sal"
            ],
            text,
        )
}

/// Whether a text has a word of the names of places.
pub(crate) fn is_place(text: &str) -> bool {
    has(&PLACE_WORDS, text)
}

/// The place behind a word that leads to one: `at Old Mill`.
pub(crate) fn behind_at(text: &str) -> Option<&str> {
    let (lead, place) = text.trim().split_once(' ')?;
    let leads = ["at", "@", "im", "chez", "presso"]
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
