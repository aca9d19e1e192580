//! Line charts.

use crate::axis::Axis;
use crate::field::{self, BELOW, Field};
use crate::svg::{Anchor, EDGE, PLAIN, QUIET, Sheet};
use crate::theme::{COLOURS, fill, outline, stroke};
use crate::{WIDTH, legend, usable};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct LineChart {
    pub title: String,
    /// Label of the horizontal axis.
    pub x: String,
    /// Label of the vertical axis.
    pub y: String,
    pub series: Vec<Series>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Its name, written at its end.
    pub name: String,
    /// Its points, from left to right.
    pub points: Vec<Point>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: f64,
    /// The interval within which the true value is believed to be.
    pub interval: Option<(f64, f64)>,
}

impl Point {
    /// A point without an interval.
    #[must_use]
    pub fn new(x: f64, y: f64) -> Self {
        Self { x, y, interval: None }
    }
}

/// Maximum number of lines of a chart. More would look alike, and their names would not fit
/// next to the field.
const MAX_SERIES: usize = 12;
/// Maximum number of points of a line; more cannot be distinguished.
pub(crate) const MAX_POINTS: usize = 400;
/// Points up to which each has its marker; beyond, markers hide the line.
const MAX_MARKERS: usize = 60;
/// Pixels between the names of two lines.
const NAME_GAP: f64 = 17.0;
/// Pixels by which intervals of different lines over one value stand apart.
const APART: f64 = 3.0;
/// From this width on names stand at the ends of lines; on narrower sheets above the field.
const WIDE: f64 = 520.0;
const DASHES: [&str; 6] = ["none", "8 4", "2 3", "10 3 2 3", "5 5", "1 4"];

impl LineChart {
    #[must_use]
    pub fn to_svg(&self) -> String {
        self.to_svg_of_width(WIDTH)
    }

    /// The chart as SVG, with an axis up the side that holds these two values in any case.
    #[must_use]
    pub fn to_svg_within(&self, low: f64, high: f64) -> String {
        self.drawn(WIDTH, &[low, high], true)
    }

    /// The chart as SVG, with points that no line joins, and both axes from zero.
    #[must_use]
    pub fn to_svg_of_points(&self) -> String {
        self.drawn(WIDTH, &[0.0], false)
    }

    /// The chart as SVG, drawn for a width in pixels.
    #[must_use]
    pub fn to_svg_of_width(&self, width: f64) -> String {
        self.drawn(width, &[], true)
    }

    fn drawn(&self, width: f64, held: &[f64], is_joined: bool) -> String {
        let width = usable(width);
        let lines: Vec<Line<'_>> = self.lines();
        let names: Vec<String> = lines.iter().map(|line| line.name.to_owned()).collect();
        let mut sheet = Sheet::default();
        let mut top = self.head(&mut sheet, width);
        let right = if width >= WIDE {
            let widest = names.iter().map(|name| PLAIN.width(name)).fold(0.0, f64::max);
            width - EDGE - (widest + 26.0).min(width / 3.0)
        } else {
            top = legend::draw(&mut sheet, (top, width), &names, |sheet, at, index| {
                marker(sheet, at, index);
            });
            width - EDGE - 12.0
        };
        let bounds = lines.iter().flat_map(|line| &line.points).flat_map(|point| {
            let (low, high) = point.interval.unwrap_or((point.y, point.y));
            [point.y, low, high]
        });
        let y = Axis::of(bounds.chain(held.iter().copied()), 5);
        let field = Field::open(&mut sheet, top, right, field::height(width), y, &self.y);
        let xs = lines.iter().flat_map(|line| &line.points).map(|point| point.x);
        let x = Axis::of(xs.chain((!is_joined).then_some(0.0)), 6);
        let x = field.draw_x(&mut sheet, x, &self.x);
        let middle = (lines.len().max(1) - 1) as f64 / 2.0;
        for (index, line) in lines.iter().enumerate() {
            let apart = (index as f64 - middle) * APART;
            line.draw(&mut sheet, &field, x, index, apart, is_joined);
        }
        if width >= WIDE {
            end_names(&mut sheet, &field, &lines, width);
        }
        let description = format!("{} by {}: {}", self.y, self.x, names.join(", "));
        sheet.finish(&self.title, &description, (width, field.floor + BELOW))
    }

    /// The lines that are drawn, with the points that can be drawn.
    fn lines(&self) -> Vec<Line<'_>> {
        let line = |series| Line::new(series);
        self.series.iter().take(MAX_SERIES).map(line).collect()
    }

    /// Title, and how many lines are left out.
    fn head(&self, sheet: &mut Sheet, width: f64) -> f64 {
        let top = sheet.title(&self.title, width);
        let more = self.series.len().saturating_sub(MAX_SERIES);
        if more == 0 {
            return top;
        }
        let note = format!("and {more} more lines that are not drawn");
        sheet.text(
            (EDGE, top + 14.0),
            Anchor::Start,
            QUIET,
            width - 2.0 * EDGE,
            &note,
        );
        top + 20.0
    }
}

