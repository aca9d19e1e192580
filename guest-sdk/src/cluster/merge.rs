//! Merging several records to one object.

use magpie_values::kind::{self, Comparison};
use magpie_values::text;

use super::Values;
use super::normal::{canonical, time};
use crate::bindings::clusters::{Choice, Merged};
use crate::record::Record;

/// Maximum number of values in a label; more would not fit a line.
const LABEL_VALUES: usize = 3;

/// Label of an object in a list: the values that identify it, or else its first ones. Identifiers
/// are only used if there is nothing else, because people do not know objects by them.
pub fn label<R: Record>(record: &R) -> String {
    let values = Values::of(record);
    let label_values = |identifies: bool| -> Vec<&str> {
        let candidates = (R::SCHEMA.iter().enumerate())
            .filter(|(_, attribute)| attribute.identifies == identifies)
            .filter(|(_, attribute)| {
                let meaning = kind::comparison(attribute.kind);
                meaning.is_of_names() || meaning == Comparison::Time
            });
        candidates
            .filter_map(|(index, _)| values.first(index))
            .take(LABEL_VALUES)
            .collect()
    };
    let mut parts = label_values(true);
    if parts.is_empty() {
        parts = label_values(false);
    }
    if parts.is_empty() {
        parts = (0..R::SCHEMA.len())
            .filter_map(|index| values.first(index))
            .take(1)
            .collect();
    }
    parts.join(", ")
}

/// Chooses for each attribute the value that most records support; among those, the longest. A day
/// supports each time on it, so that many lists without hours do not outvote the page that has
/// them.
pub fn merge<R: Record>(records: &[R], label: impl Fn(&R) -> String) -> Merged {
    let values: Vec<Values<'_>> = records.iter().map(Values::of).collect();
    let mut keep = Vec::new();
    let mut labelled = 0;
    for (index, attribute) in R::SCHEMA.iter().enumerate() {
        let Some(source) = best(&values, index, kind::comparison(attribute.kind)) else {
            continue;
        };
        // The first attribute is the one that a person reads first, so the record with its best
        // value gives the label.
        if index == 0 {
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

/// Index of the record with the best value of an attribute; the first one among equals.
fn best(values: &[Values<'_>], index: usize, meaning: Comparison<'_>) -> Option<usize> {
    let all_normalized: Vec<Option<String>> = values
        .iter()
        .map(|values| normalized(values, index, meaning))
        .collect();
    let supports = |other: &str, normalized: &str| match meaning {
        Comparison::Time => normalized.starts_with(other),
        _ => normalized == other,
    };
    let votes = |normalized: &String| {
        all_normalized
            .iter()
            .flatten()
            .filter(|other| supports(other, normalized))
            .count()
    };
    let rank = |source: usize| {
        let normalized = all_normalized[source].as_ref()?;
        let length: usize = values[source].all(index).iter().map(|value| value.len()).sum();
        Some((votes(normalized), length))
    };
    let ranked = (0..values.len()).filter_map(|source| Some((rank(source)?, source)));
    ranked
        // Without the reversed index, the last of several equal records would win.
        .max_by_key(|(rank, source)| (*rank, std::cmp::Reverse(*source)))
        .map(|(_, source)| source)
}

/// Normalised form of an attribute's values, shared by all spellings; `None` if there are none.
fn normalized(values: &Values<'_>, index: usize, meaning: Comparison<'_>) -> Option<String> {
    let single = |text: &str| match meaning {
        meaning if meaning.is_of_names() => text::bare(text),
        Comparison::Time => time(text).map_or_else(|| text.to_owned(), |time| time.to_string()),
        Comparison::Identifier(scheme) => canonical(scheme, text).unwrap_or_else(|| text.to_owned()),
        _ => text.trim().to_lowercase(),
    };
    let all = values.all(index);
    (!all.is_empty()).then(|| {
        all.iter()
            .map(|value| single(value))
            .collect::<Vec<_>>()
            .join("\n")
    })
}
