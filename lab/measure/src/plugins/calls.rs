//! Cost of a call alone, here and with Extism.

use anyhow::{Context, Result, ensure};
use magpie_runtime::Probe;

use super::extism::Extism;
use super::{ROUNDS, runtime};
use crate::components::Folder;
use crate::figure::{Figure, Report};
use crate::sample::{Samples, Subject, interleaved};

/// The size of a usual page.
const TEXT_BYTES: usize = 100_000;

/// Calls between two starts of the CPU budget: far less than a budget's worth of them.
const CALLS_A_BUDGET: u32 = 1_000;

pub(crate) fn measure(report: &mut Report) -> Result<()> {
    let runtime = runtime()?;
    let component = std::fs::read(Folder::BenchGuests.component("probe")?)?;
    let text = "x".repeat(TEXT_BYTES);
    let (mut first, mut second) = (runtime.probe(&component)?, runtime.probe(&component)?);
    let (mut other_first, mut other_second) = (Extism::open()?, Extism::open()?);
    let mut subjects = vec![
        Subject::new(move |times| nothing(&mut first, times))?,
        Subject::new(|times| take(&mut second, &text, times))?,
    ];
    if let (Some(first), Some(second)) = (&mut other_first, &mut other_second) {
        subjects.push(Subject::once(|| first.nothing())?);
        subjects.push(Subject::once(|| {
            let arrived = second.take(&text)?;
            ensure!(arrived as usize == TEXT_BYTES, "{arrived} bytes arrived");
            Ok(())
        })?);
    }
    let samples = interleaved(ROUNDS, &mut subjects)?;
    drop(subjects);
    report_call(
        report,
        "a call that passes nothing",
        0.25,
        &samples[0],
        samples.get(2),
    );
    report_call(
        report,
        "100 KB of text into a guest",
        3.0,
        &samples[1],
        samples.get(3),
    );
    Ok(())
}

fn nothing(probe: &mut Probe, times: u32) -> Result<()> {
    for call in 0..times {
        if call % CALLS_A_BUDGET == 0 {
            probe.restart_meter();
        }
        probe.nothing().context("the empty call failed")?;
    }
    Ok(())
}

fn take(probe: &mut Probe, text: &str, times: u32) -> Result<()> {
    for call in 0..times {
        if call % CALLS_A_BUDGET == 0 {
            probe.restart_meter();
        }
        let arrived = probe.take(text).context("the call with a text failed")?;
        ensure!(arrived as usize == text.len(), "{arrived} bytes arrived");
    }
    Ok(())
}

fn report_call(report: &mut Report, name: &str, target: f64, ours: &Samples, theirs: Option<&Samples>) {
    let mut figure = Figure::of(name, ours, "µs")
        .at_most(target)
        .note("CPU time in one instance, with the limits and the meter of a plugin");
    if let Some(theirs) = theirs {
        figure = figure.beside("times as fast as Extism", theirs.over(ours).median());
    }
    report.add(figure);
    if let Some(theirs) = theirs {
        report.add(Figure::of(format!("Extism: {name}"), theirs, "µs").note(
            "Extism 1.41 with a memory limit and a time-out, in one instance; CPU time of the caller, without \
             that of its timer's thread",
        ));
    }
}
