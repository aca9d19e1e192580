//! Objects that look like junk, and such that do not.

use magpie_matching::plausible::{SiteObject, SuspicionKind, suspicions};
use magpie_model::{Attribute, Record, RecordValue};
use serde_json::json;

fn schema() -> Vec<Attribute> {
    let attribute = |(name, kind, identifies): (&str, &str, bool)| {
        let attribute = json!({
            "name": name, "kind": kind, "label": name, "required": false, "repeated": false, "identifies": identifies,
            "query": false, "expires": false, "weight": 1.0,
        });
        serde_json::from_value(attribute).expect("an attribute")
    };
    let attributes = [
        ("name", "text", true),
        ("start", "date-time", true),
        ("venue", "place", false),
        ("code", "identifier:gtin", true),
    ];
    attributes.into_iter().map(attribute).collect()
}

fn record(name: &str, start: &str, code: &str) -> Record {
    let value = |attribute: &str, value: &str| RecordValue {
        attribute: attribute.to_owned(),
        value: value.to_owned(),
        raw: None,
        node: None,
        repeated: false,
    };
    let values = [
        ("name", name),
        ("start", start),
        ("venue", "Town hall"),
        ("code", code),
    ];
    Record {
        values: values
            .into_iter()
            .filter(|(_, text)| !text.is_empty())
            .map(|(attribute, text)| value(attribute, text))
            .collect(),
        ..Record::default()
    }
}

fn kinds(records: &[Record], has_own_page: bool, checked: (u64, u64)) -> Vec<SuspicionKind> {
    let objects: Vec<SiteObject<'_>> = records
        .iter()
        .map(|record| SiteObject { record, has_own_page })
        .collect();
    let found = suspicions(&schema(), &objects, checked);
    found.iter().map(|suspicion| suspicion.kind).collect()
}

#[test]
fn junk_is_told_from_a_programme() {
    let day = |place: usize| format!("2024-{:02}-{:02}", 1 + place / 28, 1 + place % 28);
    let named = |all: usize, name: &dyn Fn(usize) -> String, code: &dyn Fn(usize) -> String| -> Vec<Record> {
        (0..all)
            .map(|place| record(&name(place), &day(place), &code(place)))
            .collect()
    };
    let own = |place: usize| format!("Soup {place}");
    let none = |_: usize| String::new();
    let every = |step: usize| {
        move |place: usize| match place % step {
            0 => "S So".to_owned(),
            _ => format!("Soup {place}"),
        }
    };
    let cases = [
        ("a programme", named(40, &own, &none), true, (2, 40), vec![]),
        (
            "heads of a calendar",
            named(40, &|_| "S So".to_owned(), &none),
            true,
            (0, 40),
            vec![SuspicionKind::MostlyAlike],
        ),
        (
            "one name on a fifth",
            named(200, &every(5), &none),
            true,
            (0, 200),
            vec![SuspicionKind::RepeatedName],
        ),
        (
            "a weekly choir among forty",
            named(40, &every(5), &none),
            true,
            (0, 40),
            vec![],
        ),
        (
            "one code for all",
            named(20, &own, &|_| "4006381333931".to_owned()),
            true,
            (0, 20),
            vec![SuspicionKind::ConstantIdentifier],
        ),
        (
            "a code for each",
            named(20, &own, &|place| place.to_string()),
            true,
            (0, 20),
            vec![],
        ),
        (
            "values that fail",
            named(20, &own, &none),
            true,
            (12, 20),
            vec![SuspicionKind::FailingChecks],
        ),
        (
            "lists alone",
            named(20, &own, &none),
            false,
            (0, 20),
            vec![SuspicionKind::NoOwnPage],
        ),
        (
            "too few to say",
            named(4, &|_| "S So".to_owned(), &none),
            false,
            (4, 4),
            vec![],
        ),
    ];
    for (case, records, has_own_page, checked, expected) in cases {
        assert_eq!(kinds(&records, has_own_page, checked), expected, "{case}");
    }
}

#[test]
fn a_suspicion_names_what_it_is_about() {
    let records: Vec<Record> = (1..=20)
        .map(|day| record("S So", &format!("2024-01-{day:02}"), ""))
        .collect();
    let objects: Vec<SiteObject<'_>> = records
        .iter()
        .map(|record| SiteObject {
            record,
            has_own_page: true,
        })
        .collect();
    let found = suspicions(&schema(), &objects, (0, 20));
    let told: Vec<_> = found
        .iter()
        .map(|one| (one.attribute.as_str(), one.value.as_str(), one.hits, one.of))
        .collect();
    assert_eq!(told, [("name", "S So", 20, 20)]);
}
