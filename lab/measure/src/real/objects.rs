//! Objects: those of a workspace beside those that a site truly has.
//!
//! An object of the workspace stands for a true object with its name, or for the one whose page its
//! `url` is if the names have most words in common. Of several true objects with one name it stands
//! for the one whose page its `url` is, whose beginnings it has, on whose page it was found, or
//! whose number or price it has. An object that has none of these stands for the first.
//!
//! An object with several beginnings may stand for several true objects: some sites have a page for
//! each evening of a play.
//!
//! - *Found*: true objects that an object stands for, of those on pages that links lead to.
//! - *Listed again*: objects that stand only for true objects for which others stand already.
//! - *Untrue*: objects that stand for none. On sites where some judged pages have objects and some
//!   have none, those of other pages are not judged: they may be true. On the other sites, those
//!   are
//!   not judged whose own pages were not saved.
//! - *Merged*: objects with records of pages about different true objects.
//! - *Right values*: of the objects that stand for a true one with a value of the attribute. An
//!   object without a value has none that is right.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::ControlFlow;

use anyhow::Result;
use magpie_model::{Kind, Record};
use magpie_rows::{Catalogue as _, ObjectFilter};
use magpie_values::{Timestamp, text};
use url::Url;

use super::truth::{ObjectNumber, SiteTruth};
use super::workspace::Workspace;
use crate::figure::{Figure, Report};
use crate::mean::{resampled, wilson};
use crate::score::{amount, is_same_day, is_same_moment, same};
use crate::site::mirror::{FileNumber, Mirror};

/// Share of words that two names of one page have in common, at least.
const ALIKE: f64 = 0.5;

/// Pages of an object that are listed.
const SHOWN: usize = 3;

/// Confidence from which an object of a site without objects is a false claim.
const CLAIMED: f64 = 0.5;

/// The attributes of which right values are counted, with their aims.
const ATTRIBUTES: [(&str, &str, Option<f64>); 5] = [
    ("name", "name", None),
    ("start", "start day", Some(0.98)),
    ("price", "price with currency", Some(0.97)),
    ("brand", "brand", Some(0.9)),
    ("url", "url", None),
];

const FOUND: f64 = 0.9;
const AGAIN: f64 = 0.1;
const UNTRUE: f64 = 0.05;

/// An object of a workspace.
#[derive(Default)]
pub(super) struct Listed {
    pub(super) id: i64,
    pub(super) record: Record,
    pub(super) members: Vec<Member>,
    /// The end of its last date.
    pub(super) expires_at: Option<Timestamp>,
    /// The file that its URL leads to.
    pub(super) leads_to: Option<FileNumber>,
    /// Is true if its URL, or one that its records name, is of a page of the site that was not
    /// saved.
    pub(super) is_unsaved: bool,
}

/// A record of an object and its page.
pub(super) struct Member {
    pub(super) record: Record,
    pub(super) url: String,
    pub(super) file: Option<FileNumber>,
}

/// Returns the objects of a workspace that pages show.
pub(super) fn listed(workspace: &Workspace<'_>, mirror: &Mirror) -> Result<Vec<Listed>> {
    let reader = workspace.reader()?;
    let mut rows = Vec::new();
    reader.objects(&ObjectFilter::default(), &mut |object| {
        rows.push((object.id, object.record, object.expires_at));
        ControlFlow::Continue(())
    })?;
    let file = |url: &str| mirror.file(&url.parse().ok()?);
    let mut listed = Vec::with_capacity(rows.len());
    for (id, record, expires_at) in rows {
        let members = reader.members_of(id)?.into_iter();
        let members = members.filter(|member| member.current).map(|member| Member {
            file: file(&member.url),
            record: member.record,
            url: member.url,
        });
        let members: Vec<Member> = members.collect();
        if members.is_empty() {
            continue;
        }
        let is_unsaved = |url: &str| {
            let url: Option<Url> = url.parse().ok();
            url.is_some_and(|url| url.host_str() == Some(mirror.host()) && mirror.file(&url).is_none())
        };
        // If a URL does not answer, the object shows the URL of its list instead.
        let urls = members.iter().filter_map(|member| member.record.get("url"));
        listed.push(Listed {
            id: id.0,
            leads_to: record.get("url").and_then(file),
            is_unsaved: urls.chain(record.get("url")).any(is_unsaved),
            record,
            members,
            expires_at,
        });
    }
    Ok(listed)
}

