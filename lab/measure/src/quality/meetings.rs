//! Public meetings: pages of boards, each with many meetings.
//!
//! A meeting is right if start and title are. Some titles in the truth were supplied by a person
//! and do not occur on the page: for such a meeting only the start is compared. (Words as common as
//! `Commission` occur on most pages and are then compared; looser rules are listed next to the
//! strict one.) A page's F1 is over its meetings, and the figure is the mean over pages. Pages that
//! are no HTML (a calendar's JSON, minutes as PDF) are not read by plugins and are skipped; so are
//! meetings whose page is not in the set.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use magpie_model::{Kind, PageContext, Record, VerticalInfo};
use magpie_values::Timestamp;
use magpie_values::text;
use serde_json::Value;

use super::Bench;
use super::pages::{Document, records};
use crate::data::json;
use crate::figure::Report;
use crate::score::{PageScore, Tally, Truth, same};

const CITIES: [&str; 3] = ["chicago-a", "chicago-b", "cleveland"];

/// The pages of one URL, and the meetings that were taken from them.
struct Case {
    name: String,
    documents: Vec<Document>,
    items: Vec<Value>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Titles {
    All,
    OnPage,
    None,
}

/// When a found meeting is an expected one.
struct Rule {
    name: &'static str,
    titles: Titles,
    /// Accepts a title that is a part of the other.
    parts: bool,
    /// The day of the start alone.
    day: bool,
    target: Option<f64>,
}

const RULES: [Rule; 5] = [
    Rule {
        name: "title and start",
        titles: Titles::OnPage,
        parts: false,
        day: false,
        target: Some(0.65),
    },
    Rule {
        name: "title or a part of it, and start",
        titles: Titles::OnPage,
        parts: true,
        day: false,
        target: None,
    },
    Rule {
        name: "title and start, also titles that are not on the page",
        titles: Titles::All,
        parts: false,
        day: false,
        target: None,
    },
    Rule {
        name: "start alone",
        titles: Titles::None,
        parts: false,
        day: false,
        target: None,
    },
    Rule {
        name: "day alone",
        titles: Titles::None,
        parts: false,
        day: true,
        target: None,
    },
];

/// Result of a case, by rule.
type Outcome = [PageScore; RULES.len()];

pub(crate) fn run(bench: &Bench, folder: &Path, report: &mut Report) -> Result<()> {
    let plugin = bench.readers.plugin("events")?;
    let mut all = Vec::new();
    for city in CITIES {
        let cases = cases(city, &folder.join(city))?;
        let outcomes = bench.readers.each(&cases, |case| {
            let (mut found, mut words) = (Vec::new(), String::new());
            for document in &case.documents {
                let page = document.page()?;
                found.extend(records(&plugin, &page));
                let text = page.document().text_of(page.document().root());
                words.push_str(&format!(" {} ", text::bare(&text)));
            }
            Ok(outcome(plugin.info(), case, &found, &words))
        })?;
        let name = format!("events-meetings, {city}: {}", RULES[0].name);
        bench.add_mean(report, name, &tally(&outcomes, 0), None);
        all.extend(outcomes);
    }
    for (at, rule) in RULES.iter().enumerate() {
        let name = format!("events-meetings: {}", rule.name);
        bench.add_mean(report, name, &tally(&all, at), rule.target);
    }
    Ok(())
}

fn tally(outcomes: &[Outcome], rule: usize) -> Tally {
    Tally {
        pages: outcomes.iter().map(|scores| scores[rule].clone()).collect(),
    }
}

fn cases(city: &str, folder: &Path) -> Result<Vec<Case>> {
    let truth = json(&folder.join("truth.json"))?;
    let mut cases = Vec::new();
    for (board, entry) in truth.as_object().context("the truth is no object")? {
        let mut by_page: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
        for item in entry["items"].as_array().into_iter().flatten() {
            by_page
                .entry(item["page_url"].as_str().unwrap_or_default())
                .or_default()
                .push(item.clone());
        }
        for (url, items) in by_page {
            let files = entry["files"].as_array().into_iter().flatten();
            let files = files
                .filter(|file| file["url"] == url)
                .filter_map(|file| file["file"].as_str());
            let mut documents = Vec::new();
            for file in files.filter(|file| file.ends_with(".html")) {
                let mut document = Document::new(folder, file, url)?;
                document.fetched_at = now(&items)?;
                documents.push(document);
            }
            if let Some(first) = documents.first() {
                cases.push(Case {
                    name: format!("{city}/{} ({board})", first.name),
                    documents,
                    items,
                });
            }
        }
    }
    Ok(cases)
}

/// The moment the pages were read at, which is midnight of a day.
fn now(items: &[Value]) -> Result<Timestamp> {
    let moment = items
        .first()
        .and_then(|item| item["frozen_now"].as_str())
        .unwrap_or_default();
    let moment = magpie_values::date::parse_iso(moment).with_context(|| format!("no moment: {moment:?}"))?;
    Ok(Timestamp::from_seconds(moment.end_unix(0)))
}

fn outcome(info: &VerticalInfo, case: &Case, found: &[Record], words: &str) -> Outcome {
    let truths: Vec<Truth> = case.items.iter().map(|item| truth(info, &item["item"])).collect();
    let on_page = |truth: &Truth| {
        let title = truth.all("name").first().map(|title| text::bare(title));
        title.is_some_and(|title| !title.is_empty() && words.contains(&format!(" {title} ")))
    };
    let on_page: Vec<bool> = truths.iter().map(on_page).collect();
    std::array::from_fn(|at| matched(&case.name, &RULES[at], &truths, &on_page, found))
}

fn truth(info: &VerticalInfo, item: &Value) -> Truth {
    let text = |name: &str| item[name].as_str().unwrap_or_default().to_owned();
    Truth::new(
        info,
        &PageContext::default(),
        &[("name", text("title")), ("start", text("start"))],
    )
}

/// Each found object for one expected at most; those whose title is asked choose first.
fn matched(name: &str, rule: &Rule, truths: &[Truth], on_page: &[bool], found: &[Record]) -> PageScore {
    let mut left: Vec<&Record> = found.iter().collect();
    let mut missed = Vec::new();
    for asks_title in [true, false] {
        let turn = truths.iter().zip(on_page).filter(|(_, on_page)| {
            let asked = match rule.titles {
                Titles::All => true,
                Titles::OnPage => **on_page,
                Titles::None => false,
            };
            asked == asks_title
        });
        for (truth, _) in turn {
            let fits = |record: &&Record| {
                starts_agree(rule, truth, record) && (!asks_title || titles_agree(rule, truth, record))
            };
            match left.iter().position(fits) {
                Some(at) => drop(left.swap_remove(at)),
                None => missed.push(format!("{:?} {:?}", truth.all("start"), truth.all("name"))),
            }
        }
    }
    let told = |record: &&Record| {
        let value = |attribute| record.get(attribute).unwrap_or_default();
        format!("{} {}", value("start"), value("name"))
    };
    PageScore {
        page: name.to_owned(),
        expected: truths.len(),
        found: found.len(),
        right: truths.len() - missed.len(),
        told: format!(
            "{} expected, {} found; missed {:?}; wrong {:?}",
            truths.len(),
            found.len(),
            missed.iter().take(3).collect::<Vec<_>>(),
            left.iter().map(told).take(3).collect::<Vec<_>>()
        ),
        ..PageScore::default()
    }
}

fn starts_agree(rule: &Rule, truth: &Truth, record: &Record) -> bool {
    let Some((expected, found)) = pair(truth, record, "start") else {
        return false;
    };
    let day = |text: &str| text.split('T').next().map(str::to_owned);
    if rule.day {
        day(expected) == day(found)
    } else {
        same(&Kind::DateTime, expected, found)
    }
}

fn titles_agree(rule: &Rule, truth: &Truth, record: &Record) -> bool {
    let Some((expected, found)) = pair(truth, record, "name") else {
        return false;
    };
    let [one, other] = [expected, found].map(|title| format!(" {} ", text::bare(title)));
    same(&Kind::Text, expected, found)
        || (rule.parts && (one.contains(&other) || other.contains(&one)) && one.len().min(other.len()) > 2)
}

fn pair<'a>(truth: &'a Truth, record: &'a Record, attribute: &str) -> Option<(&'a str, &'a str)> {
    let expected = truth.all(attribute).first()?;
    Some((expected.as_str(), record.get(attribute)?))
}

