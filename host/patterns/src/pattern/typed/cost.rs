//! Choice of constants and variables among the values of a column, by description length.
//!
//! A constant costs its characters and a separate pattern. A variable costs its penalty once, the
//! characters of its values by their kind, and every unwanted page that it would match.

use super::TypedInducer;
use super::class::{Class, Look};

/// Bits per byte of a constant.
const CONSTANT: f64 = 8.0;

/// Minimum number of digits of an identifier. Shorter numbers may be a year, a month, a page, or
/// one of a few categories.
const LONG_NUMBER: usize = 5;

/// Maximum number of values considered as constants beside a variable. A person can split a folder
/// with more of them better.
const MAX_CONSTANTS: usize = 64;

/// The constants and variables among the values of a class.
pub(super) struct Choice {
    /// Number of the most frequent values that are constants.
    pub(super) constants: usize,
    /// True if the rest is a variable. Otherwise all values are constants.
    pub(super) variable: bool,
}

/// Distinct values of one class in a column, most frequent first, with what their cost depends on.
pub(super) struct Weighed<'a> {
    pub(super) class: Class<'a>,
    pub(super) values: &'a [(&'a str, usize)],
    /// Number of unwanted pages of each value.
    pub(super) unwanted: &'a [usize],
    /// Number of unwanted pages of this class with values that no wanted page has.
    pub(super) unwanted_others: usize,
    /// Number of undecided columns, which a separate pattern must repeat.
    pub(super) columns: usize,
}

impl Weighed<'_> {
    /// Returns the cheapest choice.
    pub(super) fn choose(&self, inducer: &TypedInducer) -> Choice {
        let all = Choice {
            constants: self.values.len(),
            variable: false,
        };
        if self.class.look == Look::Empty {
            return all;
        }
        // Dates pass and say nothing about later dates, however few of them had wanted pages.
        if self.class.look == Look::Date && (self.values.len() > 1 || self.unwanted_others > 0) {
            return Choice {
                constants: 0,
                variable: true,
            };
        }
        // A single value shows nothing that varies.
        if self.values.len() == 1 {
            return all;
        }
        let mut best = (self.constants_cost(self.values.len(), true, inducer), all);
        let max = (self.values.len() - 1).min(MAX_CONSTANTS);
        let mut tail = Tail::of(self.values, self.class);
        for constants in 0..max {
            let cost = self.constants_cost(constants, false, inducer)
                + self.variable_cost(constants, &tail, inducer);
            if cost < best.0 {
                let choice = Choice {
                    constants,
                    variable: true,
                };
                best = (cost, choice);
            }
            tail.drop(self.values[constants], self.class);
        }
        best.1
    }

    fn constants_cost(&self, count: usize, alone: bool, inducer: &TypedInducer) -> f64 {
        let taken = &self.values[..count];
        let pattern = inducer.pattern_bits * (1.0 + self.columns as f64 / 4.0);
        let length: usize = taken.iter().map(|(value, _)| value.len()).sum();
        let once = taken.iter().filter(|(_, rows)| *rows == 1).count();
        // Without a variable beside them, constants match no new value. Values that were seen once
        // only let expect more of these, each of which is a page lost.
        let missed = if alone {
            once as f64 * inducer.missed_bits
        } else {
            0.0
        };
        CONSTANT * length as f64 + pattern * count as f64 + missed
    }

    /// Returns the cost of a variable for all values after the first `constants`.
    fn variable_cost(&self, constants: usize, tail: &Tail, inducer: &TypedInducer) -> f64 {
        // Values that repeat form a closed list.
        let repetition = (tail.rows as f64 / tail.values.max(1) as f64).log2();
        let unwanted = self.unwanted_others + self.unwanted[constants..].iter().sum::<usize>();
        inducer.wildcard_bits * self.openness() * (1.0 + repetition)
            + tail.bits
            + unwanted as f64 * inducer.unwanted_bits
    }

    /// Returns the fraction of the full penalty that a variable bears. Numbers vary by nature, and
    /// numbers of many digits are not from a short list.
    fn openness(&self) -> f64 {
        let is_long = |(value, _): &(&str, usize)| value.len() - self.class.extension.len() >= LONG_NUMBER;
        match self.class.look {
            Look::Date | Look::Uuid => 0.02,
            Look::Number if self.values.iter().all(is_long) => 0.03,
            Look::Hash => 0.1,
            Look::Number => 0.2,
            Look::NumberFirst | Look::Numbered(_) => 0.3,
            Look::Slug => 1.0,
            Look::Other | Look::Empty => 1.3,
        }
    }
}

/// The values that a variable would replace.
struct Tail {
    values: usize,
    rows: usize,
    bits: f64,
}

impl Tail {
    fn of(values: &[(&str, usize)], class: Class<'_>) -> Tail {
        Tail {
            values: values.len(),
            rows: values.iter().map(|(_, rows)| rows).sum(),
            bits: values.iter().map(|(value, _)| bits(value, class)).sum(),
        }
    }

    fn drop(&mut self, value: (&str, usize), class: Class<'_>) {
        self.values -= 1;
        self.rows -= value.1;
        self.bits -= bits(value.0, class);
    }
}

fn bits(value: &str, class: Class<'_>) -> f64 {
    let each = match class.look {
        Look::Number | Look::Date => 3.32,
        Look::Uuid => 4.0,
        Look::Hash => 5.2,
        Look::Numbered(_) | Look::NumberFirst | Look::Slug => 4.5,
        Look::Other | Look::Empty => 6.0,
    };
    each * (value.len() - class.extension.len()) as f64
}
