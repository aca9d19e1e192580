//! Set-up and daily verbs. `cargo xtask demo` runs the program on a machine that has only Rust;
//! `cargo xtask test` runs all tests.
//!
//! Plugins and test guests are WebAssembly components, which cargo does not build as a part of the
//! workspace. So each verb first makes sure that they are built; if nothing changed, that takes no
//! time.
//!
//! This crate stays light, since it is compiled before anything else: it starts the heavy programs
//! instead of linking them.
#![expect(clippy::print_stderr, reason = "this is a program for people")]

mod bench;
mod chaos;
mod ci;
mod circles;
mod compare;
mod demo;
mod docs;
mod files;
mod fuzz;
mod guests;
mod instructions;
mod layers;
mod lint;
mod locks;
mod places;
mod polyglot;
mod prose;
mod release;
mod soak;
mod step;
mod test;
mod tools;
mod workers;

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::places::Places;

/// Set-up and daily verbs of Magpie.
///
/// MAGPIE_WASM_TOOLCHAIN=rustup|debian chooses the compiler for plugins; the default is the first
/// that works.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", max_term_width = 110)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Build everything and show it at work, without the internet
    Demo(demo::Arguments),
    /// Build the guests and run all tests
    Test(test::Arguments),
    /// Run everything that must pass: lints, tests, documents, and a release that can be packed
    Ci,
    /// Format the code and apply clippy's suggestions
    Fix,
    /// Build the guests and run one benchmark
    Bench(bench::Arguments),
    /// Build the program of two commits and measure both in turns: CPU time and memory of commands
    Compare(compare::Arguments),
    /// Run all benchmarks, or the named ones, and rewrite docs/figures.md
    Figures(bench::Figures),
    /// Generate the reference, check all links, and build the book
    Docs(docs::Arguments),
    /// Pack a release: the program, the verticals, completions, units and licence texts
    Dist(release::Arguments),
    /// Work for a long time while processes, the network, disks and clocks fail
    Chaos(chaos::Arguments),
    /// Count the instructions of a small crawl, and compare them with the committed counts
    Instructions(instructions::Arguments),
    /// Fuzz what reads strangers' bytes, with cargo-fuzz
    Fuzz(fuzz::Arguments),
    /// Build the components of plugins/ and tests/guests/
    Guests,
    /// Install third-party servers, fill them with objects, and run them until Ctrl-C
    #[command(disable_help_flag = true)]
    Servers {
        /// Names of servers, and options; `--help` has them
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Check the edges between crates against the list in ARCHITECTURE.md
    Layers,
    /// Check format, comments, edges between crates, spelling and dependencies, and run clippy with
    /// warnings as errors
    Lint,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tell(&error);
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<()> {
    let places = Places::find()?;
    match &arguments.verb {
        Verb::Demo(arguments) => demo::run(&places, arguments),
        Verb::Test(arguments) => test::run(&places, arguments),
        Verb::Ci => ci::run(&places),
        Verb::Fix => ci::fix(&places),
        Verb::Bench(arguments) => bench::run(&places, arguments),
        Verb::Compare(arguments) => compare::run(&places, arguments),
        Verb::Figures(arguments) => bench::figures(&places, arguments),
        Verb::Docs(arguments) => docs::run(&places, arguments),
        Verb::Dist(arguments) => release::run(&places, arguments),
        Verb::Chaos(arguments) => chaos::run(&places, arguments),
        Verb::Instructions(arguments) => instructions::run(&places, arguments),
        Verb::Fuzz(arguments) => fuzz::run(&places, arguments),
        Verb::Guests => guests::build_all(&places),
        Verb::Servers { arguments } => test::servers(&places, arguments),
        Verb::Layers => layers::run(&places, true),
        Verb::Lint => lint::run(&places),
    }
}

/// Prints an error with its causes and what to do about it.
fn tell(error: &anyhow::Error) {
    eprintln!("error: {error}");
    for cause in error.chain().skip(1) {
        eprintln!("  because {cause}");
    }
    let built = error
        .chain()
        .find_map(|cause| cause.downcast_ref::<magpie_guest_build::Error>());
    if let Some(hint) = built.and_then(magpie_guest_build::Error::hint) {
        eprintln!("hint: {hint}");
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn arguments_are_consistent() {
        super::Arguments::command().debug_assert();
    }
}
