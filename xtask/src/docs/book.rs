//! Builds the book with mdBook.
//!
//! Pages link to files outside of `docs`, which are not part of the book, and include some of them.
//! The book is built from a copy in which these links lead to the repository on the web and
//! includes name absolute paths.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::places::Places;
use crate::{files, step, tools};

/// The files of the repository, as a browser reads them.
const REPOSITORY: &str = "https://github.com/magpie-crawler/magpie/blob/main/";

/// Builds the book into `target/book`.
pub(super) fn build(places: &Places) -> Result<()> {
    let Some(mdbook) = tools::MDBOOK.provide(places)? else {
        return Ok(());
    };
    let target = places.root().join("target");
    let (source, built) = (target.join("book-src"), target.join("book"));
    if source.exists() {
        std::fs::remove_dir_all(&source).with_context(|| format!("can't remove {}", source.display()))?;
    }
    let docs = places.root().join("docs");
    for extension in ["md", "svg", "png", "toml"] {
        for file in files::below(&docs, extension, &[])? {
            let (from, to) = (docs.join(&file), source.join(&file));
            std::fs::create_dir_all(to.parent().unwrap_or(&source))?;
            if extension == "md" {
                let text = std::fs::read_to_string(&from)?;
                std::fs::write(&to, outside(&text, &file, places.root()))?;
            } else {
                std::fs::copy(&from, &to)?;
            }
        }
    }
    let mut command = Command::new(mdbook);
    command.arg("build").arg(&source).arg("--dest-dir").arg(&built);
    step::run("mdbook build", &mut command)?;
    step::say(&format!("the book is {}", built.join("index.html").display()));
    Ok(())
}

/// Returns the text of a page, given by its path below `docs`, with its links out of `docs` leading
/// to the repository on the web, and with absolute paths in its includes.
fn outside(text: &str, page: &Path, root: &Path) -> String {
    let up = "../".repeat(page.components().count());
    let mut text = text.replace(
        &format!("{{{{#include {up}")[..],
        &format!("{{{{#include {}/", root.display()),
    );
    for start in ["](", "]: ", "href=\"", "src=\""] {
        text = text.replace(&format!("{start}{up}"), &format!("{start}{REPOSITORY}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_includes_lead_out_of_the_book() {
        let text = "[a](../json.md) [b](../../wit/pages.wit) [c](https://example.org/) [d](#e)\n\
            {{#include ../../examples/c/talks.c}}\n";
        let expected = format!(
            "[a](../json.md) [b]({REPOSITORY}wit/pages.wit) [c](https://example.org/) [d](#e)\n\
             {{{{#include /repo/examples/c/talks.c}}}}\n"
        );
        assert_eq!(
            outside(text, Path::new("guides/one.md"), Path::new("/repo")),
            expected
        );
    }
}
