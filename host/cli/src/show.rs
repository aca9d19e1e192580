//! Objects, verdicts and costs as a person reads them.

use std::time::Duration;

use magpie_kit::run::{Failure, PageRun};
use magpie_model::Record;
use magpie_page::Page;
use magpie_runtime::Level;

use crate::printer::{Printer, Tone};
use crate::table::{Table, shortened};

/// How wide values are shown before they are cut.
const VALUE_WIDTH: usize = 72;

/// A page and what was found on it.
pub(crate) fn page_run(run: &PageRun, printer: &mut Printer) -> Result<(), crate::failure::Failure> {
    let cost = if run.error.is_some() || run.left_out.is_some() {
        String::new()
    } else {
        format!(
            "  {} · {} · {}",
            objects(run.records.len()),
            time(run.cpu),
            bytes(run.peak_bytes)
        )
    };
    let head = printer.paint(Tone::Strong, &run.url);
    let cost = printer.paint(Tone::Quiet, &cost);
    printer.line(&format!("{head}{cost}"))?;
    if let Some(reason) = &run.left_out {
        printer.line(&format!("  not shown to the plugin: {reason}"))?;
    }
    for (number, record) in run.records.iter().enumerate() {
        printer.line("")?;
        object(number, record, run.page.as_deref(), printer)?;
    }
    if let Some(error) = &run.error {
        failure(error, printer)?;
    }
    remarks(run, printer)?;
    printer.line("")
}

/// One object, an attribute a line, with the node it came from.
pub(crate) fn object(
    number: usize,
    record: &Record,
    page: Option<&Page>,
    printer: &mut Printer,
) -> Result<(), crate::failure::Failure> {
    let head = format!("{} {}", record.object_type, number + 1);
    let sure = format!("{:.0} % sure", record.confidence * 100.0);
    let (head, sure) = (
        printer.paint(Tone::Strong, &head),
        printer.paint(Tone::Quiet, &sure),
    );
    printer.line(&format!("  {head}  {sure}"))?;
    let mut table = Table::default();
    for value in &record.values {
        let shown = shortened(&value.value, VALUE_WIDTH);
        let mut notes = Vec::new();
        if let Some(raw) = value.raw.as_ref().filter(|_| printer.verbose) {
            notes.push(format!("from {:?}", shortened(raw, VALUE_WIDTH)));
        }
        if let (Some(node), Some(page)) = (value.node, page) {
            notes.push(node_name(page, node));
        }
        let notes = notes.join("  ");
        table.painted(vec![
            ("   ".to_owned(), "   ".to_owned()),
            (value.attribute.clone(), value.attribute.clone()),
            (shown.clone(), shown),
            (notes.clone(), printer.paint(Tone::Quiet, &notes)),
        ]);
    }
    table.lines().iter().try_for_each(|line| printer.line(line))
}

/// What went wrong, and what to do.
pub(crate) fn failure(error: &Failure, printer: &mut Printer) -> Result<(), crate::failure::Failure> {
    let mark = printer.paint(Tone::Bad, "failed");
    printer.line(&format!("  {mark}: {}", error.message))?;
    printer.line(&format!("    {}", printer.paint(Tone::Quiet, &error.hint)))
}

fn remarks(run: &PageRun, printer: &mut Printer) -> Result<(), crate::failure::Failure> {
    for violation in &run.violations {
        let mark = printer.paint(Tone::Odd, "dropped or mended");
        printer.line(&format!("  {mark}: {violation}"))?;
    }
    for problem in &run.page_problems {
        printer.line(&format!("  page: {problem}"))?;
    }
    for line in run
        .log
        .iter()
        .filter(|line| printer.verbose || matches!(line.level, Level::Warn | Level::Error))
        .collect::<Vec<_>>()
    {
        let level = format!("{:?}", line.level).to_lowercase();
        printer.line(&format!("  log {level}: {}", line.message))?;
    }
    if run.dropped_lines > 0 {
        printer.line(&format!("  log: {} lines dropped", run.dropped_lines))?;
    }
    Ok(())
}

/// An element as a person would look for it: `time.date #17`.
fn node_name(page: &Page, node: u32) -> String {
    let document = page.document();
    if !document.contains(node) {
        return format!("#{node}");
    }
    let class = document
        .attribute(node, "class")
        .and_then(|classes| classes.split_whitespace().next());
    let id = document.attribute(node, "id").filter(|id| !id.is_empty());
    let mark = match (id, class) {
        (Some(id), _) => format!("#{id}"),
        (None, Some(class)) => format!(".{class}"),
        (None, None) => String::new(),
    };
    format!("<{}{}> node {node}", document.tag(node), shortened(&mark, 24))
}

pub(crate) fn objects(count: usize) -> String {
    match count {
        0 => "no object".to_owned(),
        1 => "1 object".to_owned(),
        count => format!("{count} objects"),
    }
}

pub(crate) fn time(time: Duration) -> String {
    let micros = time.as_micros();
    match micros {
        0..1_000 => format!("{micros} µs"),
        1_000..10_000 => format!("{:.1} ms", time.as_secs_f64() * 1e3),
        10_000..1_000_000 => format!("{} ms", micros / 1_000),
        _ => format!("{:.1} s", time.as_secs_f64()),
    }
}

pub(crate) fn bytes(bytes: u64) -> String {
    const KIB: f64 = 1024.0;
    let kib = bytes as f64 / KIB;
    if kib < 1.0 {
        format!("{bytes} B")
    } else if kib < KIB {
        format!("{kib:.0} KiB")
    } else {
        format!("{:.1} MiB", kib / KIB)
    }
}
