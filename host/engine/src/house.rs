//! Pages that are removed for good, with what files have of them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use magpie_rows::{Forgetting, Forgotten, Store, StoreError};
use serde_json::Value;

use crate::crawl_log::log_files;
use crate::files::write_file;
use crate::learn::leave_out;
use crate::reading::READINGS;
use crate::site::{NAVIGATIONS, site_file};

/// Removes pages from a workspace, with what is known of their sites in files. A dry run changes
/// nothing.
pub fn forget(folder: &Path, store: &dyn Store, request: &Forgetting) -> Result<Forgotten, StoreError> {
    let verticals = store.learned_verticals()?;
    let forgotten = store.forget(request)?;
    if request.is_dry {
        return Ok(forgotten);
    }
    for vertical in verticals {
        leave_out(store, &vertical, |home| !(request.urls.0)(home))?;
    }
    for kind in [NAVIGATIONS, READINGS] {
        for key in &forgotten.sites {
            remove_site_files(folder, kind, key)
                .map_err(|error| StoreError::file("can't remove files in", &folder.join(kind), error))?;
        }
    }
    for path in log_files(folder) {
        let cut = cut_log(&path, &forgotten.sites, request);
        cut.map_err(|error| StoreError::file("can't write", &path, error))?;
    }
    Ok(forgotten)
}

/// Removes the files of a site in the folders of all verticals, with edited and earlier ones.
fn remove_site_files(folder: &Path, kind: &str, key: &str) -> io::Result<()> {
    let entries = |folder: &Path| -> io::Result<Vec<PathBuf>> {
        match fs::read_dir(folder) {
            Ok(entries) => entries.map(|entry| Ok(entry?.path())).collect(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    };
    let name = site_file(folder, kind, "", key);
    let name = name
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    for vertical in entries(&folder.join(kind))?.iter().filter(|path| path.is_dir()) {
        for path in entries(vertical)? {
            let own = path.file_name().unwrap_or_default().to_string_lossy();
            if own
                .strip_prefix(&*name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            {
                fs::remove_file(path)?;
            }
        }
    }
    Ok(())
}

/// Removes the lines of a log that are about forgotten URLs and sites.
fn cut_log(path: &Path, sites: &[String], request: &Forgetting) -> io::Result<()> {
    let text = fs::read(path)?;
    let text = String::from_utf8_lossy(&text);
    let stays = |line: &&str| {
        let line: Value = serde_json::from_str(line).unwrap_or_default();
        let names = |key: &str| line[key].as_str().map(str::to_owned);
        let is_of_site = names("site").is_some_and(|site| sites.contains(&site));
        !is_of_site && !names("url").is_some_and(|url| (request.urls.0)(&url))
    };
    let kept: String = text.split_inclusive('\n').filter(stays).collect();
    match kept.len() == text.len() {
        true => Ok(()),
        false => write_file(path, kept.as_bytes()),
    }
}
