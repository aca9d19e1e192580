//! Frequencies of words and values, which determine the evidence of agreement.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::features::Features;
use super::plan::{Form, Plan};
use super::words;

/// Different words and values that are counted. What comes later counts as rare, which nearly all
/// of it is.
const MAX_COUNTED: usize = 8_000_000;
/// Before anything is counted, we believe as much as from this many objects.
const BELIEVED_OBJECTS: f64 = 300.0;

/// Different makers, or numbers of things, with which a word is no model number: a norm, a size, a
/// feature.
const GENERIC: usize = 4;

/// Number of objects that contain each word and value.
#[derive(Clone, Debug, Default)]
pub(super) struct Statistics {
    objects: u32,
    counts: HashMap<u64, u32>,
    /// By word that looks like a model number: the different makers and numbers of the objects with
    /// it in their name, by attribute, up to the number that decides.
    carriers: HashMap<u64, BTreeMap<usize, Vec<u64>>>,
}

impl Statistics {
    pub(super) fn observe(&mut self, features: &Features<'_>, plan: &Plan) {
        self.objects = self.objects.saturating_add(1);
        let mut seen = Vec::new();
        for (place, values) in features.fields() {
            for value in values {
                countable(place, value, plan.attributes[place].form, &mut seen);
            }
        }
        self.observe_carriers(features, plan);
        // Each word counts once for an object, however often that has it.
        seen.sort_unstable();
        seen.dedup();
        for hash in seen {
            if self.counts.len() < MAX_COUNTED || self.counts.contains_key(&hash) {
                *self.counts.entry(hash).or_default() += 1;
            }
        }
    }

    /// Counts by how many different things a model number is carried.
    fn observe_carriers(&mut self, features: &Features<'_>, plan: &Plan) {
        let Some(naming) = plan.naming else { return };
        let names = features.values(naming);
        let models = names
            .iter()
            .flat_map(|name| words::each(name))
            .filter(|word| words::is_model(word));
        for word in models {
            let key = hash(naming, 'w', word);
            if self.carriers.len() >= MAX_COUNTED && !self.carriers.contains_key(&key) {
                continue;
            }
            let carriers = self.carriers.entry(key).or_default();
            for (place, values) in features
                .fields()
                .filter(|(place, _)| plan.attributes[*place].tells_things)
            {
                let seen = carriers.entry(place).or_default();
                // A thing with several numbers is one carrier.
                let first = values.first().map(|value| hash(place, 'v', value));
                seen.extend(first.filter(|value| seen.len() < GENERIC && !seen.contains(value)));
            }
        }
    }

    /// Returns true if a word of a name is a model number, as far as is known: long enough, and not
    /// on things of many makers.
    pub(super) fn is_model(&self, place: usize, word: &str) -> bool {
        let is_generic = || {
            let carriers = self.carriers.get(&hash(place, 'w', word));
            carriers.is_some_and(|carriers| carriers.values().any(|seen| seen.len() >= GENERIC))
        };
        words::is_model(word) && !is_generic()
    }

    /// Surprise that two randomly chosen objects are one: the logarithm of the odds against it, if
    /// each has about one twin.
    pub(super) fn surprise(&self) -> f64 {
        (f64::from(self.objects) + BELIEVED_OBJECTS).ln()
    }

    /// Evidence of a shared word: the logarithm of its rarity.
    pub(super) fn word(&self, place: usize, word: &str) -> f64 {
        self.worth(hash(place, 'w', word), believed_share(word))
    }

    /// Evidence of a shared whole value.
    pub(super) fn value(&self, place: usize, value: &str) -> f64 {
        self.worth(hash(place, 'v', value), 0.0)
    }

    fn worth(&self, hash: u64, believed: f64) -> f64 {
        // The two objects at hand are no witnesses of how common a thing is, except that it is.
        let others = self
            .counts
            .get(&hash)
            .map_or(1.0, |count| f64::from(*count).max(2.0) - 1.0);
        let total = f64::from(self.objects) + BELIEVED_OBJECTS;
        let share = (others + believed * BELIEVED_OBJECTS) / total;
        -share.clamp(f64::MIN_POSITIVE, 1.0).ln()
    }
}

/// Prior frequency of a word, before any is counted: short words are mostly function words, codes
/// seldom are.
fn believed_share(word: &str) -> f64 {
    if words::is_code(word) {
        return 0.000_5;
    }
    match word.chars().count() {
        0 | 1 => 0.05,
        2 | 3 => 0.02,
        4 | 5 => 0.005,
        _ => 0.002,
    }
}

fn countable(place: usize, value: &str, form: Form, seen: &mut Vec<u64>) {
    match form {
        Form::Words | Form::Person | Form::Place => {
            seen.push(hash(place, 'v', value));
            // Names that agree in their main part are rated by the rarity of that part.
            seen.push(hash(place, 'v', words::main_part(value).0));
            seen.extend(words::each(value).map(|word| hash(place, 'w', word)));
        }
        Form::Time => {
            // The year, the month, the day, the time.
            let ends = [4, 7, 10, 16].into_iter().filter_map(|end| value.get(..end));
            seen.extend(ends.map(|part| hash(place, 'v', part)));
        }
        Form::Number | Form::Exact | Form::Shared => seen.push(hash(place, 'v', value)),
        Form::Distance | Form::Money | Form::Properties | Form::Ignored => {}
    }
}

fn hash(place: usize, what: char, text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (place as u8, what, text).hash(&mut hasher);
    hasher.finish()
}