#[cfg(test)]
mod tests {
    use magpie_model::RecordValue;

    use super::*;

    fn truth(name: &str, start: &str) -> Truth {
        let attribute = |name: &str, kind| magpie_model::Attribute {
            name: name.to_owned(),
            kind,
            label: String::new(),
            required: false,
            repeated: false,
            identifies: false,
            query: false,
            expires: false,
            schema_org: None,
            weight: 1.0,
        };
        let info = VerticalInfo {
            attributes: vec![attribute("name", Kind::Text), attribute("start", Kind::DateTime)],
            ..VerticalInfo::default()
        };
        let values = [("name", name.to_owned()), ("start", start.to_owned())];
        Truth::new(&info, &PageContext::default(), &values)
    }

    fn record(name: &str, start: &str) -> Record {
        let value = |attribute: &str, value: &str| RecordValue {
            attribute: attribute.to_owned(),
            value: value.to_owned(),
            raw: None,
            node: None,
            repeated: false,
        };
        Record {
            values: vec![value("name", name), value("start", start)],
            ..Record::default()
        }
    }

    #[test]
    fn titles_are_asked_where_the_page_has_them() {
        let truths = [
            truth("Supplied", "2024-01-12T10:00:00"),
            truth("Finance", "2024-01-12T10:00:00"),
            truth("Parks", "2024-01-13T10:00:00"),
        ];
        let found = [
            record("Finance", "2024-01-12T10:00"),
            record("Something", "2024-01-12T10:00"),
            record("Board of Parks", "2024-01-13"),
        ];
        let right = |rule: &Rule| matched("p", rule, &truths, &[false, true, true], &found).right;
        assert_eq!(RULES.each_ref().map(right), [2, 2, 1, 2, 3]);
    }

    #[test]
    fn a_part_of_a_title_is_whole_words() {
        let agree =
            |one: &str, other: &str| titles_agree(&RULES[1], &truth(one, "2024"), &record(other, "2024"));
        assert!(agree("Commission", "Community Development Commission"));
        assert!(agree("Board Meeting - January 12", "Board Meeting"));
        assert!(!agree("Mission", "Commission"));
        assert!(!agree("!", "Commission"));
    }
}
