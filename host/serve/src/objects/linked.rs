//! An object as linked data (JSON-LD of schema.org).
//!
//! The vertical names the property of schema.org for the values of an attribute, as a path from
//! the object such as `offers.price`; an attribute without one is left out. The semantic kind
//! decides how a value is written. No vertical is known here.

use magpie_model::{Attribute, Kind};
use magpie_rows::ObjectDetail;
use magpie_values::coordinates;
use magpie_values::kind::Shape;
use magpie_values::money::{self, MoneyContext};
use magpie_values::number::parse_rating;
use serde_json::{Map, Value, json};

use crate::href::Href;

/// The longest path of properties. Those of schema.org have two or three.
const MAX_PATH: usize = 5;

/// Values of an attribute that are written.
const MAX_VALUES: usize = 50;

/// Types of the things that properties of schema.org lead to. Others are written without a type,
/// which JSON-LD allows.
const TYPES: [(&str, &str); 11] = [
    ("address", "PostalAddress"),
    ("aggregateRating", "AggregateRating"),
    ("author", "Person"),
    ("brand", "Brand"),
    ("geo", "GeoCoordinates"),
    ("hiringOrganization", "Organization"),
    ("location", "Place"),
    ("offers", "Offer"),
    ("organizer", "Organization"),
    ("performer", "PerformingGroup"),
    ("publisher", "Organization"),
];

type Node = Map<String, Value>;

/// Returns an object as JSON-LD of schema.org.
pub(super) fn data(detail: &ObjectDetail, attributes: &[Attribute]) -> Value {
    let record = &detail.object.record;
    let mut data = Node::new();
    data.insert("@context".to_owned(), json!("https://schema.org"));
    data.insert("@type".to_owned(), json!(record.object_type));
    for attribute in attributes {
        let Some(path) = &attribute.schema_org else {
            continue;
        };
        let values = record.all(&attribute.name).take(MAX_VALUES);
        let values: Vec<Node> = values
            .filter_map(|value| properties(path.rsplit('.').next()?, &attribute.kind, value))
            .collect();
        insert(&mut data, path, values);
    }
    data.entry("name").or_insert_with(|| json!(detail.object.label));
    let pages = detail.members.iter().filter(|member| member.current);
    let mut pages: Vec<&str> = pages
        .map(|member| member.url.as_str())
        .filter(|url| Href::outside(url).is_some())
        .collect();
    pages.sort_unstable();
    pages.dedup();
    data.insert("sameAs".to_owned(), json!(pages));
    Value::Object(data)
}

/// Returns the properties that a value makes: mostly one, of the last name of its path. `None` if
/// the value can't be written as its kind.
fn properties(name: &str, kind: &Kind, value: &str) -> Option<Node> {
    let value = match kind.shape() {
        Shape::Amount => return price(name, value),
        Shape::Rating => {
            let rating = parse_rating(value).ok()?;
            let best = rating.best().map(|best| best.to_string());
            json!({"@type": "AggregateRating", "ratingValue": rating.value().to_string(), "bestRating": best})
        }
        Shape::Point => {
            let point = coordinates::parse(value).ok()?;
            json!({"@type": "GeoCoordinates", "latitude": point.latitude(), "longitude": point.longitude()})
        }
        Shape::Address => json!(Href::outside(value)?.address),
        Shape::Truth => json!(value == "true"),
        Shape::Number => {
            let number = value.parse::<f64>().ok().filter(|number| number.is_finite());
            number.map_or_else(|| json!(value), |_| number_json(value))
        }
        Shape::Object => return None,
        Shape::Text | Shape::Code | Shape::Moment | Shape::Span => json!(value),
    };
    Some(Node::from_iter([(name.to_owned(), value)]))
}

/// Returns a number with the digits that it has.
fn number_json(text: &str) -> Value {
    serde_json::from_str(text)
        .ok()
        .filter(Value::is_number)
        .unwrap_or_else(|| json!(text))
}

/// Returns the properties of a price, or of a range of prices.
fn price(name: &str, value: &str) -> Option<Node> {
    let money = money::parse(value, &MoneyContext::default())?;
    let currency = money.currency().map(|currency| currency.code().to_owned());
    let mut node = Node::new();
    match money.upto() {
        None => {
            node.insert("price".to_owned(), json!(money.amount().to_string()));
        }
        Some(upto) => {
            node.insert("@type".to_owned(), json!("AggregateOffer"));
            node.insert("lowPrice".to_owned(), json!(money.amount().to_string()));
            node.insert("highPrice".to_owned(), json!(upto.to_string()));
        }
    }
    node.extend(currency.map(|code| ("priceCurrency".to_owned(), json!(code))));
    if name == "price" {
        return Some(node);
    }
    node.entry("@type").or_insert_with(|| json!("MonetaryAmount"));
    Some(Node::from_iter([(name.to_owned(), Value::Object(node))]))
}

