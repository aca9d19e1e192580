//! The tests of workers that fail, in their long form, and the soak of a folder.

use anyhow::Result;

use crate::places::Places;
use crate::{guests, soak, step};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Times that a worker is killed
    #[arg(long, default_value_t = 200)]
    kills: u32,
    /// Times that the server is killed
    #[arg(long, default_value_t = 20)]
    server_kills: u32,
    /// Seconds of cut networks and frozen workers, and of workers that join and leave
    #[arg(long, default_value_t = 600)]
    seconds: u32,
    /// Times as many schedules of the simulated leases as in other tests
    #[arg(long, default_value_t = 50)]
    schedules: u32,
    /// Seed of the order of faults
    #[arg(long, default_value_t = 7)]
    seed: u32,
    /// Skip the tests, and run all commands that write on one workspace for this number of hours,
    /// with kills, full disks, stalls and clock steps
    #[arg(long, value_name = "N", conflicts_with_all = ["kills", "server_kills", "seconds", "schedules", "test"])]
    hours: Option<f64>,
    /// With `--hours`, use the optimised program
    #[arg(long, requires = "hours")]
    release: bool,
    /// Part of the name of a test; without one, all of them
    test: Option<String>,
}

pub(crate) fn run(places: &Places, arguments: &Arguments) -> Result<()> {
    if let Some(hours) = arguments.hours {
        let options = soak::Options {
            hours,
            seed: arguments.seed,
            is_optimised: arguments.release,
        };
        return soak::run(places, &options);
    }
    if arguments.test.is_none() {
        let mut cargo = places.cargo();
        cargo.env("MAGPIE_CHAOS_SCHEDULES", arguments.schedules.to_string());
        cargo.args(["test", "--package", "magpie-postgres", "--lib", "simulation::"]);
        cargo.args(["--", "--nocapture"]);
        step::run("simulated leases", &mut cargo)?;
    }
    guests::build_all(places)?;
    let mut cargo = places.cargo();
    places.name_guests(&mut cargo);
    let numbers = [
        ("KILLS", arguments.kills),
        ("SERVER_KILLS", arguments.server_kills),
        ("SECONDS", arguments.seconds),
        ("SEED", arguments.seed),
    ];
    cargo.envs(numbers.map(|(name, number)| (format!("MAGPIE_CHAOS_{name}"), number.to_string())));
    let test = arguments.test.as_deref().unwrap_or_default();
    cargo.args(["test", "--package", "magpie", "--test", "it"]);
    cargo.args([
        &format!("machines::faults::{test}"),
        "--",
        "--nocapture",
        "--test-threads=1",
    ]);
    step::run("faults", &mut cargo)
}
