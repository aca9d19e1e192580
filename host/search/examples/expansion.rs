//! Number of sites of a generated web that a given number of queries leads to: by the seeds alone,
//! by the objects of the seed sites in their order, and by the most promising ones.
//!
//! `cargo run --example expansion -- SITES SEED`
#![expect(clippy::print_stdout, reason = "it is a measurement")]
#![expect(clippy::expect_used, reason = "what is read was made here")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use magpie_lab::{Size, Vertical, Web, WebSpec};
use magpie_model::{Attribute, Kind, Record, SiteKey, VerticalInfo};
use magpie_search::{Expansion, ExpansionSettings, Step, Subject, Votes, read_seeds};
use url::Url;

/// Numbers of queries after which the known sites are counted.
const MARKS: [u32; 7] = [5, 10, 20, 50, 100, 200, 300];
/// Number of popular objects that the seeds of each run are drawn from.
const POOL: usize = 50;
const SEEDS: usize = 5;

fn main() {
    let mut arguments = std::env::args()
        .skip(1)
        .map(|text| text.parse::<u32>().expect("a number"));
    let sites = arguments.next().unwrap_or(60);
    let seed = arguments.next().unwrap_or(1);
    let web = Arc::new(Web::new(
        WebSpec::new(Vertical::Books, Size::Small, seed.into()).with_sites(sites),
    ));
    let info = books();
    let known = known(&web, &info);
    let records: Vec<Record> = web.seeds(POOL).iter().map(|one| record(one, &info)).collect();
    println!("sites known of {sites} after {MARKS:?} queries; then where it ended");
    for run in 0..4 {
        let seeds: Vec<Record> = (0..SEEDS)
            .map(|place| records[(run * 11 + place * 7) % POOL].clone())
            .collect();
        let subjects = || seeds.iter().map(|record| subject(record, &info, &[]));
        println!(
            "seeds alone     {:?}",
            in_order(
                &web,
                records.iter().map(|record| subject(record, &info, &[])).collect()
            )
        );
        println!(
            "in their order  {:?}",
            two_phases(&web, subjects().collect(), &known)
        );
        let (curve, reason) = promising(&web, subjects().collect(), &known, sites);
        println!("most promising  {curve:?} {reason}");
    }
}

/// The objects of every site, with the sites that have them.
type Known = BTreeMap<String, Vec<(Record, BTreeSet<String>)>>;

fn known(web: &Arc<Web>, info: &VerticalInfo) -> Known {
    let truth = web.truth(0);
    let mut known = Known::new();
    for object in &truth.objects {
        let pages = object.pages.iter().map(|page| &truth.pages[*page as usize].url);
        let on: BTreeSet<String> = pages.filter_map(|url| site(url)).collect();
        for site in &on {
            let entry = (record(&object.attributes, info), on.clone());
            known.entry(site.clone()).or_default().push(entry);
        }
    }
    known
}

/// The objects of some sites, each once, site by site.
fn found(known: &Known, sites: &[String], info: &VerticalInfo) -> Vec<Subject> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for site in sites {
        for (record, on) in known.get(site).into_iter().flatten() {
            let on: Vec<String> = sites.iter().filter(|site| on.contains(*site)).cloned().collect();
            if seen.insert(record.to_json().to_string()) {
                found.push(subject(record, info, &on));
            }
        }
    }
    found
}

fn promising(web: &Web, seeds: Vec<Subject>, known: &Known, sites: u32) -> (Vec<usize>, String) {
    let settings = ExpansionSettings {
        sites: sites as usize,
        ..ExpansionSettings::default()
    };
    let mut expansion = Expansion::new(settings, seeds);
    let mut curve = Vec::new();
    loop {
        match expansion.step() {
            Step::Ask(ask) => {
                expansion.take(ask.number, web.search(&ask.text, 1, 0).hits, |hit| site(&hit.url));
                if MARKS.contains(&expansion.asked()) {
                    curve.push(expansion.votes().len());
                }
            }
            Step::Crawl(leading) => {
                let leading: Vec<String> = leading.into_iter().map(|one| one.site).collect();
                expansion.extend(found(known, &leading, &books()));
            }
            Step::Done(reason) => {
                let told = format!(
                    "{reason:?} after {} with {}",
                    expansion.asked(),
                    expansion.votes().len()
                );
                return (curve, told);
            }
        }
    }
}

/// One query for each object, as they come.
fn in_order(web: &Web, subjects: Vec<Subject>) -> Vec<usize> {
    let mut votes = Votes::default();
    ask_all(web, subjects, &mut votes)
}

fn two_phases(web: &Web, seeds: Vec<Subject>, known: &Known) -> Vec<usize> {
    let mut votes = Votes::default();
    let mut curve = ask_all(web, seeds, &mut votes);
    let leading: Vec<String> = votes
        .best(ExpansionSettings::SEED_SITES)
        .into_iter()
        .map(|one| one.site)
        .collect();
    curve.extend(ask_all(web, found(known, &leading, &books()), &mut votes));
    curve
}

fn ask_all(web: &Web, subjects: Vec<Subject>, votes: &mut Votes) -> Vec<usize> {
    let mut curve = Vec::new();
    for subject in subjects {
        let Some(query) = subject.queries.last() else {
            continue;
        };
        votes.take(web.search(&query.text, 1, 0).hits, |hit| site(&hit.url), 0);
        if MARKS.contains(&votes.queries()) {
            curve.push(votes.len());
        }
    }
    curve
}

fn subject(record: &Record, info: &VerticalInfo, sites: &[String]) -> Subject {
    Subject {
        queries: magpie_matching::queries(info, record),
        sites: sites.to_vec(),
    }
}

fn record(attributes: &BTreeMap<String, Vec<String>>, info: &VerticalInfo) -> Record {
    let line = serde_json::to_string(attributes).expect("plain texts");
    let seeds = read_seeds("object", line.as_bytes(), info).expect("an object of the web");
    seeds[0].record.clone()
}

fn site(url: &str) -> Option<String> {
    Some(SiteKey::of_url(&Url::parse(url).ok()?)?.as_str().to_owned())
}

fn books() -> VerticalInfo {
    let attribute = |name: &str, kind: &str, helps: bool| Attribute {
        required: name == "title",
        repeated: name == "authors",
        identifies: helps || name == "isbn",
        query: helps,
        ..Attribute::new(name, Kind::from(kind.to_owned()))
    };
    let attributes = [
        attribute("title", "text", true),
        attribute("subtitle", "text", false),
        attribute("authors", "person", true),
        attribute("publisher", "organisation", false),
        attribute("published", "date-time", false),
        attribute("isbn", "identifier:isbn", false),
        attribute("format", "text", false),
        attribute("pages", "number", false),
        attribute("language", "language", false),
    ];
    VerticalInfo {
        name: "books".to_owned(),
        object_type: "Book".to_owned(),
        attributes: attributes.into(),
        ..VerticalInfo::default()
    }
}
