//! The result of a run and its reasons, as one self-contained HTML file.
//!
//! [`build`] reads it from a workspace into a [`Report`], which is plain data. [`render`] makes a
//! page of a report, which may also be read from JSON. The page contains its style and its charts.
//! It runs no script, refers to nothing outside itself (its own policy forbids it), reads well on a
//! phone, on paper, in light and dark, and has the figures of every chart in a table too.
//!
//! [`sentences`] and [`format`](mod@format) are the texts that the report shares with the command
//! line and the web page, and [`views`] the JSON that both give out.
//!
//! All texts in a report are untrusted: host names, patterns and sentences are escaped and cut,
//! lists are bounded and state how many entries they omit. Parts without data are left out.
//!
//! ```
//! use magpie_report::{Head, Report, render};
//!
//! let report = Report {
//!     head: Head { title: "Books, <first> run".into(), ..Head::default() },
//!     ..Report::default()
//! };
//! assert!(render(&report).contains("<h1>Books, &lt;first&gt; run</h1>"));
//! ```

pub mod blocks;
pub mod build;
pub mod format;
pub mod href;
pub mod sentences;
pub mod views;

mod data;
mod sections;

pub use data::{
    Alarm, CurvePoint, Drift, Expected, Figure, FigureValue, Figures, Head, Level, MapState, Method, Notice,
    Pattern, Problem, Relearned, Report, Role, Sample, Selection, Site, SiteMap, Stage,
};
pub use sections::{render, site_map};
