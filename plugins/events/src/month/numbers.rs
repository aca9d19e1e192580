//! Finds the day numbers of month grids, and the dates that they mean.

use std::collections::HashMap;
use std::ops::Range;

use magpie_sdk::OutlineNode;
use magpie_sdk::date::{self, Date, Precision};
use magpie_sdk::extract::Layout;
use magpie_sdk::text;

use crate::when::Clock;
use crate::words;

/// Days of the shortest month, minus one that a cell may hide.
const MIN_DAYS: usize = 27;

/// Maximum number of other numbers between two days: of the week, of events, or the date for small
/// screens.
const MAX_BETWEEN: usize = 16;

/// Maximum number of numbers of a page to search.
const MAX_NUMBERS: usize = 4_000;

/// Maximum length of a day number in bytes, perhaps with its month: `1 March`.
const MAX_NUMBER: usize = 16;

/// Maximum number of texts before the first day to search for names of weekdays.
const MAX_HEAD: usize = 60;

/// Minimum number of weekdays in the head of a grid.
const MIN_WEEKDAYS: usize = 4;

/// Attributes with the date of a cell. Each calendar uses another one.
const ATTRIBUTES: [&str; 11] = [
    "data-date",
    "data-day",
    "date-date",
    "data-mec-cell",
    "data-cal-date",
    "data-calendar-date",
    "data-full-date",
    "datetime",
    "aria-label",
    "aria-labelledby",
    "id",
];

#[derive(Clone, Copy, Debug)]
pub(super) struct Day {
    number: u8,
    pub(super) node: u32,
}

/// Successive day numbers of about a month.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) days: Vec<Day>,
}

/// Returns all runs of day numbers on a page.
pub(super) fn runs(layout: &Layout<'_>) -> Vec<Run> {
    let texts = layout.outline().nodes().filter(|node| node.is_text());
    let days = texts.filter_map(|node| {
        let number = day_number(node.text())?;
        Some(Day {
            number,
            node: node.id(),
        })
    });
    let days: Vec<Day> = days.take(MAX_NUMBERS).collect();
    let mut runs = Vec::new();
    let mut at = 0;
    while at + MIN_DAYS <= days.len() {
        // A number before the grid, such as that of a week, may begin a shorter run.
        let starts = at..days.len().min(at + MAX_BETWEEN);
        let longest = starts.map(|start| run(&days, start)).max_by_key(Vec::len);
        match longest.filter(|run| run.len() >= MIN_DAYS) {
            Some(places) => {
                at = places.last().map_or(days.len(), |last| last + 1);
                let days = places.into_iter().map(|place| days[place]).collect();
                runs.push(Run { days });
            }
            None => at += MAX_BETWEEN / 2,
        }
    }
    runs
}

/// Returns the indexes of successive numbers from an index on.
fn run(days: &[Day], start: usize) -> Vec<usize> {
    let mut places = vec![start];
    let mut known = days[start].number;
    let mut at = start + 1;
    loop {
        // The next month may begin within the same grid.
        let follows = |day: &Day| day.number == known + 1 || (day.number == 1 && known >= 28);
        let next = days
            .iter()
            .enumerate()
            .skip(at)
            .take(MAX_BETWEEN)
            .find(|(_, day)| follows(day));
        let Some((place, day)) = next else { break };
        // More than six weeks include the next month.
        if places.len() == 42 {
            break;
        }
        known = day.number;
        places.push(place);
        at = place + 1;
    }
    places
}

/// Parses a day number: `7`, `07`, `7.`, `7日`, `7 March`.
fn day_number(written: &str) -> Option<u8> {
    let written = written.trim();
    if written.is_empty() || written.len() > MAX_NUMBER {
        return None;
    }
    let mut number = None;
    for word in written.split_whitespace() {
        let figures = word.trim_end_matches(['.', ',', '日', 'º', '°']);
        match figures.parse::<u8>() {
            Ok(figures) if number.is_none() => number = Some(figures),
            Ok(_) => return None,
            Err(_) => {
                words::month(&text::fold_word(figures))?;
            }
        }
    }
    number.filter(|number| (1..=31).contains(number))
}

