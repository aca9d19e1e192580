//! Facts that hold for a whole site.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use magpie_model::{PageContext, Record};
use magpie_page::Page;
use magpie_values::kind::Shape;
use magpie_values::language;
use serde::{Deserialize, Serialize};

use crate::schema::Schema;
use crate::site;
use crate::tree::hash;

/// Hosts, languages, currencies and years of which each is counted.
const MAX_COUNTED: usize = 200;

/// Paths that are remembered of a site, and of each host that may be another name of it.
const MAX_PATHS: usize = 1_000_000;
const MAX_ALIAS_PATHS: usize = 50;

/// Share of the pages or values that makes one a fact, and their minimum number.
const MIN_SHARE: f64 = 0.6;
const MIN_COUNT: usize = 5;

/// Pages that are in another language by mistake.
const MIN_LANGUAGE_SHARE: f64 = 0.02;

/// Values by attribute.
pub(crate) type Constants = BTreeMap<String, String>;

/// Facts of a site.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// The year that titles, headings and addresses print, as those of a conference do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub year: Option<i32>,
    /// The currency of amounts whose sign several currencies share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// The languages of the pages, the commonest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<String>,
    /// Hosts that records name and that have the pages of this site.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Names of places and organisations that all objects have.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub constants: Constants,
    /// Values that nearly all items of lists carry, and no page of an object confirms: the name of
    /// a section, say. They are not taken from lists.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: Constants,
}

/// The observations that facts are made of.
#[derive(Default)]
pub(crate) struct FactCounts {
    pages: usize,
    years: HashMap<i32, usize>,
    /// By currency, the amounts that name it and those that may mean another.
    currencies: HashMap<String, (usize, usize)>,
    languages: HashMap<String, usize>,
    hosts: BTreeSet<String>,
    paths: HashSet<u64>,
    alias_paths: BTreeMap<String, HashSet<u64>>,
}

impl FactCounts {
    pub(crate) fn note(&mut self, schema: &Schema, page: &Page, context: &PageContext, records: &[Record]) {
        self.pages += 1;
        let address = site::address(page.url().as_str());
        if self.hosts.len() < MAX_COUNTED {
            self.hosts.insert(site::host(&address).to_owned());
        }
        if self.paths.len() < MAX_PATHS {
            self.paths.insert(hash(site::path(&address)));
        }
        let printed = format!("{address} {}", page.title().unwrap_or_default());
        for year in years(&printed) {
            add(&mut self.years, year);
        }
        if let Some(language) = context.language.as_deref().and_then(language::primary) {
            add(&mut self.languages, language);
        }
        for value in records.iter().flat_map(|record| &record.values) {
            let Some(at) = schema.place(&value.attribute) else {
                continue;
            };
            if schema.kind(at).shape() == Shape::Amount
                && let Some((_, currency)) = value.value.split_once(' ')
                && (self.currencies.len() < MAX_COUNTED || self.currencies.contains_key(currency))
            {
                let count = self.currencies.entry(currency.to_owned()).or_default();
                match names_currency(value.raw.as_deref(), currency) {
                    true => count.0 += 1,
                    false => count.1 += 1,
                }
            }
            if Some(at) == schema.url {
                self.note_alias(&value.value);
            }
        }
    }

    fn note_alias(&mut self, url: &str) {
        let address = site::address(url);
        let host = site::host(&address);
        if self.hosts.contains(host) || self.alias_paths.len() >= MAX_COUNTED {
            return;
        }
        let paths = self.alias_paths.entry(host.to_owned()).or_default();
        if paths.len() < MAX_ALIAS_PATHS {
            paths.insert(hash(site::path(&address)));
        }
    }

    pub(crate) fn facts(&self, constants: Constants, labels: Constants) -> Facts {
        let most = self.years.iter().max_by_key(|(year, count)| (**count, **year));
        let is_common = |count: usize, of: usize| count >= MIN_COUNT && count as f64 >= MIN_SHARE * of as f64;
        let named: usize = self.currencies.values().map(|(named, _)| named).sum();
        let all: usize = self.currencies.values().map(|(named, other)| named + other).sum();
        // Amounts that name their currency decide, where there are some.
        let decides = named >= MIN_COUNT;
        let of = if decides { named } else { all };
        let weigh = |count: &(usize, usize)| if decides { count.0 } else { count.0 + count.1 };
        let currency = self
            .currencies
            .iter()
            .max_by_key(|(code, count)| (weigh(count), *code));
        let mut languages: Vec<(&String, &usize)> = self.languages.iter().collect();
        languages.retain(|(_, count)| **count as f64 >= MIN_LANGUAGE_SHARE * self.pages as f64);
        languages.sort_by_key(|(language, count)| (std::cmp::Reverse(**count), *language));
        let is_alias = |host: &String, paths: &HashSet<u64>| {
            let known = paths.iter().filter(|path| self.paths.contains(path)).count();
            !self.hosts.contains(host) && known >= 2 && 2 * known >= paths.len()
        };
        Facts {
            year: most
                .filter(|(_, count)| is_common(**count, self.pages))
                .map(|(year, _)| *year),
            currency: currency
                .filter(|(_, count)| is_common(weigh(count), of))
                .map(|(code, _)| code.clone()),
            languages: languages
                .into_iter()
                .map(|(language, _)| language.clone())
                .collect(),
            aliases: self
                .alias_paths
                .iter()
                .filter(|(host, paths)| is_alias(host, paths))
                .map(|(host, _)| host.clone())
                .collect(),
            constants,
            labels,
        }
    }
}

/// Returns true if the text of an amount says which currency it is in: by its code, or because
/// structured data does so apart from the amount.
pub(crate) fn names_currency(raw: Option<&str>, currency: &str) -> bool {
    raw.is_none_or(|raw| raw.to_ascii_uppercase().contains(currency))
}

fn add<T: std::hash::Hash + Eq>(counts: &mut HashMap<T, usize>, key: T) {
    if counts.len() < MAX_COUNTED || counts.contains_key(&key) {
        *counts.entry(key).or_default() += 1;
    }
}

/// The years that a text prints, each once.
fn years(text: &str) -> BTreeSet<i32> {
    let runs = text.split(|sign: char| !sign.is_ascii_digit());
    let years = runs
        .filter(|run| run.len() == 4)
        .filter_map(|run| run.parse().ok());
    years.filter(|year| (1900..2100).contains(year)).collect()
}
