//! Metadata of a guest's package and its dependencies, from `cargo metadata`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::command::capture;
use crate::{Error, Metadata, Result, TARGET, Toolchain};

/// A workspace with all packages on which its members depend.
#[derive(Deserialize)]
pub(crate) struct Workspace {
    #[serde(rename = "workspace_root")]
    pub(crate) root: PathBuf,
    #[serde(rename = "workspace_members")]
    members: BTreeSet<String>,
    packages: Vec<Package>,
    resolve: Resolve,
}

#[derive(Deserialize)]
pub(crate) struct Package {
    pub(crate) id: String,
    pub(crate) name: String,
    version: String,
    description: Option<String>,
    authors: Vec<String>,
    license: Option<String>,
    homepage: Option<String>,
    repository: Option<String>,
    /// Source of a downloaded package; `None` for a local one.
    source: Option<String>,
    pub(crate) manifest_path: PathBuf,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    kind: Vec<String>,
    crate_types: Vec<String>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    pkg: String,
    dep_kinds: Vec<DependencyKind>,
}

#[derive(Deserialize)]
struct DependencyKind {
    /// `dev`, `build`, or `None` for a normal dependency.
    kind: Option<String>,
}

impl Workspace {
    /// Asks cargo for the workspace of the package in `crate_dir`.
    pub(crate) fn of(toolchain: &Toolchain, crate_dir: &Path, locked: bool) -> Result<Self> {
        let mut cargo = toolchain.cargo("metadata");
        cargo
            .args(["--format-version", "1", "--filter-platform", TARGET])
            .current_dir(crate_dir);
        if locked {
            cargo.arg("--locked");
        }
        let text = capture(&mut cargo)?;
        serde_json::from_str(&text).map_err(|source| Error::CargoOutput {
            what: "metadata",
            source,
        })
    }

    /// Package whose manifest is in a folder.
    pub(crate) fn package_in(&self, crate_dir: &Path) -> Option<&Package> {
        self.packages
            .iter()
            .find(|package| package.manifest_path.parent() == Some(crate_dir))
    }

    /// Returns true if a package is a member of the workspace, not a mere dependency.
    pub(crate) fn has_member(&self, package: &Package) -> bool {
        self.members.contains(&package.id)
    }

    pub(crate) fn download_dirs(&self) -> BTreeSet<&Path> {
        let downloaded = self.packages.iter().filter(|package| package.source.is_some());
        downloaded
            .filter_map(|package| package.manifest_path.parent()?.parent())
            .collect()
    }

    /// The package and its local dependencies; downloaded packages don't change.
    pub(crate) fn local_closure(&self, package: &Package) -> Vec<&Package> {
        let packages: BTreeMap<&str, &Package> = self
            .packages
            .iter()
            .map(|each| (each.id.as_str(), each))
            .collect();
        let nodes: BTreeMap<&str, &Node> = self
            .resolve
            .nodes
            .iter()
            .map(|node| (node.id.as_str(), node))
            .collect();
        let mut found: BTreeMap<&str, &Package> = BTreeMap::new();
        let mut open = vec![package.id.as_str()];
        while let Some(id) = open.pop() {
            let Some(package) = packages.get(id).filter(|package| package.source.is_none()) else {
                continue;
            };
            if found.insert(id, package).is_some() {
                continue;
            }
            let dependencies = nodes.get(id).into_iter().flat_map(|node| &node.deps);
            open.extend(
                dependencies
                    .filter(|each| each.is_built_in())
                    .map(|each| each.pkg.as_str()),
            );
        }
        found.into_values().collect()
    }
}

impl Package {
    /// Returns true if the package is built to a `.wasm` file.
    pub(crate) fn is_dynamic_library(&self) -> bool {
        self.targets
            .iter()
            .any(|target| target.crate_types.iter().any(|kind| kind == "cdylib"))
    }

    pub(crate) fn has_build_script(&self) -> bool {
        self.targets
            .iter()
            .any(|target| target.kind.iter().any(|kind| kind == "custom-build"))
    }

    pub(crate) fn dir(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(Path::new("/"))
    }

    pub(crate) fn metadata(&self) -> Metadata {
        Metadata {
            name: self.name.clone(),
            version: self.version.clone(),
            description: self.description.as_deref().map(|text| text.trim().to_owned()),
            authors: (!self.authors.is_empty()).then(|| self.authors.join(", ")),
            licenses: self.license.clone(),
            homepage: self.homepage.clone(),
            source: self.repository.clone(),
        }
    }
}

impl Dependency {
    /// Returns true if the dependency is part of the library, not only of its tests.
    fn is_built_in(&self) -> bool {
        self.dep_kinds
            .iter()
            .any(|each| each.kind.as_deref() != Some("dev"))
    }
}
