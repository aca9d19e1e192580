//! `plugin build`: from a project's folder to its component, in whatever language it is written.

use std::path::{Path, PathBuf};

use magpie_guest_build::{BuildRequest, Built, Toolchain, Way, build};

/// Where a project's component goes, below its folder.
const DIST: &str = "dist";

/// Why a project could not be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The folder is no project.
    #[error("{} is no plugin project: it has no Cargo.toml; make one with `magpie plugin new {}`", .0.display(), .0.display())]
    NoProject(PathBuf),
    /// The name of the package can't be read.
    #[error("{} names no package; a plugin is a package of its own, not a workspace", .0.display())]
    NoPackage(PathBuf),
    /// The build failed.
    #[error(transparent)]
    Build(#[from] magpie_guest_build::Error),
}

/// What is to be built.
#[derive(Clone, Debug)]
pub struct Project {
    folder: PathBuf,
    name: String,
}

impl Project {
    /// The project in a folder.
    pub fn open(folder: &Path) -> Result<Self, BuildError> {
        let manifest = folder.join("Cargo.toml");
        let text =
            std::fs::read_to_string(&manifest).map_err(|_| BuildError::NoProject(folder.to_owned()))?;
        let table: toml::Table = text
            .parse()
            .map_err(|_| BuildError::NoPackage(manifest.clone()))?;
        let name = table
            .get("package")
            .and_then(|package| package.get("name"))
            .and_then(toml::Value::as_str);
        let name = name.ok_or(BuildError::NoPackage(manifest))?.to_owned();
        Ok(Self {
            folder: folder.to_owned(),
            name,
        })
    }

    /// Where its component is, or will be.
    pub fn component(&self) -> PathBuf {
        self.folder.join(DIST).join(format!("{}.wasm", self.name))
    }

    /// Its fixtures.
    pub fn fixtures(&self) -> PathBuf {
        self.folder.join("fixtures")
    }

    /// Builds the component unless nothing changed; providing the Wasm target is part of it.
    pub fn build(&self, out: Option<&Path>, way: Way, tell: &dyn Fn(&str)) -> Result<Built, BuildError> {
        let toolchain = Toolchain::provide(way, tell)?;
        let out = out.map_or_else(|| self.component(), Path::to_owned);
        let request = BuildRequest::new(&self.folder, self.folder.join("target/wasm"), out);
        Ok(build(&toolchain, &request, tell)?)
    }
}
