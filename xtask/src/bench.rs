//! One benchmark of the package `magpie-measure`, optimised and with the components it loads.

use std::ffi::OsString;
use std::process::Command;

use anyhow::Result;

use crate::places::Places;
use crate::{guests, step};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Name of the benchmark; `list` names them all
    name: String,
    /// One JSON object a line for each figure, instead of a table
    #[arg(long)]
    json: bool,
    /// Arguments for the benchmark
    #[arg(last = true)]
    rest: Vec<OsString>,
}

/// The benchmarks that need the verticals alone.
const WITH_VERTICALS_ALONE: [&str; 2] = ["quality", "crawl"];

/// The benchmarks that need the verticals, and guests made for benchmarks.
const WITH_BENCH_GUESTS: [&str; 1] = ["real"];

/// The benchmarks that load no component at all.
const WITHOUT_COMPONENTS: [&str; 2] = ["learn", "render"];

pub(crate) fn run(places: &Places, arguments: &Arguments) -> Result<()> {
    build_for(places, &arguments.name)?;
    let mut bench = program(places);
    bench.arg(&arguments.name);
    if arguments.json {
        bench.arg("--json");
    }
    bench.args(&arguments.rest);
    step::run(&format!("measure {}", arguments.name), &mut bench)
}

/// Builds the benchmarks and the components that one of them loads.
pub(crate) fn build_for(places: &Places, name: &str) -> Result<()> {
    if WITHOUT_COMPONENTS.contains(&name) {
        build_program(places, &[])
    } else if WITH_VERTICALS_ALONE.contains(&name) {
        guests::build_verticals(places)?;
        build_program(places, &[])
    } else if WITH_BENCH_GUESTS.contains(&name) {
        guests::build_verticals_and_bench_guests(places)?;
        build_program(places, &[])
    } else {
        build(places)
    }
}

/// Builds the benchmarks and the components they load. Extism, with which Magpie's runtime is
/// compared, brings an engine that may need a newer compiler, or a network; without it its figures
/// are omitted.
pub(crate) fn build(places: &Places) -> Result<()> {
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
pub(crate) fn program(places: &Places) -> Command {
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
