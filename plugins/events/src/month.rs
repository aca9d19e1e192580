//! Month grids of calendars: the days of a month in cells, with what takes place written in them.
//!
//! A grid is found by its day numbers, which no plugin leaves out and which follow one another. The
//! class names of plugins are not asked. Each cell is dated by what it states for machines, or by
//! the month above the grid.

mod cells;
mod numbers;
mod weeks;

use std::collections::HashMap;
use std::ops::Range;

use magpie_sdk::date::DateTime;
use magpie_sdk::extract::Layout;

use crate::draft::{Draft, Source};
use crate::when::{Clock, When};
use cells::{Item, items};
use numbers::Run;

/// Grids of a page that are read: one for each month of a year.
const MAX_GRIDS: usize = 12;

/// Events taken from grids.
const MAX_EVENTS: usize = 1_000;

/// Cells of a name without a link, from which on it is no event: `available`, `closed`, `from 90
/// EUR`.
const MAX_REPEATED: usize = 5;

/// The month grids of a page.
#[derive(Debug, Default)]
pub(crate) struct Months {
    /// The events in their cells, in document order.
    pub(crate) events: Vec<Draft>,
    /// The nodes of each grid.
    pub(crate) regions: Vec<Range<u32>>,
}

impl Months {
    /// Reads the grids that `is_own` accepts by their first node.
    pub(crate) fn of(layout: &Layout<'_>, clock: &Clock<'_>, is_own: impl Fn(u32) -> bool) -> Self {
        let mut months = Self::default();
        for run in numbers::runs(layout).into_iter().take(MAX_GRIDS) {
            let Some(grid) = Grid::of(layout, clock, &run) else {
                continue;
            };
            if is_own(grid.region.start) {
                months.events.extend(grid.events(layout, clock));
            }
            months.regions.push(grid.region);
        }
        months.events.truncate(MAX_EVENTS);
        months
    }

    /// Returns true if the page shows a month grid.
    pub(crate) fn is_any(&self) -> bool {
        !self.regions.is_empty()
    }
}

/// A cell and its day.
#[derive(Clone, Debug)]
struct Cell {
    day: DateTime,
    /// The last day, if what stands in the cell spans several.
    last: Option<DateTime>,
    nodes: Range<u32>,
    /// The node of the day number.
    number: u32,
}

/// A month grid with dated cells.
struct Grid {
    cells: Vec<Cell>,
    region: Range<u32>,
}

impl Grid {
    fn of(layout: &Layout<'_>, clock: &Clock<'_>, run: &Run) -> Option<Self> {
        let cells = run.cells(layout);
        let dates = run.dates(layout, clock, &cells)?;
        let region = run.region(layout, &cells);
        let cells = cells.into_iter().zip(&run.days).zip(dates);
        let cells: Vec<Cell> = cells
            .map(|((nodes, day), date)| Cell {
                day: DateTime::of_day(date),
                last: None,
                nodes,
                number: day.node,
            })
            .collect();
        Some(Self { cells, region })
    }

    /// Returns the events of all cells.
    fn events(&self, layout: &Layout<'_>, clock: &Clock<'_>) -> Vec<Draft> {
        let below = weeks::cells_below(layout, &self.cells);
        let cells = self.cells.iter().chain(&below);
        let mut found: Vec<(DateTime, Option<DateTime>, Item)> = cells
            .flat_map(|cell| {
                let items = items(layout, clock, cell);
                items.into_iter().map(|item| (cell.day, cell.last, item))
            })
            .collect();
        let mut counts: HashMap<String, usize> = HashMap::new();
        for (_, _, item) in found.iter().filter(|(_, _, item)| item.href.is_none()) {
            *counts.entry(item.name.text.clone()).or_default() += 1;
        }
        found.retain(|(_, _, item)| {
            counts
                .get(&item.name.text)
                .is_none_or(|count| *count <= MAX_REPEATED)
        });
        found.sort_by_key(|(day, _, item)| (day.date(), item.node));
        joined(found)
            .into_iter()
            .map(|(day, last, item)| draft(layout, day, last, item))
            .collect()
    }
}

/// Joins what is shown on each of its days with one address and without hours: an event of several
/// days.
fn joined(found: Vec<(DateTime, Option<DateTime>, Item)>) -> Vec<(DateTime, Option<DateTime>, Item)> {
    let mut joined: Vec<(DateTime, Option<DateTime>, Item)> = Vec::with_capacity(found.len());
    for (day, last, item) in found {
        let goes_on = joined.iter_mut().rev().find(|(first, end, known)| {
            let known_last = end.unwrap_or(*first);
            known.href.is_some()
                && known.href == item.href
                && known.name.text == item.name.text
                && item.hours.is_none()
                && (0..=1).contains(&known_last.days_until(day))
        });
        match goes_on {
            Some((first, end, _)) if first.date() != day.date() => *end = Some(last.unwrap_or(day)),
            Some(_) => {}
            None => joined.push((day, last, item)),
        }
    }
    joined
}

fn draft(layout: &Layout<'_>, day: DateTime, last: Option<DateTime>, item: Item) -> Draft {
    let mut draft = Draft::of(Source::Month);
    draft.event.name = item.name.text;
    draft.event.venue = item.name.venue.map(Into::into);
    draft.event.status = item.name.status.map(str::to_owned);
    draft.at("name", item.node);
    let (start, end) = Clock::join(day, item.hours);
    draft.set_when(When {
        start,
        end: end.or(last),
        node: item.node,
    });
    let url = item.href.and_then(|href| layout.page().resolve(&href));
    draft.event.url = url.map(Into::into);
    draft
}

#[cfg(test)]
mod tests;
