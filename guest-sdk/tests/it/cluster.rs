//! Comparison by the schema alone, and the contract's functions around it.

use magpie_sdk::{
    About, DateTime, Error, Found, Isbn, Key, Money, OptionSpec, Page, Record, Vertical, cluster, component,
    queries, testing,
};

#[derive(Record, Clone, Debug, PartialEq)]
struct Event {
    #[attribute(identifies, query, weight = 2.0)]
    name: String,
    #[attribute(identifies, query)]
    start: Option<DateTime>,
    #[attribute(kind = "place", identifies, query)]
    venue: Option<String>,
    price: Option<Money>,
}

fn event(name: &str, start: &str, venue: &str) -> Event {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Event {
        name: name.to_owned(),
        start: some(start).map(DateTime::from),
        venue: some(venue),
        price: None,
    }
}

#[derive(Record, Clone, Debug, PartialEq)]
struct Book {
    #[attribute(identifies, query, weight = 2.0)]
    title: String,
    #[attribute(kind = "person", identifies, query)]
    authors: Vec<String>,
    #[attribute(identifies)]
    isbn: Option<Isbn>,
}

fn book(title: &str, author: &str, isbn: &str) -> Book {
    Book {
        title: title.into(),
        authors: vec![author.into()],
        isbn: (!isbn.is_empty()).then(|| isbn.into()),
    }
}

#[track_caller]
fn check<R: Record>(one: &R, other: &R, expected: std::ops::RangeInclusive<f64>) {
    let (there, back) = (cluster::compare(one, other), cluster::compare(other, one));
    assert!(expected.contains(&there.probability), "{there:?}");
    assert!(
        (there.probability - back.probability).abs() < 1e-9,
        "the order does not matter"
    );
}

#[test]
fn two_descriptions_of_one_event_match() {
    let one = event("Night Music", "2026-05-03T19:30", "Old Mill, Ulm");
    check(
        &one,
        &event("Night music (live)", "3 May 2026, 7:30 pm", "Old Mill"),
        0.85..=1.0,
    );
    check(&one, &one, 0.98..=1.0);
}

#[test]
fn a_differing_identifying_attribute_separates() {
    let one = event("Night Music", "2026-05-03T19:30", "Old Mill, Ulm");
    check(
        &one,
        &event("Night Music", "2026-05-04T19:30", "Old Mill, Ulm"),
        0.0..=0.2,
    );
    check(
        &one,
        &event("Hamlet", "2026-05-03T19:30", "Old Mill, Ulm"),
        0.0..=0.2,
    );
}

#[test]
fn a_name_alone_is_uncertain() {
    let one = event("Night Music", "2026-05-03T19:30", "");
    check(&one, &event("Night Music", "", ""), 0.5..=0.95);
}

#[test]
fn numbers_distinguish_volumes() {
    check(
        &book("The Saga, Volume 1", "Ann Lee", ""),
        &book("The Saga, Volume 2", "Ann Lee", ""),
        0.0..=0.75,
    );
}

#[test]
fn identifiers_decide_in_any_spelling() {
    let one = book("The Tempest", "Shakespeare, William", "0-306-40615-2");
    check(
        &one,
        &book("The Tempest: A Play", "William Shakespeare", "9780306406157"),
        0.97..=1.0,
    );
    check(
        &one,
        &book("The Tempest", "William Shakespeare", "978-3-16-148410-0"),
        0.0..=0.2,
    );
}

fn shared(one: &[Key], other: &[Key]) -> Vec<String> {
    one.iter()
        .filter(|key| other.contains(key))
        .map(|key| key.scheme.clone())
        .collect()
}

#[test]
fn duplicates_share_a_key_and_others_do_not() {
    let one = cluster::keys(&event("The Night Music Ensemble", "2026-05-03T19:30", "Old Mill"));
    let twin = cluster::keys(&event("Night Music Ensemble live", "2026-05-03", "Mill"));
    assert_eq!(shared(&one, &twin), ["name-words+start"]);
    let other_day = cluster::keys(&event("The Night Music Ensemble", "2026-05-04", "Old Mill"));
    assert!(shared(&one, &other_day).is_empty());
    let isbn = cluster::keys(&book("Der Sturm", "W. S.", "0306406152"));
    assert_eq!(
        shared(
            &isbn,
            &cluster::keys(&book("The Tempest", "A", "978-0-306-40615-7"))
        ),
        ["isbn"]
    );
}

#[test]
fn merging_takes_the_majority_value() {
    let records = [
        event("Night Music", "2026-05-03", ""),
        event("Night Music", "2026-05-03T19:30", "Old Mill"),
        event("Night Music!", "2026-05-03T19:30:00", "Mill"),
    ];
    let merged = cluster::merge(&records, cluster::label);
    let source = |path: &str| {
        merged
            .keep
            .iter()
            .find(|choice| choice.path == path)
            .map(|choice| choice.source)
    };
    assert_eq!(source("name"), Some(2), "all agree, and the last one says most");
    assert_eq!(source("start"), Some(2));
    assert_eq!(source("venue"), Some(1));
    assert_eq!(source("price"), None);
    assert_eq!(merged.label, "Night Music!, 2026-05-03T19:30:00, Mill");
}

