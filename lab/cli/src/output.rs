//! Printing: lines, JSON lines and tables to stdout, notices to stderr.

use std::io::{BufWriter, StdoutLock, Write as _};

use anyhow::Result;
use serde::Serialize;

pub(crate) struct Output(BufWriter<StdoutLock<'static>>);

impl Output {
    pub(crate) fn new() -> Output {
        Output(BufWriter::new(std::io::stdout().lock()))
    }

    pub(crate) fn line(&mut self, text: &str) -> Result<()> {
        Ok(writeln!(self.0, "{text}")?)
    }

    /// Prints a value as one line of JSON.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> Result<()> {
        self.line(&serde_json::to_string(value)?)
    }

    /// Prints indented rows with aligned columns.
    pub(crate) fn table<const N: usize>(&mut self, rows: &[[String; N]]) -> Result<()> {
        let widths: [usize; N] = std::array::from_fn(|column| {
            let cells = rows.iter().map(|row| row[column].chars().count());
            cells.max().unwrap_or(0)
        });
        for row in rows {
            let cells = row
                .iter()
                .zip(widths)
                .map(|(cell, width)| format!("  {cell:width$}"));
            self.line(cells.collect::<String>().trim_end())?;
        }
        Ok(())
    }

    pub(crate) fn flush(&mut self) -> Result<()> {
        Ok(self.0.flush()?)
    }
}

/// Prints a line to stderr.
#[expect(clippy::print_stderr, reason = "the only place that writes to stderr")]
pub(crate) fn notice(text: &str) {
    eprintln!("{text}");
}

/// Formats a number with a noun: `1 page`, `3 pages`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    let end = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{end}")
}
