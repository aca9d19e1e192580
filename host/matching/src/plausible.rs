//! Objects of a site that look like junk, judged by the schema alone.
//!
//! A true site has many names, and its identifiers differ. Furniture of pages that was taken for
//! objects has one name on many days; a code of the shop that was taken for a code of the article
//! is the same everywhere.

use std::collections::{BTreeMap, BTreeSet};

use magpie_model::{Attribute, Kind, Record};
use serde::{Deserialize, Serialize};

use crate::schema::naming;

/// Minimum number of objects for a judgement.
const MIN_OBJECTS: usize = 10;

/// The share of objects with one name from which most are alike.
const MOSTLY_ALIKE: f64 = 0.5;

/// Minimum share of objects with one name, at different times, that is too large for a series.
const SERIES: f64 = 0.15;

/// Minimum number of objects with that name.
const MIN_SERIES: usize = 20;

/// The share of objects with one value of an identifying attribute.
const CONSTANT: f64 = 0.8;

/// The share of pages with objects on which a value did not fit the schema.
const FAILING: f64 = 0.5;

#[derive(Clone, Copy, Debug)]
pub struct SiteObject<'a> {
    pub record: &'a Record,
    /// True if a page has it alone.
    pub has_own_page: bool,
}

/// A reason to distrust the objects of a site.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Suspicion {
    pub kind: SuspicionKind,
    /// The attribute it is about; empty where it is about none.
    pub attribute: String,
    /// The value that is too frequent; empty if no value is.
    pub value: String,
    /// Objects that it holds for; pages, where values do not fit.
    pub hits: u64,
    /// All of them.
    pub of: u64,
}

/// A kind of reason to distrust the objects of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SuspicionKind {
    /// Most objects share one name.
    MostlyAlike,
    /// One name comes back at many times.
    RepeatedName,
    /// An identifying attribute has one value on most objects that have it.
    ConstantIdentifier,
    /// Values on many pages do not fit the schema.
    FailingChecks,
    /// No object has a page for itself.
    NoOwnPage,
}

/// The reasons to distrust the objects of a site. `failing` of the `checked` pages with objects
/// have a value that did not fit the schema.
pub fn suspicions(
    schema: &[Attribute],
    objects: &[SiteObject<'_>],
    (failing, checked): (u64, u64),
) -> Vec<Suspicion> {
    let mut found = Vec::new();
    if checked as usize >= MIN_OBJECTS && failing as f64 >= FAILING * checked as f64 {
        found.push(Suspicion {
            kind: SuspicionKind::FailingChecks,
            attribute: String::new(),
            value: String::new(),
            hits: failing,
            of: checked,
        });
    }
    // Among a few objects, half may share a name by chance.
    if objects.len() < MIN_OBJECTS {
        return found;
    }
    let name = naming(schema).map(|place| schema[place].name.as_str());
    found.extend(name.and_then(|name| of_names(schema, name, objects)));
    for attribute in schema {
        let tells_apart = match &attribute.kind {
            Kind::Identifier(_) => true,
            Kind::Url => attribute.identifies,
            _ => false,
        };
        // The name has its own test above.
        if tells_apart && Some(attribute.name.as_str()) != name {
            found.extend(constant(&attribute.name, objects));
        }
    }
    if !objects.iter().any(|object| object.has_own_page) {
        found.push(Suspicion {
            kind: SuspicionKind::NoOwnPage,
            attribute: String::new(),
            value: String::new(),
            hits: objects.len() as u64,
            of: objects.len() as u64,
        });
    }
    found
}

/// Finds one name that is on too many objects.
fn of_names(schema: &[Attribute], name: &str, objects: &[SiteObject<'_>]) -> Option<Suspicion> {
    let (value, alike) = most_frequent(name, objects)?;
    let share = alike.len() as f64 / objects.len() as f64;
    let times = || {
        let of_time = |attribute: &&Attribute| attribute.kind == Kind::DateTime;
        let times = schema.iter().filter(of_time);
        let most = times.map(|time| {
            let values = alike.iter().filter_map(|object| object.record.get(&time.name));
            values.collect::<BTreeSet<&str>>().len()
        });
        most.max().unwrap_or(0)
    };
    let kind = if share >= MOSTLY_ALIKE {
        SuspicionKind::MostlyAlike
    } else if share >= SERIES && alike.len() >= MIN_SERIES && 2 * times() >= alike.len() {
        SuspicionKind::RepeatedName
    } else {
        return None;
    };
    Some(Suspicion {
        kind,
        attribute: name.to_owned(),
        value: value.to_owned(),
        hits: alike.len() as u64,
        of: objects.len() as u64,
    })
}

/// Finds an attribute of which most objects have the same value.
fn constant(attribute: &str, objects: &[SiteObject<'_>]) -> Option<Suspicion> {
    let having = objects
        .iter()
        .filter(|object| object.record.get(attribute).is_some());
    let having = having.count();
    let (value, alike) = most_frequent(attribute, objects)?;
    let is_constant = having >= MIN_OBJECTS && alike.len() as f64 >= CONSTANT * having as f64;
    is_constant.then(|| Suspicion {
        kind: SuspicionKind::ConstantIdentifier,
        attribute: attribute.to_owned(),
        value: value.to_owned(),
        hits: alike.len() as u64,
        of: having as u64,
    })
}

/// The most frequent value of an attribute, and the objects that have it.
fn most_frequent<'a>(
    attribute: &str,
    objects: &'a [SiteObject<'a>],
) -> Option<(&'a str, Vec<&'a SiteObject<'a>>)> {
    let mut by_value: BTreeMap<&str, Vec<&SiteObject<'_>>> = BTreeMap::new();
    for object in objects {
        if let Some(value) = object.record.get(attribute) {
            by_value.entry(value).or_default().push(object);
        }
    }
    by_value.into_iter().max_by_key(|(_, alike)| alike.len())
}
