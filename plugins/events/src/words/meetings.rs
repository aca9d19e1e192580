//! Words of meetings: who meets, what is handed out, and how the lists of them are headed.

use magpie_sdk::text::{self, WordList};

use super::{has, is_generic};

/// Words beside the dates of meetings: what is handed out before and after.
static MEETING_WORDS: WordList = WordList::new(&[
    "minutes",
    "agenda",
    "meeting",
    "meetings",
    "hearing",
    "hearings",
    "notice",
    "packet",
    "protokoll",
    "tagesordnung",
    "sitzung",
]);

/// Words for those who meet.
static BODIES: WordList = WordList::new(&[
    "board",
    "commission",
    "committee",
    "subcommittee",
    "council",
    "panel",
    "senate",
    "assembly",
    "caucus",
    "taskforce",
    "ausschuss",
    "beirat",
    "kommission",
    "gemeinderat",
    "stadtrat",
    "conseil",
    "comite",
    "consejo",
    "comision",
    "consiglio",
    "commissione",
]);

/// Words that say of which kind a meeting is, and not who meets.
static QUALIFIERS: WordList = WordList::new(&[
    "regular",
    "special",
    "virtual",
    "online",
    "public",
    "full",
    "open",
    "closed",
    "emergency",
    "monthly",
    "quarterly",
    "joint",
    "rescheduled",
    "scheduled",
    "annual",
    "upcoming",
    "next",
    "cancelled",
    "canceled",
    "organizational",
    "agm",
]);

/// Words at the ends of the heads of lists, beside numbers.
static LIST_WORDS: WordList = WordList::new(&[
    "dates",
    "date",
    "schedule",
    "schedules",
    "calendar",
    "agenda",
    "agendas",
    "minutes",
    "notice",
    "notices",
    "upcoming",
    "past",
    "previous",
    "next",
    "future",
    "archive",
    "archives",
    "archived",
    "list",
    "listing",
    "all",
    "information",
    "info",
    "documents",
    "materials",
    "current",
    "fiscal",
    "year",
    "fy",
    "times",
    "proposed",
    "tentative",
    "packets",
    "videos",
    "recordings",
    "locations",
    "annual",
    "scheduled",
    "planning",
]);

/// What is handed out for a meeting.
static PAPERS: WordList = WordList::new(&[
    "agenda",
    "agendas",
    "minutes",
    "packet",
    "packets",
    "transcript",
    "transcripts",
    "notice",
    "notices",
    "pdf",
    "protokoll",
    "tagesordnung",
    "proces-verbal",
]);

/// Words beside those.
static BESIDE_PAPERS: WordList = WordList::new(&[
    "draft",
    "final",
    "approved",
    "amended",
    "revised",
    "signed",
    "unofficial",
    "unapproved",
    "view",
    "download",
    "full",
    "read",
    "video",
    "audio",
    "recording",
    "notice",
    "notices",
    "summary",
    "book",
    "materials",
    "of",
    "the",
    "for",
    "from",
    "and",
    "",
    "in",
    "to",
    "click",
    "here",
    "see",
    "with",
    "available",
    "pending",
]);

/// Whether a text talks of meetings and what is handed out there.
pub(crate) fn meets(text: &str) -> bool {
    has(&MEETING_WORDS, text)
}

/// Whether a text has a word for those who meet.
pub(crate) fn meets_in(text: &str) -> bool {
    has(&BODIES, text)
}

/// Whether a word is one for those who meet.
pub(crate) fn is_body(word: &str) -> bool {
    BODIES.has(word)
}

/// Whether a word before a body belongs to its name though more follows: `Zoning Board of Appeals`. Most words
/// there say whose it is.
pub(crate) fn is_of_body(word: &str) -> bool {
    list![
        "zoning",
        "housing",
        "building",
        "tax",
        "assessment",
        "planning",
        "advisory",
        "school",
    ]
    .has(word)
}

/// Whether a word leads from a body to what it is about: `Board of Health`.
pub(crate) fn is_link(word: &str) -> bool {
    matches!(
        word,
        "of" | "on" | "for" | "OF" | "ON" | "FOR" | "für" | "de" | "du" | "des" | "di"
    )
}

/// Whether a word joins others of a name: `Audit and Finance Committee`.
pub(crate) fn joins(word: &str) -> bool {
    matches!(
        word,
        "&" | "and" | "AND" | "the" | "THE" | "und" | "et" | "y" | "e"
    )
}

/// Whether a word says of which kind a meeting is.
pub(crate) fn is_qualifier(word: &str) -> bool {
    QUALIFIERS.has(word)
}

/// Whether a word beside the name of those who meet adds nothing to it: their meetings mostly are that.
pub(crate) fn is_plain(word: &str) -> bool {
    list![
        "meeting",
        "meetings",
        "regular",
        "monthly",
        "scheduled",
        "of",
        "the",
        "sitzung",
        "ordentliche",
        "reunion",
    ]
    .has(word)
}

/// Whether a word only says that its heading heads a list.
pub(crate) fn is_list_word(word: &str) -> bool {
    LIST_WORDS.has(word)
}

/// Whether a word may stand between those of the head of a list.
pub(crate) fn joins_list(word: &str) -> bool {
    list!["", "and", "of", "the", "for", "in", "our", "s", "to"].has(word)
}

/// Whether a name has a word for what is handed out for a meeting.
pub(crate) fn names_paper(name: &str) -> bool {
    has(&PAPERS, name)
}

/// Whether a word is for what is handed out for a meeting, or may stand beside such a word.
pub(crate) fn is_of_paper(word: &str) -> bool {
    PAPERS.has(word) || BESIDE_PAPERS.has(word)
}

/// Whether a name is of papers for those who meet: `Board Book`.
pub(crate) fn is_of_papers(name: &str) -> bool {
    is_vague(name)
        && text::words(name).count() > 1
        && !has(
            list!["meeting", "meetings", "hearing", "session", "sitzung"],
            name,
        )
}

/// Whether a name says that somebody meets, and not who: `Board Meeting`, `Regular Meeting`.
pub(crate) fn is_vague(name: &str) -> bool {
    text::words(name).all(|word| is_body(word) || is_qualifier(word) || is_generic(word))
}

/// Whether a sentence says when a meeting is going to be.
pub(crate) fn announces(sentence: &str) -> bool {
    has(
        list!["meeting", "meetings", "hearing", "meet", "session", "sitzung"],
        sentence,
    ) && has(
        list![
            "next",
            "scheduled",
            "will",
            "held",
            "hold",
            "nachste",
            "findet",
            "prochaine",
        ],
        sentence,
    )
}

/// Whether a short line without a day heads the dates of meetings.
pub(crate) fn heads_meetings(line: &str) -> bool {
    has(
        list![
            "meeting",
            "meetings",
            "hearing",
            "hearings",
            "board",
            "committee",
            "sitzungen",
            "seances",
            "event",
            "events",
        ],
        line,
    ) && has(
        list![
            "dates",
            "schedule",
            "schedules",
            "calendar",
            "meetings",
            "hearings",
            "upcoming",
            "termine",
            "calendrier",
        ],
        line,
    ) && !line.ends_with('.')
}
