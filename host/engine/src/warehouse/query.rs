//! Conditions on what things say: `start<2026-06-01`, `title~lighthouse`, typed by the schema.

use std::time::Duration;

use std::cmp::Ordering;
use std::fmt;

use magpie_model::{Attribute, Kind, Record};
use magpie_values::Timestamp;
use magpie_values::date::{self, DateTime};
use magpie_values::money::Money;
use magpie_values::number::{self, Decimal};
use magpie_values::text;
use url::Url;

/// A condition on one attribute. Of one that may have several values, one that fits is enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The attribute.
    pub attribute: String,
    operator: Operator,
    wanted: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Is,
    IsNot,
    Contains,
    Less,
    LessOrIs,
    Greater,
    GreaterOrIs,
}

/// If one operator is a prefix of another, the longer comes first.
const OPERATORS: [(&str, Operator); 7] = [
    ("!=", Operator::IsNot),
    ("<=", Operator::LessOrIs),
    (">=", Operator::GreaterOrIs),
    ("=", Operator::Is),
    ("~", Operator::Contains),
    ("<", Operator::Less),
    (">", Operator::Greater),
];

/// Reason why a condition is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadCondition {
    /// It has no operator, or nothing on one side.
    #[error(
        "invalid condition `{0}`: expected an attribute, an operator (= != ~ < <= > >=) and a value, such as `title~lighthouse`"
    )]
    Form(String),
    /// The schema has no such attribute.
    #[error("there is no attribute `{attribute}`; the attributes are {}", .there.join(", "))]
    Attribute {
        /// The requested attribute.
        attribute: String,
        /// The attributes of the schema.
        there: Vec<String>,
    },
    /// The value is not of the attribute's kind.
    #[error("invalid value `{value}` for `{attribute}`: expected {example}")]
    Value {
        /// The attribute.
        attribute: String,
        /// Its kind.
        kind: String,
        /// The given value.
        value: String,
        /// An example of a valid value.
        example: &'static str,
    },
}

/// A value that can be compared.
enum Typed {
    Moment(DateTime),
    Money(Money),
    Number(Decimal),
    Text(String),
}

impl Condition {
    /// Reads a condition.
    pub fn parse(written: &str) -> Result<Self, BadCondition> {
        let bad = || BadCondition::Form(written.to_owned());
        let at = written.find(['=', '!', '~', '<', '>']).ok_or_else(bad)?;
        let (attribute, rest) = written.split_at(at);
        let found = OPERATORS.iter().find(|(sign, _)| rest.starts_with(sign));
        let (sign, operator) = found.ok_or_else(bad)?;
        let (attribute, wanted) = (attribute.trim(), rest[sign.len()..].trim());
        if attribute.is_empty() || wanted.is_empty() {
            return Err(bad());
        }
        Ok(Self {
            attribute: attribute.to_owned(),
            operator: *operator,
            wanted: wanted.to_owned(),
        })
    }

    /// Returns an error if the condition does not fit the schema.
    pub fn check(&self, schema: &[Attribute]) -> Result<(), BadCondition> {
        let Some(attribute) = schema.iter().find(|attribute| attribute.name == self.attribute) else {
            return Err(BadCondition::Attribute {
                attribute: self.attribute.clone(),
                there: schema.iter().map(|attribute| attribute.name.clone()).collect(),
            });
        };
        if self.operator == Operator::Contains || typed(&attribute.kind, &self.wanted).is_some() {
            return Ok(());
        }
        Err(BadCondition::Value {
            attribute: self.attribute.clone(),
            kind: attribute.kind.to_string(),
            value: self.wanted.clone(),
            example: example(&attribute.kind),
        })
    }

    /// Returns true if a record meets the condition.
    pub fn holds(&self, schema: &[Attribute], record: &Record) -> bool {
        let Some(attribute) = schema.iter().find(|attribute| attribute.name == self.attribute) else {
            return false;
        };
        let mut values = record.all(&self.attribute);
        match self.operator {
            Operator::Contains => {
                let wanted = text::fold(&self.wanted);
                values.any(|value| text::fold(value).contains(&wanted))
            }
            Operator::IsNot => !values.any(|value| self.fits(Operator::Is, &attribute.kind, value)),
            operator => values.any(|value| self.fits(operator, &attribute.kind, value)),
        }
    }

