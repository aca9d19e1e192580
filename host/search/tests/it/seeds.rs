//! Files of seeds.

use magpie_model::VerticalInfo;
use magpie_search::{MAX_FILE_BYTES, MAX_SEEDS, Seed, SeedsProblem, read_seeds};

use crate::verticals::{attribute, books, events, products, vertical};

fn read(name: &str, text: &str, vertical: &VerticalInfo) -> Vec<Seed> {
    read_seeds(name, text.as_bytes(), vertical).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The lines and names that a file of events gives.
fn check(name: &str, text: &str, expected: &[(usize, &str)]) {
    let seeds = read(name, text, &events());
    let found: Vec<_> = seeds
        .iter()
        .map(|seed| (seed.line, seed.record.get("name").unwrap_or_default()))
        .collect();
    assert_eq!(found, expected, "{text}");
}

/// The sentence that a file of events gives.
fn fails(name: &str, text: impl AsRef<[u8]>, sentence: &str) {
    fails_for(&events(), name, text, sentence);
}

fn fails_for(vertical: &VerticalInfo, name: &str, text: impl AsRef<[u8]>, sentence: &str) {
    let error = read_seeds(name, text.as_ref(), vertical).unwrap_err();
    assert_eq!(error.to_string(), sentence);
}

const ONE: &str = r#"{"name": "One", "start": "2026-05-03"}"#;
const TWO: &str = r#"{"name": ["Two"], "start": ["2026-05-04T19:30"]}"#;

#[test]
fn json_is_read_in_every_arrangement() {
    check("a.json", ONE, &[(1, "One")]);
    check("a.json", &format!("[{ONE},{TWO}]"), &[(1, "One"), (1, "Two")]);
    check(
        "a.json",
        &format!("\n[\n  {ONE},\r\n\n  {TWO}\n]\n"),
        &[(3, "One"), (5, "Two")],
    );
    check("a.jsonl", &format!("{ONE}\n\n{TWO}\n"), &[(1, "One"), (3, "Two")]);
    check("no-ending", &format!("{ONE}\n{TWO}"), &[(1, "One"), (2, "Two")]);
    check("a.csv", &format!("{ONE} {TWO}"), &[(1, "One"), (1, "Two")]);
    check(
        "a.json",
        "{\n \"name\": \"One\",\n \"start\": \"2026-05-03\"\n}\n{\n\"name\": \"Two\", \"start\": \"2026-05-04\"}",
        &[(1, "One"), (5, "Two")],
    );
    check("a.json", &format!("\u{feff}{ONE}"), &[(1, "One")]);
}

#[test]
fn tables_are_read_with_any_delimiter() {
    check(
        "a.csv",
        "name,start\nOne,2026-05-03\n\nTwo,2026-05-04\n",
        &[(2, "One"), (4, "Two")],
    );
    check(
        "a.txt",
        "start;name\r\n2026-05-03;\"One; or more\"\r\n",
        &[(2, "One; or more")],
    );
    check("a.csv", "Name,START,Type\nOne,2026-05-03,Event\n", &[(2, "One")]);
    check("a.tsv", "name\tstart\nOne, too\t2026-05-03\n", &[(2, "One, too")]);
    check(
        "a.csv",
        "\u{feff}\"name\" , start,venue\n\"A \"\"B\"\"\nC\",2026-05-03,\n,,\nTwo,2026-05-04,Hall",
        &[(2, "A \"B\" C"), (5, "Two")],
    );
}

#[test]
fn several_values_stand_in_lists_columns_and_cells() {
    let performers = |text: &str, name: &str| {
        let seeds = read(name, text, &events());
        let record = &seeds[0].record;
        record.all("performers").map(str::to_owned).collect::<Vec<_>>()
    };
    let both = ["Ann Lee", "Bo Ek"];
    assert_eq!(
        performers(
            r#"{"start": "2026-05-03", "performers": ["Ann Lee", null, "", "Bo Ek"]}"#,
            "a.json"
        ),
        both
    );
    assert_eq!(
        performers(
            r#"{"start": "2026-05-03", "performers": "Ann Lee", "performers": "Bo Ek"}"#,
            "a.json"
        ),
        both
    );
    assert_eq!(
        performers("start,performers,performers\n2026-05-03,Ann Lee,Bo Ek", "a.csv"),
        both
    );
    assert_eq!(
        performers("start,performers\n2026-05-03,Ann Lee | Bo Ek", "a.csv"),
        both
    );
    assert_eq!(
        performers("start,performers\n2026-05-03,Ann Lee; Bo Ek;", "a.csv"),
        both
    );
}

#[test]
fn a_type_is_taken_and_not_needed() {
    let types = |text: &str| read("a", text, &events())[0].record.object_type.clone();
    assert_eq!(types(ONE), "Event");
    assert_eq!(
        types(r#"{"type": "MusicEvent", "start": "2026-05-03"}"#),
        "MusicEvent"
    );
    assert_eq!(types(r#"{"type": null, "start": "2026-05-03"}"#), "Event");
    assert_eq!(
        types("type,start\nhttps://schema.org/Festival,2026-05-03"),
        "Festival"
    );
    // A schema that has a type of its own keeps it.
    let info = vertical("rocks", "Rock", vec![attribute("type", "text", "r")]);
    let seeds = read("a.json", r#"{"type": "basalt"}"#, &info);
    assert_eq!(seeds[0].record.get("type"), Some("basalt"));
    assert_eq!(seeds[0].record.object_type, "Rock");
}

#[test]
fn results_can_be_seeds() {
    let seeds = read("a.json", ONE, &events());
    let written = format!("{}\n{}\n", seeds[0].record.to_json(), seeds[0].record.to_json());
    let again = read("again.jsonl", &written, &events());
    assert_eq!(again.len(), 2);
    assert_eq!(again[1].record, seeds[0].record);
    fails(
        "a.json",
        r#"{"type": "Event", "confidence": 7, "attributes": {"start": "2026-05-03"}}"#,
        "a.json, line 1: invalid value \"7\" for `confidence`: the confidence is outside 0 to 1; expected a number from 0 to 1",
    );
}

#[test]
fn the_object_is_kept_as_written_and_in_normal_form() {
    let seeds = read(
        "a.json",
        r#"{"name": " The  Tempest ", "start": "3 May 2026, 7.30 pm", "price": 13}"#,
        &events(),
    );
    let Seed { object, record, line } = &seeds[0];
    assert_eq!((*line, object.fields.len(), object.confidence), (1, 3, 1.0));
    assert_eq!(record.get("name"), Some("The Tempest"));
    assert_eq!(record.get("start"), Some("2026-05-03T19:30"));
    assert_eq!(record.get("price"), Some("13"));
}

#[test]
fn properties_are_objects_or_rows() {
    let table = |text: &str, name: &str| {
        let seeds = read(name, text, &products());
        seeds[0].record.get("specifications").unwrap().to_owned()
    };
    let expected = r#"{"Colour":"teal","Weight":"5 kg"}"#;
    let object = r#"{"name": "A", "specifications": {"Weight": "5 kg", "Colour": "teal"}}"#;
    assert_eq!(table(object, "a.json"), expected);
    let rows = r#"{"name": "A", "specifications": ["Weight: 5 kg", "Colour: teal"]}"#;
    assert_eq!(table(rows, "a.json"), expected);
    assert_eq!(
        table("name,specifications\nA,Weight: 5 kg; Colour: teal", "a.csv"),
        expected
    );
    fails_for(
        &products(),
        "a.json",
        r#"{"name": "A", "specifications": ["heavy"]}"#,
        "a.json, line 1: invalid value \"heavy\" for `specifications`: not JSON; expected names with values such as {\"Weight\": \"5 kg\"}",
    );
}

#[test]
fn nothing_is_told() {
    let example = r#"the file has no objects; write one per line, such as {"name": "…", "start": "2026-05-03T19:30", "venue": "…"}"#;
    for text in [
        "",
        " \n\t\r\n",
        "\u{feff}",
        "[]",
        "[ \n]",
        "name,start",
        "name,start\n,\n",
    ] {
        fails("a.json.gz", text, &format!("a.json.gz: {example}"));
    }
}

#[test]
fn broken_json_is_told_by_line_and_column() {
    fails(
        "a.jsonl",
        format!("{ONE}\n{{\"name\": \"Two\", \"start\": \"2026-05-04\"\n{ONE}"),
        "a.jsonl, line 2, column 37: invalid JSON: EOF while parsing an object",
    );
    fails(
        "a.json",
        "[{\"name\": One}]",
        "a.json, line 1, column 11: invalid JSON: expected value",
    );
    fails(
        "a.json",
        format!("[{ONE},\n]"),
        "a.json, line 2, column 2: invalid JSON: there is a comma before the end of the array",
    );
    fails(
        "a.json",
        format!("[{ONE}\n {ONE}]"),
        "a.json, line 2, column 2: invalid JSON: expected a comma or the end of the array `]`",
    );
    fails(
        "a.json",
        format!("[{ONE}\n"),
        "a.json, line 2, column 1: invalid JSON: the array has no end `]`",
    );
    fails(
        "a.json",
        format!("[{ONE}] {ONE}"),
        "a.json, line 1, column 42: invalid JSON: unexpected text after the end of the array",
    );
    fails(
        "a.json",
        "hello",
        "a.json, line 1, column 1: invalid JSON: expected value",
    );
    fails(
        "a.json",
        format!("{{\"name\": {}", "[".repeat(100_000)),
        "a.json, line 1, column 136: invalid JSON: recursion limit exceeded",
    );
}

#[test]
fn other_values_are_no_objects() {
    let example = r#"such as {"name": "…", "start": "2026-05-03T19:30", "venue": "…"}"#;
    for (text, found) in [
        ("[\"One\"]", "a text"),
        ("[[]]", "a list"),
        ("[1.5]", "a number"),
        ("[-1]", "a number"),
        ("[true]", "a boolean"),
        ("[null]", "`null`"),
    ] {
        fails(
            "a.json",
            text,
            &format!("a.json, line 1: expected an object {example}, found {found}"),
        );
    }
    fails(
        "a.json",
        r#"{"type": 5, "start": "2026-05-03"}"#,
        "a.json, line 1: invalid `type`: expected a text such as \"Event\", found a number",
    );
}

#[test]
fn other_encodings_are_told() {
    fails(
        "a.csv",
        b"name,start\nCaf\xe9,2026-05-03",
        "a.csv, line 2, column 4: invalid UTF-8; save the file as UTF-8",
    );
    for mark in [b"\xff\xfe{\0", b"\xfe\xff\0{"] {
        fails("a.csv", mark, "a.csv: the file is in UTF-16; save it as UTF-8");
    }
}

#[test]
fn unknown_attributes_are_told_with_those_there_are() {
    let known = "the attributes are name, start, end, venue, address, price, organiser, performers, url";
    for (name, meant) in [
        ("nmae", " did you mean `name`?"),
        ("Start", " did you mean `start`?"),
        ("organizer", " did you mean `organiser`?"),
        ("colour", ""),
    ] {
        fails(
            "a.jsonl",
            format!("{ONE}\n{{\"{name}\": \"x\"}}"),
            &format!("a.jsonl, line 2: events have no attribute {name:?};{meant} {known}"),
        );
    }
    fails(
        "a.csv",
        "name,when\nOne,2026-05-03",
        &format!(
            "a.csv, line 1: the first line must name the columns: events have no attribute \"when\"; {known}"
        ),
    );
    let long = "x".repeat(500);
    let error = read_seeds("a", format!("{{\"{long}\": 1}}").as_bytes(), &events()).unwrap_err();
    assert!(error.to_string().len() < 250, "{error}");
}

#[test]
fn missing_attributes_are_told() {
    for text in [
        r#"{"name": "One"}"#,
        r#"{"name": "One", "start": [null, " "]}"#,
        "name,start\nOne,",
    ] {
        let line = if text.starts_with('{') { 1 } else { 2 };
        fails(
            "a",
            text,
            &format!(
                "a, line {line}: `start` is missing, which every Event has: expected a date or time such as \"2026-05-03T19:30\""
            ),
        );
    }
}

#[test]
fn values_of_another_kind_are_told() {
    let moment = "expected a date or time such as \"2026-05-03T19:30\"";
    fails(
        "a.json",
        format!("[{ONE},\n{{\"name\": \"Two\",\n\"start\": \"soon\"}}]"),
        &format!("a.json, line 2: invalid value \"soon\" for `start`: it contains no date or time; {moment}"),
    );
    fails(
        "a.json",
        r#"{"start": ["2026-05-03", "2026-05-04"]}"#,
        &format!(
            "a.json, line 1: invalid value \"2026-05-04\" for `start`: it may have only one value; {moment}"
        ),
    );
    fails(
        "a.json",
        r#"{"start": "2026-05-03", "venue": {"name": "Hall"}}"#,
        "a.json, line 1: invalid value \"{\\\"name\\\":\\\"Hall\\\"}\" for `venue`: found a JSON document; expected a place's name or address",
    );
    fails(
        "a.json",
        r#"{"start": "2026-05-03", "name": true}"#,
        "a.json, line 1: invalid value \"true\" for `name`: found a boolean; expected text",
    );
    fails(
        "a.json",
        r#"{"start": "2026-05-03", "url": "/page"}"#,
        "a.json, line 1: invalid value \"/page\" for `url`: relative URL without a base; expected the URL of a page such as \"https://example.org/page\"",
    );
    fails_for(
        &books(),
        "a.csv",
        "title,isbn\nOne,9780306406158",
        "a.csv, line 2: invalid value \"9780306406158\" for `isbn`: the check digit is wrong; expected an identifier of the scheme isbn such as \"9780306406157\"",
    );
}

#[test]
fn a_date_that_depends_on_the_day_is_refused() {
    for date in ["3 May", "tomorrow"] {
        fails(
            "a.json",
            format!("{{\"start\": \"{date}\"}}"),
            &format!(
                "a.json, line 1: invalid value \"{date}\" for `start`: it depends on the day of reading; expected a full date such as 2026-05-03T19:30"
            ),
        );
    }
}

#[test]
fn broken_tables_are_told() {
    fails(
        "a.csv",
        "name,start,venue\nOne,2026-05-03,Hall\nTwo,2026-05-04,Hall, upstairs",
        "a.csv, line 3: the row has 4 cells, but the first line has 3 columns; put cells that contain a comma in double quotes",
    );
    fails(
        "a.csv",
        "name,start,\nOne,2026-05-03,x",
        "a.csv, line 1: column 3 has no name in the first line; write the name of the attribute there",
    );
    fails(
        "a.csv",
        "start,name\n2026-05-03,\"One\n2026-05-04,Two\n",
        "a.csv, line 2: a cell begins with a double quote that is never closed; close it, or double it if the quote itself is meant",
    );
    fails(
        "a.csv",
        "name,start,venue\nOne,\"2026-05-03,Hall\n",
        "a.csv, line 2: a cell begins with a double quote that is never closed; close it, or double it if the quote itself is meant",
    );
    fails(
        "a.csv",
        "name,start,venue\n\"One,2026-05-03,Hall\nTwo,2026-05-04,Hall\n",
        "a.csv, line 2: a cell begins with a double quote that is never closed; close it, or double it if the quote itself is meant",
    );
    fails(
        "a.csv",
        "start,start\n2026-05-03,2026-05-04",
        "a.csv, line 2: invalid value \"2026-05-04\" for `start`: it may have only one value; expected a date or time such as \"2026-05-03T19:30\"",
    );
}

#[test]
fn the_file_and_its_objects_are_bounded() {
    let whole = format!("{ONE}\n").repeat(MAX_SEEDS);
    assert_eq!(read("a", &whole, &events()).len(), MAX_SEEDS);
    let error = read_seeds("a", format!("{whole}{ONE}").as_bytes(), &events()).unwrap_err();
    assert_eq!(
        (error.line, &*error.problem),
        (Some(MAX_SEEDS + 1), &SeedsProblem::TooMany)
    );
    let table = format!("start\n{}", "2026-05-03\n".repeat(MAX_SEEDS + 1));
    let error = read_seeds("a", table.as_bytes(), &events()).unwrap_err();
    assert_eq!(*error.problem, SeedsProblem::TooMany);
    let spaces = vec![b' '; MAX_FILE_BYTES + 1];
    let error = read_seeds("a", &spaces, &events()).unwrap_err();
    assert_eq!(
        *error.problem,
        SeedsProblem::TooLarge {
            bytes: MAX_FILE_BYTES + 1
        }
    );
}

mod hostile {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn any_bytes_give_seeds_or_a_sentence(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Err(error) = read_seeds("a.json", &bytes, &events()) {
                prop_assert!(!error.to_string().contains('\n'));
            }
        }

        #[test]
        fn cut_and_changed_files_give_seeds_or_a_sentence(
            text in "[\\[\\]{}\",:;| \nabstrname019-]{0,120}",
            cut in 0_usize..80,
        ) {
            let start = format!("[{ONE},{TWO}]");
            let text = format!("{}{text}", &start[..cut.min(start.len())]);
            for name in ["a.json", "a.jsonl", "a.csv"] {
                if let Err(error) = read_seeds(name, text.as_bytes(), &events()) {
                    prop_assert!(!error.to_string().contains('\n'), "{}", error);
                }
            }
        }
    }
}
