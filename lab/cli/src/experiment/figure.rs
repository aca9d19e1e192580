//! Results of an experiment: a table for people, JSON lines for programs, a chart.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::measured::Mean;
use magpie_terminal::{Cell, Failure, Printer, Table, Tone, format, output_file};

/// Preferred direction of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Lower,
    Higher,
}

/// One figure.
pub(super) struct Figure {
    name: String,
    mean: Mean,
    unit: &'static str,
    direction: Direction,
    target: Option<f64>,
    published: Option<f64>,
    note: &'static str,
}

impl Figure {
    /// Creates a figure of which lower values are better.
    pub(super) fn new(name: impl Into<String>, mean: Mean, unit: &'static str) -> Figure {
        Figure {
            name: name.into(),
            mean,
            unit,
            direction: Direction::Lower,
            target: None,
            published: None,
            note: "",
        }
    }

    /// Marks higher values as better.
    pub(super) fn more_is_better(mut self) -> Figure {
        self.direction = Direction::Higher;
        self
    }

    /// Sets a maximum as target.
    pub(super) fn at_most(mut self, target: f64) -> Figure {
        self.target = Some(target);
        self
    }

    /// Sets a minimum as target.
    pub(super) fn at_least(mut self, target: f64) -> Figure {
        self.target = Some(target);
        self.more_is_better()
    }

    /// Sets the published value.
    pub(super) fn published(mut self, value: Option<f64>) -> Figure {
        self.published = value;
        self
    }

    /// Adds a note for readers.
    pub(super) fn note(mut self, note: &'static str) -> Figure {
        self.note = note;
        self
    }

    fn meets(&self) -> Option<bool> {
        self.target.map(|target| match self.direction {
            Direction::Lower => self.mean.value <= target,
            Direction::Higher => self.mean.value >= target,
        })
    }

    fn json(&self, seeds: usize, noun: &str) -> Value {
        let mut beside = Map::new();
        if let Some(published) = self.published {
            beside.insert("published".to_owned(), json!(rounded(published)));
        }
        json!({
            "figure": self.name,
            "value": rounded(self.mean.value),
            "unit": self.unit,
            "target": self.target,
            "better": match self.direction {
                Direction::Lower => "lower",
                Direction::Higher => "higher",
            },
            "meets": self.meets(),
            "beside": beside,
            "spread": self.mean.interval.map(|(low, high)| [rounded(low), rounded(high)]),
            "note": match self.note {
                "" => self.webs(seeds, noun),
                note => format!("{}; {note}", self.webs(seeds, noun)),
            },
        })
    }

    /// Describes the number of webs with the figure; some webs may lack it.
    fn webs(&self, seeds: usize, noun: &str) -> String {
        match self.mean.webs {
            webs if webs == seeds => format::count(seeds, noun),
            webs => format!("{webs} of {}", format::count(seeds, noun)),
        }
    }

    /// Returns whether the target was met, with a sentence that says so. `None` without a target.
    fn verdict(&self, seeds: usize, noun: &str) -> Option<(bool, String)> {
        let (target, meets) = (self.target?, self.meets()?);
        let wanted = match self.direction {
            Direction::Lower => "at most",
            Direction::Higher => "at least",
        };
        let of = match self.mean.webs {
            webs if webs == seeds => String::new(),
            _ => format!(" in {}", self.webs(seeds, noun)),
        };
        let text = format!(
            "{}: {}{of}, wanted {wanted} {}",
            self.name,
            format_mean(self.mean, self.unit),
            format_number(target, self.unit)
        );
        Some((meets, text))
    }
}

/// Results of an experiment.
pub(super) struct Report {
    name: &'static str,
    /// Noun for what each seed gives: a web, or a run.
    noun: &'static str,
    tables: Vec<(Vec<String>, Vec<Vec<String>>)>,
    figures: Vec<Figure>,
    notes: Vec<&'static str>,
    plot: String,
    /// Further charts, each with a word for the name of its file.
    more_plots: Vec<(&'static str, String)>,
}

impl Report {
    pub(super) fn new(name: &'static str, noun: &'static str) -> Report {
        Report {
            name,
            noun,
            tables: Vec::new(),
            figures: Vec::new(),
            notes: Vec::new(),
            plot: String::new(),
            more_plots: Vec::new(),
        }
    }

    /// Adds a figure.
    pub(super) fn figure(&mut self, figure: Figure) {
        self.figures.push(figure);
    }

    /// Starts a table.
    pub(super) fn table(&mut self, head: &[&str]) {
        let head = head.iter().map(|cell| (*cell).to_owned()).collect();
        self.tables.push((head, Vec::new()));
    }

    /// Adds a row to the last table.
    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        if let Some((_, rows)) = self.tables.last_mut() {
            rows.push(cells.into_iter().collect());
        }
    }

    /// Adds a note for readers.
    pub(super) fn note(&mut self, note: &'static str) {
        self.notes.push(note);
    }

    /// Sets the chart, as SVG.
    pub(super) fn draw(&mut self, svg: String) {
        self.plot = svg;
    }

    /// Adds a chart, as SVG, whose file has this word at the end of its name.
    pub(super) fn draw_beside(&mut self, word: &'static str, svg: String) {
        self.more_plots.push((word, svg));
    }

