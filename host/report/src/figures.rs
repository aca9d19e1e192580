//! Figures and texts as people read them.

use magpie_plot::{escaped, written};

/// Maximum number of characters of a text to show. A longer one is a mistake or an attack, and its
/// beginning is enough.
const LONGEST: usize = 400;

/// A stranger's text, cut and escaped.
pub(crate) fn shown(text: &str) -> String {
    escaped(&cut(text))
}

/// A stranger's text, cut but not escaped: for those who escape by themselves.
pub(crate) fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

pub(crate) fn count(value: u64) -> String {
    written(value as f64)
}

/// A count with its noun, whose plural is regular.
pub(crate) fn counted(value: u64, noun: &str) -> String {
    let end = if value == 1 { "" } else { "s" };
    format!("{} {noun}{end}", count(value))
}

/// Formats a share as a percentage with one decimal; none and all have no decimal.
pub(crate) fn share(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let percent = value * 100.0;
    // Nearly all is not all, and little is not nothing: rounding must not hide it.
    if value < 1.0 && percent >= 99.95 {
        return "99.9%".to_owned();
    }
    if value > 0.0 && percent < 0.05 {
        return "below 0.1%".to_owned();
    }
    if value == 0.0 || value == 1.0 {
        format!("{percent:.0}%")
    } else {
        format!("{percent:.1}%")
    }
}

pub(crate) fn share_interval((low, high): (f64, f64)) -> String {
    format!("{} to {}", share(low), share(high))
}

/// Bytes in a unit of 1,024 that keeps the number small: `71.0 MiB`. The command line writes them
/// so, too.
pub fn bytes(value: u64) -> String {
    const KIB: f64 = 1024.0;
    let amount = value as f64;
    match amount / KIB {
        kib if kib < 1.0 => format!("{value} B"),
        kib if kib < KIB => format!("{kib:.0} KiB"),
        kib if kib < KIB * KIB => format!("{:.1} MiB", kib / KIB),
        kib => format!("{:.1} GiB", kib / KIB / KIB),
    }
}

/// A duration in the two greatest units that it has.
pub(crate) fn duration(seconds: f64) -> String {
    if !(0.0..1e15).contains(&seconds) {
        return "–".to_owned();
    }
    if seconds < 10.0 {
        return format!("{} s", written(seconds));
    }
    let whole = seconds.round() as u64;
    let units = [(86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")];
    let first = units.iter().position(|(unit, _)| whole >= *unit).unwrap_or(3);
    let (unit, name) = units[first];
    let rest = units
        .get(first + 1)
        .map(|(unit, name)| (whole % units[first].0 / unit, name));
    match rest {
        Some((rest, small)) if rest > 0 => format!("{} {name} {rest} {small}", count(whole / unit)),
        _ => format!("{} {name}", count(whole / unit)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_hide_nothing() {
        for (value, expected) in [
            (0.0, "0%"),
            (0.000_1, "below 0.1%"),
            (0.5, "50.0%"),
            (0.982, "98.2%"),
            (0.999_99, "99.9%"),
            (1.0, "100%"),
            (f64::NAN, "–"),
        ] {
            assert_eq!(share(value), expected);
        }
    }

    #[test]
    fn durations_and_bytes_stay_short() {
        for (value, expected) in [
            (0.04, "0.04 s"),
            (12.0, "12 s"),
            (75.0, "1 min 15 s"),
            (3_600.0, "1 h"),
            (90_061.0, "1 d 1 h"),
            (-1.0, "–"),
        ] {
            assert_eq!(duration(value), expected);
        }
        for (value, expected) in [
            (999, "999 B"),
            (1_500, "1 KiB"),
            (123_456_789, "117.7 MiB"),
            (5 << 30, "5.0 GiB"),
        ] {
            assert_eq!(bytes(value), expected);
        }
    }

    #[test]
    fn long_texts_are_cut_between_letters() {
        let long = "ä".repeat(10_000);
        assert_eq!(shown(&long).chars().count(), LONGEST + 1);
    }
}
