//! The schema's matcher: what it takes for one, what it asks, how it merges.

use magpie_matching::{BadFeatures, SchemaMatcher, Settings, cluster, queries};
use magpie_model::Matcher;
use magpie_model::{Attribute, Field, Kind, Object, PageContext, Record, Value, VerticalInfo, check};

use super::support::{id, partition};

fn attribute(name: &str, kind: &str, identifies: bool) -> Attribute {
    Attribute {
        repeated: matches!(name, "author"),
        identifies,
        query: identifies,
        ..Attribute::new(name, Kind::from(kind.to_owned()))
    }
}

fn vertical(attributes: Vec<Attribute>) -> VerticalInfo {
    VerticalInfo {
        object_type: "Thing".to_owned(),
        attributes,
        ..VerticalInfo::default()
    }
}

fn plays() -> VerticalInfo {
    vertical(vec![
        attribute("name", "text", true),
        attribute("start", "date-time", true),
        attribute("venue", "place", true),
        attribute("price", "money", false),
    ])
}

fn books() -> VerticalInfo {
    vertical(vec![
        attribute("name", "text", true),
        attribute("author", "person", true),
        attribute("isbn", "identifier:isbn", true),
        attribute("pages", "number", false),
    ])
}

/// A record from `attribute: value` lines.
fn record(info: &VerticalInfo, lines: &[&str]) -> Record {
    let field = |line: &&str| {
        let (path, value) = line.split_once(": ").expect("lines have a colon");
        Field {
            path: path.to_owned(),
            value: Value::Text(value.to_owned()),
            node: None,
        }
    };
    let object = Object {
        confidence: 1.0,
        fields: lines.iter().map(field).collect(),
        ..Object::default()
    };
    let checked = check(info, &object, &PageContext::default());
    assert_eq!(checked.violations, []);
    checked.record.expect("nothing is required")
}

fn objects(info: &VerticalInfo, all: &[&[&str]]) -> Vec<Object> {
    all.iter().map(|lines| record(info, lines).to_object()).collect()
}

/// Returns true if the first two of the objects are taken for one.
fn one(info: &VerticalInfo, all: &[&[&str]]) -> bool {
    let clustering = cluster(
        &mut SchemaMatcher::new(info),
        &objects(info, all),
        &Settings::default(),
    )
    .expect("own features are good");
    clustering.cluster_of(id(0)) == clustering.cluster_of(id(1))
}

#[test]
fn plays_are_told_apart() {
    let tempest = ["name: The Tempest", "start: 2026-05-03T19:30", "venue: Old Mill"];
    let info = plays();
    assert!(one(&info, &[&tempest, &tempest]));
    assert!(one(
        &info,
        &[
            &tempest,
            &[
                "name: The Tempest (live)",
                "start: 2026-05-03",
                "venue: Old Mill, Mill Lane 3"
            ]
        ]
    ));
    assert!(one(
        &info,
        &[
            &tempest,
            &["name: Tempest, The", "start: 2026-05-03T19:00", "venue: Old Mill"]
        ]
    ));
    assert!(!one(
        &info,
        &[
            &tempest,
            &["name: The Tempest", "start: 2026-05-04T19:30", "venue: Old Mill"]
        ]
    ));
    assert!(!one(
        &info,
        &[
            &tempest,
            &["name: Macbeth", "start: 2026-05-03T19:30", "venue: Old Mill"]
        ]
    ));
}

#[test]
fn a_place_and_a_time_alone_make_no_twins() {
    let info = plays();
    let bare = ["start: 2026-05-03T19:30", "venue: Old Mill"];
    assert!(!one(&info, &[&bare, &bare]));
}

#[test]
fn books_are_told_apart() {
    let info = books();
    let dune = ["name: Dune", "author: Frank Herbert", "isbn: 9780441013593"];
    assert!(one(
        &info,
        &[
            &dune,
            &[
                "name: Dune: Deluxe Edition",
                "author: Herbert, Frank",
                "isbn: 0441013597"
            ]
        ]
    ));
    assert!(one(&info, &[&dune, &["name: Dune", "author: F. Herbert"]]));
    assert!(!one(
        &info,
        &[
            &dune,
            &["name: Dune", "author: Frank Herbert", "isbn: 9780306406157"]
        ]
    ));
    assert!(!one(&info, &[&dune, &["name: Dune", "author: Maria Sanchez"]]));
    let second = ["name: Chronicles of Amber 2", "author: Roger Zelazny"];
    assert!(!one(
        &info,
        &[&["name: Chronicles of Amber 1", "author: Roger Zelazny"], &second]
    ));
}

