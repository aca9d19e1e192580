//! Joins dates that are written in several lines, as on the sheets of a tear-off calendar: year,
//! month and day, each in a line of its own, or a month followed by its days. Blocks without a year
//! and other days are the heads of cards, which are read as records.

use std::borrow::Cow;

use magpie_sdk::extract::{Line, Piece};
use magpie_sdk::text;

use crate::words;

/// Maximum length of a part of a date, in bytes.
const MAX_PART: usize = 12;

/// Part of a date that a line may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Day,
    Month,
    Year,
}

/// Joins each date that is written in several lines into one line.
pub(crate) fn joined(lines: &[Line]) -> Cow<'_, [Line]> {
    let is_month = |line: &Line| part(&line.text) == Some(Part::Month);
    // Most pages have no such line, and their lines need not be copied.
    if !lines.iter().any(is_month) {
        return Cow::Borrowed(lines);
    }
    let mut joined = Vec::with_capacity(lines.len());
    let mut rest = lines;
    while let Some((first, others)) = rest.split_first() {
        if let Some(day) = day(rest) {
            joined.push(day);
            rest = &rest[PARTS..];
        } else if let Some(days) = days(rest) {
            joined.push(days);
            rest = &rest[MONTH_PARTS..];
        } else {
            joined.push(first.clone());
            rest = others;
        }
    }
    Cow::Owned(joined)
}

/// Number of lines of a date.
const PARTS: usize = 3;

/// Returns the date that the first lines are.
fn day(lines: &[Line]) -> Option<Line> {
    let lines = lines.get(..PARTS)?;
    let of = |wanted: Part| lines.iter().find(|line| part(&line.text) == Some(wanted));
    let (day, month, year) = (of(Part::Day)?, of(Part::Month)?, of(Part::Year)?);
    Some(line(day, format!("{} {} {}", day.text, month.text, year.text)))
}

/// Number of lines of a month and its days.
const MONTH_PARTS: usize = 2;

/// Returns the days of a month in the line after it: `January`, `6 and 20`.
fn days(lines: &[Line]) -> Option<Line> {
    /// Maximum length of such a line, in bytes.
    const MAX_LENGTH: usize = 60;
    let [month, days, ..] = lines else { return None };
    let is_month = part(&month.text) == Some(Part::Month);
    if !is_month || days.text.len() > MAX_LENGTH {
        return None;
    }
    let is_day = |word: &str| {
        let figures = word.trim_end_matches(|letter: char| letter.is_ascii_lowercase());
        part(figures) == Some(Part::Day)
    };
    let words = || text::words(&days.text);
    let counted = words().filter(|word| is_day(word)).count();
    let are_all = words().all(|word| is_day(word) || words::is_list_joint(&text::fold_word(word)));
    (counted > 1 && are_all).then(|| line(days, format!("{} {}", month.text, days.text)))
}

/// Creates a line with another text at the same position.
fn line(at: &Line, text: String) -> Line {
    let piece = Piece {
        node: at.first_node(),
        range: 0..text.len(),
        strong: false,
    };
    Line {
        node: at.node,
        text,
        pieces: vec![piece],
    }
}

fn part(written: &str) -> Option<Part> {
    if written.len() > MAX_PART {
        return None;
    }
    if let Ok(number) = written.parse::<u32>() {
        return match (written.len(), number) {
            (1 | 2, 1..=31) => Some(Part::Day),
            (4, 1990..2100) => Some(Part::Year),
            _ => None,
        };
    }
    let word = written.trim_end_matches(['.', ',']);
    let is_word = word.starts_with(char::is_alphabetic) && !word.contains(' ');
    (is_word && words::month(&text::fold_word(word)).is_some()).then_some(Part::Month)
}

#[cfg(test)]
mod tests {
    use super::joined;
    use magpie_sdk::Page;
    use magpie_sdk::extract::Layout;

    #[test]
    fn parts_of_a_day_become_one_line() {
        let check = |html: &str, expected: &[&str]| {
            let page = Page::from_html("https://example.org/", html);
            let layout = Layout::new(&page);
            let lines = joined(layout.lines());
            let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
            assert_eq!(texts, expected, "{html}");
        };
        check("<p>2026<p>09<br>Jan<br>6 p.m.", &["09 Jan 2026", "6 p.m."]);
        check(
            "<p>January<p>6 and 20<p>February<p>3rd, 17th<p>March<p>7 pm",
            &["January 6 and 20", "February 3rd, 17th", "March", "7 pm"],
        );
        check("<p>Mar</p><p>12</p><p>Parks Board", &["Mar", "12", "Parks Board"]);
        check(
            "<p>2026</p><p>May</p><p>Board</p><p>12",
            &["2026", "May", "Board", "12"],
        );
    }
}
