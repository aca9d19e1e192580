//! What is asked for, and what comes back.

use std::path::PathBuf;

/// One guest to build.
#[derive(Debug, Clone)]
pub struct BuildRequest {
    /// The folder of the package, with its `Cargo.toml`.
    pub crate_dir: PathBuf,
    /// Cargo's folder for what it builds. Guests that share it share their compiled dependencies; it
    /// should not be the one native builds use, whose lock they would wait for.
    pub target_dir: PathBuf,
    /// Where to put the component. What it was made from is written beside it.
    pub out: PathBuf,
    /// Cargo's profile; none stands for `guest` where the workspace defines it, else `release`.
    pub profile: Option<String>,
    /// Refuse to change the lock file.
    pub locked: bool,
}

impl BuildRequest {
    /// A request with the usual profile, that may write the lock file.
    pub fn new(
        crate_dir: impl Into<PathBuf>,
        target_dir: impl Into<PathBuf>,
        out: impl Into<PathBuf>,
    ) -> Self {
        Self {
            crate_dir: crate_dir.into(),
            target_dir: target_dir.into(),
            out: out.into(),
            profile: None,
            locked: false,
        }
    }
}

/// A guest that was built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Built {
    /// The component: the request's `out`.
    pub component: PathBuf,
    /// BLAKE3 of the component, in hexadecimal.
    pub digest: String,
    /// The component's size.
    pub bytes: u64,
    /// Nothing had to be done: the component was there, made from the same sources in the same way.
    pub fresh: bool,
}
