//! Line charts.

use super::axis::Axis;
use super::{RIGHT, WIDTH, line, open, text};

/// A line chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LineChart {
    /// What it shows.
    pub title: String,
    /// What runs along the bottom.
    pub x: String,
    /// What runs up the side.
    pub y: String,
    /// The lines.
    pub series: Vec<Series>,
}

/// A line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Its name, written at its end.
    pub name: String,
    /// Its points, from left to right.
    pub points: Vec<Point>,
}

/// A point of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Along the bottom.
    pub x: f64,
    /// Up the side.
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

    /// A point with its interval.
    #[must_use]
    pub fn with_interval(x: f64, y: f64, low: f64, high: f64) -> Self {
        Self {
            x,
            y,
            interval: Some((low, high)),
        }
    }
}

const COLOURS: [&str; 6] = ["#0b3c8c", "#b3400b", "#1b7a3d", "#6b2c91", "#555555", "#8c6d00"];
const DASHES: [&str; 6] = ["", "8 4", "2 3", "10 3 2 3", "5 5", "1 4"];
/// Pixels between the names of two lines.
const NAME_GAP: f64 = 16.0;

impl LineChart {
    /// The chart as SVG.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let x = Axis::of(points().map(|point| point.x));
        let bounds = points().flat_map(|point| {
            let (low, high) = point.interval.unwrap_or((point.y, point.y));
            [point.y, low, high]
        });
        let y = Axis::of(bounds);
        let mut out = String::new();
        let names: Vec<&str> = self.series.iter().map(|series| series.name.as_str()).collect();
        open(
            &mut out,
            &self.title,
            &format!("{} by {}: {}", self.y, self.x, names.join(", ")),
        );
        y.draw_y(&mut out, &self.y);
        x.draw_x(&mut out, &self.x);
        for (index, series) in self.series.iter().enumerate() {
            draw(&mut out, series, index, x, y);
        }
        self.names(&mut out, y);
        out.push_str("</svg>");
        out
    }

    /// Writes each line's name at its end, moved apart where they would touch.
    fn names(&self, out: &mut String, y: Axis) {
        let end = |series: &Series| series.points.last().map(|point| y.y(point.y));
        let mut ends: Vec<(f64, usize)> = self
            .series
            .iter()
            .enumerate()
            .filter_map(|(index, series)| Some((end(series)?, index)))
            .collect();
        ends.sort_by(|one, other| one.0.total_cmp(&other.0));
        let mut last = f64::MIN;
        for (at, index) in ends {
            let at = at.max(last + NAME_GAP);
            last = at;
            marker(out, WIDTH - RIGHT + 12.0, at, index);
            text(
                out,
                WIDTH - RIGHT + 22.0,
                at + 4.0,
                "start",
                &self.series[index].name,
            );
        }
    }
}

fn draw(out: &mut String, series: &Series, index: usize, x: Axis, y: Axis) {
    let colour = COLOURS[index % COLOURS.len()];
    let path: Vec<String> = series
        .points
        .iter()
        .map(|point| format!("{:.1},{:.1}", x.x(point.x), y.y(point.y)))
        .collect();
    out.push_str(&format!(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{}\"/>",
        path.join(" "),
        DASHES[index % DASHES.len()]
    ));
    for point in &series.points {
        let at = x.x(point.x);
        if let Some((low, high)) = point.interval {
            let style = format!("stroke=\"{colour}\"");
            line(out, (at, y.y(low)), (at, y.y(high)), &style);
            for end in [low, high] {
                line(out, (at - 4.0, y.y(end)), (at + 4.0, y.y(end)), &style);
            }
        }
        marker(out, at, y.y(point.y), index);
    }
}

/// A mark that tells a line from the others: circle, square, triangle, diamond, empty circle, empty square.
fn marker(out: &mut String, x: f64, y: f64, index: usize) {
    let colour = COLOURS[index % COLOURS.len()];
    let empty = format!("fill=\"#fff\" stroke=\"{colour}\"");
    let full = format!("fill=\"{colour}\"");
    let square = |style: &str| {
        format!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"8\" height=\"8\" {style}/>",
            x - 4.0,
            y - 4.0
        )
    };
    let corners = |points: &[(f64, f64)]| {
        let points: Vec<String> = points
            .iter()
            .map(|(dx, dy)| format!("{:.1},{:.1}", x + dx, y + dy))
            .collect();
        format!("<polygon points=\"{}\" {full}/>", points.join(" "))
    };
    out.push_str(&match index % 6 {
        0 => format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" {full}/>"),
        1 => square(&full),
        2 => corners(&[(0.0, -5.0), (5.0, 4.0), (-5.0, 4.0)]),
        3 => corners(&[(0.0, -5.0), (5.0, 0.0), (0.0, 5.0), (-5.0, 0.0)]),
        4 => format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" {empty}/>"),
        _ => square(&empty),
    });
}
