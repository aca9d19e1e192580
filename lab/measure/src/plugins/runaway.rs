//! Delay until a plugin that does not end is stopped.

use std::time::Duration;

use anyhow::{Result, bail};
use magpie_runtime::{Fault, Limits, Plugin, Runtime, RuntimeSettings};

use super::load;
use crate::components::Folder;
use crate::figure::{Figure, Report};
use crate::listing;
use crate::sample::{Samples, timed};

const BUDGET: Duration = Duration::from_millis(100);

const ROUNDS: usize = 16;

/// In milliseconds.
const TARGET: f64 = 20.0;

pub(crate) fn measure(report: &mut Report) -> Result<()> {
    let limits = Limits {
        cpu: BUDGET,
        ..Limits::default()
    };
    let runtime = Runtime::new(&RuntimeSettings {
        limits,
        ..RuntimeSettings::default()
    })?;
    for (guest, about) in [
        ("endless-loop", "a loop in the guest"),
        ("endless-select", "searches by the host on the guest's behalf"),
    ] {
        let (cpu, wall) = overshoot(&load(&runtime, Folder::TestGuests, guest)?)?;
        let figure = Figure::new(format!("runaway stopped late, {about}"), cpu.worst(), "ms")
            .at_most(TARGET)
            .beside("median", cpu.median())
            .beside("wall, worst", wall.worst())
            .beside("wall, median", wall.median())
            .spread(cpu.quartiles()[0], cpu.quartiles()[1])
            .note(format!(
                "worst of {ROUNDS} rounds: CPU time over a budget of {} ms; time on the wall grows with other load",
                BUDGET.as_millis()
            ));
        report.add(figure);
    }
    Ok(())
}

/// Milliseconds over the budget: CPU time, and time on the wall.
fn overshoot(plugin: &Plugin) -> Result<(Samples, Samples)> {
    let page = listing::parsed()?;
    let (mut over_cpu, mut over_wall) = (Vec::new(), Vec::new());
    let over = |spent: Duration| (spent.as_secs_f64() - BUDGET.as_secs_f64()) * 1e3;
    for _ in 0..ROUNDS {
        // It would stop the plugin for good, which is right and not what is measured.
        plugin.breaker().reset();
        let (call, cpu, wall) = timed(|| plugin.extract(&page));
        match call.outcome {
            Err(error) if matches!(error.fault, Fault::Cpu(_)) => {}
            other => bail!("{} was to be stopped for its CPU time: {other:?}", plugin.id()),
        }
        over_cpu.push(over(cpu));
        over_wall.push(over(wall));
    }
    Ok((Samples::new(over_cpu), Samples::new(over_wall)))
}
