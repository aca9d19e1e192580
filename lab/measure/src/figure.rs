//! Figures and reports: tables and charts for people, one JSON object a line for programs.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this program prints")]

use std::fmt::Display;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use magpie_terminal::format;
use serde_json::{Map, Value, json};

use crate::mean::Mean;
use crate::sample::Samples;

/// Direction in which a number improves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Better {
    Lower,
    Higher,
}

#[derive(Clone, Debug)]
pub(crate) struct Figure {
    name: String,
    mean: Mean,
    unit: &'static str,
    /// A bound; values on its better side are good.
    target: Option<f64>,
    better: Better,
    beside: Vec<(String, f64)>,
    note: String,
}

impl Figure {
    /// Creates a figure of which lower values are better.
    pub(crate) fn new(name: impl Into<String>, mean: impl Into<Mean>, unit: &'static str) -> Self {
        Self {
            name: name.into(),
            mean: mean.into(),
            unit,
            target: None,
            better: Better::Lower,
            beside: Vec::new(),
            note: String::new(),
        }
    }

    /// Creates a figure from the median of samples, with their quartiles.
    pub(crate) fn of(name: impl Into<String>, samples: &Samples, unit: &'static str) -> Self {
        let [low, high] = samples.quartiles();
        Self::new(name, samples.median(), unit).spread(low, high)
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn at_most(mut self, target: f64) -> Self {
        self.target = Some(target);
        self
    }

    pub(crate) fn at_least(mut self, target: f64) -> Self {
        self.target = Some(target);
        self.more_is_better()
    }

    pub(crate) fn more_is_better(mut self) -> Self {
        self.better = Better::Higher;
        self
    }

    pub(crate) fn beside(mut self, name: impl Into<String>, value: f64) -> Self {
        self.beside.push((name.into(), value));
        self
    }

    /// Adds the published value, if there is one.
    pub(crate) fn published(self, value: Option<f64>) -> Self {
        match value {
            Some(value) => self.beside("published", value),
            None => self,
        }
    }

    pub(crate) fn spread(mut self, from: f64, to: f64) -> Self {
        self.mean.interval = Some((from, to));
        self
    }

    pub(crate) fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    fn meets(&self) -> Option<bool> {
        self.target.map(|target| match self.better {
            Better::Lower => self.mean.value <= target,
            Better::Higher => self.mean.value >= target,
        })
    }

    fn json(&self) -> Value {
        let mut object = json!({
            "figure": self.name,
            "value": rounded(self.mean.value),
            "unit": self.unit,
            "better": match self.better {
                Better::Lower => "lower",
                Better::Higher => "higher",
            },
        });
        if let Some(target) = self.target {
            object["target"] = json!(target);
            object["meets"] = json!(self.meets());
        }
        if !self.beside.is_empty() {
            let beside = self.beside.iter();
            let beside = beside.map(|(name, value)| (name.clone(), json!(rounded(*value))));
            object["beside"] = beside.collect::<Map<String, Value>>().into();
        }
        if let Some((low, high)) = self.mean.interval {
            object["spread"] = json!([rounded(low), rounded(high)]);
        }
        if !self.note.is_empty() {
            object["note"] = json!(self.note);
        }
        object
    }

    fn row(&self) -> Vec<String> {
        let beside = self.beside.iter();
        let beside: Vec<String> = beside
            .map(|(name, value)| format!("{name} {}", digits(*value)))
            .collect();
        let target = self.target.map(|target| match self.better {
            Better::Lower => format!("≤ {target}"),
            Better::Higher => format!("≥ {target}"),
        });
        let spread = self.mean.interval;
        vec![
            self.name.clone(),
            format!("{} {}", digits(self.mean.value), self.unit),
            spread.map_or_else(String::new, |(low, high)| {
                format!("{} – {}", digits(low), digits(high))
            }),
            target.unwrap_or_default(),
            self.meets()
                .map_or("", |met| if met { "yes" } else { "NO" })
                .to_owned(),
            beside.join(", "),
        ]
    }

    /// Returns a sentence that compares the figure with its target, if it has one.
    fn verdict(&self) -> Option<String> {
        let (target, meets) = (self.target?, self.meets()?);
        let wanted = match self.better {
            Better::Lower => "at most",
            Better::Higher => "at least",
        };
        Some(format!(
            "  {}  {}: {}, wanted {wanted} {}",
            if meets { "reached" } else { "missed " },
            self.name,
            format_mean(self.mean, self.unit),
            format_number(target, self.unit)
        ))
    }
}

/// Collects and prints the figures of a run.
pub(crate) struct Report {
    json: bool,
    /// Number of webs or runs that means are taken over, and their noun.
    runs: Option<(usize, &'static str)>,
    tables: Vec<Vec<Vec<String>>>,
    figures: Vec<Figure>,
    notes: Vec<&'static str>,
    /// Charts as SVG, each with a word for the end of its file name. The first has none.
    plots: Vec<(&'static str, String)>,
}

impl Report {
    pub(crate) fn new(json: bool) -> Self {
        Self {
            json,
            runs: None,
            tables: Vec::new(),
            figures: Vec::new(),
            notes: Vec::new(),
            plots: Vec::new(),
        }
    }

    /// Sets the number of webs or runs that the means of the following figures are taken over.
    pub(crate) fn set_runs(&mut self, count: usize, noun: &'static str) {
        self.runs = Some((count, noun));
    }

    /// Adds a figure. As JSON it is printed at once.
    pub(crate) fn add(&mut self, mut figure: Figure) {
        // Some webs may lack the figure.
        if let (Some((count, noun)), 1..) = (self.runs, figure.mean.webs) {
            let of = match figure.mean.webs {
                webs if webs == count => format::count(count, noun),
                webs => format!("{webs} of {}", format::count(count, noun)),
            };
            figure.note = match figure.note.as_str() {
                "" => of,
                note => format!("{of}; {note}"),
            };
        }
        if self.json {
            println!("{}", figure.json());
        }
        self.figures.push(figure);
    }

    pub(crate) fn table(&mut self, head: &[&str]) {
        self.tables
            .push(vec![head.iter().map(|cell| (*cell).to_owned()).collect()]);
    }

    /// Adds a row to the last table.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        if let Some(table) = self.tables.last_mut() {
            table.push(cells.into_iter().collect());
        }
    }

