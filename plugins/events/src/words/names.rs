//! Words on pages of events that are not names of events.

use magpie_sdk::extract::is_navigation;
use magpie_sdk::text;

use super::{has, is_one, languages as lists};

/// Returns true for the text of a link or button that names nothing: `Buy tickets`.
pub(crate) fn is_action(text: &str) -> bool {
    is_one(&lists::ACTION, text)
}

/// Returns true if a text names a page of events, not a single event.
pub(crate) fn is_generic(name: &str) -> bool {
    let is_number = |word: &str| {
        text::fold_word(word)
            .bytes()
            .all(|letter| letter.is_ascii_digit())
    };
    text::words(name).all(|word| lists::GENERIC_WORD.has(word) || is_number(word))
        || is_one(&lists::GENERIC_NAME, name)
        || is_navigation(name)
}

/// Returns true if a text says that there are no events: `No events scheduled for May 3.`
pub(crate) fn is_absence(text: &str) -> bool {
    /// Maximum number of words that say so at the beginning, and number of those at the end.
    const FIRST: usize = 4;
    const LAST: usize = 2;
    let words: Vec<&str> = text::words(text).collect();
    let first = &words[..words.len().min(FIRST)];
    let last = &words[words.len().saturating_sub(LAST)..];
    (1..=first.len()).any(|count| is_one(&lists::NO_EVENT, &first[..count].join(" ")))
        || is_one(&lists::NO_EVENT_END, &last.join(" "))
        || has(&lists::NO_EVENT_END, text)
}

/// Returns true if a text is the rest of a sentence or a line, and no name: `Through`, `at the Old
/// Mill`, `Tuesday to`.
pub(crate) fn is_fragment(text: &str) -> bool {
    let text = text.trim();
    let mut words = text::words(text);
    let Some(first) = words.next() else { return true };
    let count = 1 + words.count();
    let is_joint = text.starts_with(['&', '+']) || text.ends_with(['&', '+']);
    let begins = lists::FRAGMENT_START.has(first)
        && (count == 1 || first.starts_with(char::is_lowercase) && count <= 6);
    // A title may end with such a word in capitals. The word may also be one of another language.
    let last = text::words(text).last().unwrap_or_default();
    let ends = count > 1 && last.chars().all(char::is_lowercase) && lists::FRAGMENT_END.has(last);
    is_joint || begins || ends || (count == 1 && lists::LONE_LABEL.has(first))
}

/// Returns true for opening hours: `Museum Hours`.
pub(crate) fn ends_in_hours(name: &str) -> bool {
    text::words(name)
        .last()
        .is_some_and(|word| lists::OPENING_HOURS.has(word))
}

/// Returns true if a text is made of numbers, months and weekdays: `Dec - 2023`.
pub(crate) fn is_only_date(text: &str) -> bool {
    text::has_figure(text)
        && text::words(text).all(|word| {
            let word = text::fold_word(word);
            let is_number = word.bytes().all(|letter| letter.is_ascii_digit());
            is_number || super::weekday(&word).is_some() || super::month(&word).is_some()
        })
}

/// Returns true for a text of a calendar that names no event: weekdays, months, numbers of events,
/// links to more.
pub(crate) fn is_furniture(text: &str) -> bool {
    /// Maximum number of words of a text that may name an event.
    const MAX_WORDS: usize = 9;
    let words: Vec<String> = text::words(text).map(text::fold_word).collect();
    if words.is_empty() || words.len() > MAX_WORDS || is_one(&lists::CALENDAR_TEXT, text) {
        return true;
    }
    let is_number = |word: &String| word.bytes().all(|letter| letter.is_ascii_digit());
    let is_date =
        |word: &String| is_number(word) || super::heads_weekday(word) || super::month(word).is_some();
    let is_count =
        |word: &String| is_date(word) || lists::EVENT_COUNT.has(word) || lists::EVENT_NOUN.has(word);
    let denies = lists::NO_EVENTS.has(&words[0]) && words.iter().any(|word| lists::EVENT_NOUN.has(word));
    words.iter().all(is_count) || denies || is_absence(text)
}

/// Returns true for the name of a break in a programme: `Lunch`, `Registration + Breakfast
/// (buffet)`.
pub(crate) fn is_pause(name: &str) -> bool {
    let bare = name.split('(').next().unwrap_or(name);
    is_one(&lists::PAUSE, bare)
        || bare
            .split(['+', '&', '/'])
            .all(|part| is_one(&lists::PAUSE, part))
}

/// Returns true if a heading is that of related content, not of the page's subject.
pub(crate) fn is_related(heading: &str) -> bool {
    text::words(heading)
        .next()
        .is_some_and(|word| lists::RELATED_START.has(word))
        || has(&lists::RELATED, heading)
}

/// Returns true if a text is a sentence, not a name: `The meeting of 3 May will be held online`.
pub(crate) fn is_sentence(text: &str) -> bool {
    /// Minimum number of words of a sentence; `Bruce Will Play` is a name.
    const MIN_WORDS: usize = 8;
    text::words(text).nth(MIN_WORDS - 1).is_some() && has(&lists::SENTENCE, text)
}

#[cfg(test)]
mod tests {
    use super::{is_absence, is_pause, is_sentence};

    #[test]
    fn an_empty_day_is_told_in_every_language() {
        let table = include_str!("../../fixtures/words.tsv");
        let cells = |key: &str| {
            let line = table.lines().find(|line| line.split('\t').next() == Some(key));
            line.expect("a line").split('\t').skip(1)
        };
        for (language, notice) in cells("key").zip(cells("no-events-on-17-may-2025")) {
            assert!(is_absence(notice), "{language}: {notice}");
        }
        for (language, name) in cells("key").zip(cells("related-events")) {
            assert!(!is_absence(name), "{language}: {name}");
        }
        assert!(!is_absence("No Man's Land"));
    }

    #[test]
    fn breaks_may_be_joined() {
        assert!(is_pause("Registration + Breakfast (Hot Buffet)") && is_pause("Lunch"));
        assert!(!is_pause("Lunch + Learn") && !is_pause("Breakfast at Tiffany's"));
    }

    #[test]
    fn sentences_are_told_from_names() {
        assert!(is_sentence("The meeting of the Parks Board will be held online"));
        assert!(is_sentence(
            "Wegen des Sturms wird die Sitzung in die Halle verlegt"
        ));
        assert!(!is_sentence("Good Will Hunting"));
        assert!(!is_sentence(
            "Special Meeting of the Board of Trustees on the Budget for Schools"
        ));
        assert!(!is_sentence(""));
    }
}
