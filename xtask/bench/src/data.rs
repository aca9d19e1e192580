//! Where the real data is: archives beside the repository, or a folder that the caller names.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::figure::tell;

/// The archives, from the repository's root. They are never part of the repository.
const ARCHIVES: &str = "../shared/data";

/// Where they are unpacked, from the repository's root.
const UNPACKED: &str = "target/real-data";

/// What can be said about a run over real data.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// A folder with the real data sets, already unpacked; without it they are looked for beside the repository
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Only measurements whose name or data set contains this
    #[arg(long, value_name = "SET")]
    pub(crate) only: Option<String>,
    /// Show more of what was found: the worst pages, and what the commands say
    #[arg(long)]
    pub(crate) verbose: bool,
    /// For `real`: keep the workspaces in this folder, which must be empty
    #[arg(long, value_name = "DIR")]
    pub(crate) keep: Option<PathBuf>,
}

impl Options {
    /// Whether a measurement is wanted.
    pub(crate) fn wants(&self, name: &str, set: &str) -> bool {
        match &self.only {
            Some(only) => name.contains(only.as_str()) || set.contains(only.as_str()),
            None => true,
        }
    }
}

/// The data sets.
pub(crate) struct Sets {
    /// Sets that somebody else has unpacked.
    given: Option<PathBuf>,
    root: PathBuf,
}

impl Sets {
    pub(crate) fn new(given: Option<PathBuf>) -> Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
        Ok(Self {
            given,
            root: root.context("the benchmarks lie in no workspace")?.to_owned(),
        })
    }

    /// The folder of a set; none, and a visible line, when it is not at hand.
    pub(crate) fn find(&self, set: &str) -> Option<PathBuf> {
        let folder = match &self.given {
            Some(given) => Some(given.join(set)),
            None => self.unpack(set),
        };
        let found = folder.filter(|folder| folder.is_dir());
        if found.is_none() {
            tell(&format!("skipped: real data set {set} not found"));
        }
        found
    }

    /// Has the set unpacked, which is quick when it was before.
    fn unpack(&self, set: &str) -> Option<PathBuf> {
        let script = self.root.join(ARCHIVES).join("unpack");
        let to = self.root.join(UNPACKED);
        std::fs::create_dir_all(&to).ok()?;
        let made = Command::new(script).arg(set).arg("--to").arg(&to).output().ok()?;
        made.status.success().then(|| to.join(set))
    }
}

/// A file of a set.
pub(crate) fn text(path: &Path) -> Result<String> {
    let text = std::fs::read_to_string(path).with_context(|| format!("can't read {}", path.display()))?;
    Ok(text.trim_start_matches('\u{feff}').to_owned())
}

/// A JSON file of a set.
pub(crate) fn json(path: &Path) -> Result<serde_json::Value> {
    serde_json::from_str(&text(path)?).with_context(|| format!("{} is not JSON", path.display()))
}

/// The rows of a table with quotes as in RFC 4180, its head first.
pub(crate) fn rows(path: &Path, separator: char) -> Result<Vec<Vec<String>>> {
    let mut reader = csv::ReaderBuilder::new();
    reader.delimiter(u8::try_from(separator)?);
    let reader = reader.has_headers(false).flexible(true).from_path(path);
    let reader = reader.with_context(|| format!("can't read {}", path.display()))?;
    let cells = |row: csv::Result<csv::StringRecord>| -> Result<Vec<String>> {
        let row = row.with_context(|| format!("{} is no table", path.display()))?;
        Ok(row.iter().map(str::to_owned).collect())
    };
    reader.into_records().map(cells).collect()
}

/// The files below a folder with one of these endings, sorted.
pub(crate) fn files(folder: &Path, endings: &[&str]) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries =
            std::fs::read_dir(&folder).with_context(|| format!("can't list {}", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            let ending = path
                .extension()
                .and_then(|ending| ending.to_str())
                .unwrap_or_default();
            if path.is_dir() {
                folders.push(path);
            } else if endings.contains(&ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
