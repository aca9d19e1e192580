//! Axes: ranges, round steps, labels.

use super::{BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, line, text};

const GRID: &str = "stroke=\"#ddd\"";
const RULE: &str = "stroke=\"#000\"";

/// A range of values with round steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Axis {
    pub(super) low: f64,
    pub(super) high: f64,
    step: f64,
}

impl Axis {
    /// An axis that holds all values; zero too if it is near.
    pub(super) fn of(values: impl Iterator<Item = f64>) -> Self {
        let finite = values.filter(|value| value.is_finite());
        let (low, high) = finite.fold((f64::MAX, f64::MIN), |(low, high), value| {
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
        let high = if high > low {
            high
        } else {
            low + low.abs().max(1.0)
        };
        let step = round_step((high - low) / 5.0);
        Self {
            low: (low / step).floor() * step,
            high: (high / step).ceil() * step,
            step,
        }
    }

    /// An axis from zero.
    pub(super) fn from_zero(values: impl Iterator<Item = f64>) -> Self {
        Self::of(values.chain(std::iter::once(0.0)))
    }

    /// Where a value stands, from 0 to 1.
    pub(super) fn place(self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }

    /// The values at its steps.
    fn steps(self) -> impl Iterator<Item = f64> {
        let count = ((self.high - self.low) / self.step).round() as u32;
        (0..=count).map(move |index| self.low + f64::from(index) * self.step)
    }

    /// The horizontal axis with its label.
    pub(super) fn draw_x(self, out: &mut String, label: &str) {
        let floor = HEIGHT - BOTTOM;
        for value in self.steps() {
            let at = self.x(value);
            line(out, (at, floor), (at, floor + 5.0), RULE);
            text(out, at, floor + 20.0, "middle", &self.number(value));
        }
        text(out, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 16.0, "middle", label);
        line(out, (LEFT, floor), (WIDTH - RIGHT, floor), RULE);
    }

    /// The vertical axis with its label.
    pub(super) fn draw_y(self, out: &mut String, label: &str) {
        for value in self.steps() {
            let at = self.y(value);
            line(out, (LEFT, at), (WIDTH - RIGHT, at), GRID);
            text(out, LEFT - 8.0, at + 4.0, "end", &self.number(value));
        }
        text(out, LEFT, TOP - 8.0, "start", label);
    }

    pub(super) fn x(self, value: f64) -> f64 {
        LEFT + self.place(value) * (WIDTH - RIGHT - LEFT)
    }

    pub(super) fn y(self, value: f64) -> f64 {
        HEIGHT - BOTTOM - self.place(value) * (HEIGHT - BOTTOM - TOP)
    }

    /// A value with the digits that its steps need.
    fn number(self, value: f64) -> String {
        let digits = (0..6).find(|digits| {
            let scaled = self.step * 10f64.powi(*digits);
            (scaled - scaled.round()).abs() < 1e-6 * scaled
        });
        // A rounded zero must not be written as -0.
        let value = if value.abs() < self.step / 1e6 { 0.0 } else { value };
        format!("{value:.*}", digits.unwrap_or(6) as usize)
    }
}

/// The nearest of 1, 2, 2.5, 5 times a power of ten that is not less.
fn round_step(rough: f64) -> f64 {
    let mut power = 1.0;
    while power * 10.0 <= rough {
        power *= 10.0;
    }
    while power > rough {
        power /= 10.0;
    }
    let steps = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().map(|step| step * power);
    steps
        .clone()
        .find(|step| *step >= rough * 0.999_999)
        .unwrap_or(power * 10.0)
}
