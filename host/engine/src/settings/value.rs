//! Types of settings: parsing from a file or a variable, and formatting for people.

use std::collections::BTreeMap;
use std::time::Duration;

use magpie_web::AddressRange;

/// A reason for which a value was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// There is no such setting in this group.
    #[error("there is no such setting")]
    Unknown,
    /// It is something else.
    #[error("expected {form}")]
    Form {
        /// An example to write instead.
        form: &'static str,
    },
    /// One value of a list is something else.
    #[error("expected {form}")]
    Item {
        /// The first invalid value, as written.
        item: String,
        /// An example to write instead.
        form: &'static str,
    },
    /// It is out of bounds.
    #[error("expected {least} to {most}")]
    Bounds {
        /// The lower bound.
        least: String,
        /// The upper bound.
        most: String,
    },
}

/// A value as written in a file, or text from a variable or a flag.
#[derive(Clone, Debug, PartialEq)]
pub enum Raw {
    /// A text. Every kind of value can be written as text too, for variables and flags.
    Text(String),
    /// A number without a fraction.
    Whole(i64),
    /// A number with a fraction.
    Real(f64),
    /// A switch: `true` or `false`.
    Switch(bool),
    /// Several.
    List(Vec<Raw>),
    /// Names with values.
    Table(Vec<(String, Raw)>),
}

/// A kind of value that a setting can have.
pub trait Value: Sized + Clone {
    /// Completes the sentence "expected …".
    const FORM: &'static str;

    /// Reads it; none if it is something else.
    fn read(raw: &Raw) -> Option<Self>;

    /// Writes it as TOML, in the form a person would choose.
    fn write(&self) -> String;

    /// Returns the reason why a value can't be parsed.
    fn refusal(_raw: &Raw) -> Refused {
        Refused::Form { form: Self::FORM }
    }
}

impl Raw {
    /// Formats the value for messages: a text without quotes, everything else as in a file.
    pub(super) fn written(&self) -> String {
        match self {
            Raw::Text(text) if text.is_empty() => text.write(),
            Raw::Text(text) => text.clone(),
            Raw::Whole(number) => number.to_string(),
            Raw::Real(number) => number.write(),
            Raw::Switch(switch) => switch.write(),
            Raw::List(list) => format!("[{}]", joined(list.iter().map(Raw::as_toml))),
            Raw::Table(entries) => {
                let entries = entries
                    .iter()
                    .map(|(name, value)| format!("{name} = {}", value.as_toml()));
                format!("{{ {} }}", joined(entries))
            }
        }
    }

    /// Formats the value as in a file.
    fn as_toml(&self) -> String {
        match self {
            Raw::Text(text) => text.write(),
            other => other.written(),
        }
    }

    /// The values of a list; none of what is no list.
    fn items(&self) -> Option<Vec<Raw>> {
        match self {
            Raw::List(list) => Some(list.clone()),
            Raw::Text(text) if text.trim().is_empty() => Some(Vec::new()),
            Raw::Text(text) => {
                let parts = text.split(',');
                Some(parts.map(|part| Raw::Text(part.trim().to_owned())).collect())
            }
            _ => None,
        }
    }
}

impl Value for String {
    const FORM: &'static str = "a text in quotes";

    fn read(raw: &Raw) -> Option<Self> {
        match raw {
            Raw::Text(text) => Some(text.clone()),
            _ => None,
        }
    }

    fn write(&self) -> String {
        quoted(self)
    }
}

impl Value for bool {
    const FORM: &'static str = "true or false";

