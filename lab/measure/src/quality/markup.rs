//! Structured data of a page about its object: the truth of the sets whose truth is the markup.

use magpie_page::Page;
use serde_json::Value;

/// Attributes and their values, in the words of a vertical's schema.
pub(crate) type Values = Vec<(&'static str, String)>;

/// The entities of these types, also where they stand inside of others.
pub(crate) fn entities(page: &Page, types: &[&str]) -> Vec<Value> {
    let mut found = Vec::new();
    for item in page.structured_data() {
        collect(&item.json, types, &mut found);
    }
    found
}

fn collect(value: &Value, types: &[&str], found: &mut Vec<Value>) {
    match value {
        Value::Object(object) => {
            let own = object.get("@type").and_then(Value::as_array);
            if own
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .any(|own| types.contains(&own))
            {
                found.push(value.clone());
            } else {
                object.values().for_each(|inner| collect(inner, types, found));
            }
        }
        Value::Array(all) => all.iter().for_each(|inner| collect(inner, types, found)),
        _ => {}
    }
}

/// The values of a property as text; an entity by its name.
pub(crate) fn texts(entity: &Value, property: &str) -> Vec<String> {
    let values = entity[property].as_array();
    values.into_iter().flatten().filter_map(text).collect()
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        Value::Object(_) => texts(value, "name").into_iter().next(),
        _ => None,
    }
}

fn first(entity: &Value, properties: &[&str]) -> Option<String> {
    properties
        .iter()
        .find_map(|property| texts(entity, property).into_iter().next())
}

/// A product, as the vertical `products` would have it.
pub(crate) fn product(entity: &Value) -> Values {
    let mut values = Values::new();
    let mut put = |name, value: Option<String>| values.extend(value.map(|value| (name, value)));
    put("name", first(entity, &["name"]));
    put("brand", first(entity, &["brand"]));
    put("sku", first(entity, &["sku"]));
    put(
        "gtin",
        first(entity, &["gtin13", "gtin", "gtin12", "gtin14", "gtin8"]),
    );
    put("price", price(entity));
    put("availability", availability(entity));
    values
}

/// The price of all offers: one amount, or from the least to the most.
fn price(entity: &Value) -> Option<String> {
    let mut amounts: Vec<(f64, String)> = Vec::new();
    let mut currency = None;
    for offer in offers(entity) {
        currency = currency.or_else(|| first(offer, &["priceCurrency"]));
        for property in ["price", "lowPrice", "highPrice"] {
            amounts.extend(
                texts(offer, property)
                    .into_iter()
                    .filter_map(|text| Some((text.parse().ok()?, text))),
            );
        }
    }
    amounts.sort_by(|one, other| one.0.total_cmp(&other.0));
    let (least, most) = (amounts.first()?, amounts.last()?);
    let range = if least.0 < most.0 {
        format!("{}-{}", least.1, most.1)
    } else {
        least.1.clone()
    };
    Some(
        format!("{range} {}", currency.unwrap_or_default())
            .trim()
            .to_owned(),
    )
}

fn availability(entity: &Value) -> Option<String> {
    let stated = offers(entity).find_map(|offer| first(offer, &["availability"]))?;
    let name = stated.rsplit(['/', ':']).next()?;
    let word = match name.to_ascii_lowercase().as_str() {
        "instock" | "instoreonly" | "onlineonly" => "in-stock",
        "outofstock" | "soldout" => "out-of-stock",
        "preorder" | "presale" => "preorder",
        "backorder" => "backorder",
        "limitedavailability" => "limited",
        "discontinued" => "discontinued",
        _ => return None,
    };
    Some(word.to_owned())
}

fn offers(entity: &Value) -> impl Iterator<Item = &Value> {
    entity["offers"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|offer| offer.is_object())
}
