//! Rewrites `docs/figures.md` from the benchmarks, and from that the plot of the README, and the
//! table and the plot of the page that compares rounds.
//!
//! Each benchmark runs in a process of its own, which prints one JSON object a line for each
//! figure.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::figure::tell;
use crate::machine::Machine;
use crate::picture;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only these benchmarks; what the page has of the others stays [default: all]
    names: Vec<String>,
    /// Take the figures of the one benchmark from a file with what it printed with `--json`
    #[arg(long, value_name = "FILE", requires = "names")]
    from: Option<PathBuf>,
}

const PAGE: &str = "docs/figures.md";

const PICTURE: &str = "docs/pictures/rounds.svg";

/// The page that compares rounds by several methods, its picture, and the lines around its table.
const COMPARED: &str = "docs/concepts/rounds.md";
const COMPARED_PICTURE: &str = "docs/pictures/rounds-compared.svg";
const TABLE: [&str; 2] = [
    "<!-- Written by `cargo xtask figures real`. -->\n",
    "<!-- End of the table. -->\n",
];

/// Rewrites the files below the working folder, which is the root of the repository.
pub(crate) fn run(options: &Options, known: &[&str]) -> Result<()> {
    if let Some(name) = options.names.iter().find(|name| !known.contains(&name.as_str())) {
        bail!(
            "there is no benchmark `{name}`; the benchmarks are {}",
            known.join(", ")
        );
    }
    if options.from.is_some() && options.names.len() != 1 {
        bail!("a file has the figures of one benchmark: name one");
    }
    let is_wanted = |name: &str| options.names.is_empty() || options.names.iter().any(|one| one == name);
    let before = std::fs::read_to_string(PAGE).unwrap_or_default();
    let program = std::env::current_exe().context("can't determine the path of this program")?;
    let machine = Machine::here();
    let mut sections = Vec::new();
    let mut failed = Vec::new();
    for name in known {
        let kept = section(&before, name).map(str::to_owned);
        if !is_wanted(name) {
            sections.extend(kept);
            continue;
        }
        tell(&format!("measure {name}"));
        let lines = match &options.from {
            Some(path) => {
                std::fs::read_to_string(path).with_context(|| format!("can't read {}", path.display()))
            }
            None => output_of(Command::new(&program).args([name, "--json"])),
        };
        match lines.and_then(|lines| figures_in(&lines)) {
            Ok(figures) => sections.push(written(&machine, name, &figures)),
            Err(error) => {
                failed.push(format!("{name}: {error:#}"));
                sections.extend(kept);
            }
        }
    }
    let page = page(&sections);
    write(PAGE, &page)?;
    if let Some(svg) = picture::rounds(&page)? {
        write(PICTURE, &svg)?;
    }
    if let Some((table, svg)) = picture::compared(&page) {
        let before = std::fs::read_to_string(COMPARED).with_context(|| format!("can't read {COMPARED}"))?;
        let [start, end] = TABLE.map(|mark| before.split_once(mark));
        let around = start
            .zip(end)
            .with_context(|| format!("{COMPARED} has no place for the table"))?;
        let ((above, _), (_, below)) = around;
        let [start, end] = TABLE;
        write(COMPARED, &format!("{above}{start}\n{table}\n{end}{below}"))?;
        write(COMPARED_PICTURE, &svg)?;
    }
    if failed.is_empty() {
        Ok(())
    } else {
        bail!("some benchmarks failed\n{}", failed.join("\n"))
    }
}

fn write(path: impl AsRef<Path>, text: &str) -> Result<()> {
    let path = path.as_ref();
    std::fs::write(path, text).with_context(|| format!("can't write {}", path.display()))
}

fn output_of(command: &mut Command) -> Result<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .context("can't be started")?;
    if !output.status.success() {
        bail!("it ended with {}", output.status);
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// The figures among a benchmark's lines; other lines are for people.
fn figures_in(lines: &str) -> Result<Vec<Value>> {
    let objects = lines.lines().filter(|line| line.starts_with('{'));
    objects
        .map(|line| serde_json::from_str(line).with_context(|| format!("not a figure: {line}")))
        .collect()
}

/// The page: a section for each benchmark.
fn page(sections: &[String]) -> String {
    let mut page = "# Figures\n\nWritten by `cargo xtask figures`, or for one benchmark by `cargo xtask figures NAME`.\n\
         Values are medians, with the spread that the benchmark reports.\n"
        .to_owned();
    for section in sections {
        page.push('\n');
        page.push_str(section.trim_end());
        page.push('\n');
    }
    page
}

/// The section of a benchmark in a page that was written before.
fn section<'a>(page: &'a str, name: &str) -> Option<&'a str> {
    let head = format!("## {name}\n");
    let start = page.find(&format!("\n{head}"))? + 1;
    let body = &page[start + head.len()..];
    let end = body
        .find("\n## ")
        .map_or(page.len(), |end| start + head.len() + end);
    Some(&page[start..end])
}