    fn read(raw: &Raw) -> Option<Self> {
        match raw {
            Raw::Switch(switch) => Some(*switch),
            Raw::Text(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

impl Value for u64 {
    const FORM: &'static str = "a whole number";

    fn read(raw: &Raw) -> Option<Self> {
        match raw {
            Raw::Whole(number) => u64::try_from(*number).ok(),
            Raw::Text(text) => text.trim().replace('_', "").parse().ok(),
            _ => None,
        }
    }

    fn write(&self) -> String {
        grouped(*self)
    }
}

impl Value for f64 {
    const FORM: &'static str = "a number";

    fn read(raw: &Raw) -> Option<Self> {
        let number = match raw {
            Raw::Real(number) => *number,
            Raw::Whole(number) => *number as f64,
            Raw::Text(text) => text.trim().parse().ok()?,
            _ => return None,
        };
        number.is_finite().then_some(number)
    }

    fn write(&self) -> String {
        format!("{self:?}")
    }
}

/// The units of a duration, longest first, as [`Value::write`] tries them.
const DURATION_UNITS: [(&str, u64); 6] = [
    ("w", 7 * 86_400_000),
    ("d", 86_400_000),
    ("h", 3_600_000),
    ("m", 60_000),
    ("s", 1_000),
    ("ms", 1),
];

impl Value for Duration {
    const FORM: &'static str =
        "a duration with a unit, such as \"250ms\", \"1.5s\", \"10m\", \"2h\" or \"7d\"";

    fn read(raw: &Raw) -> Option<Self> {
        let Raw::Text(text) = raw else { return None };
        let (number, unit) = number_and_unit(text)?;
        let (_, factor) = DURATION_UNITS.iter().find(|(name, _)| *name == unit)?;
        Duration::try_from_secs_f64(number * (*factor as f64) / 1_000.0).ok()
    }

    fn write(&self) -> String {
        let milliseconds = u64::try_from(self.as_millis()).unwrap_or(u64::MAX);
        let whole =
            |(_, factor): &&(&str, u64)| milliseconds.is_multiple_of(*factor) && milliseconds >= *factor;
        match DURATION_UNITS.iter().find(whole) {
            Some((unit, factor)) => format!("\"{}{unit}\"", milliseconds / factor),
            None => "\"0s\"".to_owned(),
        }
    }
}

/// The time for which something is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Not at all.
    Nothing,
    /// For ever.
    All,
    /// For a time.
    For(Duration),
}

/// The shortest time for which something is kept: less would be nothing.
const SHORTEST_KEEP: Duration = Duration::from_secs(3_600);

impl Value for Keep {
    const FORM: &'static str = "true, false, or an age from an hour on, such as \"90d\"";

    fn read(raw: &Raw) -> Option<Self> {
        match bool::read(raw) {
            Some(true) => Some(Keep::All),
            Some(false) => Some(Keep::Nothing),
            None => Duration::read(raw)
                .filter(|age| *age >= SHORTEST_KEEP)
                .map(Keep::For),
        }
    }

    fn write(&self) -> String {
        match self {
            Keep::Nothing => false.write(),
            Keep::All => true.write(),
            Keep::For(age) => age.write(),
        }
    }
}

/// A size that is written with a unit: `10 MB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

/// Units of bytes. The largest that fits is written; a bare `KB` may mean either.
const BYTE_UNITS: [(&str, u64); 8] = [
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("KB", 1_000),
    ("kB", 1_000),
    ("B", 1),
];

impl Value for Bytes {
    const FORM: &'static str = "a number of bytes with a unit, such as \"64 KiB\", \"16 MiB\" or \"1 GB\"";

    fn read(raw: &Raw) -> Option<Self> {
        match raw {
            Raw::Whole(number) => u64::try_from(*number).ok().map(Bytes),
            Raw::Text(text) => {
                let (number, unit) = number_and_unit(text)?;
                let (_, factor) = BYTE_UNITS
                    .iter()
                    .find(|(name, _)| *name == unit || (unit.is_empty() && *name == "B"))?;
                let bytes = number * (*factor as f64);
                (bytes < 9e18).then_some(Bytes(bytes as u64))
            }
            _ => None,
        }
    }

    fn write(&self) -> String {
        let whole = |(_, factor): &&(&str, u64)| self.0.is_multiple_of(*factor) && self.0 >= *factor;
        let units = BYTE_UNITS.iter().rev().filter(whole);
        match units.max_by_key(|(_, factor)| *factor) {
            Some((unit, factor)) => format!("\"{} {unit}\"", self.0 / factor),
            None => "\"0 B\"".to_owned(),
        }
    }
}

impl<T: Value> Value for Option<T> {
    const FORM: &'static str = T::FORM;

    fn read(raw: &Raw) -> Option<Self> {
        match raw {
            Raw::Text(text) if text.is_empty() => Some(None),
            raw => T::read(raw).map(Some),
        }
    }

    fn write(&self) -> String {
        self.as_ref().map_or_else(|| "\"\"".to_owned(), T::write)
    }
}

/// A list of values. As text, in a variable or a flag, they are separated by commas, or written as
/// in a file.
impl<T: Value> Value for Vec<T> {
    const FORM: &'static str = "a list in square brackets, or values separated by commas on the command line";

    fn read(raw: &Raw) -> Option<Self> {
        let read = |items: Vec<Raw>| items.iter().map(T::read).collect();
        // A pattern may begin with a bracket too.
        as_list(raw).and_then(read).or_else(|| raw.items().and_then(read))
    }

    fn refusal(raw: &Raw) -> Refused {
        let items = as_list(raw).or_else(|| raw.items()).unwrap_or_default();
        match items.iter().find(|item| T::read(item).is_none()) {
            Some(item) => Refused::Item {
                item: item.written(),
                form: T::FORM,
            },
            None => Refused::Form { form: Self::FORM },
        }
    }

    fn write(&self) -> String {
        format!("[{}]", self.iter().map(T::write).collect::<Vec<_>>().join(", "))
    }
}

/// The values of a text that is written as a list in a file.
fn as_list(raw: &Raw) -> Option<Vec<Raw>> {
    let Raw::Text(text) = raw else { return None };
    match Raw::of_toml(text) {
        Some(Raw::List(list)) => Some(list),
        _ => None,
    }
}

/// Names with texts. As text: `Name: value`, several separated by `|`.
impl Value for BTreeMap<String, String> {
    const FORM: &'static str = "a table of texts, such as { Name = \"value\" }";

    fn read(raw: &Raw) -> Option<Self> {
        match raw {
            Raw::Table(entries) => entries
                .iter()
                .map(|(name, value)| Some((name.clone(), String::read(value)?)))
                .collect(),
            Raw::Text(text) if text.trim().is_empty() => Some(Self::new()),
            Raw::Text(text) => text
                .split('|')
                .map(|pair| pair.split_once(':'))
                .map(|pair| pair.map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned())))
                .collect(),
            _ => None,
        }
    }

    fn write(&self) -> String {
        if self.is_empty() {
            return "{}".to_owned();
        }
        let pairs = self
            .iter()
            .map(|(name, value)| format!("{} = {}", quoted(name), quoted(value)));
        format!("{{ {} }}", pairs.collect::<Vec<_>>().join(", "))
    }
}

impl Value for AddressRange {
    const FORM: &'static str = "an address range, such as \"127.0.0.0/8\" or \"::1/128\"";