#[test]
fn what_is_common_says_little() {
    // With twenty others of the name, only the day could tell which is which.
    let info = plays();
    let common: Vec<[String; 2]> = (0..40)
        .map(|day| {
            [
                "name: Open Day".to_owned(),
                format!("start: 2026-{:02}-{:02}", 1 + day / 28, 1 + day % 28),
            ]
        })
        .collect();
    let mut all: Vec<Vec<&str>> = vec![vec!["name: Open Day"], vec!["name: Open Day"]];
    all.extend(
        common
            .iter()
            .map(|lines| lines.iter().map(String::as_str).collect::<Vec<_>>()),
    );
    let all: Vec<&[&str]> = all.iter().map(Vec::as_slice).collect();
    assert!(!one(&info, &all));
    let rare: [&[&str]; 2] = [
        &["name: Quiddlesworth Jamboree"],
        &["name: Quiddlesworth Jamboree"],
    ];
    assert!(one(&info, &[&rare[..], &all[2..]].concat()));
}

#[test]
fn reasons_are_short_and_the_weightiest_first() {
    let info = books();
    let both = objects(
        &info,
        &[
            &[
                "name: Dune",
                "author: Frank Herbert",
                "isbn: 9780441013593",
                "pages: 600",
            ],
            &[
                "name: Dune",
                "author: Frank Herbert",
                "isbn: 9780441013593",
                "pages: 200",
            ],
        ],
    );
    let clustering = cluster(&mut SchemaMatcher::new(&info), &both, &Settings::default()).unwrap();
    let steps = clustering.why(id(0), id(1)).unwrap();
    assert_eq!(steps[0].scheme, "isbn");
    assert_eq!(steps[0].reasons[0], "same isbn");
    assert_eq!(steps[0].reasons.last().map(String::as_str), Some("pages differs"));
}

#[test]
fn the_order_of_objects_does_not_matter() {
    let info = plays();
    let all: Vec<Vec<String>> = (0..60)
        .map(|number| {
            let (play, day) = (number % 7, number % 5);
            let name = [
                "Hamlet",
                "Macbeth",
                "King Lear",
                "The Tempest",
                "Othello",
                "Cymbeline",
                "Pericles",
            ][play];
            vec![
                format!("name: {name} {number}"),
                format!("start: 2026-05-0{}", day + 1),
                "venue: Globe".to_owned(),
            ]
        })
        .collect();
    let lines: Vec<Vec<&str>> = all
        .iter()
        .map(|lines| lines.iter().map(String::as_str).collect())
        .collect();
    let forward: Vec<&[&str]> = lines.iter().map(Vec::as_slice).collect();
    let backward: Vec<&[&str]> = lines.iter().rev().map(Vec::as_slice).collect();
    let run = |all: &[&[&str]]| {
        cluster(
            &mut SchemaMatcher::new(&info),
            &objects(&info, all),
            &Settings::default(),
        )
        .unwrap()
    };
    let last = all.len() as u64 - 1;
    let mut mirrored: Vec<Vec<u64>> = partition(&run(&backward));
    for members in &mut mirrored {
        members.iter_mut().for_each(|member| *member = last - *member);
        members.sort_unstable();
    }
    mirrored.sort();
    assert_eq!(partition(&run(&forward)), mirrored);
}

#[test]
fn features_of_another_schema_are_refused() {
    let prepared = SchemaMatcher::new(&books())
        .prepare(&objects(&books(), &[&["name: Dune"]]))
        .unwrap();
    let features = prepared[0].features.as_slice();
    assert_eq!(
        SchemaMatcher::new(&plays()).compare(features, &[features]),
        Err(BadFeatures)
    );
    assert_eq!(SchemaMatcher::new(&plays()).absorb(features), Err(BadFeatures));
    assert_eq!(SchemaMatcher::new(&books()).absorb(features), Ok(()));
}

