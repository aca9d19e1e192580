//! Queries to a search engine for an object, by what the schema says of its attributes.
//!
//! ```
//! use magpie_values::query::{Attribute, Meaning, queries};
//!
//! let attribute = |meaning, value| Attribute {
//!     meaning,
//!     identifies: true,
//!     query: true,
//!     weight: 1.0,
//!     values: vec![value],
//! };
//! let play = [
//!     attribute(Meaning::Text, "The Tempest"),
//!     attribute(Meaning::Time, "2026-05-03T19:30"),
//!     attribute(Meaning::Name, "Old Mill"),
//! ];
//! assert_eq!(queries(&play)[0].text, "\"The Tempest\" 2026 Old Mill");
//! ```

use crate::date::{self, DateContext};
use crate::identifier::{self, Scheme};
use crate::kind::Comparison;
use crate::text;

/// Identifiers asked for.
const MAX_IDENTIFIERS: usize = 2;

/// Values that go with the name.
const MAX_DISCRIMINATORS: usize = 3;

/// Words of a name. Search engines look at a few dozen words, and long names are seldom quoted in
/// full.
const MAX_WORDS: usize = 10;

/// Words of a discriminator: the name and the town of a place, the name of a person.
const MAX_WORDS_EACH: usize = 5;

/// The meaning of an attribute's values, as far as queries depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Words.
    Text,
    /// The name of a person, an organisation or a place.
    Name,
    /// A date or time.
    Time,
    /// An identifier of a scheme.
    Identifier(Scheme),
    /// Anything else. It is never asked for.
    Other,
}

impl From<Comparison<'_>> for Meaning {
    fn from(comparison: Comparison<'_>) -> Self {
        match comparison {
            Comparison::Words => Self::Text,
            Comparison::Identifier(scheme) => Self::Identifier(Scheme::parse(scheme)),
            Comparison::Time => Self::Time,
            _ if comparison.is_of_names() => Self::Name,
            _ => Self::Other,
        }
    }
}

/// An attribute of an object with its values.
#[derive(Clone, Debug)]
pub struct Attribute<'a> {
    /// The meaning of its values.
    pub meaning: Meaning,
    /// Objects that differ in it are hardly the same.
    pub identifies: bool,
    /// Its value helps a search engine.
    pub query: bool,
    /// Its weight in comparisons.
    pub weight: f64,
    /// Its values.
    pub values: Vec<&'a str>,
}

/// A query to a search engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// The words to ask.
    pub text: String,
    /// Its purpose: `identifier`, `exact` or `loose`.
    pub purpose: &'static str,
}

/// Returns the place of the attribute that names an object: the first identifying text, else the
/// first identifying name, else the first text of any weight. Each attribute is its meaning,
/// `identifies` and its weight.
pub fn naming(attributes: impl IntoIterator<Item = (Meaning, bool, f64)>) -> Option<usize> {
    let rank = |(place, (meaning, identifies, weight)): (usize, (Meaning, bool, f64))| {
        let rank = match (meaning, identifies) {
            (Meaning::Text, true) => 0,
            (Meaning::Name, true) => 1,
            (Meaning::Text, false) => 2,
            _ => return None,
        };
        (weight > 0.0).then_some((rank, place))
    };
    let ranked = attributes.into_iter().enumerate().filter_map(rank);
    Some(ranked.min()?.1)
}

