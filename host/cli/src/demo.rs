//! `magpie demo`: every vertical on its fixtures, and which of the objects found are one.

use std::path::Path;
use std::process::ExitCode;

use magpie_kit::causes::with_causes;
use magpie_kit::fixture;
use magpie_kit::groups::{Groups, group};
use magpie_kit::run::{PageRun, run_page};
use magpie_model::{Object, Record};
use magpie_runtime::{Change, Folder, Plugin};

use crate::args::DemoArgs;
use crate::failure::{Failure, Kind};
use crate::printer::{Printer, Tone};
use crate::setup;
use crate::show;
use crate::table::{Cell, Table, shortened};

/// Objects shown of each vertical; the others are counted.
const SHOWN_OBJECTS: usize = 3;

/// Clusters shown of each vertical.
const SHOWN_CLUSTERS: usize = 6;

pub(crate) fn run(arguments: &DemoArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let runtime = setup::runtime(&setup::default_limits())?;
    let folder = Folder::new(runtime, &arguments.verticals);
    let mut refused = false;
    for change in folder.look_now() {
        match change {
            Change::Refused { file, reason, .. } => {
                refused = true;
                printer.warn(&format!("{}: {reason}", file.display()));
            }
            Change::Unreadable(reason) => return Err(Failure::new(Kind::Input, reason)),
            _ => {}
        }
    }
    for plugin in folder.plugins() {
        show_vertical(&plugin, &arguments.fixtures, printer)?;
    }
    Ok(crate::plugin::found(!refused))
}

fn show_vertical(plugin: &Plugin, fixtures: &Path, printer: &mut Printer) -> Result<(), Failure> {
    let folder = fixtures.join(&plugin.info().name).join("fixtures");
    let mut runs = Vec::new();
    for one in fixture::list(&folder)? {
        match fixture::load_page(&one) {
            Ok(page) => runs.push(run_page(plugin, page)),
            Err(problem) => printer.warn(&with_causes(&problem)),
        }
    }
    if runs.is_empty() {
        printer.warn(&format!(
            "{} has no fixtures: there are none in {}",
            plugin.id(),
            folder.display()
        ));
        return Ok(());
    }
    head(plugin, &runs, printer)?;
    pages(&runs, printer)?;
    let records: Vec<&Record> = runs.iter().flat_map(|run| &run.records).collect();
    examples(&runs, printer)?;
    let objects: Vec<Object> = records.iter().map(|record| record.to_object()).collect();
    let groups = group(plugin, &objects).map_err(|message| Failure::new(Kind::Plugin, message))?;
    clusters(&groups, &runs, printer)?;
    printer.flush()
}

fn head(plugin: &Plugin, runs: &[PageRun], printer: &mut Printer) -> Result<(), Failure> {
    let objects: usize = runs.iter().map(|run| run.records.len()).sum();
    printer.line("")?;
    printer.line(&printer.paint(
        Tone::Strong,
        &format!("{}  {}", plugin.id(), plugin.info().summary),
    ))?;
    printer.line(&format!(
        "{}, {}",
        show::count(runs.len(), "page"),
        show::objects(objects)
    ))?;
    printer.line("")
}

fn pages(runs: &[PageRun], printer: &mut Printer) -> Result<(), Failure> {
    let mut table = Table::indented(2).right(&[1, 2]).cut(3);
    for run in runs {
        let outcome = match (&run.error, &run.left_out) {
            (Some(error), _) => format!("failed: {}", error.message),
            (None, Some(reason)) => format!("not shown: {reason}"),
            (None, None) => String::new(),
        };
        table.row([
            shortened(&run.url, printer.room(24)),
            show::objects(run.records.len()),
            show::time(run.cpu),
            outcome,
        ]);
    }
    printer.table(&table)
}

fn examples(runs: &[PageRun], printer: &mut Printer) -> Result<(), Failure> {
    // One of each page, so that different kinds of pages are seen.
    for run in runs
        .iter()
        .filter(|run| !run.records.is_empty())
        .take(SHOWN_OBJECTS)
    {
        printer.line("")?;
        printer.line(&format!("  {}", printer.paint(Tone::Quiet, &run.url)))?;
        show::object(0, &run.records[0], run.page.as_deref(), printer)?;
    }
    Ok(())
}

fn clusters(groups: &Groups, runs: &[PageRun], printer: &mut Printer) -> Result<(), Failure> {
    let urls: Vec<&str> = runs
        .iter()
        .flat_map(|run| run.records.iter().map(|_| run.url.as_str()))
        .collect();
    let mut shared: Vec<_> = groups
        .groups
        .iter()
        .filter(|group| group.members.len() > 1)
        .collect();
    shared.sort_by_key(|group| std::cmp::Reverse(group.members.len()));
    let by = if groups.by_plugin {
        "the plugin's clusterer"
    } else {
        "the schema"
    };
    printer.line("")?;
    printer.line(&format!(
        "  {} by {by}, {} of them on several pages:",
        show::count(groups.groups.len(), "distinct object"),
        shared.len()
    ))?;
    for group in shared.iter().take(SHOWN_CLUSTERS) {
        printer.line("")?;
        printer.line(&format!("  {}", printer.paint(Tone::Strong, &group.label)))?;
        let first = group.members[0];
        printer.line(&format!("    {}", urls[first]))?;
        let mut table = Table::indented(4).cut(1);
        for &member in &group.members[1..] {
            let why = groups.why(first, member).unwrap_or_default();
            table.row([Cell::from(urls[member]), Cell::toned(Tone::Quiet, why)]);
        }
        printer.table(&table)?;
    }
    if shared.len() > SHOWN_CLUSTERS {
        printer.line(&format!("  and {} more", shared.len() - SHOWN_CLUSTERS))?;
    }
    Ok(())
}
