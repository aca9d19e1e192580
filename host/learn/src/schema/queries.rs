//! What to ask a search engine for an object, by the schema alone.

use magpie_model::{Attribute, Kind, Query, Record, VerticalInfo};
use magpie_values::text;

use super::plan;

/// Identifiers asked for.
const MOST_IDENTIFIERS: usize = 2;
/// Values that go with the name.
const MOST_DISCRIMINATORS: usize = 3;
/// Search engines look at a few dozen words at most, and long names are seldom quoted in full.
const MOST_WORDS: usize = 10;
/// Of a place, the name and the town; of a person, the name.
const MOST_WORDS_EACH: usize = 5;

/// Queries for a record, the most telling first: identifiers, the name in quotes with what tells
/// objects of that name apart, and the same words loosely.
///
/// Dates are left out: every site writes them otherwise.
pub fn queries(info: &VerticalInfo, record: &Record) -> Vec<Query> {
    let mut queries = identifiers(info, record);
    let naming = plan::naming(&info.attributes).map(|place| &info.attributes[place]);
    let name = naming
        .and_then(|attribute| record.get(&attribute.name))
        .map(|name| clipped(name, MOST_WORDS));
    let Some(name) = name.filter(|name| !name.is_empty()) else {
        return queries;
    };
    let beside =
        |attribute: &&Attribute| attribute.query && naming.is_none_or(|name| name.name != attribute.name);
    let discriminators: Vec<String> = info
        .attributes
        .iter()
        .filter(beside)
        .filter(|attribute| has_words(&attribute.kind))
        .filter_map(|attribute| record.get(&attribute.name))
        .map(|value| clipped(value, MOST_WORDS_EACH))
        .filter(|value| !value.is_empty())
        .take(MOST_DISCRIMINATORS)
        .collect();
    let rest: String = discriminators.iter().map(|value| format!(" {value}")).collect();
    push(&mut queries, format!("\"{name}\"{rest}"), "exact");
    push(&mut queries, format!("{name}{rest}"), "loose");
    queries
}

fn identifiers(info: &VerticalInfo, record: &Record) -> Vec<Query> {
    let mut queries = Vec::new();
    let asked = |attribute: &&Attribute| {
        matches!(attribute.kind, Kind::Identifier(_)) && (attribute.query || attribute.identifies)
    };
    for attribute in info.attributes.iter().filter(asked) {
        for value in record.all(&attribute.name) {
            if queries.len() < MOST_IDENTIFIERS {
                push(&mut queries, clipped(value, MOST_WORDS), "identifier");
            }
        }
    }
    queries
}

/// Whether a value of the kind is words that pages about the object have too.
fn has_words(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Text | Kind::Person | Kind::Organisation | Kind::Place | Kind::Unknown(_)
    )
}

/// The first words, without what a search engine would take for its own signs.
fn clipped(value: &str, words: usize) -> String {
    let plain: String = value
        .chars()
        .map(|one| {
            if matches!(one, '"' | '“' | '”' | '„') {
                ' '
            } else {
                one
            }
        })
        .collect();
    let tidy = text::tidy(&plain);
    tidy.split(' ')
        .take(words)
        .collect::<Vec<_>>()
        .join(" ")
        .trim_end_matches([',', ';', ':', '-'])
        .to_owned()
}

fn push(queries: &mut Vec<Query>, text: String, purpose: &str) {
    if !text.is_empty() && queries.iter().all(|query| query.text != text) {
        queries.push(Query {
            text,
            purpose: purpose.to_owned(),
        });
    }
}