/// Returns queries for an object, the most specific first: its identifiers, its name in quotes with
/// the values that distinguish objects of that name, and the same words without quotes.
///
/// A time that the schema marks with `query` gives its year: it distinguishes the rounds of a
/// festival, and every site writes days in another way.
pub fn queries(attributes: &[Attribute<'_>]) -> Vec<Query> {
    let mut queries = Vec::new();
    for text in identifiers(attributes) {
        push(&mut queries, text, "identifier");
    }
    queries.truncate(MAX_IDENTIFIERS);
    let kinds = attributes
        .iter()
        .map(|attribute| (attribute.meaning, attribute.identifies, attribute.weight));
    let naming = naming(kinds);
    let name = naming.and_then(|place| clipped(attributes[place].values.first()?, MAX_WORDS));
    let Some(name) = name else {
        return queries;
    };
    let beside = attributes
        .iter()
        .enumerate()
        .filter(|(place, attribute)| attribute.query && Some(*place) != naming);
    let rest: String = beside
        .filter_map(|(_, attribute)| discriminator(attribute))
        .take(MAX_DISCRIMINATORS)
        .map(|value| format!(" {value}"))
        .collect();
    push(&mut queries, format!("\"{name}\"{rest}"), "exact");
    push(&mut queries, format!("{name}{rest}"), "loose");
    queries
}

fn identifiers<'a>(attributes: &'a [Attribute<'_>]) -> impl Iterator<Item = String> + 'a {
    let asked = attributes
        .iter()
        .filter(|attribute| attribute.query || attribute.identifies);
    asked.flat_map(|attribute| {
        let normal = |value: &&str| match attribute.meaning {
            // A shop's own number means nothing to other sites.
            Meaning::Identifier(Scheme::Sku) => None,
            Meaning::Identifier(scheme) => identifier::normalise(scheme, value).ok(),
            _ => None,
        };
        attribute.values.iter().filter_map(normal)
    })
}

fn discriminator(attribute: &Attribute<'_>) -> Option<String> {
    let value = attribute.values.first()?;
    match attribute.meaning {
        Meaning::Text | Meaning::Name => clipped(value, MAX_WORDS_EACH),
        Meaning::Time => {
            let time = date::parse_iso(value).or_else(|| date::parse(value, &DateContext::default()));
            let time = time.filter(|time| time.has_year());
            time.map(|time| time.date().year().to_string())
        }
        Meaning::Identifier(_) | Meaning::Other => None,
    }
}

/// Returns the first words, without the characters that a search engine takes for its own signs;
/// none if no word is left.
fn clipped(value: &str, words: usize) -> Option<String> {
    let plain: String = value
        .chars()
        .map(|one| match one {
            '"' | '“' | '”' | '„' => ' ',
            other => other,
        })
        .collect();
    let tidy = text::tidy(&plain);
    let words: Vec<&str> = tidy.split(' ').take(words).collect();
    let text = words.join(" ");
    let text = text.trim_end_matches([',', ';', ':', '-']).trim_end();
    (!text.is_empty()).then(|| text.to_owned())
}

fn push(queries: &mut Vec<Query>, text: String, purpose: &'static str) {
    // A name without anything beside it may give the same text twice, and each query costs.
    if queries.iter().all(|query| query.text != text) {
        queries.push(Query { text, purpose });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attribute(meaning: Meaning, values: &[&'static str]) -> Attribute<'static> {
        Attribute {
            meaning,
            identifies: true,
            query: true,
            weight: 1.0,
            values: values.to_vec(),
        }
    }

    fn texts(attributes: &[Attribute<'_>]) -> Vec<String> {
        queries(attributes).into_iter().map(|query| query.text).collect()
    }

    #[test]
    fn numbers_of_a_shop_and_values_that_do_not_help_are_left_out() {
        let mut attributes = [
            attribute(Meaning::Identifier(Scheme::Sku), &["4711"]),
            attribute(Meaning::Identifier(Scheme::Isbn), &["0-306-40615-2", "wrong"]),
            attribute(Meaning::Text, &["The \"Tempest\", and more,"]),
            attribute(Meaning::Time, &["1611-11-01"]),
            attribute(Meaning::Name, &["William Shakespeare"]),
        ];
        let expected = [
            "9780306406157",
            "\"The Tempest , and more\" 1611 William Shakespeare",
            "The Tempest , and more 1611 William Shakespeare",
        ];
        assert_eq!(texts(&attributes), expected);
        attributes[3].query = false;
        attributes[4].query = false;
        assert_eq!(
            texts(&attributes)[1..],
            ["\"The Tempest , and more\"", "The Tempest , and more"]
        );
        attributes[2].values.clear();
        assert_eq!(texts(&attributes), ["9780306406157"], "an object without a name");
    }
}
