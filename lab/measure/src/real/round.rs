//! The round a week after learning, on a site that has changed meanwhile: some objects appear, some
//! have another price or day, and some are gone (`site/edit.rs`).
//!
//! A round that fetches nothing finds none of them.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use magpie_model::Kind;
use magpie_values::date::{self, Date};
use magpie_values::{Timestamp, text};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use super::announced::Visit;
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

/// Kinds of edits of objects: added, changed, gone.
const KINDS: usize = 3;

/// Clicks from the entry to a page whose links to new objects are not deep.
const SHALLOW: usize = 2;

/// The least number of objects that a list leads to which is reversed.
const ROWS: usize = 5;

/// The least number of pages of objects in a folder that is renamed.
const FOLDER: usize = 3;

/// Days by which an object moves: the weekday stays the same.
const WEEK: u8 = 7;

/// Seconds between learning and the edits.
const EDITED: u64 = 3 * 24 * 3_600;

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
    added: Vec<Added>,
    changed: Vec<Changed>,
    /// Names of objects that disappear.
    gone: Vec<String>,
    /// Names of objects that stay as they are.
    kept: Vec<String>,
}

/// A new object. It is deep if no page within a few clicks leads to its page.
struct Added {
    name: String,
    is_deep: bool,
}

/// A changed object with its new value.
struct Changed {
    name: String,
    attribute: &'static str,
    value: String,
}

/// An object that can be edited.
struct Candidate {
    name: String,
    number: ObjectNumber,
    is_deep: bool,
}

