//! Lessons of a site (`magpie_reading`): the vertical alone, and with what was learned of the
//! site, on all pages of whole sites.
//!
//! Each site is read as it is and without its structured data, and with the vertical made worse at
//! random: it misses a share of its values, or states values of other objects. A page counts as
//! read if one record has the name of its object and, where the truth has one, its day. Attributes
//! are scored on the record with the right name, so an object without a record misses all. Objects
//! whose truth lacks what the vertical requires and other objects of the site have, such as the day
//! of an event, are left out: no record may be made of them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use magpie_model::{Kind, PageContext, Record, VerticalInfo};
use magpie_page::Page;
use magpie_reading::{Learner, Outcome, Reading, Seen};
use magpie_values::date::Date;
use magpie_values::{Timestamp, text};
use serde_json::Value;

use crate::data::{self, Sets};
use crate::figure::{Figure, Report, tell};
use crate::quality::pages::{Document, Readers, records};
use crate::random::Random;
use crate::score::{PageScore, Tally, Truth, is_same_moment};
use crate::site::mirror::{Mirror, TRUTH};

struct Site {
    set: &'static str,
    vertical: &'static str,
    /// A day on which its pages were current.
    saved: &'static str,
    /// Share of the pages of objects that should be read.
    aim: Option<f64>,
}

const fn site(set: &'static str, vertical: &'static str, saved: &'static str, aim: Option<f64>) -> Site {
    Site {
        set,
        vertical,
        saved,
        aim,
    }
}

const SITES: [Site; 6] = [
    site("site-nthp", "events", "2018-06-01", Some(0.95)),
    site("site-majalis", "events", "2026-07-20", Some(0.95)),
    site("site-good2025", "events", "2025-03-01", None),
    site("site-horizon19", "events", "2019-07-20", None),
    site("site-cobida", "products", "2021-08-31", None),
    site("site-elnorteno", "products", "2019-11-01", None),
];

/// Names that the truth has for attributes of the verticals.
const RENAMED: [(&str, &str); 5] = [
    ("title", "name"),
    ("location", "venue"),
    ("author", "performers"),
    ("date", "start"),
    ("name", "name"),
];

/// Attributes that are scored, beside the name that objects are found by.
const SCORED: [&str; 6] = ["start", "venue", "performers", "price", "brand", "sku"];

/// Changes to what the vertical found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Vertical {
    AsItIs,
    Missing,
    Wrong,
}

/// Shares of values that a worse vertical misses or gets wrong.
const MISSED: f64 = 0.4;
const WRONG: f64 = 0.3;

/// Most that an attribute F1 of a site may fall.
const MAX_LOSS: f64 = 0.01;

/// Bounds of the time for 1,000 pages and for one. They are aims of an optimised build.
const MAX_LEARNING: f64 = 2.0;
const MAX_READING: f64 = 0.2;

/// Values of an object in normal form, by attribute.
struct Expected {
    names: Vec<String>,
    truth: Truth,
}

/// A page and its records.
struct Sheet {
    page: Arc<Page>,
    context: PageContext,
    records: Vec<Record>,
}

/// The comparison of records with the truth.
#[derive(Default)]
struct Score {
    objects: usize,
    read: usize,
    tallies: BTreeMap<&'static str, Tally>,
}

impl Score {
    fn mean(&self) -> f64 {
        let scored: Vec<f64> = self
            .tallies
            .values()
            .filter(|tally| tally.asked() > 0)
            .map(Tally::f1)
            .collect();
        scored.iter().sum::<f64>() / scored.len().max(1) as f64
    }

    fn share(&self) -> f64 {
        self.read as f64 / self.objects.max(1) as f64
    }
}

pub(crate) fn run(options: &data::Options, report: &mut Report) -> Result<()> {
    let sets = Sets::new(options.data.clone());
    let readers = Readers::new()?;
    for site in SITES.iter().filter(|site| options.wants("reading", site.set)) {
        if let Some(folder) = sets.find(site.set) {
            tell(&format!("measuring {}", site.set));
            measure(&readers, site, &folder, options.verbose, report)
                .with_context(|| format!("{} can't be measured", site.set))?;
        }
    }
    Ok(())
}