/// The reason for which an object stands for a true one; the strongest is the least.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Evidence {
    Url,
    Start,
    Page,
    Number,
    Price,
    Name,
}

/// The values of an attribute of all objects that stand for a true one.
#[derive(Clone, Copy, Default)]
struct Values {
    right: usize,
    wrong: usize,
    missing: usize,
}

impl Values {
    fn all(self) -> usize {
        self.right + self.wrong + self.missing
    }
}

/// The objects of a workspace, judged.
#[derive(Default)]
pub(super) struct Judgement {
    listed: usize,
    unjudged: usize,
    again: usize,
    untrue: usize,
    merged: usize,
    pub(super) found: HashSet<ObjectNumber>,
    /// Untrue objects that may be parts of a true one: they have a time of day, on a page about an
    /// object with a beginning. The truth may be of whole events only.
    parts: usize,
    /// Pages with an untrue object of more than half confidence.
    claimed: BTreeSet<String>,
    values: BTreeMap<&'static str, Values>,
    /// Untrue, repeated, wrong and merged objects, for people: a line each, with tabulators.
    pub(super) lines: Vec<String>,
}

impl Judgement {
    /// Judges objects. Years of pages are asked for only where an object lacks one.
    pub(super) fn of(
        objects: &[Listed],
        truth: &SiteTruth,
        states_year: &dyn Fn(ObjectNumber, &str) -> bool,
    ) -> Judgement {
        let mut judgement = Judgement::default();
        let mut matched = Vec::new();
        for object in objects {
            let members = object.members.iter().filter_map(|member| member.file);
            let is_judged = match truth.is_complete() {
                true => !object.is_unsaved,
                false => members.clone().any(|file| truth.on(file).is_some()),
            };
            let (meant, evidence) = meant(object, truth);
            if !meant.is_empty() {
                matched.push((evidence, meant, object));
            } else if is_judged {
                judgement.untrue += 1;
                if object.record.confidence > CLAIMED {
                    let urls = object.members.iter().map(|member| member.url.clone());
                    judgement.claimed.extend(urls);
                }
                let has_time = object.record.all("start").any(|start| start.contains('T'));
                let begins = |subject| !truth.values(subject, "start").is_empty();
                let mut subjects = members.filter_map(|file| truth.subject(file));
                judgement.parts += usize::from(has_time && subjects.any(begins));
                judgement.tell("untrue", object, truth, "");
            } else {
                judgement.unjudged += 1;
            }
        }
        matched.sort_by(|(one, _, object), (another, _, other)| {
            let surer = other.record.confidence.total_cmp(&object.record.confidence);
            one.cmp(another).then(surer).then(object.id.cmp(&other.id))
        });
        for (_, meant, object) in &matched {
            let known = judgement.found.len();
            judgement.found.extend(meant.iter().copied());
            if judgement.found.len() == known {
                judgement.again += 1;
                judgement.tell("again", object, truth, &described(truth, meant));
            }
            let subjects = subjects(object, truth);
            if subjects.len() > 1 && !subjects.iter().all(|number| meant.contains(number)) {
                judgement.merged += 1;
                let subjects: Vec<ObjectNumber> = subjects.into_iter().collect();
                judgement.tell("merged", object, truth, &described(truth, &subjects));
            }
            for (attribute, ..) in ATTRIBUTES {
                let right = is_right(object, truth, meant, attribute, states_year);
                let has_value = object.record.get(attribute).is_some();
                let values = judgement.values.entry(attribute).or_default();
                match right {
                    Some(true) => values.right += 1,
                    Some(false) if has_value => values.wrong += 1,
                    Some(false) => values.missing += 1,
                    None => continue,
                }
                if right == Some(false) {
                    let expected = match attribute {
                        "url" => String::new(),
                        _ => truth.values(meant[0], attribute).join(" | "),
                    };
                    let what = format!("{} {attribute}", if has_value { "wrong" } else { "no" });
                    judgement.tell(&what, object, truth, &expected);
                }
            }
        }
        judgement.listed = matched.len() + judgement.untrue;
        judgement
    }

