//! The language as a whole.

use magpie_model::{Attribute, Kind, Record, RecordValue};
use magpie_values::Timestamp;
use proptest::prelude::*;

use super::*;

fn attribute(name: &str, kind: &str, identifies: bool) -> Attribute {
    Attribute {
        identifies,
        ..Attribute::new(name, Kind::from(kind.to_owned()))
    }
}

fn schema() -> Vec<Attribute> {
    vec![
        attribute("title", "text", true),
        attribute("start", "date-time", true),
        attribute("price", "money", false),
        attribute("pages", "number", false),
        attribute("length", "duration", false),
        attribute("stars", "rating", false),
        attribute("free", "boolean", false),
        attribute("venue", "place", false),
        attribute("where", "coordinates", false),
        attribute("gtin", "identifier:isbn", true),
    ]
}

/// Monday, 2026-04-27.
fn now() -> Timestamp {
    Timestamp::parse("2026-04-27T08:00:00Z").unwrap()
}

fn parse(text: &str) -> Result<Query, QueryError> {
    let attributes = schema();
    let context = Context {
        attributes: &attributes,
        now: now(),
    };
    Query::parse(text, &context)
}

fn record() -> Record {
    let value = |(attribute, value): (&str, &str)| RecordValue {
        attribute: attribute.to_owned(),
        value: value.to_owned(),
        raw: None,
        node: None,
        repeated: false,
    };
    let values = [
        ("title", "The Lighthouse Keeper's Été"),
        ("start", "2026-05-03T19:30"),
        ("price", "12.50-20 EUR"),
        ("pages", "320"),
        ("length", "PT1H30M"),
        ("stars", "4.5/5"),
        ("free", "false"),
        ("venue", "Old Mill"),
        ("venue", "Great Hall, Room 4"),
        ("where", "52.52,13.4"),
        ("gtin", "9780306406157"),
    ];
    Record {
        values: values.map(value).into(),
        ..Record::default()
    }
}

fn matches(query: &Query) -> bool {
    let (record, attributes) = (record(), schema());
    query.matches(&Subject {
        label: "The Lighthouse Keeper's Été (2026)",
        record: &record,
        attributes: &attributes,
        urls: &["https://www.tickets.example.org:8080/a".to_owned()],
        current: 1,
        first_seen: Timestamp::parse("2026-04-25T08:00:00Z").unwrap(),
        last_seen: now(),
        changed_at: Timestamp::parse("2026-04-01T08:00:00Z").unwrap(),
        expires_at: Timestamp::parse("2026-05-04T08:00:00Z"),
    })
}

#[test]
fn terms_find_what_they_say() {
    for (text, expected) in [
        ("", true),
        ("lighthouse", true),
        ("LIGHTHOUSE ete", true),
        ("light", false),
        ("light*", true),
        ("\"lighthouse keepers\"", true),
        ("\"keepers lighthouse\"", false),
        ("\"mill great\"", false),
        ("lighthouse-keeper's", true),
        ("-lighthouse", false),
        ("-airport", true),
        ("2026", true),
        ("title:keepers", true),
        ("title:mill", false),
        ("venue:\"old mill\"", true),
        ("venue:room", true),
        ("venue=\"OLD MILL\"", true),
        ("venue=Old", false),
        ("venue!=Old", true),
        ("-venue!=Old", false),
        ("title~house", true),
        ("title~\"e keep\"", true),
        ("start:2026-05-03", true),
        ("start=2026-05", true),
        ("start:2026-05-04", false),
        ("start!=2026-05-04", true),
        ("start<2026-05-04", true),
        ("start<2026-05-03", false),
        ("start<=2026-05-03", true),
        ("start>2026-05-03", false),
        ("start>=2026-05-03", true),
        ("start>2026-04", true),
        ("start:2026-05-01..2026-05-03", true),
        ("start:..2026-05-02", false),
        ("start:weekend", true),
        ("start:saturday", false),
        ("start:\"next 7 days\"", true),
        ("start:next-5-days", false),
        ("start<=7d", true),
        ("start<=5d", false),
        ("price<20", true),
        ("price<12.50", false),
        ("price>=20", true),
        ("price>20", false),
        ("price:15", true),
        ("price:\"15 EUR\"", true),
        ("price:\"15 USD\"", false),
        ("price<=20USD", false),
        ("price:30..40", false),
        ("pages>99", true),
        ("pages<1000", true),
        ("length<PT2H", true),
        ("stars>=4.5", true),
        ("free:no", true),
        ("free=true", false),
        ("gtin:978-0-306-40615-7", true),
        ("isbn:0306406152", true),
        ("978-0-306-40615-7", true),
        ("9780306406157", true),
        ("gtin!=978-0-306-40615-7", false),
        ("where:52.3,13.1..52.7,13.8", true),
        ("where:52.3,13.5..52.7,13.8", false),
        ("where:52.3,170..52.7,14", true),
        ("has:price", true),
        ("-has:price", false),
        ("site:example.org", true),
        ("site:https://www.Example.org/", true),
        ("site:tickets.example.org:8080", true),
        ("site:ample.org", false),
        ("is:new", true),
        ("is:changed", false),
        ("is:current", true),
        ("is:expired", false),
        ("is:gone", false),
        ("first-seen>=7d", true),
        ("first-seen>=36h", false),
        ("first-seen:saturday", true),
        ("last-seen:today", true),
        ("changed<2026-04-02", true),
        ("expires:2026-05-04", true),
        ("lighthouse price<20 -is:gone", true),
        ("lighthouse price>20", false),
    ] {
        let query = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(matches(&query), expected, "{text}");
    }
}

