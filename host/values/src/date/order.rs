//! In which order a text writes days and months, learned from the text itself.

use super::context::DayMonthOrder;
use crate::text::eight::without_figure;
use crate::text::truncate;

/// English months by their first letters: other languages with dates in both orders are rare.
const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

/// The order in which a text writes dates in figures, by those that can be read in one way only:
/// `12/31/2026` is American. [`DayMonthOrder::Guess`] when there are none, or some of both kinds.
#[must_use]
pub fn order_in_figures(text: &str) -> DayMonthOrder {
    let (mut day_first, mut month_first) = (0_usize, 0_usize);
    for (place, _) in figures(text) {
        match first_two(&text[place..]) {
            Some((13..=31, 1..=12)) => day_first += 1,
            Some((1..=12, 13..=31)) => month_first += 1,
            _ => {}
        }
    }
    decided(day_first, month_first)
}

/// The order in which an English text writes dates in words: `May 3` or `3 May`. Who writes the one
/// hardly ever writes the other in figures.
#[must_use]
pub fn order_in_words(text: &str) -> DayMonthOrder {
    let (mut day_first, mut month_first) = (0_usize, 0_usize);
    for (place, length) in figures(text).filter(|(_, length)| *length <= 2) {
        let before = text[..place].strip_suffix(' ').unwrap_or_default();
        let after = text[place + length..].strip_prefix(' ').unwrap_or_default();
        let last = before.rsplit(|letter: char| !letter.is_alphabetic()).next();
        let next = after.split(|letter: char| !letter.is_alphabetic()).next();
        month_first += usize::from(last.is_some_and(is_month));
        day_first += usize::from(next.is_some_and(is_month));
    }
    decided(day_first, month_first)
}

fn decided(day_first: usize, month_first: usize) -> DayMonthOrder {
    match (day_first, month_first) {
        // Both kinds in one text prove nothing.
        (1.., 0) => DayMonthOrder::DayFirst,
        (0, 1..) => DayMonthOrder::MonthFirst,
        _ => DayMonthOrder::Guess,
    }
}

fn is_month(word: &str) -> bool {
    let first = word.get(..3).unwrap_or_default();
    // `may` and `march` are verbs as well; months begin with a capital.
    word.len() <= 9
        && first.starts_with(char::is_uppercase)
        && MONTHS.iter().any(|month| first.eq_ignore_ascii_case(month))
}

/// Start and length of each run of digits.
fn figures(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let bytes = text.as_bytes();
    let mut place = 0;
    std::iter::from_fn(move || {
        place = digit_from(bytes, place);
        let start = place;
        while place < bytes.len() && bytes[place].is_ascii_digit() {
            place += 1;
        }
        (place > start).then_some((start, place - start))
    })
}

/// The place of the first digit from a place on, or the end.
fn digit_from(bytes: &[u8], mut place: usize) -> usize {
    while place < bytes.len() && !bytes[place].is_ascii_digit() {
        // Digits come close together or not at all.
        place += without_figure(&bytes[place..]).max(1);
    }
    place
}

/// The first two numbers of a date in figures: two short ones and a year, with one mark between
/// them.
fn first_two(text: &str) -> Option<(u32, u32)> {
    /// Length of the longest such text, with the bytes that show that it continues.
    const LONGEST: usize = 16;
    // Each figure of a text is asked, so none may look for marks far behind it.
    let text = truncate(text, LONGEST);
    let mark = text.find(['/', '.', '-'])?;
    let sign = text[mark..].chars().next()?;
    let mut parts = text.splitn(3, sign);
    let number = |part: &str| (1..=2).contains(&part.len()).then(|| part.parse::<u32>().ok())?;
    let (first, second) = (number(parts.next()?)?, number(parts.next()?)?);
    let year = parts.next()?;
    let digits = year.bytes().take(5).take_while(u8::is_ascii_digit).count();
    let goes_on = year[digits..].starts_with(sign)
        && year[digits + 1..].starts_with(|next: char| next.is_ascii_digit());
    (matches!(digits, 2 | 4) && !goes_on).then_some((first, second))
}

#[cfg(test)]
mod tests {
    use super::{DayMonthOrder, order_in_figures, order_in_words};

    #[test]
    fn figures_that_can_be_read_one_way_decide() {
        for (text, order) in [
            ("5/3/2026 and 12/31/2026", DayMonthOrder::MonthFirst),
            ("on 31.12.2026", DayMonthOrder::DayFirst),
            ("2-25-21", DayMonthOrder::MonthFirst),
            ("13/5/2026, 5/13/2026", DayMonthOrder::Guess),
            ("5/3/2026, call 555-13-2026-1", DayMonthOrder::Guess),
            ("1/2 or 1/2/3 or 12/31/20262", DayMonthOrder::Guess),
            ("", DayMonthOrder::Guess),
        ] {
            assert_eq!(order_in_figures(text), order, "{text}");
        }
    }

    #[test]
    fn words_show_the_order_too() {
        for (text, order) in [
            ("May 3, 2026", DayMonthOrder::MonthFirst),
            ("the 3 May 2026", DayMonthOrder::DayFirst),
            ("May 3 and 4 June", DayMonthOrder::Guess),
            ("Room 3 may be closed", DayMonthOrder::Guess),
            ("nothing", DayMonthOrder::Guess),
        ] {
            assert_eq!(order_in_words(text), order, "{text}");
        }
    }
}
