//! One measurement of the package `magpie-measure`, optimised and with the components it loads.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;
use serde_json::Value;

use crate::places::Places;
use crate::{guests, step, workers};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Name of the measurement; `list` names them all but `workers`
    name: String,
    /// One JSON object a line for each figure, instead of a table
    #[arg(long)]
    json: bool,
    /// Arguments for the measurement
    #[arg(last = true)]
    rest: Vec<OsString>,
}

#[derive(clap::Args)]
pub(crate) struct Figures {
    /// Only these benchmarks; what the page has of the others stays [default: all]
    names: Vec<String>,
    /// Take the figures of the one benchmark from a file with what it printed with `--json`
    #[arg(long, value_name = "FILE", requires = "names")]
    from: Option<PathBuf>,
}

/// Builds all that the benchmarks need, and has the page of figures rewritten.
pub(crate) fn figures(places: &Places, arguments: &Figures) -> Result<()> {
    match arguments.names.as_slice() {
        [] => build(places)?,
        names => names.iter().try_for_each(|name| build_for(places, name))?,
    }
    let mut page = program(places);
    page.arg("page").args(&arguments.names);
    if let Some(file) = &arguments.from {
        page.arg("--from").arg(file);
    }
    step::run("measure page", &mut page)
}

pub(crate) fn run(places: &Places, arguments: &Arguments) -> Result<()> {
    if arguments.name == "workers" {
        return workers::run(places, arguments.json, &arguments.rest);
    }
    build_for(places, &arguments.name)?;
    let mut bench = program(places);
    bench.arg(&arguments.name);
    if arguments.json {
        bench.arg("--json");
    }
    bench.args(&arguments.rest);
    step::run(&format!("measure {}", arguments.name), &mut bench)
}

/// Builds the program and the components that one measurement loads.
fn build_for(places: &Places, name: &str) -> Result<()> {
    // The only one that compares with another runtime.
    if name == "plugins" {
        return build(places);
    }
    build_program(places, &[])?;
    let listed = program(places).args(["list", "--json"]).output()?.stdout;
    let listed = String::from_utf8(listed)?;
    let mut lines = listed.lines().map(serde_json::from_str::<Value>);
    let needs = lines.find_map(|line| line.ok().filter(|line| line["name"] == name));
    let needs = |component: &str| {
        let all = needs.as_ref().and_then(|line| line["needs"].as_array());
        all.is_some_and(|all| all.iter().any(|one| one == component))
    };
    if needs("guests") {
        guests::build_verticals_and_bench_guests(places)
    } else if needs("verticals") {
        guests::build_verticals(places)
    } else {
        Ok(())
    }
}

/// Builds the benchmarks and the components they load. Extism, with which Magpie's runtime is
/// compared, brings an engine that may need a newer compiler, or a network; without it its figures
/// are omitted.
fn build(places: &Places) -> Result<()> {
    guests::build_for_benchmarks(places)?;
    let with_extism = guests::build_extism_probe(places).and_then(|()| {
        build_program(
            places,
            &["--features", "magpie-measure/extism", "--ignore-rust-version"],
        )
    });
    with_extism.or_else(|error| {
        step::say(&format!(
            "skipped: figures of Extism, which can't be built: {error:#}"
        ));
        build_program(places, &[])
    })
}

/// The benchmarks' program, which knows where its components are.
fn program(places: &Places) -> Command {
    let mut bench = Command::new(places.program("release", "measure"));
    bench.current_dir(places.root());
    places.name_guests(&mut bench);
    bench
}

/// Builds `magpie` in the same run, since it is measured too, and the lab, which serves pages:
/// separately, shared dependencies would be built twice, with other features.
fn build_program(places: &Places, with: &[&str]) -> Result<()> {
    let product = ["build", "--release", "--package", "magpie"];
    step::run(
        "cargo build --release --package magpie",
        places.cargo().args(product),
    )?;
    let mut cargo = places.cargo_in_lab();
    cargo
        .args([
            "build",
            "--release",
            "--package",
            "magpie-measure",
            "--package",
            "magpie-lab-cli",
        ])
        .args(with);
    step::run(
        &format!(
            "cargo build --release --package magpie-measure --package magpie-lab-cli {}, in lab",
            with.join(" ")
        ),
        &mut cargo,
    )
}
