//! Words of meetings: bodies that meet, papers, and headings of lists of meetings.

use magpie_sdk::text;

use super::{has, is_generic, languages as lists};

/// Returns true if a text has a word for meetings or their papers.
pub(crate) fn meets(text: &str) -> bool {
    has(&lists::MEETING, text)
}

/// Returns true if a text has a word for a body that meets.
pub(crate) fn meets_in(text: &str) -> bool {
    has(&lists::BODY, text)
}

/// Returns true if a word is one for a body that meets.
pub(crate) fn is_body(word: &str) -> bool {
    lists::BODY.has(word)
}

/// Returns true if a word before a body belongs to its name although more follows: `Zoning Board of
/// Appeals`. Most words there name the owner of the body.
pub(crate) fn is_of_body(word: &str) -> bool {
    lists::BODY_SUBJECT.has(word)
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
    lists::MEETING_KIND.has(word)
}

/// Returns true if a word adds nothing to the name of a body, because it fits most of its meetings.
pub(crate) fn is_plain(word: &str) -> bool {
    lists::PLAIN_MEETING.has(word)
}

/// Returns true if a word only marks a heading as that of a list.
pub(crate) fn is_list_word(word: &str) -> bool {
    lists::LIST_WORD.has(word)
}

/// Returns true if a word may join others in the heading of a list.
pub(crate) fn joins_list(word: &str) -> bool {
    lists::LIST_JOINT.has(word)
}

/// Returns true if a name has a word for the papers of a meeting.
pub(crate) fn names_paper(name: &str) -> bool {
    has(&lists::PAPER, name)
}

/// Returns true if a word is one for papers of a meeting, or accompanies such words.
pub(crate) fn is_of_paper(word: &str) -> bool {
    lists::PAPER.has(word) || lists::BESIDE_PAPER.has(word)
}

/// Returns true if a name is that of papers of a body: `Board Book`.
pub(crate) fn is_of_papers(name: &str) -> bool {
    is_vague(name) && text::words(name).count() > 1 && !has(&lists::MEETING_NAME, name)
}

/// Returns true if a name has only general words for bodies and meetings: `Board Meeting`, `Regular
/// Meeting`.
pub(crate) fn is_vague(name: &str) -> bool {
    text::words(name).all(|word| is_body(word) || is_qualifier(word) || is_generic(word))
}

/// Returns true if a sentence announces a meeting.
pub(crate) fn announces(sentence: &str) -> bool {
    has(&lists::ANNOUNCED, sentence) && has(&lists::ANNOUNCES, sentence)
}

/// Returns true if a short line without a day is the heading of dates of meetings.
pub(crate) fn heads_meetings(line: &str) -> bool {
    has(&lists::DATES_OF, line) && has(&lists::DATES_HEAD, line) && !line.ends_with('.')
}
