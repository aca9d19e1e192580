//! Inputs of a form, and values for them.

use serde::{Deserialize, Serialize};

/// Maximum number of inputs of a form. More are not tried.
pub(super) const MAX_INPUTS: usize = 24;

/// Maximum number of values of an input.
pub(crate) const MAX_VALUES: usize = 20_000;

/// An input with the values that are tried. An unbound input keeps its default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// Names of its arguments: two for a range.
    pub names: Vec<String>,
    /// Its values, each with one string for each name.
    pub values: Vec<Vec<String>>,
    /// True if the input is known to change only the order or look of results.
    pub is_presentation: bool,
}

impl Input {
    /// Creates a select menu from its options, or a text box from its keywords.
    pub fn new(name: &str, values: impl IntoIterator<Item = impl Into<String>>) -> Input {
        let values = values.into_iter().take(MAX_VALUES);
        Input {
            names: vec![name.to_owned()],
            values: values.map(|value| vec![value.into()]).collect(),
            is_presentation: false,
        }
    }

    /// Creates one input from two that bound a range. Its values are the intervals between
    /// successive bounds: all other pairs are empty or overlap.
    pub fn range(from: &str, to: &str, bounds: &[String]) -> Input {
        let bounds = &bounds[..bounds.len().min(MAX_VALUES)];
        Input {
            names: vec![from.to_owned(), to.to_owned()],
            values: bounds.windows(2).map(<[String]>::to_vec).collect(),
            is_presentation: false,
        }
    }
}

/// Values for some inputs of a form.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Submission {
    /// Indices of the bound inputs, in increasing order.
    pub inputs: Vec<usize>,
    /// Index of the value of each.
    pub values: Vec<usize>,
}

impl Submission {
    /// Returns the names and values of the bound arguments.
    pub fn arguments<'a>(&self, inputs: &'a [Input]) -> Vec<(&'a str, &'a str)> {
        let bound = self.inputs.iter().zip(&self.values);
        let input = |(input, value): (&usize, &usize)| inputs.get(*input).map(|input| (input, *value));
        let pairs = |(input, value): (&'a Input, usize)| {
            let values = input.values.get(value).into_iter().flatten();
            input.names.iter().zip(values)
        };
        let pairs = bound.filter_map(input).flat_map(pairs);
        pairs
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect()
    }

    /// Returns the submission with only those bound inputs whose place is in the mask.
    pub(super) fn part(&self, mask: usize) -> Submission {
        let places = || (0..self.inputs.len()).filter(|place| mask >> place & 1 == 1);
        Submission {
            inputs: places().map(|place| self.inputs[place]).collect(),
            values: places().map(|place| self.values[place]).collect(),
        }
    }
}

/// Returns the number of value combinations of a template.
pub(super) fn combinations(inputs: &[Input], template: &[usize]) -> usize {
    let sizes = template.iter().map(|input| inputs[*input].values.len());
    sizes.fold(1, usize::saturating_mul)
}

pub(super) fn combination(inputs: &[Input], template: &[usize], number: usize) -> Submission {
    let mut rest = number;
    let value = |input: &usize| {
        let size = inputs[*input].values.len().max(1);
        let value = rest % size;
        rest /= size;
        value
    };
    Submission {
        inputs: template.to_vec(),
        values: template.iter().map(value).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_are_numbered() {
        let inputs = [Input::new("a", ["x", "y"]), Input::new("b", ["1", "2", "3"])];
        assert_eq!(combinations(&inputs, &[0, 1]), 6);
        let all: std::collections::BTreeSet<Submission> = (0..6)
            .map(|number| combination(&inputs, &[0, 1], number))
            .collect();
        assert_eq!(all.len(), 6);
        assert_eq!(
            combination(&inputs, &[0, 1], 5).arguments(&inputs),
            [("a", "y"), ("b", "3")]
        );
    }

    #[test]
    fn a_range_is_one_input() {
        let bounds = ["0", "10", "50"].map(str::to_owned);
        let input = Input::range("from", "to", &bounds);
        assert_eq!(input.values.len(), 2);
        let submission = Submission {
            inputs: vec![0],
            values: vec![1],
        };
        assert_eq!(submission.arguments(&[input]), [("from", "10"), ("to", "50")]);
    }
}
