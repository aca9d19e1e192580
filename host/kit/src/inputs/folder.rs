//! The pages in a folder and the folders below it, and those in the archives there.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::fixture::{CLUSTERS_FILE, EXPECTED_FILE, is_fixture};

use super::archive::Archive;
use super::{Named, What, is_archive_name, unreadable};

/// The file names of pages end so.
const EXTENSIONS: [&str; 6] = ["html", "htm", "xhtml", "json", "xml", "ics"];

/// Maximum depth of folders. Links to folders are not followed, so only a real tree gets here, and
/// this is deeper than any.
const MAX_DEPTH: usize = 64;

/// A walk through a folder in the order of names, entering each folder in its place.
pub(super) struct Folder {
    /// Paths to visit, for each open folder; the last is the innermost. Reversed, to be popped.
    open: Vec<Vec<PathBuf>>,
    root: Option<PathBuf>,
    /// The archive whose pages come next.
    archive: Option<Box<Archive>>,
}

impl Folder {
    pub(super) fn new(path: &Path) -> Folder {
        Folder {
            open: Vec::new(),
            root: Some(path.to_owned()),
            archive: None,
        }
    }

    pub(super) fn next(&mut self) -> Option<Named> {
        if let Some(root) = self.root.take()
            && let Some(problem) = self.enter(&root)
        {
            return Some(problem);
        }
        loop {
            if let Some(page) = self.archive.as_mut().and_then(|archive| archive.next()) {
                return Some(page);
            }
            self.archive = None;
            let Some(path) = self.open.last_mut()?.pop() else {
                self.open.pop();
                continue;
            };
            let name = path.display().to_string();
            // A folder may have a name that ends like that of an archive.
            if !path.is_dir() && is_archive_name(&name) {
                match Archive::open(&name) {
                    Ok(archive) => self.archive = Some(Box::new(archive)),
                    Err(error) => return Some((name, What::Problem(unreadable(&error)))),
                }
                continue;
            }
            if !path.is_dir() {
                return Some((name, What::File { path, url: None }));
            }
            if is_fixture(&path) {
                return Some((name, What::Fixture(path)));
            }
            if let Some(problem) = self.enter(&path) {
                return Some(problem);
            }
        }
    }

    fn enter(&mut self, folder: &Path) -> Option<Named> {
        let problem = |sentence| Some((folder.display().to_string(), What::Problem(sentence)));
        if self.open.len() >= MAX_DEPTH {
            return problem(format!(
                "folders nest more than {MAX_DEPTH} deep; the rest is skipped"
            ));
        }
        match visited(folder) {
            Ok(paths) => {
                self.open.push(paths);
                None
            }
            Err(error) => problem(unreadable(&error)),
        }
    }
}

/// Returns the paths to visit in a folder, in reverse order.
fn visited(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        // A link to a folder above would lead in a circle.
        let linked_folder = entry.file_type()?.is_symlink() && path.is_dir();
        let is_read = path.is_dir() || is_page(&path) || is_archive_name(&path.to_string_lossy());
        if !linked_folder && !is_hidden(&path) && is_read {
            paths.push(path);
        }
    }
    paths.sort_unstable_by(|one, other| other.cmp(one));
    Ok(paths)
}

fn is_hidden(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.to_string_lossy().starts_with('.'))
}

/// The files beside fixtures are JSON and no pages.
fn is_page(path: &Path) -> bool {
    let kit_file = path
        .file_name()
        .is_some_and(|name| name == CLUSTERS_FILE || name == EXPECTED_FILE);
    let extension = path
        .extension()
        .map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    !kit_file && extension.is_some_and(|extension| EXTENSIONS.contains(&extension.as_str()))
}
