//! Suggestions for corrections.

use magpie_model::{Attribute, Kind, VerticalInfo};
use magpie_values::similarity::damerau_similarity;
use serde_json::json;

/// Longer names are no slips of the pen, and the comparison costs the product of the lengths.
const MAX_NAME_LEN: usize = 64;
/// Two letters of six may be wrong.
const MIN_LIKENESS: f64 = 0.66;

/// A complete moment, as an example.
pub(super) const MOMENT: &str = "2026-05-03T19:30";

/// Returns the attribute that was probably meant: with another case or dashes, by its label, or
/// with a typo.
pub(super) fn nearest<'a>(vertical: &'a VerticalInfo, name: &str) -> Option<&'a Attribute> {
    if name.len() > MAX_NAME_LEN {
        return None;
    }
    let wanted = letters(name);
    let likeness = |attribute: &Attribute| {
        let by_label = letters(&attribute.label) == wanted && !wanted.is_empty();
        let by_name = damerau_similarity(&letters(&attribute.name), &wanted);
        // A label is enough, but an attribute with a nearer name is preferred.
        if by_label {
            by_name.max(MIN_LIKENESS)
        } else {
            by_name
        }
    };
    let near = vertical
        .attributes
        .iter()
        .map(|attribute| (likeness(attribute), attribute));
    near.filter(|(likeness, attribute)| *likeness >= MIN_LIKENESS && attribute.name.len() <= MAX_NAME_LEN)
        // The first of equals.
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
        .map(|(_, attribute)| attribute)
}

/// An object of the vertical as one could write it: what is required, and what helps a query.
pub(super) fn object(vertical: &VerticalInfo) -> String {
    let wanted = |attribute: &&Attribute| attribute.required || attribute.query || attribute.identifies;
    let pairs: Vec<String> = vertical
        .attributes
        .iter()
        .filter(wanted)
        .map(|attribute| format!("{}: {}", json!(attribute.name), example(&attribute.kind)))
        .collect();
    format!("{{{}}}", pairs.join(", "))
}

/// Describes the values of a kind, with an example.
pub(super) fn takes(kind: &Kind) -> String {
    let noun = kind.facts().noun;
    let noun = match kind {
        Kind::Identifier(scheme) => format!("{noun} of the scheme {scheme}"),
        _ => noun.to_owned(),
    };
    match example(kind) {
        ANY_TEXT => noun,
        example => format!("{noun} such as {example}"),
    }
}

/// Example of a kind whose values can be any text.
const ANY_TEXT: &str = "\"…\"";

/// A value of a kind as JSON.
pub(super) fn example(kind: &Kind) -> &'static str {
    let example = match kind {
        Kind::Identifier(scheme) => match scheme.as_str() {
            "isbn" => "\"9780306406157\"",
            "issn" => "\"2049-3630\"",
            "gtin" => "\"4006381333931\"",
            "doi" => "\"10.1000/182\"",
            _ => "",
        },
        _ => kind.facts().example,
    };
    if example.is_empty() { ANY_TEXT } else { example }
}

/// A name without what people write otherwise.
fn letters(name: &str) -> String {
    name.to_lowercase().replace(['-', '_', ' '], "")
}

#[cfg(test)]
mod tests {
    use magpie_model::{Field, Object, PageContext, Value, check};

    use super::*;

    /// Suggested values are accepted.
    #[test]
    fn every_example_is_a_value_of_its_kind() {
        let kinds = magpie_values::kind::KINDS.map(|facts| Kind::from(facts.name.to_owned()));
        let kinds = kinds.into_iter().chain([Kind::Unknown("colour".to_owned())]);
        let schemes = ["isbn", "issn", "gtin", "doi", "shelf"];
        let schemes = schemes
            .iter()
            .map(|scheme| Kind::Identifier((*scheme).to_owned()));
        for kind in kinds.into_iter().chain(schemes) {
            let info = VerticalInfo {
                attributes: vec![attribute(kind.clone())],
                ..VerticalInfo::default()
            };
            let value = match serde_json::from_str(example(&kind)).unwrap() {
                serde_json::Value::String(text) => Value::Text(text),
                other => Value::Json(other),
            };
            let object = Object {
                schema_type: String::new(),
                confidence: 1.0,
                fields: vec![Field {
                    path: "a".to_owned(),
                    value,
                    node: None,
                }],
            };
            let checked = check(&info, &object, &PageContext::default());
            assert_eq!(checked.violations, [], "{kind}");
        }
    }

    #[test]
    fn the_moment_is_the_example_of_moments() {
        assert_eq!(example(&Kind::DateTime), format!("{MOMENT:?}"));
    }

    fn attribute(kind: Kind) -> Attribute {
        Attribute {
            label: String::new(),
            required: true,
            ..Attribute::new("a", kind)
        }
    }
}
