//! Reads tables with two dimensions: rooms in columns and hours in rows, or boards in columns and
//! their days below. As a list of records, only the first column of such a table would be found.

use magpie_sdk::OutlineNode;
use magpie_sdk::date::DateTime;
use magpie_sdk::extract::{Layout, Line};
use magpie_sdk::text;

use crate::draft::{self, Draft, Source};
use crate::headings::heading_level;
use crate::name::{self, MAX_NAME};
use crate::row::role_of_label;
use crate::signs::Signs;
use crate::tree::Frame;
use crate::values::add_place;
use crate::when::{Clock, When};
use crate::{who, words};

/// Maximum length of the head of a column, in bytes.
const MAX_HEAD: usize = 60;

/// Maximum length of a cell, in bytes. Longer cells contain more than one event.
const MAX_CELL: usize = 400;

/// Minimum number of columns with a head.
const MIN_COLUMNS: usize = 2;

/// Minimum number of events in a grid.
const MIN_EVENTS: usize = 4;

/// Maximum number of events from grids.
const MAX_EVENTS: usize = 1_000;

/// Maximum number of tables to read. Tables may be nested, and each is read as a whole.
const MAX_TABLES: usize = 100;

/// Returns the events of all grids on a page.
pub(crate) fn events(layout: &Layout<'_>, frame: &Frame, clock: &Clock<'_>, signs: &Signs) -> Vec<Draft> {
    let tables = layout
        .outline()
        .nodes()
        .filter(|node| node.tag() == "table" && !frame.holds(node.id()));
    let mut tables = tables.take(MAX_TABLES).peekable();
    if tables.peek().is_none() {
        return Vec::new();
    }
    let headings: Vec<&Line> = layout
        .lines()
        .iter()
        .filter(|line| heading_level(layout, line).is_some())
        .collect();
    let mut found = Vec::new();
    for table in tables {
        let above = || {
            headings
                .iter()
                .rev()
                .copied()
                .filter(|line| line.node < table.id())
        };
        let Some(grid) = Grid::of(layout, clock, table, above().next()) else {
            continue;
        };
        let bodies = grid.meetings();
        found.extend(if bodies.is_empty() && signs.page > 0.0 {
            // Hours without a day are those of every week.
            let day = above().find_map(|line| grid.clock.heading_day(&line.text));
            day.map(|day| grid.programme(DateTime::of_day(day.date())))
                .unwrap_or_default()
        } else {
            bodies
        });
    }
    found.truncate(MAX_EVENTS);
    if found.len() < MIN_EVENTS {
        return Vec::new();
    }
    draft::with_common_hours(layout, clock, found)
}

/// A table with heads above its columns.
struct Grid<'g, 'p> {
    layout: &'g Layout<'p>,
    clock: Clock<'p>,
    table: u32,
    heads: Vec<String>,
    rows: Vec<Vec<OutlineNode<'g>>>,
}

impl<'g, 'p> Grid<'g, 'p> {
    fn of(
        layout: &'g Layout<'p>,
        clock: &Clock<'p>,
        table: OutlineNode<'g>,
        heading: Option<&Line>,
    ) -> Option<Self> {
        let mut rows = table.descendants().filter(|node| node.tag() == "tr").map(|row| {
            row.child_elements()
                .filter(|cell| matches!(cell.tag(), "td" | "th"))
                .collect()
        });
        let first: Vec<OutlineNode<'_>> = rows.next()?;
        let heads: Vec<String> = first.iter().map(|cell| layout.text(cell.id())).collect();
        let is_head = |head: &&String| {
            head.len() <= MAX_HEAD
                && name::is_telling(head)
                && role_of_label(head).is_none()
                && !words::is_generic(head)
                && !words::names_paper(head)
                && clock.days_in(head) == 0
        };
        if heads.iter().skip(1).filter(is_head).count() < MIN_COLUMNS {
            return None;
        }
        // Rows with cells that span several columns or rows are dropped, as their cells are not
        // below the right heads.
        let rows = rows.filter(|row: &Vec<_>| row.len() == heads.len()).collect();
        let clock = heading.map_or(*clock, |heading| clock.in_year_of(&heading.text));
        Some(Self {
            layout,
            clock,
            table: table.id(),
            heads,
            rows,
        })
    }

    /// Reads days below the names of boards: `April | April 13 | April 6`.
    fn meetings(&self) -> Vec<Draft> {
        let columns = self.heads.iter().enumerate().skip(1);
        let meets: Vec<(usize, &String)> = columns.filter(|(_, head)| words::meets_in(head)).collect();
        if meets.len() < MIN_COLUMNS {
            return Vec::new();
        }
        let mut found = Vec::new();
        for row in &self.rows {
            if found.len() >= MAX_EVENTS {
                break;
            }
            for (column, head) in &meets {
                let body = who::body_in(head).unwrap_or(head);
                let days = self.clock.moments(&self.text(row[*column]));
                found.extend(days.into_iter().map(|moment| {
                    self.draft(
                        body,
                        self.table,
                        When {
                            start: moment.start,
                            end: moment.end,
                            node: row[*column].id(),
                        },
                    )
                }));
            }
        }
        found
    }

