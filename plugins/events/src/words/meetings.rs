//! Words of meetings: bodies that meet, papers, and headings of lists of meetings.

use magpie_sdk::text::{self, WordList};

use super::{has, is_generic};

/// Words beside the dates of meetings: papers handed out before and after.
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

/// Words for bodies that meet.
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

/// Words for kinds of meetings, which do not name the body.
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

/// Words for the papers of a meeting.
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

/// Words that accompany words for papers.
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

/// Returns true if a text has a word for meetings or their papers.
pub(crate) fn meets(text: &str) -> bool {
    has(&MEETING_WORDS, text)
}

/// Returns true if a text has a word for a body that meets.
pub(crate) fn meets_in(text: &str) -> bool {
    has(&BODIES, text)
}

/// Returns true if a word is one for a body that meets.
pub(crate) fn is_body(word: &str) -> bool {
    BODIES.has(word)
}

/// Returns true if a word before a body belongs to its name although more follows: `Zoning Board of
/// Appeals`. Most words there name the owner of the body.
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

/// Returns true if a word links a body to its subject: `Board of Health`.
pub(crate) fn is_link(word: &str) -> bool {
    matches!(
        word,
        "of" | "on" | "for" | "OF" | "ON" | "FOR" | "für" | "de" | "du" | "des" | "di"
    )
}

/// Returns true if a word joins others of a name: `Audit and Finance Committee`.
pub(crate) fn joins(word: &str) -> bool {
    matches!(
        word,
        "&" | "and" | "AND" | "the" | "THE" | "und" | "et" | "y" | "e"
    )
}

/// Returns true if a word is one for a kind of meetings.
pub(crate) fn is_qualifier(word: &str) -> bool {
    QUALIFIERS.has(word)
}

/// Returns true if a word adds nothing to the name of a body, because it fits most of its meetings.
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

/// Returns true if a word only marks a heading as that of a list.
pub(crate) fn is_list_word(word: &str) -> bool {
    LIST_WORDS.has(word)
}

/// Returns true if a word may join others in the heading of a list.
pub(crate) fn joins_list(word: &str) -> bool {
    list!["", "and", "of", "the", "for", "in", "our", "s", "to"].has(word)
}

/// Returns true if a name has a word for the papers of a meeting.
pub(crate) fn names_paper(name: &str) -> bool {
    has(&PAPERS, name)
}

/// Returns true if a word is one for papers of a meeting, or accompanies such words.
pub(crate) fn is_of_paper(word: &str) -> bool {
    PAPERS.has(word) || BESIDE_PAPERS.has(word)
}

/// Returns true if a name is that of papers of a body: `Board Book`.
pub(crate) fn is_of_papers(name: &str) -> bool {
    is_vague(name)
        && text::words(name).count() > 1
        && !has(
            list!["meeting", "meetings", "hearing", "session", "sitzung"],
            name,
        )
}

/// Returns true if a name has only general words for bodies and meetings: `Board Meeting`, `Regular
/// Meeting`.
pub(crate) fn is_vague(name: &str) -> bool {
    text::words(name).all(|word| is_body(word) || is_qualifier(word) || is_generic(word))
}

/// Returns true if a sentence announces a meeting.
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

/// Returns true if a short line without a day is the heading of dates of meetings.
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
