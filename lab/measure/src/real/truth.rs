//! The objects that a site truly has, and the comparison of records with them.
//!
//! Most sets come with `truth.jsonl`: a line for each judged page, with its objects. The truth of
//! the older sets is a list of talks, or the markup of pages about one object.
//!
//! Objects of several pages are one if they have a name and a number of the shop or a beginning in
//! common, or if their pages have one address: their canonical links and the versions of a page in
//! other languages lead to it. A name alone does not make them one.
//!
//! A record is right if a true object of the site has its name, and if their beginnings and prices
//! agree where both have them. Lists show what other pages are about, so the object may be one of
//! another page.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use magpie_discovery::{ScanLimits, scan};
use magpie_model::{Kind, PageContext, Record, VerticalInfo};
use magpie_values::date::Date;
use magpie_values::text;
use serde_json::Value;
use url::Url;

use super::Site;
use crate::quality::{conference, sites};
use crate::score::{Truth, amount, is_same_moment, same};
use crate::site::mirror::{FileNumber, Mirror, TRUTH};

/// Attributes that `truth.jsonl` calls otherwise than the verticals.
const RENAMED: [(&str, &str); 3] = [("title", "name"), ("author", "performers"), ("date", "start")];

/// The number of a true object: the same object on several pages has one number.
pub(super) type ObjectNumber = usize;

pub(super) struct SiteTruth {
    /// The attribute that objects are called by.
    name: &'static str,
    kinds: HashMap<String, Kind>,
    objects: Vec<TrueObject>,
    /// The objects with a name, folded.
    by_name: HashMap<String, Vec<ObjectNumber>>,
    /// The objects of pages about one object, by the address that versions of a page share.
    by_place: HashMap<String, ObjectNumber>,
    /// The objects of each judged page. Other pages were not judged.
    pages: BTreeMap<FileNumber, Vec<ObjectNumber>>,
    is_complete: bool,
}

struct TrueObject {
    values: Truth,
    /// The pages about this object alone.
    details: BTreeSet<FileNumber>,
}

impl SiteTruth {
    pub(super) fn new(vertical: &str, info: &VerticalInfo) -> SiteTruth {
        SiteTruth {
            name: if vertical == "books" { "title" } else { "name" },
            kinds: info
                .attributes
                .iter()
                .map(|attribute| (attribute.name.clone(), attribute.kind.clone()))
                .collect(),
            objects: Vec::new(),
            by_name: HashMap::new(),
            by_place: HashMap::new(),
            pages: BTreeMap::new(),
            is_complete: false,
        }
    }

    /// Reads the truth of a set, in the normal forms of the vertical that is to find it.
    pub(super) fn read(
        folder: &Path,
        site: &Site,
        mirror: &Arc<Mirror>,
        info: &VerticalInfo,
    ) -> Result<SiteTruth> {
        let mut truth = SiteTruth::new(site.vertical, info);
        let list = folder.join(TRUTH);
        if list.is_file() {
            truth.read_list(&list, site, mirror, info)?;
            truth.set_complete();
        } else {
            truth.read_pages(folder, site, mirror, info)?;
        }
        Ok(truth)
    }

    /// Takes the judged pages for all that have objects if each has some, or none has.
    pub(super) fn set_complete(&mut self) {
        let empty = self.pages.values().filter(|objects| objects.is_empty()).count();
        self.is_complete = empty == 0 || empty == self.pages.len();
    }

    fn read_list(
        &mut self,
        list: &Path,
        site: &Site,
        mirror: &Arc<Mirror>,
        info: &VerticalInfo,
    ) -> Result<()> {
        for line in crate::data::text(list)?.lines() {
            let row: Value = serde_json::from_str(line).with_context(|| format!("truth.jsonl: {line}"))?;
            let url = row["url"].as_str().context("a line of truth.jsonl has no url")?;
            let Some(file) = mirror.file(&url.parse()?) else {
                continue;
            };
            let context = PageContext {
                url: url.to_owned(),
                // Truth without a year is of the time of saving.
                day: Date::from_days(site.saved_at()?.as_days()),
                ..PageContext::default()
            };
            let objects = row["objects"].as_array().into_iter().flatten().map(|object| {
                let values = listed_values(object);
                let values: Vec<(&str, String)> = values
                    .iter()
                    .map(|(name, value)| (*name, value.clone()))
                    .collect();
                Truth::new(info, &context, &values)
            });
            let objects: Vec<Truth> = objects.collect();
            let place = match objects.len() {
                1 => Some(shared_place(mirror, file)?),
                _ => None,
            };
            self.add(file, place.as_deref(), objects);
        }
        Ok(())
    }