    fn tell(&mut self, what: &str, object: &Listed, truth: &SiteTruth, beside: &str) {
        let record = &object.record;
        let value = |attribute| record.get(attribute).unwrap_or("-");
        let dated = record.get("start").or(record.get("price")).unwrap_or("-");
        let pages: BTreeSet<&str> = object.members.iter().map(|member| member.url.as_str()).collect();
        let more = pages.len().saturating_sub(SHOWN);
        let mut pages: Vec<String> = pages.into_iter().take(SHOWN).map(str::to_owned).collect();
        if more > 0 {
            pages.push(format!("and {more} more"));
        }
        self.lines.push(format!(
            "{what}\t#{}\t{:.2}\t{}\t{dated}\t{}\t{beside}\t{}",
            object.id,
            record.confidence,
            value(truth.name_attribute()),
            value("url"),
            pages.join(" ")
        ));
    }

    /// Adds the reachable true objects that none stands for to the lines.
    pub(super) fn tell_missed(
        &mut self,
        truth: &SiteTruth,
        reachable: &HashSet<ObjectNumber>,
        url: &dyn Fn(FileNumber) -> String,
    ) {
        let mut missed: Vec<ObjectNumber> = reachable.difference(&self.found).copied().collect();
        missed.sort_unstable();
        for number in missed {
            let page = truth
                .details(number)
                .first()
                .map_or_else(String::new, |file| url(*file));
            self.lines.push(format!(
                "missed\t\t\t{}\t\t{page}\t\t",
                described(truth, &[number])
            ));
        }
    }

    /// Adds the figures of a site.
    pub(super) fn report(
        &self,
        title: &str,
        truth: &SiteTruth,
        reachable: &HashSet<ObjectNumber>,
        fetched: usize,
        means: &mut Means,
        report: &mut Report,
    ) {
        if truth.len() == 0 {
            let claimed = self.claimed.len().min(fetched);
            let figure = Figure::new(
                format!("{title}, pages with an object of more than 50 % confidence"),
                wilson(claimed, fetched),
                "of the fetched pages",
            );
            report.add(
                figure
                    .at_most(0.0)
                    .beside("pages", claimed as f64)
                    .beside("fetched", fetched as f64)
                    .beside("untrue objects", self.untrue as f64),
            );
            return;
        }
        let found = self.found.intersection(reachable).count();
        let mut add = |what: &str, part: usize, of: usize, unit, finish: &dyn Fn(Figure) -> Figure| {
            if of > 0 {
                let figure = Figure::new(format!("{title}, {what}"), wilson(part, of), unit);
                report.add(finish(figure));
                means.add(what, part as f64 / of as f64);
            }
        };
        add(
            "distinct found",
            found,
            reachable.len(),
            "of the objects within reach",
            &|figure| {
                figure
                    .at_least(FOUND)
                    .beside("found", found as f64)
                    .beside("within reach", reachable.len() as f64)
                    .beside("found beyond", (self.found.len() - found) as f64)
            },
        );
        add(
            "listed again",
            self.again,
            self.listed,
            "of the objects",
            &|figure| {
                figure
                    .at_most(AGAIN)
                    .beside("again", self.again as f64)
                    .beside("objects", self.listed as f64)
            },
        );
        add("untrue", self.untrue, self.listed, "of the objects", &|figure| {
            figure
                .at_most(UNTRUE)
                .beside("untrue", self.untrue as f64)
                .beside("of them perhaps parts", self.parts as f64)
                .beside("merged", self.merged as f64)
                .beside("not judged", self.unjudged as f64)
        });
        for (attribute, what, aim) in ATTRIBUTES {
            let values = self.values.get(attribute).copied().unwrap_or_default();
            add(
                &format!("{what} right"),
                values.right,
                values.all(),
                "of the true objects listed",
                &|figure| {
                    let figure = figure
                        .more_is_better()
                        .beside("wrong", values.wrong as f64)
                        .beside("missing", values.missing as f64);
                    match aim {
                        Some(aim) => figure.at_least(aim),
                        None => figure,
                    }
                },
            );
        }
    }
}

