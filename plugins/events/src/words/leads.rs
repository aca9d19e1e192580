//! Words before a date or a time that show if it is the time of an event.

use magpie_sdk::text;

use super::{has, is_one, languages as lists};

/// Returns true if the text before a date shows that it is not the date of an event, as in
/// `registration deadline`.
pub(crate) fn leads_aside(before: &str) -> bool {
    has(&lists::NOT_EVENT_DATE, before) || is_one(&lists::NOT_EVENT_DATE, before)
}

/// Returns true if the last word of a heading announces a list of people. Dates in such a list are
/// those of their terms.
pub(crate) fn heads_people(heading: &str) -> bool {
    let last = text::words(heading).last().map(text::fold_word);
    last.is_some_and(|last| lists::PEOPLE_LIST.contains(&last.as_str()))
}

/// Returns true if a text precedes the time at which the doors open, which is not the beginning.
pub(crate) fn leads_to_doors(before: &str) -> bool {
    has(&lists::DOORS, before) || is_one(&lists::DOORS, before)
}

/// Returns true if a text precedes the time at which an event ends.
pub(crate) fn leads_to_end(before: &str) -> bool {
    has(&lists::BEFORE_END, before)
}

/// Returns true if a line with a time of day gives the time at which all events of a page begin.
pub(crate) fn leads_all(line: &str) -> bool {
    has(&lists::COMMON_START, line) && !has(&lists::NOT_COMMON_START, line)
}

/// Returns true if a line between dates, with a time of day, may give the time at which events
/// begin. It is used only if no other line gives it.
pub(crate) fn may_lead_all(line: &str) -> bool {
    has(&lists::POSSIBLE_COMMON_START, line) && !has(&lists::NOT_POSSIBLE_COMMON_START, line)
}

/// Returns true if a line gives office or opening hours, not the time of a meeting.
pub(crate) fn keeps_hours(line: &str) -> bool {
    has(&lists::OFFICE_HOURS, line) && !has(&lists::NOT_OFFICE_HOURS, line)
}

/// Returns true if the name of a property is that of an event's time.
pub(crate) fn is_date_name(name: &str) -> bool {
    crate::tree::words_of_name(name).any(|word| {
        ["startDate", "endDate", "date", "start", "end", "dtstart", "dtend"]
            .iter()
            .any(|known| word.eq_ignore_ascii_case(known))
    })
}
