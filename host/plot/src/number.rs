//! Numbers as people read them.

/// Above this, powers of ten say more than digits.
const LARGEST: f64 = 1e15;

/// A value with its thousands apart and no more digits than it needs, at most two.
///
/// ```
/// assert_eq!(magpie_plot::written(12_345.0), "12,345");
/// assert_eq!(magpie_plot::written(0.127), "0.13");
/// assert_eq!(magpie_plot::written(f64::NAN), "–");
/// ```
#[must_use]
pub fn written(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let tenths = (value * 10.0).round() / 10.0;
    let digits = if value.fract() == 0.0 || value.abs() >= 1_000.0 {
        0
    } else if (value - tenths).abs() < 1e-9 {
        1
    } else {
        2
    };
    with_digits(value, digits)
}

/// Formats a value on an axis, with enough digits to distinguish its steps; millions and more are
/// shortened.
pub(crate) fn on_axis(value: f64, step: f64, largest: f64) -> String {
    // A rounded zero must not be written as -0.
    let value = if value.abs() < step / 1e6 { 0.0 } else { value };
    let units = [(1e12, "T"), (1e9, "G"), (1e6, "M")];
    let unit = units
        .into_iter()
        .find(|(unit, _)| largest >= *unit && largest < LARGEST);
    let (unit, name) = unit.unwrap_or((1.0, ""));
    let step = step / unit;
    let digits = (0..6).find(|digits| {
        let scaled = step * 10f64.powi(*digits);
        (scaled - scaled.round()).abs() < 1e-6 * scaled
    });
    match digits {
        Some(digits) => with_digits(value / unit, digits as usize) + name,
        None => format!("{value:.1e}"),
    }
}

fn with_digits(value: f64, digits: usize) -> String {
    if value.abs() >= LARGEST {
        return format!("{value:.1e}");
    }
    let plain = format!("{:.digits$}", value.abs());
    let (whole, rest) = plain.split_at(plain.find('.').unwrap_or(plain.len()));
    let mut out = String::new();
    if value < 0.0 && plain.bytes().any(|byte| (b'1'..=b'9').contains(&byte)) {
        out.push('−');
    }
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out + rest
}
