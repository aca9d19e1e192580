//! Numbers, moments, sizes and names as a person reads them.

use std::path::Path;
use std::time::Duration;

use magpie_patterns::pattern::UrlPattern;
use magpie_plot::written;
use magpie_values::Timestamp;
use magpie_values::date::{self, Date};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 page`, `1,234 pages`.
pub fn many(number: u64, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", thousands(number))
}

/// `1 page looks`, `2,000 pages look`: a number with the form that fits it.
pub fn counted(number: u64, one: &str, several: &str) -> String {
    let noun = if number == 1 { one } else { several };
    format!("{} {noun}", thousands(number))
}

/// Formats a duration for people: `45 s`, `12 min`, `3 h 20 min`, `2 d 4 h`.
pub fn about(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..90 => format!("{seconds} s"),
        90..5_400 => format!("{} min", (seconds + 30) / 60),
        5_400..172_800 => format!("{} h {} min", seconds / 3_600, seconds % 3_600 / 60),
        _ => format!("{} d {} h", seconds / 86_400, seconds % 86_400 / 3_600),
    }
}

/// A path as a person types it in a shell.
pub fn typed(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "-_./:\\+=@%,~".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// `no object`, `1 object`, `2 objects`.
pub fn objects(number: usize) -> String {
    match number {
        0 => "no object".to_owned(),
        number => count(number, "object"),
    }
}

/// `1 page`, `2 pages`.
pub fn count(count: usize, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

/// A measured time: `420 µs`, `3.1 ms`, `12.5 s`.
pub fn time(time: Duration) -> String {
    let micros = time.as_micros();
    match micros {
        0..1_000 => format!("{micros} µs"),
        1_000..10_000 => format!("{:.1} ms", time.as_secs_f64() * 1e3),
        10_000..1_000_000 => format!("{} ms", micros / 1_000),
        _ => format!("{:.1} s", time.as_secs_f64()),
    }
}

/// Names in a sentence, at most a handful.
pub fn listed(names: &[String]) -> String {
    const SHOWN: usize = 5;
    let mut text = names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        text.push_str(&format!(" and {} more", names.len() - SHOWN));
    }
    text
}

/// Formats a URL pattern without its site, which is shown above.
pub fn path(pattern: &str) -> String {
    let after = pattern.split_once("://").map_or(pattern, |(_, rest)| rest);
    after
        .find('/')
        .map_or(pattern, |slash| &after[slash..])
        .to_owned()
}

/// A URL pattern as a regular expression.
pub fn regex(pattern: &str) -> Option<String> {
    Some(pattern.parse::<UrlPattern>().ok()?.to_regex())
}

/// Text cut to a width, with a sign that something is missing.
pub fn shortened(text: &str, width: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.width() <= width {
        return line;
    }
    let mut short = String::new();
    let mut used = 0;
    for character in line.chars() {
        used += character.width().unwrap_or(0);
        if used >= width {
            break;
        }
        short.push(character);
    }
    format!("{}…", short.trim_end())
}

/// Maximum number of characters of a text in a report. A longer one is a mistake or an attack, and
/// its beginning is enough.
const LONGEST: usize = 400;

/// A stranger's text, cut for a report.
pub(crate) fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
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

/// Returns an interval with the value that it belongs to in it. The end of an interval that was
/// estimated in another way than the value may be on the wrong side of it.
pub(crate) fn around(value: f64, (low, high): (f64, f64)) -> (f64, f64) {
    (low.min(value), high.max(value))
}

/// Formats the interval of a share.
pub(crate) fn share_interval(value: f64, interval: (f64, f64)) -> String {
    let (low, high) = around(value, interval);
    format!("{} to {}", share(low), share(high))
}

/// Bytes in a unit of 1,024 that keeps the number small: `71.0 MiB`.
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
        Some((rest, small)) if rest > 0 => format!("{} {name} {rest} {small}", thousands(whole / unit)),
        _ => format!("{} {name}", thousands(whole / unit)),
    }
}

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// The month of a date, as in `Dec`.
pub fn month(date: Date) -> &'static str {
    MONTHS[usize::from(date.month().clamp(1, 12)) - 1]
}

/// A moment in UTC, as in `12 Dec 2026, 14:26`.
pub fn moment(at: &Timestamp) -> String {
    let text = at.to_string();
    match (date::parse_iso(&text), text.get(11..16)) {
        (Some(value), Some(time)) => {
            let date = value.date();
            format!("{} {} {}, {time}", date.day(), month(date), date.year())
        }
        _ => text,
    }
}

/// Returns JSON without characters that a terminal obeys: control characters, and those that turn
/// the direction of writing. They are escaped, so the values are the same.
pub fn json_for_terminal(json: String) -> String {
    // Those below U+0020 are escaped in JSON anyway, but for the ends of lines between documents.
    let is_odd = |letter: char| {
        (letter.is_control() && letter != '\n')
            || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !json.contains(is_odd) {
        return json;
    }
    let mut escaped = String::with_capacity(json.len() + 16);
    for letter in json.chars() {
        match is_odd(letter) {
            true => escaped.push_str(&format!("\\u{:04x}", u32::from(letter))),
            false => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_the_same_without_what_a_terminal_obeys() {
        let value = serde_json::json!({"title": "A\u{1b}]0;x\u{7}\u{7f}\u{9b}31m\u{202e}B\u{2069}é\n"});
        let shown = json_for_terminal(format!("{value}\n"));
        assert!(shown.contains("\\u009b31m\\u202eB\\u2069é"), "{shown}");
        assert!(!shown.trim_end().chars().any(char::is_control), "{shown}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
    }

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
        assert_eq!(cut(&long).chars().count(), LONGEST + 1);
    }
}