    /// Writes the chart into a file, and further charts beside it. Returns the files.
    pub(super) fn write_plots(&self, path: &Path) -> Result<Vec<PathBuf>, Failure> {
        output_file::write(path, &self.plot)?;
        let mut written = vec![path.to_owned()];
        for (word, svg) in &self.more_plots {
            let mut name = path.file_stem().unwrap_or_default().to_owned();
            name.push(format!("-{word}.svg"));
            let beside = path.with_file_name(name);
            output_file::write(&beside, svg)?;
            written.push(beside);
        }
        Ok(written)
    }

    pub(super) fn print(&self, is_json: bool, seeds: usize, printer: &mut Printer) -> Result<(), Failure> {
        if is_json {
            let mut figures = self.figures.iter();
            return figures.try_for_each(|figure| printer.json(&figure.json(seeds, self.noun)));
        }
        let webs = format::count(seeds, self.noun);
        let head = printer.paint(Tone::Strong, self.name);
        printer.line(&match seeds {
            1 => format!("{head}: {webs}"),
            _ => format!("{head}: means of {webs}, ± their 95 % intervals"),
        })?;
        for (head, rows) in &self.tables {
            let columns: Vec<usize> = (1..head.len()).collect();
            let mut table = Table::indented(2).right(&columns);
            table.row(head.iter().map(|cell| Cell::toned(Tone::Quiet, cell.as_str())));
            rows.iter()
                .for_each(|row| table.row(row.iter().map(String::as_str)));
            printer.line("")?;
            printer.table(&table)?;
        }
        printer.line("")?;
        let verdicts = self
            .figures
            .iter()
            .filter_map(|figure| figure.verdict(seeds, self.noun));
        for (meets, text) in verdicts {
            let mark = match meets {
                true => printer.paint(Tone::Good, "reached"),
                false => printer.paint(Tone::Bad, "missed "),
            };
            printer.line(&format!("  {mark}  {text}"))?;
        }
        self.notes
            .iter()
            .try_for_each(|note| printer.line(&format!("  {note}")))
    }
}

/// Formats a mean for a table: `1,234 ± 56`, `48.1 ± 1.2 %`; empty without a mean.
pub(super) fn cell(mean: Option<Mean>, unit: &'static str) -> String {
    mean.map_or_else(String::new, |mean| format_mean(mean, unit))
}

fn format_mean(mean: Mean, unit: &str) -> String {
    let value = format_number(mean.value, unit);
    let Some((low, high)) = mean.interval else {
        return value;
    };
    let (below, above) = (mean.value - low, high - mean.value);
    // An interval that ends at the bound of its range is not symmetric.
    if (above - below).abs() > 0.02 * (high - low) {
        let bound = |value: f64| format_number(value, unit);
        return match unit {
            "share" => {
                let plain = |value: f64| bound(value).trim_end_matches(" %").to_owned();
                format!("{} ({} to {}) %", plain(mean.value), plain(low), plain(high))
            }
            _ => format!("{value} ({} to {})", bound(low), bound(high)),
        };
    }
    let half = format_number((high - low) / 2.0, unit);
    match unit {
        "share" => format!("{} ± {half}", value.trim_end_matches(" %")),
        _ => format!("{value} ± {half}"),
    }
}

/// Formats a number for people.
pub(super) fn format_number(value: f64, unit: &str) -> String {
    match unit {
        "share" => format!("{:.1} %", value * 100.0),
        "bytes" => format::bytes(value.round() as u64),
        "s" => format!("{value:.1} s"),
        "ratio" | "difference" => format!("{value:.2}"),
        _ if value >= 100.0 || value.fract() == 0.0 => format::thousands(value.round() as u64),
        _ => format!("{value:.1}"),
    }
}

/// Rounds to the digits that a measurement can claim.
fn rounded(value: f64) -> f64 {
    let decimals = match value.abs() {
        size if size >= 1_000.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 => 3,
        _ => 4,
    };
    format!("{value:.decimals$}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_one_json_object() {
        let mean = Mean {
            value: 0.21304,
            interval: Some((0.20, 0.226)),
            webs: 3,
        };
        let figure = Figure::new("pages", mean, "share")
            .at_most(0.2)
            .published(Some(0.313));
        let expected = json!({
            "figure": "pages", "value": 0.213, "unit": "share", "target": 0.2, "better": "lower", "meets": false,
            "beside": {"published": 0.313}, "spread": [0.2, 0.226], "note": "3 webs",
        });
        assert_eq!(figure.json(3, "web"), expected);
        assert_eq!(figure.json(4, "web")["note"], "3 of 4 webs");
        let (meets, verdict) = figure.verdict(4, "web").expect("a target");
        assert_eq!(
            (meets, verdict.as_str()),
            (false, "pages: 21.3 ± 1.3 % in 3 of 4 webs, wanted at most 20.0 %")
        );
        assert_eq!(cell(Some(mean), "share"), "21.3 ± 1.3 %");
        let bounded = mean.within(0.21, 1.0);
        assert_eq!(cell(Some(bounded), "share"), "21.3 (21.0 to 22.6) %");
    }
}