    /// Reads what takes place in rooms, which are columns, at the hours of the rows.
    fn programme(&self, day: DateTime) -> Vec<Draft> {
        let mut found = Vec::new();
        for row in &self.rows {
            let hours = self.text(row[0]);
            let Some(hours) = self
                .clock
                .hours(&hours)
                // Hours in a cell with a day are those of that day alone.
                .filter(|_| self.clock.days_in(&hours) == 0)
            else {
                continue;
            };
            let (start, end) = Clock::join(day, Some(hours));
            for (cell, head) in row.iter().zip(&self.heads).skip(1) {
                let Some((name, node)) = self.name(*cell) else {
                    continue;
                };
                let mut draft = self.draft(
                    &name,
                    node,
                    When {
                        start,
                        end,
                        node: row[0].id(),
                    },
                );
                if !words::is_generic(head) && name::is_telling(head) {
                    add_place(&mut draft, head, self.table);
                }
                found.push(draft);
            }
        }
        found
    }

    /// Returns the name in a cell: its link, its bold text, or all of its text.
    fn name(&self, cell: OutlineNode<'_>) -> Option<(String, u32)> {
        let marked = cell.descendants().find(|node| {
            matches!(node.tag(), "a" | "strong" | "b" | "h3" | "h4" | "h5") && !node.text().trim().is_empty()
        });
        let node = marked.unwrap_or(cell);
        let name = name::read(&self.text(node), &self.clock).text;
        let fits = !name.is_empty() && name.len() <= MAX_NAME && !words::is_generic(&name);
        fits.then_some((name, node.id()))
    }

    fn text(&self, node: OutlineNode<'_>) -> String {
        if node.text().len() > MAX_CELL {
            return String::new();
        }
        text::tidy(&self.layout.text(node.id()))
    }

    fn draft(&self, name: &str, node: u32, when: When) -> Draft {
        let mut draft = Draft::of(Source::Table);
        draft.event.name = name.to_owned();
        draft.at("name", node);
        draft.set_when(when);
        draft
    }
}

#[cfg(test)]
mod tests {
    use super::events;
    use crate::signs::Signs;
    use crate::testing::{clock, page};
    use crate::tree::Frame;
    use magpie_sdk::extract::Layout;

    /// Returns names, starts and places on a page.
    fn found(html: &str) -> Vec<String> {
        let page = page(html);
        let layout = Layout::new(&page);
        let (frame, clock, signs) = (Frame::of(&layout), clock(&layout), Signs::of(&layout));
        let line = |draft: &crate::draft::Draft| {
            let start = draft.start().map(|start| start.to_string()).unwrap_or_default();
            let venue = draft
                .event
                .venue
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default();
            format!("{} {start} {venue}", draft.event.name).trim().to_owned()
        };
        events(&layout, &frame, &clock, &signs).iter().map(line).collect()
    }

    #[test]
    fn rooms_stand_side_by_side() {
        let html = "<h1>Conference schedule</h1><h2>Friday, 15 May 2026</h2><table><tr><th>Time<th>Main hall\
            <th>Room 2<tr><td>10:00<td><a href=/1>Opening</a><td><tr><td>10:30<td><a href=/2>Bees</a><br>Ada Byron\
            <td><a href=/3>Maps</a><tr><td>11:30<td>Tables<td>Lunch talk</table>";
        let expected = [
            "Opening 2026-05-15T10:00 Main hall",
            "Bees 2026-05-15T10:30 Main hall",
            "Maps 2026-05-15T10:30 Room 2",
            "Tables 2026-05-15T11:30 Main hall",
            "Lunch talk 2026-05-15T11:30 Room 2",
        ];
        assert_eq!(found(html), expected);
        // Hours of every week, and a table of something else.
        assert!(found(&html.replace("Friday, 15 May 2026", "Every week")).is_empty());
        assert!(
            found(
                &html
                    .replace("Conference schedule", "Prices")
                    .replace("Friday, 15 May 2026", "Rooms")
            )
            .is_empty()
        );
    }

    #[test]
    fn those_who_meet_stand_side_by_side() {
        let html = "<h1>2026 Meetings</h1><p>Meetings begin at 6:30 p.m.</p><table><tr><th>Month<th>School Board\
            <th>Finance Committee<tr><td>April<td>April 13<td>April 6<tr><td>May<td>May 11 and 25<td>May 4</table>";
        let expected = [
            "School Board 2026-04-13T18:30",
            "Finance Committee 2026-04-06T18:30",
            "School Board 2026-05-11T18:30",
            "School Board 2026-05-25T18:30",
            "Finance Committee 2026-05-04T18:30",
        ];
        assert_eq!(found(html), expected);
    }
}
