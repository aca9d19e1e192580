//! Objects, verdicts and costs as a person reads them.

use magpie_kit::fixture::{ItemDifference, item_differences};
use magpie_kit::run::{Failure, PageRun, UNREADABLE};
use magpie_model::{Judgement, Record, grouped};
use magpie_page::Page;
use magpie_runtime::{Level, LogLine};
use magpie_terminal::format::{bytes, count, objects, shortened, time};
use magpie_terminal::{Cell, Printer, Table, Tone};

/// Items of a list of values whose difference is shown.
const MAX_ITEMS: usize = 10;

/// A page and what was found on it.
pub(crate) fn page_run(run: &PageRun, printer: &mut Printer) -> Result<(), magpie_terminal::Failure> {
    if let Some(error) = run.error.as_ref().filter(|error| error.code == UNREADABLE) {
        return unreadable(&run.url, error, printer);
    }
    let cost = if run.error.is_some() || run.left_out.is_some() {
        String::new()
    } else {
        format!("  {} · {} · {}", found(run), time(run.cpu), bytes(run.peak_bytes))
    };
    let head = printer.paint(Tone::Strong, &run.url);
    let cost = printer.paint(Tone::Quiet, &cost);
    printer.line(&format!("{head}{cost}"))?;
    if let Some(reason) = &run.left_out {
        printer.line(&format!("  not passed to the plugin: {reason}"))?;
    }
    for (number, record) in run.records.iter().enumerate() {
        printer.line("")?;
        object(number, record, run.page.as_deref(), printer)?;
    }
    if let Some(error) = &run.error {
        failure(error, 2, printer)?;
    }
    let remarks = remarks(run, printer);
    if !remarks.is_empty() && !run.records.is_empty() {
        printer.line("")?;
    }
    remarks
        .iter()
        .try_for_each(|remark| printer.line(&format!("  {remark}")))?;
    printer.line("")
}

/// Describes the result for a page: its objects, or whether it was accepted.
pub(crate) fn found(run: &PageRun) -> String {
    match &run.judgement {
        None => objects(run.records.len()),
        Some(judgement) if run.records.is_empty() => judged(judgement),
        Some(judgement) => format!("{}, {}", objects(run.records.len()), judged(judgement)),
    }
}

/// A judgement: `accepted, 93 % sure: one rating in stars`.
pub(crate) fn judged(judgement: &Judgement) -> String {
    let word = if judgement.accepted {
        "accepted"
    } else {
        "not accepted"
    };
    let reason = match judgement.reason.as_str() {
        "" => String::new(),
        reason => format!(": {reason}"),
    };
    format!("{word}, {:.0} % sure{reason}", judgement.confidence * 100.0)
}

/// One object, an attribute a line, with the node it came from.
pub(crate) fn object(
    number: usize,
    record: &Record,
    page: Option<&Page>,
    printer: &mut Printer,
) -> Result<(), magpie_terminal::Failure> {
    let head = format!("{} #{number}", record.object_type);
    let sure = format!("{:.0} % sure", record.confidence * 100.0);
    let (head, sure) = (
        printer.paint(Tone::Strong, &head),
        printer.paint(Tone::Quiet, &sure),
    );
    printer.line(&format!("  {head}  {sure}"))?;
    let mut table = Table::indented(5).cut(1);
    for value in &record.values {
        let mut notes = Vec::new();
        if let Some(raw) = value.raw.as_ref().filter(|_| printer.verbose) {
            notes.push(format!("from {raw:?}"));
        }
        if let (Some(node), Some(page)) = (value.node, page) {
            notes.push(node_name(page, node));
        }
        table.row((
            &value.attribute,
            &value.value,
            Cell::toned(Tone::Quiet, notes.join("  ")),
        ));
    }
    printer.table(&table)
}

/// Lines about the items that differ between two lists of values. `changed` writes one value that
/// replaced another within a width.
pub(crate) fn differences(
    expected: &[String],
    actual: &[String],
    room: usize,
    changed: impl Fn(&str, &str, usize) -> Vec<String>,
) -> Vec<String> {
    let differences = item_differences(expected, actual);
    let mut lines: Vec<String> = Vec::new();
    for difference in differences.iter().take(MAX_ITEMS) {
        match difference {
            ItemDifference::Changed { expected, actual } => lines.extend(changed(expected, actual, room)),
            ItemDifference::Missing(value) => lines.push(format!("- {value}")),
            ItemDifference::Extra(value) => lines.push(format!("+ {value}")),
            ItemDifference::Moved {
                place,
                expected,
                actual,
            } => {
                lines.push(format!("another order, from item {}:", place + 1));
                lines.extend(changed(expected, actual, room));
            }
        }
    }
    if differences.len() > MAX_ITEMS {
        lines.push(format!("and {} more items", differences.len() - MAX_ITEMS));
    }
    lines
}