/// Writes the properties of values below the things that a path names. What is there stays.
fn insert(data: &mut Node, path: &str, mut values: Vec<Node>) {
    let names: Vec<&str> = path.split('.').collect();
    let (Some((_, above)), true) = (names.split_last(), names.len() <= MAX_PATH) else {
        return;
    };
    match (values.len(), above) {
        (0, _) => {}
        // Several values are several things: two performers are not one with two names.
        (2.., [thing]) if !data.contains_key(*thing) => {
            values.iter_mut().for_each(|value| add_type(value, thing));
            data.insert((*thing).to_owned(), json!(values));
        }
        (2.., []) => {
            let (name, _) = names.split_last().unwrap_or((&"", &[]));
            let all: Vec<Value> = values.into_iter().flatten().map(|(_, value)| value).collect();
            data.entry(*name).or_insert_with(|| json!(all));
        }
        _ => {
            let Some(first) = values.into_iter().next() else {
                return;
            };
            let mut node = data;
            for thing in above {
                let below = node.entry(*thing).or_insert_with(|| json!({}));
                // A text or a list has no properties.
                let Value::Object(below) = below else { return };
                node = below;
            }
            for (name, value) in first {
                node.entry(name).or_insert(value);
            }
            if let Some(thing) = above.last() {
                add_type(node, thing);
            }
        }
    }
}

/// Names the type of a thing that has none.
fn add_type(node: &mut Node, thing: &str) {
    let found = TYPES.iter().find(|(name, _)| *name == thing);
    if let Some((_, name)) = found {
        node.entry("@type").or_insert_with(|| json!(name));
    }
}

/// Returns JSON that is safe inside a script element: nothing in it ends the element.
pub(super) fn in_page(data: &Value) -> String {
    data.to_string()
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes values of attributes: path, kind and value.
    fn written(values: &[(&str, &str, &[&str])]) -> Value {
        let mut data = Node::new();
        for (path, kind, texts) in values {
            let kind = Kind::from((*kind).to_owned());
            let name = path.rsplit('.').next().unwrap();
            let nodes = texts.iter().filter_map(|text| properties(name, &kind, text));
            insert(&mut data, path, nodes.collect());
        }
        Value::Object(data)
    }

    #[test]
    fn no_text_ends_the_script_element() {
        let data = json!({"name": "</script><script>alert(1)</script><!--"});
        let text = in_page(&data);
        assert!(!text.contains('<') && !text.contains('>'), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), data);
    }

    #[test]
    fn paths_lead_to_things_with_types() {
        let data = written(&[
            ("name", "text", &["Night Music"]),
            ("location.name", "place", &["Old Mill"]),
            ("location.geo", "coordinates", &["52.5,13.4"]),
            ("offers.price", "money", &["12.50 EUR"]),
            ("performer.name", "person", &["Ada", "Ben"]),
            ("aggregateRating", "rating", &["4.2/5"]),
            ("numberOfPages", "number", &["320"]),
        ]);
        assert_eq!(
            data,
            json!({
                "name": "Night Music",
                "location": {
                    "@type": "Place", "name": "Old Mill",
                    "geo": {"@type": "GeoCoordinates", "latitude": 52.5, "longitude": 13.4},
                },
                "offers": {"@type": "Offer", "price": "12.5", "priceCurrency": "EUR"},
                "performer": [
                    {"@type": "PerformingGroup", "name": "Ada"}, {"@type": "PerformingGroup", "name": "Ben"},
                ],
                "aggregateRating": {"@type": "AggregateRating", "ratingValue": "4.2", "bestRating": "5"},
                "numberOfPages": 320,
            })
        );
    }

    #[test]
    fn ranges_of_prices_are_aggregates() {
        let data = written(&[("offers.price", "money", &["10-20 EUR"])]);
        let offers = &data["offers"];
        assert_eq!(offers["@type"], "AggregateOffer", "{data}");
        assert_eq!(
            (&offers["lowPrice"], &offers["highPrice"]),
            (&json!("10"), &json!("20"))
        );
    }

    #[test]
    fn what_does_not_fit_is_left_out() {
        let data = written(&[
            ("url", "url", &["javascript:alert(1)"]),
            ("image", "image", &["https://a.example/x.png"]),
            ("offers", "text", &["cheap"]),
            ("offers.price", "money", &["12 EUR"]),
            ("a.b.c.d.e.f", "text", &["deep"]),
        ]);
        assert_eq!(
            data,
            json!({"image": "https://a.example/x.png", "offers": "cheap"})
        );
    }
}
