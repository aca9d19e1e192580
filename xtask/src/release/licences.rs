//! The licence texts of all packages that are compiled into the program and the verticals.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::output;
use crate::places::Places;

/// Beginnings of the names of files with licence texts.
const NAMES: [&str; 6] = [
    "LICENSE",
    "LICENCE",
    "COPYING",
    "COPYRIGHT",
    "NOTICE",
    "UNLICENSE",
];

/// A package of others.
struct Package {
    name: String,
    version: String,
    licence: String,
    repository: String,
    texts: Vec<String>,
}

/// Returns a page with the packages and their texts, each text once.
pub(super) fn page(places: &Places, target: &str, verticals: &[&str]) -> Result<String> {
    let mut cargo = places.cargo();
    cargo.args(["metadata", "--format-version", "1", "--locked"]);
    cargo.args(["--filter-platform", target]);
    let metadata =
        serde_json::from_slice(&output(&mut cargo)?).context("cargo metadata printed invalid JSON")?;
    let roots: Vec<&str> = verticals.iter().copied().chain(["magpie"]).collect();
    let mut packages = packages(&metadata, &roots)?;
    lend_texts(&mut packages)?;
    Ok(written(&packages))
}

/// Returns the packages from registries that the roots depend on, other than for tests and build
/// scripts.
fn packages(metadata: &Value, roots: &[&str]) -> Result<Vec<Package>> {
    let all = metadata["packages"].as_array().context("there are no packages")?;
    let nodes = metadata["resolve"]["nodes"]
        .as_array()
        .context("nothing is resolved")?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let by_id: BTreeMap<String, &Value> = nodes.iter().map(|node| (text(&node["id"]), node)).collect();
    let is_root = |package: &&Value| {
        package["source"].is_null() && roots.contains(&package["name"].as_str().unwrap_or_default())
    };
    let mut open: Vec<String> = all
        .iter()
        .filter(is_root)
        .map(|package| text(&package["id"]))
        .collect();
    ensure!(
        open.len() == roots.len(),
        "not all of {roots:?} are packages of the workspace"
    );
    let mut reached = BTreeSet::new();
    while let Some(id) = open.pop() {
        let node = by_id.get(&id).with_context(|| format!("{id} is not resolved"))?;
        if !reached.insert(id) {
            continue;
        }
        let dependencies = node["deps"].as_array().into_iter().flatten();
        let linked = dependencies.filter(|dependency| {
            let mut kinds = dependency["dep_kinds"].as_array().into_iter().flatten();
            kinds.any(|kind| kind["kind"].is_null())
        });
        open.extend(linked.map(|dependency| text(&dependency["pkg"])));
    }
    let foreign = all
        .iter()
        .filter(|package| reached.contains(&text(&package["id"])) && !package["source"].is_null());
    let mut found = Vec::new();
    for package in foreign {
        let manifest = text(&package["manifest_path"]);
        let folder = Path::new(&manifest)
            .parent()
            .context("a manifest has no folder")?;
        found.push(Package {
            name: text(&package["name"]),
            version: text(&package["version"]),
            licence: text(&package["license"]),
            repository: text(&package["repository"]),
            texts: texts(folder)?,
        });
    }
    found.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    Ok(found)
}

/// Reads the licence files of a package.
fn texts(folder: &Path) -> Result<Vec<String>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("can't list {}", folder.display()))?;
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .to_uppercase();
        path.is_file() && NAMES.iter().any(|start| name.starts_with(start))
    });
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let bytes = std::fs::read(path).with_context(|| format!("can't read {}", path.display()))?;
        let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
        Ok(text.trim_matches('\n').trim_end().to_owned())
    };
    paths.iter().map(read).collect()
}

/// Gives packages without a text that of a package with the same licence, from the same repository
/// if there is one: members of a workspace often leave the file at its root.
fn lend_texts(packages: &mut [Package]) -> Result<()> {
    for index in 0..packages.len() {
        let package = &packages[index];
        if !package.texts.is_empty() {
            continue;
        }
        let lenders = packages
            .iter()
            .filter(|other| other.licence == package.licence && !other.texts.is_empty());
        let lender = lenders.max_by_key(|other| other.repository == package.repository);
        let texts = lender.map(|lender| lender.texts.clone()).with_context(|| {
            format!(
                "{} {} has no licence file, and no other package has the licence `{}`",
                package.name, package.version, package.licence
            )
        })?;
        packages[index].texts = texts;
    }
    Ok(())
}

/// Writes the page: the texts, each below the packages that it applies to.
fn written(packages: &[Package]) -> String {
    let mut by_text: BTreeMap<&str, Vec<&Package>> = BTreeMap::new();
    for package in packages {
        for text in &package.texts {
            by_text.entry(text).or_default().push(package);
        }
    }
    let mut groups: Vec<(&str, Vec<&Package>)> = by_text.into_iter().collect();
    groups.sort_by_key(|(text, users)| (std::cmp::Reverse(users.len()), *text));
    let mut page = format!(
        "# Licences of dependencies\n\nMagpie and its verticals contain code of {} packages. Their \
         licence texts follow, each once, with the packages that ship it.\n",
        packages.len()
    );
    for (index, (text, users)) in groups.iter().enumerate() {
        let _ = write!(page, "\n## Text {}\n\n", index + 1);
        for package in users {
            let _ = writeln!(
                page,
                "- {} {} ({})",
                package.name, package.version, package.licence
            );
        }
        let fence = if text.contains("```") { "~~~~" } else { "```" };
        let _ = write!(page, "\n{fence}text\n{text}\n{fence}\n");
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, licence: &str, repository: &str, texts: &[&str]) -> Package {
        Package {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            licence: licence.to_owned(),
            repository: repository.to_owned(),
            texts: texts.iter().map(|text| (*text).to_owned()).collect(),
        }
    }

    #[test]
    fn texts_are_lent_within_a_repository_first() {
        let mut packages = [
            package("a", "MIT", "r/one", &["text of one"]),
            package("b", "MIT", "r/two", &["text of two"]),
            package("c", "MIT", "r/one", &[]),
        ];
        lend_texts(&mut packages).unwrap();
        assert_eq!(packages[2].texts, ["text of one"]);
        let mut alone = [package("d", "ISC", "r", &[])];
        let error = lend_texts(&mut alone).unwrap_err().to_string();
        assert!(error.contains("d 1.0.0 has no licence file"), "{error}");
    }

    #[test]
    fn each_text_is_written_once() {
        let packages = [
            package("a", "MIT", "r", &["same"]),
            package("b", "MIT", "r", &["same"]),
            package("c", "ISC", "r", &["other"]),
        ];
        let page = written(&packages);
        assert_eq!(page.matches("same").count(), 1);
        assert!(
            page.find("- b 1.0.0 (MIT)") < page.find("- c 1.0.0 (ISC)"),
            "{page}"
        );
    }
}
