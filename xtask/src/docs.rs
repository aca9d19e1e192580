//! The documentation: reference pages generated from the programs, a check of all links, and the
//! book.
//!
//! [`reference`] generates pages, [`links`] checks links and anchors, [`picture`] draws the plot of
//! the README, and [`book`] runs mdBook. `--check` writes and builds nothing, so that it can run
//! with the lints.

mod book;
mod links;
mod page;
mod picture;
mod reference;

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use crate::places::Places;
use crate::step;

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
    let mut pages = reference::pages(places.root(), &programs)?;
    pages.push(picture::rounds(places)?);
    let mut problems = Vec::new();
    for page in &pages {
        problems.extend(page.update(places.root(), arguments.check)?);
    }
    problems.extend(links::problems(places.root())?);
    ensure!(problems.is_empty(), "{}", problems.join("\n"));
    step::say(&format!(
        "{} generated pages and all links are up to date",
        pages.len()
    ));
    if arguments.check {
        return Ok(());
    }
    book::build(places)
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
    places.build_programs()?;
    let program = places.program("debug", "magpie");
    let folder = program.parent().context("the program has no folder")?;
    Ok(folder.to_owned())
}
