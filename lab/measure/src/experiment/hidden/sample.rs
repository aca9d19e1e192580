//! Values of the sites of one web.

use std::collections::BTreeMap;

use super::Measured;

/// Reduction of the values of sites to one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reduction {
    Mean,
    Minimum,
}

/// For each method and quantity the values of sites.
#[derive(Default)]
pub(in crate::experiment) struct Sample {
    values: BTreeMap<(String, String, Reduction), Vec<f64>>,
    details: Vec<String>,
}

impl Sample {
    /// Adds the value of a site, which counts as part of a mean.
    pub(super) fn add(&mut self, method: &str, quantity: &str, value: impl Into<Option<f64>>) {
        self.push(method, quantity, Reduction::Mean, value.into());
    }

    /// Adds the value of a site, of which the lowest counts.
    pub(super) fn add_lowest(&mut self, method: &str, quantity: &str, value: impl Into<Option<f64>>) {
        self.push(method, quantity, Reduction::Minimum, value.into());
    }

    fn push(&mut self, method: &str, quantity: &str, reduction: Reduction, value: Option<f64>) {
        let key = (method.to_owned(), quantity.to_owned(), reduction);
        self.values.entry(key).or_default().extend(value);
    }

    /// Adds a line that is printed with `--verbose` only.
    pub(super) fn detail(&mut self, line: String) {
        self.details.push(line);
    }

    /// Takes the lines for `--verbose`.
    pub(super) fn take_details(&mut self) -> Vec<String> {
        std::mem::take(&mut self.details)
    }

    /// Adds one value for each quantity to the measurements of a subject.
    pub(super) fn add_to(&self, subject: &str, measured: &mut Measured) {
        for ((method, quantity, reduction), values) in &self.values {
            let value = match reduction {
                _ if values.is_empty() => None,
                Reduction::Mean => Some(values.iter().sum::<f64>() / values.len() as f64),
                Reduction::Minimum => values.iter().copied().reduce(f64::min),
            };
            measured.add(&format!("{subject}, {method}"), quantity, value);
        }
    }
}
