//! All output of the commands: data goes to stdout, the rest to stderr, and colour only to a
//! terminal. Each colour has one meaning, and nothing is expressed by colour alone.
//!
//! Titles, links, logs and errors are untrusted, and a terminal obeys control characters in them.
//! Each text for people is printed without them (`clean`).

use std::borrow::Cow;
use std::io::{self, BufWriter, IsTerminal, Stderr, Stdout, Write};

use magpie_report::format::json_for_terminal;
use serde::Serialize;
use terminal_size::{Width, terminal_size_of};

use crate::failure::Failure;
use crate::table::Table;

/// Width of output without a terminal and without `COLUMNS`: files and logs scroll sideways.
const WIDTH: usize = 120;

/// However narrow the terminal, this much of a text is shown.
const MIN_ROOM: usize = 16;

/// Says when output is coloured.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum ColorChoice {
    /// In a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Everywhere.
    Always,
    /// Nowhere.
    Never,
}

/// The meaning of a piece of text; the colour follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// A head or a name.
    Strong,
    /// Beside the point.
    Quiet,
    /// As it should be.
    Good,
    /// Not as it should be.
    Bad,
    /// Worth a look.
    Odd,
}

/// The way out.
pub struct Printer {
    out: BufWriter<Stdout>,
    err: Stderr,
    out_color: bool,
    err_color: bool,
    quiet: bool,
    /// Warnings stay unsaid too.
    silent: bool,
    width: usize,
    /// True if `--verbose` asks for more.
    pub verbose: bool,
}

impl Printer {
    pub fn new(color: ColorChoice, quiet: bool, verbose: bool) -> Self {
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
        let wanted = |is_terminal: bool| match color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => is_terminal && !plain,
        };
        Self {
            out_color: wanted(io::stdout().is_terminal()),
            err_color: wanted(io::stderr().is_terminal()),
            out: BufWriter::new(io::stdout()),
            err: io::stderr(),
            quiet,
            silent: false,
            width: if verbose { usize::MAX } else { width() },
            verbose,
        }
    }

    /// Returns a printer that prints nothing on stderr, for work that is part of something larger.
    pub fn silent() -> Self {
        Self {
            silent: true,
            ..Self::new(ColorChoice::Never, true, false)
        }
    }

    pub fn paint(&self, tone: Tone, text: &str) -> String {
        painted(self.out_color, tone, text)
    }

    pub fn line(&mut self, text: &str) -> Result<(), Failure> {
        Ok(writeln!(self.out, "{}", clean(text, self.out_color))?)
    }

    /// Prints a heading.
    pub fn heading(&mut self, text: &str) -> Result<(), Failure> {
        self.line(&self.paint(Tone::Strong, text))
    }

    /// Prints the heading of a part that stands below another.
    pub fn section(&mut self, text: &str) -> Result<(), Failure> {
        self.line("")?;
        self.heading(text)
    }

    /// A table, as wide as there is room.
    pub fn table(&mut self, table: &Table) -> Result<(), Failure> {
        self.lines(table).iter().try_for_each(|line| self.line(line))
    }

    /// The lines of a table, for what is to stand between them.
    pub fn lines(&self, table: &Table) -> Vec<String> {
        table.lines(self.width, |tone, text| self.paint(tone, text))
    }

    /// Returns true if data goes to a terminal, whose lines are not wider than it is.
    pub fn is_on_terminal(&self) -> bool {
        !self.verbose && io::stdout().is_terminal()
    }

    /// Returns the width that a text may have in a line where this much is taken.
    pub fn room(&self, taken: usize) -> usize {
        self.width.saturating_sub(taken).max(MIN_ROOM)
    }

    /// Prints a line of JSON and flushes it, since a program may be waiting for it. Keys are in the
    /// order of their names.
    pub fn json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let value = serde_json::to_value(value).map_err(io::Error::other)?;
        writeln!(self.out, "{}", json_for_terminal(value.to_string()))?;
        Ok(self.out.flush()?)
    }

    /// Returns `true` if what is being done stays unsaid.
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Prints a progress message. Errors of stderr are ignored.
    pub fn tell(&mut self, text: &str) {
        if !self.quiet {
            self.say(Tone::Quiet, text);
        }
    }

    /// Says that something is odd.
    pub fn warn(&mut self, text: &str) {
        if self.silent {
            return;
        }
        let mark = painted(self.err_color, Tone::Odd, "warning:");
        self.write_stderr(&format!("{mark} {text}"));
    }

    /// Says what failed, and what to do.
    pub fn error(&mut self, failure: &Failure) {
        let mark = painted(self.err_color, Tone::Bad, "error:");
        self.write_stderr(&format!("{mark} {}", failure.message));
        if let Some(hint) = &failure.hint {
            self.hint(hint);
        }
    }

    pub fn hint(&mut self, text: &str) {
        let mark = painted(self.err_color, Tone::Strong, "hint:");
        self.write_stderr(&format!("{mark} {text}"));
    }

    /// Shows a line until the next one replaces it, or removes it.
    pub fn live(&mut self, text: &str) {
        let text = clean(text, self.err_color);
        let _ = write!(self.err, "\r\u{1b}[2K{text}");
    }

    /// Everything printed has arrived.
    pub fn flush(&mut self) -> Result<(), Failure> {
        Ok(self.out.flush()?)
    }

    fn say(&mut self, tone: Tone, text: &str) {
        let text = painted(self.err_color, tone, text);
        self.write_stderr(&text);
    }

    fn write_stderr(&mut self, text: &str) {
        self.before_stderr();
        let _ = writeln!(self.err, "{}", clean(text, self.err_color));
    }

    /// Flushes the data, so that it comes first also where both end up in one terminal.
    fn before_stderr(&mut self) {
        let _ = self.out.flush();
    }
}

