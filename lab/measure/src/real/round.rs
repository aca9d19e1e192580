//! The round a week after learning, on a site that has changed meanwhile: some objects appear, some
//! have another price or day, and some are gone (`site/edit.rs`).
//!
//! A round that fetches nothing finds none of them.

use std::collections::HashSet;
use std::sync::Arc;

use anyhow::Result;
use magpie_model::Kind;
use magpie_values::date::{self, Date};
use magpie_values::text;
use xxhash_rust::xxh3::xxh3_64;

use super::objects::Listed;
use super::truth::{ObjectNumber, SiteTruth};
use crate::figure::{Figure, Report};
use crate::mean::wilson;
use crate::quality::strip::strip;
use crate::score::{amount, is_same_day, same};
use crate::site::edit::{Edit, Edits, Swap, swapped};
use crate::site::mirror::{FileNumber, Mirror};

/// Objects for each one of a kind of edit, and the most and least objects of a kind.
const EACH: usize = 10;
const MOST: usize = 20;
const LEAST: usize = 2;

/// Days by which an object moves: the weekday stays the same.
const WEEK: u8 = 7;

/// The length of a day in normal form.
const DAY: usize = "2017-03-18".len();

/// The least length of a segment of a path that can be told from other words.
const SEGMENT: usize = 3;

/// The least number of digits of an amount that can be told from other figures.
const DIGITS: usize = 3;

const AIM: f64 = 0.9;

/// Pages of an object that are listed.
const SHOWN: usize = 3;

/// Changes of a site in the week after it was learned.
pub(super) struct Change {
    pub(super) edits: Arc<Edits>,
    /// The names of new objects.
    added: Vec<String>,
    /// Names, attributes and new values of changed objects.
    changed: Vec<(String, &'static str, String)>,
    /// Names of objects that disappear.
    gone: Vec<String>,
    /// Names of objects that stay as they are.
    kept: Vec<String>,
}

/// An object that can be edited.
struct Candidate {
    name: String,
    number: ObjectNumber,
}

impl Change {
    /// Chooses edits for the objects that are listed, the same in every run.
    pub(super) fn of(mirror: &Arc<Mirror>, truth: &SiteTruth, listed: &[Listed]) -> Result<Change> {
        let mut edits = Edits::default();
        for number in 0..truth.len() {
            let files = truth.details(number).iter();
            edits.owners.extend(files.map(|file| (*file, number)));
        }
        let mut change = Change {
            edits: Arc::default(),
            added: Vec::new(),
            changed: Vec::new(),
            gone: Vec::new(),
            kept: Vec::new(),
        };
        let candidates = candidates(mirror, truth, listed)?;
        let each = (candidates.len() / EACH).clamp(LEAST, MOST);
        // Each kind of edit has its turn; an object that can't be edited so stays as it is.
        for (at, Candidate { name, number }) in candidates.iter().enumerate() {
            let other = &candidates[(at + 1) % candidates.len()].name;
            let bare = text::bare(name);
            let edit = match at % 3 {
                0 if change.added.len() < each => {
                    let new = mixed(name, other);
                    let swaps = copied(mirror, truth, *number, name, &new);
                    change.added.extend(swaps.is_some().then(|| text::bare(&new)));
                    swaps.map(Edit::Copied)
                }
                1 if change.changed.len() < each => {
                    changed(mirror, truth, *number, listed).map(|(swap, attribute, value)| {
                        change.changed.push((bare.clone(), attribute, value));
                        Edit::Changed(vec![swap])
                    })
                }
                2 if change.gone.len() < each => {
                    change.gone.push(bare.clone());
                    Some(Edit::Gone)
                }
                _ => None,
            };
            match edit {
                Some(edit) => {
                    edits.edits.insert(*number, edit);
                }
                None => change.kept.push(bare),
            }
        }
        change.edits = Arc::new(edits);
        Ok(change)
    }

    /// Adds what a workspace knows of the changes after a round. Returns lines about those that it
    /// does not know of.
    pub(super) fn report(
        &self,
        title: &str,
        truth: &SiteTruth,
        after: &[Listed],
        report: &mut Report,
    ) -> Vec<String> {
        let noticed = self.noticed(truth, after).into_iter();
        for (what, part, of) in noticed.filter(|(.., of)| *of > 0) {
            let figure = Figure::new(
                format!("{title}, {what} by the round"),
                wilson(part, of),
                "of all",
            );
            report.add(
                figure
                    .at_least(AIM)
                    .beside("objects", part as f64)
                    .beside("all", of as f64),
            );
        }
        self.unnoticed(truth, after)
    }

    /// Adds to the cost of another recrawl the shares of the changes that it noticed.
    pub(super) fn compared(&self, cost: Figure, truth: &SiteTruth, after: &[Listed]) -> Figure {
        let noticed = self.noticed(truth, after).into_iter();
        noticed
            .filter(|(.., of)| *of > 0)
            .fold(cost, |cost, (what, part, of)| {
                cost.beside(what, part as f64 / of as f64)
            })
    }

