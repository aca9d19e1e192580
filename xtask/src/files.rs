//! Lists files of the repository.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Returns the files with an extension below the root, relative to it, without those in hidden and
/// `skipped` folders.
pub(crate) fn below(root: &Path, extension: &str, skipped: &[&str]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    collect(root, Path::new(""), extension, skipped, &mut files)?;
    files.sort();
    Ok(files)
}

fn collect(
    root: &Path,
    folder: &Path,
    extension: &str,
    skipped: &[&str],
    files: &mut Vec<PathBuf>,
) -> Result<()> {
    let path = root.join(folder);
    let entries = std::fs::read_dir(&path).with_context(|| format!("can't list {}", path.display()))?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_folder = entry.file_type()?.is_dir();
        let file = folder.join(&name);
        if is_folder && !name.starts_with('.') && !skipped.contains(&name.as_str()) {
            collect(root, &file, extension, skipped, files)?;
        } else if !is_folder && file.extension().is_some_and(|found| found == extension) {
            files.push(file);
        }
    }
    Ok(())
}
