//! An object as linked data (JSON-LD), by the semantic kinds of its attributes.

use magpie_model::{Attribute, Kind};
use magpie_store::ObjectDetail;
use magpie_values::money::{self, MoneyContext};
use serde_json::{Map, Value, json};

use crate::href::Href;

/// Returns an object as JSON-LD of schema.org.
pub(super) fn data(detail: &ObjectDetail, attributes: &[Attribute]) -> Value {
    let record = &detail.object.record;
    let mut data = Map::new();
    data.insert("@context".to_owned(), json!("https://schema.org"));
    data.insert("@type".to_owned(), json!(record.object_type));
    data.insert("name".to_owned(), json!(detail.object.label));
    for attribute in attributes {
        let Some(value) = record.get(&attribute.name) else {
            continue;
        };
        let (name, value) = match &attribute.kind {
            Kind::Money => match offer(value) {
                Some(offer) => ("offers", offer),
                None => continue,
            },
            Kind::Identifier(scheme) if scheme == "isbn" => ("isbn", json!(value)),
            Kind::Identifier(scheme) if scheme == "gtin" => ("gtin", json!(value)),
            Kind::Language => ("inLanguage", json!(value)),
            _ => continue,
        };
        data.entry(name).or_insert(value);
    }
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

fn offer(value: &str) -> Option<Value> {
    let money = money::parse(value, &MoneyContext::default())?;
    Some(json!({
        "@type": "Offer", "price": money.amount().to_string(),
        "priceCurrency": money.currency().map(|currency| currency.code().to_owned()),
    }))
}

/// Returns JSON as it may stand in a script element of a page: nothing in it ends the element.
pub(super) fn in_page(data: &Value) -> String {
    data.to_string()
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_the_script_element() {
        let data = json!({"name": "</script><script>alert(1)</script><!--"});
        let text = in_page(&data);
        assert!(!text.contains('<') && !text.contains('>'), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), data);
    }
}