/// A line with what of it is drawn.
struct Line<'a> {
    name: &'a str,
    points: Vec<Point>,
    has_intervals: bool,
}

impl<'a> Line<'a> {
    fn new(series: &'a Series) -> Self {
        let finite = |point: &&Point| point.x.is_finite() && point.y.is_finite();
        let points: Vec<Point> = series.points.iter().filter(finite).copied().collect();
        Self {
            name: &series.name,
            has_intervals: points.iter().any(|point| point.interval.is_some()),
            points: thinned(&points),
        }
    }

    fn draw(&self, sheet: &mut Sheet, field: &Field, x: Axis, index: usize, apart: f64, is_joined: bool) {
        // Markers at one place must not hide each other.
        let apart = if self.has_intervals || !is_joined {
            apart
        } else {
            0.0
        };
        let at = |point: &Point| (field.x(x, point.x) + apart, field.y(point.y));
        let path: Vec<String> = self
            .points
            .iter()
            .map(at)
            .map(|(x, y)| format!("{x:.1},{y:.1}"))
            .collect();
        if is_joined {
            sheet.push(&format!(
                "<polyline points=\"{}\" {} stroke-width=\"2\" stroke-dasharray=\"{}\"/>",
                path.join(" "),
                stroke(index),
                DASHES[index % DASHES.len()]
            ));
        }
        for point in &self.points {
            if let Some((low, high)) = point.interval {
                sheet.whiskers(at(point).0, (field.y(low), field.y(high)), &stroke(index));
            }
        }
        let marked = if self.points.len() > MAX_MARKERS {
            0
        } else {
            self.points.len()
        };
        for point in &self.points[..marked] {
            marker(sheet, at(point), index);
        }
    }
}

/// Writes each line's name at its end, moved apart where they would touch.
fn end_names(sheet: &mut Sheet, field: &Field, lines: &[Line<'_>], width: f64) {
    let end = |line: &Line<'_>| line.points.last().map(|point| field.y(point.y));
    let numbered = lines.iter().enumerate();
    let mut ends: Vec<(f64, usize)> = numbered
        .filter_map(|(index, line)| Some((end(line)?, index)))
        .collect();
    ends.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut last = f64::MIN;
    for (at, _) in &mut ends {
        *at = at.max(last + NAME_GAP);
        last = *at;
    }
    // What was pushed below the floor goes up again, and pushes those above it.
    let mut lowest = field.floor;
    for (at, _) in ends.iter_mut().rev() {
        *at = at.min(lowest);
        lowest = *at - NAME_GAP;
    }
    let room = width - field.right - EDGE - 26.0 + 4.0;
    for (at, index) in ends {
        marker(sheet, (field.right + 14.0, at), index);
        sheet.text(
            (field.right + 26.0, at + 4.5),
            Anchor::Start,
            PLAIN,
            room,
            lines[index].name,
        );
    }
}

/// Evenly spread points with the first and the last of all.
pub(crate) fn thinned<T: Clone>(points: &[T]) -> Vec<T> {
    if points.len() <= MAX_POINTS {
        return points.to_vec();
    }
    let last = points.len() - 1;
    (0..MAX_POINTS)
        .map(|place| points[place * last / (MAX_POINTS - 1)].clone())
        .collect()
}

/// Draws the marker that distinguishes a line: circle, square, triangle, diamond, empty circle,
/// empty square.
pub(crate) fn marker(sheet: &mut Sheet, (x, y): (f64, f64), index: usize) {
    let index = index % COLOURS.len();
    let square = |sheet: &mut Sheet, pen: &str| sheet.rectangle((x - 4.0, y - 4.0), (8.0, 8.0), pen);
    let circle = |sheet: &mut Sheet, pen: &str| {
        sheet.push(&format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" {pen}/>"));
    };
    let corners = |sheet: &mut Sheet, points: &[(f64, f64)]| {
        let points: Vec<String> = points
            .iter()
            .map(|(dx, dy)| format!("{:.1},{:.1}", x + dx, y + dy))
            .collect();
        sheet.push(&format!(
            "<polygon points=\"{}\" {}/>",
            points.join(" "),
            fill(index)
        ));
    };
    match index {
        0 => circle(sheet, &fill(index)),
        1 => square(sheet, &fill(index)),
        2 => corners(sheet, &[(0.0, -5.0), (5.0, 4.0), (-5.0, 4.0)]),
        3 => corners(sheet, &[(0.0, -5.5), (5.5, 0.0), (0.0, 5.5), (-5.5, 0.0)]),
        4 => circle(sheet, &outline(index)),
        _ => square(sheet, &outline(index)),
    }
}
