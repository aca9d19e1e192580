//! Everything that is printed goes through here: data to stdout, the rest to stderr, and colour only
//! where somebody looks. Each colour has one meaning, and nothing is said by colour alone.

use std::io::{self, BufWriter, IsTerminal, Stderr, Stdout, Write};

use crate::args::ColorChoice;
use crate::failure::Failure;

/// What a piece of text is; the colour follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
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
pub(crate) struct Printer {
    out: BufWriter<Stdout>,
    err: Stderr,
    out_color: bool,
    err_color: bool,
    quiet: bool,
    pub(crate) verbose: bool,
}

impl Printer {
    pub(crate) fn new(color: ColorChoice, quiet: bool, verbose: bool) -> Self {
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
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
            verbose,
        }
    }

    /// Text in a tone, for stdout.
    pub(crate) fn paint(&self, tone: Tone, text: &str) -> String {
        painted(self.out_color, tone, text)
    }

    /// A line of data.
    pub(crate) fn line(&mut self, text: &str) -> Result<(), Failure> {
        Ok(writeln!(self.out, "{text}")?)
    }

    /// A line of JSON, at once: somebody may be waiting for it.
    pub(crate) fn json(&mut self, value: &serde_json::Value) -> Result<(), Failure> {
        writeln!(self.out, "{value}")?;
        Ok(self.out.flush()?)
    }

    /// Whether what is being done stays unsaid.
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Says what is being done. Lost output on stderr is nobody's loss.
    pub(crate) fn tell(&mut self, text: &str) {
        if !self.quiet {
            self.say(Tone::Quiet, text);
        }
    }

    /// Says that something is odd.
    pub(crate) fn warn(&mut self, text: &str) {
        let mark = painted(self.err_color, Tone::Odd, "warning:");
        self.before_stderr();
        let _ = writeln!(self.err, "{mark} {text}");
    }

    pub(crate) fn error(&mut self, failure: &Failure) {
        let mark = painted(self.err_color, Tone::Bad, "error:");
        self.before_stderr();
        let _ = writeln!(self.err, "{mark} {}", failure.message);
        if let Some(hint) = &failure.hint {
            let mark = painted(self.err_color, Tone::Strong, "hint:");
            let _ = writeln!(self.err, "{mark} {hint}");
        }
    }

    /// Everything printed has arrived.
    pub(crate) fn finish(&mut self) -> Result<(), Failure> {
        Ok(self.out.flush()?)
    }

    fn say(&mut self, tone: Tone, text: &str) {
        self.before_stderr();
        let text = painted(self.err_color, tone, text);
        let _ = writeln!(self.err, "{text}");
    }

    /// What was printed before stands before, also where both end up in one terminal.
    fn before_stderr(&mut self) {
        let _ = self.out.flush();
    }
}

fn painted(color: bool, tone: Tone, text: &str) -> String {
    if !color || text.is_empty() {
        return text.to_owned();
    }
    let code = match tone {
        Tone::Strong => "1",
        Tone::Quiet => "2",
        Tone::Good => "32",
        Tone::Bad => "31",
        Tone::Odd => "33",
    };
    format!("\u{1b}[{code}m{text}\u{1b}[0m")
}
