//! `magpie-lab truth` and `magpie-lab seeds`.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use magpie_lab::Truth;
use serde_json::json;

use crate::args::{QueriesArgs, SeedsArgs, TruthArgs};
use crate::output::{Output, count};

pub(crate) fn run(arguments: &TruthArgs, output: &mut Output) -> Result<()> {
    let web = arguments.web.web();
    if let Some(url) = &arguments.page
        && let Some(result) = web.result(url, None, arguments.web.week)
    {
        let shown = web.shown(url, arguments.web.week);
        output.json(&json!({ "result": result, "empty": result.is_empty(), "shown": shown }))?;
        return Ok(());
    }
    let truth = web.truth(arguments.web.week);
    if let Some(url) = &arguments.page {
        return page(&truth, url, output);
    }
    if arguments.json {
        for object in &truth.objects {
            let urls = object
                .pages
                .iter()
                .filter_map(|page| truth.pages.get(*page as usize));
            let urls: Vec<_> = urls.map(|page| &page.url).collect();
            output.json(&json!({
                "object": object.id, "attributes": object.attributes, "local": object.local,
                "gone": object.is_gone, "pages": urls,
            }))?;
        }
        for page in &truth.pages {
            output.json(&json!({
                "page": page.url, "site": page.site, "kind": page.kind, "objects": page.objects,
                "mentions": page.mentions, "broken": page.is_broken, "forbidden": page.is_forbidden,
                "decoys": page.decoys, "bygone": page.bygone, "scripted": page.is_scripted,
            }))?;
        }
        for search in &truth.searches {
            output.json(&json!({ "search": search.host, "truth": search }))?;
        }
        for site in web.site_truths(arguments.web.week) {
            output.json(&json!({ "site": site.host, "truth": site }))?;
        }
        return Ok(());
    }
    summary(&truth, output)?;
    for site in web
        .site_truths(arguments.web.week)
        .filter(|site| site.scripts.is_some())
    {
        let style = site.scripts.map_or("", |scripts| scripts.style.name());
        output.line(&format!(
            "  {} shows {} by scripts ({style}), {} of them also without",
            site.host,
            count(site.objects, "object"),
            site.plain_objects,
        ))?;
    }
    Ok(())
}

fn summary(truth: &Truth, output: &mut Output) -> Result<()> {
    let with_objects = truth.pages.iter().filter(|page| !page.objects.is_empty()).count();
    output.line(&format!(
        "week {}: {} on {with_objects} of {}",
        truth.week,
        count(truth.objects.len(), "object"),
        count(truth.pages.len(), "page"),
    ))?;
    let mut kinds: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for page in &truth.pages {
        let kind = serde_json::to_value(page.kind).unwrap_or_default();
        let entry = kinds
            .entry(kind.as_str().unwrap_or_default().to_owned())
            .or_default();
        entry.0 += 1;
        entry.1 += page.objects.len();
    }
    let rows = kinds.into_iter();
    let rows = rows.map(|(kind, (pages, objects))| [kind, count(pages, "page"), count(objects, "object")]);
    output.table(&rows.collect::<Vec<_>>())?;
    for search in &truth.searches {
        output.line(&format!(
            "  {} searches {}: {}",
            search.host,
            count(search.database as usize, "object"),
            search.kinds.join(", "),
        ))?;
    }
    let copies: usize = truth.objects.iter().map(|object| object.pages.len()).sum();
    output.line(&format!(
        "  an object is on {:.1} pages",
        copies as f64 / truth.objects.len().max(1) as f64
    ))
}

fn page(truth: &Truth, url: &str, output: &mut Output) -> Result<()> {
    let page = truth.page(url).with_context(|| {
        let week = truth.week;
        format!("the web has no page {url} in week {week}; `magpie-lab truth --json` lists all pages")
    })?;
    output.json(&json!({
        "page": page.url, "kind": page.kind, "broken": page.is_broken, "forbidden": page.is_forbidden, "shown": truth.shown(url),
    }))?;
    Ok(())
}

pub(crate) fn queries(arguments: &QueriesArgs, output: &mut Output) -> Result<()> {
    let web = arguments.web.web();
    let count = arguments.count as usize;
    if arguments.entities {
        for entity in web.entities(count) {
            output.line(&format!("{}\t{}", entity.kind, entity.name))?;
        }
        return Ok(());
    }
    for line in web.query_log(count) {
        output.line(&format!("{}\t{}\t{}", line.query, line.count, line.host))?;
    }
    Ok(())
}

pub(crate) fn seeds(arguments: &SeedsArgs, output: &mut Output) -> Result<()> {
    for seed in arguments.web.web().seeds(arguments.count) {
        output.json(&json!(seed))?;
    }
    Ok(())
}
