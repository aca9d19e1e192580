//! A figure, and how figures are shown: a table for people, one JSON object a line for programs.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this program prints")]

use serde_json::{Map, Value, json};

use crate::sample::Samples;

/// Direction in which a number improves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Better {
    Lower,
    Higher,
}

/// One measured number.
#[derive(Clone, Debug)]
pub(crate) struct Figure {
    name: String,
    value: f64,
    unit: &'static str,
    /// This is good, and so is what is better.
    target: Option<f64>,
    better: Better,
    beside: Vec<(String, f64)>,
    spread: Option<[f64; 2]>,
    note: String,
}

impl Figure {
    /// A single number.
    pub(crate) fn new(name: impl Into<String>, value: f64, unit: &'static str) -> Self {
        Self {
            name: name.into(),
            value,
            unit,
            target: None,
            better: Better::Lower,
            beside: Vec::new(),
            spread: None,
            note: String::new(),
        }
    }

    /// The median of samples with their quartiles.
    pub(crate) fn of(name: impl Into<String>, samples: &Samples, unit: &'static str) -> Self {
        Self {
            spread: Some(samples.quartiles()),
            ..Self::new(name, samples.median(), unit)
        }
    }

    /// Name of the measured quantity.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// At most so much is good.
    pub(crate) fn at_most(mut self, target: f64) -> Self {
        self.target = Some(target);
        self
    }

    /// At least so much is good.
    pub(crate) fn at_least(mut self, target: f64) -> Self {
        self.target = Some(target);
        self.more_is_better()
    }

    /// Turns the figure's good side, for one without a target.
    pub(crate) fn more_is_better(mut self) -> Self {
        self.better = Better::Higher;
        self
    }

    /// A number to compare with, from the same run.
    pub(crate) fn beside(mut self, name: impl Into<String>, value: f64) -> Self {
        self.beside.push((name.into(), value));
        self
    }

    /// From where to where the samples lie.
    pub(crate) fn spread(mut self, from: f64, to: f64) -> Self {
        self.spread = Some([from, to]);
        self
    }

    /// Adds a note for the reader.
    pub(crate) fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    fn meets(&self) -> Option<bool> {
        self.target.map(|target| match self.better {
            Better::Lower => self.value <= target,
            Better::Higher => self.value >= target,
        })
    }

    fn json(&self) -> Value {
        let beside: Map<String, Value> = self
            .beside
            .iter()
            .map(|(name, value)| (name.clone(), json!(rounded(*value))))
            .collect();
        let mut object = json!({
            "figure": self.name,
            "value": rounded(self.value),
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
        if !beside.is_empty() {
            object["beside"] = Value::Object(beside);
        }
        if let Some(spread) = self.spread {
            object["spread"] = json!(spread.map(rounded));
        }
        if !self.note.is_empty() {
            object["note"] = json!(self.note);
        }
        object
    }

    fn row(&self) -> [String; 6] {
        let beside: Vec<String> = self
            .beside
            .iter()
            .map(|(name, value)| format!("{name} {}", digits(*value)))
            .collect();
        [
            self.name.clone(),
            format!("{} {}", digits(self.value), self.unit),
            self.spread.map_or_else(String::new, |[from, to]| {
                format!("{} – {}", digits(from), digits(to))
            }),
            self.target.map_or_else(String::new, |target| match self.better {
                Better::Lower => format!("≤ {target}"),
                Better::Higher => format!("≥ {target}"),
            }),
            self.meets()
                .map_or("", |met| if met { "yes" } else { "NO" })
                .to_owned(),
            beside.join(", "),
        ]
    }
}

/// Gathers the figures of a run and shows them.
pub(crate) struct Report {
    json: bool,
    figures: Vec<Figure>,
}

impl Report {
    pub(crate) fn new(json: bool) -> Self {
        Self {
            json,
            figures: Vec::new(),
        }
    }

    /// Takes a figure; as JSON it is printed at once.
    pub(crate) fn add(&mut self, figure: Figure) {
        if self.json {
            println!("{}", figure.json());
        }
        self.figures.push(figure);
    }

    /// Prints the table, which needs to know all rows.
    pub(crate) fn finish(&self) {
        if !self.json {
            print_lines(table(&self.figures));
        }
    }
}

/// Says what goes on, to the person who waits.
pub(crate) fn tell(line: &str) {
    eprintln!("{line}");
}

/// Prints lines to stdout.
pub(crate) fn print_lines(lines: impl IntoIterator<Item = impl std::fmt::Display>) {
    for line in lines {
        println!("{line}");
    }
}

/// Rows with aligned columns, each followed by its note.
fn table(figures: &[Figure]) -> Vec<String> {
    let head = ["figure", "value", "spread", "target", "met", "beside"].map(str::to_owned);
    let rows: Vec<[String; 6]> = figures.iter().map(Figure::row).collect();
    let width = |column: usize| {
        let cells = rows.iter().chain([&head]).map(|row| row[column].chars().count());
        cells.max().unwrap_or(0)
    };
    let widths: [usize; 6] = std::array::from_fn(width);
    let line = |row: &[String; 6]| {
        let cells = row
            .iter()
            .zip(widths)
            .map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    let mut lines = vec![line(&head)];
    for (row, figure) in rows.iter().zip(figures) {
        lines.push(line(row));
        if !figure.note.is_empty() {
            lines.push(format!("    {}", figure.note));
        }
    }
    lines
}

/// As many digits as the measurement may claim.
fn rounded(value: f64) -> f64 {
    digits(value).parse().unwrap_or(value)
}

/// Three digits that count, or all before the point.
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
    fn a_missed_target_is_seen() {
        let figure = Figure::new("call", 0.31, "µs").at_most(0.25);
        assert_eq!(figure.json()["meets"], json!(false));
        let lines = table(&[figure]);
        assert!(lines[1].contains("NO"), "{lines:?}");
    }

    #[test]
    fn more_can_be_better() {
        let figure = Figure::new("title", 0.96, "F1").at_least(0.95);
        assert_eq!(figure.json()["meets"], json!(true));
        assert_eq!(figure.json()["better"], json!("higher"));
        assert!(table(&[figure])[1].contains("≥ 0.95"));
    }

    #[test]
    fn a_figure_without_target_meets_nothing() {
        assert!(Figure::new("size", 1.0, "MiB").json().get("meets").is_none());
    }
}
