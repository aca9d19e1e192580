//! Level bars, one a row: for many names that are compared by one figure.

use crate::axis::Axis;
use crate::svg::{Anchor, EDGE, PLAIN, QUIET, Sheet};
use crate::theme::{GRID, PAPER, RULE, fill};
use crate::{WIDTH, legend, usable, written};

/// A list of level bars, drawn from the first row down.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BarList {
    pub title: String,
    /// Meaning of the full bars.
    pub part: String,
    /// Meaning of the empty bars around them; not shown if no row has a whole.
    pub whole: String,
    pub rows: Vec<ListRow>,
}

/// A row of a [`BarList`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListRow {
    pub name: String,
    /// Length of the bar; negative values have no bar.
    pub value: f64,
    /// Whole of which the value is a part.
    pub whole: Option<f64>,
    /// The interval within which the true value is believed to be.
    pub interval: Option<(f64, f64)>,
}

/// Rows at most; a longer list is a table's work.
const MAX_ROWS: usize = 60;
const ROW: f64 = 24.0;
const BAR: f64 = 13.0;

impl BarList {
    #[must_use]
    pub fn to_svg(&self) -> String {
        self.to_svg_of_width(WIDTH)
    }

    /// The chart as SVG, drawn for a width in pixels.
    #[must_use]
    pub fn to_svg_of_width(&self, width: f64) -> String {
        let width = usable(width);
        let rows = &self.rows[..self.rows.len().min(MAX_ROWS)];
        let mut sheet = Sheet::default();
        let top = sheet.title(&self.title, width);
        let top = self.explain(&mut sheet, top, width);
        let columns = Columns::of(rows, width);
        let floor = top + 6.0 + ROW * rows.len() as f64;
        for value in [0.0, 0.25, 0.5, 0.75, 1.0] {
            let at = columns.left + value * (columns.right - columns.left);
            sheet.line((at, top + 2.0), (at, floor), GRID);
        }
        for (index, row) in rows.iter().enumerate() {
            columns.draw(&mut sheet, top + 6.0 + ROW * index as f64, row);
        }
        let bottom = self.tell_rest(&mut sheet, floor, rows.len(), width);
        let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
        let description = format!("{}: {}", self.part, names.join(", "));
        sheet.finish(&self.title, &description, (width, bottom))
    }

    /// Draws the legend of the bars.
    fn explain(&self, sheet: &mut Sheet, top: f64, width: f64) -> f64 {
        let has_wholes = self.rows.iter().any(|row| row.whole.is_some());
        let mut names = vec![self.part.clone()];
        if has_wholes {
            names.push(self.whole.clone());
        }
        names.retain(|name| !name.is_empty());
        legend::draw(sheet, (top, width), &names, |sheet, at, index| {
            let pen = if index == 0 { fill(0) } else { empty() };
            sheet.rectangle((at.0 - 8.0, at.1 - 5.0), (16.0, 10.0), &pen);
        })
    }

    fn tell_rest(&self, sheet: &mut Sheet, floor: f64, shown: usize, width: f64) -> f64 {
        let more = self.rows.len() - shown;
        if more == 0 {
            return floor + EDGE;
        }
        let note = format!("and {} more", written(more as f64));
        sheet.text(
            (EDGE, floor + 18.0),
            Anchor::Start,
            QUIET,
            width - 2.0 * EDGE,
            &note,
        );
        floor + 32.0
    }
}

/// End of the names, start of the bars, and start of the figures.
struct Columns {
    axis: Axis,
    /// The bars' column.
    left: f64,
    right: f64,
    /// The room of the figures.
    figures: f64,
}

impl Columns {
    fn of(rows: &[ListRow], width: f64) -> Self {
        let inner = width - 2.0 * EDGE;
        let names = rows.iter().map(|row| PLAIN.width(&row.name)).fold(0.0, f64::max);
        let figures = rows
            .iter()
            .map(|row| PLAIN.width(&figure(row)))
            .fold(0.0, f64::max);
        let left = EDGE + names.min(inner * 0.4) + 10.0;
        let figures = figures.min(inner * 0.35);
        let right = width - EDGE - figures - 10.0;
        let values = rows.iter().flat_map(|row| {
            let high = row.interval.map_or(row.value, |(_, high)| high);
            [row.value, row.whole.unwrap_or(0.0), high]
        });
        // The longest bar fills its column: figures are next to the bars, so that round steps are
        // of no use.
        let highest = values.filter(|value| value.is_finite()).fold(0.0, f64::max);
        Self {
            axis: Axis::exact(highest),
            left,
            right,
            figures,
        }
    }

    fn draw(&self, sheet: &mut Sheet, top: f64, row: &ListRow) {
        let (bar, line) = (top + (ROW - BAR) / 2.0, top + ROW / 2.0 + 4.5);
        sheet.text(
            (self.left - 10.0, line),
            Anchor::End,
            PLAIN,
            self.left - 9.5 - EDGE,
            &row.name,
        );
        if let Some(whole) = row.whole {
            sheet.rectangle((self.left, bar), (self.x(whole) - self.left, BAR), &empty());
        }
        sheet.rectangle((self.left, bar), (self.x(row.value) - self.left, BAR), &fill(0));
        if let Some((low, high)) = row.interval {
            let (low, high, middle) = (self.x(low), self.x(high), bar + BAR / 2.0);
            let pen = format!("{RULE} stroke-width=\"2\"");
            sheet.line((low, middle), (high, middle), &pen);
            for end in [low, high] {
                sheet.line((end, middle - 4.0), (end, middle + 4.0), &pen);
            }
        }
        sheet.text(
            (self.right + 10.0, line),
            Anchor::Start,
            PLAIN,
            self.figures + 0.5,
            &figure(row),
        );
    }

    fn x(&self, value: f64) -> f64 {
        self.left + self.axis.place(value) * (self.right - self.left)
    }
}

fn figure(row: &ListRow) -> String {
    match row.whole {
        Some(whole) => format!("{} of {}", written(row.value), written(whole)),
        None => written(row.value),
    }
}

fn empty() -> String {
    format!("class=\"b r\" fill=\"{PAPER}\" stroke=\"#1c1c1a\"")
}