    fn fits(&self, operator: Operator, kind: &Kind, value: &str) -> bool {
        let (Some(value), Some(wanted)) = (typed(kind, value), typed(kind, &self.wanted)) else {
            return false;
        };
        let Some((start, end)) = compare(&value, &wanted) else {
            return false;
        };
        match operator {
            Operator::Is | Operator::IsNot | Operator::Contains => start.is_ge() && end.is_le(),
            Operator::Less => start.is_lt(),
            Operator::LessOrIs => end.is_le(),
            Operator::Greater => end.is_gt(),
            Operator::GreaterOrIs => start.is_ge(),
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = OPERATORS.iter().find(|(_, operator)| *operator == self.operator);
        let sign = sign.map_or("=", |(sign, _)| sign);
        write!(f, "{}{sign}{}", self.attribute, self.wanted)
    }
}

/// Returns the host of a site as people name it, with its port and in lower case: `Example.org`, or
/// any URL on it.
pub fn named_host(site: &str) -> String {
    let rest = site.split_once("://").map_or(site, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    host.to_ascii_lowercase()
}

/// Returns true if a page belongs to a site: to the named host, with `www.` or without, or to a
/// subdomain.
pub fn matches_site(url: &str, site: &str) -> bool {
    let named = named_host(site);
    let named = named.strip_prefix("www.").unwrap_or(&named);
    let Ok(url) = Url::parse(url) else { return false };
    let host = url.host_str().unwrap_or_default();
    let with_port = url.port().map(|port| format!("{host}:{port}"));
    let below = host
        .strip_suffix(named)
        .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    !named.is_empty() && (below || with_port.as_deref() == Some(named))
}

/// Returns the magnitude of a value for comparisons, unless it is text.
pub fn magnitude(kind: &Kind, value: &str) -> Option<f64> {
    match typed(kind, value)? {
        // Seconds of all years that are written are exact in it.
        Typed::Moment(moment) => Some(moment.to_unix(0) as f64),
        Typed::Money(money) => Some(money.amount().to_f64()),
        Typed::Number(number) => Some(number.to_f64()),
        Typed::Text(_) => None,
    }
}

/// Parses a moment as people write it: a date, or an age such as `36h`, `7d` or `2w`.
pub fn moment(written: &str, now: Timestamp) -> Option<Timestamp> {
    const HOUR: u64 = 3_600;
    if let Some(date) = date::parse_iso(written) {
        return Some(Timestamp::from_seconds(date.to_unix(0)));
    }
    let (count, unit) = written.split_at_checked(written.len().checked_sub(1)?)?;
    let unit = match unit {
        "h" => HOUR,
        "d" => 24 * HOUR,
        "w" => 7 * 24 * HOUR,
        _ => return None,
    };
    let count = u64::from(count.parse::<u32>().ok()?);
    Some(now - Duration::from_secs(count * unit))
}

/// Compares a value with the start and the end of the wanted range: a day has both.
fn compare(value: &Typed, wanted: &Typed) -> Option<(Ordering, Ordering)> {
    let same = |order| Some((order, order));
    match (value, wanted) {
        (Typed::Moment(value), Typed::Moment(wanted)) => {
            // Times of unknown zone are compared as they are written.
            let at = value.to_unix(0);
            Some((at.cmp(&wanted.to_unix(0)), at.cmp(&wanted.end_unix(0))))
        }
        (Typed::Money(value), Typed::Money(wanted)) => {
            let other = |wanted| value.currency().is_some_and(|currency| currency != wanted);
            if wanted.currency().is_some_and(other) {
                return None;
            }
            let upto = wanted.upto().unwrap_or(wanted.amount());
            Some((value.amount().cmp(&wanted.amount()), value.amount().cmp(&upto)))
        }
        (Typed::Number(value), Typed::Number(wanted)) => same(value.cmp(wanted)),
        (Typed::Text(value), Typed::Text(wanted)) => same(value.cmp(wanted)),
        _ => None,
    }
}

fn typed(kind: &Kind, value: &str) -> Option<Typed> {
    Some(match kind {
        Kind::DateTime => Typed::Moment(date::parse_iso(value)?),
        Kind::Money => Typed::Money(value.parse().ok()?),
        Kind::Number => Typed::Number(number::parse(value).ok()?),
        Kind::Rating => Typed::Number(number::parse_rating(value).ok()?.value()),
        Kind::Duration => {
            let seconds = date::parse_duration(value)?.seconds();
            Typed::Number(Decimal::new(i128::from(seconds), 0)?)
        }
        // People leave out the hyphens, or put them elsewhere.
        Kind::Identifier(_) => Typed::Text(
            value
                .chars()
                .filter(|c| c.is_alphanumeric())
                .flat_map(char::to_uppercase)
                .collect(),
        ),
        _ => Typed::Text(text::fold(value)),
    })
}

fn example(kind: &Kind) -> &'static str {
    match kind {
        Kind::DateTime => "a date such as 2026, 2026-06, 2026-06-01 or 2026-06-01T19:30",
        Kind::Money => "an amount such as 12.50 or 12.50 EUR",
        Kind::Rating => "a rating such as 4.5/5",
        Kind::Duration => "a duration such as PT1H30M or 90 min",
        _ => "a number such as 42 or 4.5",
    }
}

#[cfg(test)]
mod tests {
    use magpie_model::RecordValue;

