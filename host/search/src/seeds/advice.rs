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
    let what = match kind {
        Kind::Text | Kind::Unknown(_) => return "text".to_owned(),
        Kind::Person => "a person's name",
        Kind::Organisation => "an organisation's name",
        Kind::Place => "a place's name or address",
        Kind::Coordinates => "a latitude and longitude",
        Kind::DateTime => "a date or time",
        Kind::Duration => "a duration",
        Kind::Money => "an amount with its currency",
        Kind::Number => "a number",
        Kind::Rating => "a rating with its scale",
        Kind::Boolean => "true or false",
        Kind::Url => "the URL of a page",
        Kind::Image => "the URL of a picture",
        Kind::Language => "a language",
        Kind::Properties => "names with values",
        Kind::Identifier(scheme) => return format!("an identifier of the scheme {scheme}{}", like(kind)),
    };
    format!("{what}{}", like(kind))
}

fn like(kind: &Kind) -> String {
    match example(kind) {
        "\"…\"" => String::new(),
        example => format!(" such as {example}"),
    }
}

/// A value of a kind as JSON.
pub(super) fn example(kind: &Kind) -> &'static str {
    match kind {
        Kind::Text | Kind::Unknown(_) | Kind::Person | Kind::Organisation | Kind::Place => "\"…\"",
        Kind::Coordinates => "\"52.52,13.405\"",
        Kind::DateTime => "\"2026-05-03T19:30\"",
        Kind::Duration => "\"90 min\"",
        Kind::Money => "\"12.50 EUR\"",
        Kind::Number => "249",
        Kind::Rating => "\"4.5/5\"",
        Kind::Boolean => "true",
        Kind::Url => "\"https://example.org/page\"",
        Kind::Image => "\"https://example.org/picture.jpg\"",
        Kind::Language => "\"en\"",
        Kind::Properties => "{\"Weight\": \"5 kg\"}",
        Kind::Identifier(scheme) => match scheme.as_str() {
            "isbn" => "\"9780306406157\"",
            "issn" => "\"2049-3630\"",
            "gtin" => "\"4006381333931\"",
            "doi" => "\"10.1000/182\"",
            _ => "\"…\"",
        },
    }
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
        let kinds = [
            Kind::Text,
            Kind::Person,
            Kind::Organisation,
            Kind::Place,
            Kind::Coordinates,
            Kind::DateTime,
            Kind::Duration,
            Kind::Money,
            Kind::Number,
            Kind::Rating,
            Kind::Boolean,
            Kind::Url,
            Kind::Image,
            Kind::Language,
            Kind::Properties,
            Kind::Unknown("colour".to_owned()),
        ];
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
