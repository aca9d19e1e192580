//! First-party components: built by Magpie, and found by the name of their vertical.

use std::path::{Path, PathBuf};

/// Places of first-party components, in the order in which they are searched.
#[derive(Clone, Debug)]
pub struct Places(Vec<PathBuf>);

/// No place has a component of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no component of the vertical `{name}` was found: looked for {file} in {}", .places.join(", "))]
pub struct NotFound {
    pub name: String,
    pub file: String,
    pub places: Vec<String>,
    /// Names of the components in these folders.
    pub others: Vec<String>,
}

impl Places {
    /// Lists the places: the folder that the user names, the folders beside the program, its build
    /// tree, and the build tree in the current folder.
    pub fn new(named: Option<PathBuf>, executable: Option<&Path>, current: &Path) -> Places {
        let mut places: Vec<PathBuf> = named.into_iter().collect();
        if let Some(folder) = executable.and_then(Path::parent) {
            places.push(folder.join("verticals"));
            if let Some(prefix) = folder.parent() {
                places.push(prefix.join("share/magpie/verticals"));
                // Cargo marks its folders, so that no other folder is taken for a build tree.
                if prefix.join("CACHEDIR.TAG").exists() {
                    places.push(prefix.join("verticals"));
                }
            }
        }
        let built = current.join("target/verticals");
        if !places.contains(&built) {
            places.push(built);
        }
        Places(places)
    }

    pub fn find(&self, name: &str) -> Result<PathBuf, NotFound> {
        let file = format!("{name}.wasm");
        // The name becomes a part of a path.
        let is_name = name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        let found = self.0.iter().map(|place| place.join(&file));
        let found = found.filter(|_| is_name).find(|path| path.is_file());
        found.ok_or_else(|| NotFound {
            name: name.to_owned(),
            file,
            places: self.0.iter().map(|place| place.display().to_string()).collect(),
            others: self.others(),
        })
    }

    fn others(&self) -> Vec<String> {
        let entries = self.0.iter().filter_map(|place| std::fs::read_dir(place).ok());
        let files = entries.flatten().filter_map(|entry| Some(entry.ok()?.path()));
        let components = files.filter(|file| file.extension().is_some_and(|extension| extension == "wasm"));
        let names = components.filter_map(|file| Some(file.file_stem()?.to_str()?.to_owned()));
        let mut names: Vec<String> = names.collect();
        names.sort();
        names.dedup();
        names
    }
}

impl NotFound {
    /// Advice on how to get the component.
    pub fn hint(&self) -> String {
        let get = "build it with `magpie plugin build DIR` and add it with `magpie plugin add FILE`, or add it from \
                   a URL or a registry";
        match self.others.as_slice() {
            [] => get.to_owned(),
            others => format!("known verticals: {}; {get}", others.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_searched_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let file = |path: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "").unwrap();
            path
        };
        let executable = folder.path().join("usr/bin/magpie");
        let current = folder.path().join("clone");
        let places = || Places::new(Some(folder.path().join("named")), Some(&executable), &current);
        let missing = places().find("events").unwrap_err();
        assert_eq!(missing.places.len(), 4, "{missing}");
        assert!(missing.hint().starts_with("build it"), "{}", missing.hint());

        let built = file("clone/target/verticals/events.wasm");
        assert_eq!(places().find("events").unwrap(), built);
        file("usr/verticals/events.wasm");
        assert_eq!(places().find("events").unwrap(), built);
        file("usr/CACHEDIR.TAG");
        let tree = folder.path().join("usr/verticals/events.wasm");
        assert_eq!(places().find("events").unwrap(), tree);
        let shared = file("usr/share/magpie/verticals/events.wasm");
        assert_eq!(places().find("events").unwrap(), shared);
        let beside = file("usr/bin/verticals/events.wasm");
        assert_eq!(places().find("events").unwrap(), beside);
        let named = file("named/events.wasm");
        assert_eq!(places().find("events").unwrap(), named);

        let missing = places().find("books").unwrap_err();
        assert!(
            missing.hint().starts_with("known verticals: events;"),
            "{}",
            missing.hint()
        );
        for hostile in ["../named/events", "", "a/../events", "/etc/passwd", "Events"] {
            assert!(places().find(hostile).is_err(), "{hostile}");
        }
    }
}