#[test]
fn days_do_not_outvote_the_hour() {
    let start = |starts: &[&'static str]| {
        let records: Vec<_> = starts
            .iter()
            .map(|start| event("Night Music", start, ""))
            .collect();
        let merged = cluster::merge(&records, cluster::label);
        let choice = merged.keep.iter().find(|choice| choice.path == "start");
        starts[choice.map_or(0, |choice| choice.source as usize)]
    };
    assert_eq!(
        start(&["2026-05-03", "2026-05-03", "2026-05-03T19:30", "2026-05-03"]),
        "2026-05-03T19:30"
    );
    assert_eq!(
        start(&["2026-05-04T19:30", "2026-05-03", "2026-05-03"]),
        "2026-05-03"
    );
}

#[test]
fn queries_start_with_identifiers() {
    let found = queries::queries(&book("The Tempest", "William Shakespeare", "0-306-40615-2"));
    let found: Vec<(&str, &str)> = found
        .iter()
        .map(|query| (query.purpose.as_str(), query.text.as_str()))
        .collect();
    assert_eq!(
        found,
        [
            ("identifier", "9780306406157"),
            ("exact", "\"The Tempest\" William Shakespeare"),
            ("loose", "The Tempest William Shakespeare"),
        ]
    );
    let found = queries::queries(&event("Night Music", "3 May 2026", "Old Mill"));
    assert_eq!(found[0].text, "\"Night Music\" 2026 Old Mill");
}

struct Events;

impl Vertical for Events {
    type Record = Event;
    const NAME: &'static str = "events";

    fn about() -> About {
        About::new("Things to go to.")
            .schema_types(&["Event"])
            .option(OptionSpec::integer("most", 1, "How many events a page gives."))
    }

    fn extract(page: &Page) -> Result<Vec<Found<Event>>, Error> {
        let most: usize = page.option("most")?;
        Ok(page
            .select("h3")
            .take(most)
            .map(|name| event(&name.text(), "", "").into())
            .collect())
    }
}

magpie_sdk::export!(Events);

#[test]
fn a_component_describes_itself() {
    let info = component::describe::<Events>("1.2.3", "unused");
    assert_eq!((info.name.as_str(), info.version.as_str()), ("events", "1.2.3"));
    assert_eq!(
        (info.summary.as_str(), info.object_type.as_str()),
        ("Things to go to.", "Event")
    );
    assert_eq!(info.attributes.len(), 4);
    assert_eq!(
        (info.options[0].kind.as_str(), info.options[0].default.as_str()),
        ("integer", "1")
    );
    assert_eq!(info.routing.schema_types, ["Event"]);
}

#[test]
fn options_have_their_defaults_until_they_are_set() {
    let page = Page::from_html("https://example.org/", "<h3>One</h3><h3>Two</h3>");
    assert_eq!(testing::extract::<Events>(&page).unwrap().len(), 1);
    testing::set_option("most", "5");
    assert_eq!(component::extract::<Events>(&page).unwrap().len(), 2);
    testing::set_option("most", "\"many\"");
    let error = component::extract::<Events>(&page).unwrap_err();
    assert_eq!((error.code(), error.attribute()), ("bad-option", Some("most")));
    testing::clear_options();
    assert_eq!(Events::extract(&page).unwrap_err().code(), "bad-option");
}

#[test]
fn objects_are_compared_by_their_features() {
    let object = |event: Event| Found::new(event).into_object();
    let objects = [
        object(event("Night Music", "2026-05-03", "Old Mill")),
        object(event("Night Music", "2026-05-03", "Old Mill")),
        magpie_sdk::Object {
            schema_type: String::new(),
            confidence: 1.0,
            fields: Vec::new(),
        },
    ];
    let prepared = component::prepare::<Events>(&objects).unwrap();
    assert!(
        prepared[2].keys.is_empty(),
        "an object without a name gets no keys"
    );
    let many: Vec<Vec<u8>> = prepared
        .iter()
        .map(|prepared| prepared.features.clone())
        .collect();
    let verdicts = component::compare::<Events>(&many[0], &many).unwrap();
    assert!(verdicts[1].probability > 0.9);
    assert!(
        verdicts[1].reasons.contains(&"same name".to_owned()),
        "{verdicts:?}"
    );
    assert_eq!(verdicts[2].probability, 0.0);
    assert_eq!(
        component::compare::<Events>(b"junk", &many).unwrap_err().code(),
        "bad-features"
    );
}

#[test]
fn merged_sources_count_all_objects() {
    let unreadable = magpie_sdk::Object {
        schema_type: String::new(),
        confidence: 1.0,
        fields: Vec::new(),
    };
    let readable = Found::new(event("Night Music", "2026-05-03", "")).into_object();
    let merged = component::merge::<Events>(&[unreadable.clone(), readable]).unwrap();
    assert_eq!(merged.keep[0].source, 1);
    assert!(component::merge::<Events>(&[unreadable]).is_err());
}
