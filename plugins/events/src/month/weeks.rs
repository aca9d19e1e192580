//! Reads tables in which a week has several rows: the day numbers above, and their events below.

use std::collections::HashMap;

use magpie_sdk::OutlineNode;
use magpie_sdk::extract::Layout;

use super::Cell;

/// Maximum number of rows below the numbers of a week.
const MAX_ROWS: usize = 40;

/// Maximum number of columns: a week and its number.
const MAX_COLUMNS: usize = 8;

/// Returns the cells below rows of day numbers, each with the day above it.
pub(super) fn cells_below(layout: &Layout<'_>, days: &[Cell]) -> Vec<Cell> {
    let outline = layout.outline();
    let row_of = |cell: &Cell| {
        let node = outline.node(cell.number)?;
        node.ancestors().find(|node| node.tag() == "tr")
    };
    let mut weeks: Vec<(OutlineNode<'_>, Vec<&Cell>)> = Vec::new();
    for cell in days {
        match (weeks.last_mut(), row_of(cell)) {
            (Some((row, cells)), Some(own)) if row.id() == own.id() => cells.push(cell),
            (_, Some(own)) => weeks.push((own, vec![cell])),
            (_, None) => return Vec::new(),
        }
    }
    // If rows of days follow one another, each cell has its own events.
    let spans = Spans::of(layout);
    let mut found = Vec::new();
    for (row, cells) in &weeks {
        let Some(table) = row.ancestors().find(|node| node.tag() == "table") else {
            continue;
        };
        let is_head = |node: &OutlineNode<'_>| weeks.iter().any(|(row, _)| row.id() == node.id());
        let rows = table
            .descendants()
            .filter(|node| node.tag() == "tr" && node.id() > row.id())
            .take_while(|node| !is_head(node));
        let by_column = columns(*row, cells);
        let mut taken = [0_usize; MAX_COLUMNS];
        for below in rows.take(MAX_ROWS) {
            let mut column = 0;
            for cell in below
                .child_elements()
                .filter(|cell| matches!(cell.tag(), "td" | "th"))
            {
                // Cells of rows above that reach down here occupy their columns.
                while taken.get(column).is_some_and(|rows| *rows > 0) {
                    column += 1;
                }
                let (wide, high) = (spans.width(cell.id()), spans.height(cell.id()));
                let last = (column + wide - 1).min(MAX_COLUMNS - 1);
                if let Some(Some(day)) = by_column.get(column) {
                    let end = by_column.get(last).copied().flatten().filter(|_| wide > 1);
                    found.push(Cell {
                        day: day.day,
                        last: end.map(|end| end.day).filter(|end| *end > day.day),
                        nodes: cell.range(),
                        number: day.number,
                    });
                }
                for rows in taken.iter_mut().take(last + 1).skip(column) {
                    // The count includes this row, which is subtracted below.
                    *rows = high;
                }
                column = last + 1;
            }
            taken.iter_mut().for_each(|rows| *rows = rows.saturating_sub(1));
        }
    }
    found
}

/// Returns the day in each column of a row of numbers.
fn columns<'c>(row: OutlineNode<'_>, days: &[&'c Cell]) -> [Option<&'c Cell>; MAX_COLUMNS] {
    let mut columns = [None; MAX_COLUMNS];
    let cells = row
        .child_elements()
        .filter(|cell| matches!(cell.tag(), "td" | "th"));
    for (column, cell) in columns.iter_mut().zip(cells) {
        *column = days
            .iter()
            .copied()
            .find(|day| cell.range().contains(&day.number));
    }
    columns
}

/// Cells that span several columns or rows.
struct Spans {
    wide: HashMap<u32, usize>,
    high: HashMap<u32, usize>,
}

impl Spans {
    fn of(layout: &Layout<'_>) -> Self {
        let read = |attribute: &str| {
            let spans = layout.page().having(attribute).into_iter();
            spans
                .filter_map(|(element, value)| Some((element.node(), value.trim().parse().ok()?)))
                .filter(|(_, span)| (2..=MAX_ROWS).contains(span))
                .collect()
        };
        Self {
            wide: read("colspan"),
            high: read("rowspan"),
        }
    }

    fn width(&self, cell: u32) -> usize {
        self.wide.get(&cell).copied().unwrap_or(1)
    }

    fn height(&self, cell: u32) -> usize {
        self.high.get(&cell).copied().unwrap_or(1)
    }
}
