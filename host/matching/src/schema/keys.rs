//! Keys under which likely twins meet.
//!
//! Identifiers first, then the whole name, then words of the name together with values that
//! distinguish objects of one name (the day, a person, the place), then words of the name alone.
//! The rarity of words is not known here: the index splits the blocks of common ones.

use magpie_model::Kind;

use magpie_model::Key;

use super::features::Features;
use super::person;
use super::plan::{Form, Plan};
use super::words;

/// Words of a name that make keys, the most telling.
const NAME_WORDS: usize = 8;
/// Words that make keys alone when there is a day to combine them with.
const BARE_WORDS_WITH_DAY: usize = 3;
/// Length of a name's prefix that makes a key: long enough to be rare, short enough to avoid
/// misspellings.
const NAME_START: usize = 9;
/// Days, persons and places that are combined with words.
const DISCRIMINATORS: usize = 2;

/// The keys of an object, the most telling first.
pub(super) fn keys(features: &Features<'_>, plan: &Plan) -> Vec<Key> {
    let mut keys = Vec::new();
    identifiers(features, plan, &mut keys);
    let days = discriminators(features, plan, Form::Time, day);
    let people = discriminators(features, plan, Form::Person, |name| {
        Some(person::family(name).to_owned())
    });
    let places = discriminators(features, plan, Form::Place, longest_word);
    let name = plan
        .naming
        .and_then(|place| features.values(place).first().copied())
        .unwrap_or_default();
    let telling = telling_words(name);
    if !name.is_empty() {
        // Sorted words meet in whatever order a page has them.
        keys.push(key("name", sorted(name)));
        keys.push(key("name", sorted(words::main_part(name).0)));
    }
    for (scheme, values) in [("day", &days), ("person", &people)] {
        for value in values {
            let combined = telling
                .iter()
                .map(|word| key(&format!("name+{scheme}"), format!("{word} {value}")));
            keys.extend(combined.take(NAME_WORDS / 2));
        }
    }
    for day in &days {
        keys.extend(
            places
                .iter()
                .map(|place| key("day+place", format!("{day} {place}"))),
        );
    }
    if !name.is_empty() {
        let start: String = name
            .chars()
            .filter(|one| one.is_alphanumeric())
            .take(NAME_START)
            .collect();
        keys.push(key("name-start", start));
    }
    // With a day, its combinations find the twins, and single words only cost comparisons.
    let bare = if days.is_empty() {
        NAME_WORDS
    } else {
        BARE_WORDS_WITH_DAY
    };
    keys.extend(
        telling
            .iter()
            .take(bare)
            .map(|word| key("name-word", (*word).to_owned())),
    );
    keys
}

fn identifiers(features: &Features<'_>, plan: &Plan, keys: &mut Vec<Key>) {
    for (place, values) in features.fields() {
        let planned = &plan.attributes[place];
        let scheme = match &planned.kind {
            Kind::Identifier(scheme) => scheme,
            Kind::Url if planned.identifies => &planned.name,
            _ => continue,
        };
        keys.extend(values.iter().map(|value| key(scheme, (*value).to_owned())));
    }
}

/// The values of all identifying attributes of a form, in the form that makes keys.
fn discriminators(
    features: &Features<'_>,
    plan: &Plan,
    form: Form,
    of: impl Fn(&str) -> Option<String>,
) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (place, values) in features.fields() {
        let planned = &plan.attributes[place];
        if planned.form == form && planned.identifies && plan.naming != Some(place) {
            for value in values.iter().filter_map(|value| of(value)) {
                if !found.contains(&value) && found.len() < DISCRIMINATORS {
                    found.push(value);
                }
            }
        }
    }
    found
}

fn day(value: &str) -> Option<String> {
    value.get(..10).map(str::to_owned)
}

fn longest_word(value: &str) -> Option<String> {
    let words = words::each(value).map(|word| (word.chars().count(), word));
    words.max().map(|(_, word)| word.to_owned())
}

/// The words of a name, the most telling first: codes, then the long ones.
fn telling_words(name: &str) -> Vec<&str> {
    let mut telling: Vec<&str> = words::each(name)
        .filter(|word| word.chars().count() >= 2)
        .collect();
    telling.sort_by_key(|word| {
        (
            !words::is_code(word),
            std::cmp::Reverse(word.chars().count()),
            *word,
        )
    });
    telling.dedup();
    telling.truncate(NAME_WORDS);
    telling
}

fn sorted(name: &str) -> String {
    let mut sorted: Vec<&str> = words::each(name).collect();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.join(" ")
}

fn key(scheme: &str, value: String) -> Key {
    Key {
        scheme: scheme.to_owned(),
        value,
    }
}
