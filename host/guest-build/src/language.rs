//! Languages of guests that are built by tools of their own.

use std::path::Path;

use crate::command::{capture, clean_command};

/// A language with its own build tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// Built by npm, with the project's `build` script.
    JavaScript,
    /// Built by the build script of the package that the project names.
    Python,
}

impl Language {
    pub const ALL: [Self; 2] = [Self::JavaScript, Self::Python];

    /// Language of the project in a folder.
    pub fn of(folder: &Path) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|language| folder.join(language.manifest()).is_file())
    }

    /// Name of the manifest, the file that makes a folder a project.
    pub fn manifest(self) -> &'static str {
        match self {
            Self::JavaScript => "package.json",
            Self::Python => "pyproject.toml",
        }
    }

    /// Program that runs all other steps.
    pub fn program(self) -> &'static str {
        match self {
            Self::JavaScript => "npm",
            Self::Python => "python3",
        }
    }

    /// Advice on how to install the program.
    pub(crate) fn remedy(self) -> &'static str {
        match self {
            Self::JavaScript => {
                "install Node.js 20 or later with npm: https://nodejs.org, or `apt-get install nodejs npm`"
            }
            Self::Python => {
                "install Python 3.11 or later: https://python.org, or `apt-get install python3 python3-venv`"
            }
        }
    }

    /// Returns true if the program is installed.
    pub fn is_here(self) -> bool {
        let mut command = clean_command(Path::new(self.program()));
        capture(command.arg("--version")).is_ok()
    }
}
