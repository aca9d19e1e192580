//! Decimal numbers, exact: what a price says, not what a float makes of it.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use super::Problem;

/// Maximum number of digits of a decimal, before and after the point: `i128` has room for 38.
const MAX_DIGITS: usize = 37;

/// A decimal number: `mantissa / 10^scale`. Two decimals of the same value are equal whatever
/// their scale; trailing zeros are dropped when it is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Decimal {
    /// Not a multiple of ten unless the scale is 0.
    mantissa: i128,
    scale: u8,
}

impl Decimal {
    /// Nothing.
    pub const ZERO: Self = Self {
        mantissa: 0,
        scale: 0,
    };

    /// The decimal `mantissa / 10^scale`. None beyond 37 digits.
    #[must_use]
    pub fn new(mantissa: i128, scale: u8) -> Option<Self> {
        let (mut mantissa, mut scale) = (mantissa, scale);
        while scale > 0 && mantissa % 10 == 0 {
            mantissa /= 10;
            scale -= 1;
        }
        let fits =
            mantissa.unsigned_abs() < 10u128.pow(MAX_DIGITS as u32) && usize::from(scale) <= MAX_DIGITS;
        fits.then_some(Self { mantissa, scale })
    }

    /// From digits before and after the separator. Returns `None` for anything but ASCII digits.
    #[must_use]
    pub fn from_digits(whole: &str, fraction: &str) -> Option<Self> {
        // Before the length is checked, because zeros at the end take no room.
        let fraction = fraction.trim_end_matches('0');
        if whole.len() + fraction.len() > MAX_DIGITS {
            return None;
        }
        let mut mantissa: i128 = 0;
        for byte in whole.bytes().chain(fraction.bytes()) {
            mantissa = mantissa * 10 + i128::from(byte.is_ascii_digit().then(|| byte - b'0')?);
        }
        Self::new(mantissa, fraction.len() as u8)
    }

    /// The digits without the separator, and how many of them stand behind it.
    #[must_use]
    pub fn parts(self) -> (i128, u8) {
        (self.mantissa, self.scale)
    }

    /// Returns true if it is 0.
    #[must_use]
    pub fn is_zero(self) -> bool {
        self.mantissa == 0
    }

    /// Returns true if it is below 0.
    #[must_use]
    pub fn is_negative(self) -> bool {
        self.mantissa < 0
    }

    /// The same with the other sign.
    #[must_use]
    pub fn negated(self) -> Self {
        Self {
            mantissa: -self.mantissa,
            ..self
        }
    }

    /// Multiplies by ten to the power of `places`. Returns `None` beyond 37 digits.
    #[must_use]
    pub fn shifted(self, places: i8) -> Option<Self> {
        let scale = i16::from(self.scale) - i16::from(places);
        if scale >= 0 {
            return Self::new(self.mantissa, u8::try_from(scale).ok()?);
        }
        let factor = 10i128.checked_pow(u32::from(scale.unsigned_abs()))?;
        Self::new(self.mantissa.checked_mul(factor)?, 0)
    }

    /// The nearest float.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        self.mantissa as f64 / 10f64.powi(i32::from(self.scale))
    }

    /// Formats with a minimum number of places: `12.5` gives `12.50` for 2.
    #[must_use]
    pub fn with_places(self, places: u8) -> String {
        let mut text = self.to_string();
        if places > self.scale {
            if self.scale == 0 {
                text.push('.');
            }
            text.extend(std::iter::repeat_n('0', usize::from(places - self.scale)));
        }
        text
    }
}

impl From<i64> for Decimal {
    fn from(value: i64) -> Self {
        Self {
            mantissa: i128::from(value),
            scale: 0,
        }
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = |decimal: &Self| decimal.mantissa.signum();
        // Below, the signs are equal, so an overflow shows which of the two is larger.
        if sign(self) != sign(other) {
            return sign(self).cmp(&sign(other));
        }
        let scale = self.scale.max(other.scale);
        let aligned = |decimal: &Self| {
            10i128
                .checked_pow(u32::from(scale - decimal.scale))
                .and_then(|factor| decimal.mantissa.checked_mul(factor))
        };
        match (aligned(self), aligned(other)) {
            (Some(left), Some(right)) => left.cmp(&right),
            // What overflows is larger by far than what does not; its sign says which way.
            (None, _) => {
                if self.is_negative() {
                    Ordering::Less
                } else {
                    Ordering::Greater
                }
            }
            (_, None) => {
                if other.is_negative() {
                    Ordering::Greater
                } else {
                    Ordering::Less
                }
            }
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.mantissa < 0 { "-" } else { "" };
        let digits = self.mantissa.unsigned_abs().to_string();
        let scale = usize::from(self.scale);
        if scale == 0 {
            return write!(formatter, "{sign}{digits}");
        }
        // At least one digit stands before the point.
        let digits = format!("{digits:0>width$}", width = scale + 1);
        let (whole, fraction) = digits.split_at(digits.len() - scale);
        write!(formatter, "{sign}{whole}.{fraction}")
    }
}

impl FromStr for Decimal {
    type Err = Problem;

    /// Reads the form that `Display` writes: digits with at most one point, perhaps a sign.
    fn from_str(text: &str) -> Result<Self, Problem> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        if whole.is_empty() && fraction.is_empty() {
            return Err(Problem::NoNumber);
        }
        let decimal = Self::from_digits(whole, fraction).ok_or(Problem::NoNumber)?;
        Ok(if negative { decimal.negated() } else { decimal })
    }
}
