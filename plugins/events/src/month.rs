//! Reads month grids of calendars: the days of a month in cells, with their events.
//!
//! A grid is recognised by its successive day numbers, which every calendar shows. Class names are
//! not used, as they differ between calendars. Each cell is dated by its machine-readable date, or
//! by the month above the grid.

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

/// Maximum number of grids of a page: one for each month of a year.
const MAX_GRIDS: usize = 12;

/// Maximum number of events from grids.
const MAX_EVENTS: usize = 1_000;

/// Maximum number of cells with the same name without a link. Such a name is not an event:
/// `available`, `closed`, `from 90 EUR`.
const MAX_REPEATED: usize = 5;

#[derive(Debug, Default)]
pub(crate) struct Months {
    /// Events of the cells, in document order.
    pub(crate) events: Vec<Draft>,
    /// Nodes of each grid.
    pub(crate) regions: Vec<Range<u32>>,
}

impl Months {
    /// Reads the grids whose first node `is_own` accepts.
    pub(crate) fn of(layout: &Layout<'_>, clock: &Clock<'_>, is_own: impl Fn(u32) -> bool) -> Self {
        let mut months = Self::default();
        for run in numbers::runs(layout).into_iter().take(MAX_GRIDS) {
            let Some(grid) = Grid::of(layout, clock, &run) else {
                continue;
            };
            // A grid beside the content has no events of the page, but its region is taken out as
            // well.
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

#[derive(Clone, Debug)]
struct Cell {
    day: DateTime,
    /// Last day, if the content of the cell spans several days.
    last: Option<DateTime>,
    nodes: Range<u32>,
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
        // A name with a link has a page of its own, so it is an event even if it recurs.
        for (_, _, item) in found.iter().filter(|(_, _, item)| item.href.is_none()) {
            *counts.entry(item.name.text.clone()).or_default() += 1;
        }
        found.retain(|(_, _, item)| {
            counts
                .get(&item.name.text)
                .is_none_or(|count| *count <= MAX_REPEATED)
        });
        // `joined` compares entries of successive days.
        found.sort_by_key(|(day, _, item)| (day.date(), item.node));
        joined(found)
            .into_iter()
            .map(|(day, last, item)| draft(layout, day, last, item))
            .collect()
    }
}

/// Joins entries on successive days with one URL and without hours to an event of several days.
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
