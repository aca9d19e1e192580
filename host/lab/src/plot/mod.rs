//! Charts as SVG: lines with intervals, and bars. Readable without colour.
//!
//! Lines differ by dashes and markers and carry their name at their end, bars by hatching; every chart has a title and
//! a description for those who can't see it. Numbers are written with fixed digits, so the same data gives the same
//! bytes.
//!
//! ```
//! use magpie_lab::plot::{LineChart, Point, Series};
//!
//! let series = Series { name: "all pages".into(), points: vec![Point::new(0.0, 1.0), Point::with_interval(1.0, 0.8, 0.7, 0.9)] };
//! let chart = LineChart { title: "Recall by week".into(), x: "week".into(), y: "recall".into(), series: vec![series] };
//! assert!(chart.to_svg().starts_with("<svg"));
//! ```

mod axis;
mod bars;
mod lines;

pub use bars::{Bar, BarChart};
pub use lines::{LineChart, Point, Series};

/// Width and height of a chart, and the margins of its field: left, right, top, bottom.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 150.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 60.0;

/// Opens a chart.
fn open(out: &mut String, title: &str, description: &str) {
    out.push_str(&format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         font-family=\"sans-serif\" font-size=\"13\"><title>{0}</title><desc>{1}</desc>\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\
         <text x=\"{LEFT}\" y=\"26\" font-size=\"16\" font-weight=\"bold\">{0}</text>",
        escaped(title),
        escaped(description)
    ));
}

/// Adds a text at a place; the anchor is `start`, `middle` or `end`.
fn text(out: &mut String, x: f64, y: f64, anchor: &str, text: &str) {
    out.push_str(&format!(
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>",
        escaped(text)
    ));
}

fn line(out: &mut String, from: (f64, f64), to: (f64, f64), style: &str) {
    out.push_str(&format!(
        "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" {style}/>",
        from.0, from.1, to.0, to.1
    ));
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    crate::template::push_escaped(&mut out, text);
    out
}

#[cfg(test)]
mod tests;
