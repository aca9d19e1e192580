//! The host's check, from what a plugin wrote to a record and its violations.

use magpie_model::{
    Attribute, Checked, Field, Kind, MAX_VALUES, Object, PageContext, Reason, Value, VerticalInfo, check,
};
use magpie_values::Timestamp;
use magpie_values::date::Date;
use serde_json::json;

fn attribute(name: &str, kind: &str) -> Attribute {
    Attribute::new(name, Kind::from(kind.to_owned()))
}

fn concerts() -> VerticalInfo {
    VerticalInfo {
        name: "concerts".to_owned(),
        version: "1.0.0".to_owned(),
        object_type: "Concert".to_owned(),
        attributes: vec![
            Attribute {
                required: true,
                ..attribute("name", "text")
            },
            Attribute {
                expires: true,
                ..attribute("start", "date-time")
            },
            Attribute {
                expires: true,
                ..attribute("end", "date-time")
            },
            Attribute {
                repeated: true,
                ..attribute("performers", "person")
            },
            attribute("price", "money"),
        ],
        ..VerticalInfo::default()
    }
}

fn page() -> PageContext {
    PageContext {
        url: "https://example.org/shows/1?lang=en".to_owned(),
        day: Date::new(2026, 4, 1),
        year: None,
        language: Some("en-GB".to_owned()),
    }
}

fn object(fields: &[(&str, Value)]) -> Object {
    let field = |(number, (path, value)): (usize, &(&str, Value))| Field {
        path: (*path).to_owned(),
        value: value.clone(),
        node: Some(number as u32),
    };
    Object {
        schema_type: String::new(),
        confidence: 0.9,
        fields: fields.iter().enumerate().map(field).collect(),
    }
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn reasons(checked: &Checked) -> Vec<&'static str> {
    checked
        .violations
        .iter()
        .map(|violation| violation.reason.code())
        .collect()
}

/// The normal form of one value of a kind, or the code of what is wrong with it.
fn normal(kind: &str, value: Value) -> Result<String, &'static str> {
    let info = VerticalInfo {
        attributes: vec![attribute("it", kind)],
        ..concerts()
    };
    let checked = check(&info, &object(&[("it", value)]), &page());
    match checked.record.as_ref().and_then(|record| record.get("it")) {
        Some(value) => Ok(value.to_owned()),
        None => Err(checked.violations[0].reason.code()),
    }
}

