//! Bar charts.

use super::axis::Axis;
use super::{BOTTOM, HEIGHT, LEFT, RIGHT, WIDTH, escaped, line, open, text};

/// A bar chart. Bars of one group stand together; groups are told apart along the bottom.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BarChart {
    /// What it shows.
    pub title: String,
    /// What runs up the side.
    pub y: String,
    /// The names of the bars within a group, explained beside the chart.
    pub kinds: Vec<String>,
    /// The groups with their bars, in the order of `kinds`.
    pub groups: Vec<(String, Vec<Bar>)>,
}

/// A bar.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bar {
    /// How high it is.
    pub value: f64,
    /// The interval within which the true value is believed to be.
    pub interval: Option<(f64, f64)>,
}

/// About the width of a letter, in pixels.
const LETTER: f64 = 7.5;

/// Fillings that differ without colour: solid, empty, slanted, crossed, dotted, level.
const PATTERNS: [&str; 6] = [
    "<rect width=\"8\" height=\"8\" fill=\"#0b3c8c\"/>",
    "<rect width=\"8\" height=\"8\" fill=\"#fff\"/>",
    "<path d=\"M0 8L8 0\" stroke=\"#b3400b\" stroke-width=\"2\"/>",
    "<path d=\"M0 0L8 8M0 8L8 0\" stroke=\"#1b7a3d\"/>",
    "<circle cx=\"4\" cy=\"4\" r=\"1.6\" fill=\"#6b2c91\"/>",
    "<path d=\"M0 4H8\" stroke=\"#555\" stroke-width=\"2\"/>",
];

impl BarChart {
    /// The chart as SVG.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let bars = self.groups.iter().flat_map(|(_, bars)| bars);
        let y = Axis::from_zero(
            bars.flat_map(|bar| [bar.value, bar.interval.map_or(bar.value, |(_, high)| high)]),
        );
        let mut out = String::new();
        let names: Vec<&str> = self.groups.iter().map(|(name, _)| name.as_str()).collect();
        open(
            &mut out,
            &self.title,
            &format!("{}: {}", self.y, names.join(", ")),
        );
        out.push_str("<defs>");
        for (index, pattern) in PATTERNS.iter().enumerate() {
            out.push_str(&format!(
                "<pattern id=\"fill{index}\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\">{pattern}</pattern>"
            ));
        }
        out.push_str("</defs>");
        y.draw_y(&mut out, &self.y);
        self.draw(&mut out, y);
        self.explain(&mut out);
        let floor = HEIGHT - BOTTOM;
        line(&mut out, (LEFT, floor), (WIDTH - RIGHT, floor), "stroke=\"#000\"");
        out.push_str("</svg>");
        out
    }

    fn draw(&self, out: &mut String, y: Axis) {
        let room = (WIDTH - RIGHT - LEFT) / self.groups.len().max(1) as f64;
        for (place, (name, bars)) in self.groups.iter().enumerate() {
            let left = LEFT + room * place as f64;
            let width = room * 0.8 / bars.len().max(1) as f64;
            for (index, bar) in bars.iter().enumerate() {
                draw_bar(
                    out,
                    bar,
                    (left + room * 0.1 + width * index as f64, width),
                    index,
                    y,
                );
            }
            self.name(out, left + room / 2.0, room, name);
        }
    }

    /// Writes the name of a group below its bars: level, or slanted where some name has no room.
    fn name(&self, out: &mut String, x: f64, room: f64, name: &str) {
        let is_crowded = self
            .groups
            .iter()
            .any(|(name, _)| name.chars().count() as f64 * LETTER > room);
        let floor = HEIGHT - BOTTOM;
        if !is_crowded {
            text(out, x, floor + 20.0, "middle", name);
            return;
        }
        out.push_str(&format!(
            "<g transform=\"translate({x:.1} {:.1}) rotate(-35)\">",
            floor + 14.0
        ));
        text(out, 0.0, 0.0, "end", name);
        out.push_str("</g>");
    }

    fn explain(&self, out: &mut String) {
        for (index, kind) in self.kinds.iter().enumerate() {
            let at = 60.0 + 24.0 * index as f64;
            out.push_str(&format!(
                "<rect x=\"{:.1}\" y=\"{at:.1}\" width=\"16\" height=\"16\" fill=\"url(#fill{})\" stroke=\"#000\"/>",
                WIDTH - RIGHT + 10.0,
                index % PATTERNS.len()
            ));
            text(out, WIDTH - RIGHT + 32.0, at + 13.0, "start", kind);
        }
    }
}

fn draw_bar(out: &mut String, bar: &Bar, (left, width): (f64, f64), index: usize, y: Axis) {
    let (top, floor) = (y.y(bar.value.max(0.0)), y.y(0.0));
    out.push_str(&format!(
        "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{:.1}\" fill=\"url(#fill{})\" stroke=\"#000\"><title>{}</title></rect>",
        (floor - top).max(0.0),
        index % PATTERNS.len(),
        escaped(&format!("{:.4}", bar.value))
    ));
    if let Some((low, high)) = bar.interval {
        let middle = left + width / 2.0;
        line(
            out,
            (middle, y.y(low)),
            (middle, y.y(high)),
            "stroke=\"#000\" stroke-width=\"2\"",
        );
        for end in [low, high] {
            line(
                out,
                (middle - 4.0, y.y(end)),
                (middle + 4.0, y.y(end)),
                "stroke=\"#000\" stroke-width=\"2\"",
            );
        }
    }
}
