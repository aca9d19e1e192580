//! Build requests and their results.

use std::path::PathBuf;

#[derive(Debug, Clone)]
pub struct BuildRequest {
    /// Folder of the package, with its `Cargo.toml`.
    pub crate_dir: PathBuf,
    /// Target folder of cargo. Guests that share it share their compiled dependencies. It should
    /// differ from that of native builds, since cargo would wait for their lock.
    pub target_dir: PathBuf,
    /// Path of the component. The record of its inputs is written beside it.
    pub out: PathBuf,
    /// Profile of cargo; the default is `guest` if the workspace defines it, otherwise `release`.
    pub profile: Option<String>,
    /// Fail instead of changing the lock file.
    pub locked: bool,
}

impl BuildRequest {
    /// Creates a request with the default profile, which may write the lock file.
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

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Built {
    /// The component: the request's `out`.
    pub component: PathBuf,
    pub bytes: u64,
    /// True if the component existed and its inputs were unchanged.
    pub fresh: bool,
}
