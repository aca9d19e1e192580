//! Circles of files inside a crate: files that name each other's items, directly or by others.
//!
//! A path that begins with `crate`, `self`, `super` or a child module leads to the file that
//! defines its item. A `mod` declaration and a `pub use` need nothing of the file they name, so
//! they are no edges; a path to a name that a `use` made leads on to where that points. Tests do
//! not count.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::files;

type Names = Vec<String>;

struct File {
    path: PathBuf,
    uses: Vec<Names>,
    /// Names that `use` gives to its module, and the paths behind them.
    names: BTreeMap<String, Names>,
}

type Files = BTreeMap<Names, File>;

/// Returns the files of the largest circle below a folder of sources, or none.
pub(crate) fn largest(src: &Path) -> Result<Vec<PathBuf>> {
    let mut crate_files = Files::new();
    for path in files::below(src, "rs", &["tests", "bin"])? {
        let mut module: Names = path
            .with_extension("")
            .iter()
            .map(|name| name.to_string_lossy().into())
            .collect();
        let last = module.last().map_or("", String::as_str);
        if last == "tests" {
            continue;
        }
        if last == "mod" || matches!(&module[..], [root] if root == "lib" || root == "main") {
            module.pop();
        }
        let text = std::fs::read_to_string(src.join(&path))?;
        crate_files.insert(module, parsed(path, &text));
    }
    let edges = |(from, file): (&Names, &File)| {
        let named = file
            .uses
            .iter()
            .filter_map(|used| resolve(&crate_files, from, used, 0));
        (
            from.clone(),
            named.filter(|to| to != from).collect::<BTreeSet<_>>(),
        )
    };
    let edges: BTreeMap<Names, BTreeSet<Names>> = crate_files.iter().map(edges).collect();
    let reach: BTreeMap<&Names, BTreeSet<&Names>> =
        edges.keys().map(|from| (from, reached(from, &edges))).collect();
    let circle = |(from, to): (&&Names, &BTreeSet<&Names>)| -> Vec<PathBuf> {
        let both = to.iter().filter(|other| reach[*other].contains(*from));
        both.map(|module| crate_files[*module].path.clone()).collect()
    };
    Ok(reach.iter().map(circle).max_by_key(Vec::len).unwrap_or_default())
}

fn reached<'a>(from: &'a Names, edges: &'a BTreeMap<Names, BTreeSet<Names>>) -> BTreeSet<&'a Names> {
    let mut reached = BTreeSet::new();
    let mut next = vec![from];
    while let Some(module) = next.pop() {
        next.extend(
            edges
                .get(module)
                .into_iter()
                .flatten()
                .filter(|to| reached.insert(*to)),
        );
    }
    reached
}

/// Returns the module whose file defines the item that a path names in a module.
fn resolve(files: &Files, from: &[String], path: &[String], steps: usize) -> Option<Names> {
    let mut at = from.to_vec();
    let mut rest = path;
    while let [first, after @ ..] = rest {
        match first.as_str() {
            "crate" => at.clear(),
            "self" => {}
            "super" => drop(at.pop()?),
            name => {
                let child = [&at[..], &[name.to_owned()]].concat();
                if !files.contains_key(&child) {
                    break;
                }
                at = child;
            }
        }
        rest = after;
    }
    // A path that begins with another name is of this file, or of another crate.
    if rest.len() == path.len() && steps == 0 {
        return None;
    }
    // Such names may lead back to where they began.
    let name = rest.first().and_then(|name| files.get(&at)?.names.get(name));
    match name.filter(|_| steps < 8) {
        Some(target) => resolve(files, &at, &[target, &rest[1..]].concat(), steps + 1),
        None => Some(at),
    }
}

/// Reads the paths of a file up to its tests.
fn parsed(path: PathBuf, text: &str) -> File {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let mut words = Vec::new();
    for line in code
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default())
    {
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        let mut rest = line.trim_start();
        while let Some(first) = rest.chars().next() {
            let end = match first {
                _ if rest.starts_with("::") => 2,
                _ if is_part(first) => rest.find(|letter| !is_part(letter)).unwrap_or(rest.len()),
                _ => first.len_utf8(),
            };
            words.push(&rest[..end]);
            rest = rest[end..].trim_start();
        }
    }
    let mut file = File {
        path,
        uses: Vec::new(),
        names: BTreeMap::new(),
    };
    let mut at = 0;
    while at < words.len() {
        if words[at] == "mod" {
            at += 2;
            continue;
        }
        let is_use = words[at] == "use";
        let is_public = is_use && at > 0 && matches!(words[at - 1], "pub" | ")");
        at += usize::from(is_use);
        let mut leaves = Vec::new();
        read_path(&words, &mut at, &[], &mut leaves);
        for (path, name) in leaves {
            // `pub(super)`, `self.field`, and names of this file or of other crates.
            let is_path = path.len() > 1;
            if is_path && !is_public {
                file.uses.push(path.clone());
            }
            if is_use {
                file.names.insert(name, path);
            }
        }
    }
    file
}

/// Reads a path, or all paths of a group in braces, and moves behind it.
fn read_path(words: &[&str], at: &mut usize, before: &[String], leaves: &mut Vec<(Names, String)>) {
    let mut path = before.to_vec();
    let word = |at: usize| words.get(at).copied().unwrap_or_default();
    loop {
        if word(*at) == "{" && !path.is_empty() {
            *at += 1;
            while !matches!(word(*at), "}" | "") {
                read_path(words, at, &path, leaves);
                *at += usize::from(word(*at) == ",");
            }
            break;
        }
        // `a::{self}` is `a`.
        if word(*at) != "self" || path.is_empty() {
            path.push(word(*at).to_owned());
        }
        *at += 1;
        if word(*at) != "::" {
            let renamed = (word(*at) == "as").then(|| word(*at + 1));
            let name = renamed
                .or(path.last().map(String::as_str))
                .unwrap_or_default()
                .to_owned();
            *at += if renamed.is_some() { 2 } else { 0 };
            leaves.push((path, name));
            return;
        }
        *at += 1;
    }
    *at += 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_that_name_each_other_are_the_circle() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("lib.rs", "mod a;\nmod d;\npub use a::b::{B, C as D};\n");
        write(
            "a/mod.rs",
            "mod b;\nmod c;\npub(crate) use c::Leaf;\nfn f() -> b::B { b::make() }\nstruct A;\n",
        );
        // It names its parent's item, which is a circle, and a leaf by way of the parent, which is
        // none.
        write(
            "a/b.rs",
            "use super::{A, Leaf};\n// crate::d::E\n#[cfg(test)]\nmod tests {\n use crate::d::E;\n}\n",
        );
        write("a/c.rs", "pub struct Leaf;\n");
        write("d.rs", "use crate::D;\nfn g() { std::a::h() }\n");
        let circle = largest(folder.path()).unwrap();
        assert_eq!(circle, [Path::new("a/mod.rs"), Path::new("a/b.rs")]);
        write("a/b.rs", "use super::{A, Leaf};\nuse crate::d::E;\n");
        assert_eq!(largest(folder.path()).unwrap().len(), 3);
    }
}
