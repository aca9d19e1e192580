//! Batch builds: groups the stale guests by workspace and runs cargo once per group.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::compile::{Settings, compile, default_profile};
use crate::component::componentize;
use crate::inputs::{Snapshot, inputs_of};
use crate::package::{Package, Workspace};
use crate::{BuildRequest, Built, Error, Result, Toolchain, cache};

pub fn build(toolchain: &Toolchain, request: &BuildRequest, progress: &dyn Fn(&str)) -> Result<Built> {
    let mut built = build_all(toolchain, std::slice::from_ref(request), progress)?;
    built.pop().ok_or_else(|| Error::NoPackage {
        directory: request.crate_dir.clone(),
    })
}

/// Builds guests and returns them in the order of the requests. Guests with the same workspace,
/// target folder and profile are compiled by one run of cargo, which is much faster than one run
/// each. The first failure aborts the build.
///
/// Cargo unifies the features of dependencies among the packages of one run. So a guest built
/// together with others may differ, in size and hash, from the same guest built alone.
pub fn build_all(
    toolchain: &Toolchain,
    requests: &[BuildRequest],
    progress: &dyn Fn(&str),
) -> Result<Vec<Built>> {
    let requests = requests.iter().map(absolute).collect::<Result<Vec<_>>>()?;
    // One snapshot for all requests, since guests share most of their inputs.
    let mut before = Snapshot::default();
    let mut built: Vec<Option<Built>> = requests
        .iter()
        .map(|request| cache::lookup(&recipe(toolchain, request), &request.out, &mut before))
        .collect();
    let stale: Vec<usize> = (0..requests.len())
        .filter(|&index| built[index].is_none())
        .collect();
    // Taken before cargo reads any source, so that a change during the build is noticed.
    let started = SystemTime::now();
    for batch in batches(toolchain, &requests, &stale)? {
        for (index, done) in run(toolchain, &batch, &requests, started, progress)? {
            built[index] = Some(done);
        }
    }
    Ok(built.into_iter().flatten().collect())
}

/// Requests for one run of cargo, by their indexes.
struct Batch {
    workspace: Workspace,
    target_dir: PathBuf,
    profile: String,
    locked: bool,
    members: Vec<usize>,
}

impl Batch {
    fn takes(&self, request: &BuildRequest) -> bool {
        let same_profile = request
            .profile
            .as_ref()
            .is_none_or(|profile| *profile == self.profile);
        self.target_dir == request.target_dir
            && self.locked == request.locked
            && same_profile
            && self
                .workspace
                .package_in(&request.crate_dir)
                .is_some_and(|package| self.workspace.has_member(package))
    }
}

fn batches(toolchain: &Toolchain, requests: &[BuildRequest], stale: &[usize]) -> Result<Vec<Batch>> {
    let mut batches: Vec<Batch> = Vec::new();
    for &index in stale {
        let request = &requests[index];
        // A batch that already exists saves a run of `cargo metadata` for this guest, too.
        if let Some(batch) = batches.iter_mut().find(|batch| batch.takes(request)) {
            batch.members.push(index);
            continue;
        }
        let workspace = Workspace::of(toolchain, &request.crate_dir, request.locked)?;
        let profile = match &request.profile {
            Some(profile) => profile.clone(),
            None => default_profile(&workspace)?.to_owned(),
        };
        let target_dir = request.target_dir.clone();
        batches.push(Batch {
            workspace,
            target_dir,
            profile,
            locked: request.locked,
            members: vec![index],
        });
    }
    Ok(batches)
}

fn run(
    toolchain: &Toolchain,
    batch: &Batch,
    requests: &[BuildRequest],
    started: SystemTime,
    progress: &dyn Fn(&str),
) -> Result<Vec<(usize, Built)>> {
    let members = batch.members.iter().map(|&index| (index, &requests[index]));
    let members =
        members.map(|(index, request)| Ok((index, request, guest_package(&batch.workspace, request)?)));
    let members = members.collect::<Result<Vec<_>>>()?;
    let packages: Vec<&Package> = members.iter().map(|(_, _, package)| *package).collect();
    let settings = Settings {
        target_dir: &batch.target_dir,
        profile: &batch.profile,
        locked: batch.locked,
    };
    let modules = compile(toolchain, &batch.workspace, &packages, &settings, progress)?;
    // A new snapshot: sources may have changed since the lookup, and the lock file probably has.
    let mut after = Snapshot::default();
    let mut built = Vec::with_capacity(members.len());
    for (index, request, package) in members {
        let module = modules.get(&package.id).ok_or_else(|| Error::NoModule {
            package: package.name.clone(),
        })?;
        let bytes = std::fs::read(module).map_err(Error::file("read", module))?;
        let component = componentize(&bytes, &package.metadata()).map_err(|error| Error::Component {
            package: package.name.clone(),
            source: Box::new(error),
        })?;
        let inputs = inputs_of(&batch.workspace, package, module);
        let recipe = recipe(toolchain, request);
        let stored = cache::store(&recipe, &request.out, &component, &inputs, &mut after, started)?;
        built.push((index, stored));
    }
    Ok(built)
}

fn recipe(toolchain: &Toolchain, request: &BuildRequest) -> String {
    cache::recipe(&[
        &toolchain.identity(),
        request.profile.as_deref().unwrap_or_default(),
        &request.crate_dir.display().to_string(),
    ])
}

pub(crate) fn guest_package<'a>(workspace: &'a Workspace, request: &BuildRequest) -> Result<&'a Package> {
    let package = workspace
        .package_in(&request.crate_dir)
        .ok_or_else(|| Error::NoPackage {
            directory: request.crate_dir.clone(),
        })?;
    if !package.is_dynamic_library() {
        return Err(Error::NoDynamicLibrary {
            package: package.name.clone(),
            manifest: package.manifest_path.clone(),
        });
    }
    Ok(package)
}

/// Returns the request with absolute paths, since cargo runs in the workspace's folder.
pub(crate) fn absolute(request: &BuildRequest) -> Result<BuildRequest> {
    let manifest = request.crate_dir.join("Cargo.toml");
    if !manifest.exists() {
        return Err(Error::NoPackage {
            directory: request.crate_dir.clone(),
        });
    }
    let crate_dir =
        std::fs::canonicalize(&request.crate_dir).map_err(Error::file("find", &request.crate_dir))?;
    Ok(BuildRequest {
        crate_dir,
        target_dir: absolute_path(&request.target_dir)?,
        out: absolute_path(&request.out)?,
        profile: request.profile.clone(),
        locked: request.locked,
    })
}

pub(crate) fn absolute_path(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path).map_err(Error::file("find", path))
}
