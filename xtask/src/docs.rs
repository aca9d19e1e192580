//! The documentation: reference pages generated from the programs, a check of all links, and the
//! book.
//!
//! [`reference`] generates pages, lychee checks links and anchors, and [`book`] runs mdBook.
//! `--check` writes and builds nothing, so that it can run with the lints.

mod book;
mod page;
mod reference;

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use crate::places::Places;
use crate::{files, step, tools};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Fail if a generated page is out of date or a link is broken; write and build nothing
    #[arg(long)]
    check: bool,
    /// Ask the programs magpie and magpie-lab in this folder instead of building them
    #[arg(long, value_name = "DIR")]
    programs: Option<PathBuf>,
}

/// Generates the reference, checks the links, and builds the book unless `--check` is given.
pub(crate) fn run(places: &Places, arguments: &Arguments) -> Result<()> {
    let programs = match &arguments.programs {
        Some(folder) => folder.clone(),
        None => build_programs(places)?,
    };
    let pages = reference::pages(places.root(), &programs)?;
    let mut problems = Vec::new();
    for page in &pages {
        problems.extend(page.update(places.root(), arguments.check)?);
    }
    problems.extend(unlisted(places)?);
    ensure!(problems.is_empty(), "{}", problems.join("\n"));
    step::say(&format!("{} generated pages are up to date", pages.len()));
    tools::check_links(places)?;
    if arguments.check {
        return Ok(());
    }
    book::build(places)
}

/// Returns a sentence for each page of the book that its table of contents does not list.
fn unlisted(places: &Places) -> Result<Vec<String>> {
    let docs = places.root().join("docs");
    let summary = std::fs::read_to_string(docs.join("SUMMARY.md")).context("can't read docs/SUMMARY.md")?;
    let pages = files::below(&docs, "md", &[])?;
    let is_listed = |page: &PathBuf| {
        page.ends_with("SUMMARY.md") || summary.contains(&format!("({})", page.display()).replace('\\', "/"))
    };
    let unlisted = pages.iter().filter(|page| !is_listed(page));
    Ok(unlisted
        .map(|page| format!("docs/{} is not listed in docs/SUMMARY.md", page.display()))
        .collect())
}

/// Checks the documents with programs that were built already.
pub(crate) fn check_built(places: &Places) -> Result<()> {
    let programs = places.program("debug", "magpie").parent().map(PathBuf::from);
    run(
        places,
        &Arguments {
            check: true,
            programs,
        },
    )
}

/// Builds the two programs and returns the folder that they are in.
fn build_programs(places: &Places) -> Result<PathBuf> {
    places.build_programs(true)?;
    let program = places.program("debug", "magpie");
    let folder = program.parent().context("the program has no folder")?;
    Ok(folder.to_owned())
}
