//! Blocking keys of products: records with a common key are compared.

use std::collections::BTreeSet;

use magpie_sdk::identifier::model_key;
use magpie_sdk::{Gtin, Key, text};

use crate::Product;
use crate::lists::{COLOURS, NOISE};
use crate::model::Features;

/// Maximum number of keys per product. More keys cost comparisons and find little.
const MAX_KEYS: usize = 40;

/// Number of words of a name that make keys, in pairs: the longest words, which are the rarest.
const RARE_WORDS: usize = 5;

/// Returns the keys of a product: bar code, part number with brand, model numbers, pairs of rare
/// words, rare single words, and the whole name, which may be too short for other keys.
pub(crate) fn keys(product: &Product) -> Vec<Key> {
    let key = |scheme: &str, value: String| Key {
        scheme: scheme.to_owned(),
        value,
    };
    let mut keys: Vec<Key> = product
        .gtin
        .as_ref()
        .and_then(Gtin::read)
        .map(|gtin| key("gtin", gtin))
        .into_iter()
        .collect();
    let features = Features::of(product);
    if let Some(mpn) = product.mpn.as_deref().map(model_key).filter(|mpn| mpn.len() >= 3) {
        keys.push(key(
            "brand+mpn",
            format!("{}/{mpn}", features.brand.first().map_or("", String::as_str)),
        ));
    }
    let stems = features.models.iter().filter_map(|model| stem(model));
    let models = features.models.iter().map(String::as_str).chain(stems);
    let models: BTreeSet<&str> = models.chain(features.codes.iter().map(String::as_str)).collect();
    keys.extend(models.iter().map(|model| key("model", (*model).to_owned())));
    // Words of the brand are included, since one shop writes the brand into the name and another
    // beside it. Colours are common, and model numbers have keys of their own.
    let is_telling = |word: &&String| {
        let is_common = NOISE.contains(&word.as_str()) || is_colour(word) || features.models.contains(*word);
        (word.chars().count() > 2 && !is_common) || features.numbers.contains(*word)
    };
    let mut rare: Vec<&String> = features
        .words
        .iter()
        .chain(&features.brand)
        .filter(is_telling)
        .collect();
    rare.sort_unstable();
    rare.dedup();
    rare.sort_by_key(|word| std::cmp::Reverse(rarity(word)));
    rare.truncate(RARE_WORDS);
    // The two words of a pair must have one order in all records.
    rare.sort_unstable();
    for (place, one) in rare.iter().enumerate() {
        for other in &rare[place + 1..] {
            keys.push(key("words", format!("{one} {other}")));
        }
    }
    keys.extend(telling_words(&features).into_iter().map(|word| key("word", word)));
    // One place is kept for the whole name.
    keys.truncate(MAX_KEYS - 1);
    keys.push(key("name", text::bare(&product.name)));
    keys
}

/// Returns a model number without its trailing letters, which state a colour or region and may be
/// omitted.
fn stem(model: &str) -> Option<&str> {
    const MIN_LENGTH: usize = 4;
    let stem = model.trim_end_matches(|one: char| one.is_ascii_alphabetic());
    let has_letter = stem.contains(|one: char| one.is_ascii_alphabetic());
    (stem.len() < model.len() && stem.len() >= MIN_LENGTH && has_letter).then_some(stem)
}

/// Returns the longest word, and pairs of adjacent words that others write as one: `web page`.
fn telling_words(features: &Features) -> Vec<String> {
    /// Minimum length of a word that is rare enough to be a key by itself.
    const MIN_LENGTH: usize = 6;
    const MAX_JOINED: usize = 4;
    let is_word = |word: &&String| !NOISE.contains(&word.as_str()) && word.chars().all(char::is_alphabetic);
    let words: Vec<&String> = features.words.iter().filter(is_word).collect();
    let long = |word: &str| word.chars().count() >= MIN_LENGTH;
    let longest = words
        .iter()
        .copied()
        .filter(|word| long(word))
        .max_by_key(|word| (word.chars().count(), *word));
    let joined = words
        .windows(2)
        .take(MAX_JOINED)
        .map(|pair| format!("{}{}", pair[0], pair[1]));
    longest
        .cloned()
        .into_iter()
        .chain(joined.filter(|word| long(word)))
        .collect()
}

fn is_colour(word: &str) -> bool {
    COLOURS.iter().any(|names| names.contains(&word))
}

/// Estimates the rarity of a word. Long words are rare, and so are numbers.
fn rarity(word: &str) -> usize {
    let figures = if word.contains(|one: char| one.is_ascii_digit()) {
        4
    } else {
        0
    };
    word.chars().count() + figures
}

#[cfg(test)]
mod tests {
    use super::keys;
    use crate::Product;

    #[test]
    fn short_names_share_a_key_with_or_without_a_brand() {
        for name in ["Duo", "The Duke", "X 2", "Шал", "帽子"] {
            let keys = |brand: Option<&str>| {
                let product = Product {
                    name: name.into(),
                    brand: brand.map(Into::into),
                    ..Product::default()
                };
                keys(&product)
                    .into_iter()
                    .map(|key| key.value)
                    .collect::<Vec<_>>()
            };
            let (bare, branded) = (keys(None), keys(Some("Corvid")));
            assert!(bare.iter().any(|key| branded.contains(key)), "{name}");
        }
    }

    #[test]
    fn products_written_differently_share_a_key() {
        for (one, other) in [
            ("Corvid KX-210BK Kettle", "Cordless water boiler KX210"),
            ("Soft Case - LCSTWA", "Corvid LCS-TWA Camera Bag"),
            ("Picture Studio", "PictureStudio for everybody at home"),
        ] {
            let keys = |name: &str| {
                let product = Product {
                    name: name.into(),
                    ..Product::default()
                };
                keys(&product)
                    .into_iter()
                    .map(|key| key.value)
                    .collect::<Vec<_>>()
            };
            let (left, right) = (keys(one), keys(other));
            assert!(left.iter().any(|key| right.contains(key)), "{left:?} {right:?}");
        }
    }
}