/// `COLUMNS` is a person's word, and comes first.
fn width() -> usize {
    let columns = std::env::var("COLUMNS")
        .ok()
        .and_then(|columns| columns.parse().ok());
    let terminal = || terminal_size_of(io::stdout()).map(|(Width(width), _)| usize::from(width));
    columns
        .or_else(terminal)
        .filter(|width| *width > 0)
        .unwrap_or(WIDTH)
}

const STRONG: &str = "\u{1b}[1m";
const QUIET: &str = "\u{1b}[2m";
const GOOD: &str = "\u{1b}[32m";
const BAD: &str = "\u{1b}[31m";
const ODD: &str = "\u{1b}[33m";
const PLAIN: &str = "\u{1b}[0m";

fn painted(color: bool, tone: Tone, text: &str) -> String {
    if !color || text.is_empty() {
        return text.to_owned();
    }
    let code = match tone {
        Tone::Strong => STRONG,
        Tone::Quiet => QUIET,
        Tone::Good => GOOD,
        Tone::Bad => BAD,
        Tone::Odd => ODD,
    };
    format!("{code}{}{PLAIN}", clean(text, false))
}

/// Returns a text without what a terminal obeys: control characters other than tabs and ends of
/// lines, and those that turn the direction of writing. Where there is colour, the tones stay.
fn clean(text: &str, color: bool) -> Cow<'_, str> {
    let is_odd = |character: char| match character {
        '\t' | '\n' => false,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        _ => character.is_control(),
    };
    if !text.contains(is_odd) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let tones = [STRONG, QUIET, GOOD, BAD, ODD, PLAIN];
        let tone = tones.iter().find(|tone| color && rest.starts_with(**tone));
        let length = tone.map_or(character.len_utf8(), |tone| tone.len());
        if tone.is_some() || !is_odd(character) {
            kept.push_str(&rest[..length]);
        }
        rest = &rest[length..];
    }
    Cow::Owned(kept)
}

/// Returns bytes as a terminal may have them.
pub fn for_terminal(bytes: &[u8]) -> String {
    clean(&String::from_utf8_lossy(bytes), false).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{Tone, clean, for_terminal, painted};

    #[test]
    fn a_terminal_is_told_nothing_by_strangers() {
        let title = "A\u{1b}]0;owned\u{7}\u{1b}[2J\r\u{9b}31m\u{202e}B\tC\nD";
        let shown = "A]0;owned[2J31mB\tC\nD";
        assert_eq!(clean(title, false), shown);
        assert_eq!(for_terminal(title.as_bytes()), shown);
        let line = format!("{} {title}", painted(true, Tone::Bad, title));
        assert_eq!(clean(&line, true), format!("\u{1b}[31m{shown}\u{1b}[0m {shown}"));
        assert_eq!(clean(&line, false), format!("[31m{shown}[0m {shown}"));
        assert_eq!(clean("\u{1b}[35mplum", true), "[35mplum");
    }
}
