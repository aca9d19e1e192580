//! Published suites of structured data: the host's reading against the expectation of their
//! authors.
//!
//! Both sides are flattened into facts, a path of names and a text each. White space is ignored,
//! and so is the base of references, which the suites resolve inconsistently.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use magpie_page::Page;
use serde_json::{Map, Value};

use super::Bench;
use crate::data::{files, json};
use crate::figure::Report;
use crate::score::{PageScore, Tally};

const BASE: &str = "http://example.com/";

/// Folders of the microformats' suite, of both versions, that our verticals are about.
const MICROFORMATS: [&str; 6] = [
    "microformats-v2/h-event",
    "microformats-v2/h-product",
    "microformats-v2/h-review",
    "microformats-v1/hcalendar",
    "microformats-v1/hproduct",
    "microformats-v1/hreview",
];

/// Paths of names and texts, with the number of each.
pub(super) type Facts = BTreeMap<(String, String), usize>;

pub(crate) fn microformats(bench: &Bench, folder: &Path, report: &mut Report) -> Result<()> {
    let mut tally = Tally::default();
    for suite in MICROFORMATS {
        for path in files(&folder.join("microformats").join(suite), &["json"])? {
            let items = json(&path)?["items"].as_array().cloned().unwrap_or_default();
            let expected: Vec<Value> = items.iter().map(from_microformats).collect();
            tally.push(case(
                folder,
                &path.with_extension("html"),
                "microformats2",
                &expected,
            )?);
        }
    }
    bench.add_share(
        report,
        "microformats, events, products and reviews: cases",
        &tally,
        Some(0.95),
    );
    Ok(())
}

pub(crate) fn extruct(bench: &Bench, folder: &Path, report: &mut Report) -> Result<()> {
    let mut tally = Tally::default();
    for path in files(&folder.join("extruct"), &["html"])? {
        let microdata = json(&path.with_extension("json"))
            .ok()
            .filter(|json| json[0]["properties"].is_object());
        if let Some(expected) = microdata {
            tally.push(case(folder, &path, "microdata", &[from_microdata(&expected)])?);
        }
        if let Ok(expected) = json(&path.with_extension("jsonld")) {
            // Some wrap what they expect.
            let expected = expected.get("items").cloned().unwrap_or(expected);
            tally.push(case(folder, &path, "json-ld", &[expected])?);
        }
    }
    bench.add_share(
        report,
        "extruct, microdata and JSON-LD: cases",
        &tally,
        Some(0.95),
    );
    Ok(())
}

fn case(folder: &Path, path: &Path, syntax: &str, expected: &[Value]) -> Result<PageScore> {
    let html = String::from_utf8_lossy(&std::fs::read(path)?).into_owned();
    let page = Page::from_html(BASE, &html)?;
    let ours = page
        .structured_data()
        .iter()
        .filter(|item| item.syntax == syntax)
        .map(|item| &item.json);
    let (ours, theirs) = (facts(ours), facts(expected));
    let only = |one: &Facts, other: &Facts| -> Vec<String> {
        one.iter()
            .filter(|(fact, count)| other.get(*fact) != Some(count))
            .map(|(fact, _)| format!("{fact:?}"))
            .collect()
    };
    Ok(PageScore {
        page: path.strip_prefix(folder).unwrap_or(path).display().to_string(),
        expected: 1,
        found: 1,
        right: usize::from(ours == theirs),
        told: format!(
            "expected {:?}, found {:?}",
            only(&theirs, &ours),
            only(&ours, &theirs)
        ),
        ..PageScore::default()
    })
}

pub(super) fn facts<'a>(items: impl IntoIterator<Item = &'a Value>) -> Facts {
    let mut facts = Facts::new();
    items.into_iter().for_each(|item| lay_flat(item, "", &mut facts));
    facts
}

fn lay_flat(value: &Value, path: &str, facts: &mut Facts) {
    match value {
        Value::Array(list) => list.iter().for_each(|inner| lay_flat(inner, path, facts)),
        Value::Object(object) => {
            for (name, inner) in object
                .iter()
                .filter(|(name, _)| !matches!(name.as_str(), "@id" | "@context"))
            {
                lay_flat(inner, &format!("{path}/{name}"), facts);
            }
        }
        Value::Null => {}
        other => {
            let text = other.as_str().map_or_else(|| other.to_string(), str::to_owned);
            let text = plain(&text);
            if !text.is_empty() {
                *facts.entry((path.to_owned(), text)).or_default() += 1;
            }
        }
    }
}

fn plain(text: &str) -> String {
    let text: String = text.split_whitespace().collect();
    let text = text.replace("https://schema.org/", "http://schema.org/");
    let text = text
        .strip_prefix(BASE.trim_end_matches('/'))
        .map_or(text.clone(), str::to_owned);
    text.trim_matches('/').to_owned()
}

/// A microformats item in our form: no `value` of nested items, text instead of `{html, value}`.
fn from_microformats(item: &Value) -> Value {
    let Some(properties) = item.get("properties").and_then(Value::as_object) else {
        return item.get("value").unwrap_or(item).clone();
    };
    let mut object = Map::new();
    object.insert("@type".to_owned(), item["type"].clone());
    let list = |values: &Value| {
        values
            .as_array()
            .into_iter()
            .flatten()
            .map(from_microformats)
            .collect()
    };
    for (name, values) in properties {
        object.insert(name.clone(), list(values));
    }
    if let Some(children) = item.get("children") {
        object.insert("children".to_owned(), list(children));
    }
    Value::Object(object)
}

/// Another reader's microdata in our form: short types, properties beside them.
fn from_microdata(value: &Value) -> Value {
    match value {
        Value::Array(list) => list.iter().map(from_microdata).collect(),
        Value::Object(item) => {
            let mut object = Map::new();
            if let Some(types) = item.get("type") {
                object.insert("@type".to_owned(), short(types));
            }
            let properties = item.get("properties").and_then(Value::as_object);
            for (name, inner) in properties.into_iter().flatten() {
                object.insert(name.clone(), from_microdata(inner));
            }
            Value::Object(object)
        }
        other => other.clone(),
    }
}

fn short(types: &Value) -> Value {
    match types {
        Value::Array(list) => list.iter().map(short).collect(),
        Value::String(name) => Value::String(
            name.replace("https://", "http://")
                .replace("http://schema.org/", ""),
        ),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn two_forms_of_one_item_have_the_same_facts() {
        let theirs = json!({"type": ["h-event"], "properties": {"name": ["A  talk"], "location": [
            {"value": "Hall", "type": ["h-card"], "properties": {"name": ["Hall"]}}]}});
        let ours = json!({"@type": ["h-event"], "name": ["A talk"],
            "location": [{"@type": ["h-card"], "name": ["Hall"]}]});
        assert_eq!(facts([&from_microformats(&theirs)]), facts([&ours]));
    }
}
