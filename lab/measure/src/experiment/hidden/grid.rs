//! Tables of methods by quantities, with the published values beside them.

use super::{Measured, subjects};
use crate::figure::{Figure, Report, cell, format_number};
use crate::mean::Mean;

pub(super) struct Row {
    quantity: String,
    unit: &'static str,
    published: Option<f64>,
    is_more_better: bool,
    target: Option<f64>,
}

impl Row {
    /// Creates a quantity of which lower values are better.
    pub(super) fn new(quantity: impl Into<String>, unit: &'static str) -> Row {
        Row {
            quantity: quantity.into(),
            unit,
            published: None,
            is_more_better: false,
            target: None,
        }
    }

    pub(super) fn more_is_better(mut self) -> Row {
        self.is_more_better = true;
        self
    }

    pub(super) fn published(mut self, value: f64) -> Row {
        self.published = Some(value);
        self
    }

    pub(super) fn target(mut self, target: f64) -> Row {
        self.target = Some(target);
        self
    }
}

/// Returns the mean of a quantity, whose interval ends at the bounds of its range.
pub(super) fn mean(measured: &Measured, of: &str, quantity: &str, unit: &str) -> Option<Mean> {
    let mean = measured.mean(of, quantity)?;
    Some(match unit {
        "share" => mean.within(0.0, 1.0),
        "difference" => mean,
        _ => mean.within(0.0, f64::INFINITY),
    })
}

/// Adds one table for each subject, and a figure for each quantity of each method. The last method
/// is ours and has the targets.
pub(super) fn add(report: &mut Report, name: &str, methods: &[&str], rows: &[Row], measured: &Measured) {
    for subject in subjects(measured) {
        let of = |method: &str| format!("{subject}, {method}");
        let mut head = vec![subject.as_str(), "publication"];
        head.extend(methods);
        report.table(&head);
        for row in rows {
            let means = methods
                .iter()
                .map(|method| mean(measured, &of(method), &row.quantity, row.unit));
            let means: Vec<Option<Mean>> = means.collect();
            if means.iter().all(Option::is_none) {
                continue;
            }
            let published = row.published.map(|value| format_number(value, row.unit));
            let mut cells = vec![row.quantity.clone(), published.unwrap_or_default()];
            cells.extend(means.iter().map(|mean| cell(*mean, row.unit)));
            report.row(cells);
            for (method, mean) in methods.iter().zip(means) {
                let Some(mean) = mean else { continue };
                let is_last = methods.last() == Some(method);
                let name = format!("{name}: {}: {}", of(method), row.quantity);
                let figure = Figure::new(name, mean, row.unit).published(row.published);
                report.add(match (row.target.filter(|_| is_last), row.is_more_better) {
                    (Some(target), true) => figure.at_least(target),
                    (Some(target), false) => figure.at_most(target),
                    (None, true) => figure.more_is_better(),
                    (None, false) => figure,
                });
            }
        }
    }
}
