//! The page: its head, and its sections.

mod head;
mod maps;
mod methods;
mod patterns;
mod selection;
mod sites;

use askama::Template;
use magpie_plot::written;

use crate::blocks::{Block, Cell, STYLE, Table};
use crate::data::{Drift, FigureValue, Figures, Problem, Report, Stage};
use crate::format::{around, bytes, cut, duration, thousands};

pub use maps::site_map;

/// Forbids what the page does not need, whatever its texts hold: everything but its own style.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// Sections from which on a page has a list of contents.
const CONTENTS: usize = 3;

/// Rows of the tables.
const MAX_STAGES: usize = 60;
const MAX_CHANGES: usize = 100;
const MAX_PROBLEMS: usize = 500;

#[derive(Template)]
#[template(path = "report.html")]
struct Page {
    title: String,
    head: Vec<Block>,
    sections: Vec<Section>,
    version: String,
}

struct Section {
    /// The name that the contents refer to.
    id: &'static str,
    title: &'static str,
    /// A section without blocks is not shown.
    blocks: Vec<Block>,
}

/// The report as one HTML file.
///
/// The same report gives the same bytes. The file's size is bounded however much the report holds.
#[must_use]
pub fn render(report: &Report) -> String {
    let title = match report.head.title.trim() {
        "" => "Magpie".to_owned(),
        title => cut(title),
    };
    let page = Page {
        title,
        head: head::blocks(report),
        sections: sections(report),
        version: cut(&report.head.program_version),
    };
    page.render().expect("a text takes all that is written into it")
}

/// The sections in reading order: the outcome, the selection, then the details.
fn sections(report: &Report) -> Vec<Section> {
    let has_problems = !report.problems.is_empty();
    let figures = report.figures.as_ref();
    let selected = report.selection.as_ref();
    let sections = [
        ("methods", "Costs and results", methods::blocks(&report.methods)),
        (
            "selection",
            "The selection",
            selected.map_or_else(Vec::new, selection::blocks),
        ),
        ("stages", "What was done", filled([stages(&report.stages)])),
        (
            "drift",
            "What changed",
            filled([alarms(&report.drift), relearned(&report.drift)]),
        ),
        ("sites", "Sites", sites::blocks(&report.sites, has_problems)),
        ("maps", "Navigation of the sites", maps::blocks(&report.maps)),
        (
            "patterns",
            "Patterns",
            filled([patterns::table(&report.patterns)]),
        ),
        ("problems", "Problems", filled([problems(&report.problems)])),
        ("figures", "All figures", filled(figures.map(all_figures))),
    ];
    let section = |(id, title, blocks): (_, _, Vec<Block>)| {
        (!blocks.is_empty()).then_some(Section { id, title, blocks })
    };
    sections.into_iter().filter_map(section).collect()
}

/// The tables that have rows.
fn filled(tables: impl IntoIterator<Item = Table>) -> Vec<Block> {
    let tables = tables.into_iter().filter(|table| !table.rows.is_empty());
    tables.map(Block::Table).collect()
}

fn stages(stages: &[Stage]) -> Table {
    let columns = ["Stage", "Result", "#Time"];
    Table::of(
        "Stages in their order",
        &columns,
        stages,
        (MAX_STAGES, "stage"),
        |stage| {
            vec![
                Cell::from(cut(&stage.name)),
                Cell::from(cut(&stage.sentence)),
                Cell::from(duration(stage.seconds)),
            ]
        },
    )
}

fn alarms(drift: &Drift) -> Table {
    let columns = ["Site", "Pattern", "Since", "Observation"];
    let most = (MAX_CHANGES, "alarm");
    Table::of("Patterns that changed", &columns, &drift.alarms, most, |alarm| {
        vec![
            Cell::from(cut(&alarm.site)),
            Cell::Code(cut(&alarm.pattern)),
            Cell::from(cut(&alarm.since)),
            Cell::from(cut(&alarm.sentence)),
        ]
    })
}

fn relearned(drift: &Drift) -> Table {
    let columns = ["Site", "Part", "Result"];
    let most = (MAX_CHANGES, "part");
    Table::of("Relearned parts", &columns, &drift.relearned, most, |part| {
        [&part.site, &part.what, &part.sentence]
            .map(|text| Cell::from(cut(text)))
            .to_vec()
    })
}

fn problems(problems: &[Problem]) -> Table {
    let caption = "Pages of this run that could not be read";
    let columns = ["Page", "Site", "Problem"];
    Table::of(caption, &columns, problems, (MAX_PROBLEMS, "page"), |problem| {
        vec![
            Cell::Code(cut(&problem.page)),
            Cell::from(cut(&problem.site)),
            Cell::from(cut(&problem.what)),
        ]
    })
}

/// All figures of the run, under the names that they have in JSON.
fn all_figures(figures: &Figures) -> Table {
    let mut table = Table::new("The figures of this run", &["Figure", "#Value", "Name in JSON"]);
    for figure in figures.rows() {
        let value = match figure.value {
            FigureValue::Count(value) => Cell::number(value),
            FigureValue::Bytes(value) => Cell::from(bytes(value)),
            FigureValue::Unknown => Cell::from("unknown"),
            FigureValue::Expected(expected) => {
                let (low, high) = around(expected.value, (expected.low, expected.high));
                let [low, high] = [low, high].map(|end| thousands(end.round() as u64));
                Cell::from(written(expected.value.round())).above(format!("{low} to {high}"))
            }
        };
        table.row([
            Cell::from(figure.label),
            value,
            Cell::Code(figure.name.to_owned()),
        ]);
    }
    table
}
