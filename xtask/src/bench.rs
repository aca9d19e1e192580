//! One benchmark of the package `magpie-bench`, optimised and with the components it loads.

use std::ffi::OsString;

use anyhow::Result;

use crate::places::Places;
use crate::{guests, step};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Which benchmark; `list` names them all
    name: String,
    /// One JSON object a line for each figure, instead of a table
    #[arg(long)]
    json: bool,
    /// Arguments for the benchmark
    #[arg(last = true)]
    rest: Vec<OsString>,
}

pub(crate) fn run(places: &Places, arguments: &Arguments) -> Result<()> {
    guests::build_all(places)?;
    let mut cargo = places.cargo();
    cargo.args([
        "run",
        "--quiet",
        "--release",
        "--package",
        "magpie-bench",
        "--",
        &arguments.name,
    ]);
    if arguments.json {
        cargo.arg("--json");
    }
    cargo.args(&arguments.rest);
    places.name_guests(&mut cargo);
    step::run(&format!("magpie-bench {}", arguments.name), &mut cargo)
}
