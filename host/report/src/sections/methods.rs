//! Ways to crawl beside each other.

use magpie_plot::{Bar, BarChart};

use super::{NARROW, WIDE};
use crate::data::Method;
use crate::figures::{bytes, counted, cut, share, share_interval};
use crate::page::figure;
use crate::table::{Align, Cell, Table, first};

/// Methods that are shown.
const MAX_METHODS: usize = 40;
/// Minimum number of methods for a chart; fewer are clearer in the table.
const CHART: usize = 2;

pub(crate) fn html(methods: &[Method]) -> String {
    let (kept, more) = first(methods, MAX_METHODS);
    let table = table(kept, more).to_html();
    if kept.len() < CHART {
        return table;
    }
    let chart = chart(kept);
    // The table is the heart of this section; it is not folded away behind the chart.
    figure(&chart.to_svg_of_width(WIDE), &chart.to_svg_of_width(NARROW), "") + &table
}

fn chart(methods: &[Method]) -> BarChart {
    let bar = |value: f64, interval: Option<(f64, f64)>| Bar {
        value: value * 100.0,
        interval: interval.map(|(low, high)| (low * 100.0, high * 100.0)),
    };
    let group = |method: &Method| {
        let bars = vec![
            bar(method.share_of_pages, None),
            bar(method.share_of_objects, method.share_of_objects_interval),
        ];
        (cut(&method.name), bars)
    };
    BarChart {
        title: "Downloads and objects of each method".to_owned(),
        y: "share of all found so far, in percent".to_owned(),
        kinds: vec!["pages downloaded".to_owned(), "objects found".to_owned()],
        groups: methods.iter().map(group).collect(),
    }
}

fn table(methods: &[Method], more: usize) -> Table {
    let knows_new = methods.iter().any(|method| method.new_objects.is_some());
    let knows_truth = methods.iter().any(|method| method.correct_objects.is_some());
    let mut columns = vec![
        ("Method", Align::Left),
        ("Patterns", Align::Right),
        ("Pages", Align::Right),
        ("Bytes", Align::Right),
        ("Objects", Align::Right),
    ];
    if knows_new {
        columns.push(("New", Align::Right));
    }
    if knows_truth {
        columns.push(("Correct", Align::Right));
    }
    columns.extend([
        ("Of all pages known", Align::Right),
        ("Of all objects found", Align::Right),
    ]);
    let mut table = Table::new("Methods of crawling; the one of this run is marked", &columns);
    for method in methods {
        table.row(&row(method, knows_new, knows_truth), method.is_this_run);
    }
    if more > 0 {
        table.rest(&counted(more as u64, "more method"));
    }
    table
}

fn row(method: &Method, knows_new: bool, knows_truth: bool) -> Vec<Cell> {
    let this = if method.is_this_run { "this run" } else { "" };
    let notes: Vec<&str> = [this, &method.note]
        .into_iter()
        .filter(|note| !note.is_empty())
        .collect();
    let name = Cell::text(&method.name).above(&Cell::text(&notes.join(": ")));
    // A crawl that knows of no patterns follows everything.
    let patterns = match method.patterns {
        0 => Cell::figure("–"),
        patterns => Cell::count(patterns),
    };
    let known = |count: Option<u64>| count.map_or_else(|| Cell::figure("–"), Cell::count);
    let mut cells = vec![
        name,
        patterns,
        Cell::count(method.pages),
        Cell::figure(&bytes(method.bytes)),
        Cell::count(method.distinct_objects),
    ];
    if knows_new {
        cells.push(known(method.new_objects));
    }
    if knows_truth {
        cells.push(known(method.correct_objects));
    }
    let interval = method.share_of_objects_interval.map(share_interval);
    cells.push(Cell::figure(&share(method.share_of_pages)));
    let objects = Cell::figure(&share(method.share_of_objects));
    cells.push(objects.above(&Cell::figure(&interval.unwrap_or_default())));
    cells
}
