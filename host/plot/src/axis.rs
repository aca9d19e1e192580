//! Axes: ranges with round steps.

use crate::number::on_axis;

/// Greater values are drawn as this one; sums and squares of such values are still finite.
const GREATEST: f64 = 1e100;

/// A range narrower than this share of its values is one value: its steps would have equal labels.
const NARROWEST: f64 = 1e-9;

/// A range of values with round steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Axis {
    pub(crate) low: f64,
    pub(crate) high: f64,
    step: f64,
}

impl Axis {
    /// An axis that holds all values, and zero if it is near. `steps` is approximate.
    pub(crate) fn of(values: impl Iterator<Item = f64>, steps: usize) -> Self {
        let finite = values.filter(|value| value.is_finite());
        let (low, high) = finite.fold((f64::MAX, f64::MIN), |(low, high), value| {
            let value = value.clamp(-GREATEST, GREATEST);
            (low.min(value), high.max(value))
        });
        if low > high {
            return Self {
                low: 0.0,
                high: 1.0,
                step: 0.2,
            };
        }
        let low = if low > 0.0 && low < high / 2.0 { 0.0 } else { low };
        let largest = low.abs().max(high.abs());
        let high = if high - low > (largest * NARROWEST).max(1.0 / GREATEST) {
            high
        } else {
            low + low.abs().max(1.0)
        };
        Self::stepped(low, high, steps)
    }

    pub(crate) fn from_zero(values: impl Iterator<Item = f64>, steps: usize) -> Self {
        Self::of(values.chain(std::iter::once(0.0)), steps)
    }

    /// From zero to exactly this.
    pub(crate) fn exact(high: f64) -> Self {
        let high = if high > 1.0 / GREATEST {
            high.min(GREATEST)
        } else {
            1.0
        };
        Self {
            low: 0.0,
            high,
            step: high,
        }
    }

    /// The same values with fewer steps if the labels would touch within this length.
    pub(crate) fn with_room(self, length: f64, label_width: impl Fn(&str) -> f64) -> Self {
        let fits = |axis: &Self| {
            let widest = axis.steps().map(|value| label_width(&axis.label(value)));
            let apart = length * axis.step / (axis.high - axis.low);
            widest.fold(0.0, f64::max) + 12.0 <= apart
        };
        let count = self.steps().count().saturating_sub(1).max(1);
        let fewer = (1..=count)
            .rev()
            .map(|steps| Self::stepped(self.low, self.high, steps));
        std::iter::once(self)
            .chain(fewer)
            .find(fits)
            .unwrap_or_else(|| Self::stepped(self.low, self.high, 1))
    }

    fn stepped(low: f64, high: f64, steps: usize) -> Self {
        let step = round_step((high - low) / steps.max(1) as f64);
        Self {
            low: (low / step).floor() * step,
            high: (high / step).ceil() * step,
            step,
        }
    }

    /// Position of a value, from 0 to 1. Values beyond an end are placed at that end.
    pub(crate) fn place(self, value: f64) -> f64 {
        if value.is_nan() {
            return 0.0;
        }
        ((value.clamp(-GREATEST, GREATEST) - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    pub(crate) fn steps(self) -> impl Iterator<Item = f64> {
        let count = ((self.high - self.low) / self.step).round() as u32;
        (0..=count).map(move |index| self.low + f64::from(index) * self.step)
    }

    /// A value at a step as it is written.
    pub(crate) fn label(self, value: f64) -> String {
        on_axis(value, self.step, self.low.abs().max(self.high.abs()))
    }
}

/// The nearest of 1, 2, 2.5, 5 times a power of ten that is not less.
fn round_step(rough: f64) -> f64 {
    let power = 10f64.powf(rough.log10().floor());
    [1.0, 2.0, 2.5, 5.0, 10.0]
        .into_iter()
        .map(|step| step * power)
        .find(|step| *step >= rough * 0.999_999)
        .unwrap_or(power * 10.0)
}

#[cfg(test)]
mod tests {
    use super::Axis;

    #[track_caller]
    fn check(values: &[f64], low: f64, high: f64, labels: &[&str]) {
        let axis = Axis::of(values.iter().copied(), 5);
        assert_eq!((axis.low, axis.high), (low, high));
        let written: Vec<String> = axis.steps().map(|step| axis.label(step)).collect();
        assert_eq!(written, labels);
    }

    #[test]
    fn axes_have_round_steps_that_hold_all_values() {
        check(
            &[0.31, 0.93],
            0.0,
            1.0,
            &["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"],
        );
        check(
            &[1_000.0, 1_040.0],
            1_000.0,
            1_040.0,
            &["1,000", "1,010", "1,020", "1,030", "1,040"],
        );
        check(&[-2.0, 2.0], -2.0, 2.0, &["−2", "−1", "0", "1", "2"]);
        check(
            &[0.0, 2.4e6],
            0.0,
            2.5e6,
            &["0.0M", "0.5M", "1.0M", "1.5M", "2.0M", "2.5M"],
        );
    }

    #[test]
    fn no_values_one_value_and_values_without_measure_have_an_axis() {
        assert_eq!(Axis::of(std::iter::empty(), 5).place(0.5), 0.5);
        assert_eq!(Axis::of([f64::NAN, f64::INFINITY].into_iter(), 5).place(0.5), 0.5);
        for values in [
            [3.0, 3.0],
            [f64::MIN, f64::MAX],
            [0.0, f64::MIN_POSITIVE],
            [1e15, 1e15 + 1.0],
        ] {
            let axis = Axis::of(values.into_iter(), 5);
            assert!(axis.low < axis.high && axis.steps().count() < 20, "{axis:?}");
            assert!(axis.place(values[0]).is_finite());
        }
    }

    #[test]
    fn labels_that_would_touch_are_fewer() {
        let axis = Axis::of([0.0, 1_000_000.0].into_iter(), 10);
        let narrow = axis.with_room(120.0, |label| label.len() as f64 * 8.0);
        assert!(narrow.steps().count() < axis.steps().count());
    }
}
