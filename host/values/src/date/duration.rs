//! Lengths of time: `PT1H20M`, `1h 20min`, `90 minutes`, `1:20:00`.

use std::fmt;
use std::str::FromStr;

use super::Problem;
use crate::text::{fold, truncate};

/// A length of time in seconds. Months and years have no fixed length and are not durations here.
///
/// Displays as ISO 8601: `PT1H20M`, `P1DT2H`, `PT0S`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration {
    seconds: u64,
}

/// The longest duration that is read: a thousand years. What is longer is another number.
const MAX_SECONDS: u64 = 1000 * 366 * 86_400;

impl Duration {
    /// A duration of that number of seconds.
    #[must_use]
    pub fn from_seconds(seconds: u64) -> Option<Self> {
        (seconds <= MAX_SECONDS).then_some(Self { seconds })
    }

    /// The whole duration in seconds.
    #[must_use]
    pub fn seconds(self) -> u64 {
        self.seconds
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (days, rest) = (self.seconds / 86_400, self.seconds % 86_400);
        let (hours, minutes, seconds) = (rest / 3600, rest / 60 % 60, rest % 60);
        formatter.write_str("P")?;
        if days > 0 {
            write!(formatter, "{days}D")?;
        }
        if rest > 0 || days == 0 {
            formatter.write_str("T")?;
        }
        for (count, unit) in [(hours, 'H'), (minutes, 'M')] {
            if count > 0 {
                write!(formatter, "{count}{unit}")?;
            }
        }
        if seconds > 0 || self.seconds == 0 {
            write!(formatter, "{seconds}S")?;
        }
        Ok(())
    }
}

impl FromStr for Duration {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        parse_duration(text).ok_or(Problem::NoDuration)
    }
}

/// Reads a length of time: ISO 8601, hours and minutes with colons (`1:20` is an hour and twenty
/// minutes, `0:04:33` has seconds), or numbers with units in many languages. Units go from large
/// to small, each at most once; the words between are ignored. A range gives its beginning.
#[must_use]
pub fn parse_duration(text: &str) -> Option<Duration> {
    const LONGEST: usize = 128;
    let folded = fold(truncate(text, LONGEST));
    iso(&folded)
        .or_else(|| with_colons(&folded))
        .or_else(|| with_units(&folded))
}

/// `PT1H20M`, `P1DT2H`, `P2W`, with fractions on any part (`PT1.5H`). Years and months are refused
/// unless they are zero, as some generators write `P0Y0M0DT1H`.
fn iso(text: &str) -> Option<Duration> {
    let mut rest = text.strip_prefix('p')?;
    let mut seconds = 0.0;
    let mut in_time = false;
    let mut parts = 0;
    while !rest.is_empty() {
        // The `T` decides if an `M` is a month or a minute.
        if let Some(time) = rest.strip_prefix('t') {
            in_time = true;
            rest = time;
            continue;
        }
        let digits = rest.find(|next: char| !next.is_ascii_digit() && next != '.' && next != ',')?;
        let value: f64 = rest[..digits].replace(',', ".").parse().ok()?;
        let unit = rest[digits..].chars().next()?;
        seconds += value
            * match (unit, in_time) {
                ('w', false) => 604_800.0,
                ('d', false) => 86_400.0,
                ('h', true) => 3600.0,
                ('m', true) => 60.0,
                ('s', true) => 1.0,
                ('y' | 'm', false) if value == 0.0 => 0.0,
                _ => return None,
            };
        parts += 1;
        rest = &rest[digits + unit.len_utf8()..];
    }
    (parts > 0).then(|| rounded(seconds)).flatten()
}

fn with_colons(text: &str) -> Option<Duration> {
    let parts: Vec<&str> = text.trim_end_matches(['h', ' ']).split(':').collect();
    let number = |part: &str| part.parse::<u64>().ok().filter(|_| part.len() <= 3);
    let below_sixty = |part: &str| number(part).filter(|value| *value < 60 && part.len() == 2);
    match parts.as_slice() {
        [hours, minutes] => Duration::from_seconds(number(hours)? * 3600 + below_sixty(minutes)? * 60),
        [hours, minutes, seconds] => {
            Duration::from_seconds(number(hours)? * 3600 + below_sixty(minutes)? * 60 + below_sixty(seconds)?)
        }
        _ => None,
    }
}