impl Run {
    /// Returns the nodes of each cell: the largest element with this number and no other.
    pub(super) fn cells(&self, layout: &Layout<'_>) -> Vec<Range<u32>> {
        let outline = layout.outline();
        let holds = |node: OutlineNode<'_>, place: Option<usize>| {
            let day = place.and_then(|place| self.days.get(place));
            day.is_some_and(|day| node.range().contains(&day.node))
        };
        let cell = |place: usize| {
            let text = outline.node(self.days[place].node)?;
            let alone = |node: &OutlineNode<'_>| {
                !holds(*node, place.checked_sub(1)) && !holds(*node, Some(place + 1))
            };
            std::iter::once(text)
                .chain(text.ancestors())
                .take_while(alone)
                .last()
        };
        let cells: Vec<Option<OutlineNode<'_>>> = (0..self.days.len()).map(cell).collect();
        let mut depths: HashMap<u16, usize> = HashMap::new();
        for cell in cells.iter().flatten() {
            *depths.entry(cell.depth()).or_default() += 1;
        }
        let usual = depths
            .into_iter()
            // The deeper of two depths that are as usual: the order of the map decides nothing.
            .max_by_key(|(depth, count)| (*count, *depth))
            .map(|(depth, _)| depth);
        let as_others = |cell: OutlineNode<'_>, day: &Day| {
            // If a week has only one number, its cell is the whole row.
            let text = outline.node(day.node)?;
            let depth = usual.filter(|depth| cell.depth() < *depth)?;
            text.ancestors().find(|node| node.depth() == depth)
        };
        let ranges = cells.into_iter().zip(&self.days).map(|(cell, day)| {
            let Some(cell) = cell else {
                return day.node..day.node + 1;
            };
            as_others(cell, day).unwrap_or(cell).range()
        });
        ranges.collect()
    }

    /// Returns the nodes from the head of the grid to its last cell.
    pub(super) fn region(&self, layout: &Layout<'_>, cells: &[Range<u32>]) -> Range<u32> {
        let first = cells.first().map_or(0, |cell| cell.start);
        let last = cells.last().map_or(0, |cell| cell.end);
        let outline = layout.outline();
        let around = outline
            .node(first)
            .and_then(|node| node.ancestors().find(|node| node.range().end >= last));
        // Cells that are direct children of the page's body have no grid element around them.
        let grid = around.filter(|node| !matches!(node.tag(), "html" | "body" | "main"));
        grid.map_or(first..last, |grid| {
            let start = self.first_weekday(layout).map_or(first, |head| head.min(first));
            if grid.range().contains(&start) {
                grid.range()
            } else {
                start..grid.range().end
            }
        })
    }

    /// Returns the text node of the first weekday above the first day.
    fn first_weekday(&self, layout: &Layout<'_>) -> Option<u32> {
        let first = self.days.first()?.node;
        let before = layout
            .outline()
            .nodes()
            .rev()
            .skip_while(|node| node.id() >= first);
        let texts = before.filter(|node| node.is_text() && !node.text().trim().is_empty());
        let weekdays = texts
            .take(MAX_HEAD)
            .filter(|node| weekday_head(node.text()).is_some());
        weekdays.last().map(|node| node.id())
    }

    /// Returns the dates of the cells, or `None` if the numbers are not those of a month.
    pub(super) fn dates(
        &self,
        layout: &Layout<'_>,
        clock: &Clock<'_>,
        cells: &[Range<u32>],
    ) -> Option<Vec<Date>> {
        let stated = self.stated(layout, cells);
        if stated.len() * 2 < self.days.len()
            && !self.is_in_weeks(layout, cells)
            && !self.has_weekdays(layout)
        {
            return None;
        }
        let (place, date) = self.common_anchor(&stated).or_else(|| {
            let place = self.days.iter().position(|day| day.number == 1)?;
            let (year, month) = self.month_above(layout, clock)?;
            Some((place, Date::new(year, month, 1)?))
        })?;
        let dated = self.days.iter().enumerate().map(|(at, day)| {
            let ahead = i64::try_from(at).ok()? - i64::try_from(place).ok()?;
            date.add_days(ahead).filter(|date| date.day() == day.number)
        });
        // If the month is wrong, the days after its last one are wrong too.
        dated.collect()
    }

    /// Returns the machine-readable dates of cells, with the indexes of the cells.
    fn stated(&self, layout: &Layout<'_>, cells: &[Range<u32>]) -> Vec<(usize, Date)> {
        let (Some(first), Some(last)) = (cells.first(), cells.last()) else {
            return Vec::new();
        };
        let mut stated = Vec::new();
        for attribute in ATTRIBUTES {
            // Each calendar uses another attribute, so the search ends when half of the cells are
            // dated.
            if stated.len() * 2 >= cells.len() {
                break;
            }
            for (element, value) in layout.page().having(attribute) {
                let node = element.node();
                if node < first.start || node >= last.end {
                    continue;
                }
                let place = cells.partition_point(|cell| cell.end <= node);
                let Some(cell) = cells.get(place).filter(|cell| cell.contains(&node)) else {
                    continue;
                };
                // Such an attribute may have the date of something else.
                let date = date_in(&value).filter(|date| date.day() == self.days[place].number);
                if let Some(date) = date.filter(|_| cell.contains(&node)) {
                    stated.push((place, date));
                }
            }
        }
        stated
    }

    /// Returns a dated cell with which most others agree.
    fn common_anchor(&self, stated: &[(usize, Date)]) -> Option<(usize, Date)> {
        let first = |&(place, date): &(usize, Date)| date.add_days(-i64::try_from(place).ok()?);
        let mut counts: HashMap<Date, usize> = HashMap::new();
        for first in stated.iter().filter_map(first) {
            *counts.entry(first).or_default() += 1;
        }
        // The date decides between equal counts, because a map has no fixed order.
        let (first, count) = counts.into_iter().max_by_key(|(date, count)| (*count, *date))?;
        (count * 2 >= stated.len()).then_some((0, first))
    }

    /// Returns true if most cells are in rows of five to seven.
    fn is_in_weeks(&self, layout: &Layout<'_>, cells: &[Range<u32>]) -> bool {
        let outline = layout.outline();
        let mut rows: HashMap<u32, usize> = HashMap::new();
        for row in cells.iter().filter_map(|cell| outline.node(cell.start)?.parent()) {
            *rows.entry(row.id()).or_default() += 1;
        }
        let in_weeks: usize = rows.into_values().filter(|count| (5..=7).contains(count)).sum();
        in_weeks * 3 >= cells.len() * 2
    }

    /// Returns true if names of weekdays are above the first day.
    fn has_weekdays(&self, layout: &Layout<'_>) -> bool {
        let Some(first) = self.days.first() else {
            return false;
        };
        let before = layout
            .outline()
            .nodes()
            .rev()
            .skip_while(|node| node.id() >= first.node);
        let texts = before.filter(|node| node.is_text() && !node.text().trim().is_empty());
        let mut weekdays: Vec<_> = texts
            .take(MAX_HEAD)
            .filter_map(|node| weekday_head(node.text()))
            .collect();
        weekdays.sort_unstable();
        weekdays.dedup();
        weekdays.len() >= MIN_WEEKDAYS
    }

    /// Returns the month of the grid, from the nearest text above it, from the page's URL or title,
    /// or from the first text that names a month.
    fn month_above(&self, layout: &Layout<'_>, clock: &Clock<'_>) -> Option<(i32, u8)> {
        /// Maximum length of a text that names a month and little else, in bytes.
        const MAX_MONTH: usize = 60;
        let first = self.days.first()?.node;
        let outline = layout.outline();
        let fits = |month: &(i32, u8)| self.fits(*month);
        let above = outline.nodes().rev().skip_while(|node| node.id() >= first);
        let texts = above.filter(|node| {
            let is_heading = matches!(
                node.tag(),
                "h1" | "h2" | "h3" | "h4" | "caption" | "th" | "strong" | "option"
            );
            is_heading || node.is_text()
        });
        let months = |text: &str| month_in(text, clock);
        let near = texts
            .filter(|node| node.text().len() <= MAX_MONTH)
            // Links lead to the previous and next month.
            .filter(|node| !node.is_text() || node.ancestors().take(3).all(|around| around.tag() != "a"))
            .take(MAX_HEAD * 4)
            .find_map(|node| months(node.text().trim()).filter(fits));
        near.or_else(|| month_of_url(layout.page().url()).filter(fits))
            .or_else(|| months(&layout.page().title()?).filter(fits))
            .or_else(|| {
                layout
                    .lines()
                    .iter()
                    .find_map(|line| months(&line.text).filter(fits))
            })
    }

    /// Returns true if the month has the number of days of the run.
    fn fits(&self, (year, month): (i32, u8)) -> bool {
        let first = self
            .days
            .iter()
            .position(|day| day.number == 1)
            .unwrap_or_default();
        let numbers = self.days[first..].iter().map(|day| day.number);
        let days = numbers
            .clone()
            .zip(1_u8..)
            .take_while(|(number, place)| number == place)
            .count();
        let last = usize::from(date::days_in_month(year, month));
        // The grid may end with the month, or continue with the next one.
        days == last || (days < last && first + days == self.days.len() && days + 1 >= last)
    }
}

