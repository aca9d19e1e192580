//! Similarity of two product names.

use magpie_sdk::similarity::tokens_match;

use crate::lists::NOISE;
use crate::model::Features;

/// Minimum similarity of two words that count as equal: misspelled, or in the plural.
const SAME_WORD: f64 = 0.85;

/// Weight of words that only one name has, relative to replaced words. Shops add remarks, but a
/// replaced word means another product.
const ADDED: f64 = 0.35;

/// Weight of a noise word.
const NOISE_WEIGHT: f64 = 0.1;

/// Length of a word with weight 1. Longer words are rarer and have more weight.
const COMMON_LETTERS: f64 = 6.0;

/// Weights of the common and the different words of two names.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shared {
    both: f64,
    /// Weight of the words of one name that are replaced by others in the other name.
    pub(crate) replaced: f64,
    added: f64,
}

impl Shared {
    /// Compares the words of two names. Words of the other's brand are skipped, since one shop
    /// writes the brand into the name and another beside it.
    pub(crate) fn of(left: &Features, right: &Features) -> Self {
        let words = |own: &Features, other: &Features| -> Vec<String> {
            let bare = own.words.iter().filter(|word| !other.brand.contains(word));
            let mut words: Vec<String> = bare.cloned().collect();
            words.dedup();
            words
        };
        let (mut one, mut other) = (words(left, right), words(right, left));
        // Equal words are paired first, so that a similar word can't take the place of an equal
        // one.
        let mut both = take_same(&mut one, &mut other, |word, second| word == second);
        both += take_joined(&mut one, &mut other) + take_joined(&mut other, &mut one);
        both += take_same(&mut one, &mut other, is_same);
        let alone = |words: &[String]| words.iter().map(|word| weight(word)).sum::<f64>();
        let (one, other) = (alone(&one), alone(&other));
        Self {
            both,
            replaced: one.min(other),
            added: (one - other).abs(),
        }
    }

    /// Returns the common share of the weight, from 0 to 1.
    pub(crate) fn share(self) -> f64 {
        let all = self.both + self.replaced + ADDED * self.added;
        if all > 0.0 { self.both / all } else { 0.0 }
    }
}

/// Removes the words that both have from both, and returns their weight.
fn take_same(one: &mut Vec<String>, other: &mut Vec<String>, same: fn(&str, &str) -> bool) -> f64 {
    let mut both = 0.0;
    one.retain(|word| {
        let Some(place) = other.iter().position(|second| same(word, second)) else {
            return true;
        };
        other.remove(place);
        both += weight(word);
        false
    });
    both
}

/// Removes pairs of adjacent words that are one word of the other name (`video studio` and
/// `videostudio`), and returns their weight.
fn take_joined(one: &mut Vec<String>, other: &mut Vec<String>) -> f64 {
    let mut both = 0.0;
    let mut place = 0;
    while place + 1 < one.len() {
        let joined = format!("{}{}", one[place], one[place + 1]);
        match other.iter().position(|word| *word == joined) {
            Some(found) => {
                other.remove(found);
                one.drain(place..place + 2);
                both += weight(&joined);
            }
            None => place += 1,
        }
    }
    both
}

/// Returns true if one word is a misspelling of the other, or a compound that ends with it
/// (`phone`, `smartphone`). Words with digits must be equal.
fn is_same(one: &str, other: &str) -> bool {
    /// Minimum length of the last part of a compound; shorter ones end many words.
    const MIN_KIND: usize = 5;
    let digit = |word: &str| word.contains(|letter: char| letter.is_ascii_digit());
    let is_kind = |kind: &str, word: &str| kind.len() >= MIN_KIND && word.ends_with(kind);
    !digit(one)
        && !digit(other)
        && (is_kind(one, other) || is_kind(other, one) || tokens_match(one, other) >= SAME_WORD)
}

fn weight(word: &str) -> f64 {
    if NOISE.contains(&word) {
        return NOISE_WEIGHT;
    }
    (word.chars().count() as f64 / COMMON_LETTERS).clamp(0.4, 1.6)
}

#[cfg(test)]
mod tests {
    use super::Shared;
    use crate::Product;
    use crate::model::Features;

    fn shared(one: &str, other: &str) -> Shared {
        let features = |name: &str| {
            Features::of(&Product {
                name: name.into(),
                ..Product::default()
            })
        };
        Shared::of(&features(one), &features(other))
    }

    #[test]
    fn words_in_place_of_others_count_more_than_added_ones() {
        let replaced = shared("Topo maps west region", "Topo maps east region").share();
        let added = shared("Topo maps west region", "Topo maps west region printed").share();
        assert!(replaced < added, "{replaced} {added}");
        assert_eq!(
            shared("Video Studio", "VideoStudio software").share(),
            shared("VideoStudio", "VideoStudio software").share()
        );
    }
}