    pub(crate) fn note(&mut self, note: &'static str) {
        self.notes.push(note);
    }

    /// Sets the chart, as SVG.
    pub(crate) fn draw(&mut self, svg: String) {
        self.plots.insert(0, ("", svg));
    }

    /// Adds a chart, as SVG, whose file has this word at the end of its name.
    pub(crate) fn draw_beside(&mut self, word: &'static str, svg: String) {
        self.plots.push((word, svg));
    }

    /// Writes the chart into a file, and further charts beside it.
    pub(crate) fn write_plots(&self, path: &Path) -> Result<()> {
        for (word, svg) in &self.plots {
            let mut file: PathBuf = path.to_owned();
            if !word.is_empty() {
                let mut name = path.file_stem().unwrap_or_default().to_owned();
                name.push(format!("-{word}.svg"));
                file.set_file_name(name);
            }
            std::fs::write(&file, svg).with_context(|| format!("can't write {}", file.display()))?;
            tell(&format!("the plot is in {}", file.display()));
        }
        Ok(())
    }

    /// Prints the tables of an experiment with its verdicts, or a table of all figures.
    pub(crate) fn finish(&self) {
        if self.json {
            return;
        }
        if self.tables.is_empty() {
            print_lines(table(&self.figures));
            return;
        }
        if let Some((count, noun)) = self.runs.filter(|(count, _)| *count > 1) {
            println!("means of {}, ± their 95 % intervals", format::count(count, noun));
        }
        for table in &self.tables {
            println!();
            print_lines(aligned(table));
        }
        println!();
        print_lines(self.figures.iter().filter_map(Figure::verdict));
        print_lines(self.notes.iter().map(|note| format!("  {note}")));
    }
}

/// Prints a notice to the person who waits.
pub(crate) fn tell(line: &str) {
    eprintln!("{line}");
}

pub(crate) fn print_lines(lines: impl IntoIterator<Item = impl Display>) {
    for line in lines {
        println!("{line}");
    }
}

/// Returns the rows of figures with aligned columns, each followed by its note.
fn table(figures: &[Figure]) -> Vec<String> {
    let head = ["figure", "value", "spread", "target", "met", "beside"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(figures.iter().map(Figure::row));
    let mut lines = Vec::new();
    for (place, line) in aligned(&rows).into_iter().enumerate() {
        lines.push(line);
        let note = place.checked_sub(1).map_or("", |place| &figures[place].note);
        if !note.is_empty() {
            lines.push(format!("    {note}"));
        }
    }
    lines
}

fn aligned(rows: &[Vec<String>]) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths);
        let cells = cells.map(|(cell, &width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// Formats a mean for a table: `1,234 ± 56`, `48.1 ± 1.2 %`; empty without a mean.
pub(crate) fn cell(mean: Option<Mean>, unit: &'static str) -> String {
    mean.map_or_else(String::new, |mean| format_mean(mean, unit))
}

fn format_mean(mean: Mean, unit: &str) -> String {
    let value = format_number(mean.value, unit);
    let Some((low, high)) = mean.interval else {
        return value;
    };
    let (below, above) = (mean.value - low, high - mean.value);
    let plain = |value: f64| format_number(value, unit).trim_end_matches(" %").to_owned();
    let end = if unit == "share" { " %" } else { "" };
    // An interval that ends at the bound of its range is not symmetric.
    if (above - below).abs() > 0.02 * (high - low) {
        return format!("{} ({} to {}){end}", plain(mean.value), plain(low), plain(high));
    }
    format!("{} ± {}{end}", plain(mean.value), plain((high - low) / 2.0))
}

pub(crate) fn format_number(value: f64, unit: &str) -> String {
    match unit {
        "share" => format!("{:.1} %", value * 100.0),
        "bytes" => format::bytes(value.round() as u64),
        "s" => format!("{value:.1} s"),
        "ratio" | "difference" => format!("{value:.2}"),
        _ if value >= 100.0 || value.fract() == 0.0 => format::thousands(value.round() as u64),
        _ => format!("{value:.1}"),
    }
}

/// Rounds to as many digits as the measurement may claim.
fn rounded(value: f64) -> f64 {
    digits(value).parse().unwrap_or(value)
}

/// Formats a number with three significant digits, or with all before the point.
fn digits(value: f64) -> String {
    let decimals = match value.abs() {
        size if size >= 100.0 || size == 0.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 => 2,
        size if size >= 0.1 => 3,
        _ => 4,
    };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_one_json_object() {
        let figure = Figure::new("fresh-instance overhead", 38.214, "µs/page")
            .at_most(50.0)
            .beside("reused", 33.08)
            .spread(36.91, 141.2)
            .note("CPU time");
        let expected = json!({
            "figure": "fresh-instance overhead", "value": 38.2, "unit": "µs/page", "target": 50.0,
            "better": "lower", "meets": true, "beside": {"reused": 33.1}, "spread": [36.9, 141.0],
            "note": "CPU time",
        });
        assert_eq!(figure.json(), expected);
    }

    #[test]
    fn a_figure_tells_the_number_of_its_webs() {
        let mean = Mean {
            value: 0.21304,
            interval: Some((0.20, 0.226)),
            webs: 3,
        };
        let mut report = Report::new(false);
        report.set_runs(4, "web");
        report.add(
            Figure::new("pages", mean, "share")
                .at_most(0.2)
                .published(Some(0.313)),
        );
        let figure = &report.figures[0];
        assert_eq!(figure.json()["beside"], json!({"published": 0.313}));
        assert_eq!(figure.json()["note"], "3 of 4 webs");
        let verdict = "  missed   pages: 21.3 ± 1.3 %, wanted at most 20.0 %";
        assert_eq!(figure.verdict().as_deref(), Some(verdict));
        assert_eq!(
            cell(Some(mean.within(0.21, 1.0)), "share"),
            "21.3 (21.0 to 22.6) %"
        );
    }

    #[test]
    fn a_missed_target_is_seen() {
        let figure = Figure::new("call", 0.31, "µs").at_most(0.25);
        assert_eq!(figure.json()["meets"], json!(false));
        let lines = table(&[figure.note("slow"), Figure::new("size", 1.0, "MiB")]);
        assert!(lines[1].contains("NO") && lines[2] == "    slow", "{lines:?}");
        assert!(Figure::new("size", 1.0, "MiB").json().get("meets").is_none());
    }

    #[test]
    fn more_can_be_better() {
        let figure = Figure::new("title", 0.96, "F1").at_least(0.95);
        assert_eq!(figure.json()["meets"], json!(true));
        assert_eq!(figure.json()["better"], json!("higher"));
        assert!(table(&[figure])[1].contains("≥ 0.95"));
    }
}