/// Returns the folded name of a weekday that is all of a text.
fn weekday_head(written: &str) -> Option<String> {
    let word = text::fold_word(written.trim().trim_end_matches('.'));
    words::heads_weekday(&word).then_some(word)
}

/// Returns the only month with a year in a short text.
fn month_in(written: &str, clock: &Clock<'_>) -> Option<(i32, u8)> {
    let mut months = clock
        .scan(written)
        .into_iter()
        .filter_map(|found| found.value.start());
    let month = months.find(|start| start.precision() == Precision::Month)?;
    Some((month.date().year(), month.date().month()))
}

/// Parses the month in a URL: `/2026/05/`, `/month/2026-05`, `?month=5&year=2026`.
fn month_of_url(url: &str) -> Option<(i32, u8)> {
    let (_, path) = url.split_once("://")?;
    let numbers: Vec<&str> = path.split(|letter: char| !letter.is_ascii_digit()).collect();
    let month = |written: &str| {
        let month = written.parse::<u8>().ok().filter(|_| written.len() <= 2)?;
        (1..=12).contains(&month).then_some(month)
    };
    let year = |written: &str| {
        let year = written.parse::<i32>().ok().filter(|_| written.len() == 4)?;
        (1990..2100).contains(&year).then_some(year)
    };
    let together = numbers
        .windows(2)
        .find_map(|pair| Some((year(pair[0])?, month(pair[1])?)));
    together.or_else(|| {
        let key = |names: &[&str]| {
            let (_, query) = path.split_once('?')?;
            let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            pairs
                .find(|(key, _)| names.iter().any(|name| key.ends_with(name)))
                .map(|(_, value)| value)
        };
        Some((
            year(key(&["year", "jahr", "annee", "yr", "anno"])?)?,
            month(key(&["month", "monat", "mois", "mes", "mese"])?)?,
        ))
    })
}