/// Prefixes of the words for each unit, folded. A longer prefix precedes a shorter one that it
/// contains. One-letter prefixes match only whole words.
const UNITS: &[(u64, &[&str])] = &[
    (
        604_800,
        &[
            "week",
            "woche",
            "semaine",
            "semana",
            "settiman",
            "weken",
            "tydzien",
            "tygodn",
            "tydn",
            "недел",
            "周",
        ],
    ),
    (
        86_400,
        &[
            "day", "tag", "jour", "dia", "giorn", "dag", "dzien", "dni", "den", "dny", "день", "дня", "дне",
            "天", "日", "gun",
        ],
    ),
    (
        3600,
        &[
            "h", "hour", "hr", "std", "stunde", "heure", "hora", "ora", "ore", "uur", "uren", "godz", "hod",
            "tim", "time", "tunti", "tuntia", "saat", "час", "ч", "год", "гoд", "jam", "gio", "时间", "時間",
            "小时", "小時", "시간", "ωρα", "ωρεσ",
        ],
    ),
    (
        60,
        &[
            "m", "min", "minut", "мин", "хв", "phut", "dakika", "dk", "menit", "perc", "λεπτ", "分", "분",
        ],
    ),
    (1, &["s", "sec", "sek", "seg", "сек", "秒", "초"]),
];

/// Halves and quarters that stand behind or before a unit.
fn with_units(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut total = 0.0;
    let mut last_unit = u64::MAX;
    while let Some(at) = rest.find(|next: char| next.is_ascii_digit() || matches!(next, '½' | '¼' | '¾')) {
        rest = &rest[at..];
        let (value, behind) = quantity(rest);
        let Some((unit, next)) = unit_of(behind.trim_start()) else {
            // `2 h 30`: minutes without their word.
            if last_unit == 3600 && value < 60.0 && behind.trim().is_empty() {
                total += value * 60.0;
            }
            rest = behind;
            continue;
        };
        // A unit that is not smaller begins another duration, or the end of a range.
        if unit >= last_unit {
            break;
        }
        total += value * unit as f64;
        last_unit = unit;
        rest = next;
    }
    (last_unit != u64::MAX).then(|| rounded(total)).flatten()
}

/// A number that may have a fraction: `1.5`, `1,5`, `1 1/2`, `1/2`.
fn quantity(text: &str) -> (f64, &str) {
    let digits = |text: &str| {
        text.find(|next: char| !next.is_ascii_digit())
            .unwrap_or(text.len())
    };
    let whole_end = digits(text);
    let whole: f64 = text[..whole_end].parse().unwrap_or(0.0);
    let rest = &text[whole_end..];
    if let Some(fraction) = rest.strip_prefix(['.', ',']) {
        let end = digits(fraction);
        // Three digits after a point are thousands.
        if (1..=2).contains(&end) {
            let parts: f64 = fraction[..end].parse().unwrap_or(0.0);
            return (whole + parts / 10f64.powi(end as i32), &fraction[end..]);
        }
    }
    for (written, value) in [
        ("1/2", 0.5),
        ("½", 0.5),
        ("1/4", 0.25),
        ("¼", 0.25),
        ("3/4", 0.75),
        ("¾", 0.75),
    ] {
        if let Some(rest) = text.strip_prefix(written) {
            return (value, rest);
        }
        if let Some(rest) = rest.trim_start().strip_prefix(written) {
            return (whole + value, rest);
        }
    }
    (whole, rest)
}

/// The seconds of the unit that the text begins with, and what follows its word.
fn unit_of(text: &str) -> Option<(u64, &str)> {
    let end = text
        .find(|next: char| !next.is_alphabetic())
        .unwrap_or(text.len());
    let word = &text[..end];
    let fits = |name: &&str| {
        if name.chars().count() == 1 && name.is_ascii() {
            word == *name
        } else {
            word.starts_with(*name)
        }
    };
    let found = UNITS.iter().flat_map(|(seconds, names)| {
        names
            .iter()
            .filter(|name| fits(name))
            .map(move |name| (name.len(), *seconds))
    });
    // The longest prefix is the most certain: `minut` before `m`.
    let (_, seconds) = found.max_by_key(|(length, _)| *length)?;
    Some((seconds, &text[end..]))
}

fn rounded(seconds: f64) -> Option<Duration> {
    if seconds.is_finite() && (0.0..=MAX_SECONDS as f64).contains(&seconds) {
        Duration::from_seconds(seconds.round() as u64)
    } else {
        None
    }
}
