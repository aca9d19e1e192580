//! Guests in other languages, which the languages' own tools build.
//!
//! A project says by its manifest which language it is written in and what it is called. Its tools are
//! installed into its folder, run, and leave a component in `dist`; that is stamped and remembered
//! like any other.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use serde_json::Value;

use crate::command::{clean_command, describe, stream};
use crate::inputs::{Inputs, Snapshot, is_hidden_or_made};
use crate::{Built, Error, Metadata, Result, batch, cache, stamp};

/// A language with tools of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// By npm, as the project's `build` script says.
    JavaScript,
    /// By the build script of the package that the project names.
    Python,
}

impl Language {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::JavaScript, Self::Python];

    /// The language of the project in a folder.
    pub fn of(folder: &Path) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|language| folder.join(language.manifest()).is_file())
    }

    /// The file that makes a folder a project.
    pub fn manifest(self) -> &'static str {
        match self {
            Self::JavaScript => "package.json",
            Self::Python => "pyproject.toml",
        }
    }

    /// The program that everything else is done with.
    pub fn program(self) -> &'static str {
        match self {
            Self::JavaScript => "npm",
            Self::Python => "python3",
        }
    }

    /// How a person comes by the program.
    pub(crate) fn remedy(self) -> &'static str {
        match self {
            Self::JavaScript => {
                "install Node.js 20 or later with npm: https://nodejs.org, or `apt-get install nodejs npm`"
            }
            Self::Python => {
                "install Python 3.11 or later: https://python.org, or `apt-get install python3 python3-venv`"
            }
        }
    }

    /// Whether the program is there.
    pub fn is_here(self) -> bool {
        let mut command = clean_command(Path::new(self.program()));
        crate::command::capture(command.arg("--version")).is_ok()
    }
}

/// A project in another language.
#[derive(Debug, Clone)]
pub struct Foreign {
    folder: PathBuf,
    language: Language,
    metadata: Metadata,
    /// The package that the guest is written with, and whatever else lies elsewhere.
    packages: Vec<PathBuf>,
}

impl Foreign {
    /// Reads a project's manifest.
    pub fn open(folder: &Path) -> Result<Self> {
        let language = Language::of(folder).ok_or_else(|| Error::NoProject {
            folder: folder.to_owned(),
        })?;
        let folder = std::fs::canonicalize(folder).map_err(Error::file("find", folder))?;
        let path = folder.join(language.manifest());
        let text = std::fs::read_to_string(&path).map_err(Error::file("read", &path))?;
        let (metadata, packages) = match language {
            Language::JavaScript => read_package_json(&text),
            Language::Python => read_pyproject(&text),
        }
        .map_err(|problem| Error::Manifest { path, problem })?;
        let find = |package: &PathBuf| {
            std::fs::canonicalize(folder.join(package)).map_err(Error::file("find", folder.join(package)))
        };
        let packages = packages.iter().map(find).collect::<Result<_>>()?;
        Ok(Self {
            folder,
            language,
            metadata,
            packages,
        })
    }

    /// The language it is written in.
    pub fn language(&self) -> Language {
        self.language
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.metadata.name
    }

    /// Where its tools leave the component.
    pub fn component(&self) -> PathBuf {
        self.folder
            .join("dist")
            .join(format!("{}.wasm", self.metadata.name))
    }

    /// Builds the component, unless it is there and made from what is there now.
    pub fn build(&self, out: &Path, progress: &dyn Fn(&str)) -> Result<Built> {
        let out = batch::full(out)?;
        let inputs = self.inputs()?;
        let recipe = self.recipe(&inputs);
        if let Some(built) = cache::lookup(&recipe, &out, &mut Snapshot::default()) {
            return Ok(built);
        }
        let started = SystemTime::now();
        for mut command in self.commands() {
            progress(&format!("{}: {}", self.metadata.name, describe(&command)));
            self.run(command.current_dir(&self.folder), progress)?;
        }
        let made = self.component();
        let component = std::fs::read(&made).map_err(Error::file("read", &made))?;
        let component = stamp(&component, &self.metadata).map_err(|error| Error::Component {
            package: self.metadata.name.clone(),
            source: Box::new(error),
        })?;
        // The tools may have written a lock file, which is an input from now on.
        let inputs = self.inputs()?;
        let recipe = self.recipe(&inputs);
        cache::store(
            &recipe,
            &out,
            &component,
            &inputs,
            &mut Snapshot::default(),
            started,
        )
    }

