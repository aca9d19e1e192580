//! The objects that a site truly has, and the comparison of records with them.
//!
//! Most sets come with `truth.jsonl`: a line for each judged page, with its objects. The truth of
//! the older sets is a list of talks, or the markup of pages about one object.
//!
//! A record is right if a true object of the site has its name, and if their beginnings and prices
//! agree where both have them. Lists show what other pages are about, so the object may be one of
//! another page.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use anyhow::{Context, Result};
use magpie_model::{Kind, PageContext, Record, VerticalInfo};
use magpie_values::date::Date;
use magpie_values::text;
use serde_json::Value;

use super::Site;
use crate::quality::{conference, sites};
use crate::score::{Truth, amount, is_same_moment, same};
use crate::site::mirror::{FileNumber, Mirror, TRUTH};

/// Attributes that `truth.jsonl` calls otherwise than the verticals.
const RENAMED: [(&str, &str); 3] = [("title", "name"), ("author", "performers"), ("date", "start")];

/// A record whose values can be asked for by the name of an attribute.
pub(super) trait Says {
    /// All values of an attribute, in normal form.
    fn values(&self, attribute: &str) -> Vec<&str>;
}

impl Says for Record {
    fn values(&self, attribute: &str) -> Vec<&str> {
        let values = self.values.iter().filter(|value| value.attribute == attribute);
        values.map(|value| value.value.as_str()).collect()
    }
}

/// A record as the database keeps it.
impl Says for Value {
    fn values(&self, attribute: &str) -> Vec<&str> {
        match &self["attributes"][attribute] {
            Value::String(text) => vec![text],
            Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        }
    }
}

/// The number of a true object: the same object on several pages has one number.
pub(super) type ObjectNumber = usize;

pub(super) struct SiteTruth {
    /// The attribute that objects are called by.
    name: &'static str,
    kinds: HashMap<String, Kind>,
    objects: Vec<Truth>,
    /// The objects with a name, folded.
    by_name: HashMap<String, Vec<ObjectNumber>>,
    /// The objects of each judged page. Other pages were not judged.
    pages: BTreeMap<FileNumber, Vec<ObjectNumber>>,
}

impl SiteTruth {
    /// Reads the truth of a set, in the normal forms of the vertical that is to find it.
    pub(super) fn read(
        folder: &Path,
        site: &Site,
        mirror: &Mirror,
        info: &VerticalInfo,
    ) -> Result<SiteTruth> {
        let mut truth = SiteTruth {
            name: if site.vertical == "books" { "title" } else { "name" },
            kinds: info
                .attributes
                .iter()
                .map(|attribute| (attribute.name.clone(), attribute.kind.clone()))
                .collect(),
            objects: Vec::new(),
            by_name: HashMap::new(),
            pages: BTreeMap::new(),
        };
        let list = folder.join(TRUTH);
        if list.is_file() {
            truth.read_list(&list, site, mirror, info)?;
        } else {
            truth.read_pages(folder, site, mirror, info)?;
        }
        Ok(truth)
    }

    fn read_list(&mut self, list: &Path, site: &Site, mirror: &Mirror, info: &VerticalInfo) -> Result<()> {
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
            let objects = objects.collect();
            self.add(file, objects);
        }
        Ok(())
    }

    /// Reads the truth of a set without a list: from its talks, or from the markup of its pages.
    fn read_pages(&mut self, folder: &Path, site: &Site, mirror: &Mirror, info: &VerticalInfo) -> Result<()> {
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
            self.add(file, vec![Truth::new(info, &context, &values)]);
        }
        Ok(())
    }

    fn add(&mut self, file: FileNumber, objects: Vec<Truth>) {
        let mut numbers = Vec::with_capacity(objects.len());
        for object in objects {
            let names: Vec<String> = object
                .all(self.name)
                .iter()
                .map(|name| text::bare(name))
                .collect();
            let starts = object.all("start").to_vec();
            let known = names
                .iter()
                .flat_map(|name| self.by_name.get(name).into_iter().flatten());
            let known = known
                .copied()
                .find(|number| self.objects[*number].all("start") == starts);
            let number = known.unwrap_or_else(|| {
                self.objects.push(object);
                self.objects.len() - 1
            });
            for name in names {
                let numbers = self.by_name.entry(name).or_default();
                if !numbers.contains(&number) {
                    numbers.push(number);
                }
            }
            numbers.push(number);
        }
        self.pages.entry(file).or_default().extend(numbers);
    }

    /// The number of distinct objects.
    pub(super) fn len(&self) -> usize {
        self.objects.len()
    }

    /// The objects of a page; none if it was not judged.
    pub(super) fn on(&self, file: FileNumber) -> Option<&[ObjectNumber]> {
        self.pages.get(&file).map(Vec::as_slice)
    }

    pub(super) fn object_pages(&self) -> impl Iterator<Item = FileNumber> {
        let with = self.pages.iter().filter(|(_, objects)| !objects.is_empty());
        with.map(|(file, _)| *file)
    }

    /// The true object that a record is about, if it is right.
    pub(super) fn find(&self, record: &dyn Says) -> Option<ObjectNumber> {
        let names = record.values(self.name).into_iter();
        let candidates = names.flat_map(|name| self.by_name.get(&text::bare(name)).into_iter().flatten());
        let mut candidates = candidates.copied();
        candidates.find(|number| self.agrees(record, *number))
    }

    fn agrees(&self, record: &dyn Says, number: ObjectNumber) -> bool {
        let truth = &self.objects[number];
        let starts = record.values("start");
        let begins = truth.all("start").is_empty()
            || truth
                .all("start")
                .iter()
                .any(|true_start| starts.iter().any(|start| is_same_moment(true_start, start)));
        begins && self.price_agrees(record, truth)
    }

    /// Compares prices, if both state one. A true price of nothing means "ask us".
    fn price_agrees(&self, record: &dyn Says, truth: &Truth) -> bool {
        let expected: Vec<f64> = truth
            .all("price")
            .iter()
            .filter_map(|price| amount(price))
            .collect();
        let found: Vec<f64> = record.values("price").into_iter().filter_map(amount).collect();
        expected.iter().all(|amount| *amount == 0.0)
            || found.is_empty()
            || expected
                .iter()
                .any(|one| found.iter().any(|other| (one - other).abs() < 0.005))
    }

    /// Counts the attributes of a right record that agree with the truth, and those that the truth
    /// has. A true price of nothing means "ask us" and is not counted.
    pub(super) fn attributes(&self, record: &dyn Says, number: ObjectNumber) -> (usize, usize) {
        let truth = &self.objects[number];
        let (mut right, mut all) = (0, 0);
        for (attribute, kind) in &self.kinds {
            let expected = truth.all(attribute);
            let is_asked_for =
                *kind == Kind::Money && expected.iter().all(|price| amount(price) == Some(0.0));
            if expected.is_empty() || attribute == self.name || is_asked_for {
                continue;
            }
            all += 1;
            let found = record.values(attribute);
            let agrees = |one: &String| match kind {
                Kind::DateTime => found.iter().any(|other| is_same_moment(one, other)),
                _ => found.iter().any(|other| same(kind, one, other)),
            };
            right += usize::from(expected.iter().any(agrees));
        }
        (right, all)
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
