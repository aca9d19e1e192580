//! schema.org's own examples: one object written as microdata, as RDFa and as JSON-LD gives the
//! same objects.
//!
//! Many of the originals differ between their syntaxes: another price, a missing event. The target
//! is for those whose three syntaxes state the same facts, as the host reads them; all examples are
//! listed too.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use magpie_model::Record;
use magpie_page::Page;
use magpie_runtime::Plugin;
use serde_json::Value;

use super::Bench;
use super::pages::records;
use super::suites::{Facts, facts as stated};
use crate::data::text;
use crate::figure::Report;
use crate::score::{PageScore, Tally};

/// Each syntax, the mark that distinguishes an example from a note without one, and the host's name
/// for it.
const SYNTAXES: [(&str, &str, &str); 3] = [
    ("microdata", "itemscope", "microdata"),
    ("rdfa", "typeof", "rdfa"),
    ("jsonld", "ld+json", "json-ld"),
];

/// Base URL for the suites' references.
const URL: &str = "http://example.com/";

/// The originals differ in ids and URLs now and then.
const DIFFERING: [&str; 2] = ["url", "image"];

pub(crate) fn run(bench: &Bench, folder: &Path, report: &mut Report) -> Result<()> {
    let lines = text(&folder.join("schemaorg-examples.jsonl"))?;
    let mut examples: Vec<Value> = Vec::new();
    for line in lines.lines() {
        let example: Value = serde_json::from_str(line)?;
        let has = |(syntax, mark, _): &(&str, &str, &str)| {
            example[*syntax].as_str().is_some_and(|text| text.contains(mark))
        };
        if SYNTAXES.iter().all(has) {
            examples.push(example);
        }
    }
    let (mut all, mut alike) = (Tally::default(), Tally::default());
    for vertical in ["events", "books", "products"] {
        let plugin = bench.readers.plugin(vertical)?;
        let outcomes = bench
            .readers
            .each(&examples, |example| outcome(&plugin, example))?;
        for outcome in outcomes.into_iter().flatten() {
            if outcome.is_alike {
                alike.push(outcome.score.clone());
            }
            all.push(outcome.score);
        }
    }
    let name = "schema.org examples: same objects in three syntaxes";
    bench.add_share(
        report,
        format!("{name}, where these state the same"),
        &alike,
        Some(0.95),
    );
    bench.add_share(report, name, &all, None);
    Ok(())
}

struct Outcome {
    score: PageScore,
    /// The original states the same in all syntaxes.
    is_alike: bool,
}

/// None for an example that has nothing for this vertical in any syntax.
fn outcome(plugin: &Plugin, example: &Value) -> Result<Option<Outcome>> {
    let mut found: Vec<BTreeSet<Vec<String>>> = Vec::new();
    let mut originals: Vec<Facts> = Vec::new();
    for (syntax, _, ours) in SYNTAXES {
        let markup = example[syntax].as_str().unwrap_or_default();
        // JSON-LD is the only syntax that adds no visible text, so the text is added for it.
        let seen = if syntax == "jsonld" {
            example["text"].as_str().unwrap_or_default()
        } else {
            ""
        };
        let html = format!("<!DOCTYPE html><html lang=en><body>{seen}\n{markup}</body></html>");
        let page = Arc::new(Page::from_html(URL, &html)?);
        let items = page.structured_data().iter().filter(|item| item.syntax == ours);
        originals.push(stated(items.map(|item| &item.json)));
        found.push(records(plugin, &page).iter().map(facts).collect());
    }
    if found.iter().all(BTreeSet::is_empty) {
        return Ok(None);
    }
    let told: Vec<String> = SYNTAXES
        .iter()
        .zip(&found)
        .map(|((syntax, _, _), facts)| format!("{syntax}: {facts:?}"))
        .collect();
    let score = PageScore {
        page: format!(
            "{} ({})",
            example["id"].as_str().unwrap_or_default(),
            plugin.info().name
        ),
        expected: 1,
        found: 1,
        right: usize::from(found.iter().all(|one| *one == found[0])),
        told: told.join("; "),
        ..PageScore::default()
    };
    Ok(Some(Outcome {
        score,
        is_alike: originals.iter().all(|one| *one == originals[0]),
    }))
}

fn facts(record: &Record) -> Vec<String> {
    let kept = record
        .values
        .iter()
        .filter(|value| !DIFFERING.contains(&value.attribute.as_str()));
    let mut facts: Vec<String> = kept
        .map(|value| format!("{}={}", value.attribute, magpie_values::text::fold(&value.value)))
        .collect();
    facts.sort();
    facts
}