impl Change {
    /// Chooses edits for the objects that are listed, the same in every run.
    /// `learned` is the day on which the site was learned.
    pub(super) fn of(
        mirror: &Arc<Mirror>,
        truth: &SiteTruth,
        listed: &[Listed],
        learned: Timestamp,
    ) -> Result<Change> {
        let mut edits = Edits {
            day: Date::from_days((learned + Duration::from_secs(EDITED)).as_days()),
            ..Edits::default()
        };
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
        // Of objects that are over before the round, new ones are not wanted either.
        let is_current = |object: &&Listed| {
            object
                .expires_at
                .is_none_or(|at| at > learned + Duration::from_secs(u64::from(WEEK) * 86_400))
        };
        let mut current: Vec<&Listed> = listed.iter().filter(is_current).collect();
        if current.is_empty() {
            current.extend(listed);
        }
        let candidates = candidates(mirror, truth, &current)?;
        let each = (candidates.len() / EACH).clamp(LEAST, MOST);
        // Half of the new objects are deep, if the site has as many.
        let deep = candidates.iter().step_by(KINDS).filter(|one| one.is_deep).count();
        let shallow = candidates.len().div_ceil(KINDS) - deep;
        let rooms = [deep, shallow].map(|others| each - others.min(each / 2));
        // Each kind of edit has its turn; an object that can't be edited so stays as it is.
        for (at, candidate) in candidates.iter().enumerate() {
            let Candidate {
                name,
                number,
                is_deep,
            } = candidate;
            let other = &candidates[(at + 1) % candidates.len()].name;
            let bare = text::bare(name);
            let is_alike = |added: &&Added| added.is_deep == *is_deep;
            let alike = change.added.iter().filter(is_alike).count();
            let edit = match at % KINDS {
                0 if alike < rooms[usize::from(*is_deep)] => {
                    let new = mixed(name, other);
                    let swaps = copied(mirror, truth, *number, name, &new);
                    change.added.extend(swaps.is_some().then_some(Added {
                        name: new,
                        is_deep: *is_deep,
                    }));
                    swaps.map(Edit::Copied)
                }
                1 if change.changed.len() < each => {
                    changed(mirror, truth, *number, listed).map(|(swap, attribute, value)| {
                        change.changed.push(Changed {
                            name: bare.clone(),
                            attribute,
                            value,
                        });
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
        edits.reordered = reordered(mirror, &edits)?;
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

    /// Adds to the cost of a recrawl the shares of the changes that it noticed.
    pub(super) fn compared(&self, cost: Figure, truth: &SiteTruth, after: &[Listed]) -> Figure {
        beside(cost, self.noticed(truth, after))
    }

    /// Adds to the cost of a program that has no workspace the shares of the changes that it has
    /// seen: the names of new objects in what it read, and pages of changed ones.
    pub(super) fn compared_visit(&self, cost: Figure, truth: &SiteTruth, visit: &Visit<'_>) -> Figure {
        let is_read = |name: &str| visit.texts.iter().any(|text| text.contains(name));
        let is_fetched = |changed: &Changed| {
            let numbers = truth.named(&changed.name).iter();
            let mut files = numbers.flat_map(|number| truth.details(*number));
            files.any(|file| visit.files.contains(file))
        };
        beside(cost, self.seen(&is_read, &is_fetched))
    }

    /// Describes what a workspace has not noticed: new objects that it lacks, and objects that it
    /// lists although they are gone, with the pages that still show them.
    fn unnoticed(&self, truth: &SiteTruth, after: &[Listed]) -> Vec<String> {
        let with = |name: &String| after.iter().find(|object| names(object, truth).contains(name));
        let added = self.added.iter().map(|added| &added.name);
        let added = added.filter(|name| with(&text::bare(name)).is_none());
        let added = added.map(|name| format!("not found by the round\t\t\t{name}\t\t\t\t"));
        let gone = self.gone.iter().filter_map(|name| {
            let pages = with(name)?.members.iter().map(|member| member.url.as_str());
            let pages = pages.take(SHOWN).collect::<Vec<_>>().join(" ");
            Some(format!("gone, still listed\t\t\t{name}\t\t\t\t{pages}"))
        });
        added.chain(gone).collect()
    }

    /// Counts the changes that a workspace knows of, and all changes, by kind.
    fn noticed(&self, truth: &SiteTruth, after: &[Listed]) -> Vec<Noticed> {
        let listed: HashSet<String> = after.iter().flat_map(|object| names(object, truth)).collect();
        let are_listed = |names: &[String]| names.iter().filter(|name| listed.contains(*name)).count();
        let is_found = |name: &str| listed.contains(&text::bare(name));
        let is_updated = |changed: &Changed| {
            after.iter().any(|object| {
                names(object, truth).contains(&changed.name)
                    && has(object, truth, changed.attribute, &changed.value)
            })
        };
        let gone = self.gone.len() - are_listed(&self.gone);
        let mut noticed = self.seen(&is_found, &is_updated);
        noticed.extend([
            ("gone objects noticed", gone, self.gone.len()),
            ("other objects kept", are_listed(&self.kept), self.kept.len()),
        ]);
        noticed
    }

    /// Counts the new objects that were found, and the changed ones that were updated.
    fn seen(&self, is_found: &dyn Fn(&str) -> bool, is_updated: &dyn Fn(&Changed) -> bool) -> Vec<Noticed> {
        let added = |what, is_wanted: fn(&&Added) -> bool| {
            let added = self.added.iter().filter(is_wanted);
            let found = added.clone().filter(|added| is_found(&added.name)).count();
            (what, found, added.count())
        };
        let updated = self.changed.iter().filter(|changed| is_updated(changed)).count();
        vec![
            added("added objects found", |_| true),
            added("shallow ones found", |added| !added.is_deep),
            added("deep ones found", |added| added.is_deep),
            ("changed objects updated", updated, self.changed.len()),
        ]
    }
}

/// A kind of change, how many of its objects were noticed, and of how many.
type Noticed = (&'static str, usize, usize);

fn beside(cost: Figure, noticed: Vec<Noticed>) -> Figure {
    let noticed = noticed.into_iter().filter(|(.., of)| *of > 0);
    noticed.fold(cost, |cost, (what, part, of)| {
        cost.beside(what, part as f64 / of as f64)
    })
}

/// Returns the objects that can be edited: listed, alone with their names, with pages of their own
/// that other pages link to, and in no file of data beside the pages; in the order of the hashes of
/// their addresses.
fn candidates(mirror: &Mirror, truth: &SiteTruth, listed: &[&Listed]) -> Result<Vec<Candidate>> {
    let graph = mirror.graph()?;
    let entry = mirror.file(&mirror.entry()?.0);
    let clicks = graph.clicks(&entry.into_iter().collect::<Vec<_>>());
    let mut linked = HashSet::new();
    for (file, links) in (0..)
        .zip(&graph.links)
        .filter(|(file, _)| clicks.contains_key(file))
    {
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
                is_deep: files.iter().all(|file| clicks[file] > SHALLOW + 1),
            });
        }
    }
    candidates.sort_by_key(|one| {
        let first = truth.details(one.number).first().map(address);
        xxh3_64(first.map(String::from).unwrap_or_default().as_bytes())
    });
    Ok(candidates)
}

/// Chooses a page within reach on which rows of objects that stand next to each other can be
/// reversed, by the hash of its address.
fn reordered(mirror: &Mirror, edits: &Edits) -> Result<Option<FileNumber>> {
    let entry = mirror.file(&mirror.entry()?.0);
    let graph = mirror.graph()?;
    let reached = graph.reachable(&entry.into_iter().collect::<Vec<_>>());
    let leads_to_objects = |file: &FileNumber| {
        let links = graph.links[*file as usize].iter().map(|link| link.to);
        let owners: HashSet<_> = links.filter_map(|to| edits.owners.get(&to)).collect();
        owners.len() >= ROWS && !edits.owners.contains_key(file)
    };
    let mut lists: Vec<FileNumber> = reached.into_iter().filter(leads_to_objects).collect();
    lists.sort_by_key(|file| xxh3_64(mirror.document(*file).url.as_str().as_bytes()));
    let is_list = |file: &FileNumber| {
        let document = mirror.document(*file);
        let owner = |target: &str| {
            let file = mirror.file(&document.url.join(target).ok()?)?;
            edits.owners.get(&file).copied()
        };
        let page = document.page().ok();
        // A feed may be saved as a page.
        page.is_some_and(|page| {
            page.text().contains("<body") && edits.reversed(page.text(), &owner) != page.text()
        })
    };
    Ok(lists.into_iter().find(is_list))
}

/// A folder of pages of objects that gets another name.
pub(super) struct Renamed {
    pub(super) names: [String; 2],
}

impl Renamed {
    /// Chooses the folder with the most pages of objects, without the entry page. There is none if
    /// they lie in folders of their own.
    pub(super) fn of(mirror: &Mirror, truth: &SiteTruth) -> Result<Option<Renamed>> {
        let entry = mirror.entry()?.0;
        let mut folders: BTreeMap<String, usize> = BTreeMap::new();
        for file in (0..truth.len()).flat_map(|number| truth.details(number)) {
            let url = mirror.document(*file).url;
            let path = url.path().trim_end_matches("index.html").trim_end_matches('/');
            if let Some((folder, _)) = path.rsplit_once('/') {
                *folders.entry(folder.to_owned()).or_default() += 1;
            }
        }
        folders.retain(|folder, pages| {
            !folder.is_empty() && *pages >= FOLDER && !entry.path().starts_with(folder.as_str())
        });
        let most = folders.into_iter().max_by_key(|(_, pages)| *pages);
        Ok(most.map(|(folder, _)| {
            let now = format!("{folder}-reprise");
            Renamed { names: [folder, now] }
        }))
    }

    /// Adds to the cost of a round how many of the objects of the folder are still listed after it,
    /// and how many at their new addresses.
    pub(super) fn judged(
        &self,
        cost: Figure,
        truth: &SiteTruth,
        before: &[Listed],
        after: &[Listed],
    ) -> Figure {
        let [old, new] = &self.names;
        let listed = |objects: &[Listed], folder: &str| -> HashSet<String> {
            let path = format!("{folder}/");
            let is_in = |object: &&Listed| {
                let pages = object.members.iter().map(|member| member.url.as_str());
                let mut urls = pages
                    .chain(object.record.all("url"))
                    .filter_map(|url| Url::parse(url).ok());
                urls.any(|url| url.path().starts_with(&path))
            };
            objects
                .iter()
                .filter(is_in)
                .flat_map(|object| names(object, truth))
                .collect()
        };
        let had = listed(before, old);
        let share = |folder: &str| {
            let has = listed(after, folder);
            had.intersection(&has).count() as f64 / had.len().max(1) as f64
        };
        let cost = cost.beside("objects", had.len() as f64);
        let cost = cost.beside("objects kept", share(""));
        cost.beside("objects at new addresses", share(new))
            .note(format!("`{old}` is now `{new}`"))
    }
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
            added: vec![Added {
                name: "New".to_owned(),
                is_deep: true,
            }],
            changed: vec![Changed {
                name: "hat".to_owned(),
                attribute: "price",
                value: "35.99 EUR".to_owned(),
            }],
            gone: vec!["old".to_owned()],
            kept: vec!["coat".to_owned()],
        };
        let counts = |names: &[&str]| {
            change
                .noticed(&truth, &named(names))
                .into_iter()
                .map(|(_, part, of)| (part, of))
                .collect::<Vec<_>>()
        };
        // Added, shallow and deep, changed, gone, and kept.
        assert_eq!(
            counts(&["Hat", "Old", "Coat"]),
            [(0, 1), (0, 0), (0, 1), (0, 1), (0, 1), (1, 1)]
        );
        assert_eq!(
            counts(&["Hat", "New", "Coat"]),
            [(1, 1), (0, 0), (1, 1), (0, 1), (1, 1), (1, 1)]
        );
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
