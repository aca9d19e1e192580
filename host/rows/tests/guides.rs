//! Pages for contributors that name traits and files, compared with the source code.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the rows of tables that end with a link: the last name before it, and the file.
fn named(page: &str) -> Vec<(String, PathBuf)> {
    let path = root().join(page);
    let text = fs::read_to_string(&path).expect("the page");
    let folder = path.parent().expect("a folder");
    let rows = text.lines().filter_map(|line| {
        let (before, link) = line.strip_suffix(") |")?.rsplit_once("](")?;
        let (cells, _) = before.rsplit_once("| [")?;
        let name = cells.split('`').rev().nth(1)?;
        Some((name.to_owned(), folder.join(link)))
    });
    rows.collect()
}

fn assert_named_there(rows: &[(String, PathBuf)]) {
    for (name, file) in rows {
        let text = fs::read_to_string(file).unwrap_or_default();
        assert!(
            text.contains(name.as_str()),
            "`{name}` is not in {}",
            file.display()
        );
    }
}

#[test]
fn the_page_on_backends_lists_all_traits_of_a_store() {
    let rows = named("docs/guides/store.md");
    let traits = rows
        .iter()
        .map(|(name, file)| (format!("pub trait {name}"), file.clone()));
    assert_named_there(&traits.collect::<Vec<_>>());
    let store = fs::read_to_string(root().join("host/rows/src/store.rs")).expect("the traits");
    let parts = store.lines().map(str::trim).filter_map(|line| {
        let name = line.strip_prefix("+ ").unwrap_or(line);
        let is_name = !name.is_empty() && name.chars().all(char::is_alphanumeric);
        (is_name && name != "ReadStore").then(|| name.to_owned())
    });
    let parts: BTreeSet<String> = parts.collect();
    assert!(parts.len() > 20, "{parts:?}");
    let listed: BTreeSet<String> = rows.into_iter().map(|(name, _)| name).collect();
    assert_eq!(listed, parts);
}

#[test]
fn no_trait_has_more_than_a_dozen_methods_of_a_backend() {
    for (name, file) in named("docs/guides/store.md") {
        let text = fs::read_to_string(&file).expect("a file");
        let (_, after) = text.split_once(&format!("pub trait {name}")).expect("the trait");
        let body = after.split("\n}").next().unwrap_or_default();
        // Those with a body are given.
        let is_required = |line: &&str| line.starts_with("    fn ") && !line.ends_with('{');
        let methods = body.lines().filter(is_required).count();
        assert!(methods <= 12, "{name} has {methods}");
    }
}

#[test]
fn the_page_on_dates_names_code_that_is_there() {
    let rows = named("docs/concepts/dates.md");
    assert_eq!(rows.len(), 8);
    assert_named_there(&rows);
}