/// Parses the date at the end of an attribute: `2026-05-03`, `20260503`, `calendar-2026-05-03-0`,
/// `3 May 2026`.
fn date_in(value: &str) -> Option<Date> {
    /// Maximum length of such a value, in bytes.
    const MAX_VALUE: usize = 60;
    if value.len() > MAX_VALUE || !value.is_ascii() {
        return None;
    }
    let bytes = value.as_bytes();
    // A date does not begin within a longer number.
    let starts = (0..bytes.len()).filter(|&at| at == 0 || !bytes[at - 1].is_ascii_digit());
    let number = |range: Range<usize>| value.get(range)?.parse::<i32>().ok();
    let date = |at: usize, month: usize, day: usize| {
        let (year, month, end) = (number(at..at + 4)?, number(month..month + 2)?, day + 2);
        let ends = bytes.get(end).is_none_or(|byte| !byte.is_ascii_digit());
        let date = Date::new(
            year,
            u8::try_from(month).ok()?,
            u8::try_from(number(day..end)?).ok()?,
        )?;
        (ends && (1990..2100).contains(&year)).then_some(date)
    };
    for at in starts {
        let is_dashed = bytes.get(at + 4) == Some(&b'-') && bytes.get(at + 7) == Some(&b'-');
        let found = if is_dashed {
            date(at, at + 5, at + 8)
        } else {
            date(at, at + 4, at + 6)
        };
        if found.is_some() {
            return found;
        }
    }
    let in_words = date::parse(value, &date::DateContext::default())?;
    (in_words.precision() >= Precision::Day && in_words.has_year()).then(|| in_words.date())
}

#[cfg(test)]
mod tests {
    use super::{date_in, day_number, month_of_url};

    #[test]
    fn day_numbers_are_told_from_others() {
        for (written, expected) in [
            ("7", Some(7)),
            (" 07 ", Some(7)),
            ("7.", Some(7)),
            ("7日", Some(7)),
            ("1 March", Some(1)),
            ("Mai 1", Some(1)),
            ("32", None),
            ("0", None),
            ("3 events", None),
            ("3 4", None),
            ("May", None),
        ] {
            assert_eq!(day_number(written), expected, "{written}");
        }
    }

    #[test]
    fn attributes_date_cells() {
        for (value, expected) in [
            ("2026-05-03", Some("2026-05-03")),
            ("20260503", Some("2026-05-03")),
            ("calendar-2026-05-03-0", Some("2026-05-03")),
            ("2026-05-03T00:00:00+00:00", Some("2026-05-03")),
            ("May 3, 2026", Some("2026-05-03")),
            ("post-120260503", None),
            ("2026-13-03", None),
            ("menu", None),
        ] {
            assert_eq!(
                date_in(value).map(|date| date.to_string()).as_deref(),
                expected,
                "{value}"
            );
        }
    }

    #[test]
    fn addresses_name_months() {
        for (url, expected) in [
            ("https://example.org/events/month/2026-05/", Some((2026, 5))),
            ("https://example.org/2026/05", Some((2026, 5))),
            ("https://example.org/cal?month=5&year=2026", Some((2026, 5))),
            ("https://example.org/cal?tx[year]=2026&tx[day]=5", None),
            ("https://example.org/", None),
        ] {
            assert_eq!(month_of_url(url), expected, "{url}");
        }
    }
}
