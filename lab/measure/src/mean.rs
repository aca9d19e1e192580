//! Means over several webs, with confidence intervals.

use std::collections::BTreeMap;

use magpie_plot::{Bar, Point};

use crate::random::Random;

/// The 97.5 % quantiles of Student's t for 1 to 30 degrees of freedom. Beyond, the quantile of the
/// normal distribution is close enough.
const QUANTILES: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
];

const NORMAL: f64 = 1.960;

/// Measurements: for each subject and quantity one value a web, or `None` if a web has no such
/// value.
#[derive(Clone, Debug, Default)]
pub(crate) struct Measured(BTreeMap<(String, String), Vec<Option<f64>>>);

/// A mean with its confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mean {
    pub(crate) value: f64,
    /// The 95 % interval; `None` for a single value.
    pub(crate) interval: Option<(f64, f64)>,
    /// Number of webs with a value; 0 for a number that is not a mean over webs.
    pub(crate) webs: usize,
}

impl Measured {
    /// Adds the value of the next web, or `None` if it has none.
    pub(crate) fn add(&mut self, of: &str, quantity: &str, value: impl Into<Option<f64>>) {
        let numbers = self.0.entry((of.to_owned(), quantity.to_owned())).or_default();
        numbers.push(value.into());
    }

    /// Returns the value of the last web.
    pub(crate) fn last(&self, of: &str, quantity: &str) -> Option<f64> {
        let numbers = self.0.get(&(of.to_owned(), quantity.to_owned()))?;
        numbers.last().copied().flatten()
    }

    pub(crate) fn quantities(&self, of: &str) -> Vec<String> {
        let own = self.0.keys().filter(|(subject, _)| subject == of);
        own.map(|(_, quantity)| quantity.clone()).collect()
    }

    /// Returns the mean over the webs of the ratio of two subjects.
    pub(crate) fn ratio(&self, one: &str, other: &str, quantity: &str) -> Option<Mean> {
        let numbers = |subject: &str| self.0.get(&(subject.to_owned(), quantity.to_owned()));
        let pairs = numbers(one)?.iter().zip(numbers(other)?);
        let ratios = pairs.filter_map(|(one, other)| share((*one)?, (*other)?));
        mean(&ratios.collect::<Vec<f64>>())
    }

    /// Returns the mean over the webs with a value.
    pub(crate) fn mean(&self, of: &str, quantity: &str) -> Option<Mean> {
        let numbers = self.0.get(&(of.to_owned(), quantity.to_owned()))?;
        mean(&numbers.iter().copied().flatten().collect::<Vec<f64>>())
    }
}

impl From<f64> for Mean {
    fn from(value: f64) -> Mean {
        Mean {
            value,
            interval: None,
            webs: 0,
        }
    }
}

impl Mean {
    pub(crate) fn at(self, x: f64) -> Point {
        Point {
            x,
            y: self.value,
            interval: self.interval,
        }
    }

    /// Ends the interval at the bounds of the possible values.
    pub(crate) fn within(self, low: f64, high: f64) -> Mean {
        let value = self.value;
        let bounded = |(from, to): (f64, f64)| (from.max(low).min(value), to.min(high).max(value));
        let interval = self.interval.map(bounded);
        Mean { interval, ..self }
    }
}

/// Returns the mean of numbers with its interval; `None` without numbers.
pub(crate) fn mean(numbers: &[f64]) -> Option<Mean> {
    let count = numbers.len() as f64;
    if numbers.is_empty() {
        return None;
    }
    let value = numbers.iter().sum::<f64>() / count;
    let freedom = numbers.len() - 1;
    let interval = (freedom > 0).then(|| {
        let squares: f64 = numbers.iter().map(|number| (number - value).powi(2)).sum();
        let quantile = QUANTILES.get(freedom - 1).copied().unwrap_or(NORMAL);
        let half = quantile * (squares / freedom as f64 / count).sqrt();
        (value - half, value + half)
    });
    Some(Mean {
        value,
        interval,
        webs: numbers.len(),
    })
}

