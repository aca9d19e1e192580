//! Builds the book with mdBook.
//!
//! Pages link to files outside of `docs`, which are not part of the book, and include some of them.
//! The book is built from a copy in which these links lead to the repository on the web and
//! includes name absolute paths.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::links;
use crate::places::Places;
use crate::step;

/// The files of the repository, as a browser reads them.
const REPOSITORY: &str = "https://github.com/magpie-crawler/magpie/blob/main/";

/// The minor version of mdBook whose configuration `docs/book.toml` is written in.
const VERSION: &str = "0.5";

/// Builds the book into `target/book`.
pub(super) fn build(places: &Places) -> Result<()> {
    let mdbook = provide(places)?;
    let target = places.root().join("target");
    let (source, built) = (target.join("book-src"), target.join("book"));
    if source.exists() {
        std::fs::remove_dir_all(&source).with_context(|| format!("can't remove {}", source.display()))?;
    }
    copy(places.root(), Path::new("docs"), &source)?;
    let mut command = Command::new(mdbook);
    command.arg("build").arg(&source).arg("--dest-dir").arg(&built);
    step::run("mdbook build", &mut command)?;
    step::say(&format!("the book is {}", built.join("index.html").display()));
    Ok(())
}

/// Copies the pages and pictures of the folder `place` of the repository.
fn copy(root: &Path, place: &Path, to: &Path) -> Result<()> {
    let from = root.join(place);
    std::fs::create_dir_all(to).with_context(|| format!("can't create {}", to.display()))?;
    let entries = std::fs::read_dir(&from).with_context(|| format!("can't list {}", from.display()))?;
    for entry in entries {
        let entry = entry?;
        let (path, name) = (entry.path(), entry.file_name());
        let (target, page) = (to.join(&name), place.join(&name));
        if entry.file_type()?.is_dir() {
            copy(root, &page, &target)?;
        } else if path.extension().is_some_and(|extension| extension == "md") {
            let text =
                std::fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
            let text = with_absolute_includes(&with_repository(&text, &page), root, &page);
            std::fs::write(&target, text).with_context(|| format!("can't write {}", target.display()))?;
        } else {
            std::fs::copy(&path, &target).with_context(|| format!("can't copy {}", path.display()))?;
        }
    }
    Ok(())
}

/// Returns the text of a page with absolute paths in its includes.
fn with_absolute_includes(text: &str, root: &Path, page: &Path) -> String {
    let mut changed = text.to_owned();
    for include in links::includes(text).iter().rev() {
        if let Some(path) = links::resolve(page, &include.target) {
            changed.replace_range(include.range.clone(), &root.join(path).to_string_lossy());
        }
    }
    changed
}

/// Returns the text of a page with its links out of `docs` leading to the repository on the web.
fn with_repository(text: &str, page: &Path) -> String {
    let mut changed = text.to_owned();
    for link in links::links(text).iter().rev() {
        if links::is_external(&link.target) || link.target.starts_with('#') {
            continue;
        }
        let outside = links::resolve(page, &link.target).filter(|path| !path.starts_with("docs"));
        if let Some(path) = outside {
            let path = path.to_string_lossy().replace('\\', "/");
            changed.replace_range(link.range.clone(), &format!("{REPOSITORY}{path}"));
        }
    }
    changed
}

/// Finds mdBook in the PATH or among the tools of this workspace, or installs it there.
fn provide(places: &Places) -> Result<PathBuf> {
    let tools = places.tools();
    let own = tools
        .join("bin/mdbook")
        .with_extension(std::env::consts::EXE_EXTENSION);
    for program in [PathBuf::from("mdbook"), own.clone()] {
        if is_usable(&program) {
            return Ok(program);
        }
    }
    let version = format!("{VERSION}.*");
    let mut install = places.cargo();
    install.args(["install", "mdbook", "--version", &version, "--locked", "--root"]);
    install.arg(&tools);
    step::run(
        &format!("cargo install mdbook --version {version} --locked"),
        &mut install,
    )?;
    Ok(own)
}

/// Returns true if a program is mdBook of the right version, which prints `mdbook v0.5.4`.
fn is_usable(program: &Path) -> bool {
    let Ok(output) = Command::new(program).arg("--version").output() else {
        return false;
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let version = text.trim().trim_start_matches("mdbook").trim_start();
    let version = version.trim_start_matches('v');
    output.status.success() && version.starts_with(&format!("{VERSION}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_out_of_the_book_lead_to_the_repository() {
        let text = "[a](../json.md) [b](../../wit/pages.wit) [c](https://example.org/) [d](#e)";
        let changed = with_repository(text, Path::new("docs/guides/one.md"));
        let expected =
            format!("[a](../json.md) [b]({REPOSITORY}wit/pages.wit) [c](https://example.org/) [d](#e)");
        assert_eq!(changed, expected);
    }

    #[test]
    fn includes_name_absolute_paths() {
        let text = "```c\n{{#include ../../examples/c/talks.c}}\n```\n";
        let changed = with_absolute_includes(text, Path::new("/repo"), Path::new("docs/guides/one.md"));
        assert_eq!(changed, "```c\n{{#include /repo/examples/c/talks.c}}\n```\n");
    }
}
