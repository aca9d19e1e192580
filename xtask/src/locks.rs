//! The versions that the lock files of the product and of the laboratory share.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::places::Places;
use crate::step;

/// The packages of a lock file that come from a registry, by name and version.
pub(crate) type Locked = BTreeSet<(String, String)>;

/// Checks that both lock files agree. Otherwise the same crate would be compiled twice, and the
/// laboratory would measure another program than the one that is shipped.
pub(crate) fn run(places: &Places) -> Result<()> {
    let product = locked(&places.root().join("Cargo.lock"))?;
    let lab = locked(&places.lab().join("Cargo.lock"))?;
    let problems = disagreements(&product, &lab);
    ensure!(problems.is_empty(), "{}", problems.join("\n"));
    let shared = product.intersection(&lab).count();
    step::say(&format!(
        "{shared} packages have the same version in both lock files"
    ));
    Ok(())
}

pub(crate) fn locked(path: &Path) -> Result<Locked> {
    let text = std::fs::read_to_string(path).with_context(|| format!("can't read {}", path.display()))?;
    Ok(packages(&text))
}

fn packages(text: &str) -> Locked {
    let value = |part: &str, key: &str| {
        let lines = part.lines().find_map(|line| line.strip_prefix(key));
        lines.map(|value| value.trim_matches('"').to_owned())
    };
    let parts = text.split("[[package]]\n").skip(1);
    let foreign = parts.filter(|part| part.contains("\nsource = "));
    foreign
        .filter_map(|part| value(part, "name = ").zip(value(part, "version = ")))
        .collect()
}

/// Returns a sentence, with the command that mends it, for each package that the laboratory has in
/// another version than the product, where one version would serve both.
fn disagreements(product: &Locked, lab: &Locked) -> Vec<String> {
    let differing = lab.difference(product).filter_map(|(name, version)| {
        let mut others = product.iter().filter(|(other, _)| other == name);
        let (_, wanted) = others.find(|(_, other)| series(other) == series(version))?;
        Some(format!(
            "lab/Cargo.lock has {name} {version}, Cargo.lock {wanted}: run `cargo update --manifest-path \
             lab/Cargo.toml {name}@{version} --precise {wanted}`"
        ))
    });
    differing.collect()
}

/// Returns the part of a version that compatible versions share.
fn series(version: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for part in version.split(['.', '+', '-']).take(3) {
        parts.push(part);
        if part != "0" {
            break;
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_versions_of_a_series_are_disagreements() {
        let lock = |versions: &[&str]| -> Locked {
            let part = |version: &&str| {
                format!("[[package]]\nname = \"a\"\nversion = \"{version}\"\nsource = \"registry\"\n\n")
            };
            packages(&versions.iter().map(part).collect::<String>())
        };
        let product = lock(&["1.2.0", "0.4.1"]);
        assert_eq!(
            disagreements(&product, &lock(&["1.2.0", "2.0.0", "0.5.0"])),
            Vec::<String>::new()
        );
        let problems = disagreements(&product, &lock(&["1.3.0", "0.4.2"]));
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(problems[0].ends_with("lab/Cargo.toml a@0.4.2 --precise 0.4.1`"));
    }

    #[test]
    fn packages_of_the_workspace_do_not_count() {
        assert!(packages("[[package]]\nname = \"magpie\"\nversion = \"0.1.0\"\n").is_empty());
    }
}
