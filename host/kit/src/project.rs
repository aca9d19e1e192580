//! `plugin build`: from a project's folder to its component, in whatever language it is written.

use std::path::{Path, PathBuf};

use magpie_guest_build::{BuildRequest, Built, Error, Foreign, Language, Toolchain, Way, build};

/// Folder for the component of a project.
const DIST: &str = "dist";

/// Reason why a project could not be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A file was given.
    #[error("{} is a file; pass the project's folder", .0.display())]
    NoFolder(PathBuf),
    /// The name of the package can't be read.
    #[error("{} has no [package]; a plugin is a package of its own, not a workspace", .0.display())]
    NoPackage(PathBuf),
    /// The build failed, or there is nothing to build.
    #[error(transparent)]
    Build(#[from] Error),
}

#[derive(Clone, Debug)]
pub struct Project {
    folder: PathBuf,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Rust { name: String },
    Foreign(Foreign),
}

impl Project {
    pub fn open(folder: &Path) -> Result<Self, BuildError> {
        if folder.is_file() {
            return Err(BuildError::NoFolder(folder.to_owned()));
        }
        let manifest = folder.join("Cargo.toml");
        // A project may hold manifests of several languages, for tools; Cargo's counts first.
        let kind = if !manifest.is_file() && Language::of(folder).is_some() {
            Kind::Foreign(Foreign::open(folder)?)
        } else {
            Kind::Rust {
                name: package_name(folder, manifest)?,
            }
        };
        Ok(Self {
            folder: folder.to_owned(),
            kind,
        })
    }

    fn component(&self) -> PathBuf {
        let name = match &self.kind {
            Kind::Rust { name } => name,
            Kind::Foreign(foreign) => foreign.name(),
        };
        self.folder.join(DIST).join(format!("{name}.wasm"))
    }

    pub fn fixtures(&self) -> PathBuf {
        self.folder.join("fixtures")
    }

    /// Builds the component unless nothing changed; providing the tools is part of it. Cargo
    /// compiles in `target_dir`, by default in the project's `target/wasm`.
    pub fn build(
        &self,
        out: Option<&Path>,
        target_dir: Option<&Path>,
        way: Way,
        tell: &dyn Fn(&str),
    ) -> Result<Built, BuildError> {
        let out = out.map_or_else(|| self.component(), Path::to_owned);
        if let Kind::Foreign(foreign) = &self.kind {
            return Ok(foreign.build(&out, tell)?);
        }
        let toolchain = Toolchain::provide(way, tell)?;
        let target_dir = target_dir.map_or_else(|| self.folder.join("target/wasm"), Path::to_owned);
        let request = BuildRequest::new(&self.folder, target_dir, out);
        Ok(build(&toolchain, &request, tell)?)
    }
}

fn package_name(folder: &Path, manifest: PathBuf) -> Result<String, BuildError> {
    let text = std::fs::read_to_string(&manifest).map_err(|_| Error::NoProject {
        folder: folder.to_owned(),
    })?;
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| Error::Manifest {
        path: manifest.clone(),
        problem: error.to_string().trim_end().to_owned(),
    })?;
    let name = table
        .get("package")
        .and_then(|package| package.get("name")?.as_str());
    name.map(str::to_owned).ok_or(BuildError::NoPackage(manifest))
}
