//! Parses names of events and other content of the same line.

use std::ops::Range;

use magpie_sdk::text;

use crate::values::is_picture;
use crate::when::Clock;
use crate::words;
use crate::words::languages as lists;

/// Maximum length of a name in bytes. Longer texts are descriptions.
pub(crate) const MAX_NAME: usize = 200;

/// A name and what was separated from it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Name {
    /// The name; empty if nothing is left.
    pub(crate) text: String,
    /// Text after an `@`.
    pub(crate) venue: Option<String>,
    /// Change of status.
    pub(crate) status: Option<&'static str>,
}

/// Parses a name as written on a page: `CANCELLED: Night Music @ Old Mill, 3 May 2026, 19:30`.
pub(crate) fn read(written: &str, clock: &Clock<'_>) -> Name {
    let written = text::tidy(written);
    let status = marked_status(&written);
    let plain = without_status(&written);
    let plain = without_papers(&without_dates(without_kind(&plain), clock));
    let (name, venue) = match plain.split_once(" @ ") {
        Some((name, venue)) if is_telling(name) && is_telling(venue) && !is_code(venue) => {
            (name, Some(trimmed(venue).to_owned()))
        }
        _ => (plain.as_str(), None),
    };
    let name = trimmed(name);
    Name {
        text: if is_telling(name) {
            name.to_owned()
        } else {
            String::new()
        },
        venue,
        status,
    }
}

/// Returns true if the text after an `@` is a time or a part of the name, and not a place: `Fridays
/// @ FIVE`.
fn is_code(venue: &str) -> bool {
    let is_word = !venue.trim().contains(' ') && venue.chars().all(|letter| !letter.is_lowercase());
    is_word && !words::is_place(venue)
}

/// Parses a name from structured data, from which only a change of status is removed.
pub(crate) fn stated(written: &str) -> Name {
    let written = text::tidy(written);
    Name {
        text: without_status(&written),
        venue: None,
        status: marked_status(&written),
    }
}

/// Returns true if a text may be a name: it has letters, and not only those of dates and prices.
pub(crate) fn is_telling(text: &str) -> bool {
    text.chars()
        .filter(|letter| letter.is_alphabetic())
        .take(2)
        .count()
        == 2
        && !words::is_action(text)
        && !words::is_fragment(text)
        && !words::is_only_date(text)
        && !is_picture(text)
}

/// Removes dates and times at the ends of a text or between punctuation. A date within a sentence
/// is kept: `The 4 July Band`.
pub(crate) fn without_dates(written: &str, clock: &Clock<'_>) -> String {
    let mut rest = written.to_owned();
    let spans: Vec<Range<usize>> = clock
        .scan(written)
        .iter()
        .map(|found| found.start..found.end)
        .collect();
    // From the end, so that the positions of earlier dates stay valid.
    for span in spans.into_iter().rev() {
        let (before, after) = (&rest[..span.start], &rest[span.end..]);
        if is_own_part(before, &rest[span.clone()], after) || is_holiday(before, &rest[span.clone()], after) {
            continue;
        }
        let opens = ends_with_mark(before);
        let closes = starts_with_mark(after);
        let whole = trimmed(before).is_empty() || trimmed(after).is_empty();
        if whole || opens || closes {
            rest = if whole {
                format!("{before} {after}")
            } else {
                format!("{}, {}", trimmed_end(before), trimmed(after))
            };
        }
    }
    text::tidy(trimmed(&rest))
}

/// Returns true for days in brackets that are part of a name: `Book Fair (July 18 and 19)`.
fn is_own_part(before: &str, days: &str, after: &str) -> bool {
    let opens = before.trim_end().ends_with('(') && is_telling(before) && !words::meets(before);
    let has_year =
        text::words(days).any(|word| word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit()));
    // More days may follow the first within the brackets.
    let closes = after
        .trim_end()
        .strip_suffix(')')
        .is_some_and(|rest| !rest.contains(['(', ')', ':']));
    opens && closes && !has_year && !days.contains(':')
}

/// Returns true for a holiday that is named by its date, without punctuation next to the rest of
/// the name: `July 4th Parade`.
fn is_holiday(before: &str, day: &str, after: &str) -> bool {
    let folded = text::bare(day);
    let is_beside =
        !ends_with_mark(before) && !starts_with_mark(after) && is_telling(&format!("{before} {after}"));
    lists::HOLIDAY.contains(&folded.as_str()) && is_beside && !words::meets(before) && !words::meets(after)
}

/// Removes the kind in brackets after a name, and what follows it: `Night Skies (Talk) |
/// Astronomy`.
fn without_kind(name: &str) -> &str {
    let name = name.trim();
    let before_bar = name.split(" | ").next().unwrap_or(name).trim_end();
    let open = before_bar
        .strip_suffix(')')
        .and_then(|rest| rest.rsplit_once('('))
        .filter(|(before, kind)| words::is_kind(kind) && !before.trim().is_empty());
    open.map_or(name, |(before, _)| before.trim_end())
}

