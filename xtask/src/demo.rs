//! Everything built, then the program at work.

use std::ffi::OsString;
use std::process::Command;

use anyhow::Result;

use crate::places::Places;
use crate::{guests, step};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Arguments for `magpie demo`
    #[arg(last = true)]
    rest: Vec<OsString>,
}

pub(crate) fn run(places: &Places, arguments: &Arguments) -> Result<()> {
    guests::build_verticals(places)?;
    let build = ["build", "--package", "magpie"];
    step::run("cargo build --package magpie", places.cargo().args(build))?;
    step::run("magpie demo", &mut magpie_demo(places, arguments))
}

/// The command that shows the program at work.
fn magpie_demo(places: &Places, arguments: &Arguments) -> Command {
    let mut magpie = Command::new(places.program("debug", "magpie"));
    magpie.current_dir(places.root());
    magpie
        .arg("demo")
        .arg("--verticals")
        .arg(places.built_verticals());
    magpie.arg("--fixtures").arg(places.plugins());
    magpie.args(&arguments.rest);
    magpie
}
