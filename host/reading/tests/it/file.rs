//! The file of a reading: what a person reads, edits, and gets wrong.

use magpie_reading::{Reading, Source};

use crate::site::{HOST, learn, path, read, right, schema, site};

#[test]
fn a_parsed_reading_reads_as_the_learned_one() {
    let pages = site(40, |show| show % 2);
    let text = learn(&pages, None).to_toml();
    let parsed = Reading::parse(&text, &schema()).expect("what was written can be read");
    assert_eq!(right(&parsed, &pages, 0..40), 40);
    assert_eq!(parsed.to_toml(), text);
}

#[test]
fn a_correction_holds_at_once_and_survives_learning() {
    let pages = site(40, |_| 0);
    let mut reading = learn(&pages, None);
    let url = format!("{HOST}{}", path(3));
    assert!(reading.teach(&url, "house", "Big Tent"));
    assert!(!reading.teach(&url, "day", "no day at all"));
    assert!(!reading.teach(&url, "no such attribute", "x"));
    let reading = Reading::parse(&reading.to_toml(), &schema()).expect("what was written can be read");
    let reading = learn(&pages, Some(&reading));
    let shown = pages
        .iter()
        .find(|shown| shown.context.url == url)
        .expect("the page");
    let outcome = read(&reading, shown, &pages);
    let [one] = &outcome.records[..] else {
        panic!("{outcome:?}")
    };
    let at = one
        .record
        .values
        .iter()
        .position(|value| value.attribute == "house")
        .expect("a house");
    assert_eq!(
        (one.record.values[at].value.as_str(), &one.sources[at]),
        ("Big Tent", &Source::Correction)
    );
}

#[test]
fn nonsense_is_refused_with_line_and_field() {
    let pages = site(20, |_| 0);
    let good = learn(&pages, None).to_toml();
    let line = |text: &str, part: &str| {
        text.lines()
            .position(|line| line.contains(part))
            .expect("the part")
            + 1
    };
    let cases = [
        ("find = \"h1\"", "find = \"the big words\"", "find"),
        ("find = \"label house\"", "find = \"label The House!\"", "find"),
        ("attribute = \"day\"", "attribute = \"date\"", "attribute"),
        ("part = \"whole\"", "part = \"half\"", "part"),
        ("agreement = 1.0", "agreement = 7.5", "agreement"),
        ("kind = \"detail\"", "kind = \"details\"", "kind"),
        ("vertical = \"shows\"", "vertical = \"books\"", "vertical"),
        ("makes_objects = [", "makes_objects = [maybe, ", "makes_objects"),
        ("coverage = 1.0", "colour = 1.0", "colour"),
    ];
    for (before, after, field) in cases {
        let text = good.replacen(before, after, 1);
        let problem = Reading::parse(&text, &schema()).expect_err(after);
        assert_eq!(
            (problem.line, problem.field.as_str()),
            (line(&text, after), field),
            "{problem}"
        );
    }
    for text in ["", "[[[", "pages = 1", "\0", &"x".repeat(5 << 20)] {
        assert!(Reading::parse(text, &schema()).is_err());
    }
}
