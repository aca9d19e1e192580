//! Location of the real data: archives next to the repository, or a folder that the caller names.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::figure::tell;

/// Options of a run over real data.
#[derive(clap::Args)]
#[group(skip)]
pub(crate) struct Options {
    /// A folder with the real data sets, already unpacked; without it they are looked for beside
    /// the repository
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Only measurements whose name or data set contains this
    #[arg(long, value_name = "SET")]
    pub(crate) only: Option<String>,
    /// Show more of what was found: the worst pages, and what the commands say
    #[arg(long)]
    pub(crate) verbose: bool,
}

impl Options {
    pub(crate) fn wants(&self, name: &str, set: &str) -> bool {
        match &self.only {
            Some(only) => name.contains(only.as_str()) || set.contains(only.as_str()),
            None => true,
        }
    }
}

pub(crate) struct Sets {
    /// Folder of sets that are already unpacked.
    given: Option<PathBuf>,
}

impl Sets {
    pub(crate) fn new(given: Option<PathBuf>) -> Self {
        Self { given }
    }

    /// The folder of a set; none, and a visible line, when it is not at hand.
    pub(crate) fn find(&self, set: &str) -> Option<PathBuf> {
        let Some(given) = &self.given else {
            return magpie_test_support::data::find(set);
        };
        let folder = given.join(set);
        if !folder.is_dir() {
            tell(&format!(
                "skipped: real data set {set} not found in {}",
                given.display()
            ));
            return None;
        }
        Some(folder)
    }
}

pub(crate) fn text(path: &Path) -> Result<String> {
    let text = std::fs::read_to_string(path).with_context(|| format!("can't read {}", path.display()))?;
    Ok(text.trim_start_matches('\u{feff}').to_owned())
}

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
