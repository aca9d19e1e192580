//! Charts as SVG: lines and bars with intervals, curves with a chosen point, lists of bars, layered
//! graphs.
//!
//! - [`LineChart`]: series of points, each with an interval where one is known.
//! - [`BarChart`]: groups of upright bars. [`BarList`]: level bars, one a row, for many names.
//! - [`CurveChart`]: one curve or staircase with a chosen point and a bound that can't be beaten.
//! - [`Graph`]: boxes in layers from a start to the right, with what leads from one to the other.
//!
//! Every chart has a title and a description for those who can't see it, and is readable without
//! colour: lines differ by dashes and markers, bars by hatching, boxes by their words. A chart is
//! one `svg` element without any reference, usable alone or inside a page. On a screen it follows
//! the reader's choice of light or dark. Texts are untrusted: they are escaped, cut to their room,
//! and never overlap. Sizes are bounded whatever the data is. Numbers are written with fixed
//! digits, so the same data gives the same bytes.
//! ```
//! use magpie_plot::{LineChart, Point, Series};
//!
//! let points = vec![Point::new(0.0, 1.0), Point::new(1.0, 0.8)];
//! let series = vec![Series { name: "all pages".into(), points }];
//! let (title, x, y) = ("Recall by week".into(), "week".into(), "recall".into());
//! let chart = LineChart { title, x, y, series };
//! assert!(chart.to_svg().starts_with("<svg"));
//! ```

mod axis;
mod bar_list;
mod bars;
mod curve;
mod field;
mod graph;
mod legend;
mod lines;
mod number;
mod svg;
mod text;
mod theme;

pub use bar_list::{BarList, ListRow};
pub use bars::{Bar, BarChart};
pub use curve::{Bound, Chosen, CurveChart};
pub use graph::{Graph, GraphBox};
pub use lines::{LineChart, Point, Series};
pub use number::written;
pub use text::escaped;
pub use theme::style_rules;

/// The width of a chart where none is asked for, in pixels.
pub(crate) const WIDTH: f64 = 720.0;

/// Minimum and maximum width of a chart. Narrower, axes have no room for their numbers; wider, eyes
/// lose the line.
const WIDTHS: (f64, f64) = (280.0, 2_000.0);

/// A width that charts can be drawn with.
fn usable(width: f64) -> f64 {
    if width.is_finite() {
        width.clamp(WIDTHS.0, WIDTHS.1)
    } else {
        WIDTH
    }
}
