//! The parts of the page, one file each. A part without data is an empty text.

mod drift;
mod figures;
mod head;
mod maps;
mod methods;
mod patterns;
mod problems;
mod selection;
mod sites;
mod stages;

pub(crate) use head::{footer, header};

use crate::data::Report;
use crate::page::Section;

/// The widths that charts are drawn in: for a desk, and for a phone of 360 pixels with its margins.
const WIDE: f64 = 860.0;
const NARROW: f64 = 360.0;

/// Returns all sections in reading order: the outcome, the selection, then the details.
pub(crate) fn all(report: &Report) -> Vec<Section> {
    let section = |id, title, html| Section { id, title, html };
    vec![
        section("methods", "Costs and results", methods::html(&report.methods)),
        section(
            "selection",
            "The selection",
            selection::html(report.selection.as_ref()),
        ),
        section("stages", "What was done", stages::html(&report.stages)),
        section("drift", "What changed", drift::html(&report.drift)),
        section(
            "sites",
            "Sites",
            sites::html(&report.sites, !report.problems.is_empty()),
        ),
        section("maps", "Navigation of the sites", maps::html(&report.maps)),
        section("patterns", "Patterns", patterns::html(&report.patterns)),
        section("problems", "Problems", problems::html(&report.problems)),
        section("figures", "All figures", figures::html(report.figures.as_ref())),
    ]
}
