//! The program users run, as it was built beside the benchmarks.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

/// `magpie` with its shipped settings: those of the user of this machine are not asked.
#[derive(Clone)]
pub(crate) struct Program {
    path: PathBuf,
    /// Cache of compiled verticals that is kept between runs, as for a user who crawls twice.
    cache: PathBuf,
    /// Command line that starts it, such as that of a profiler; empty if it is started itself.
    under: Vec<OsString>,
    /// Variables of its environment.
    variables: Vec<(&'static str, PathBuf)>,
}

impl Program {
    /// The program, which keeps compiled verticals in this folder.
    pub(crate) fn find(cache: PathBuf) -> Result<Program> {
        let own = std::env::current_exe().context("can't tell where this program lies")?;
        let path = own
            .with_file_name("magpie")
            .with_extension(std::env::consts::EXE_EXTENSION);
        Program::at(&path, cache)
            .context("magpie is not built beside the benchmarks; `cargo xtask bench` does it")
    }

    /// A program at a path.
    pub(crate) fn at(path: &Path, cache: PathBuf) -> Result<Program> {
        let path = path
            .canonicalize()
            .with_context(|| format!("can't find the program {}", path.display()))?;
        Ok(Program {
            path,
            cache,
            under: Vec::new(),
            variables: Vec::new(),
        })
    }

    /// The program, started by another one.
    pub(crate) fn under(&self, command: Vec<OsString>) -> Program {
        Program {
            under: command,
            ..self.clone()
        }
    }

    /// The program with variables in its environment.
    pub(crate) fn with(&self, variables: Vec<(&'static str, PathBuf)>) -> Program {
        Program {
            variables,
            ..self.clone()
        }
    }

    /// A command of it. In the folder there are no settings.
    pub(crate) fn command(&self, empty: &Path) -> Command {
        let mut command = match self.under.split_first() {
            Some((first, rest)) => {
                let mut command = Command::new(first);
                command.args(rest).arg(&self.path);
                command
            }
            None => Command::new(&self.path),
        };
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("MAGPIE_"))
        {
            command.env_remove(name);
        }
        command
            .env("XDG_CONFIG_HOME", empty)
            .env("MAGPIE_CACHE_DIR", &self.cache)
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .arg("--quiet");
        command
    }
}
