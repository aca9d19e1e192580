//! What a run did and why, as one HTML file that needs nothing else.
//!
//! [`build`] reads it from a workspace into a [`Report`], which is plain data. [`render`] makes a
//! page of a report:
//! whoever has the figures fills it in, or reads it from JSON.
//! The page holds its style and its charts; it runs no script, refers to nothing outside itself (its own policy forbids
//! it), reads well on a phone, on paper, in light and dark, and gives the figures of every chart in a table too.
//!
//! [`sentences`] and [`format`](mod@format) are the words for people that the report shares with
//! the command line.
//!
//! Everything in a report is somebody else's text: host names, patterns and sentences are escaped and cut, lists are
//! bounded and say how much they leave out. Parts without data leave no trace.
//!
//! ```
//! use magpie_report::{Head, Report, render};
//!
//! let report = Report { head: Head { title: "Books, <first> run".into(), ..Head::default() }, ..Report::default() };
//! assert!(render(&report).contains("<h1>Books, &lt;first&gt; run</h1>"));
//! ```

pub mod build;
pub mod format;
pub mod sentences;

mod data;
mod figures;
mod page;
mod sections;
mod table;

pub use data::{
    Alarm, CurvePoint, Drift, Expected, Figure, FigureValue, Figures, Head, Level, MapState, Method, Notice,
    Pattern, Problem, Relearned, Report, Role, Sample, Selection, Site, SiteMap, Stage,
};
pub use page::render;
