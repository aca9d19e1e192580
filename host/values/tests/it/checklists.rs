//! Pages for contributors that list files, compared with the source code.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

const FOLDERS: [&str; 7] = [
    "host",
    "plugins",
    "guest-sdk",
    "guest-js/src",
    "guest-js/index.d.ts",
    "guest-python/magpie_vertical",
    "wit",
];

const ENDINGS: [&str; 5] = ["rs", "js", "ts", "py", "wit"];

/// A kind of the contract that stands for all others, as it is named in the languages.
const NAMES_OF_A_KIND: [&str; 5] = [
    "Kind::Coordinates",
    "\"coordinates\"",
    "- `coordinates`:",
    "\"Coordinates\"",
    "COORDINATES",
];

#[test]
fn the_page_on_semantic_types_lists_the_files_that_name_a_kind() {
    let names = |text: &str| NAMES_OF_A_KIND.iter().any(|name| text.contains(name));
    // Verticals use kinds; a new one does not change them.
    let naming = sources().into_iter();
    let naming = naming.filter(|(path, text)| !path.starts_with("plugins/") && names(text));
    let mut naming: BTreeSet<String> = naming.map(|(path, _)| path).collect();
    naming.insert("docs/guides/vertical.md".to_owned());
    let listed = listed("docs/guides/semantic-types.md");
    assert_eq!(listed, naming);
}

#[test]
fn the_page_on_languages_lists_the_files_of_words() {
    let mut files = BTreeSet::from(["host/values/src/date/words.txt".to_owned()]);
    for (path, text) in sources() {
        for part in text.split("word_lists! { \"").skip(1) {
            let name = part.split('"').next().unwrap();
            let file = Path::new(&path).parent().unwrap().join(name);
            // `src/words/../../data` is `data`.
            let mut plain = PathBuf::new();
            for part in &file {
                match part.to_str() {
                    Some("..") => assert!(plain.pop()),
                    _ => plain.push(part),
                }
            }
            files.insert(plain.to_str().unwrap().to_owned());
        }
    }
    // The example of the macro.
    files.remove("host/values/src/text/colours.txt");
    assert!(files.len() > 20, "{files:?}");
    assert_eq!(listed("docs/guides/languages.md"), files);
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the paths in code font of a page that lead to files.
fn listed(page: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(root().join(page)).expect("the page");
    let quoted = text.split('`').skip(1).step_by(2);
    let paths = quoted.filter(|path| path.contains('/') && path.contains('.') && !path.contains([' ', '\n']));
    paths.map(str::to_owned).collect()
}

/// Returns the source files but tests, by their paths from the root.
fn sources() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for folder in FOLDERS {
        add(&root(), folder, &mut found).expect("the folder");
    }
    found
}

fn add(root: &Path, path: &str, found: &mut Vec<(String, String)>) -> io::Result<()> {
    let whole = root.join(path);
    let name = path.rsplit('/').next().unwrap_or(path);
    if whole.is_dir() {
        if matches!(name, "tests" | "examples" | "target" | "node_modules") {
            return Ok(());
        }
        for entry in fs::read_dir(whole)? {
            let name = entry?.file_name();
            add(root, &format!("{path}/{}", name.to_string_lossy()), found)?;
        }
    } else if name != "tests.rs" && ENDINGS.iter().any(|ending| name.ends_with(&format!(".{ending}"))) {
        let text = fs::read_to_string(whole)?;
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        found.push((path.to_owned(), code.to_owned()));
    }
    Ok(())
}
