//! The allowed edges between crates: ARCHITECTURE.md lists them, and cargo knows the real ones. And
//! the circles of files in each crate, which [`circles`] finds.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::circles;
use crate::places::Places;
use crate::step;

/// Opens the list in ARCHITECTURE.md; a line of three backticks ends it.
const OPENING: &str = "```layers";
const CLOSING: &str = "```";

/// The number of files that the largest circle of a crate may have.
const MAX_CIRCLE: usize = 6;

/// The crates that each crate depends on.
type Edges = BTreeMap<String, BTreeSet<String>>;

/// Checks the edges and the circles. Circles that are allowed are only printed where that is asked.
pub(crate) fn run(places: &Places, prints_circles: bool) -> Result<()> {
    let path = places.root().join("ARCHITECTURE.md");
    let text = std::fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
    let allowed = allowed(&text)?;
    let metadata = places.metadata()?;
    let real = real(&metadata);
    let mut problems = compared(&allowed, &real);
    problems.extend(too_large(&metadata, prints_circles)?);
    ensure!(problems.is_empty(), "{}", problems.join("\n"));
    let edges: usize = real.values().map(BTreeSet::len).sum();
    step::say(&format!(
        "{edges} edges between {} crates match the list",
        real.len()
    ));
    Ok(())
}

/// Reads the list: a crate and what it may depend on in each line, as `store: http, values`.
fn allowed(text: &str) -> Result<Edges> {
    let mut lines = text.lines();
    lines
        .find(|line| *line == OPENING)
        .with_context(|| format!("ARCHITECTURE.md has no list that begins with {OPENING}"))?;
    let mut edges = Edges::new();
    for line in lines.take_while(|line| *line != CLOSING) {
        let (name, on) = line
            .split_once(':')
            .with_context(|| format!("invalid edge `{line}`: expected the form `store: http, values`"))?;
        let on = on.split(',').map(str::trim).filter(|on| !on.is_empty());
        edges.insert(name.trim().to_owned(), on.map(str::to_owned).collect());
    }
    Ok(edges)
}

/// The dependencies between crates of the workspace that their programs are built with.
fn real(metadata: &Value) -> Edges {
    let packages = || metadata["packages"].as_array().into_iter().flatten();
    let name = |of: &Value| of["name"].as_str().unwrap_or_default().to_owned();
    let own: BTreeSet<String> = packages().map(name).collect();
    let on = |package: &Value| {
        let dependencies = package["dependencies"].as_array().into_iter().flatten();
        // Those of tests and build scripts have a kind.
        let normal = dependencies.filter(|dependency| dependency["kind"].is_null());
        let names = normal.map(name).filter(|name| own.contains(name));
        names.map(|name| short(&name)).collect()
    };
    packages()
        .map(|package| (short(&name(package)), on(package)))
        .collect()
}

/// Returns a sentence for each crate whose largest circle of files is too large, and prints the
/// circles of more than one file where that is asked.
fn too_large(metadata: &Value, prints: bool) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let name = short(package["name"].as_str().unwrap_or_default());
        let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
        let circle = circles::largest(&manifest.with_file_name("src"))?;
        let is_too_large = circle.len() > MAX_CIRCLE;
        if circle.len() > 1 && (prints || is_too_large) {
            let files: Vec<_> = circle.iter().map(|file| file.display().to_string()).collect();
            step::say(&format!(
                "circle of {} files in {name}: {}",
                files.len(),
                files.join(", ")
            ));
        }
        if is_too_large {
            problems.push(format!(
                "{} files of `{name}` form a circle, more than the allowed {MAX_CIRCLE}: move what they \
                 share into a file that uses none of the others",
                circle.len()
            ));
        }
    }
    Ok(problems)
}

/// The name of a crate in the list.
fn short(name: &str) -> String {
    match name {
        "magpie" => "cli".to_owned(),
        name => name.strip_prefix("magpie-").unwrap_or(name).to_owned(),
    }
}

/// Lists edges that are not allowed, and allowed edges that no longer exist.
fn compared(allowed: &Edges, real: &Edges) -> Vec<String> {
    let nothing = BTreeSet::new();
    let of = |edges: &Edges, name: &String| edges.get(name).unwrap_or(&nothing).clone();
    let names: BTreeSet<&String> = allowed.keys().chain(real.keys()).collect();
    let mut problems = Vec::new();
    for name in names {
        let (may, does) = (of(allowed, name), of(real, name));
        problems.extend(does.difference(&may).map(|on| {
            format!(
                "`{name}` depends on `{on}`, which ARCHITECTURE.md does not allow: remove the dependency, or \
                 add the edge there and give the reason in the commit"
            )
        }));
        problems.extend(
            may.difference(&does).map(|on| {
                format!("`{name}` no longer depends on `{on}`: remove the edge from ARCHITECTURE.md")
            }),
        );
        if !allowed.contains_key(name) {
            problems.push(format!(
                "`{name}` is not listed in ARCHITECTURE.md: add a line for it"
            ));
        }
        if !real.contains_key(name) {
            problems.push(format!(
                "`{name}` is not a crate: remove its line from ARCHITECTURE.md"
            ));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const LIST: &str = "# Map\n\n```layers\nvalues:\nweb: values\n```\n\nstore: web\n";

    fn metadata(web_on: &[&str]) -> Value {
        let on: Vec<Value> = web_on
            .iter()
            .map(|name| json!({"name": name, "kind": null}))
            .chain([
                json!({"name": "magpie-sqlite", "kind": "dev"}),
                json!({"name": "serde", "kind": null}),
            ])
            .collect();
        json!({"packages": [
            {"name": "magpie-values", "dependencies": []},
            {"name": "magpie-web", "dependencies": on},
        ]})
    }

    #[test]
    fn listed_edges_are_allowed() {
        let problems = compared(
            &allowed(LIST).expect("a list"),
            &real(&metadata(&["magpie-values"])),
        );
        assert_eq!(problems, Vec::<String>::new());
    }

    #[test]
    fn edges_that_are_not_listed_and_not_there_are_told() {
        let list = allowed("```layers\nvalues: web\nweb:\n```\n").expect("a list");
        let problems = compared(&list, &real(&metadata(&["magpie-values"])));
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(problems[0].starts_with("`values` no longer depends on `web`"));
        assert!(problems[1].starts_with("`web` depends on `values`"));
    }

    #[test]
    fn crates_are_listed_and_lines_are_crates() {
        let list = allowed("```layers\nvalues:\nold:\n```\n").expect("a list");
        let problems = compared(&list, &real(&metadata(&[])));
        assert!(
            problems
                .iter()
                .any(|problem| problem.contains("`web` is not listed"))
        );
        assert!(
            problems
                .iter()
                .any(|problem| problem.contains("`old` is not a crate"))
        );
    }

    #[test]
    fn a_page_without_a_list_is_an_error() {
        assert!(allowed("# Map\n").is_err());
        assert!(allowed("```layers\nvalues\n```\n").is_err());
    }
}
