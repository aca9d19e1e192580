//! The two phases.

use magpie_model::Query;
use magpie_search::{Ask, Expansion, ExpansionSettings, Reason, Step, Subject};

fn subject(queries: &[&str], sites: &[&str]) -> Subject {
    let query = |text: &&str| Query {
        text: (*text).to_owned(),
        purpose: "loose".to_owned(),
    };
    Subject {
        queries: queries.iter().map(query).collect(),
        sites: sites.iter().map(|site| (*site).to_owned()).collect(),
    }
}

fn subjects(names: &[&str]) -> Vec<Subject> {
    names.iter().map(|name| subject(&[name], &[])).collect()
}

fn settings() -> ExpansionSettings {
    ExpansionSettings {
        thin: 1,
        ..ExpansionSettings::default()
    }
}

fn asked(expansion: &mut Expansion) -> Ask {
    match expansion.step() {
        Step::Ask(ask) => ask,
        other => panic!("{other:?}"),
    }
}

/// Answers what is asked with these sites.
fn answer(expansion: &mut Expansion, text: &str, sites: &[&str]) {
    let ask = asked(expansion);
    assert_eq!(ask.text, text);
    assert!(expansion.take(ask.number, sites, |site| Some((**site).to_owned())));
}

fn names(step: &Step) -> Vec<&str> {
    match step {
        Step::Crawl(sites) => sites.iter().map(|site| site.site.as_str()).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn seeds_lead_to_seed_sites_and_their_objects_to_all() {
    let settings = ExpansionSettings {
        seed_sites: 2,
        ..settings()
    };
    let mut expansion = Expansion::new(settings, subjects(&["one", "two"]));
    assert!(!expansion.extend(subjects(&["early"])), "the seeds come first");
    answer(&mut expansion, "one", &["noise", "a", "b"]);
    answer(&mut expansion, "two", &["a", "b", "other"]);
    assert_eq!(names(&expansion.step()), ["a", "b"]);
    assert_eq!(
        names(&expansion.step()),
        ["a", "b"],
        "nothing happens until objects come"
    );
    assert!(expansion.extend(subjects(&["three", "four"])));
    answer(&mut expansion, "three", &["c", "a"]);
    answer(&mut expansion, "four", &["c", "d"]);
    assert_eq!(expansion.step(), Step::Done(Reason::Exhausted));
    let best: Vec<_> = expansion
        .best(3)
        .into_iter()
        .map(|one| (one.site, one.votes))
        .collect();
    assert_eq!(
        best,
        [("a".to_owned(), 3), ("c".to_owned(), 2), ("b".to_owned(), 2)]
    );
    // The crawl of a seed site that took longer.
    assert!(expansion.extend(subjects(&["five", "one"])));
    answer(&mut expansion, "five", &["c"]);
    assert_eq!(expansion.step(), Step::Done(Reason::Exhausted));
    assert_eq!(expansion.asked(), 5);
}

#[test]
fn an_answer_counts_once() {
    let mut expansion = Expansion::new(settings(), subjects(&["one", "two"]));
    let ask = asked(&mut expansion);
    assert_eq!(asked(&mut expansion), ask);
    let site = |site: &&str| Some((*site).to_owned());
    assert!(!expansion.take(ask.number + 1, ["a"], site));
    assert!(expansion.take(ask.number, ["a"], site));
    assert!(!expansion.take(ask.number, ["a"], site));
    assert!(!expansion.failed(ask.number));
    assert_eq!((expansion.votes().queries(), expansion.best(1)[0].votes), (1, 1));
}

#[test]
fn a_thin_answer_asks_for_the_object_again() {
    let settings = ExpansionSettings {
        thin: 2,
        ..settings()
    };
    let mut expansion = Expansion::new(
        settings,
        [
            subject(&["exact", "loose", "looser"], &[]),
            subject(&["next", "never"], &[]),
        ],
    );
    answer(&mut expansion, "exact", &["a"]);
    answer(&mut expansion, "loose", &["a", "b"]);
    answer(&mut expansion, "next", &["a", "c"]);
    assert_eq!(names(&expansion.step()), ["a", "b", "c"]);
}

#[test]
fn objects_with_one_query_are_asked_for_once() {
    let evenings = std::iter::repeat_n(subject(&["the play", "play"], &[]), 10);
    let mut expansion = Expansion::new(settings(), evenings);
    answer(&mut expansion, "the play", &["a"]);
    expansion.step();
    expansion.extend([
        subject(&["play in town", "the play"], &["a"]),
        subject(&["", " "], &[]),
    ]);
    assert_eq!(expansion.step(), Step::Done(Reason::Exhausted));
}

#[test]
fn seeds_without_any_site_end_it() {
    let mut expansion = Expansion::new(settings(), subjects(&["one"]));
    answer(&mut expansion, "one", &[]);
    assert_eq!(expansion.step(), Step::Done(Reason::NoSites));
    assert!(!expansion.extend(subjects(&["two"])));
    assert_eq!(Expansion::new(settings(), []).step(), Step::Done(Reason::NoSites));
}

#[test]
fn an_engine_that_fails_again_and_again_ends_it() {
    let settings = ExpansionSettings {
        failures: 2,
        ..settings()
    };
    let mut expansion = Expansion::new(settings, subjects(&["one", "two", "three", "four", "five"]));
    for (text, fails) in [("one", true), ("two", false), ("three", true), ("four", true)] {
        let ask = asked(&mut expansion);
        assert_eq!(ask.text, text);
        if fails {
            assert!(expansion.failed(ask.number));
        } else {
            answer(&mut expansion, text, &["a"]);
        }
    }
    assert_eq!(expansion.step(), Step::Done(Reason::Failing));
}

#[test]
fn both_phases_have_a_budget() {
    let settings = ExpansionSettings {
        seed_queries: 2,
        more_queries: 3,
        ..settings()
    };
    let mut expansion = Expansion::new(settings, subjects(&["1", "2", "3"]));
    answer(&mut expansion, "1", &["a"]);
    answer(&mut expansion, "2", &["a"]);
    assert_eq!(names(&expansion.step()), ["a"]);
    expansion.extend(subjects(&["4", "5", "6", "7"]));
    for text in ["4", "5", "6"] {
        answer(&mut expansion, text, &["b"]);
    }
    assert_eq!(expansion.step(), Step::Done(Reason::Budget));
}

/// Queries that bring a new site until they do not any more.
#[test]
fn it_ends_when_queries_bring_nothing_new() {
    let settings = ExpansionSettings {
        window: 10,
        chance: 0.1,
        ..settings()
    };
    let mut expansion = Expansion::new(settings, subjects(&["seed"]));
    answer(&mut expansion, "seed", &["a"]);
    expansion.step();
    let many: Vec<String> = (0..100).map(|number| format!("{number}")).collect();
    expansion.extend(subjects(&many.iter().map(String::as_str).collect::<Vec<_>>()));
    let mut queries = 0;
    while let Step::Ask(ask) = expansion.step() {
        let site = if queries < 20 {
            format!("new-{queries}")
        } else {
            "a".to_owned()
        };
        expansion.take(ask.number, [site], |site| Some(site.clone()));
        queries += 1;
    }
    assert_eq!(expansion.step(), Step::Done(Reason::Settled));
    // Half a query in eleven is under a tenth, one and a half are not: ten quiet ones in a row.
    assert_eq!(queries, 30);
    assert_eq!(expansion.chance(), Some(0.5 / 11.0));
}

#[test]
fn queries_of_the_sort_that_brings_sites_come_first() {
    let mut expansion = Expansion::new(settings(), subjects(&["seed"]));
    answer(&mut expansion, "seed", &["a", "b"]);
    expansion.step();
    // Objects of one site lead to new sites, those of the other do not.
    let rich = (0..20).map(|number| subject(&[&format!("rich{number}")], &["rich"]));
    let poor = (0..20).map(|number| subject(&[&format!("poor{number}")], &["poor"]));
    expansion.extend(poor.chain(rich));
    let mut asked_rich = 0;
    for _ in 0..20 {
        let ask = asked(&mut expansion);
        let is_rich = ask.text.starts_with("rich");
        asked_rich += u32::from(is_rich);
        let sites: Vec<String> = match is_rich {
            true => (0..3).map(|place| format!("{}-{place}", ask.text)).collect(),
            false => vec!["a".to_owned(), "b".to_owned()],
        };
        expansion.take(ask.number, sites, |site| Some(site.clone()));
    }
    assert!(asked_rich >= 16, "{asked_rich} of 20");
}

#[test]
fn words_that_were_asked_for_wear_out() {
    let mut expansion = Expansion::new(settings(), subjects(&["seed"]));
    answer(&mut expansion, "seed", &["a"]);
    expansion.step();
    // Every query names a hall; what is on in a hall is always on the same sites.
    let halls = ["hall", "barn", "quay", "loft", "mill"];
    expansion.extend((0..50).map(|number| subject(&[&format!("{} {number}", halls[number / 10])], &["a"])));
    let mut found = Vec::new();
    for _ in 0..15 {
        let ask = asked(&mut expansion);
        let hall = ask.text.split(' ').next().unwrap().to_owned();
        expansion.take(ask.number, [&hall], |site| Some((*site).clone()));
        found.push(hall);
    }
    found.sort();
    found.dedup();
    assert_eq!(
        found.len(),
        halls.len(),
        "{found:?}: in their order, fifteen queries would reach two halls"
    );
}

/// Written down after every step and read back, a run goes the same way.
#[test]
fn an_interrupted_run_goes_on() {
    let make = || {
        let settings = ExpansionSettings {
            window: 5,
            chance: 0.2,
            ..settings()
        };
        Expansion::new(settings, subjects(&["s1", "s2", "s3"]))
    };
    let found = || {
        (0..30).map(|number| {
            subject(
                &[&format!("q {number}"), &format!("r {number}")],
                &["a", "b"][..=number % 2],
            )
        })
    };
    let run = |is_interrupted: bool| {
        let (mut expansion, mut trace) = (make(), Vec::new());
        for _ in 0..100 {
            let step = expansion.step();
            if is_interrupted {
                let written = serde_json::to_string(&expansion).unwrap();
                let again: Expansion = serde_json::from_str(&written).unwrap();
                assert_eq!(again, expansion);
                expansion = again;
                assert_eq!(expansion.step(), step);
            }
            trace.push(format!("{step:?}"));
            match step {
                Step::Ask(ask) => {
                    let sites = ask.text.bytes().map(|byte| format!("site {}", byte % 7));
                    expansion.take(ask.number, sites, |site| Some(site.clone()));
                }
                Step::Crawl(_) => {
                    expansion.extend(found());
                }
                Step::Done(_) => break,
            }
        }
        trace
    };
    let whole = run(false);
    assert!(whole.len() > 8, "{whole:?}");
    assert_eq!(run(true), whole);
}
