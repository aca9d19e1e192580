//! One object out of several.

use super::meaning::{canonical, time};
use super::{Meaning, Values};
use crate::bindings::clusters::{Choice, Merged};
use crate::record::Record;
use magpie_values::text;

/// Values that make a label; more would not fit a line.
const LABEL_VALUES: usize = 3;

/// What to call an object in a list: the values that identify it, or else its first ones.
/// Identifiers are left out unless there is nothing else; nobody knows things by their numbers.
pub fn label<R: Record>(record: &R) -> String {
    let values = Values::of(record);
    let telling = |identifies: bool| -> Vec<&str> {
        let places = (R::SCHEMA.iter().enumerate())
            .filter(|(_, attribute)| attribute.identifies == identifies)
            .filter(|(_, attribute)| {
                let meaning = Meaning::of(attribute.kind);
                meaning.is_name() || meaning == Meaning::Time
            });
        places
            .filter_map(|(place, _)| values.first(place))
            .take(LABEL_VALUES)
            .collect()
    };
    let mut parts = telling(true);
    if parts.is_empty() {
        parts = telling(false);
    }
    if parts.is_empty() {
        parts = (0..R::SCHEMA.len())
            .filter_map(|place| values.first(place))
            .take(1)
            .collect();
    }
    parts.join(", ")
}

/// Takes for each attribute the value that most records share; among those, the one that says most.
pub fn merge<R: Record>(records: &[R], label: impl Fn(&R) -> String) -> Merged {
    let values: Vec<Values<'_>> = records.iter().map(Values::of).collect();
    let mut keep = Vec::new();
    let mut labelled = 0;
    for (place, attribute) in R::SCHEMA.iter().enumerate() {
        let Some(source) = best(&values, place, Meaning::of(attribute.kind)) else {
            continue;
        };
        if place == 0 {
            labelled = source;
        }
        keep.push(Choice {
            path: attribute.name.to_owned(),
            source: source as u32,
        });
    }
    Merged {
        label: records.get(labelled).map(label).unwrap_or_default(),
        keep,
    }
}

/// The record whose value of an attribute is best; the first one among equals.
fn best(values: &[Values<'_>], place: usize, meaning: Meaning<'_>) -> Option<usize> {
    let forms: Vec<Option<String>> = values.iter().map(|values| form(values, place, meaning)).collect();
    let votes = |form: &String| forms.iter().flatten().filter(|other| *other == form).count();
    let rank = |source: usize| {
        let form = forms[source].as_ref()?;
        let length: usize = values[source].all(place).iter().map(|value| value.len()).sum();
        Some((votes(form), length))
    };
    let ranked = (0..values.len()).filter_map(|source| Some((rank(source)?, source)));
    ranked
        .max_by_key(|(rank, source)| (*rank, std::cmp::Reverse(*source)))
        .map(|(_, source)| source)
}

/// What an attribute's values come to, in one form for all spellings; none when there are none.
fn form(values: &Values<'_>, place: usize, meaning: Meaning<'_>) -> Option<String> {
    let single = |text: &str| match meaning {
        meaning if meaning.is_name() => text::bare(text),
        Meaning::Time => time(text).map_or_else(|| text.to_owned(), |time| time.to_string()),
        Meaning::Identifier(scheme) => canonical(scheme, text).unwrap_or_else(|| text.to_owned()),
        _ => text.trim().to_lowercase(),
    };
    let all = values.all(place);
    (!all.is_empty()).then(|| {
        all.iter()
            .map(|value| single(value))
            .collect::<Vec<_>>()
            .join("\n")
    })
}
