//! Prevalence of arguments: the share of result pages that embed a segment.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::segments::segments;

/// Maximum prevalence of a relevant argument, as published.
pub(crate) const THETA: f64 = 0.1;

/// Maximum number of arguments of a site.
const MAX_ARGUMENTS: usize = 2_000;

/// Maximum number of values of an argument.
const MAX_VALUES: usize = 2_000;

/// Counts of the pages that embed each segment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Prevalence {
    pages: u32,
    arguments: BTreeMap<String, BTreeMap<String, u32>>,
}

impl Prevalence {
    /// Counts the segments of the URLs that a result page embeds, each once.
    pub fn add_page<'a>(&mut self, urls: impl IntoIterator<Item = &'a str>) {
        self.pages += 1;
        let found: BTreeSet<_> = urls.into_iter().flat_map(segments).collect();
        for segment in found {
            if self.arguments.len() >= MAX_ARGUMENTS && !self.arguments.contains_key(&segment.name) {
                continue;
            }
            let values = self.arguments.entry(segment.name).or_default();
            if values.len() < MAX_VALUES || values.contains_key(&segment.value) {
                *values.entry(segment.value).or_default() += 1;
            }
        }
    }

    /// Returns the number of pages that were counted.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.arguments.keys().map(String::as_str)
    }

    /// Returns r(a, v): the share of pages with a segment.
    pub fn of_value(&self, name: &str, value: &str) -> f64 {
        let count = self.arguments.get(name).and_then(|values| values.get(value));
        f64::from(count.copied().unwrap_or(0)) / f64::from(self.pages.max(1))
    }

    /// Returns r(a): the mean of r(a, v) over the values of an argument.
    pub fn of(&self, name: &str) -> f64 {
        let Some(values) = self.arguments.get(name) else {
            return 0.0;
        };
        let sum: f64 = values.values().map(|count| f64::from(*count)).sum();
        sum / values.len().max(1) as f64 / f64::from(self.pages.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four pages. `sort=price` is on all, `sort=name` on two: r(sort) = (4/4 + 2/4) / 2 = .75.
    /// Brand `x` is on one page, and so are `y` and `z`: r(brand) = (1/4 + 1/4 + 1/4) / 3 = .25.
    #[test]
    fn prevalence_by_hand() {
        let mut prevalence = Prevalence::default();
        prevalence.add_page(["/s?q=a&sort=price", "/s?q=a&brand=x", "/t?sort=price&brand=x"]);
        prevalence.add_page(["/s?q=b&sort=price&sort=name"]);
        prevalence.add_page(["/s?q=c&sort=price&brand=y", "/s?sort=name"]);
        prevalence.add_page(["/s?q=d&sort=price&brand=z"]);
        assert_eq!(prevalence.pages(), 4);
        assert_eq!(prevalence.of_value("sort", "price"), 1.0);
        assert_eq!(prevalence.of_value("sort", "name"), 0.5);
        assert_eq!(prevalence.of("sort"), 0.75);
        assert_eq!(prevalence.of("brand"), 0.25);
        assert_eq!(prevalence.of("q"), 0.25);
        assert_eq!(prevalence.of("none"), 0.0);
        assert_eq!(prevalence.names().collect::<Vec<_>>(), ["brand", "q", "sort"]);
    }
}