    /// Reads the truth of a set without a list: from its talks, or from the markup of its pages.
    fn read_pages(
        &mut self,
        folder: &Path,
        site: &Site,
        mirror: &Arc<Mirror>,
        info: &VerticalInfo,
    ) -> Result<()> {
        let talks = match site.vertical {
            "events" => Some(conference::talks(folder)?),
            _ => None,
        };
        for (file, document) in mirror.documents() {
            let page = document.page()?;
            let values = match &talks {
                Some(talks) => talks.get(&document.name).cloned(),
                None if site.vertical == "books" => sites::only_book(&document, &page),
                None => sites::only_product(&page),
            };
            let Some(values) = values else { continue };
            let context = PageContext {
                url: document.url.to_string(),
                // Truth without a year is of the time of saving.
                day: Date::from_days(site.saved_at()?.as_days()),
                ..PageContext::default()
            };
            let place = shared_place(mirror, file)?;
            self.add(file, Some(&place), vec![Truth::new(info, &context, &values)]);
        }
        Ok(())
    }

    /// Adds the objects of a page; a page about one object comes with its place.
    pub(super) fn add(&mut self, file: FileNumber, place: Option<&str>, objects: Vec<Truth>) {
        let mut numbers = Vec::with_capacity(objects.len());
        for object in objects {
            let names = self.names(&object);
            let known = self.known(&names, place, &object);
            let number = known.unwrap_or(self.objects.len());
            match self.objects.get_mut(number) {
                Some(known) => known.values.join(object),
                None => self.objects.push(TrueObject {
                    values: object,
                    details: BTreeSet::new(),
                }),
            }
            for name in names {
                let numbers = self.by_name.entry(name).or_default();
                if !numbers.contains(&number) {
                    numbers.push(number);
                }
            }
            if let Some(place) = place {
                self.by_place.entry(place.to_owned()).or_insert(number);
                self.objects[number].details.insert(file);
            }
            numbers.push(number);
        }
        self.pages.entry(file).or_default().extend(numbers);
    }

    fn names(&self, object: &Truth) -> Vec<String> {
        let names = object.all(self.name).iter();
        names.map(|name| text::bare(name)).collect()
    }

    /// Returns the object of earlier pages that is the same.
    fn known(&self, names: &[String], place: Option<&str>, object: &Truth) -> Option<ObjectNumber> {
        let agreed = |number: ObjectNumber, attribute: &str| {
            let (one, other) = (object.all(attribute), self.objects[number].values.all(attribute));
            (!one.is_empty() && !other.is_empty()).then(|| one == other)
        };
        let mut named = names
            .iter()
            .flat_map(|name| self.by_name.get(name).into_iter().flatten());
        let same = named.find(|number| match agreed(**number, "sku") {
            Some(is_same) => is_same,
            None => agreed(**number, "start") == Some(true),
        });
        let version = || {
            let number = *self.by_place.get(place?)?;
            let differs = ["sku", "start"]
                .iter()
                .any(|attribute| agreed(number, attribute) == Some(false));
            (!differs).then_some(number)
        };
        same.copied().or_else(version)
    }

    /// The number of distinct objects.
    pub(super) fn len(&self) -> usize {
        self.objects.len()
    }

