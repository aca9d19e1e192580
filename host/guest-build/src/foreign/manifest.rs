//! Parsing of project manifests, for each language.

use std::path::PathBuf;

use serde_json::Value;

use crate::Metadata;

pub(super) type Manifest = Result<(Metadata, Vec<PathBuf>), String>;

pub(super) fn read_package_json(text: &str) -> Manifest {
    let manifest: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let string = |name: &str| manifest.get(name).and_then(Value::as_str).map(str::to_owned);
    let author = match manifest.get("author") {
        Some(Value::Object(author)) => {
            let part = |name: &str| author.get(name).and_then(Value::as_str);
            person(part("name"), part("email"))
        }
        _ => string("author"),
    };
    let name = string("name").ok_or("it has no `name`")?;
    let metadata = Metadata {
        // The scope is removed: `@acme/jobs`.
        name: checked_name(name.rsplit('/').next().unwrap_or(&name))?,
        version: string("version").ok_or("it has no `version`")?,
        description: string("description"),
        authors: author,
        licenses: string("license"),
        homepage: string("homepage"),
        source: None,
    };
    let groups =
        ["dependencies", "devDependencies"].map(|name| manifest.get(name).and_then(Value::as_object));
    let packages = groups.into_iter().flatten().flat_map(|group| group.values());
    let local = packages.filter_map(|version| version.as_str()?.strip_prefix("file:"));
    // A project without an SDK names the contract, which its build script reads.
    let contract = manifest.pointer("/config/wit").and_then(Value::as_str);
    Ok((metadata, local.chain(contract).map(PathBuf::from).collect()))
}

pub(super) fn read_pyproject(text: &str) -> Manifest {
    let manifest: toml::Table = text
        .parse()
        .map_err(|error: toml::de::Error| error.message().to_owned())?;
    let project = manifest
        .get("project")
        .and_then(toml::Value::as_table)
        .ok_or("it has no table [project]")?;
    let string = |name: &str| project.get(name).and_then(toml::Value::as_str).map(str::to_owned);
    let metadata = Metadata {
        name: checked_name(&string("name").ok_or("[project] has no `name`")?)?,
        version: string("version").ok_or("[project] has no `version`")?,
        description: string("description"),
        authors: authors(project),
        licenses: string("license").or_else(|| {
            // The older form, from before SPDX expressions.
            let text = project.get("license")?.get("text")?;
            text.as_str().map(str::to_owned)
        }),
        homepage: project_url(project, "homepage"),
        source: project_url(project, "repository").or_else(|| project_url(project, "source")),
    };
    let magpie = manifest.get("tool").and_then(|tool| tool.get("magpie"));
    let package = magpie
        .and_then(|magpie| magpie.get("package"))
        .and_then(toml::Value::as_str);
    let package = package.ok_or(
        "[tool.magpie] has no line `package = \"vendor/magpie_vertical\"`, the path of the SDK package",
    )?;
    Ok((metadata, vec![PathBuf::from(package)]))
}

/// Joins the authors of a pyproject.toml: `[{name, email}]`.
fn authors(project: &toml::Table) -> Option<String> {
    let listed = project.get("authors")?.as_array()?;
    let names = listed.iter().filter_map(|author| {
        let part = |name: &str| author.get(name).and_then(toml::Value::as_str);
        person(part("name"), part("email"))
    });
    let names: Vec<String> = names.collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// Returns a URL in `[project.urls]`; the case of its name does not matter.
fn project_url(project: &toml::Table, wanted: &str) -> Option<String> {
    let urls = project.get("urls")?.as_table()?;
    let found = urls.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted))?;
    found.1.as_str().map(str::to_owned)
}

/// Formats a person as `Ada Lark <ada@example.org>`, or with only one of the two.
fn person(name: Option<&str>, email: Option<&str>) -> Option<String> {
    match (name, email) {
        (Some(name), Some(email)) => Some(format!("{name} <{email}>")),
        (one, other) => one.or(other).map(str::to_owned),
    }
}

/// Checks that a name is safe as a file name.
fn checked_name(name: &str) -> Result<String, String> {
    let is_safe = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || name.starts_with('.') || !name.chars().all(is_safe) {
        return Err(format!("`{name}` can't be the name of a file"));
    }
    Ok(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_are_read() {
        let (metadata, packages) = read_package_json(
            r#"{"name": "@acme/jobs", "version": "1.2.0", "description": "Jobs.", "author": {"name": "A"},
                "dependencies": {"magpie-vertical": "file:vendor/magpie-vertical", "other": "1.0.0"}}"#,
        )
        .unwrap();
        assert_eq!(
            (metadata.name.as_str(), metadata.version.as_str()),
            ("jobs", "1.2.0")
        );
        assert_eq!(metadata.authors.as_deref(), Some("A"));
        assert_eq!(packages, [PathBuf::from("vendor/magpie-vertical")]);

        let text = r#"{"name": "talks", "version": "0.1.0", "config": {"wit": "../../wit"}}"#;
        assert_eq!(read_package_json(text).unwrap().1, [PathBuf::from("../../wit")]);

        let (metadata, packages) = read_pyproject(
            "[project]\nname = \"recipes\"\nversion = \"0.1.0\"\nlicense = {text = \"MIT\"}\n\
             authors = [{name = \"Ada Lark\", email = \"ada@example.org\"}, {name = \"Bo\"}]\n\
             urls = {Homepage = \"https://example.org/\"}\n[tool.magpie]\npackage = \"vendor/x\"\n",
        )
        .unwrap();
        assert_eq!(
            (metadata.name.as_str(), metadata.version.as_str()),
            ("recipes", "0.1.0")
        );
        assert_eq!(
            metadata.authors.as_deref(),
            Some("Ada Lark <ada@example.org>, Bo")
        );
        assert_eq!(metadata.licenses.as_deref(), Some("MIT"));
        assert_eq!(metadata.homepage.as_deref(), Some("https://example.org/"));
        assert_eq!(packages, [PathBuf::from("vendor/x")]);
    }

    #[test]
    fn missing_manifest_fields_are_reported() {
        for (problem, expected) in [
            (read_package_json("{").unwrap_err(), "EOF"),
            (read_package_json("{}").unwrap_err(), "no `name`"),
            (
                read_package_json(r#"{"name": "../x"}"#).unwrap_err(),
                "no `version`",
            ),
            (
                read_package_json(r#"{"name": "..", "version": "1"}"#).unwrap_err(),
                "name of a file",
            ),
            (read_pyproject("[project").unwrap_err(), "table"),
            (read_pyproject("").unwrap_err(), "[project]"),
            (
                read_pyproject("[project]\nname = \"a\"\nversion = \"1\"").unwrap_err(),
                "package =",
            ),
        ] {
            assert!(problem.contains(expected), "{problem}");
        }
    }
}
