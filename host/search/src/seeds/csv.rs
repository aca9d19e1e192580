//! Objects in a table.

use csv_core::{ReadRecordResult, ReaderBuilder};
use magpie_model::{Attribute, Kind, VerticalInfo};
use serde_json::Value as Json;

use super::{Entry, SeedsError, SeedsProblem, error, has_room};

/// Delimiters of cells, the usual first.
const DELIMITERS: [(u8, &str); 3] = [(b',', "comma"), (b';', "semicolon"), (b'\t', "tab")];

/// A line of the table, or several where a cell has line ends.
struct Row {
    line: usize,
    cells: Vec<String>,
}

pub(super) fn entries(text: &str, vertical: &VerticalInfo) -> Result<Vec<Entry>, SeedsError> {
    let (delimiter, delimiter_name) = delimiter(text);
    let mut rows = rows(text, delimiter)?.into_iter();
    let Some(head) = rows.next() else {
        return Ok(Vec::new());
    };
    let columns = columns(&head.cells, vertical).map_err(|problem| SeedsError::on(head.line, problem))?;
    let mut entries = Vec::new();
    while let Some(row) = rows.next() {
        let is_cut = rows.len() == 0 && row.cells.len() < columns.len();
        // Before the cells are counted: an open quote makes the count wrong, and it is the cause.
        if is_open(&row.cells, text, is_cut) {
            return Err(SeedsError::on(row.line, SeedsProblem::OpenQuote));
        }
        if row.cells.len() != columns.len() {
            let problem = SeedsProblem::CellCount {
                found: row.cells.len() as u64,
                expected: columns.len() as u64,
                delimiter: delimiter_name,
            };
            return Err(SeedsError::on(row.line, problem));
        }
        if row.cells.iter().all(String::is_empty) {
            continue;
        }
        has_room(&entries, row.line)?;
        entries.push(entry(row.line, &columns, &row.cells));
    }
    Ok(entries)
}

/// The rows of a table, with the spaces around cells taken away. Empty lines are none.
fn rows(text: &str, delimiter: u8) -> Result<Vec<Row>, SeedsError> {
    let mut reader = ReaderBuilder::new().delimiter(delimiter).build();
    let mut input = text.as_bytes();
    // No row is longer than the file, nor has more cells than it has bytes.
    let mut bytes = vec![0; text.len() + 1];
    let mut ends = vec![0; text.len() + 1];
    let mut rows = Vec::new();
    loop {
        // The reader may stop before line ends; the row begins after them.
        let blank = input.iter().take_while(|byte| matches!(byte, b'\n' | b'\r'));
        let skipped = blank.filter(|byte| **byte == b'\n').count();
        let line = reader.line() as usize + skipped;
        let (mut written, mut cells) = (0, 0);
        let result = loop {
            let (result, read, wrote, ended) =
                reader.read_record(input, &mut bytes[written..], &mut ends[cells..]);
            input = &input[read..];
            written += wrote;
            cells += ended;
            if !matches!(result, ReadRecordResult::InputEmpty) {
                break result;
            }
        };
        if !matches!(result, ReadRecordResult::Record) {
            return Ok(rows);
        }
        let mut start = 0;
        let mut row = Row {
            line,
            cells: Vec::with_capacity(cells),
        };
        for end in &ends[..cells] {
            // Cells are cut between characters: delimiters and quotation marks are ASCII.
            let cell = std::str::from_utf8(&bytes[start..*end])
                .map_err(|_| SeedsError::on(line, SeedsProblem::NotUtf8))?;
            row.cells.push(cell.trim().to_owned());
            start = *end;
        }
        rows.push(row);
    }
}

enum Column<'a> {
    Attribute(&'a Attribute),
    Type,
}

/// The delimiter that the first line has most of, outside of quotes.
fn delimiter(text: &str) -> (u8, &'static str) {
    let mut counts = [0_usize; DELIMITERS.len()];
    let mut is_quoted = false;
    for byte in text.trim_start().bytes() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'\n' | b'\r' if !is_quoted => break,
            byte if !is_quoted => {
                let place = DELIMITERS.iter().position(|(delimiter, _)| *delimiter == byte);
                if let Some(place) = place {
                    counts[place] += 1;
                }
            }
            _ => {}
        }
    }
    // Reversed, since the last of equals wins and the comma is the usual one.
    let best = (0..DELIMITERS.len()).rev().max_by_key(|place| counts[*place]);
    DELIMITERS[best.unwrap_or(0)]
}

/// Reads the heads of the columns. They may be in capitals; names of attributes are in lower case.
fn columns<'a>(head: &[String], vertical: &'a VerticalInfo) -> Result<Vec<Column<'a>>, SeedsProblem> {
    let column = |(place, name): (usize, &String)| match vertical.attribute(&name.to_lowercase()) {
        Some(attribute) => Ok(Column::Attribute(attribute)),
        None if name.eq_ignore_ascii_case("type") => Ok(Column::Type),
        None if name.is_empty() => Err(SeedsProblem::NamelessColumn { column: place + 1 }),
        None => Err(error::unknown(vertical, name, true)),
    };
    head.iter().enumerate().map(column).collect()
}

fn entry(line: usize, columns: &[Column<'_>], row: &[String]) -> Entry {
    let cells = columns.iter().zip(row).filter(|(_, cell)| !cell.is_empty());
    let pair = |(column, cell): (&Column<'_>, &String)| match column {
        Column::Attribute(attribute) => (attribute.name.clone(), values(attribute, cell)),
        Column::Type => ("type".to_owned(), cell.as_str().into()),
    };
    Entry {
        line,
        pairs: cells.map(pair).collect(),
    }
}

/// The values in a cell. Addresses have semicolons of their own.
fn values(attribute: &Attribute, cell: &str) -> Json {
    let is_table = attribute.kind == Kind::Properties && !cell.starts_with('{');
    if !attribute.repeated && !is_table {
        return cell.into();
    }
    let between: &[char] = match attribute.kind {
        Kind::Url | Kind::Image => &['|'],
        _ => &['|', ';'],
    };
    cell.split(between)
        .map(|value| Json::from(value.trim()))
        .collect()
}

/// Returns true if the last cell of the file has an unclosed quotation mark: then it contains all
/// lines after it, or, if its row is the last and has too few cells (`is_cut`), the cells after it.
fn is_open(row: &[String], text: &str, is_cut: bool) -> bool {
    let last = row.last().map(String::as_str).unwrap_or_default();
    let text = text.trim_end();
    let is_odd = || text.bytes().filter(|byte| *byte == b'"').count() % 2 == 1;
    let takes_more = last.contains('\n') || is_cut && is_odd();
    takes_more && !text.ends_with('"') && text.ends_with(last)
}
