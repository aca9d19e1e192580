//! The one error at the edge: a kind, which decides the exit code, a sentence, and what to do.

use std::io;
use std::process::ExitCode;

use magpie_kit::causes::with_causes;
use magpie_kit::fixture::FixtureProblem;
use magpie_kit::project::BuildError;
use magpie_kit::scaffold::ScaffoldError;
use magpie_runtime::{CallError, LoadError, RuntimeError};

/// What kind of failure it is. The numbers are the exit codes, and stand in the README.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
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
pub(crate) struct Failure {
    kind: Kind,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    broken_pipe: bool,
}

impl Failure {
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            hint: None,
            broken_pipe: false,
        }
    }

    /// The command was called in a way that makes no sense.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, message)
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
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

    pub(crate) fn is_broken_pipe(&self) -> bool {
        self.broken_pipe
    }

    /// A file of the plugin's that could not become a plugin.
    pub(crate) fn loading(path: &std::path::Path, error: &LoadError) -> Self {
        let hint = match error {
            // In some languages nobody writes `describe`.
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

impl From<RuntimeError> for Failure {
    fn from(error: RuntimeError) -> Self {
        let kind = if matches!(error, RuntimeError::Limit(_)) {
            Kind::Usage
        } else {
            Kind::Plugin
        };
        Self::new(kind, error.to_string())
    }
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        Self::new(Kind::Plugin, error.to_string()).hint(error.fault.hint())
    }
}

impl From<FixtureProblem> for Failure {
    fn from(problem: FixtureProblem) -> Self {
        Self::new(Kind::Input, with_causes(&problem))
    }
}

impl From<ScaffoldError> for Failure {
    fn from(error: ScaffoldError) -> Self {
        let kind = if matches!(error, ScaffoldError::Write { .. }) {
            Kind::Input
        } else {
            Kind::Usage
        };
        Self::new(kind, error.to_string())
    }
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Self {
        let hint = match &error {
            BuildError::Build(build) => build.hint(),
            BuildError::NoPackage(_) | BuildError::NoFolder(_) => None,
        };
        let failure = Self::new(Kind::Plugin, with_causes(&error));
        match hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}
