//! Core modules as built by cargo, for hosts that do not load components.

use std::path::PathBuf;

use crate::batch::{absolute, guest_package};
use crate::compile::{Settings, compile, default_profile};
use crate::package::Workspace;
use crate::{BuildRequest, Error, Result, Toolchain};

/// Builds one guest and copies its core module, unchanged, to the path in the request. Cargo
/// decides if anything must be compiled.
pub fn build_module(
    toolchain: &Toolchain,
    request: &BuildRequest,
    progress: &dyn Fn(&str),
) -> Result<PathBuf> {
    let request = absolute(request)?;
    let workspace = Workspace::of(toolchain, &request.crate_dir, request.locked)?;
    let package = guest_package(&workspace, &request)?;
    let profile = match &request.profile {
        Some(profile) => profile,
        None => default_profile(&workspace)?,
    };
    let settings = Settings {
        target_dir: &request.target_dir,
        profile,
        locked: request.locked,
    };
    let modules = compile(toolchain, &workspace, &[package], &settings, progress)?;
    let module = modules.get(&package.id).ok_or_else(|| Error::NoModule {
        package: package.name.clone(),
    })?;
    if let Some(folder) = request.out.parent() {
        std::fs::create_dir_all(folder).map_err(Error::file("make", folder))?;
    }
    std::fs::copy(module, &request.out).map_err(Error::file("write", &request.out))?;
    Ok(request.out)
}
