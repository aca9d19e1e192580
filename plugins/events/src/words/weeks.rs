//! Words for weekdays, weeks and months, as descriptions of recurring events use them.

use magpie_sdk::date::Weekday;
use magpie_sdk::text::{self, WordList};

use super::languages as lists;

/// Weekdays, Monday first, folded.
static WEEKDAYS: [&WordList; 7] = [
    &lists::MONDAY,
    &lists::TUESDAY,
    &lists::WEDNESDAY,
    &lists::THURSDAY,
    &lists::FRIDAY,
    &lists::SATURDAY,
    &lists::SUNDAY,
];

/// Short names of weekdays, Monday first, as they head the columns of a calendar. In running text
/// they are other words.
static COLUMNS: [&WordList; 7] = [
    &lists::MONDAY_COLUMN,
    &lists::TUESDAY_COLUMN,
    &lists::WEDNESDAY_COLUMN,
    &lists::THURSDAY_COLUMN,
    &lists::FRIDAY_COLUMN,
    &lists::SATURDAY_COLUMN,
    &lists::SUNDAY_COLUMN,
];

/// Weeks of a month: the first to the fifth, and the last.
static WEEKS: [(i8, &WordList); 6] = [
    (1, &lists::FIRST),
    (2, &lists::SECOND),
    (3, &lists::THIRD),
    (4, &lists::FOURTH),
    (5, &lists::FIFTH),
    (-1, &lists::LAST),
];

/// Months, January first, folded.
static MONTHS: [&WordList; 12] = [
    &lists::JANUARY,
    &lists::FEBRUARY,
    &lists::MARCH,
    &lists::APRIL,
    &lists::MAY,
    &lists::JUNE,
    &lists::JULY,
    &lists::AUGUST,
    &lists::SEPTEMBER,
    &lists::OCTOBER,
    &lists::NOVEMBER,
    &lists::DECEMBER,
];

/// Returns the weekday that a folded word names, also in the plural: `Mondays`.
pub(crate) fn weekday(word: &str) -> Option<Weekday> {
    let one = word.strip_suffix('s').unwrap_or(word);
    let place = WEEKDAYS
        .iter()
        .position(|names| names.has(word) || names.has(one))?;
    Weekday::ALL.get(place).copied()
}

/// Returns true if a folded word heads the column of a weekday in a calendar.
pub(crate) fn heads_weekday(word: &str) -> bool {
    weekday(word).is_some() || COLUMNS.iter().any(|names| names.has(word))
}

/// Returns the week of the month that a folded word names.
pub(crate) fn week(word: &str) -> Option<i8> {
    let known = WEEKS.iter().find(|(_, names)| names.has(word));
    known.map(|(week, _)| *week)
}

/// Returns true if a text names weeks of a month.
pub(crate) fn names_week(text: &str) -> bool {
    text::words(text).any(|word| week(word).is_some())
}

/// Returns the month that a folded word names, from 1 to 12.
pub(crate) fn month(word: &str) -> Option<u8> {
    let place = MONTHS.iter().position(|names| names.has(word))?;
    u8::try_from(place + 1).ok()
}

/// Returns true if a folded word means a repetition each month.
pub(crate) fn is_monthly(word: &str) -> bool {
    lists::MONTHLY.contains(&word)
}

/// Returns true if a folded word may join the entries of a list.
pub(crate) fn is_list_joint(word: &str) -> bool {
    lists::DATE_JOINT.contains(&word)
}

/// Returns true if a folded word excludes what follows it.
pub(crate) fn excepts(word: &str) -> bool {
    lists::EXCEPT.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::{is_list_joint, month, week, weekday};
    use magpie_sdk::date::Weekday;

    #[test]
    fn words_of_weeks_are_told_from_others() {
        for (word, expected) in [
            ("tuesday", Some(Weekday::Tuesday)),
            ("mondays", Some(Weekday::Monday)),
            ("mardis", Some(Weekday::Tuesday)),
            ("wed", Some(Weekday::Wednesday)),
            ("day", None),
            ("s", None),
            ("", None),
        ] {
            assert_eq!(weekday(word), expected, "{word}");
        }
        assert_eq!(
            ["2nd", "dritten", "last", "sixth", "2"].map(week),
            [Some(2), Some(3), Some(-1), None, None]
        );
        assert_eq!(
            ["may", "dezember", "sept", "month"].map(month),
            [Some(5), Some(12), Some(9), None]
        );
        assert!(is_list_joint("und") && !is_list_joint("of"));
    }
}
