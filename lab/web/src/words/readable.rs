//! Names that read like those of real concerts, books and people, for webs that people look at.
//!
//! Each language has a file of lists. An entry may name other lists in braces, which are filled in.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::random::Key;

#[derive(Debug)]
pub(crate) struct Lists(BTreeMap<&'static str, Vec<&'static str>>);

/// The files, in the order of the languages of the lab.
static ALL: LazyLock<[Lists; LANGUAGES]> = LazyLock::new(|| {
    [
        include_str!("readable/en.txt"),
        include_str!("readable/de.txt"),
        include_str!("readable/fr.txt"),
        include_str!("readable/es.txt"),
    ]
    .map(Lists::parse)
});

pub(crate) const LANGUAGES: usize = 4;

impl Lists {
    /// Returns the lists of a language of the lab, the English ones where it has none.
    pub(crate) fn of(language: usize) -> &'static Lists {
        ALL.get(language).unwrap_or(&ALL[0])
    }

    pub(crate) fn parse(text: &'static str) -> Lists {
        let mut lists: BTreeMap<&'static str, Vec<&'static str>> = BTreeMap::new();
        let mut name = "";
        let lines = text
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'));
        for line in lines {
            match line.strip_prefix("= ") {
                Some(list) => name = list,
                None => lists.entry(name).or_default().push(line),
            }
        }
        Lists(lists)
    }

    /// Returns a list, the English one if the language has none.
    pub(crate) fn list(&self, name: &str) -> &[&'static str] {
        let own = self.0.get(name).or_else(|| ALL[0].0.get(name));
        own.map_or(&[], Vec::as_slice)
    }

    pub(crate) fn pick(&self, name: &str, key: Key) -> &'static str {
        match self.list(name) {
            [] => "",
            entries => key.pick(entries),
        }
    }

    /// Returns the entry of a list with a number. Numbers beyond its end start again at its
    /// beginning.
    pub(crate) fn nth(&self, name: &str, number: usize) -> &'static str {
        match self.list(name) {
            [] => "",
            entries => entries[number % entries.len()],
        }
    }

    /// Returns an entry of a list, with what it names filled in: the given values, or entries of
    /// other lists.
    pub(crate) fn fill(&self, name: &str, key: Key, given: &[(&str, &str)]) -> String {
        let mut filled = String::new();
        let mut rest = self.pick(name, key.of("entry", 0));
        for place in 0.. {
            let Some((before, after)) = rest.split_once('{') else {
                break;
            };
            let (inner, after) = after.split_once('}').unwrap_or((after, ""));
            filled.push_str(before);
            match given.iter().find(|(known, _)| *known == inner) {
                Some((_, value)) => filled.push_str(value),
                None => filled.push_str(&self.fill(inner, key.of(inner, place), given)),
            }
            rest = after;
        }
        filled + rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_that_an_entry_names_is_there() {
        for (language, lists) in ALL.iter().enumerate() {
            for (name, entries) in &lists.0 {
                for entry in entries {
                    for inner in entry.split('{').skip(1) {
                        let inner = inner.split('}').next().unwrap_or_default();
                        let is_known = inner == "number" || lists.0.contains_key(inner);
                        assert!(is_known, "{language}, {name}: {entry}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_language_has_what_objects_need() {
        let needed = [
            "address",
            "book",
            "event",
            "family",
            "given",
            "headline",
            "organiser",
            "publisher",
            "sentence",
            "subtitle",
            "town",
            "venue",
            "word",
        ];
        for (language, lists) in ALL.iter().enumerate() {
            for name in needed {
                assert!(lists.0.contains_key(name), "{language}: {name}");
            }
        }
        // Towns and brands are groups, which have names of their own; so have categories.
        let count = |name: &str| {
            ALL.iter()
                .map(|lists| lists.0.get(name).map_or(0, Vec::len))
                .sum::<usize>()
        };
        assert!(count("town") >= 40 && count("brand") >= 40);
        assert!(
            ["event-category", "book-category", "product-category"]
                .iter()
                .all(|name| count(name) == 12)
        );
    }

    #[test]
    fn entries_are_filled_with_given_values_and_others() {
        let lists = Lists::parse(
            "= talk\n{person} in {town}\n= person\nAda {family}\n= family\nRay\n= town\nKingsford",
        );
        let key = Key::root(1);
        assert_eq!(
            lists.fill("talk", key, &[("town", "Oakhampton")]),
            "Ada Ray in Oakhampton"
        );
        assert_eq!(lists.fill("talk", key, &[]), "Ada Ray in Kingsford");
    }
}
