//! Ways to crawl beside each other.

use magpie_plot::{Bar, BarChart};

use crate::blocks::{Block, Cell, Table};
use crate::data::Method;
use crate::format::{around, bytes, cut, share, share_interval};

/// Methods that are shown.
const MAX_METHODS: usize = 40;
/// Minimum number of methods for a chart; fewer are clearer in the table.
const CHART: usize = 2;

pub(super) fn blocks(methods: &[Method]) -> Vec<Block> {
    let mut blocks = Vec::new();
    if methods.len() >= CHART {
        let chart = chart(&methods[..methods.len().min(MAX_METHODS)]);
        // The table is the heart of this section; it is not folded away behind the chart.
        blocks.push(Block::chart(|width| chart.to_svg_of_width(width), None));
    }
    if !methods.is_empty() {
        blocks.push(Block::Table(table(methods)));
    }
    blocks
}

fn chart(methods: &[Method]) -> BarChart {
    let bar = |value: f64, interval: Option<(f64, f64)>| Bar {
        value: value * 100.0,
        interval: interval
            .map(|interval| around(value, interval))
            .map(|(low, high)| (low * 100.0, high * 100.0)),
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

fn table(methods: &[Method]) -> Table {
    let knows_new = methods.iter().any(|method| method.new_objects.is_some());
    let knows_truth = methods.iter().any(|method| method.correct_objects.is_some());
    let mut columns = vec!["Method", "#Patterns", "#Pages", "#Bytes", "#Objects"];
    columns.extend(knows_new.then_some("#New"));
    columns.extend(knows_truth.then_some("#Correct"));
    columns.extend(["#Of all pages known", "#Of all objects found"]);
    let known = |count: Option<u64>| count.map_or_else(Cell::none, Cell::number);
    let caption = "Methods of crawling; the one of this run is bold";
    Table::of(caption, &columns, methods, (MAX_METHODS, "method"), |method| {
        let this = if method.is_this_run { "this run" } else { "" };
        let notes = [this, &method.note].into_iter().filter(|note| !note.is_empty());
        let name = match method.is_this_run {
            true => Cell::Strong(cut(&method.name)),
            false => Cell::from(cut(&method.name)),
        };
        let mut cells = vec![
            name.above(cut(&notes.collect::<Vec<_>>().join(": "))),
            // A crawl that knows of no patterns follows everything.
            known(Some(method.patterns).filter(|patterns| *patterns > 0)),
            Cell::number(method.pages),
            Cell::from(bytes(method.bytes)),
            Cell::number(method.distinct_objects),
        ];
        cells.extend(knows_new.then(|| known(method.new_objects)));
        cells.extend(knows_truth.then(|| known(method.correct_objects)));
        cells.push(Cell::from(share(method.share_of_pages)));
        let of_objects = method.share_of_objects;
        let interval = method.share_of_objects_interval;
        let interval = interval.map(|interval| share_interval(of_objects, interval));
        cells.push(Cell::from(share(of_objects)).above(interval.unwrap_or_default()));
        cells
    })
}