fn measure(
    readers: &Readers,
    site: &Site,
    folder: &Path,
    is_verbose: bool,
    report: &mut Report,
) -> Result<()> {
    let plugin = readers.plugin(site.vertical)?;
    let info = plugin.info().clone();
    let day = Timestamp::parse(site.saved).with_context(|| format!("{} is no day", site.saved))?;
    let mirror = Mirror::read(folder)?;
    let documents: Vec<Document> = mirror
        .documents()
        .map(|(_, document)| Document {
            fetched_at: day,
            ..document
        })
        .collect();
    let truth = read_truth(folder, &info, day)?;
    for is_stripped in [false, true] {
        let sheets = readers.each(&documents, |document| {
            let mut page = document.page()?;
            if is_stripped {
                page = document.stripped(&page)?;
            }
            Ok(Sheet {
                records: records(&plugin, &page),
                context: magpie_reading::context_of(&page),
                page,
            })
        })?;
        for vertical in [Vertical::AsItIs, Vertical::Missing, Vertical::Wrong] {
            let found = worsened(&info, &sheets, vertical);
            let way = if is_stripped { "stripped" } else { "as it is" };
            let title = match vertical {
                Vertical::AsItIs => format!("{}, {way}", site.set),
                Vertical::Missing => format!("{}, {way}, 40 % missed", site.set),
                Vertical::Wrong => format!("{}, {way}, 30 % wrong", site.set),
            };
            let (outcomes, learning, reading) = learned(&info, &mirror, &sheets, &found);
            let alone = score(&info, &truth, &sheets, |at| found[at].iter().collect());
            let with = score(&info, &truth, &sheets, |at| {
                outcomes[at].records.iter().map(|read| &read.record).collect()
            });
            let mut pages = Figure::new(
                format!("{title}: pages read"),
                with.share(),
                "of the pages of objects",
            )
            .more_is_better()
            .beside("by the vertical alone", alone.share())
            .beside("objects", with.objects as f64);
            if let (Some(aim), Vertical::AsItIs) = (site.aim, vertical) {
                pages = pages.at_least(aim);
            }
            report.add(pages);
            report.add(
                Figure::new(format!("{title}: attributes"), with.mean(), "F1")
                    .at_least(alone.mean() - MAX_LOSS)
                    .beside("by the vertical alone", alone.mean()),
            );
            if is_verbose {
                for (attribute, tally) in &with.tallies {
                    let before = alone.tallies.get(attribute).map_or(0.0, Tally::f1);
                    tell(&format!("{title}: {attribute} {before:.3} -> {:.3}", tally.f1()));
                    tally
                        .worst(3)
                        .iter()
                        .for_each(|page| tell(&format!("    {}: {}", page.page, page.told)));
                }
            }
            if vertical == Vertical::AsItIs && !is_stripped {
                let of = sheets.len() as f64;
                let learning = learning.as_secs_f64() / of * 1000.0;
                report.add(
                    Figure::new(format!("{title}: learning 1,000 pages"), learning, "s")
                        .at_most(MAX_LEARNING),
                );
                let reading = reading.as_secs_f64() / of * 1000.0;
                report.add(
                    Figure::new(format!("{title}: reading a parsed page"), reading, "ms")
                        .at_most(MAX_READING),
                );
            }
        }
    }
    Ok(())
}

/// The records of all pages as a worse vertical would find them.
fn worsened(info: &VerticalInfo, sheets: &[Sheet], vertical: Vertical) -> Vec<Vec<Record>> {
    let mut random = Random::new(1, 1);
    let mut pool: HashMap<&str, Vec<&str>> = HashMap::new();
    for value in sheets
        .iter()
        .flat_map(|sheet| &sheet.records)
        .flat_map(|record| &record.values)
    {
        pool.entry(&value.attribute).or_default().push(&value.value);
    }
    let mut change = |record: &Record| {
        let mut record = record.clone();
        match vertical {
            Vertical::AsItIs => {}
            Vertical::Missing => record.values.retain(|_| random.share() >= MISSED),
            Vertical::Wrong => {
                for value in &mut record.values {
                    if random.share() < WRONG
                        && let Some(other) = random.pick(&pool[value.attribute.as_str()])
                    {
                        (*other).clone_into(&mut value.value);
                        value.raw = None;
                        // It does not stand where the right one does.
                        value.node = value.node.map(|_| 0);
                    }
                }
            }
        }
        let is_whole = info
            .attributes
            .iter()
            .all(|one| !one.required || record.get(&one.name).is_some());
        is_whole.then_some(record)
    };
    sheets
        .iter()
        .map(|sheet| sheet.records.iter().filter_map(&mut change).collect())
        .collect()
}

/// Learns a site and reads all its pages; the outcomes, and the times of both.
fn learned(
    info: &VerticalInfo,
    mirror: &Mirror,
    sheets: &[Sheet],
    found: &[Vec<Record>],
) -> (Vec<Outcome>, Duration, Duration) {
    // Parsing is not measured.
    sheets.iter().for_each(|sheet| {
        sheet.page.structured_data();
    });
    let begin = Instant::now();
    let mut learner = Learner::new(info, mirror.host());
    for (sheet, records) in sheets.iter().zip(found) {
        learner.see(Seen {
            page: &sheet.page,
            context: &sheet.context,
            records,
        });
    }
    let reading: Reading = learner.learn(None);
    let learning = begin.elapsed();
    let mut lists: HashMap<&str, Vec<Record>> = HashMap::new();
    for (sheet, records) in sheets.iter().zip(found) {
        for record in records {
            if let Some(url) = record.get("url").filter(|url| *url != sheet.context.url) {
                lists.entry(bare(url)).or_default().push(record.clone());
            }
        }
    }
    let begin = Instant::now();
    let read = sheets.iter().zip(found).map(|(sheet, records)| {
        let lists = lists
            .get(bare(&sheet.context.url))
            .map(Vec::as_slice)
            .unwrap_or_default();
        reading.read(&sheet.page, &sheet.context, records.clone(), lists)
    });
    let outcomes = read.collect();
    (outcomes, learning, begin.elapsed())
}

