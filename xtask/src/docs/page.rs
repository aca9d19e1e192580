//! Generated files.

use std::path::Path;

use anyhow::{Context, Result};

use crate::step;

/// A generated file, with its path below the root of the repository.
pub(super) struct Generated {
    pub(super) path: &'static str,
    pub(super) text: String,
}

impl Generated {
    /// Writes the file if it differs from this. With `check`, returns the problem instead.
    pub(super) fn update(&self, root: &Path, check: bool) -> Result<Option<String>> {
        let path = root.join(self.path);
        let is_current = std::fs::read_to_string(&path).is_ok_and(|text| text == self.text);
        if is_current {
            return Ok(None);
        }
        if check {
            return Ok(Some(format!(
                "{} is out of date: run `cargo xtask docs` and commit it",
                self.path
            )));
        }
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).with_context(|| format!("can't create {}", folder.display()))?;
        }
        std::fs::write(&path, &self.text).with_context(|| format!("can't write {}", path.display()))?;
        step::say(&format!("wrote {}", self.path));
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outdated_page_is_a_problem_only_with_check() {
        let root = tempfile::tempdir().unwrap();
        let page = Generated {
            path: "docs/reference/one.md",
            text: "new\n".to_owned(),
        };
        let problem = page.update(root.path(), true).unwrap();
        assert!(problem.is_some_and(|problem| problem.contains("docs/reference/one.md is out of date")));
        assert!(!root.path().join(page.path).exists());
        assert_eq!(page.update(root.path(), false).unwrap(), None);
        assert_eq!(page.update(root.path(), true).unwrap(), None);
    }
}