    /// Returns true if the site has no other objects: each judged page has some, or none has.
    pub(super) fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// The attribute that objects are called by.
    pub(super) fn name_attribute(&self) -> &'static str {
        self.name
    }

    /// The kind of an attribute, if the vertical has it.
    pub(super) fn kind(&self, attribute: &str) -> Option<&Kind> {
        self.kinds.get(attribute)
    }

    /// The objects with a name.
    pub(super) fn named(&self, name: &str) -> &[ObjectNumber] {
        self.by_name.get(&text::bare(name)).map_or(&[], Vec::as_slice)
    }

    /// The accepted values of an attribute.
    pub(super) fn values(&self, number: ObjectNumber, attribute: &str) -> &[String] {
        self.objects[number].values.all(attribute)
    }

    /// The pages about this object alone.
    pub(super) fn details(&self, number: ObjectNumber) -> &BTreeSet<FileNumber> {
        &self.objects[number].details
    }

    /// The one object that a page is about.
    pub(super) fn subject(&self, file: FileNumber) -> Option<ObjectNumber> {
        match self.on(file)? {
            [only] if self.details(*only).contains(&file) => Some(*only),
            _ => None,
        }
    }

    /// The objects of pages that were reached.
    pub(super) fn objects_on(&self, files: &HashSet<FileNumber>) -> HashSet<ObjectNumber> {
        let reached = self.pages.iter().filter(|(file, _)| files.contains(file));
        reached.flat_map(|(_, objects)| objects.iter().copied()).collect()
    }

    /// The objects of a page; none if it was not judged.
    pub(super) fn on(&self, file: FileNumber) -> Option<&[ObjectNumber]> {
        self.pages.get(&file).map(Vec::as_slice)
    }

    pub(super) fn object_pages(&self) -> impl Iterator<Item = FileNumber> {
        let with = self.pages.iter().filter(|(_, objects)| !objects.is_empty());
        with.map(|(file, _)| *file)
    }

    /// The true object that a record is about, if it is right; preferably one of the given ones.
    pub(super) fn find(&self, record: &Record, near: &[ObjectNumber]) -> Option<ObjectNumber> {
        let candidates = record.all(self.name).flat_map(|name| self.named(name));
        let right = candidates.copied().filter(|number| self.agrees(record, *number));
        let right: Vec<ObjectNumber> = right.collect();
        let own = right.iter().find(|number| near.contains(number));
        own.or(right.first()).copied()
    }

    fn agrees(&self, record: &Record, number: ObjectNumber) -> bool {
        let starts = self.values(number, "start");
        let begins = starts.is_empty()
            || starts
                .iter()
                .any(|start| record.all("start").any(|other| is_same_moment(start, other)));
        begins && self.price_agrees(record, number)
    }

    /// Compares prices, if both state one. A true price of nothing means "ask us".
    pub(super) fn price_agrees(&self, record: &Record, number: ObjectNumber) -> bool {
        let expected: Vec<f64> = self
            .values(number, "price")
            .iter()
            .filter_map(|price| amount(price))
            .collect();
        let found: Vec<f64> = record.all("price").filter_map(amount).collect();
        expected.iter().all(|amount| *amount == 0.0)
            || found.is_empty()
            || expected
                .iter()
                .any(|one| found.iter().any(|other| (one - other).abs() < 0.005))
    }

    /// Counts the attributes of a right record that agree with the truth, and those that the truth
    /// has. A true price of nothing means "ask us" and is not counted.
    pub(super) fn attributes(&self, record: &Record, number: ObjectNumber) -> (usize, usize) {
        let (mut right, mut all) = (0, 0);
        for (attribute, kind) in &self.kinds {
            let expected = self.values(number, attribute);
            let is_asked_for =
                *kind == Kind::Money && expected.iter().all(|price| amount(price) == Some(0.0));
            if expected.is_empty() || attribute == self.name || is_asked_for {
                continue;
            }
            all += 1;
            let found: Vec<&str> = record.all(attribute).collect();
            let agrees = |one: &String| match kind {
                Kind::DateTime => found.iter().any(|other| is_same_moment(one, other)),
                _ => found.iter().any(|other| same(kind, one, other)),
            };
            right += usize::from(expected.iter().any(agrees));
        }
        (right, all)
    }
}

/// Returns the address that the versions of a page share: that of its canonical link, without a
/// folder that is named by a language, and without a query.
fn shared_place(mirror: &Mirror, file: FileNumber) -> Result<String> {
    let document = mirror.document(file);
    let page = document.page()?;
    let scanned = scan(page.text(), &ScanLimits::default());
    let canonical = scanned
        .canonical_href()
        .and_then(|href| document.url.join(href).ok());
    let canonical = canonical.and_then(|url| mirror.file(&url));
    let url = canonical.map_or(document.url, |file| mirror.document(file).url);
    Ok(without_language(&url))
}

fn without_language(url: &Url) -> String {
    let path = url.path();
    let (first, rest) = path.trim_start_matches('/').split_once('/').unwrap_or_default();
    let is_language = first.len() == 2 && first.bytes().all(|byte| byte.is_ascii_lowercase());
    match is_language {
        true => format!("/{rest}"),
        false => path.to_owned(),
    }
}

/// The values of an object in `truth.jsonl`, in the words of the verticals.
fn listed_values(object: &Value) -> Vec<(&'static str, String)> {
    const ATTRIBUTES: [&str; 8] = [
        "name", "title", "start", "date", "author", "brand", "sku", "price",
    ];
    let texts = |name: &str| {
        let texts = object[name]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str);
        texts.map(str::to_owned).collect::<Vec<_>>()
    };
    let currency = texts("currency").into_iter().next().unwrap_or_default();
    let values = ATTRIBUTES.into_iter().flat_map(|name| {
        let renamed = RENAMED.iter().find(|(theirs, _)| *theirs == name);
        let ours = renamed.map_or(name, |(_, ours)| *ours);
        let currency = currency.clone();
        texts(name).into_iter().map(move |value| match name {
            "price" => (ours, format!("{value} {currency}").trim().to_owned()),
            _ => (ours, value),
        })
    });
    values.collect()
}
