//! Words that lead to a date or a time, and say whether it is that of an event.

use magpie_sdk::text::{self, WordList};

use super::has;

/// Words before a date that is not when something takes place.
static ASIDE_WORDS: WordList = WordList::new(&[
    "posted",
    "published",
    "updated",
    "modified",
    "written",
    "created",
    "added",
    "edited",
    "submitted",
    "joined",
    "since",
    "sale",
    "presale",
    "deadline",
    "registration",
    "register",
    "rsvp",
    "copyright",
    "born",
    "appointed",
    "elected",
    "released",
    "approved",
    "adopted",
    "amended",
    "uploaded",
    "veroffentlicht",
    "aktualisiert",
    "erstellt",
    "stand",
    "anmeldeschluss",
    "vorverkauf",
    "vorverkaufsstart",
    "seit",
    "geboren",
    "bearbeitet",
    "publie",
    "modifie",
    "publicado",
    "actualizado",
    "pubblicato",
    "aggiornato",
    "last",
    "comment",
    "reviewed",
    "replied",
    "wrote",
    "reply",
    "anmeldung",
    "inscription",
    "inscriptions",
    "gepostet",
    "verfasst",
    "expires",
    "valid",
    "gultig",
    "valable",
    "platny",
    "promotion",
    "purchase",
    "closed",
    "geschlossen",
    "ferme",
    "cerrado",
]);

/// Words that lead to the time at which the doors open, which is not the beginning.
static DOORS: WordList = WordList::new(&[
    "doors",
    "door",
    "einlass",
    "portes",
    "puertas",
    "porte",
    "deuren",
    "entry",
    "admission",
    "ouverture",
    "apertura",
]);

/// Whether a text that stands before a date says that this is not when something takes place.
pub(crate) fn leads_aside(before: &str) -> bool {
    has(&ASIDE_WORDS, before)
}

/// Whether a heading is over a list of people, whose days are those of their terms: its last word says so.
pub(crate) fn heads_people(heading: &str) -> bool {
    const PEOPLE: &[&str] = &[
        "member",
        "members",
        "membership",
        "staff",
        "vacancies",
        "mitglieder",
        "membres",
        "miembros",
        "membri",
    ];
    let last = text::words(heading).last().map(text::fold_word);
    last.is_some_and(|last| PEOPLE.contains(&last.as_str()))
}

/// Whether a text leads to the time at which the doors open.
pub(crate) fn leads_to_doors(before: &str) -> bool {
    has(&DOORS, before)
}

/// Whether a text leads to the time at which something ends.
pub(crate) fn leads_to_end(before: &str) -> bool {
    has(
        list![
            "conclude",
            "concludes",
            "end",
            "ends",
            "until",
            "adjourn",
            "adjourns",
            "bis",
            "endet",
        ],
        before,
    )
}

/// Whether a line with a time of day says at which all of a page's events begin.
pub(crate) fn leads_all(line: &str) -> bool {
    has(
        list![
            "meetings",
            "meets",
            "meet",
            "held",
            "begin",
            "begins",
            "convene",
            "convenes",
            "beginn",
            "beginnen",
            "noted",
            "specified",
            "start",
            "starts",
        ],
        line,
    ) && !has(
        list![
            "office", "business", "phone", "deadline", "submit", "comment", "comments", "hours",
        ],
        line,
    )
}

/// Whether a line between dates, with a time of day, may say at which they begin. It is read where no other does.
pub(crate) fn may_lead_all(line: &str) -> bool {
    has(
        list![
            "meetings", "meets", "meet", "held", "begin", "begins", "starts", "place", "conducts", "noted",
        ],
        line,
    ) && !has(list!["hours", "phone", "deadline", "submit", "closed"], line)
}

/// Whether a line is about the hours at which somebody can be reached, and not about those of a meeting.
pub(crate) fn keeps_hours(line: &str) -> bool {
    has(
        list![
            "hours",
            "office",
            "open",
            "opens",
            "phone",
            "offnungszeiten",
            "sprechzeiten",
            "horaires",
            "horario",
        ],
        line,
    ) && !has(list!["meeting", "meetings"], line)
}

/// Whether a property's name is that of an event's time.
pub(crate) fn is_date_name(name: &str) -> bool {
    crate::tree::words_of_name(name).any(|word| {
        ["startDate", "endDate", "date", "start", "end", "dtstart", "dtend"]
            .iter()
            .any(|known| word.eq_ignore_ascii_case(known))
    })
}