fn bare(url: &str) -> &str {
    url.strip_suffix("index.html")
        .unwrap_or(url)
        .trim_end_matches('/')
}

/// The objects of each judged page.
fn read_truth(folder: &Path, info: &VerticalInfo, day: Timestamp) -> Result<HashMap<String, Vec<Expected>>> {
    let mut truth = HashMap::new();
    for line in data::text(&folder.join(TRUTH))?.lines() {
        let row: Value = serde_json::from_str(line).with_context(|| format!("truth.jsonl: {line}"))?;
        let url = row["url"].as_str().context("a line of truth.jsonl has no url")?;
        let context = PageContext {
            url: url.to_owned(),
            day: Date::from_days(day.as_days()),
            ..PageContext::default()
        };
        let objects = row["objects"].as_array().into_iter().flatten();
        truth.insert(
            url.to_owned(),
            objects.map(|object| expected(info, &context, object)).collect(),
        );
    }
    Ok(truth)
}

fn expected(info: &VerticalInfo, context: &PageContext, object: &Value) -> Expected {
    let mut names = Vec::new();
    let mut values: Vec<(&str, String)> = Vec::new();
    let currency = object["currency"][0].as_str().unwrap_or_default();
    for (theirs, listed) in object.as_object().into_iter().flatten() {
        let ours = RENAMED
            .iter()
            .find(|(name, _)| name == theirs)
            .map_or(theirs.as_str(), |(_, ours)| ours);
        for value in listed.as_array().into_iter().flatten().filter_map(Value::as_str) {
            match ours {
                "name" => names.push(text::bare(value)),
                // A price of nothing means that it is told on request.
                "price" if value.bytes().all(|byte| matches!(byte, b'0' | b'.')) => {}
                "price" => values.push((ours, format!("{value} {currency}").trim().to_owned())),
                _ => values.push((ours, value.to_owned())),
            }
        }
    }
    Expected {
        names,
        truth: Truth::new(info, context, &values),
    }
}

fn score<'a>(
    info: &VerticalInfo,
    truth: &HashMap<String, Vec<Expected>>,
    sheets: &[Sheet],
    found: impl Fn(usize) -> Vec<&'a Record>,
) -> Score {
    let mut score = Score::default();
    let has = |object: &Expected, name: &str| !object.truth.all(name).is_empty();
    // A truth may lack days throughout, though the pages have them.
    let is_known = |name: &str| truth.values().flatten().any(|object| has(object, name));
    let required = info.attributes.iter().filter(|attribute| attribute.required);
    let required: Vec<&str> = required
        .map(|attribute| attribute.name.as_str())
        .filter(|name| is_known(name))
        .collect();
    for (at, sheet) in sheets.iter().enumerate() {
        let records = found(at);
        for object in truth.get(&sheet.context.url).into_iter().flatten() {
            if !required.iter().all(|name| has(object, name)) {
                continue;
            }
            score.objects += 1;
            let named: Vec<&&Record> = records
                .iter()
                .filter(|record| {
                    record
                        .get("name")
                        .is_some_and(|name| object.names.contains(&text::bare(name)))
                })
                .collect();
            let starts = object.truth.all("start");
            let begins = |record: &&Record| {
                starts.is_empty()
                    || record
                        .all("start")
                        .any(|found| starts.iter().any(|start| is_same_moment(start, found)))
            };
            score.read += usize::from(named.iter().any(|record| begins(record)));
            for attribute in SCORED {
                let kind = info.attribute(attribute).map_or(&Kind::Text, |known| &known.kind);
                let expected = object.truth.all(attribute);
                if expected.is_empty() {
                    continue;
                }
                let values: BTreeSet<&str> = named.iter().flat_map(|record| record.all(attribute)).collect();
                // Several times or prices of one object are told apart by the day alone.
                let right = values.iter().find(|found| match kind {
                    Kind::DateTime => expected.iter().any(|one| is_same_moment(one, found)),
                    _ => expected.iter().any(|one| crate::score::same(kind, one, found)),
                });
                let shown: Vec<&str> = match right {
                    Some(_) if *kind == Kind::DateTime => expected.iter().map(String::as_str).collect(),
                    Some(right) if expected.len() == 1 => vec![*right],
                    _ => values.into_iter().collect(),
                };
                let page = PageScore::of(&sheet.context.url, kind, expected, &shown);
                score.tallies.entry(attribute).or_default().push(page);
            }
        }
    }
    score
}
