//! One curve with a chosen point on it and a bound that can't be beaten.

use crate::axis::Axis;
use crate::field::{self, BELOW, Field};
use crate::lines::{marker, thinned};
use crate::svg::{EDGE, Sheet};
use crate::theme::{GUIDE, stroke};
use crate::{WIDTH, legend, usable};

/// A curve: what is gained for what is paid.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CurveChart {
    pub title: String,
    /// Label of the horizontal axis.
    pub x: String,
    /// Label of the vertical axis.
    pub y: String,
    /// The points from left to right.
    pub points: Vec<(f64, f64)>,
    /// Draws the curve as steps: nothing is gained before the next point is reached.
    pub is_stepped: bool,
    pub chosen: Option<Chosen>,
    pub bound: Option<Bound>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chosen {
    pub x: f64,
    pub y: f64,
    /// The interval within which the true value is believed to be.
    pub interval: Option<(f64, f64)>,
    /// Name of the mark, explained above the chart.
    pub name: String,
}

/// A line that can't be crossed.
#[derive(Clone, Debug, PartialEq)]
pub enum Bound {
    /// An upright line: nothing left of it can be.
    X {
        at: f64,
        /// Name, explained above the chart.
        name: String,
    },
    /// A level line: nothing above it can be.
    Y {
        at: f64,
        /// Name, explained above the chart.
        name: String,
    },
}

/// Kinds of colours: of the curve, of the chosen point, of the bound.
const CURVE: usize = 0;
const CHOSEN: usize = 1;
const BOUND: usize = 3;

impl CurveChart {
    #[must_use]
    pub fn to_svg(&self) -> String {
        self.to_svg_of_width(WIDTH)
    }

    /// The chart as SVG, drawn for a width in pixels.
    #[must_use]
    pub fn to_svg_of_width(&self, width: f64) -> String {
        let width = usable(width);
        let finite = |(x, y): &&(f64, f64)| x.is_finite() && y.is_finite();
        let points: Vec<(f64, f64)> = self.points.iter().filter(finite).copied().collect();
        let points = thinned(&points);
        let mut sheet = Sheet::default();
        let top = sheet.title(&self.title, width);
        let top = self.explain(&mut sheet, top, width);
        let (x, y) = self.axes(&points);
        let right = width - EDGE - 12.0;
        let field = Field::open(&mut sheet, top, right, field::height(width), y, &self.y);
        let x = field.draw_x(&mut sheet, x, &self.x);
        self.draw_bound(&mut sheet, &field, x);
        let path = self.path(&points, &field, x);
        sheet.push(&format!(
            "<path d=\"{path}\" {} stroke-width=\"2\"/>",
            stroke(CURVE)
        ));
        self.draw_chosen(&mut sheet, &field, x);
        let description = format!("{} by {}. {}", self.y, self.x, self.marks().join("; "));
        sheet.finish(&self.title, &description, (width, field.floor + BELOW))
    }

    fn axes(&self, points: &[(f64, f64)]) -> (Axis, Axis) {
        let mut xs: Vec<f64> = points.iter().map(|(x, _)| *x).collect();
        let mut ys: Vec<f64> = points.iter().map(|(_, y)| *y).collect();
        if let Some(chosen) = &self.chosen {
            let (low, high) = chosen.interval.unwrap_or((chosen.y, chosen.y));
            xs.push(chosen.x);
            ys.extend([chosen.y, low, high]);
        }
        match self.bound {
            Some(Bound::X { at, .. }) => xs.push(at),
            Some(Bound::Y { at, .. }) => ys.push(at),
            None => {}
        }
        (Axis::of(xs.into_iter(), 6), Axis::of(ys.into_iter(), 5))
    }

    /// The explanations of what is marked.
    fn marks(&self) -> Vec<String> {
        let chosen = self.chosen.iter().map(|chosen| chosen.name.clone());
        let bound = self.bound.iter().map(|bound| match bound {
            Bound::X { name, .. } | Bound::Y { name, .. } => name.clone(),
        });
        chosen.chain(bound).collect()
    }

    fn explain(&self, sheet: &mut Sheet, top: f64, width: f64) -> f64 {
        legend::draw(sheet, (top, width), &self.marks(), |sheet, at, index| {
            if index == 0 && self.chosen.is_some() {
                chosen_mark(sheet, at);
            } else if matches!(self.bound, Some(Bound::X { .. })) {
                sheet.line((at.0, at.1 - 8.0), (at.0, at.1 + 8.0), &bound_pen());
            } else {
                sheet.line((at.0 - 9.0, at.1), (at.0 + 9.0, at.1), &bound_pen());
            }
        })
    }

    fn path(&self, points: &[(f64, f64)], field: &Field, axis: Axis) -> String {
        let mut path = String::new();
        for (x, y) in points {
            let (x, y) = (field.x(axis, *x), field.y(*y));
            path.push_str(&match (path.is_empty(), self.is_stepped) {
                (true, _) => format!("M{x:.1} {y:.1}"),
                (false, true) => format!("H{x:.1}V{y:.1}"),
                (false, false) => format!("L{x:.1} {y:.1}"),
            });
        }
        path
    }

    fn draw_bound(&self, sheet: &mut Sheet, field: &Field, x: Axis) {
        match self.bound {
            Some(Bound::X { at, .. }) => {
                let at = field.x(x, at);
                sheet.line((at, field.top), (at, field.floor), &bound_pen());
            }
            Some(Bound::Y { at, .. }) => {
                let at = field.y(at);
                sheet.line((field.left, at), (field.right, at), &bound_pen());
            }
            None => {}
        }
    }

    fn draw_chosen(&self, sheet: &mut Sheet, field: &Field, axis: Axis) {
        let Some(chosen) = &self.chosen else {
            return;
        };
        let (x, y) = (field.x(axis, chosen.x), field.y(chosen.y));
        sheet.line((x, y), (x, field.floor), GUIDE);
        sheet.line((field.left, y), (x, y), GUIDE);
        if let Some((low, high)) = chosen.interval {
            let pen = format!("{} stroke-width=\"2\"", stroke(CHOSEN));
            sheet.whiskers(x, (field.y(low), field.y(high)), &pen);
        }
        chosen_mark(sheet, (x, y));
    }
}

/// A ring with a full mark within: no curve looks like it.
fn chosen_mark(sheet: &mut Sheet, (x, y): (f64, f64)) {
    sheet.push(&format!(
        "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"8\" {} stroke-width=\"2\"/>",
        stroke(CHOSEN)
    ));
    marker(sheet, (x, y), CHOSEN);
}

fn bound_pen() -> String {
    format!("{} stroke-width=\"1.5\" stroke-dasharray=\"6 4\"", stroke(BOUND))
}
