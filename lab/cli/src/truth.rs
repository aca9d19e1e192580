//! `magpie-lab truth` and `magpie-lab seeds`.

use std::collections::BTreeMap;
use std::process::ExitCode;

use magpie_lab::Truth;
use serde_json::json;

use crate::web;
use magpie_terminal::{Failure, Printer, Table, Tone, format};

use crate::args::{QueriesArgs, SeedsArgs, TruthArgs};

pub(crate) fn run(arguments: &TruthArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let web = web(&arguments.web)?;
    if let Some(url) = &arguments.page
        && let Some(result) = web.result(url, None, arguments.web.week)
    {
        let shown = web.shown(url, arguments.web.week);
        printer.json(&json!({ "result": result, "empty": result.is_empty(), "shown": shown }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let truth = web.truth(arguments.web.week);
    if let Some(url) = &arguments.page {
        return page(&truth, url, printer);
    }
    if arguments.json {
        for object in &truth.objects {
            let urls = object
                .pages
                .iter()
                .filter_map(|page| truth.pages.get(*page as usize));
            let urls: Vec<_> = urls.map(|page| &page.url).collect();
            printer.json(&json!({
                "object": object.id, "attributes": object.attributes, "local": object.local,
                "gone": object.is_gone, "pages": urls,
            }))?;
        }
        for page in &truth.pages {
            printer.json(&json!({
                "page": page.url, "site": page.site, "kind": page.kind, "objects": page.objects,
                "mentions": page.mentions, "broken": page.is_broken, "forbidden": page.is_forbidden,
                "decoys": page.decoys, "bygone": page.bygone, "scripted": page.is_scripted,
            }))?;
        }
        for search in &truth.searches {
            printer.json(&json!({ "search": search.host, "truth": search }))?;
        }
        for site in web.site_truths(arguments.web.week) {
            printer.json(&json!({ "site": site.host, "truth": site }))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    summary(&truth, printer)?;
    for site in web
        .site_truths(arguments.web.week)
        .filter(|site| site.scripts.is_some())
    {
        let style = site.scripts.map_or("", |scripts| scripts.style.name());
        printer.line(&format!(
            "  {} shows {} by scripts ({style}), {} of them also without",
            site.host,
            format::objects(site.objects),
            format::thousands(site.plain_objects as u64),
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn summary(truth: &Truth, printer: &mut Printer) -> Result<(), Failure> {
    let with_objects = truth.pages.iter().filter(|page| !page.objects.is_empty()).count();
    printer.line(&format!(
        "{}: {} on {} of {}",
        printer.paint(Tone::Strong, &format!("week {}", truth.week)),
        format::objects(truth.objects.len()),
        format::thousands(with_objects as u64),
        format::count(truth.pages.len(), "page"),
    ))?;
    let mut kinds: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for page in &truth.pages {
        let kind = serde_json::to_value(page.kind).unwrap_or_default();
        let entry = kinds
            .entry(kind.as_str().unwrap_or_default().to_owned())
            .or_default();
        entry.0 += 1;
        entry.1 += page.objects.len() as u64;
    }
    let mut table = Table::indented(2).right(&[1, 2]);
    for (kind, (pages, objects)) in kinds {
        table.row([kind, format::many(pages, "page"), format::many(objects, "object")]);
    }
    printer.table(&table)?;
    for search in &truth.searches {
        printer.line(&format!(
            "  {} searches {}: {}",
            search.host,
            format::objects(search.database as usize),
            search.kinds.join(", "),
        ))?;
    }
    let copies: usize = truth.objects.iter().map(|object| object.pages.len()).sum();
    printer.line(&format!(
        "  an object is on {:.1} pages",
        copies as f64 / truth.objects.len().max(1) as f64
    ))
}

/// Prints the objects on a page.
fn page(truth: &Truth, url: &str, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let Some(page) = truth.page(url) else {
        return Err(
            Failure::usage(format!("the web has no page {url} in week {}", truth.week))
                .hint("`magpie-lab truth --json` lists all pages"),
        );
    };
    printer.json(&json!({
        "page": page.url, "kind": page.kind, "broken": page.is_broken, "forbidden": page.is_forbidden, "shown": truth.shown(url),
    }))?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn queries(arguments: &QueriesArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let web = web(&arguments.web)?;
    let count = arguments.count as usize;
    if arguments.entities {
        for entity in web.entities(count) {
            printer.line(&format!("{}\t{}", entity.kind, entity.name))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    for line in web.query_log(count) {
        printer.line(&format!("{}\t{}\t{}", line.query, line.count, line.host))?;
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn seeds(arguments: &SeedsArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    for seed in web(&arguments.web)?.seeds(arguments.count) {
        printer.json(&json!(seed))?;
    }
    Ok(ExitCode::SUCCESS)
}
