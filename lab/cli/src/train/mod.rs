//! `magpie-lab train`: makes the data files of classifications from annotated pages, and judges
//! them beside published figures.

mod annotated;
mod baseline;
mod forms;
mod regression;
mod templates;

use std::fs;

use anyhow::{Context, Result};
use serde_json::json;

use self::forms::{Counts, FormFigures};
use crate::args::{TrainArgs, Trained};
use crate::output::{Output, count};

/// F1 of searches that was published for another division of the same pages.
const PUBLISHED_F1: f64 = 0.93;

pub(crate) fn run(arguments: &TrainArgs, output: &mut Output) -> Result<()> {
    match arguments.what {
        Trained::Forms => train_forms(arguments, output),
        Trained::Templates => judge_templates(arguments, output),
    }
}

const DATA: &str = "--data is the folder of an unpacked data set";

fn train_forms(arguments: &TrainArgs, output: &mut Output) -> Result<()> {
    let figures = forms::run(&arguments.data).context(DATA)?;
    let weights = figures.model.print();
    if let Some(file) = &arguments.write {
        fs::write(file, &weights).with_context(|| format!("can't write {}", file.display()))?;
    }
    if arguments.json {
        return output.json(&form_json(&figures, weights.len()));
    }
    if arguments.mistakes {
        for mistake in &figures.mistakes {
            output.line(mistake)?;
        }
    }
    output.line(&format!(
        "{} of {}, each judged by weights that saw no form of its site",
        count(figures.forms, "form"),
        count(figures.sites, "site"),
    ))?;
    let mut rows = vec![["purpose", "precision", "recall", "F1"].map(str::to_owned)];
    rows.extend(
        figures
            .purposes
            .iter()
            .map(|(purpose, counts)| row(purpose.as_str(), *counts)),
    );
    rows.push(row("search, by a rule of ten lines", figures.baseline));
    output.table(&rows)?;
    let (low, high) = figures.search_f1;
    output.line(&format!(
        "  F1 of searches {:.3} ({low:.3} to {high:.3}); published {PUBLISHED_F1:.2}",
        figures.search.f1()
    ))?;
    output.line(&format!("  mean F1 of the purposes {:.3}", figures.macro_f1))?;
    let (all, found) = figures.query_fields;
    output.line(&format!(
        "  field of the words found in {found} of {all} searches"
    ))?;
    let ((sent, wrong), (posted, wrong_posts)) = (figures.sendable, figures.by_post);
    output.line(&format!(
        "  {sent} forms may be sent, {wrong} of them no search or filter; {posted} are searches by POST, {wrong_posts} of them wrongly"
    ))?;
    output.line(&format!(
        "  {} in {} KiB",
        count(
            weights.lines().filter(|line| !line.starts_with('#')).count(),
            "weight"
        ),
        weights.len().div_ceil(1024)
    ))?;
    Ok(())
}

fn row(name: &str, counts: Counts) -> [String; 4] {
    let share = |share: f64| format!("{share:.3}");
    [
        name.to_owned(),
        share(counts.precision()),
        share(counts.recall()),
        share(counts.f1()),
    ]
}

fn form_json(figures: &FormFigures, bytes: usize) -> serde_json::Value {
    let counts = |counts: Counts| {
        json!({"precision": counts.precision(), "recall": counts.recall(), "f1": counts.f1(),
               "hits": counts.hits, "false_alarms": counts.false_alarms, "misses": counts.misses})
    };
    let purposes: serde_json::Map<String, serde_json::Value> = figures
        .purposes
        .iter()
        .map(|(purpose, found)| (purpose.as_str().to_owned(), counts(*found)))
        .collect();
    json!({
        "forms": figures.forms, "sites": figures.sites, "search": counts(figures.search),
        "search_f1_interval": [figures.search_f1.0, figures.search_f1.1],
        "baseline": counts(figures.baseline), "published_f1": PUBLISHED_F1, "purposes": purposes,
        "macro_f1": figures.macro_f1,
        "query_fields": {"annotated": figures.query_fields.0, "found": figures.query_fields.1},
        "sendable": {"forms": figures.sendable.0, "wrong": figures.sendable.1},
        "search_by_post": {"forms": figures.by_post.0, "wrong": figures.by_post.1},
        "weight_bytes": bytes, "mistakes": figures.mistakes,
    })
}

fn judge_templates(arguments: &TrainArgs, output: &mut Output) -> Result<()> {
    let figures = templates::run(&arguments.data).context(DATA)?;
    if arguments.json {
        output.json(&json!({
            "templates": figures.templates, "from_example": figures.from_example,
            "mistakes": figures.mistakes,
        }))?;
        return Ok(());
    }
    if arguments.mistakes {
        for mistake in &figures.mistakes {
            output.line(mistake)?;
        }
    }
    output.line(&format!(
        "{} of {} templates learned from an example ({:.1} %)",
        figures.from_example,
        figures.templates,
        100.0 * f64::from(figures.from_example) / f64::from(figures.templates.max(1))
    ))?;
    Ok(())
}
