//! Which files a component is made from.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::package::{Package, Workspace};

/// How deep folders of sources are followed. Real ones are a few levels deep; a link to itself is not
/// real.
const DEEPEST: usize = 24;

/// Folders and single files. Folders are kept beside the files found in them, so that a file that is
/// added counts as a change.
#[derive(Debug, Default)]
pub(crate) struct Inputs {
    pub(crate) roots: BTreeSet<PathBuf>,
    pub(crate) files: BTreeSet<PathBuf>,
}

/// The inputs of a package that was just built into `module`: what cargo says the compiler read, and
/// what could make it read something else.
pub(crate) fn inputs_of(workspace: &Workspace, package: &Package, module: &Path) -> Inputs {
    let mut inputs = Inputs::default();
    for local in workspace.local_closure(package) {
        inputs.files.insert(local.manifest_path.clone());
        if local.has_build_script() {
            // A build script may read anything in its package.
            inputs.roots.insert(local.dir().to_owned());
        } else {
            inputs
                .roots
                .extend(["src", "wit"].map(|name| local.dir().join(name)));
        }
    }
    inputs
        .files
        .extend(["Cargo.toml", "Cargo.lock"].map(|name| workspace.root.join(name)));
    inputs
        .files
        .extend(configurations(package.dir(), &workspace.root));
    for file in read_dep_info(module, &workspace.root) {
        // A WIT package is all files of its folder.
        if file.extension().is_some_and(|end| end == "wit") {
            inputs.roots.extend(file.parent().map(Path::to_owned));
        }
        inputs.files.insert(file);
    }
    inputs
}

/// Content hashes of files and listings of folders, each taken once: guests share most of them.
#[derive(Default)]
pub(crate) struct Snapshot {
    hashes: HashMap<PathBuf, Option<String>>,
    listings: HashMap<PathBuf, Vec<PathBuf>>,
}

impl Snapshot {
    /// The files, and all files in the folders, with their hashes; none for a file that is not there.
    pub(crate) fn of<'a>(
        &mut self,
        roots: impl IntoIterator<Item = &'a PathBuf>,
        files: impl IntoIterator<Item = &'a PathBuf>,
    ) -> BTreeMap<PathBuf, Option<String>> {
        let mut all: BTreeSet<PathBuf> = files.into_iter().cloned().collect();
        for root in roots {
            all.extend(self.listing(root).iter().cloned());
        }
        all.into_iter()
            .map(|file| (file.clone(), self.hash(&file)))
            .collect()
    }

    fn listing(&mut self, root: &Path) -> &[PathBuf] {
        self.listings.entry(root.to_owned()).or_insert_with(|| list(root))
    }

    fn hash(&mut self, file: &Path) -> Option<String> {
        if let Some(known) = self.hashes.get(file) {
            return known.clone();
        }
        let hash = std::fs::read(file)
            .ok()
            .map(|bytes| blake3::hash(&bytes).to_hex().to_string());
        self.hashes.insert(file.to_owned(), hash.clone());
        hash
    }
}

/// Folders that tools make; what is in them follows from what is elsewhere.
const MADE: [&str; 4] = ["target", "dist", "node_modules", "__pycache__"];

/// All files below a folder, except what is hidden, what tools made, and other packages.
fn list(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut open = vec![(root.to_owned(), 0)];
    while let Some((dir, depth)) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&dir) else {
            continue;
        };
        for entry in entries.flatten() {
            let path = entry.path();
            if is_hidden_or_made(&entry.file_name()) {
                continue;
            }
            if !path.is_dir() {
                files.push(path);
            } else if depth < DEEPEST && !path.join("Cargo.toml").exists() {
                open.push((path, depth + 1));
            }
        }
    }
    files
}

pub(crate) fn is_hidden_or_made(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name.starts_with('.') || MADE.contains(&&*name)
}

/// Where cargo looks for its configuration, from the package up to the workspace. Files that are not
/// there count too: one that appears changes the build.
fn configurations(package: &Path, workspace: &Path) -> Vec<PathBuf> {
    let dirs = package.ancestors().take_while(|dir| dir.starts_with(workspace));
    dirs.map(|dir| dir.join(".cargo/config.toml")).collect()
}

/// The sources that cargo lists beside what it built, in the syntax of Makefiles: `module: file file`.
fn read_dep_info(module: &Path, base: &Path) -> Vec<PathBuf> {
    let Ok(text) = std::fs::read_to_string(module.with_extension("d")) else {
        return Vec::new();
    };
    let sources = text
        .lines()
        .filter_map(|line| line.split_once(": "))
        .flat_map(|(_, list)| words(list));
    sources.map(|file| base.join(file)).collect()
}

/// Words separated by blanks; a blank inside a word has a backslash before it.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' if characters.peek() == Some(&' ') => push(&mut words, characters.next()),
            ' ' => words.push(String::new()),
            other => push(&mut words, Some(other)),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn push(words: &mut [String], character: Option<char>) {
    if let Some(word) = words.last_mut() {
        word.extend(character);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_in_paths_are_understood() {
        assert_eq!(
            words(r"/a/b.rs /my\ home/c.rs  /d\e.rs"),
            ["/a/b.rs", "/my home/c.rs", r"/d\e.rs"]
        );
    }

    #[test]
    fn a_listing_leaves_out_other_packages_and_hidden_files() {
        let dir = tempfile::tempdir().unwrap();
        for file in [
            "src/lib.rs",
            "inner/Cargo.toml",
            "inner/src/lib.rs",
            ".git/x",
            "target/y",
            "data/z.txt",
        ] {
            let path = dir.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let mut found = list(dir.path());
        found.sort();
        assert_eq!(
            found,
            ["data/z.txt", "src/lib.rs"].map(|file| dir.path().join(file))
        );
    }

    #[test]
    fn configurations_end_at_the_workspace() {
        let found = configurations(Path::new("/w/plugins/a"), Path::new("/w"));
        let expected =
            ["/w/plugins/a", "/w/plugins", "/w"].map(|dir| Path::new(dir).join(".cargo/config.toml"));
        assert_eq!(found, expected);
    }
}
