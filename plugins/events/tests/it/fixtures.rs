//! Checks the records and clusters of every fixture, on the host without WebAssembly.

#![expect(clippy::unwrap_used, reason = "a fixture that can't be read is a failed test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use events::{Event, Events};
use magpie_model::{Attribute, Field, Object, PageContext, Value as ModelValue, VerticalInfo, check};
use magpie_sdk::{Page, Record, Value, Vertical, component, date};
use serde_json::Value as Json;

/// Minimum probability of equal events.
const SAME: f64 = 0.5;

type Attributes = BTreeMap<String, Vec<String>>;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

fn json(path: &Path) -> Json {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn names() -> Vec<String> {
    let folders = fs::read_dir(fixtures()).unwrap().map(|entry| entry.unwrap());
    let folders = folders.filter(|entry| entry.path().is_dir());
    let mut names: Vec<String> = folders
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Returns the page of a fixture, fetched some days later, and the context with its own date and URL.
fn page(name: &str, days_later: i64) -> (Page, PageContext) {
    let folder = fixtures().join(name);
    let about = json(&folder.join("page.json"));
    let url = about["url"].as_str().unwrap();
    let fetched_at = date::parse_iso(about["fetched_at"].as_str().unwrap())
        .unwrap()
        .to_unix(0)
        + days_later * 86_400;
    let content_type = about["content_type"]
        .as_str()
        .unwrap_or("text/html; charset=utf-8");
    let body = fs::read(folder.join("page.html")).unwrap();
    let page = Page::from_response(url, content_type, fetched_at, &body);
    let context = PageContext {
        url: url.to_owned(),
        day: page.own_date().day,
        year: page.own_date().year,
        language: page.language().map(str::to_owned),
    };
    (page, context)
}

/// Returns the description of the vertical as the host stores it.
fn info() -> VerticalInfo {
    let attribute = |known: &magpie_sdk::Attribute| Attribute {
        name: known.name.to_owned(),
        kind: known.kind.to_owned().into(),
        label: known.label.to_owned(),
        required: known.required,
        repeated: known.repeated,
        identifies: known.identifies,
        query: known.query,
        expires: known.expires,
        schema_org: known.schema_org.map(str::to_owned),
        weight: known.weight,
    };
    VerticalInfo {
        name: Events::NAME.to_owned(),
        object_type: Event::OBJECT_TYPE.to_owned(),
        attributes: Event::SCHEMA.iter().map(attribute).collect(),
        ..VerticalInfo::default()
    }
}

/// Returns the records of a fixture that is fetched some days later, normalised.
fn found(name: &str, days_later: i64) -> Vec<Attributes> {
    let (page, context) = page(name, days_later);
    let objects = component::extract::<Events>(&page).unwrap();
    let text = |value: Value| match value {
        Value::Text(text) => ModelValue::Text(text),
        other => panic!("no attribute of an event is {other:?}"),
    };
    let field = |field: magpie_sdk::Field| Field {
        path: field.path,
        value: text(field.value),
        node: field.node,
    };
    let checked = objects.into_iter().map(|object| {
        let object = Object {
            schema_type: object.schema_type,
            confidence: object.confidence,
            fields: object.fields.into_iter().map(field).collect(),
        };
        let checked = check(&info(), &object, &context);
        assert!(checked.violations.is_empty(), "{name}: {:?}", checked.violations);
        let mut attributes = Attributes::new();
        for value in checked.record.unwrap().values {
            attributes.entry(value.attribute).or_default().push(value.value);
        }
        attributes
    });
    checked.collect()
}

fn expected(name: &str) -> (Vec<Attributes>, Vec<String>) {
    let expected = json(&fixtures().join(name).join("expected.json"));
    let texts = |value: &Json| match value {
        Json::String(text) => vec![text.clone()],
        Json::Array(all) => all.iter().map(|text| text.as_str().unwrap().to_owned()).collect(),
        other => panic!("{name}: {other}"),
    };
    let object = |object: &Json| {
        let attributes = object
            .as_object()
            .unwrap()
            .iter()
            .filter(|(name, _)| *name != "type");
        attributes
            .map(|(name, value)| (name.clone(), texts(value)))
            .collect()
    };
    let objects = expected["objects"]
        .as_array()
        .unwrap()
        .iter()
        .map(object)
        .collect();
    let ignored = expected["ignore"].as_array().into_iter().flatten();
    (
        objects,
        ignored.map(|name| name.as_str().unwrap().to_owned()).collect(),
    )
}

#[test]
fn every_fixture_gives_what_is_expected() {
    let mut problems = Vec::new();
    for name in names() {
        let (wanted, ignored) = expected(&name);
        let mut got = found(&name, 0);
        for attribute in &ignored {
            got.iter_mut().for_each(|object| drop(object.remove(attribute)));
        }
        if got.len() != wanted.len() {
            problems.push(format!("{name}: {} objects, not {}", got.len(), wanted.len()));
        }
        for (place, (got, wanted)) in got.iter().zip(&wanted).enumerate() {
            let attributes: BTreeSet<&String> = got.keys().chain(wanted.keys()).collect();
            for attribute in attributes {
                let (got, wanted) = (got.get(attribute), wanted.get(attribute));
                if got != wanted {
                    problems.push(format!("{name}#{place} {attribute}: {got:?}, not {wanted:?}"));
                }
            }
        }
    }
    assert!(names().len() >= 10);
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
fn the_day_of_the_fetch_changes_nothing() {
    for name in names() {
        let first = found(&name, 0);
        for days_later in [7, 365, 5 * 365] {
            assert_eq!(found(&name, days_later), first, "{name}, {days_later} days later");
        }
    }
}

/// Returns all expected events by their names in `clusters.json`.
fn events() -> BTreeMap<String, Event> {
    let mut events = BTreeMap::new();
    for name in names() {
        for (place, attributes) in expected(&name).0.into_iter().enumerate() {
            let one = |attribute: &str| attributes.get(attribute).map(|values| values[0].clone());
            let event = Event {
                name: one("name").unwrap(),
                start: one("start").map(Into::into),
                venue: one("venue").map(Into::into),
                address: one("address").map(Into::into),
                performers: attributes
                    .get("performers")
                    .into_iter()
                    .flatten()
                    .cloned()
                    .map(Into::into)
                    .collect(),
                ..Event::default()
            };
            events.insert(format!("{name}#{place}"), event);
        }
    }
    events
}

#[test]
fn clusters_are_as_expected() {
    let clusters = json(&fixtures().join("clusters.json"));
    let mut cluster_of: BTreeMap<String, usize> = BTreeMap::new();
    for (place, cluster) in clusters["clusters"].as_array().unwrap().iter().enumerate() {
        for member in cluster.as_array().unwrap() {
            cluster_of.insert(member.as_str().unwrap().to_owned(), place);
        }
    }
    let events: Vec<(String, Event)> = events().into_iter().collect();
    for name in cluster_of.keys() {
        assert!(
            events.iter().any(|(known, _)| known == name),
            "{name} is no object"
        );
    }
    for (place, (name, event)) in events.iter().enumerate() {
        for (other_name, other) in &events[..place] {
            let keys = Events::keys(other);
            let meet = Events::keys(event).iter().any(|key| {
                keys.iter()
                    .any(|other| other.value == key.value && other.scheme == key.scheme)
            });
            let verdict = Events::compare(event, other);
            let same = meet && verdict.probability >= SAME;
            let wanted = cluster_of
                .get(name)
                .is_some_and(|cluster| cluster_of.get(other_name) == Some(cluster));
            assert_eq!(
                same, wanted,
                "{name} and {other_name}: {verdict:?}, common key: {meet}"
            );
        }
    }
}

#[test]
fn queries_name_the_event_and_its_venue_and_no_day() {
    let event = Event {
        name: "Night Music".to_owned(),
        start: Some("2026-05-03T19:30".into()),
        venue: Some("Old Mill".into()),
        ..Event::default()
    };
    let queries = Events::queries(&event);
    assert!(
        queries
            .iter()
            .any(|query| query.text.contains("Night Music") && query.text.contains("Old Mill"))
    );
    assert!(
        queries.iter().all(|query| !query.text.contains("2026")),
        "{queries:?}"
    );
}
