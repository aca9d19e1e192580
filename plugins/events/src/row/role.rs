//! Roles of the parts of a record.

use magpie_sdk::extract::{Layout, RecordRow};
use magpie_sdk::text::{self, WordList};

use crate::words::languages as lists;
use crate::{tree, words};

/// Role of a part of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Name,
    When,
    Venue,
    Address,
    Price,
    Organiser,
    Performer,
    /// None of these: a category, a description, a button.
    Aside,
}

/// Words of class names with the role of the element. The first match counts.
static CLASSES: [(Role, &WordList); 8] = [
    (Role::Aside, &lists::CLASS_ASIDE),
    (Role::Address, &lists::CLASS_ADDRESS),
    (Role::Venue, &lists::CLASS_VENUE),
    (Role::Price, &lists::CLASS_PRICE),
    (Role::Performer, &lists::CLASS_PERFORMERS),
    (Role::Organiser, &lists::CLASS_ORGANISER),
    (Role::When, &lists::CLASS_WHEN),
    (Role::Name, &lists::CLASS_NAME),
];

/// Words in class names of elements with several values: `room-container`.
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

/// Returns the role of the value after a label. In `Location & Information`, the first word counts.
pub(crate) fn role_of_label(label: &str) -> Option<Role> {
    role_of_whole(label).or_else(|| role_of_whole(label.split_once(['&', '/'])?.0))
}

fn role_of_whole(label: &str) -> Option<Role> {
    let roles: [(Role, &WordList); 9] = [
        (Role::When, &lists::LABEL_WHEN),
        (Role::When, &lists::LABEL_TIME),
        (Role::When, &lists::LABEL_END),
        (Role::Venue, &lists::LABEL_VENUE),
        (Role::Address, &lists::LABEL_ADDRESS),
        (Role::Price, &lists::LABEL_PRICE),
        (Role::Organiser, &lists::LABEL_ORGANISER),
        (Role::Performer, &lists::LABEL_PERFORMERS),
        (Role::Name, &lists::LABEL_NAME),
    ];
    let folded = text::bare(label);
    roles
        .into_iter()
        .find(|(_, labels)| words::place_of(labels, &folded).is_some())
        .map(|(role, _)| role)
}

/// Returns the role of an element with this class.
pub(crate) fn role_of_class(class: &str) -> Option<Role> {
    if tree::names_one(class, &CONTAINERS) {
        return None;
    }
    let places = tree::words_of_name(class).filter_map(|word| {
        let is_known = |(_, known): &(Role, &WordList)| word.is_ascii() && known.has(word);
        CLASSES.iter().position(is_known)
    });
    places.min().map(|place| CLASSES[place].0)
}

/// Maximum length of the head of a column, in bytes.
const MAX_LABEL: usize = 40;

/// Returns the roles of the columns of the table with these rows.
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
        // Columns such as `Member since` and `Posted` have other dates.
        let aside = label.len() <= MAX_LABEL && words::leads_aside(label);
        role_of_label(label).or(aside.then_some(Role::Aside))
    };
    head.child_elements()
        .map(|cell| role(&layout.text(cell.id())))
        .collect()
}
