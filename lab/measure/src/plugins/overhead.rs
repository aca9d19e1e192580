//! Cost of the host for each page, without parsing: creating an instance, calling it, reading its
//! answer, dropping it. The guests answer without reading the page.

use std::sync::Arc;

use anyhow::{Result, ensure};
use magpie_page::Page;
use magpie_runtime::{Plugin, Session};

use super::{ROUNDS, load, runtime};
use crate::components::Folder;
use crate::figure::{Figure, Report};
use crate::listing::{self, CARDS};
use crate::sample::{Subject, interleaved};

pub(crate) fn measure(report: &mut Report) -> Result<()> {
    let runtime = runtime()?;
    let one = load(&runtime, Folder::BenchGuests, "constant")?;
    let many = load(&runtime, Folder::BenchGuests, "constant-many")?;
    let page = listing::parsed()?;
    let (mut open_one, mut open_many) = (one.open()?, many.open()?);
    let samples = interleaved(
        ROUNDS,
        &mut [
            Subject::once(|| fresh(&one, &page, 1))?,
            Subject::once(|| reused(&mut open_one, &page, 1))?,
            Subject::once(|| fresh(&many, &page, CARDS))?,
            Subject::once(|| reused(&mut open_many, &page, CARDS))?,
        ],
    )?;
    let figure = Figure::of("fresh-instance overhead", &samples[0], "µs/page")
        .at_most(50.0)
        .beside("reused", samples[1].median())
        .beside(format!("{CARDS} objects"), samples[2].median())
        .beside(format!("{CARDS} objects, reused"), samples[3].median())
        .note("CPU time of a call whose guest answers with one object of 6 fields, from `Plugin::extract` to its end");
    report.add(figure);
    Ok(())
}

/// One page in an instance of its own, which must answer with `objects` objects.
pub(super) fn fresh(plugin: &Plugin, page: &Arc<Page>, objects: usize) -> Result<()> {
    let found = plugin.extract(page).outcome?;
    ensure!(
        found.len() == objects,
        "{} found {} objects, not {objects}",
        plugin.id(),
        found.len()
    );
    Ok(())
}

/// One page in an instance that has seen others.
pub(super) fn reused(session: &mut Session, page: &Arc<Page>, objects: usize) -> Result<()> {
    let found = session.extract(page)?;
    ensure!(
        found.len() == objects,
        "a reused instance found {} objects, not {objects}",
        found.len()
    );
    Ok(())
}