/// A section: the day and the machine, and a table of the figures.
fn written(machine: &Machine, name: &str, figures: &[Value]) -> String {
    let mut section = format!(
        "## {name}\n\nMeasured on {}, on {}.\n\n| figure | value | spread | target | met | beside | note |\n",
        machine.date, machine.shape
    );
    section.push_str("|---|--:|--:|--:|---|---|---|\n");
    for figure in figures {
        // Writing to a string can't fail.
        let _ = writeln!(section, "| {} |", row(figure).join(" | "));
    }
    section
}

fn row(figure: &Value) -> [String; 7] {
    let unit = figure["unit"].as_str().unwrap_or_default();
    let spread: Vec<String> = figure["spread"]
        .as_array()
        .into_iter()
        .flatten()
        .map(plain)
        .collect();
    let beside = figure["beside"].as_object().into_iter().flatten();
    let beside: Vec<String> = beside
        .map(|(name, value)| format!("{}: {}", cell(name), plain(value)))
        .collect();
    [
        cell(figure["figure"].as_str().unwrap_or("?")),
        format!("{} {}", plain(&figure["value"]), cell(unit))
            .trim()
            .to_owned(),
        spread.join(" – "),
        target(figure),
        figure["meets"]
            .as_bool()
            .map_or("", |met| if met { "yes" } else { "no" })
            .to_owned(),
        beside.join(", "),
        cell(figure["note"].as_str().unwrap_or_default()),
    ]
}

/// The target, with the side of it that is good.
fn target(figure: &Value) -> String {
    let side = match figure["better"].as_str() {
        Some("lower") => "≤ ",
        Some("higher") => "≥ ",
        _ => "",
    };
    if figure["target"].is_null() {
        String::new()
    } else {
        format!("{side}{}", plain(&figure["target"]))
    }
}

/// A value with as many digits as a person compares.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => cell(text),
        Value::Number(number) if number.is_f64() => digits(number.as_f64().unwrap_or_default()),
        other => other.to_string(),
    }
}

/// Three digits that count, or all before the point.
fn digits(number: f64) -> String {
    let decimals = match number.abs() {
        size if size >= 100.0 || size == 0.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 => 2,
        size if size >= 0.1 => 3,
        _ => 5,
    };
    format!("{number:.decimals$}")
}

/// Text that stays in its cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_becomes_a_row() {
        let lines = concat!(
            "warming up\n",
            r#"{"figure": "fresh|instance", "value": 38.21, "unit": "µs/page", "target": 50, "better": "lower","#,
            r#" "meets": true, "beside": {"reused": 33.1}, "spread": [36.9, 141.04], "note": "two\nlines"}"#,
            "\n",
            r#"{"figure": "pages", "value": 12000}"#,
        );
        let machine = Machine {
            date: "2026-05-03".into(),
            shape: "2 cores".into(),
        };
        let section = written(&machine, "sandbox", &figures_in(lines).unwrap());
        let expected = "## sandbox\n\nMeasured on 2026-05-03, on 2 cores.\n\n\
            | figure | value | spread | target | met | beside | note |\n|---|--:|--:|--:|---|---|---|\n\
            | fresh\\|instance | 38.2 µs/page | 36.9 – 141 | ≤ 50 | yes | reused: 33.1 | two lines |\n\
            | pages | 12000 |  |  |  |  |  |\n";
        assert_eq!(section, expected);
    }

    #[test]
    fn sections_of_other_benchmarks_are_kept() {
        let sections = ["## real\n\n| a |\n".to_owned(), "## reals\n\n| b |\n".to_owned()];
        let page = page(&sections);
        assert_eq!(section(&page, "real"), Some("## real\n\n| a |\n"));
        assert_eq!(section(&page, "reals"), Some("## reals\n\n| b |\n"));
        assert_eq!(section(&page, "crawl"), None);
    }

    #[test]
    fn a_broken_figure_is_an_error() {
        assert!(
            figures_in("{\"figure\": ")
                .unwrap_err()
                .to_string()
                .contains("not a figure")
        );
    }
}
