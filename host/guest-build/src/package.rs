//! What `cargo metadata` says about a guest's package and those it is made of.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::command::capture;
use crate::{Error, Metadata, Result, TARGET, Toolchain};

/// A workspace, with all packages its members depend on.
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
    /// Where it was downloaded from; none for a package that lies in a folder.
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
    /// `dev`, `build`, or none for the usual kind.
    kind: Option<String>,
}

impl Workspace {
    /// Asks cargo about the workspace that the package in `crate_dir` belongs to.
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

    /// The package whose manifest lies in a folder.
    pub(crate) fn package_in(&self, crate_dir: &Path) -> Option<&Package> {
        self.packages
            .iter()
            .find(|package| package.manifest_path.parent() == Some(crate_dir))
    }

    /// Whether a package belongs to the workspace, rather than being one that its members depend on.
    pub(crate) fn has_member(&self, package: &Package) -> bool {
        self.members.contains(&package.id)
    }

    /// Folders that hold packages downloaded by cargo.
    pub(crate) fn download_dirs(&self) -> BTreeSet<&Path> {
        let downloaded = self.packages.iter().filter(|package| package.source.is_some());
        downloaded
            .filter_map(|package| package.manifest_path.parent()?.parent())
            .collect()
    }

    /// The package and all it is made of, as far as they lie in folders; downloaded ones don't change.
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
    /// Whether it becomes a `.wasm` file.
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

    /// Its folder.
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
    /// Whether it takes part in the library, rather than in its tests alone.
    fn is_built_in(&self) -> bool {
        self.dep_kinds
            .iter()
            .any(|each| each.kind.as_deref() != Some("dev"))
    }
}
