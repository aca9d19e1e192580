//! Whether a project's packages are installed, so that a change of its code alone does not ask npm.

use std::path::{Path, PathBuf};

use crate::{Error, Result};

/// What decides which packages are installed.
const DECIDING: [&str; 2] = ["package.json", "package-lock.json"];

/// The packages of a project in JavaScript, as they are installed in its folder.
pub(super) struct Installation {
    folder: PathBuf,
    /// Packages that lie elsewhere, whose own manifests count too.
    packages: Vec<PathBuf>,
}

impl Installation {
    pub(super) fn of(folder: &Path, packages: &[PathBuf]) -> Self {
        Self {
            folder: folder.to_owned(),
            packages: packages.to_vec(),
        }
    }

    /// Whether what was installed is what is wanted now. Whoever removes packages by hand removes the folder.
    pub(super) fn is_done(&self) -> bool {
        let remembered = std::fs::read_to_string(self.mark()).ok();
        remembered.is_some_and(|remembered| remembered == self.wanted())
    }

    /// To be called after the installation, which may have written the lock file.
    pub(super) fn remember(&self) -> Result<()> {
        let mark = self.mark();
        // npm makes no folder where there is nothing to install.
        if mark.parent().is_some_and(Path::is_dir) {
            std::fs::write(&mark, self.wanted()).map_err(Error::file("write", &mark))?;
        }
        Ok(())
    }

    fn wanted(&self) -> String {
        let manifests = self.packages.iter().map(|package| package.join(DECIDING[0]));
        let own = DECIDING.iter().map(|name| self.folder.join(name));
        let mut hasher = blake3::Hasher::new();
        for file in own.chain(manifests) {
            let text = std::fs::read(file).unwrap_or_default();
            hasher.update(&(text.len() as u64).to_le_bytes()).update(&text);
        }
        hasher.finalize().to_string()
    }

    fn mark(&self) -> PathBuf {
        self.folder.join("node_modules/.magpie-installed")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_installed_anew_when_a_manifest_changes() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        std::fs::create_dir_all(folder.path().join("vendor/x")).unwrap();
        write("package.json", "{}");
        write("vendor/x/package.json", "{}");
        let installation = Installation::of(folder.path(), &[folder.path().join("vendor/x")]);
        installation.remember().unwrap();
        assert!(!installation.is_done(), "nothing was installed");
        std::fs::create_dir(folder.path().join("node_modules")).unwrap();
        for name in ["package.json", "package-lock.json", "vendor/x/package.json"] {
            installation.remember().unwrap();
            assert!(installation.is_done(), "{name}");
            write(name, "{ }");
            assert!(!installation.is_done(), "{name}");
        }
    }
}
