//! The process of a command: the options that all commands take, its clock, and how it ends.

use std::process::ExitCode;
use std::sync::LazyLock;
use std::time::Duration;

use clap::Args as ClapArgs;
use magpie_engine::settings::{Raw, Value};
use magpie_engine::{Clock, Stop};
use magpie_runtime::cache_problem;
use magpie_values::Timestamp;

use crate::failure::{Failure, Kind};
use crate::printer::{ColorChoice, Printer};
use crate::settings;
use crate::workspace::cache_folder;

/// The options that all commands take.
#[derive(Clone, Debug, ClapArgs)]
pub struct GlobalArgs {
    /// Print no progress and no notices
    #[arg(short, long, global = true, help_heading = "Everywhere", display_order = 900)]
    pub quiet: bool,
    /// Show more: log lines, raw values, and values in full
    #[arg(short, long, global = true, help_heading = "Everywhere", display_order = 901)]
    pub verbose: bool,
    /// Colour: auto (in a terminal, unless NO_COLOR is set), always, never
    #[arg(
        long, value_name = "WHEN", global = true, value_enum, default_value_t = ColorChoice::Auto,
        hide_possible_values = true, hide_default_value = true,
        help_heading = "Everywhere", display_order = 902
    )]
    pub color: ColorChoice,
    /// Work as if this were the present, as in 2026-07-17T09:00Z: for saved and simulated webs
    #[arg(
        long,
        value_name = "TIME",
        global = true,
        hide_short_help = true,
        help_heading = "Everywhere",
        display_order = 903
    )]
    pub now: Option<String>,
}

/// Runs a command, prints the failure if there is one, and returns the exit code.
pub fn run(global: &GlobalArgs, command: impl FnOnce(&mut Printer) -> Result<ExitCode, Failure>) -> ExitCode {
    let mut printer = Printer::new(global.color, global.quiet, global.verbose);
    let outcome = start_clock(global.now.as_deref()).and_then(|()| {
        magpie_engine::use_variables(settings::variables());
        settings::warn_of_variables(&mut printer);
        if let Some(problem) = cache_folder().as_deref().and_then(cache_problem) {
            printer.warn(&problem);
        }
        let code = command(&mut printer);
        // Also after a failure: what was written before it counts.
        let checked_in = magpie_engine::check_in_all();
        let code = code?;
        checked_in?;
        printer.flush().map(|()| code)
    });
    outcome.unwrap_or_else(|failure| {
        if !failure.is_broken_pipe() {
            printer.error(&failure);
        }
        failure.exit_code()
    })
}

/// The program, as its runs are recorded.
pub const PROGRAM: &str = concat!("magpie ", env!("CARGO_PKG_VERSION"));

pub fn clock() -> &'static Clock {
    static CLOCK: LazyLock<Clock> = LazyLock::new(Clock::default);
    &CLOCK
}

/// The time of the clock of this process.
pub fn now() -> Timestamp {
    clock().now()
}

/// Starts the clock of this process at the time of `--now`, if it is given.
fn start_clock(time: Option<&str>) -> Result<(), Failure> {
    let Some(text) = time else {
        return Ok(());
    };
    let time = Timestamp::parse(text).ok_or_else(|| {
        Failure::usage(format!(
            "invalid value `{text}` for `--now`: expected a time such as 2026-07-17T09:00Z"
        ))
    })?;
    clock().set(time);
    Ok(())
}

/// Moves the clock of this process on, if that is asked for.
pub fn move_clock(later: Option<&str>) -> Result<(), Failure> {
    let Some(text) = later else {
        return Ok(());
    };
    let time = Duration::read(&Raw::Text(text.to_owned())).ok_or_else(|| {
        Failure::usage(format!(
            "invalid value `{text}` for `--later`: expected a duration such as 1w or 36h"
        ))
    })?;
    clock().advance(time);
    Ok(())
}

/// Returns the handle that stops operations on Ctrl-C or when the service is stopped. The second
/// signal ends the process at once, which loses nothing but the pages under way.
pub fn stop_on_interrupt() -> &'static Stop {
    static STOP: LazyLock<Stop> = LazyLock::new(|| {
        let stop = Stop::default();
        let own = stop.clone();
        // A thread of its own hears of it whatever the others are doing. Without signals there is
        // nothing to wait for.
        std::thread::spawn(move || {
            let mut builder = tokio::runtime::Builder::new_current_thread();
            let Ok(runtime) = builder.enable_io().build() else {
                return;
            };
            while runtime.block_on(asked_to_stop()).is_ok() {
                if !own.ask() {
                    std::process::exit(i32::from(Kind::Stopped as u8));
                }
            }
        });
        stop
    });
    &STOP
}

/// Waits for Ctrl-C, or for the signal by which services are stopped.
#[cfg(unix)]
async fn asked_to_stop() -> std::io::Result<()> {
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    tokio::select! {
        outcome = tokio::signal::ctrl_c() => outcome,
        _ = terminate.recv() => Ok(()),
    }
}

#[cfg(not(unix))]
async fn asked_to_stop() -> std::io::Result<()> {
    tokio::signal::ctrl_c().await
}

/// Returns the exit code of a command that did its work and inspected something.
pub fn found(all_is_well: bool) -> ExitCode {
    if all_is_well {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(Kind::Found as u8)
    }
}

/// Returns the exit code of a command that has only one when it succeeds.
pub fn done(outcome: Result<(), Failure>) -> Result<ExitCode, Failure> {
    outcome.map(|()| ExitCode::SUCCESS)
}
