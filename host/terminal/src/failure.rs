//! The one error at the edge: a kind, which decides the exit code, a sentence, and what to do.

use std::io;
use std::path::Path;
use std::process::ExitCode;

use magpie_runtime::LoadError;

/// The kind of a failure. The numbers are the exit codes, and stand in the README.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The command did its work, and something it looked at is not as it should be.
    Found = 1,
    /// The command was called in a way that makes no sense.
    Usage = 2,
    /// A plugin can't be built, loaded or called.
    Plugin = 3,
    /// A file or a page can't be read or written.
    Input = 4,
    /// The work was stopped before it was through, and can be gone on with.
    Stopped = 5,
}

/// A failure, ready to be shown.
#[derive(Debug)]
pub struct Failure {
    kind: Kind,
    pub message: String,
    pub hint: Option<String>,
    broken_pipe: bool,
}

impl Failure {
    /// A failure without a hint.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            hint: None,
            broken_pipe: false,
        }
    }

    /// The command was called in a way that makes no sense.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, message)
    }

    /// A file or a page can't be read or written.
    pub fn input(message: impl Into<String>) -> Self {
        Self::new(Kind::Input, message)
    }

    /// A file that can't be read.
    pub fn unreadable(path: &Path, error: &io::Error) -> Self {
        Self::input(format!("can't read {}: {error}", path.display()))
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Whoever reads our output through `head` has seen enough; that is not an error.
    pub(crate) fn exit_code(&self) -> ExitCode {
        if self.broken_pipe {
            ExitCode::SUCCESS
        } else {
            ExitCode::from(self.kind as u8)
        }
    }

    /// Returns `true` if the reader of the output has gone.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        self.broken_pipe
    }

    /// A file of the plugin's that could not become a plugin.
    pub fn loading(path: &Path, error: &LoadError) -> Self {
        let hint = match error {
            // In some languages `describe` is generated.
            LoadError::BadDescription(_) => {
                "correct the vertical's declaration: its name, schema and options".to_owned()
            }
            error => error.hint(),
        };
        Self::new(Kind::Plugin, format!("{}: {error}", path.display())).hint(hint)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        let broken_pipe = error.kind() == io::ErrorKind::BrokenPipe;
        Self {
            broken_pipe,
            ..Self::new(Kind::Input, format!("can't write the output: {error}"))
        }
    }
}
