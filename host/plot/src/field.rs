//! The field of a chart: where values stand, and the axes beside it.

use crate::axis::Axis;
use crate::svg::{Anchor, EDGE, PLAIN, QUIET, Sheet};
use crate::theme::{GRID, RULE};

/// Room below a field for numbers and the name of the axis.
pub(crate) const BELOW: f64 = 50.0;

/// The field: its edges and its axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) top: f64,
    pub(crate) floor: f64,
    pub(crate) y: Axis,
}

/// Height of a field on a sheet of this width.
pub(crate) fn height(width: f64) -> f64 {
    (width * 0.42).clamp(220.0, 320.0)
}

impl Field {
    /// Opens a field below the height `top`, with its vertical axis and the axis' name drawn.
    /// `right` is its right edge.
    pub(crate) fn open(sheet: &mut Sheet, top: f64, right: f64, height: f64, y: Axis, name: &str) -> Self {
        let labels = y.steps().map(|value| PLAIN.width(&y.label(value)));
        let left = EDGE + labels.fold(0.0, f64::max) + 8.0;
        let top = top + if name.is_empty() { 8.0 } else { 30.0 };
        let field = Self {
            left,
            right: right.max(left + 40.0),
            top,
            floor: top + height,
            y,
        };
        if !name.is_empty() {
            sheet.text((EDGE, top - 12.0), Anchor::Start, QUIET, field.right - EDGE, name);
        }
        for value in y.steps() {
            let at = field.y(value);
            sheet.line((field.left, at), (field.right, at), GRID);
            sheet.text((left - 8.0, at + 4.5), Anchor::End, PLAIN, left, &y.label(value));
        }
        field
    }

    /// Draws the level axis with its name and gives it with as many steps as have room.
    pub(crate) fn draw_x(&self, sheet: &mut Sheet, x: Axis, name: &str) -> Axis {
        let x = x.with_room(self.right - self.left, |label| PLAIN.width(label));
        for value in x.steps() {
            let at = self.x(x, value);
            sheet.line((at, self.floor), (at, self.floor + 5.0), RULE);
            sheet.text(
                (at, self.floor + 20.0),
                Anchor::Middle,
                PLAIN,
                200.0,
                &x.label(value),
            );
        }
        let middle = (self.left + self.right) / 2.0;
        let room = self.right - self.left;
        sheet.text((middle, self.floor + 40.0), Anchor::Middle, QUIET, room, name);
        self.draw_floor(sheet);
        x
    }

    pub(crate) fn draw_floor(&self, sheet: &mut Sheet) {
        sheet.line((self.left, self.floor), (self.right, self.floor), RULE);
    }

    pub(crate) fn x(&self, axis: Axis, value: f64) -> f64 {
        self.left + axis.place(value) * (self.right - self.left)
    }

    pub(crate) fn y(&self, value: f64) -> f64 {
        self.floor - self.y.place(value) * (self.floor - self.top)
    }
}