/// Returns a share with its 95 % interval (Wilson). A share of nothing is 0, and may be anything.
pub(crate) fn wilson(part: usize, of: usize) -> Mean {
    let (value, interval) = match of {
        0 => (0.0, (0.0, 1.0)),
        _ => {
            let (share, of, square) = (part as f64 / of as f64, of as f64, NORMAL * NORMAL);
            let middle = share + square / (2.0 * of);
            let reach = NORMAL * (share * (1.0 - share) / of + square / (4.0 * of * of)).sqrt();
            let scale = 1.0 + square / of;
            (share, ((middle - reach) / scale, (middle + reach) / scale))
        }
    };
    let mean = Mean {
        value,
        interval: Some(interval),
        webs: 0,
    };
    mean.within(0.0, 1.0)
}

/// Returns a mean with the 95 % interval of the means of samples drawn from the numbers themselves.
pub(crate) fn resampled(numbers: &[f64]) -> Mean {
    const SAMPLES: usize = 2_000;
    let mean_of = |sum: f64| sum / numbers.len().max(1) as f64;
    let mut random = Random::new(1, numbers.len() as u64);
    let draw = |_| mean_of((0..numbers.len()).filter_map(|_| random.pick(numbers)).sum());
    let mut means: Vec<f64> = (0..SAMPLES).map(draw).collect();
    means.sort_by(f64::total_cmp);
    Mean {
        value: mean_of(numbers.iter().sum()),
        interval: Some((means[SAMPLES / 40], means[SAMPLES - 1 - SAMPLES / 40])),
        webs: 0,
    }
}

/// Returns a bar of a chart; an empty one without a mean.
pub(crate) fn bar(mean: Option<Mean>) -> Bar {
    Bar {
        value: mean.map_or(0.0, |mean| mean.value),
        interval: mean.and_then(|mean| mean.interval),
    }
}

/// Returns a part as share of a whole; `None` if the whole is 0.
pub(crate) fn share(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_number_has_no_interval() {
        assert_eq!(mean(&[]), None);
        let one = mean(&[3.0]).expect("a mean");
        assert_eq!((one.value, one.interval), (3.0, None));
    }

    #[test]
    fn webs_without_a_value_do_not_affect_the_mean() {
        let mut measured = Measured::default();
        for (part, whole) in [(1.0, 2.0), (0.0, 0.0), (2.0, 2.0), (0.0, 0.0)] {
            measured.add("ours", "kept", share(part, whole));
        }
        let mean = measured.mean("ours", "kept").expect("a mean");
        assert_eq!((mean.value, mean.webs), (0.75, 2));
        assert_eq!(measured.last("ours", "kept"), None);
    }

    #[test]
    fn the_interval_is_students() {
        // Three numbers with a deviation of 1: 4.303 / sqrt(3) to each side.
        let three = mean(&[1.0, 2.0, 3.0]).expect("a mean");
        let (low, high) = three.interval.expect("an interval");
        assert!((high - 2.0 - 2.4843).abs() < 1e-3 && (2.0 - low - 2.4843).abs() < 1e-3);
    }

    #[test]
    fn intervals_of_shares_and_of_resampled_means_stay_in_range() {
        for (part, of) in [(0, 0), (0, 3), (3, 3), (80, 80), (1, 298)] {
            let share = wilson(part, of);
            let (low, high) = share.interval.unwrap();
            assert!(
                0.0 <= low && low <= share.value && share.value <= high && high <= 1.0,
                "{share:?}"
            );
            assert!(high - low > 0.0, "{share:?}");
        }
        // The usual example: 8 of 10.
        let (low, high) = wilson(8, 10).interval.unwrap();
        assert!(
            (low - 0.490).abs() < 0.001 && (high - 0.943).abs() < 0.001,
            "{low} {high}"
        );
        let mean = resampled(&[1.0, 1.0, 0.9, 0.0]);
        let (low, high) = mean.interval.unwrap();
        assert!(
            (mean.value - 0.725).abs() < 1e-9 && low < 0.5 && high > 0.9 && high <= 1.0,
            "{mean:?}"
        );
    }
}