/// Removes the names of papers from that of a meeting: `Draft Agenda, Finance Committee` and
/// `Minutes of the Finance Committee` become `Finance Committee`. Other names may contain such
/// words.
fn without_papers(name: &str) -> String {
    if !words::names_paper(name) {
        return name.to_owned();
    }
    let words: Vec<&str> = name.split_whitespace().collect();
    let is_own =
        |word: &&str| !words::is_of_paper(word.trim_matches(|letter: char| !letter.is_alphanumeric()));
    let first = words.iter().position(&is_own).unwrap_or(words.len());
    let last = words.iter().rposition(is_own).map_or(first, |last| last + 1);
    let rest = words.get(first..last).unwrap_or_default().join(" ");
    let rest = trimmed(&rest);
    if rest.is_empty() || words::meets(rest) || words::meets_in(rest) {
        rest.to_owned()
    } else {
        name.to_owned()
    }
}

fn ends_with_mark(text: &str) -> bool {
    text.trim_end().ends_with(is_mark)
}

fn starts_with_mark(text: &str) -> bool {
    text.trim_start().starts_with(is_mark)
}

fn is_mark(letter: char) -> bool {
    matches!(
        letter,
        '-' | '–' | '—' | '|' | ':' | ',' | '(' | ')' | '[' | ']' | '/' | '·' | '•' | '»' | '@'
    )
}

fn trimmed_end(text: &str) -> &str {
    text.trim_end_matches(|letter: char| letter.is_whitespace() || is_mark(letter))
}

/// Removes punctuation at the ends of a text. Matching brackets are kept.
pub(crate) fn trimmed(text: &str) -> &str {
    let quotes = text.contains('«');
    let separates = |letter: char| {
        letter.is_whitespace()
            || matches!(
                letter,
                '-' | '–' | '—' | '|' | ':' | ',' | ';' | '·' | '•' | '/' | '@' | '>'
            )
            || (letter == '»' && !quotes)
    };
    let text = text.trim_matches(separates);
    let text = strip_bracket(text, '(', ')');
    let text = strip_bracket(text, '[', ']');
    text.trim_matches(separates)
}

/// Removes a bracket without a partner or without content.
fn strip_bracket(text: &str, open: char, close: char) -> &str {
    let text = text
        .strip_suffix(&[open, close][..])
        .filter(|rest| rest.ends_with(open) || rest.trim_end().ends_with(open))
        .map_or(text, |rest| rest.trim_end().trim_end_matches(open));
    let (opens, closes) = (text.matches(open).count(), text.matches(close).count());
    match opens.cmp(&closes) {
        std::cmp::Ordering::Greater => text
            .trim_end_matches(open)
            .strip_prefix(open)
            .unwrap_or(text.trim_end_matches(open)),
        std::cmp::Ordering::Less => text
            .trim_start_matches(close)
            .strip_suffix(close)
            .unwrap_or(text.trim_start_matches(close)),
        std::cmp::Ordering::Equal => text,
    }
}

/// Returns a status that is separated at one of the ends: `CANCELLED: …`, `… (sold out)`, `abgesagt
/// – …`.
pub(crate) fn marked_status(written: &str) -> Option<&'static str> {
    parts(written).find_map(|part| {
        (text::words(part).count() <= 3)
            .then(|| words::status(part))
            .flatten()
    })
}

fn without_status(written: &str) -> String {
    let Some(part) =
        parts(written).find(|part| text::words(part).count() <= 3 && words::status(part).is_some())
    else {
        return written.to_owned();
    };
    let rest = written.replacen(part, " ", 1);
    let rest = rest.replace("( )", " ").replace("[ ]", " ");
    text::tidy(trimmed(&rest).trim_start_matches(['!', '*', ' ']))
}

/// Returns the parts of a name between separators.
fn parts(written: &str) -> impl Iterator<Item = &str> {
    written
        .split(['(', ')', '[', ']', '–', '—', '|', ':', '*', '!'])
        .flat_map(|part| part.split(" - "))
        .map(str::trim)
        .filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{Name, read};
    use crate::testing::{clock, page};
    use magpie_sdk::extract::Layout;

    fn check(written: &str, text: &str, venue: Option<&str>, status: Option<&'static str>) {
        let page = page("<p>x");
        let layout = Layout::new(&page);
        let expected = Name {
            text: text.to_owned(),
            venue: venue.map(str::to_owned),
            status,
        };
        assert_eq!(read(written, &clock(&layout)), expected, "{written}");
    }

    #[test]
    fn what_surrounds_a_name_is_taken_off() {
        check("Night Music", "Night Music", None, None);
        check("Night Music - 3 May 2026, 19:30", "Night Music", None, None);
        check("3 May 2026: Night Music", "Night Music", None, None);
        check("Night Music (3 May 2026)", "Night Music", None, None);
        check("Night Music @ Old Mill", "Night Music", Some("Old Mill"), None);
        check("CANCELLED: Night Music", "Night Music", None, Some("cancelled"));
        check("SOLD OUT! Night Music", "Night Music", None, Some("sold out"));
        check("Night Music (sold out)", "Night Music", None, Some("sold out"));
        check("Night Music – abgesagt", "Night Music", None, Some("cancelled"));
        check("Night Skies (Talk) | Astronomy", "Night Skies", None, None);
        check("Night Skies (Talk)", "Night Skies", None, None);
        check("Quartet (Opus 3)", "Quartet (Opus 3)", None, None);
        check("3 May 2026, 19:30", "", None, None);
        check(
            "Draft Agenda: Finance Committee Meeting",
            "Finance Committee Meeting",
            None,
            None,
        );
        check(
            "Minutes of the Board Meeting - 3 May 2026",
            "Board Meeting",
            None,
            None,
        );
        check("Five Minutes", "Five Minutes", None, None);
    }
}
