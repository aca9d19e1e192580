//! Tracks if a project's packages are installed, so that npm is not run for a mere change of code.

use std::path::{Path, PathBuf};

use crate::{Error, Result};

/// Files that determine the packages to install.
const MANIFESTS: [&str; 2] = ["package.json", "package-lock.json"];

pub(super) struct Installation {
    folder: PathBuf,
    /// Local packages, whose manifests count too.
    packages: Vec<PathBuf>,
}

impl Installation {
    pub(super) fn of(folder: &Path, packages: &[PathBuf]) -> Self {
        Self {
            folder: folder.to_owned(),
            packages: packages.to_vec(),
        }
    }

    /// Returns true if the installed packages are current. Packages removed by hand are detected
    /// only if the whole folder is removed.
    pub(super) fn is_done(&self) -> bool {
        let recorded = std::fs::read_to_string(self.record_path()).ok();
        recorded.is_some_and(|recorded| recorded == self.wanted())
    }

    /// Records the installation. Call it after installing, since that may write the lock file.
    pub(super) fn record(&self) -> Result<()> {
        let record_path = self.record_path();
        // npm creates no folder if there is nothing to install.
        if record_path.parent().is_some_and(Path::is_dir) {
            std::fs::write(&record_path, self.wanted()).map_err(Error::file("write", &record_path))?;
        }
        Ok(())
    }

    fn wanted(&self) -> String {
        let manifests = self.packages.iter().map(|package| package.join(MANIFESTS[0]));
        let own = MANIFESTS.iter().map(|name| self.folder.join(name));
        let mut hasher = blake3::Hasher::new();
        for file in own.chain(manifests) {
            // A lock file that does not exist yet counts as empty. It is read again after the
            // installation.
            let text = std::fs::read(file).unwrap_or_default();
            hasher.update(&(text.len() as u64).to_le_bytes()).update(&text);
        }
        hasher.finalize().to_string()
    }

    fn record_path(&self) -> PathBuf {
        self.folder.join("node_modules/.magpie-installed")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_reinstalled_when_a_manifest_changes() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        std::fs::create_dir_all(folder.path().join("vendor/x")).unwrap();
        write("package.json", "{}");
        write("vendor/x/package.json", "{}");
        let installation = Installation::of(folder.path(), &[folder.path().join("vendor/x")]);
        installation.record().unwrap();
        assert!(!installation.is_done(), "nothing was installed");
        std::fs::create_dir(folder.path().join("node_modules")).unwrap();
        for name in ["package.json", "package-lock.json", "vendor/x/package.json"] {
            installation.record().unwrap();
            assert!(installation.is_done(), "{name}");
            write(name, "{ }");
            assert!(!installation.is_done(), "{name}");
        }
    }
}