    use super::*;

    fn schema() -> Vec<Attribute> {
        let attribute = |name: &str, kind: &str| Attribute {
            name: name.to_owned(),
            kind: Kind::from(kind.to_owned()),
            label: name.to_owned(),
            required: false,
            repeated: false,
            identifies: false,
            query: false,
            expires: false,
            schema_org: None,
            weight: 1.0,
        };
        vec![
            attribute("title", "text"),
            attribute("start", "date-time"),
            attribute("price", "money"),
            attribute("pages", "number"),
            attribute("isbn", "identifier:isbn"),
        ]
    }

    fn record() -> Record {
        let value = |(attribute, value): (&str, &str)| RecordValue {
            attribute: attribute.to_owned(),
            value: value.to_owned(),
            raw: None,
            node: None,
            repeated: false,
        };
        let values = [
            ("title", "The Lighthouse Keeper's Été"),
            ("start", "2026-05-03T19:30"),
            ("price", "12.50 EUR"),
            ("pages", "320"),
            ("isbn", "9780306406157"),
        ];
        Record {
            values: values.map(value).into(),
            ..Record::default()
        }
    }

    #[test]
    fn values_are_compared_as_what_they_are() {
        for (written, expected) in [
            ("title~lighthouse", true),
            ("title~ETE", true),
            ("title=the lighthouse keeper's ete", true),
            ("title=lighthouse", false),
            ("start=2026-05-03", true),
            ("start=2026-05", true),
            ("start=2026-05-04", false),
            ("start!=2026-05-04", true),
            ("start<2026-05-04", true),
            ("start<2026-05-03", false),
            ("start<=2026-05-03", true),
            ("start>2026-05-03", false),
            ("start>=2026-05-03", true),
            ("start>2026-04", true),
            ("price<20", true),
            ("price<9.99", false),
            ("price=12.5 EUR", true),
            ("price=12.50 USD", false),
            ("pages>99", true),
            ("pages<1000", true),
            ("isbn=978-0-306-40615-7", true),
            ("isbn!=978-0-306-40615-7", false),
        ] {
            let condition = Condition::parse(written).unwrap();
            assert_eq!(condition.check(&schema()), Ok(()), "{written}");
            assert_eq!(condition.holds(&schema(), &record()), expected, "{written}");
            assert_eq!(condition.to_string(), written);
        }
    }

    #[test]
    fn what_makes_no_sense_is_told() {
        let problem = |written: &str| {
            let condition = Condition::parse(written)?;
            condition.check(&schema())
        };
        assert!(
            problem("title")
                .unwrap_err()
                .to_string()
                .starts_with("invalid condition `title`")
        );
        assert!(problem("=x").is_err() && problem("title=").is_err() && problem("title!x").is_err());
        assert_eq!(
            problem("author=x").unwrap_err().to_string(),
            "there is no attribute `author`; the attributes are title, start, price, pages, isbn"
        );
        assert_eq!(
            problem("start<soon").unwrap_err().to_string(),
            "invalid value `soon` for `start`: expected a date such as 2026, 2026-06, 2026-06-01 or 2026-06-01T19:30"
        );
    }

    #[test]
    fn moments_are_dates_or_so_long_ago() {
        let now = 1_800_000_000_000;
        for (written, expected) in [
            ("2026-05-03", Some(1_777_766_400_000)),
            ("2026-05-03T01:00", Some(1_777_770_000_000)),
            ("36h", Some(now - 129_600_000)),
            ("7d", Some(now - 604_800_000)),
            ("2w", Some(now - 1_209_600_000)),
            ("d", None),
            ("-1d", None),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(
                moment(written, Timestamp::from_millis(now)),
                expected.map(Timestamp::from_millis),
                "{written}"
            );
        }
    }

    #[test]
    fn a_site_is_its_host_and_those_below() {
        for (url, site, expected) in [
            ("https://www.example.org/a", "example.org", true),
            ("https://example.org/a", "https://example.org/", true),
            ("https://example.org/a", "www.Example.org", true),
            ("https://notexample.org/a", "example.org", false),
            ("http://127.0.0.1:8080/a", "127.0.0.1:8080", true),
            ("http://127.0.0.1:8080/a", "127.0.0.1", true),
            ("https://example.org/a", "", false),
        ] {
            assert_eq!(matches_site(url, site), expected, "{url} {site}");
        }
    }
}
