//! Paths of the components that benchmarks load.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

/// A folder of components, by the variable that names it.
#[derive(Clone, Copy)]
pub(crate) enum Folder {
    Verticals,
    /// The verticals in other languages.
    Polyglot,
    TestGuests,
    /// The guests that were made to be measured.
    BenchGuests,
}

impl Folder {
    fn variable(self) -> &'static str {
        match self {
            Self::Verticals => "MAGPIE_VERTICALS",
            Self::Polyglot => "MAGPIE_POLYGLOT",
            Self::TestGuests => "MAGPIE_TEST_GUESTS",
            Self::BenchGuests => "MAGPIE_BENCH_GUESTS",
        }
    }

    pub(crate) fn path(self) -> Result<PathBuf> {
        let variable = self.variable();
        std::env::var_os(variable)
            .map(PathBuf::from)
            .with_context(|| format!("{variable} names no folder of components; `cargo xtask bench` sets it"))
    }

    pub(crate) fn component(self, name: &str) -> Result<PathBuf> {
        let path = self.path()?.join(name).with_extension("wasm");
        if !path.exists() {
            bail!("{} is not there; `cargo xtask bench` builds it", path.display());
        }
        Ok(path)
    }

    /// A vertical by its name: a shipped one, or one that was made for the benchmarks.
    pub(crate) fn vertical(name: &str) -> Result<PathBuf> {
        let shipped = Self::Verticals.component(name);
        shipped.or_else(|_| Self::BenchGuests.component(name))
    }

    pub(crate) fn names(self) -> Result<Vec<String>> {
        let folder = self.path()?;
        let entries =
            std::fs::read_dir(&folder).with_context(|| format!("can't list {}", folder.display()))?;
        let mut names = Vec::new();
        for entry in entries {
            let path = entry?.path();
            if path.extension().is_some_and(|end| end == "wasm") {
                names.extend(path.file_stem().map(|name| name.to_string_lossy().into_owned()));
            }
        }
        names.sort();
        Ok(names)
    }
}