    fn commands(&self) -> Vec<Command> {
        let command = |arguments: &[&str]| {
            let mut command = clean_command(Path::new(self.language.program()));
            command.args(arguments);
            command
        };
        match self.language {
            Language::JavaScript => vec![
                command(&["install", "--no-audit", "--no-fund", "--loglevel=error"]),
                command(&["run", "build"]),
            ],
            Language::Python => {
                let scripts = self.packages.iter().map(|package| package.join("build.py"));
                scripts
                    .map(|script| command(&[&script.to_string_lossy()]))
                    .collect()
            }
        }
    }

    fn run(&self, command: &mut Command, progress: &dyn Fn(&str)) -> Result<()> {
        let finished = stream(command, progress)?;
        if finished.status.success() {
            return Ok(());
        }
        Err(Error::Foreign {
            package: self.metadata.name.clone(),
            what: describe(command),
            output: [finished.stdout.trim_end(), &finished.complaints]
                .join("\n")
                .trim()
                .to_owned(),
        })
    }

    /// Everything in the folder but what tools made and what only tests look at.
    fn inputs(&self) -> Result<Inputs> {
        let mut inputs = Inputs::default();
        let entries = std::fs::read_dir(&self.folder).map_err(Error::file("list", &self.folder))?;
        for entry in entries.flatten() {
            let name = entry.file_name();
            if is_hidden_or_made(&name) || ["fixtures", "test", "tests"].iter().any(|tests| name == *tests) {
                continue;
            }
            let target = if entry.path().is_dir() {
                &mut inputs.roots
            } else {
                &mut inputs.files
            };
            target.insert(entry.path());
        }
        for package in &self.packages {
            // The contract lies in the package, or in Magpie's own tree above it.
            let contracts = package.ancestors().skip(1).take(2).map(|above| above.join("wit"));
            inputs.roots.extend(contracts.filter(|wit| wit.is_dir()));
            inputs.roots.insert(package.clone());
        }
        Ok(inputs)
    }

    /// The names are a part of it, so that one that appears counts as a change.
    fn recipe(&self, inputs: &Inputs) -> String {
        let names: BTreeSet<_> = inputs.roots.iter().chain(&inputs.files).collect();
        let names: Vec<String> = names.into_iter().map(|path| path.display().to_string()).collect();
        cache::recipe(&[self.language.program(), &names.join("\n")])
    }
}

type Manifest = std::result::Result<(Metadata, Vec<PathBuf>), String>;

fn read_package_json(text: &str) -> Manifest {
    let manifest: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let string = |name: &str| manifest.get(name).and_then(Value::as_str).map(str::to_owned);
    let author = match manifest.get("author") {
        Some(Value::Object(author)) => author.get("name").and_then(Value::as_str).map(str::to_owned),
        _ => string("author"),
    };
    let name = string("name").ok_or("it has no `name`")?;
    let metadata = Metadata {
        // Without the scope: `@acme/jobs`.
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
    Ok((metadata, local.map(PathBuf::from).collect()))
}

fn read_pyproject(text: &str) -> Manifest {
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
        licenses: string("license"),
        ..Metadata::default()
    };
    let magpie = manifest.get("tool").and_then(|tool| tool.get("magpie"));
    let package = magpie
        .and_then(|magpie| magpie.get("package"))
        .and_then(toml::Value::as_str);
    let package = package.ok_or(
        "[tool.magpie] has no line `package = \"vendor/magpie_vertical\"`, which says where the package is that it is written with",
    )?;
    Ok((metadata, vec![PathBuf::from(package)]))
}

/// A name becomes a file's: it must not lead elsewhere.
fn checked_name(name: &str) -> std::result::Result<String, String> {
    let sound = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || name.starts_with('.') || !name.chars().all(sound) {
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

        let (metadata, packages) = read_pyproject(
            "[project]\nname = \"recipes\"\nversion = \"0.1.0\"\n[tool.magpie]\npackage = \"vendor/x\"\n",
        )
        .unwrap();
        assert_eq!(
            (metadata.name.as_str(), metadata.version.as_str()),
            ("recipes", "0.1.0")
        );
        assert_eq!(packages, [PathBuf::from("vendor/x")]);
    }

    #[test]
    fn what_a_manifest_lacks_is_said() {
        for (problem, told) in [
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
            assert!(problem.contains(told), "{problem}");
        }
    }

    #[test]
    fn a_language_is_known_by_its_manifest() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Language::of(folder.path()), None);
        for language in Language::ALL {
            let project = folder.path().join(language.program());
            std::fs::create_dir(&project).unwrap();
            std::fs::write(project.join(language.manifest()), "").unwrap();
            assert_eq!(Language::of(&project), Some(language));
        }
    }
}
