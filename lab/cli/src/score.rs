//! `magpie-lab score`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use magpie_lab::{Fetch, Found, FoundObject, Score, score};
use magpie_plot::{Bar, BarChart};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::args::ScoreArgs;
use crate::output::{Output, count, notice};

/// A row of `magpie export pages`.
#[derive(Deserialize)]
struct PageRow {
    url: String,
    /// `None` if there was no response.
    status: Option<u16>,
    #[serde(default)]
    bytes: Option<u64>,
}

/// A row of `magpie export objects`.
#[derive(Deserialize)]
struct ObjectRow {
    attributes: BTreeMap<String, Value>,
    members: Vec<MemberRow>,
}

#[derive(Deserialize)]
struct MemberRow {
    url: Option<String>,
}

pub(crate) fn run(arguments: &ScoreArgs, output: &mut Output) -> Result<()> {
    let found = found(&arguments.workspace, arguments.web.vertical.name())?;
    let score = score(&arguments.web.web().truth(arguments.web.week), &found);
    if let Some(path) = &arguments.plot {
        let written = std::fs::write(path, chart(&score).to_svg());
        written.with_context(|| format!("can't write {}", path.display()))?;
        notice(&format!("the plot is in {}", path.display()));
    }
    match arguments.json {
        true => output.json(&score),
        false => print_summary(&score, output),
    }
}

/// Reads what a crawl found from exported tables, or from the workspace with `magpie`.
fn found(folder: &Path, vertical: &str) -> Result<Found> {
    let mut has_objects = folder.join("objects.jsonl").is_file();
    if !has_objects {
        let cluster = [
            "objects",
            "cluster",
            "--quiet",
            "--vertical",
            vertical,
            "--workspace",
        ];
        let mut command = Command::new(magpie());
        let status = command.args(cluster).arg(folder).stdout(Stdio::null()).status();
        let status = status.context("can't run magpie, which exports the workspace")?;
        // After a failure, which `magpie` has explained, the score counts no objects.
        has_objects = status.success();
    }
    let (mut objects, mut fetches) = (Vec::new(), Vec::new());
    rows(folder, "pages", &[], |row: PageRow| {
        fetches.push(Fetch {
            url: row.url,
            status: row.status.unwrap_or(0),
            bytes: row.bytes.unwrap_or(0),
        });
    })?;
    if has_objects {
        rows(folder, "objects", &["--vertical", vertical], |row: ObjectRow| {
            let attributes = row.attributes.into_iter();
            let sources: BTreeSet<String> = row.members.into_iter().filter_map(|row| row.url).collect();
            objects.push(FoundObject {
                attributes: attributes.map(|(name, values)| (name, texts(values))).collect(),
                sources: sources.into_iter().collect(),
            });
        })?;
    }
    Ok(Found { objects, fetches })
}

/// Reads the rows of a table: of the file in the folder, or as `magpie` exports them.
fn rows<T: DeserializeOwned>(
    folder: &Path,
    table: &str,
    filter: &[&str],
    mut each: impl FnMut(T),
) -> Result<()> {
    let mut read = |lines: &mut dyn BufRead| -> Result<()> {
        for line in lines.lines() {
            each(serde_json::from_str(&line?).with_context(|| format!("a bad row of {table}"))?);
        }
        Ok(())
    };
    let file = folder.join(format!("{table}.jsonl"));
    if file.is_file() {
        return read(&mut BufReader::new(File::open(file)?));
    }
    let mut command = Command::new(magpie());
    command
        .args(["export", table, "--quiet", "--format", "jsonl", "--out", "-"])
        .args(filter);
    let mut child = command
        .arg("--workspace")
        .arg(folder)
        .stdout(Stdio::piped())
        .spawn()?;
    if let Some(stdout) = child.stdout.take() {
        read(&mut BufReader::new(stdout))?;
    }
    ensure!(
        child.wait()?.success(),
        "magpie can't export {table} of {}",
        folder.display()
    );
    Ok(())
}

/// Returns the values of an attribute, which is a text or a list.
fn texts(values: Value) -> Vec<String> {
    match values {
        Value::Array(values) => values.into_iter().flat_map(texts).collect(),
        Value::String(text) => vec![text],
        other => vec![other.to_string()],
    }
}

/// Returns the program beside this one, or else its name, which is looked for in the PATH.
fn magpie() -> PathBuf {
    let name = format!("magpie{}", std::env::consts::EXE_SUFFIX);
    let beside = std::env::current_exe().map(|own| own.with_file_name(&name));
    beside
        .ok()
        .filter(|path| path.is_file())
        .unwrap_or_else(|| name.into())
}

fn print_summary(score: &Score, output: &mut Output) -> Result<()> {
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    output.line(&format!(
        "score: {} of {} found by {}",
        score.correct,
        count(score.objects as usize, "object"),
        count(score.pages as usize, "request"),
    ))?;
    let rows = [
        ("recall", percent(score.recall)),
        ("precision", percent(score.precision)),
        ("distinct objects", score.distinct.to_string()),
        ("correct", score.correct.to_string()),
        ("phantoms (not an object of the web)", score.phantoms.to_string()),
        ("duplicates of found objects", score.split.to_string()),
        (
            "past events of old articles (not counted)",
            score.bygone.to_string(),
        ),
        ("objects on fetched pages", score.reached.to_string()),
        ("accuracy of values", percent(score.accuracy)),
        ("bytes", score.bytes.to_string()),
        ("pages with objects", score.object_pages.to_string()),
        ("of these without new objects", percent(score.redundancy)),
    ];
    output.table(&rows.map(|(name, value)| [name.to_owned(), value]))?;
    if !score.phantoms_by_decoy.is_empty() {
        output.line("  phantoms by the decoys of their pages")?;
        let rows = score.phantoms_by_decoy.iter();
        let rows = rows.map(|(decoy, phantoms)| [format!("  {decoy}"), phantoms.to_string()]);
        output.table(&rows.collect::<Vec<_>>())?;
    }
    let rows = score.attributes.iter().map(|(name, attribute)| {
        [
            name.clone(),
            percent(attribute.accuracy),
            format!("right {}", attribute.right),
            format!("missing {}", attribute.missing),
            format!("invented {}", attribute.invented),
        ]
    });
    output.table(&rows.collect::<Vec<_>>())
}

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
