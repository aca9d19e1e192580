//! `magpie-lab score`.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use magpie_engine::Verticals;
use magpie_kit::groups::{Group, group};
use magpie_lab::{Fetch, Found, FoundObject, Score, score};
use magpie_plot::{Bar, BarChart};
use magpie_runtime::Plugin;
use magpie_rows::{FoundRecord, PageId, Pages as _};
use magpie_sqlite::Reader;

use crate::web;
use magpie_terminal::settings::{CrawlSettingArgs, SettingArgs};
use magpie_terminal::workspace::open_verticals;
use magpie_terminal::{Failure, Kind, Printer, Table, Tone, format, output_file, settings};

use crate::args::ScoreArgs;

/// Number of pages whose records are read at once.
const ROWS: usize = 10_000;

pub(crate) fn run(arguments: &ScoreArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    output_file::check(arguments.plot.as_deref())?;
    let reader = Reader::open(&arguments.workspace)?;
    let web = web(&arguments.web)?;
    let objects = objects(&reader, &arguments.web.vertical)?;
    let found = Found {
        objects: distinct(&arguments.workspace, &arguments.web.vertical, &objects)?,
        fetches: fetches(&reader)?,
    };
    let score = score(&web.truth(arguments.web.week), &found);
    if let Some(path) = &arguments.plot {
        output_file::write(path, &chart(&score).to_svg())?;
        printer.tell(&format!("the plot is in {}", path.display()));
    }
    if arguments.json {
        let value = serde_json::to_value(&score).unwrap_or_default();
        printer.json(&value)?;
    } else {
        print_summary(&score, printer)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn objects(reader: &Reader, vertical: &str) -> Result<Vec<FoundRecord>, Failure> {
    let pages: Vec<PageId> = reader.all_fetches(None)?.iter().map(|page| page.id).collect();
    let mut all = Vec::new();
    for some in pages.chunks(ROWS) {
        all.extend(reader.records_of(vertical, some)?);
    }
    Ok(all)
}

/// Merges records of the same object, by the rules of the workspace's vertical.
fn distinct(folder: &Path, vertical: &str, objects: &[FoundRecord]) -> Result<Vec<FoundObject>, Failure> {
    if objects.is_empty() {
        return Ok(Vec::new());
    }
    let verticals = verticals(folder)?;
    let plugin = verticals
        .iter()
        .find(|plugin| plugin.info().name == vertical)
        .ok_or_else(|| {
            Failure::new(
                Kind::Input,
                format!(
                    "{} has objects of {vertical} but not the component of that vertical",
                    folder.display()
                ),
            )
            .hint("the component merges records of one object; put it into the folder `verticals`")
        })?;
    let all: Vec<_> = objects.iter().map(|object| object.record.to_object()).collect();
    let groups = group(plugin, &all).map_err(|message| Failure::new(Kind::Plugin, message))?;
    Ok(groups.groups.iter().map(|group| merged(group, objects)).collect())
}

fn verticals(folder: &Path) -> Result<Vec<Plugin>, Failure> {
    let resolved = settings::resolve(
        &SettingArgs::default(),
        &CrawlSettingArgs::default(),
        Some(folder),
    )?;
    let verticals = open_verticals(folder, &resolved)?;
    Ok(verticals.as_ref().map(Verticals::plugins).unwrap_or_default())
}

fn merged(group: &Group, objects: &[FoundRecord]) -> FoundObject {
    let mut attributes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let values = |index: usize, attribute: &str| -> Vec<String> {
        objects[index].record.all(attribute).map(str::to_owned).collect()
    };
    for (attribute, index) in &group.keep {
        attributes.insert(attribute.clone(), values(*index, attribute));
    }
    for &index in &group.members {
        for attribute in objects[index].record.attributes() {
            let known = attributes.entry(attribute.to_owned()).or_default();
            if known.is_empty() {
                *known = values(index, attribute);
            }
        }
    }
    FoundObject {
        attributes,
        sources: group
            .members
            .iter()
            .map(|index| objects[*index].url.clone())
            .collect(),
    }
}

/// Returns the fetches of all runs, with status 0 for those without a response.
fn fetches(reader: &Reader) -> Result<Vec<Fetch>, Failure> {
    let rows = reader.all_fetches(None)?.into_iter().map(|row| Fetch {
        url: row.url,
        status: row.status.unwrap_or(0),
        bytes: row.bytes,
    });
    Ok(rows.collect())
}

fn print_summary(score: &Score, printer: &mut Printer) -> Result<(), Failure> {
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    printer.line(&format!(
        "{}: {} of {} found by {}",
        printer.paint(Tone::Strong, "score"),
        format::thousands(score.correct),
        format::many(score.objects, "object"),
        format::many(score.pages, "request"),
    ))?;
    let mut table = Table::indented(2).right(&[1]);
    let rows = [
        ("recall", percent(score.recall)),
        ("precision", percent(score.precision)),
        ("distinct objects", format::thousands(score.distinct)),
        ("correct", format::thousands(score.correct)),
        (
            "phantoms (not an object of the web)",
            format::thousands(score.phantoms),
        ),
        ("duplicates of found objects", format::thousands(score.split)),
        (
            "past events of old articles (not counted)",
            format::thousands(score.bygone),
        ),
        ("objects on fetched pages", format::thousands(score.reached)),
        ("accuracy of values", percent(score.accuracy)),
        ("bytes", format::bytes(score.bytes)),
        ("pages with objects", format::thousands(score.object_pages)),
        ("of these without new objects", percent(score.redundancy)),
    ];
    for (name, value) in rows {
        table.row([name.to_owned(), value]);
    }
    printer.table(&table)?;
    if !score.phantoms_by_decoy.is_empty() {
        printer.line("  phantoms by the decoys of their pages")?;
        let mut table = Table::indented(4).right(&[1]);
        for (decoy, phantoms) in &score.phantoms_by_decoy {
            table.row([decoy.clone(), format::thousands(*phantoms)]);
        }
        printer.table(&table)?;
    }
    let mut table = Table::indented(2).right(&[1, 2, 3, 4]);
    for (name, attribute) in &score.attributes {
        table.row([
            name.clone(),
            percent(attribute.accuracy),
            format!("right {}", format::thousands(attribute.right)),
            format!("missing {}", format::thousands(attribute.missing)),
            format!("invented {}", format::thousands(attribute.invented)),
        ]);
    }
    printer.table(&table)
}

/// Draws the shares as bars.
fn chart(score: &Score) -> BarChart {
    let whole = [("recall", score.recall), ("precision", score.precision)];
    let whole = whole.into_iter().map(|(name, value)| (name.to_owned(), value));
    // An attribute of which no crawl found a value has no accuracy.
    let attributes = score
        .attributes
        .iter()
        .filter(|(_, attribute)| attribute.compared > 0)
        .map(|(name, attribute)| (name.clone(), attribute.accuracy));
    let bar = |(name, value)| {
        (
            name,
            vec![Bar {
                value,
                interval: None,
            }],
        )
    };
    BarChart {
        title: format!("{} objects by {} fetches", score.correct, score.pages),
        y: "share".to_owned(),
        kinds: vec!["share".to_owned()],
        groups: whole.chain(attributes).map(bar).collect(),
    }
}