/// The shares of all sites, by the way in which they were shown and by what was measured.
#[derive(Default)]
pub(super) struct Means {
    way: &'static str,
    shares: Vec<(&'static str, String, Vec<f64>)>,
}

impl Means {
    /// Sets the way in which the sites of the following shares are shown.
    pub(super) fn set_way(&mut self, way: &'static str) {
        self.way = way;
    }

    fn add(&mut self, what: &str, share: f64) {
        let known = self
            .shares
            .iter_mut()
            .find(|(way, of, _)| *way == self.way && of == what);
        match known {
            Some((_, _, shares)) => shares.push(share),
            None => self.shares.push((self.way, what.to_owned(), vec![share])),
        }
    }

    /// Adds the mean of all sites, each of which counts once.
    pub(super) fn report(&self, report: &mut Report) {
        for (way, what, shares) in self.shares.iter().filter(|(.., shares)| shares.len() > 1) {
            let figure = Figure::new(
                format!("all sites: crawled {way}, {what}"),
                resampled(shares),
                "of a site's, on average",
            );
            let less_is_better = ["listed again", "untrue"].contains(&what.as_str());
            let (worst, figure) = match less_is_better {
                true => (shares.iter().copied().fold(0.0, f64::max), figure),
                false => (
                    shares.iter().copied().fold(1.0, f64::min),
                    figure.more_is_better(),
                ),
            };
            report.add(
                figure
                    .beside("worst site", worst)
                    .beside("sites", shares.len() as f64),
            );
        }
    }
}

/// Returns the true objects that an object stands for, and why.
fn meant(object: &Listed, truth: &SiteTruth) -> (Vec<ObjectNumber>, Evidence) {
    let record = &object.record;
    let names = record.all(truth.name_attribute());
    let mut named: Vec<ObjectNumber> = Vec::new();
    for number in names.flat_map(|name| truth.named(name)) {
        if !named.contains(number) {
            named.push(*number);
        }
    }
    let linked = object.leads_to.and_then(|file| truth.subject(file));
    if named.is_empty() {
        let alike = linked.filter(|number| is_alike(record, truth, *number));
        return (alike.into_iter().collect(), Evidence::Url);
    }
    let begins = |number: &ObjectNumber| {
        let starts = truth.values(*number, "start");
        starts
            .iter()
            .any(|start| record.all("start").any(|other| is_same_moment(start, other)))
    };
    let begun: Vec<ObjectNumber> = named.iter().copied().filter(begins).collect();
    if let Some(linked) = linked.filter(|number| named.contains(number)) {
        let mut meant = vec![linked];
        if record.all("start").count() > 1 {
            meant.extend(begun.into_iter().filter(|number| *number != linked));
        }
        return (meant, Evidence::Url);
    }
    if !begun.is_empty() {
        return (begun, Evidence::Start);
    }
    let subjects = subjects(object, truth);
    let numbered = |number: &ObjectNumber| {
        let numbers = truth.values(*number, "sku");
        numbers
            .iter()
            .any(|one| record.all("sku").any(|other| one == other))
    };
    let priced = |number: &ObjectNumber| {
        truth
            .values(*number, "price")
            .iter()
            .any(|price| amount(price) != Some(0.0))
            && record.get("price").is_some()
            && truth.price_agrees(record, *number)
    };
    let first =
        |is_meant: &dyn Fn(&ObjectNumber) -> bool| named.iter().copied().find(|number| is_meant(number));
    let by = [
        (first(&|number| subjects.contains(number)), Evidence::Page),
        (first(&numbered), Evidence::Number),
        (first(&priced), Evidence::Price),
        (named.first().copied(), Evidence::Name),
    ];
    by.into_iter()
        .find_map(|(number, evidence)| Some((vec![number?], evidence)))
        .unwrap_or((Vec::new(), Evidence::Name))
}

/// Returns the true objects with a record of the object on the page about them, by their names.
fn subjects(object: &Listed, truth: &SiteTruth) -> BTreeSet<ObjectNumber> {
    let own = object.members.iter().filter_map(|member| {
        let subject = truth.subject(member.file?)?;
        let mut names = member.record.all(truth.name_attribute());
        names
            .any(|name| truth.named(name).contains(&subject))
            .then_some(subject)
    });
    own.collect()
}

fn is_alike(record: &Record, truth: &SiteTruth, number: ObjectNumber) -> bool {
    let words = |name: &str| text::tokens(name).into_iter().collect::<HashSet<String>>();
    let name = truth.name_attribute();
    let alike = |one: &str, other: &str| {
        let (one, other) = (words(one), words(other));
        let all = one.union(&other).count();
        all > 0 && one.intersection(&other).count() as f64 >= ALIKE * all as f64
    };
    record
        .all(name)
        .any(|one| truth.values(number, name).iter().any(|other| alike(one, other)))
}

/// Returns true if an object has a right value; none if the truth has no value to compare with.
fn is_right(
    object: &Listed,
    truth: &SiteTruth,
    meant: &[ObjectNumber],
    attribute: &str,
    states_year: &dyn Fn(ObjectNumber, &str) -> bool,
) -> Option<bool> {
    if attribute == "url" {
        truth.kind("url")?;
        let details = || meant.iter().flat_map(|number| truth.details(*number));
        details().next()?;
        return Some(
            object
                .leads_to
                .is_some_and(|file| details().any(|own| *own == file)),
        );
    }
    let attribute = if attribute == "name" {
        truth.name_attribute()
    } else {
        attribute
    };
    let kind = truth.kind(attribute)?;
    let mut is_stated = false;
    let is_right = meant.iter().any(|number| {
        let expected = truth.values(*number, attribute).iter();
        // A price of nothing means "ask us".
        let mut expected = expected.filter(|value| *kind != Kind::Money || amount(value) != Some(0.0));
        expected.any(|one| {
            is_stated = true;
            object.record.all(attribute).any(|found| match kind {
                Kind::DateTime => is_same_day(one, found, |year| states_year(*number, year)),
                _ => same(kind, one, found),
            })
        })
    });
    is_stated.then_some(is_right)
}

/// True objects for people: their names, beginnings and prices.
fn described(truth: &SiteTruth, numbers: &[ObjectNumber]) -> String {
    let each = numbers.iter().map(|number| {
        let values = [truth.name_attribute(), "start", "price"].into_iter();
        let values = values.filter_map(|attribute| truth.values(*number, attribute).first());
        values.map(String::as_str).collect::<Vec<_>>().join(", ")
    });
    each.collect::<Vec<_>>().join(" | ")
}

/// Returns true if a page about an object states a year: in its address, its title or its text,
/// except beside a copyright sign.
pub(super) fn states_year(mirror: &Mirror, truth: &SiteTruth, number: ObjectNumber, year: &str) -> bool {
    truth.details(number).iter().any(|file| {
        let document = mirror.document(*file);
        let Ok(page) = document.page() else {
            return false;
        };
        let text = page.document().text_of(page.document().root());
        has_year(document.url.path(), year)
            || has_year(page.title().unwrap_or_default(), year)
            || has_year(&text, year)
    })
}

fn has_year(text: &str, year: &str) -> bool {
    text.match_indices(year).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + year.len()..]);
        let is_part = before.ends_with(|last: char| last.is_ascii_digit())
            || after.starts_with(|next: char| next.is_ascii_digit());
        let before = before.trim_end().to_lowercase();
        !is_part && !before.ends_with('©') && !before.ends_with("(c)") && !before.ends_with("copyright")
    })
}

