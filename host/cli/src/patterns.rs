//! `magpie patterns`: which kinds of pages a site has, which of them are chosen, and how they do.

use std::collections::BTreeMap;

use magpie_engine::site::{LearnedRules, PatternSamples, SiteRendering, named};
use magpie_model::Alarm;
use magpie_rows::{PatternRow, SelectedQuery, SelectionRow};
use magpie_terminal::workspace::Opened;
use magpie_terminal::{Cell, Failure, Printer, Table, Tone, format};

use crate::args::PatternsArgs;
use crate::sites::verticals;
use magpie_patterns::rendering::Mode;
use magpie_report::build::round_pages;
use magpie_report::sentences::figures;
use magpie_report::sentences::learn::{gap, of_found, way};
use magpie_report::views::patterns::{PatternLine, QueryLine, RenderingLine};
use magpie_terminal::format::{path, regex};

pub(crate) fn run(arguments: &PatternsArgs, printer: &mut Printer) -> Result<(), Failure> {
    let opened = Opened::by(&(&arguments.workspace).into())?;
    let reader = &*opened.reader;
    let mut any = false;
    for vertical in verticals(reader, arguments.vertical.as_deref())? {
        if let Some(selection) = reader.selection(&vertical)?.filter(|_| !arguments.json) {
            let round = round_pages(reader, &vertical)?;
            printer.line(&about(&vertical, &selection, round))?;
        }
        let sites = reader.learned_sites(&vertical)?;
        let queries = reader.selected_queries(&vertical)?;
        let figures = opened.view(&vertical).site_figures()?;
        let learned = LearnedRules::read(reader, &vertical)?;
        for site in named(&sites, arguments.site.as_deref()) {
            any = true;
            let patterns = reader.patterns(&vertical, site.site)?;
            let shown = patterns.iter().filter(|row| row.wanted || arguments.all);
            let own = figures.iter().filter(|figures| figures.site == site.site);
            let samples: Vec<&PatternSamples> = own.flat_map(|figures| &figures.samples).collect();
            let asked = queries.iter().filter(|query| query.site == site.site);
            let ways = SiteRendering::read(&opened.folder, &vertical, &learned, &site.key);
            let ways = match ways {
                Ok(rules) => rules.all(),
                Err(error) => {
                    printer.warn(&format!("{}: {error}; the learned rules are listed", site.key));
                    learned.of(&site.key).to_vec()
                }
            };
            let ways = ways.iter().filter(|rule| rule.mode != Mode::Plain);
            if arguments.json {
                for row in shown {
                    printer.json(&PatternLine::new(&vertical, &site.key, row, &samples))?;
                }
                for query in asked {
                    printer.json(&QueryLine::new(&vertical, &site.key, query))?;
                }
                for rule in ways {
                    printer.json(&RenderingLine {
                        vertical: vertical.clone(),
                        site: site.key.clone(),
                        rendering: rule.clone(),
                    })?;
                }
                continue;
            }
            printer.section(&site.key)?;
            // The objects of patterns are those that the vertical found. Pages on which it found
            // nothing are in no pattern with objects.
            printer.line(&format!(
                "  objects on {} of {} when it was learned",
                format::thousands(site.yielding),
                format::many(site.pages, "page"),
            ))?;
            table(&shown.collect::<Vec<_>>(), arguments.all, printer)?;
            for of in samples.iter().filter(|of| !of.objects.is_empty()) {
                printer.line(&format!("  objects of {}", path(&of.pattern)))?;
                let mut objects = of.objects.iter();
                objects.try_for_each(|object| printer.line(&format!("    {}", figures::sample(object))))?;
            }
            print_queries(&asked.collect::<Vec<_>>(), printer)?;
            for rule in ways {
                printer.line(&format!("  {}", way(rule)))?;
            }
        }
    }
    if !any {
        return Err(
            Failure::input("there is no such site among those that were learned")
                .hint("`magpie sites` lists them"),
        );
    }
    Ok(())
}

fn about(vertical: &str, selection: &SelectionRow, round: Option<u64>) -> String {
    let round = round.map(|pages| format!("; a round fetches {} now", format::many(pages, "page")));
    format!(
        "{vertical}: {} chosen ({}, {}) have {}, {}{}",
        format::many(selection.patterns, "pattern"),
        selection.strategy,
        selection.goal,
        of_found(selection.covered, selection.coverable),
        gap(selection.gap, selection.goal.starts_with("pages")),
        round.unwrap_or_default(),
    )
}

fn table(rows: &[&PatternRow], all: bool, printer: &mut Printer) -> Result<(), Failure> {
    let mut table = Table::indented(2)
        .right(&[2, 3, 4, 5])
        .cut(1)
        .head(["", "pattern", "pages", "objects", "hubs", "fetched", ""]);
    for row in rows {
        let chosen = match (row.chosen, row.wanted) {
            (true, _) => Cell::toned(Tone::Good, "✓"),
            (false, true) => Cell::from("·"),
            (false, false) => Cell::from(""),
        };
        let alarm = match row.watched.alarm {
            Some(Alarm::Failures) => Cell::toned(Tone::Bad, "its pages fail more often than before"),
            Some(Alarm::Yield) => Cell::toned(Tone::Bad, "its pages yield objects less often than before"),
            None => Cell::from(""),
        };
        table.row((
            chosen,
            path(&row.pattern),
            format::thousands(row.pages),
            format::thousands(row.objects),
            format::thousands(row.hubs),
            format::thousands(row.watched.fetches),
            alarm,
        ));
        if all && let Some(regex) = regex(&row.pattern) {
            table.row(("", regex));
        }
    }
    printer.table(&table)
}

/// Queries of a template that are named.
const MAX_NAMED: usize = 5;

/// Prints the queries of a site that are asked in every round, by template.
fn print_queries(queries: &[&SelectedQuery], printer: &mut Printer) -> Result<(), Failure> {
    let mut by_template: BTreeMap<&str, Vec<&SelectedQuery>> = BTreeMap::new();
    for query in queries {
        by_template.entry(&query.template).or_default().push(query);
    }
    for (template, queries) in by_template {
        let pages: u32 = queries.iter().map(|query| query.pages).sum();
        let named = queries.iter().take(MAX_NAMED).map(|query| query.query.clone());
        let more = match queries.len() > MAX_NAMED {
            true => ", …",
            false => "",
        };
        printer.line(&format!(
            "  {} of {template}, {} of results a round: {}{more}",
            format::counted(queries.len() as u64, "query", "queries"),
            format::many(u64::from(pages), "page"),
            named.collect::<Vec<_>>().join(", "),
        ))?;
    }
    Ok(())
}