#[test]
fn a_query_prints_in_its_usual_form() {
    for (text, expected) in [
        ("  Jazz   NIGHT ", "jazz night"),
        ("rock-n-roll", "\"rock n roll\""),
        ("Venue:Old", "venue:Old"),
        ("venue!=\"Old Mill\"", "-venue=\"Old Mill\""),
        ("-\"a \\\"b\\\" c\"", "-\"a b c\""),
        ("site:https://WWW.Example.org/x", "site:example.org"),
        ("price<=\"20 EUR\"", "price<=\"20 EUR\""),
        ("IS:new", "is:new"),
    ] {
        let query = parse(text).unwrap();
        assert_eq!(query.to_string(), expected, "{text}");
        assert_eq!(parse(expected).unwrap(), query, "{text}");
    }
    let query = parse("jazz price<20 is:new").unwrap();
    assert_eq!(query.without(1).to_string(), "jazz is:new");
    assert_eq!(
        equality_term("venue", "The \"Mill\""),
        "venue=\"The \\\"Mill\\\"\""
    );
}

#[test]
fn what_makes_no_sense_is_told() {
    let message = |text: &str| parse(text).unwrap_err().to_string();
    for (text, expected) in [
        (
            "titel:x",
            "there is no attribute `titel`; did you mean `title`?; put the term in quotation marks to search for the words",
        ),
        (
            "price<",
            "`price<` has no value: expected a value right after `<`, such as `price<12.50`",
        ),
        (
            "price<=cheap",
            "invalid value `cheap` for `price`: expected an amount such as 12.50, \"12.50 EUR\" or 10..20",
        ),
        (
            "where:here..there",
            "invalid value `here..there` for `where`: expected the corners of an area, such as 52.3,13.1..52.7,13.8",
        ),
        (
            "free:perhaps",
            "invalid value `perhaps` for `free`: expected true or false",
        ),
        (
            "is:old",
            "invalid value `old` for `is`: expected new, changed, current, expired, gone",
        ),
        (
            "venue<Old",
            "`venue` can't be compared with `<`: use one of `:` `=` `!=` `~`",
        ),
        ("price<1..2", "`price` can't be compared with `<`: use one of `:`"),
        ("\"open", "`\"open` has no closing quotation mark"),
        ("<= 20", "`<=` has no word to search for"),
        ("...", "`...` has no word to search for"),
        ("has:colour", "there is no attribute `colour`"),
        ("zzz:1", "the attributes are title, start, price"),
    ] {
        let message = message(text);
        assert!(message.contains(expected), "{text}: {message}");
    }
    assert!(message(&"a ".repeat(MAX_TERMS + 1)).contains("more than 32 terms"));
    assert!(message(&"a-".repeat(MAX_PHRASE_WORDS + 1)).contains("more than 32 words"));
    assert!(message(&"a".repeat(MAX_QUERY_BYTES + 1)).contains("2001 bytes"));
}

#[test]
fn a_site_is_its_host_and_those_below() {
    for (url, site, expected) in [
        ("https://www.example.org/a", "example.org", true),
        ("https://example.org/a", "https://example.org/", true),
        ("https://example.org/a", "www.Example.org", true),
        ("https://a.b.example.org/a", "b.example.org", true),
        ("https://notexample.org/a", "example.org", false),
        ("https://example.org/a", "org", false),
        ("http://127.0.0.1:8080/a", "127.0.0.1:8080", true),
        ("http://127.0.0.1:8080/a", "127.0.0.1", true),
        ("http://127.0.0.1:8080/a", "0.0.1", false),
        ("http://user@example.org/a", "example.org", true),
    ] {
        let query = parse(&format!("site:{site}")).unwrap();
        let [
            Term {
                test: Test::Site(site),
                ..
            },
        ] = query.terms()
        else {
            panic!("{site}")
        };
        assert_eq!(site_keys(url).contains(site), expected, "{url} {site}");
    }
}

proptest! {
    /// Whatever is typed is read or refused, and what is read prints as text that means the same.
    #[test]
    fn queries_survive_printing(text in "(-?(title|start|price|pages|free|venue|gtin|site|is|has|x)?(:|=|!=|~|<|<=|>|>=)?(\"[ a-z\\\\\"é½]{0,9}\"|[a-z0-9.\\-*€\\\\\"/½]{0,9}|new|today|20 EUR|7d|1..2) ?){0,6}") {
        if let Ok(query) = parse(&text) {
            let printed = query.to_string();
            let again = parse(&printed);
            prop_assert_eq!(again.as_ref(), Ok(&query), "{}", printed);
        }
    }
}
