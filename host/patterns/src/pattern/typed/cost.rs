//! Which values of a column are constants and which are examples of a variable: by description length.
//!
//! A constant costs its letters and a pattern of its own; and where values were seen once only, more new ones
//! must be expected, each a page lost. A variable costs its penalty once, the more the oftener its values repeat
//! (values that repeat are a closed list), the letters of its values by their kind, and every page it would match
//! that is not wanted.

use super::TypedInducer;
use super::class::{Class, Look};

/// Bits of a character of a constant.
const CONSTANT: f64 = 8.0;

/// Digits from which on a number is an identifier, and no year, month, page or one of a few kinds.
const LONG_NUMBER: usize = 5;

/// Values that are weighed as constants beside a variable. A folder with more of them is better split by a person.
const MOST_CONSTANTS: usize = 64;

/// Which of a class's values become constants.
pub(super) struct Choice {
    /// So many of the most frequent values are constants.
    pub(super) constants: usize,
    /// Whether the rest is a variable. When not, all are constants.
    pub(super) variable: bool,
}

/// A column's distinct values of one class, most frequent first, as they are weighed.
pub(super) struct Weighed<'a> {
    pub(super) class: Class<'a>,
    pub(super) values: &'a [(&'a str, usize)],
    /// For every value of the list, how many pages that are not wanted have it.
    pub(super) unwanted: &'a [usize],
    /// Pages that are not wanted, of this class, with values that no wanted page has.
    pub(super) unwanted_others: usize,
    /// Columns not decided yet: what a pattern of its own must say again.
    pub(super) columns: usize,
}

impl Weighed<'_> {
    /// The cheapest choice.
    pub(super) fn choose(&self, inducer: &TypedInducer) -> Choice {
        let all = Choice {
            constants: self.values.len(),
            variable: false,
        };
        if self.class.look == Look::Empty {
            return all;
        }
        // A day passes, and tells nothing of the days to come, however few of them had what is
        // wanted.
        if self.class.look == Look::Date && (self.values.len() > 1 || self.unwanted_others > 0) {
            return Choice {
                constants: 0,
                variable: true,
            };
        }
        if self.values.len() == 1 {
            return all;
        }
        let mut best = (self.constants(self.values.len(), true, inducer), all);
        let most = (self.values.len() - 1).min(MOST_CONSTANTS);
        let mut tail = Tail::of(self.values, self.class);
        for constants in 0..most {
            let cost = self.constants(constants, false, inducer) + self.variable(constants, &tail, inducer);
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

    fn constants(&self, count: usize, alone: bool, inducer: &TypedInducer) -> f64 {
        let taken = &self.values[..count];
        let pattern = inducer.pattern_bits * (1.0 + self.columns as f64 / 4.0);
        let letters: usize = taken.iter().map(|(value, _)| value.len()).sum();
        let once = taken.iter().filter(|(_, rows)| *rows == 1).count();
        let missed = if alone {
            once as f64 * inducer.missed_bits
        } else {
            0.0
        };
        CONSTANT * letters as f64 + pattern * count as f64 + missed
    }

    /// The cost of a variable for all values but the first so many.
    fn variable(&self, constants: usize, tail: &Tail, inducer: &TypedInducer) -> f64 {
        let repetition = (tail.rows as f64 / tail.values.max(1) as f64).log2();
        let unwanted = self.unwanted_others + self.unwanted[constants..].iter().sum::<usize>();
        inducer.wildcard_bits * self.openness() * (1.0 + repetition)
            + tail.bits
            + unwanted as f64 * inducer.unwanted_bits
    }

    /// How much of the full penalty a variable bears: a number says by itself that it varies, and one with many digits is no number of
    /// a short list.
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

/// The values that would be a variable's.
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