#[test]
fn absorbing_counts_as_preparing_does() {
    let info = books();
    let all = objects(&info, &[&["name: Dune"], &["name: Dune"], &["name: Emma"]]);
    let mut first = SchemaMatcher::new(&info);
    let prepared = first.prepare(&all).unwrap();
    let mut second = SchemaMatcher::new(&info);
    for prepared in &prepared {
        second.absorb(&prepared.features).unwrap();
    }
    let (one, two) = (&prepared[0].features, prepared[1].features.as_slice());
    assert_eq!(first.compare(one, &[two]), second.compare(one, &[two]));
}

#[test]
fn merging_takes_what_most_say() {
    let info = plays();
    let all = objects(
        &info,
        &[
            &["name: The Tempest", "start: 2026-05-03", "price: 12 EUR"],
            &[
                "name: THE TEMPEST (sold out)",
                "start: 2026-05-03T19:30",
                "venue: Old Mill",
            ],
            &["name: The tempest", "start: 2026-05-04T19:30"],
        ],
    );
    let merged = SchemaMatcher::new(&info).merge(&all).unwrap();
    let keep: Vec<(&str, u32)> = merged
        .keep
        .iter()
        .map(|(name, source)| (name.as_str(), *source))
        .collect();
    // Two agree on the name; two on the day, of which the second knows the hour.
    assert_eq!(keep, [("name", 0), ("start", 1), ("venue", 1), ("price", 0)]);
    assert_eq!(merged.label, "The Tempest, 2026-05-03T19:30, Old Mill");
}

#[test]
fn queries_ask_for_identifiers_then_names() {
    let info = books();
    let dune = record(
        &info,
        &[
            "name: Dune \"Deluxe\"",
            "author: Frank Herbert",
            "isbn: 0441013597",
            "pages: 600",
        ],
    );
    let asked: Vec<(String, String)> = queries(&info, &dune)
        .into_iter()
        .map(|query| (query.purpose, query.text))
        .collect();
    let expected = [
        ("identifier", "9780441013593"),
        ("exact", "\"Dune Deluxe\" Frank Herbert"),
        ("loose", "Dune Deluxe Frank Herbert"),
    ];
    assert_eq!(
        asked,
        expected.map(|(purpose, text)| (purpose.to_owned(), text.to_owned()))
    );
    let tempest = record(
        &plays(),
        &["name: The Tempest", "start: 2026-05-03", "venue: Old Mill"],
    );
    let asked: Vec<String> = queries(&plays(), &tempest)
        .into_iter()
        .map(|query| query.text)
        .collect();
    assert_eq!(
        asked,
        ["\"The Tempest\" 2026 Old Mill", "The Tempest 2026 Old Mill"]
    );
    assert_eq!(queries(&plays(), &record(&plays(), &["start: 2026-05-03"])), []);
}

#[test]
fn a_norm_on_things_of_many_makers_is_no_model_number() {
    let masks = vertical(vec![
        attribute("name", "text", true),
        attribute("brand", "organisation", false),
    ]);
    let all: [&[&str]; 6] = [
        &["name: FFP2NR mask Alba white", "brand: Corvid"],
        &["name: FFP2NR respirator box Velo", "brand: Merle"],
        &["name: FFP2NR kids", "brand: Pica"],
        &["name: FFP2NR valve", "brand: Lanius"],
        &["name: FFP2NR", "brand: Sitta"],
        &["name: FFP2NR foldable", "brand: Turdus"],
    ];
    let clusters = |all: &[&[&str]]| {
        let mut matcher = SchemaMatcher::new(&masks);
        cluster(&mut matcher, &objects(&masks, all), &Settings::default())
            .unwrap()
            .clusters()
            .len()
    };
    assert_eq!(clusters(&all), 6);
    // A model number that one maker has joins what shops write around it.
    let one: [&[&str]; 2] = [
        &["name: Corvid KX210B kettle", "brand: Corvid"],
        &["name: KX210B kettle", "brand: Corvid"],
    ];
    assert_eq!(clusters(&one), 1);
}