#[test]
fn every_kind_has_its_normal_form() {
    let cases = [
        ("text", text("  The\u{a0}Tempest \n"), "The Tempest"),
        ("text", Value::Integer(1984), "1984"),
        ("person", text(" Ada  Lovelace"), "Ada Lovelace"),
        ("place", text("Old Mill,\n Mill Lane 3"), "Old Mill, Mill Lane 3"),
        ("date-time", text("3 May 2026, 7.30pm"), "2026-05-03T19:30"),
        (
            "date-time",
            text("2026-05-03T19:30:00+02:00"),
            "2026-05-03T19:30:00+02:00",
        ),
        ("coordinates", text("52.5200° N, 13.4050° E"), "52.52,13.405"),
        (
            "coordinates",
            Value::Json(json!({"@type": "GeoCoordinates", "latitude": "-33.8568", "longitude": 151.2153})),
            "-33.8568,151.2153",
        ),
        ("date-time", Value::Integer(2026), "2026"),
        ("date-time", text("May 2026"), "2026-05"),
        ("duration", text("1h 20min"), "PT1H20M"),
        ("money", text("€ 12,50"), "12.50 EUR"),
        ("money", text("12.50 - 20 EUR"), "12.50-20 EUR"),
        ("money", Value::Real(1.234), "1.2340"),
        ("number", text("1,234.5"), "1234.5"),
        ("number", Value::Real(1.234), "1.234"),
        ("rating", text("4.2 out of 5"), "4.2/5"),
        ("boolean", text("https://schema.org/True"), "true"),
        ("boolean", Value::Integer(0), "false"),
        ("identifier:isbn", text("ISBN 0-306-40615-2"), "9780306406157"),
        ("identifier:ticket-no", text(" A  17 "), "A 17"),
        (
            "url",
            text("../book?id=7#top"),
            "https://example.org/book?id=7#top",
        ),
        (
            "url",
            text("//cdn.example.org/a b"),
            "https://cdn.example.org/a%20b",
        ),
        (
            "image",
            text("poster.jpg"),
            "https://example.org/shows/poster.jpg",
        ),
        ("language", text("Deutsch"), "de"),
        ("colour", text(" deep  red "), "deep red"),
        (
            "properties",
            Value::Json(json!({"weight": " 1.2 kg", "age": 3, "none": null})),
            r#"{"age":3,"weight":"1.2 kg"}"#,
        ),
        ("properties", text(r#"{"a": true}"#), r#"{"a":true}"#),
    ];
    for (kind, value, expected) in cases {
        assert_eq!(
            normal(kind, value.clone()).as_deref(),
            Ok(expected),
            "{kind} {value:?}"
        );
    }
}

#[test]
fn what_does_not_fit_is_told() {
    let cases = [
        ("text", text(" \u{200b} "), "empty"),
        ("text", Value::Boolean(true), "wrong-type"),
        ("text", Value::Json(json!({"a": 1})), "wrong-type"),
        ("coordinates", text("Berlin"), "unreadable"),
        ("coordinates", text("91,13"), "unreadable"),
        ("coordinates", text("0,0"), "unreadable"),
        ("coordinates", Value::Real(52.5), "unreadable"),
        (
            "coordinates",
            Value::Json(json!({"latitude": "north", "longitude": 1})),
            "unreadable",
        ),
        ("date-time", text("soon"), "unreadable"),
        ("date-time", Value::Boolean(true), "wrong-type"),
        ("duration", text("for ever"), "unreadable"),
        ("money", text("ask us"), "unreadable"),
        ("money", Value::Integer(-3), "unreadable"),
        ("number", Value::Real(f64::NAN), "not-finite"),
        ("number", Value::Real(f64::INFINITY), "not-finite"),
        ("rating", text("7/5"), "unreadable"),
        ("boolean", text("perhaps"), "unreadable"),
        ("identifier:isbn", text("0-306-40615-3"), "unreadable"),
        ("url", text("mailto:a@example.org"), "unreadable"),
        ("url", text("javascript:alert(1)"), "unreadable"),
        ("url", text("https://user:secret@example.org/"), "unreadable"),
        ("image", text("data:image/png;base64,AAAA"), "unreadable"),
        ("language", text("Klingonese of the north"), "unreadable"),
        ("properties", text("{"), "unreadable"),
        ("properties", Value::Json(json!([1])), "unreadable"),
        ("properties", Value::Json(json!({"a": {"b": 1}})), "empty"),
        ("properties", Value::Integer(1), "wrong-type"),
    ];
    for (kind, value, expected) in cases {
        assert_eq!(normal(kind, value.clone()), Err(expected), "{kind} {value:?}");
    }
}

#[test]
fn the_year_comes_from_the_day_of_the_page() {
    assert_eq!(normal("date-time", text("3 May")).as_deref(), Ok("2026-05-03"));
}

#[test]
fn an_object_becomes_a_record() {
    let checked = check(
        &concerts(),
        &object(&[
            ("start", text("3 May 2026")),
            ("performers", text("B. Second")),
            ("name", text("The Tempest")),
            ("performers", text("A. First")),
            ("performers", text("B.  Second")),
        ]),
        &page(),
    );
    assert_eq!(checked.violations, []);
    let record = checked.record.unwrap();
    assert_eq!(
        record.attributes().collect::<Vec<_>>(),
        ["name", "start", "performers"]
    );
    assert_eq!(
        record.all("performers").collect::<Vec<_>>(),
        ["B. Second", "A. First"]
    );
    assert_eq!(
        record.to_json(),
        json!({
            "type": "Concert",
            "confidence": 0.9,
            "attributes": {"name": "The Tempest", "start": "2026-05-03", "performers": ["B. Second", "A. First"]},
            "raw": {"start": "3 May 2026"},
            "nodes": {"name": 2, "start": 0, "performers": [1, 3]},
        })
    );
    assert_eq!(
        magpie_model::Record::from_json(&record.to_json()),
        Some(sorted(&record))
    );
    let kept = serde_json::to_string(&record).unwrap();
    assert_eq!(
        serde_json::from_str::<magpie_model::Record>(&kept).unwrap(),
        record
    );
}

/// With the attributes by name, as JSON has them.
fn sorted(record: &magpie_model::Record) -> magpie_model::Record {
    let mut sorted = record.clone();
    sorted
        .values
        .sort_by(|one, other| one.attribute.cmp(&other.attribute));
    sorted
}

#[test]
fn what_is_no_record_is_not_read_as_one() {
    for json in [
        json!(7),
        json!({"type": "Concert", "confidence": 1.0}),
        json!({"type": "Concert", "confidence": 1.0, "attributes": {"name": 7}}),
        json!({"confidence": 1.0, "attributes": {}}),
    ] {
        assert_eq!(magpie_model::Record::from_json(&json), None, "{json}");
    }
}

#[test]
fn json_has_a_list_for_one_value_of_many_and_null_for_what_is_not_there() {
    let mut object = object(&[
        ("name", text("N")),
        ("performers", text("A  B")),
        ("performers", text("C")),
    ]);
    object.fields[0].node = None;
    object.fields[2].node = None;
    let record = check(&concerts(), &object, &page()).record.unwrap();
    let json = record.to_json();
    assert_eq!(json["raw"], json!({"performers": ["A  B", null]}));
    assert_eq!(json["nodes"], json!({"performers": [1, null]}));
    let single = check(
        &concerts(),
        &Object {
            fields: object.fields[..2].to_vec(),
            ..object
        },
        &page(),
    );
    assert_eq!(
        single.record.unwrap().to_json()["attributes"]["performers"],
        json!(["A B"])
    );
}

#[test]
fn a_bad_value_costs_only_itself() {
    let checked = check(
        &concerts(),
        &object(&[
            ("name", text("The Tempest")),
            ("start", text("soon")),
            ("colour", text("red")),
            ("price", text("10 EUR")),
            ("price", text("10.00 EUR")),
            ("price", text("12 EUR")),
        ]),
        &page(),
    );
    assert_eq!(
        reasons(&checked),
        ["unreadable", "unknown-attribute", "second-value"]
    );
    let told: Vec<(&str, &str)> = checked
        .violations
        .iter()
        .map(|violation| (violation.attribute.as_str(), violation.raw.as_str()))
        .collect();
    assert_eq!(told, [("start", "soon"), ("colour", "red"), ("price", "12 EUR")]);
    let record = checked.record.unwrap();
    assert_eq!(record.all("price").collect::<Vec<_>>(), ["10 EUR"]);
    assert_eq!(record.get("start"), None);
}

#[test]
fn without_what_is_required_there_is_no_record() {
    let checked = check(
        &concerts(),
        &object(&[("name", text(" ")), ("start", text("2026"))]),
        &page(),
    );
    assert_eq!(reasons(&checked), ["empty", "missing-required"]);
    assert_eq!(checked.record, None);
}

#[test]
fn confidence_is_brought_inside() {
    for (stated, expected) in [(1.5, 1.0), (-0.1, 0.0), (f64::NAN, 0.0), (f64::INFINITY, 1.0)] {
        let checked = check(
            &concerts(),
            &Object {
                confidence: stated,
                ..object(&[("name", text("N"))])
            },
            &page(),
        );
        assert_eq!(reasons(&checked), ["confidence"]);
        assert_eq!(checked.record.unwrap().confidence, expected, "{stated}");
    }
}

#[test]
fn limits_hold() {
    let long = "word ".repeat(100_000);
    let mut fields = vec![("name", text(&long))];
    let names: Vec<String> = (0..MAX_VALUES + 20)
        .map(|number| format!("Person {number}"))
        .collect();
    fields.extend(names.iter().map(|name| ("performers", text(name))));
    let checked = check(&concerts(), &object(&fields), &page());
    assert_eq!(reasons(&checked), ["too-long", "too-many-values"]);
    assert!(checked.violations[0].raw.len() < 200);
    let record = checked.record.unwrap();
    assert_eq!(record.all("performers").count(), MAX_VALUES);
    assert!(
        record
            .get("name")
            .is_some_and(|name| name.len() <= 16 * 1024 && name.ends_with("word…"))
    );
    assert!(record.values[0].raw.as_ref().is_some_and(|raw| raw.len() <= 1024));
}

#[test]
fn the_type_is_short_and_never_empty() {
    for (stated, expected) in [
        ("", "Concert"),
        (" ", "Concert"),
        ("MusicEvent", "MusicEvent"),
        ("https://schema.org/Event", "Event"),
    ] {
        let object = Object {
            schema_type: stated.to_owned(),
            ..object(&[("name", text("N"))])
        };
        assert_eq!(
            check(&concerts(), &object, &page()).record.unwrap().object_type,
            expected
        );
    }
}

#[test]
fn an_object_expires_when_its_last_moment_has_passed_everywhere() {
    let expires = |fields: &[(&str, Value)]| {
        let fields: Vec<(&str, Value)> = [("name", text("N"))].into_iter().chain(fields.to_vec()).collect();
        check(&concerts(), &object(&fields), &page())
            .record
            .unwrap()
            .expires_at(&concerts())
            .map(Timestamp::as_seconds)
    };
    // 2026-05-03T23:59:59 at twelve hours behind UTC is noon of the next day, less a second.
    let end_of_3_may = 1_777_852_800 + 12 * 3600 - 1;
    assert_eq!(expires(&[("start", text("2026-05-03"))]), Some(end_of_3_may));
    assert_eq!(expires(&[("start", text("--05-03"))]), None);
    assert_eq!(
        expires(&[("start", text("2026-05-01")), ("end", text("2026-05-03"))]),
        Some(end_of_3_may)
    );
    assert_eq!(
        expires(&[("start", text("2026-05-04T00:00:00Z"))]),
        Some(1_777_852_800)
    );
    assert_eq!(expires(&[]), None);
}

#[test]
fn a_page_without_a_good_url_still_has_absolute_ones() {
    let info = VerticalInfo {
        attributes: vec![attribute("it", "url")],
        ..concerts()
    };
    let page = PageContext {
        url: "not a url".to_owned(),
        ..page()
    };
    let value = |reference: &str| {
        let checked = check(&info, &object(&[("it", text(reference))]), &page);
        checked.record.unwrap().get("it").map(str::to_owned)
    };
    assert_eq!(
        value("https://example.org"),
        Some("https://example.org/".to_owned())
    );
    assert_eq!(value("/relative"), None);
}

#[test]
fn a_violation_names_kind_and_detail() {
    let info = VerticalInfo {
        attributes: vec![attribute("it", "identifier:isbn")],
        ..concerts()
    };
    let checked = check(&info, &object(&[("it", text("0306406153"))]), &page());
    assert!(matches!(
        &checked.violations[0].reason,
        Reason::Unreadable {
            kind: Kind::Identifier(_),
            ..
        }
    ));
    assert_eq!(
        checked.violations[0].to_string(),
        "it: can't be read as identifier:isbn (the check digit is wrong): \"0306406153\""
    );
}
