//! Guests in other languages, built by the tools of those languages.
//!
//! A project's manifest determines its language and name. Its dependencies are installed into its
//! folder, and its build leaves a component in `dist`. The component gets metadata and is cached
//! like any other.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use crate::command::{clean_command, describe, stream};
use crate::component::stamp;
use crate::inputs::{Inputs, Snapshot, is_hidden_or_generated};
use crate::{Built, Error, Language, Metadata, Result, batch, cache};

mod install;
mod manifest;

use install::Installation;
use manifest::{read_package_json, read_pyproject};

#[derive(Debug, Clone)]
pub struct Foreign {
    folder: PathBuf,
    language: Language,
    metadata: Metadata,
    /// The SDK package with which the guest is written, other local dependencies, and the contract
    /// if the manifest names it.
    packages: Vec<PathBuf>,
}

impl Foreign {
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

    pub fn language(&self) -> Language {
        self.language
    }

    pub fn name(&self) -> &str {
        &self.metadata.name
    }

    /// Path at which its tools leave the component.
    fn component(&self) -> PathBuf {
        self.folder
            .join("dist")
            .join(format!("{}.wasm", self.metadata.name))
    }

    /// Builds the component, unless it exists and its inputs are unchanged.
    pub fn build(&self, out: &Path, progress: &dyn Fn(&str)) -> Result<Built> {
        let out = batch::absolute_path(out)?;
        let inputs = self.inputs()?;
        let recipe = self.recipe(&inputs);
        if let Some(built) = cache::lookup(&recipe, &out, &mut Snapshot::default()) {
            return Ok(built);
        }
        let started = SystemTime::now();
        self.install(progress)?;
        for command in self.build_commands() {
            self.run(command, progress)?;
        }
        let output = self.component();
        let component = std::fs::read(&output).map_err(Error::file("read", &output))?;
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

    /// Installs the project's packages with npm, unless they are installed. Python needs no such
    /// step: its build script installs them.
    fn install(&self, progress: &dyn Fn(&str)) -> Result<()> {
        if self.language != Language::JavaScript {
            return Ok(());
        }
        let installation = Installation::of(&self.folder, &self.packages);
        if !installation.is_done() {
            let arguments = ["install", "--no-audit", "--no-fund", "--loglevel=error"];
            self.run(self.command(&arguments), progress)?;
            installation.record()?;
        }
        Ok(())
    }

    fn build_commands(&self) -> Vec<Command> {
        match self.language {
            Language::JavaScript => vec![self.command(&["run", "build"])],
            Language::Python => {
                let scripts = self.packages.iter().map(|package| package.join("build.py"));
                let here = |script: PathBuf| {
                    script
                        .strip_prefix(&self.folder)
                        .map(Path::to_owned)
                        .unwrap_or(script)
                };
                scripts
                    .map(|script| self.command(&[&here(script).to_string_lossy()]))
                    .collect()
            }
        }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = clean_command(Path::new(self.language.program()));
        command.args(arguments).current_dir(&self.folder);
        command
    }

    fn run(&self, mut command: Command, progress: &dyn Fn(&str)) -> Result<()> {
        progress(&format!("{}: {}", self.metadata.name, describe(&command)));
        let finished = stream(&mut command, progress)?;
        if finished.status.success() {
            return Ok(());
        }
        Err(Error::Foreign {
            package: self.metadata.name.clone(),
            what: describe(&command),
            output: [finished.stdout.trim_end(), &finished.stderr_tail]
                .join("\n")
                .trim()
                .to_owned(),
        })
    }

    /// Collects everything in the folder except generated files and files used only by tests.
    fn inputs(&self) -> Result<Inputs> {
        let mut inputs = Inputs::default();
        let entries = std::fs::read_dir(&self.folder).map_err(Error::file("list", &self.folder))?;
        for entry in entries.flatten() {
            let name = entry.file_name();
            if is_hidden_or_generated(&name)
                || ["fixtures", "test", "tests"].iter().any(|tests| name == *tests)
            {
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
            // The contract is in the package, or in Magpie's own tree above it.
            let contracts = package.ancestors().skip(1).take(2).map(|above| above.join("wit"));
            inputs.roots.extend(contracts.filter(|wit| wit.is_dir()));
            inputs.roots.insert(package.clone());
        }
        Ok(inputs)
    }

    /// Hash that includes the names of the inputs, so that a new input counts as a change.
    fn recipe(&self, inputs: &Inputs) -> String {
        let names: BTreeSet<_> = inputs.roots.iter().chain(&inputs.files).collect();
        let names: Vec<String> = names.into_iter().map(|path| path.display().to_string()).collect();
        cache::recipe(&[self.language.program(), &names.join("\n")])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
