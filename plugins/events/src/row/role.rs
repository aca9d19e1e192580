//! What the parts of a record are, as far as their surroundings say.

use magpie_sdk::extract::{Layout, RecordRow};
use magpie_sdk::text::{self, WordList};

use crate::{tree, words};

/// What a part of a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// What the event is called.
    Name,
    /// When it is.
    When,
    /// Where it is.
    Venue,
    /// Where that is.
    Address,
    /// What it costs.
    Price,
    /// Who holds it.
    Organiser,
    /// Who is on the stage.
    Performer,
    /// Something that is none of these: a category, a description, a button.
    Aside,
}

/// Words of class names, and what an element that has one is. The first that fits counts.
static CLASSES: [(Role, WordList); 8] = [
    (
        Role::Aside,
        WordList::new(&[
            "category",
            "categories",
            "tag",
            "tags",
            "genre",
            "description",
            "excerpt",
            "teaser",
            "btn",
            "button",
            "badge",
            "label",
            "share",
            "age",
            "distance",
        ]),
    ),
    (
        Role::Address,
        WordList::new(&["address", "street", "adr", "adresse", "locality", "city", "town"]),
    ),
    (
        Role::Venue,
        WordList::new(&[
            "venue",
            "location",
            "place",
            "where",
            "ort",
            "lieu",
            "salle",
            "room",
            "stage",
            "hall",
            "lugar",
            "luogo",
            "veranstaltungsort",
            "spielort",
            "venues",
        ]),
    ),
    (
        Role::Price,
        WordList::new(&[
            "price", "prices", "cost", "preis", "prix", "precio", "prezzo", "eintritt", "fee", "tarif",
        ]),
    ),
    (
        Role::Performer,
        WordList::new(&[
            "performer",
            "performers",
            "artist",
            "artists",
            "speaker",
            "speakers",
            "presenter",
            "lineup",
            "support",
            "band",
        ]),
    ),
    (
        Role::Organiser,
        WordList::new(&["organiser", "organizer", "promoter", "host", "veranstalter"]),
    ),
    (
        Role::When,
        WordList::new(&[
            "date", "dates", "time", "when", "day", "month", "year", "datum", "uhrzeit", "heure", "fecha",
            "hora", "dtstart", "start", "weekday", "datetime",
        ]),
    ),
    (
        Role::Name,
        WordList::new(&[
            "title", "name", "summary", "headline", "heading", "titel", "titre", "titulo", "titolo",
        ]),
    ),
];

/// Words of the classes of elements that hold several values: `room-container`.
static CONTAINERS: WordList = WordList::new(&[
    "container",
    "wrapper",
    "content",
    "box",
    "list",
    "row",
    "card",
    "inner",
    "body",
    "main",
]);

/// Heads of columns, and labels, that name an event.
static NAMES: WordList = WordList::new(&[
    "event",
    "name",
    "title",
    "what",
    "concert",
    "show",
    "meeting",
    "subject",
    "topic",
    "talk",
    "session",
    "veranstaltung",
    "titel",
    "was",
    "thema",
    "konzert",
    "bezeichnung",
    "titre",
    "evenement",
    "quoi",
    "spectacle",
    "titulo",
    "evento",
    "que",
    "concierto",
    "titolo",
    "cosa",
    "committee",
    "committee name",
    "meeting name",
    "event name",
    "meeting title",
    "board",
    "body",
]);

/// What a label says that the value behind it is; of `Location & Information` the first counts.
pub(crate) fn role_of_label(label: &str) -> Option<Role> {
    role_of_whole(label).or_else(|| role_of_whole(label.split_once(['&', '/'])?.0))
}

fn role_of_whole(label: &str) -> Option<Role> {
    let roles: [(Role, &WordList); 9] = [
        (Role::When, &words::WHEN),
        (Role::When, &words::TIME),
        (Role::When, &words::END),
        (Role::Venue, &words::VENUE),
        (Role::Address, &words::ADDRESS),
        (Role::Price, &words::PRICE),
        (Role::Organiser, &words::ORGANISER),
        (Role::Performer, &words::PERFORMERS),
        (Role::Name, &NAMES),
    ];
    let folded = text::bare(label);
    roles
        .into_iter()
        .find(|(_, labels)| words::place_of(labels, &folded).is_some())
        .map(|(role, _)| role)
}

/// What the class of an element says that it is.
pub(crate) fn role_of_class(class: &str) -> Option<Role> {
    if tree::names_one(class, &CONTAINERS) {
        return None;
    }
    let places = tree::words_of_name(class).filter_map(|word| {
        let is_known = |(_, known): &(Role, WordList)| word.is_ascii() && known.has(word);
        CLASSES.iter().position(is_known)
    });
    places.min().map(|place| CLASSES[place].0)
}

/// Bytes of the head of a column.
const MOST_LABEL: usize = 40;

/// The roles of the columns of a table whose rows these are.
pub(super) fn columns(layout: &Layout<'_>, rows: &[RecordRow]) -> Vec<Option<Role>> {
    let outline = layout.outline();
    let first = rows.first().and_then(|row| outline.node(*row.nodes.first()?));
    let table = first
        .filter(|row| row.tag() == "tr")
        .and_then(|row| row.ancestors().find(|around| around.tag() == "table"));
    let Some(head) = table.and_then(|table| table.descendants().find(|node| node.tag() == "tr")) else {
        return Vec::new();
    };
    let role = |label: &str| {
        // Below `Member since` and `Posted` stand dates of something else.
        let aside = label.len() <= MOST_LABEL && words::leads_aside(label);
        role_of_label(label).or(aside.then_some(Role::Aside))
    };
    head.child_elements()
        .map(|cell| role(&layout.text(cell.id())))
        .collect()
}
