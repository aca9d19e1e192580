//! Keys under which likely twins meet.

use super::meaning::{canonical, time};
use super::{Meaning, Values};
use crate::bindings::clusters::Key;
use crate::record::Record;
use magpie_values::text;

/// Keys of an object: more make the host compare more, and beyond these they find nothing new.
const MOST_KEYS: usize = 12;

/// Values of a repeated attribute that make keys.
const MOST_VALUES: usize = 3;

/// Words of a name that go into one key, the longest: what sites add (`live`, `Tickets`) is short
/// or comes last, and two names that share these are worth a comparison.
const NAME_WORDS: usize = 2;

/// Keys under which likely twins meet, by the schema alone.
///
/// Identifiers make one each. Names that identify make one of all their words and one of their
/// longest; where times identify too, each name and each place is tied to the day, for there are
/// many concerts of one name and many on one day, but few of both.
pub fn keys<R: Record>(record: &R) -> Vec<Key> {
    let values = Values::of(record);
    let mut keys = Vec::new();
    let mut names = Vec::new();
    let mut days = Vec::new();
    for (place, attribute) in R::SCHEMA.iter().enumerate() {
        let all = values.all(place).iter().take(MOST_VALUES);
        match Meaning::of(attribute.kind) {
            Meaning::Identifier(scheme) => {
                let found = all.filter_map(|text| canonical(scheme, text));
                keys.extend(found.map(|value| Key {
                    scheme: attribute.name.to_owned(),
                    value,
                }));
            }
            meaning if meaning.is_name() && attribute.identifies => {
                names.extend(all.flat_map(|text| forms(attribute.name, text)));
            }
            Meaning::Time if attribute.identifies => {
                let found = all
                    .filter_map(|text| time(text))
                    .map(|time| time.date().to_string());
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
    keys.truncate(MOST_KEYS);
    keys
}

/// The keys of one name.
fn forms(attribute: &str, name: &str) -> Vec<Key> {
    let mut words = text::tokens(name);
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
    // Sorting keeps words of one length in alphabetical order, so that two sites choose the same ones.
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
