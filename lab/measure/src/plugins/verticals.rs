//! Cost of a page with the verticals: in a fresh instance, in a reused one, and without Wasm.

use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use magpie_page::Page;
use magpie_runtime::{Plugin, Runtime};
use magpie_sdk::component;

use super::overhead::{fresh, reused};
use super::{ROUNDS, load, runtime};
use crate::components::Folder;
use crate::figure::{Figure, Report};
use crate::listing::{self, CARDS};
use crate::sample::{Samples, Subject, interleaved};

/// The vertical the listing is made for.
const EVENTS: &str = "events";

/// Samples of one vertical over one page.
struct Costs {
    fresh: Samples,
    reused: Samples,
    objects: usize,
    mebibytes: f64,
}

pub(crate) fn measure(report: &mut Report) -> Result<()> {
    let runtime = runtime()?;
    let page = listing::parsed()?;
    report.add(parsing()?);
    compare_events(report, &runtime, &page)?;
    for name in Folder::Verticals.names()?.iter().filter(|name| *name != EVENTS) {
        let plugin = load(&runtime, Folder::Verticals, name)?;
        if plugin.extracts() {
            let costs = costs(&plugin, &page)?;
            report.add(page_figure(name, &costs).note(format!(
                "the listing of events, which is not this plugin's; {} objects found",
                costs.objects
            )));
        }
    }
    Ok(())
}

/// The host's part, done once however many plugins look at the page.
fn parsing() -> Result<Figure> {
    let html = listing::html();
    let mut subject = [Subject::once(|| {
        listing::read(&listing::unparsed(&html)?);
        Ok(())
    })?];
    let samples = interleaved(ROUNDS, &mut subject)?;
    let note = format!(
        "CPU time, once for all plugins and counted in no other figure: {:.0} KB, {CARDS} cards",
        html.len() as f64 / 1e3
    );
    Ok(Figure::of("parsing the page", &samples[0], "µs/page").note(note))
}

/// Events in a fresh instance, in a reused one, and compiled into this program, sampled in turn.
fn compare_events(report: &mut Report, runtime: &Runtime, page: &Arc<Page>) -> Result<()> {
    let plugin = load(runtime, Folder::Verticals, EVENTS)?;
    let objects = native(page)?;
    ensure!(
        objects * 10 >= CARDS * 9,
        "events found only {objects} of the {CARDS} cards"
    );
    let mut session = plugin.open()?;
    let samples = interleaved(
        ROUNDS,
        &mut [
            Subject::once(|| fresh(&plugin, page, objects))?,
            Subject::once(|| reused(&mut session, page, objects))?,
            Subject::once(|| native(page).map(|_| ()))?,
        ],
    )?;
    let [fresh, reused, native] = samples
        .try_into()
        .ok()
        .context("three subjects have three samples")?;
    report.add(
        Figure::of(
            "events: fresh instance over reused one",
            &fresh.over(&reused),
            "times",
        )
        .at_most(1.15)
        .beside("fresh µs", fresh.median())
        .beside("reused µs", reused.median())
        .note("ratios of CPU time, round by round, over the whole page"),
    );
    report.add(
        Figure::of("events: through Wasm over native", &fresh.over(&native), "times")
            .at_most(1.3)
            .beside("native µs", native.median())
            .beside("reused instance", reused.over(&native).median())
            .note("the same plugin over the same parsed page; its fresh instance and the taking of its answer count"),
    );
    let costs = Costs {
        fresh,
        reused,
        objects,
        mebibytes: size(&plugin),
    };
    report.add(page_figure(EVENTS, &costs).note(format!("{objects} objects found")));
    Ok(())
}

fn costs(plugin: &Plugin, page: &Arc<Page>) -> Result<Costs> {
    let objects = plugin.extract(page).outcome?.len();
    let mut session = plugin.open()?;
    let samples = interleaved(
        ROUNDS,
        &mut [
            Subject::once(|| fresh(plugin, page, objects))?,
            Subject::once(|| reused(&mut session, page, objects))?,
        ],
    )?;
    let [fresh, reused] = samples.try_into().ok().context("two subjects have two samples")?;
    Ok(Costs {
        fresh,
        reused,
        objects,
        mebibytes: size(plugin),
    })
}

fn page_figure(name: &str, costs: &Costs) -> Figure {
    Figure::of(format!("{name}: a page"), &costs.fresh, "µs/page")
        .beside("reused", costs.reused.median())
        .beside("component MiB", costs.mebibytes)
}

fn size(plugin: &Plugin) -> f64 {
    plugin.inspection().bytes as f64 / f64::from(1 << 20)
}

/// Runs the component's code compiled into this program, and returns the number of objects found.
fn native(page: &Arc<Page>) -> Result<usize> {
    let page = magpie_sdk::Page::from_host(Arc::clone(page));
    match component::extract::<events::Events>(&page) {
        Ok(objects) => Ok(std::hint::black_box(objects).len()),
        Err(error) => anyhow::bail!("events fails without Wasm: {error:?}"),
    }
}
