//! The program users run, as it was built beside the benchmarks.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

/// `magpie` with its shipped settings: those of the user of this machine are not asked.
#[derive(Clone)]
pub(crate) struct Program {
    path: PathBuf,
    /// Cache of compiled verticals that is kept between runs, as for a user who crawls twice.
    cache: PathBuf,
}

impl Program {
    /// The program, which keeps compiled verticals in this folder.
    pub(crate) fn find(cache: PathBuf) -> Result<Program> {
        let own = std::env::current_exe().context("can't tell where this program lies")?;
        let path = own
            .with_file_name("magpie")
            .with_extension(std::env::consts::EXE_EXTENSION);
        path.exists()
            .then_some(Program { path, cache })
            .context("magpie is not built beside the benchmarks; `cargo xtask bench` does it")
    }

    /// A command of it. In the folder there are no settings.
    pub(crate) fn command(&self, empty: &Path) -> Command {
        let mut command = Command::new(&self.path);
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("MAGPIE_"))
        {
            command.env_remove(name);
        }
        command
            .env("XDG_CONFIG_HOME", empty)
            .env("MAGPIE_CACHE_DIR", &self.cache)
            .arg("--quiet");
        command
    }
}