#[cfg(test)]
mod tests {
    use magpie_model::{Attribute, PageContext, RecordValue, VerticalInfo};

    use super::*;
    use crate::score::Truth;

    fn info() -> VerticalInfo {
        let attribute = |name: &str, kind| Attribute {
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
        VerticalInfo {
            attributes: vec![
                attribute("name", Kind::Text),
                attribute("start", Kind::DateTime),
                attribute("price", Kind::Money),
                attribute("sku", Kind::Text),
                attribute("url", Kind::Url),
            ],
            ..VerticalInfo::default()
        }
    }

    /// Number, place and values of a page about one object.
    type Page<'a> = (FileNumber, &'a str, &'a [(&'a str, &'a str)]);

    fn truth(pages: &[Page<'_>]) -> SiteTruth {
        let mut truth = SiteTruth::new("events", &info());
        for (file, place, values) in pages {
            let values: Vec<(&str, String)> = values
                .iter()
                .map(|(name, value)| (*name, (*value).to_owned()))
                .collect();
            let object = Truth::new(&info(), &PageContext::default(), &values);
            truth.add(*file, Some(place), vec![object]);
        }
        truth.set_complete();
        truth
    }

    fn record(values: &[(&str, &str)]) -> Record {
        let values = values.iter().map(|(attribute, value)| RecordValue {
            attribute: (*attribute).to_owned(),
            value: (*value).to_owned(),
            raw: None,
            node: None,
            repeated: false,
        });
        Record {
            object_type: "Event".to_owned(),
            confidence: 0.9,
            values: values.collect(),
        }
    }

    fn object(id: i64, values: &[(&str, &str)], leads_to: Option<FileNumber>) -> Listed {
        Listed {
            id,
            record: record(values),
            leads_to,
            ..Listed::default()
        }
    }

    fn judge(objects: &[Listed], truth: &SiteTruth) -> Judgement {
        Judgement::of(objects, truth, &|_, _| false)
    }

    #[test]
    fn objects_of_one_name_are_told_apart_by_page_or_beginning_and_by_nothing_else() {
        let site = truth(&[
            (1, "/a", &[("name", "Forum"), ("start", "2025-03-18T10:00")]),
            (2, "/b", &[("name", "Forum"), ("start", "2025-03-19T10:00")]),
            (3, "/c", &[("name", "Lunch")]),
            (4, "/d", &[("name", "Lunch")]),
        ]);
        assert_eq!(site.len(), 4);
        let objects = [
            object(1, &[("name", "FORUM"), ("start", "2025-03-19T10:00")], None),
            object(2, &[("name", "Forum"), ("start", "2026-01-01T10:00")], Some(1)),
            // Neither page nor day: it may be any of the two, and is one that is listed already.
            object(3, &[("name", "Forum"), ("start", "2026-01-01T10:00")], None),
            object(4, &[("name", "Lunch")], None),
            object(5, &[("name", "Lunch")], None),
            object(6, &[("name", "Related Events")], None),
            // The page about it was not saved.
            Listed {
                is_unsaved: true,
                ..object(7, &[("name", "Dinner")], None)
            },
        ];
        let judged = judge(&objects, &site);
        assert_eq!((judged.found.len(), judged.again, judged.untrue), (3, 2, 1));
        assert_eq!((judged.listed, judged.unjudged), (6, 1));
        let start = judged.values["start"];
        assert_eq!((start.right, start.wrong, start.missing), (1, 2, 0));
        let url = judged.values["url"];
        assert_eq!((url.right, url.wrong + url.missing), (1, 4));
    }

    #[test]
    fn an_object_with_several_beginnings_stands_for_all_of_them() {
        let site = truth(&[
            (1, "/a", &[("name", "Play"), ("start", "2025-03-18")]),
            (2, "/b", &[("name", "Play"), ("start", "2025-03-19")]),
        ]);
        let both = [("name", "Play"), ("start", "2025-03-18"), ("start", "2025-03-19")];
        let judged = judge(&[object(1, &both, Some(1))], &site);
        assert_eq!((judged.found.len(), judged.again, judged.untrue), (2, 0, 0));
    }

    #[test]
    fn versions_of_a_page_are_one_object_and_other_pages_are_not() {
        let site = truth(&[
            (1, "/events/fair/", &[("name", "Feira"), ("start", "2025-07-11")]),
            (2, "/events/fair/", &[("name", "Fair"), ("start", "2025-07-11")]),
            (
                3,
                "/skirt",
                &[("name", "Skirt"), ("sku", "7"), ("price", "9.95 EUR")],
            ),
            (
                4,
                "/skirt-2",
                &[("name", "Skirt"), ("sku", "8"), ("price", "12.25 EUR")],
            ),
            (5, "/skirt?size=2", &[("name", "Skirt"), ("sku", "8")]),
        ]);
        assert_eq!(site.len(), 3);
        let objects = [
            object(1, &[("name", "Feira"), ("start", "2025-07-11")], Some(2)),
            object(2, &[("name", "Fair"), ("start", "2025-07-11")], Some(1)),
            object(3, &[("name", "Skirt"), ("price", "12.25 EUR")], None),
            object(4, &[("name", "Skirt"), ("price", "9.95 USD")], None),
        ];
        let judged = judge(&objects, &site);
        assert_eq!((judged.found.len(), judged.again, judged.untrue), (3, 1, 0));
        let price = judged.values["price"];
        assert_eq!((price.right, price.wrong), (1, 1));
    }

    #[test]
    fn an_object_of_two_pages_about_others_is_merged_and_found_once() {
        let site = truth(&[
            (1, "/a", &[("name", "Esprit Falda")]),
            (2, "/b", &[("name", "Look Falda")]),
        ]);
        let member = |name, file| Member {
            record: record(&[("name", name)]),
            url: String::new(),
            file: Some(file),
        };
        let mut merged = object(1, &[("name", "Esprit Falda")], None);
        merged.members = vec![member("Esprit Falda", 1), member("Look Falda", 2)];
        let judged = judge(&[merged], &site);
        assert_eq!((judged.found.len(), judged.merged, judged.untrue), (1, 1, 0));
        // A teaser on the page about another object merges nothing.
        let mut teased = object(1, &[("name", "Esprit Falda")], None);
        teased.members = vec![member("Esprit Falda", 1), member("Esprit Falda", 2)];
        assert_eq!(judge(&[teased], &site).merged, 0);
    }

    #[test]
    fn a_name_that_differs_is_that_of_the_page_it_leads_to_or_of_none() {
        let site = truth(&[(1, "/a", &[("name", "Bouncers and Shakers at the New Theatre")])]);
        let near = object(1, &[("name", "Bouncers and Shakers, New Theatre")], Some(1));
        let judged = judge(&[near], &site);
        assert_eq!((judged.found.len(), judged.untrue), (1, 0));
        assert_eq!((judged.values["name"].right, judged.values["name"].wrong), (0, 1));
        let other = object(1, &[("name", "Related Events")], Some(1));
        assert_eq!(judge(&[other], &site).untrue, 1);
    }

    #[test]
    fn an_item_of_a_programme_is_untrue_and_perhaps_a_part() {
        let site = truth(&[(1, "/a", &[("name", "Fair"), ("start", "2025-07-11")])]);
        let item = |start, file| {
            let values = [("name", "Parade"), ("start", start)];
            let mut item = object(1, &values, None);
            item.members = vec![Member {
                record: record(&values),
                url: String::new(),
                file: Some(file),
            }];
            let judged = judge(&[item], &site);
            (judged.untrue, judged.parts)
        };
        assert_eq!(item("2025-07-11T18:00", 1), (1, 1));
        assert_eq!(item("2025-07-11", 1), (1, 0));
        assert_eq!(item("2025-07-11T18:00", 2), (1, 0));
    }

    #[test]
    fn years_count_where_a_page_states_them_for_itself() {
        assert!(has_year("Friday, 3 May 2025", "2025") && has_year("/2025-05-03-fair/", "2025"));
        assert!(!has_year("© 2025 Example", "2025") && !has_year("Call 120251", "2025"));
    }
}