/// Prints a failure and its remedy, below the page.
pub(crate) fn failure(
    error: &Failure,
    indent: usize,
    printer: &mut Printer,
) -> Result<(), magpie_terminal::Failure> {
    let words = error.words.as_deref().unwrap_or_default();
    let sentence = error.short.strip_suffix(words).unwrap_or(&error.short);
    let mark = printer.paint(Tone::Bad, "failed");
    let indent = " ".repeat(indent);
    printer.line(&format!(
        "{indent}{mark}: {}",
        sentence.trim_end_matches([':', ' '])
    ))?;
    let hint = printer.paint(Tone::Quiet, &error.hint);
    let mut below = [words, &hint].into_iter().filter(|line| !line.is_empty());
    below.try_for_each(|line| printer.line(&format!("{indent}  {line}")))
}

/// Prints one line for a page that could not be read. The remedy is the same for all such pages and
/// comes at the end.
fn unreadable(name: &str, error: &Failure, printer: &mut Printer) -> Result<(), magpie_terminal::Failure> {
    // The message begins with the name, unless a list gave the page's URL.
    let rest = error.message.strip_prefix(name).unwrap_or(&error.message);
    let (name, mark) = (
        printer.paint(Tone::Strong, name),
        printer.paint(Tone::Bad, "failed"),
    );
    printer.line(&format!(
        "{name}  {mark}: {}",
        rest.trim_start_matches([':', ' '])
    ))
}

/// Returns further remarks, one per line.
fn remarks(run: &PageRun, printer: &Printer) -> Vec<String> {
    let violations = grouped(&run.violations).into_iter();
    let mut lines: Vec<String> = violations
        .map(|sentence| printer.paint(Tone::Odd, &sentence))
        .collect();
    lines.extend(run.page_problems.iter().map(|problem| format!("page: {problem}")));
    lines.extend(log(run, printer));
    lines
}

/// Returns the log of the plugin: the important lines, or all in verbose mode.
pub(crate) fn log(run: &PageRun, printer: &Printer) -> Vec<String> {
    let said = run.error.as_ref().and_then(|error| error.words.as_deref());
    let matters = |line: &&LogLine| {
        (printer.verbose || matches!(line.level, Level::Warn | Level::Error)) && !repeats(line, said)
    };
    let (shown, hidden): (Vec<&LogLine>, Vec<&LogLine>) = run.log.iter().partition(matters);
    let told = |line: &&LogLine| {
        let level = format!("{:?}", line.level).to_lowercase();
        format!("log {level}: {}", line.message)
    };
    let mut lines: Vec<String> = shown.iter().map(told).collect();
    let hidden = hidden.iter().filter(|line| !repeats(line, said)).count();
    if hidden > 0 && run.error.is_some() {
        lines.push(format!("log: {} more, which -v shows", count(hidden, "line")));
    }
    if run.dropped_lines > 0 {
        lines.push(format!(
            "log: {} dropped",
            count(run.dropped_lines as usize, "line")
        ));
    }
    lines
}

/// Returns true if a log line is the failure that was already shown.
fn repeats(line: &LogLine, said: Option<&str>) -> bool {
    let one_line = line.message.lines().collect::<Vec<_>>().join(" ");
    said.is_some_and(|said| one_line.ends_with(said))
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

#[cfg(test)]
mod tests {
    use super::differences;

    #[test]
    fn of_lists_only_the_items_that_differ_are_shown() {
        let lines = |expected: &[&str], actual: &[&str]| {
            let owned = |values: &[&str]| values.iter().map(ToString::to_string).collect::<Vec<_>>();
            differences(&owned(expected), &owned(actual), 60, |expected, actual, _| {
                vec![format!("{expected} -> {actual}")]
            })
        };
        assert_eq!(
            lines(&["salt", "flour"], &["flour", "pepper"]),
            ["salt -> pepper"]
        );
        assert_eq!(lines(&["a", "b", "b"], &["b", "a"]), ["- b"]);
        assert_eq!(lines(&["a"], &["c", "a", "d"]), ["+ c", "+ d"]);
        assert_eq!(
            lines(&["a", "b", "c"], &["a", "c", "b"]),
            ["another order, from item 2:", "b -> c"]
        );
        let many: Vec<String> = (0..14).map(|number| number.to_string()).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(
            lines(&many, &[]).last().map(String::as_str),
            Some("and 4 more items")
        );
    }
}
