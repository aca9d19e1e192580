//! Blocking keys: only objects that share a key are compared.

use magpie_values::kind::{self, Comparison};
use magpie_values::text;

use super::Values;
use super::normal::{canonical, time};
use crate::bindings::clusters::Key;
use crate::record::Record;

/// Maximum number of keys of an object. More keys make the host compare more pairs without finding
/// new matches.
const MAX_KEYS: usize = 12;

/// Maximum number of values of a repeated attribute that become keys.
const MAX_VALUES: usize = 3;

/// Number of words of a name in one key; the longest are taken. Words that sites add (`live`,
/// `Tickets`) are short or come last, and two names that share the longest words are worth a
/// comparison.
const NAME_WORDS: usize = 2;

/// Blocking keys of an object, by the schema alone.
///
/// Each identifier is a key. A name that identifies gives two keys: one of all its words, one of
/// its longest. If times identify too, each name key is combined with the day, because many
/// concerts share a name and many share a day, but few share both.
pub fn keys<R: Record>(record: &R) -> Vec<Key> {
    let values = Values::of(record);
    let mut keys = Vec::new();
    let mut names = Vec::new();
    let mut days = Vec::new();
    for (index, attribute) in R::SCHEMA.iter().enumerate() {
        let all = values.all(index).iter().take(MAX_VALUES);
        match kind::comparison(attribute.kind) {
            Comparison::Identifier(scheme) => {
                let found = all.filter_map(|text| canonical(scheme, text));
                keys.extend(found.map(|value| Key {
                    scheme: attribute.name.to_owned(),
                    value,
                }));
            }
            meaning if meaning.is_of_names() && attribute.identifies => {
                names.extend(all.flat_map(|text| name_keys(attribute.name, text)));
            }
            Comparison::Time if attribute.identifies => {
                let found = all
                    .filter_map(|text| time(text))
                    // Without the year, because one page may state it and another may not.
                    .map(|time| format!("{:02}-{:02}", time.date().month(), time.date().day()));
                days.extend(found.map(|day| (attribute.name, day)));
            }
            _ => {}
        }
    }
    for name in names {
        if days.is_empty() {
            keys.push(name);
            continue;
        }
        for (attribute, day) in &days {
            keys.push(Key {
                scheme: format!("{}+{attribute}", name.scheme),
                value: format!("{} {day}", name.value),
            });
        }
    }
    // Identifiers come before names here, so the most distinctive keys are kept.
    keys.truncate(MAX_KEYS);
    keys
}

/// Keys of one name: all its words, and its longest words.
fn name_keys(attribute: &str, name: &str) -> Vec<Key> {
    let mut words = text::tokens(name);
    // Sites order the words of a name differently, and repeat some.
    words.sort_unstable();
    words.dedup();
    if words.is_empty() {
        return Vec::new();
    }
    let whole = Key {
        scheme: attribute.to_owned(),
        value: words.join(" "),
    };
    if words.len() <= NAME_WORDS {
        return vec![whole];
    }
    // The stable sort keeps words of one length in alphabetical order, so that two sites choose the
    // same ones.
    words.sort_by_key(|word| std::cmp::Reverse(word.chars().count()));
    words.truncate(NAME_WORDS);
    vec![
        whole,
        Key {
            scheme: format!("{attribute}-words"),
            value: words.join(" "),
        },
    ]
}