    fn read(raw: &Raw) -> Option<Self> {
        match raw {
            Raw::Text(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    fn write(&self) -> String {
        quoted(&self.to_string())
    }
}

/// A value that is one of a few words.
macro_rules! choice {
    ($(#[$about:meta])* $name:ident { $($(#[$meaning:meta])* $variant:ident = $word:literal,)+ } $form:literal) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$meaning])* $variant,)+ }

        impl $crate::settings::Value for $name {
            const FORM: &'static str = $form;

            fn read(raw: &$crate::settings::Raw) -> Option<Self> {
                match raw {
                    $crate::settings::Raw::Text(text) => match text.trim() {
                        $($word => Some(Self::$variant),)+
                        _ => None,
                    },
                    _ => None,
                }
            }

            fn write(&self) -> String {
                let word = match self { $(Self::$variant => $word,)+ };
                format!("\"{word}\"")
            }
        }
    };
}

pub(super) use choice;

/// `1.5s` is 1.5 and `s`; white space between them is fine.
pub(super) fn number_and_unit(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text
        .find(|letter: char| !letter.is_ascii_digit() && letter != '.' && letter != '_')
        .unwrap_or(text.len());
    let number: f64 = text[..end].replace('_', "").parse().ok()?;
    Some((number, text[end..].trim()))
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// Thousands apart, as TOML allows, where it helps to read.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let first = digits.len() % 3;
    let (head, rest) = digits.split_at(first);
    let mut groups: Vec<&str> = rest
        .as_bytes()
        .chunks(3)
        .map(|group| std::str::from_utf8(group).unwrap_or_default())
        .collect();
    if !head.is_empty() {
        groups.insert(0, head);
    }
    groups.join("_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Value + PartialEq + std::fmt::Debug>(text: &str, expected: &Option<T>, written: &str) {
        let read = T::read(&Raw::Text(text.to_owned()));
        assert_eq!(&read, expected, "{text}");
        if let Some(value) = read {
            assert_eq!(value.write(), written, "{text}");
        }
    }

    #[test]
    fn durations() {
        check("250ms", &Some(Duration::from_millis(250)), "\"250ms\"");
        check("1.5s", &Some(Duration::from_millis(1500)), "\"1500ms\"");
        check(" 90 s ", &Some(Duration::from_secs(90)), "\"90s\"");
        check("120s", &Some(Duration::from_secs(120)), "\"2m\"");
        check("7d", &Some(Duration::from_secs(604_800)), "\"1w\"");
        check("0s", &Some(Duration::ZERO), "\"0s\"");
        for wrong in [
            "5",
            "s",
            "-1s",
            "1 fortnight",
            "1.2.3s",
            "",
            "1e400s",
            "99999999999999999999w",
        ] {
            check::<Duration>(wrong, &None, "");
        }
        assert_eq!(
            Duration::read(&Raw::Whole(5)),
            None,
            "a number without unit may mean anything"
        );
    }

    #[test]
    fn bytes() {
        check("64 KiB", &Some(Bytes(65_536)), "\"64 KiB\"");
        check("1.5MiB", &Some(Bytes(1_572_864)), "\"1536 KiB\"");
        check("1 GB", &Some(Bytes(1_000_000_000)), "\"1 GB\"");
        check("1000", &Some(Bytes(1000)), "\"1 KB\"");
        check("0", &Some(Bytes(0)), "\"0 B\"");
        for wrong in ["", "many", "-5", "1 parsec", "1e30 GB"] {
            check::<Bytes>(wrong, &None, "");
        }
    }

    #[test]
    fn numbers_and_switches() {
        check("1000000", &Some(1_000_000_u64), "1_000_000");
        check("12345", &Some(12_345_u64), "12_345");
        check("999", &Some(999_u64), "999");
        check::<u64>("-1", &None, "");
        check("true", &Some(true), "true");
        check::<bool>("yes", &None, "");
        check("0.5", &Some(0.5), "0.5");
        check::<f64>("NaN", &None, "");
    }

    #[test]
    fn lists_and_tables() {
        check(
            "a, b",
            &Some(vec!["a".to_owned(), "b".to_owned()]),
            "[\"a\", \"b\"]",
        );
        check::<Vec<String>>("", &Some(Vec::new()), "[]");
        check(
            "X-One: 1 | X-Two: 2:3",
            &Some(BTreeMap::from([
                ("X-One".to_owned(), "1".to_owned()),
                ("X-Two".to_owned(), "2:3".to_owned()),
            ])),
            "{ \"X-One\" = \"1\", \"X-Two\" = \"2:3\" }",
        );
    }

    #[test]
    fn address_ranges() {
        check(
            "127.0.0.0/8",
            &"127.0.0.0/8".parse::<AddressRange>().ok(),
            "\"127.0.0.0/8\"",
        );
        check("::1", &"::1/128".parse::<AddressRange>().ok(), "\"::1/128\"");
        check::<AddressRange>("localhost", &None, "");
    }
}