    /// Describes what a workspace has not noticed: new objects that it lacks, and objects that it
    /// lists although they are gone, with the pages that still show them.
    fn unnoticed(&self, truth: &SiteTruth, after: &[Listed]) -> Vec<String> {
        let with = |name: &String| after.iter().find(|object| names(object, truth).contains(name));
        let added = self.added.iter().filter(|name| with(name).is_none());
        let added = added.map(|name| format!("not found by the round\t\t\t{name}\t\t\t\t"));
        let gone = self.gone.iter().filter_map(|name| {
            let pages = with(name)?.members.iter().map(|member| member.url.as_str());
            let pages = pages.take(SHOWN).collect::<Vec<_>>().join(" ");
            Some(format!("gone, still listed\t\t\t{name}\t\t\t\t{pages}"))
        });
        added.chain(gone).collect()
    }

    /// Counts the changes that a workspace knows of, and all changes, by kind.
    fn noticed(&self, truth: &SiteTruth, after: &[Listed]) -> [(&'static str, usize, usize); 4] {
        let listed: HashSet<String> = after.iter().flat_map(|object| names(object, truth)).collect();
        let are_listed = |names: &[String]| names.iter().filter(|name| listed.contains(*name)).count();
        let updated = self.changed.iter().filter(|(name, attribute, value)| {
            after
                .iter()
                .any(|object| names(object, truth).contains(name) && has(object, truth, attribute, value))
        });
        let gone = self.gone.len() - are_listed(&self.gone);
        [
            ("added objects found", are_listed(&self.added), self.added.len()),
            ("changed objects updated", updated.count(), self.changed.len()),
            ("gone objects noticed", gone, self.gone.len()),
            ("other objects kept", are_listed(&self.kept), self.kept.len()),
        ]
    }
}

/// Returns the objects that can be edited: listed, alone with their names, with pages of their own
/// that other pages link to, and in no file of data beside the pages; in the order of the hashes of
/// their addresses.
fn candidates(mirror: &Mirror, truth: &SiteTruth, listed: &[Listed]) -> Result<Vec<Candidate>> {
    let graph = mirror.graph()?;
    let entry = mirror.file(&mirror.entry()?.0);
    let reached = graph.reachable(&entry.into_iter().collect::<Vec<_>>());
    let mut linked = HashSet::new();
    for (file, links) in (0..).zip(&graph.links).filter(|(file, _)| reached.contains(file)) {
        linked.extend(links.iter().map(|link| link.to).filter(|to| *to != file));
    }
    let listed: HashSet<String> = listed.iter().flat_map(|object| names(object, truth)).collect();
    let data = mirror.data()?;
    let address = |file: &FileNumber| mirror.document(*file).url;
    let mut candidates = Vec::new();
    for number in 0..truth.len() {
        let files = truth.details(number);
        let Some(name) = truth.values(number, truth.name_attribute()).first() else {
            continue;
        };
        let is_own = truth.named(name).len() == 1 && listed.contains(&text::bare(name));
        let has_pages = !files.is_empty()
            && files
                .iter()
                .all(|file| linked.contains(file) && Some(*file) != entry && address(file).query().is_none());
        if is_own && has_pages && !data.contains(name.as_str()) {
            candidates.push(Candidate {
                name: name.clone(),
                number,
            });
        }
    }
    candidates.sort_by_key(|one| {
        let first = truth.details(one.number).first().map(address);
        xxh3_64(first.map(String::from).unwrap_or_default().as_bytes())
    });
    Ok(candidates)
}

/// Returns what distinguishes a copy of an object from the object, if it has one page.
fn copied(
    mirror: &Mirror,
    truth: &SiteTruth,
    number: ObjectNumber,
    name: &str,
    new: &str,
) -> Option<Vec<Swap>> {
    let files = truth.details(number);
    let only = files.first().filter(|_| files.len() == 1)?;
    let from = segment(mirror.document(*only).url.path())?;
    let to = format!("{from}-reprise");
    let mut swaps = vec![
        Swap::Name {
            from: words(name),
            to: new.to_owned(),
        },
        Swap::Segment { from, to },
    ];
    let numbers = truth.values(number, "sku").iter();
    swaps.extend(numbers.map(|sku| Swap::Number {
        from: sku.clone(),
        to: format!("{sku}9"),
    }));
    swaps.extend(other_value(truth, number).map(|(swap, ..)| swap));
    Some(swaps)
}

/// Returns another value of an object that is listed with the present one, and whose pages show it.
fn changed(
    mirror: &Mirror,
    truth: &SiteTruth,
    number: ObjectNumber,
    listed: &[Listed],
) -> Option<(Swap, &'static str, String)> {
    let (swap, attribute, new) = other_value(truth, number)?;
    let now = truth.values(number, attribute).first()?;
    let is_known = listed.iter().any(|object| {
        let names = names(object, truth);
        let is_own = names.iter().any(|name| truth.named(name).contains(&number));
        is_own && has(object, truth, attribute, now)
    });
    let is_shown = |file: &FileNumber| {
        let page = mirror.document(*file).page().ok();
        let page = page.map(|page| strip(page.text()));
        page.is_some_and(|page| swapped(&page, std::slice::from_ref(&swap)) != page)
    };
    let is_editable = is_known && truth.details(number).iter().all(is_shown);
    is_editable.then_some((swap, attribute, new))
}

/// Returns another price or day than the only one of an object.
fn other_value(truth: &SiteTruth, number: ObjectNumber) -> Option<(Swap, &'static str, String)> {
    if let [price] = truth.values(number, "price") {
        let (from, currency) = price.split_once(' ')?;
        let digits = from.bytes().filter(u8::is_ascii_digit).count();
        let first = from.bytes().next().filter(u8::is_ascii_digit)?;
        if digits < DIGITS || amount(from) == Some(0.0) {
            return None;
        }
        let to = format!("{}{}", (first - b'0') % 9 + 1, &from[1..]);
        let value = format!("{to} {currency}");
        let from = from.to_owned();
        return Some((Swap::Amount { from, to }, "price", value));
    }
    let [start] = truth.values(number, "start") else {
        return None;
    };
    let from = date::parse_iso(start.get(..DAY)?)?.date();
    let (year, month, day) = (from.year(), from.month(), from.day());
    let is_late = day + WEEK > date::days_in_month(year, month);
    let to = Date::new(year, month, if is_late { day - WEEK } else { day + WEEK })?;
    let value = format!("{to}{}", &start[DAY..]);
    Some((Swap::Day { from, to }, "start", value))
}

/// Returns true if an object has a value.
fn has(object: &Listed, truth: &SiteTruth, attribute: &str, value: &str) -> bool {
    let kind = truth.kind(attribute);
    object.record.all(attribute).any(|found| match kind {
        Some(Kind::DateTime) => is_same_day(value, found, |_| false),
        Some(kind) => same(kind, value, found),
        None => false,
    })
}

/// Returns the names of an object, folded.
fn names(object: &Listed, truth: &SiteTruth) -> Vec<String> {
    let names = object.record.all(truth.name_attribute());
    names.map(text::bare).collect()
}

fn words(name: &str) -> Vec<String> {
    let words = name.split(|one: char| !one.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Makes a name of the first half of one and the last half of another.
fn mixed(name: &str, other: &str) -> String {
    let (mut words, others) = (words(name), words(other));
    words.truncate(words.len().div_ceil(2));
    words.extend_from_slice(&others[others.len() / 2..]);
    words.join(" ")
}

/// Returns the last segment of a path that is no file name of a folder, without an ending.
fn segment(path: &str) -> Option<String> {
    let last = path
        .split('/')
        .rfind(|segment| !segment.is_empty() && !segment.starts_with("index"))?;
    let last = last.split('.').next()?;
    (last.len() >= SEGMENT).then(|| last.to_owned())
}

#[cfg(test)]
mod tests {
    use magpie_model::VerticalInfo;

    use super::*;

    #[test]
    fn a_round_that_fetches_nothing_notices_nothing() {
        let truth = SiteTruth::new("events", &VerticalInfo::default());
        let named = |names: &[&str]| -> Vec<Listed> {
            let value = |name: &&str| magpie_model::RecordValue {
                attribute: "name".to_owned(),
                value: (*name).to_owned(),
                raw: None,
                node: None,
                repeated: false,
            };
            let objects = names.iter().map(|name| {
                let mut listed = Listed::default();
                listed.record.values.push(value(name));
                listed
            });
            objects.collect()
        };
        let change = Change {
            edits: Arc::default(),
            added: vec!["new".to_owned()],
            changed: vec![("hat".to_owned(), "price", "35.99 EUR".to_owned())],
            gone: vec!["old".to_owned()],
            kept: vec!["coat".to_owned()],
        };
        let counts = |names: &[&str]| {
            change
                .noticed(&truth, &named(names))
                .map(|(_, part, of)| (part, of))
        };
        assert_eq!(counts(&["Hat", "Old", "Coat"]), [(0, 1), (0, 1), (0, 1), (1, 1)]);
        assert_eq!(counts(&["Hat", "New", "Coat"]), [(1, 1), (0, 1), (1, 1), (1, 1)]);
    }

    #[test]
    fn names_of_copies_are_new_and_segments_can_be_told_apart() {
        assert_eq!(mixed("The Old House", "A Red Hat for Two"), "The Old Hat for Two");
        assert_eq!(segment("/event/fair/index.html").as_deref(), Some("fair"));
        assert_eq!(
            segment("/talks/session_3032.html").as_deref(),
            Some("session_3032")
        );
        assert_eq!(segment("/p/1/"), None);
    }
}
