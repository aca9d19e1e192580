//! Features of a product name that distinguish similar products: model numbers, quantities, packs.

use std::collections::BTreeSet;

use magpie_sdk::identifier::model_key;
use magpie_sdk::text;
use magpie_sdk::title::{Quantity, Unit, model_numbers, quantities};

use crate::lists::{COLOURS, GRADES, PACKAGING, PARTS, PLATFORMS, SYSTEMS, TERMS};
use crate::{Product, figures};

/// Minimum number of digits of a part number without letters; shorter numbers are sizes and years.
pub(crate) const PART_DIGITS: usize = 5;

/// Maximum length of a word of letters and digits that is too short for a model number: `P2`,
/// `CS3`.
pub(crate) const SHORT_MODEL: usize = 3;

/// Features by which a product is compared.
pub(crate) struct Features {
    /// Words of the name, folded, without those of the brand and of quantities.
    pub(crate) words: Vec<String>,
    pub(crate) models: BTreeSet<String>,
    /// Codes without digits: `LCS-TWA`.
    pub(crate) codes: BTreeSet<String>,
    pub(crate) quantities: Vec<Quantity>,
    /// Numbers that are neither part of a model number nor a quantity: versions, years, `P2`.
    pub(crate) numbers: BTreeSet<String>,
    pub(crate) parts: BTreeSet<&'static str>,
    /// Indexes into the lists of grades, terms, platforms and colours.
    pub(crate) grades: BTreeSet<usize>,
    pub(crate) terms: BTreeSet<usize>,
    pub(crate) platforms: BTreeSet<usize>,
    pub(crate) colours: BTreeSet<usize>,
    pub(crate) brand: Vec<String>,
}

impl Features {
    pub(crate) fn of(product: &Product) -> Self {
        let brand = text::tokens(product.brand.as_deref().unwrap_or_default());
        let all = without_packaging(without_systems(&without_quantities(&product.name)));
        let parts = PARTS.iter().filter(|part| all.iter().any(|word| word == *part));
        let among = |lists: &[&[&str]], words: &[String]| -> BTreeSet<usize> {
            let place = |word: &String| lists.iter().position(|names| names.contains(&word.as_str()));
            words.iter().filter_map(place).collect()
        };
        Self {
            models: models(product),
            codes: codes(&product.name),
            quantities: quantities(&product.name),
            numbers: figures::numbers(&all),
            parts: parts.copied().collect(),
            grades: among(GRADES, &all),
            terms: among(TERMS, &all),
            platforms: among(PLATFORMS, &text::tokens(&product.name)),
            colours: among(COLOURS, &all),
            words: figures::plain_words(all)
                .into_iter()
                .filter(|word| !brand.contains(word))
                .collect(),
            brand,
        }
    }

    /// Returns true if both state quantities with one unit and no amount agrees: 16 GB and 32 GB.
    pub(crate) fn differs_in_quantity(&self, other: &Self) -> bool {
        let units: BTreeSet<Unit> = self.quantities.iter().map(|quantity| quantity.unit).collect();
        units.into_iter().any(|unit| {
            let amounts = |features: &Self| -> Vec<f64> {
                let of_unit = features
                    .quantities
                    .iter()
                    .filter(|quantity| quantity.unit == unit);
                of_unit.map(|quantity| quantity.amount.to_f64()).collect()
            };
            let (left, right) = (amounts(self), amounts(other));
            // Shops round inches of screens and sizes of clothes differently.
            let close = |one: f64, two: f64| (one - two).abs() <= 0.02 * one.max(two);
            !right.is_empty() && !left.iter().any(|one| right.iter().any(|two| close(*one, *two)))
        })
    }

    /// Returns true if both state the same quantity.
    pub(crate) fn agrees_in_quantity(&self, other: &Self) -> bool {
        self.quantities
            .iter()
            .any(|quantity| other.quantities.contains(quantity))
    }

    /// Returns the number of pieces in the pack; 1 if none is stated.
    pub(crate) fn pieces(&self) -> f64 {
        let pieces = self
            .quantities
            .iter()
            .find(|quantity| quantity.unit == Unit::Piece);
        pieces.map_or(1.0, |quantity| quantity.amount.to_f64())
    }
}

/// Returns model and part numbers without separators: words of letters and digits, and long
/// numbers.
fn models(product: &Product) -> BTreeSet<String> {
    let mut models: BTreeSet<String> = model_numbers(&product.name).into_iter().collect();
    let words = product
        .name
        .split(|one: char| one.is_whitespace() || matches!(one, ',' | '(' | ')' | '[' | ']'));
    let figures = words.filter(|word| word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-'));
    let given = [product.model.as_deref(), product.mpn.as_deref()]
        .into_iter()
        .flatten();
    let long = figures.map(model_key).filter(|key| key.len() >= PART_DIGITS);
    let given = given
        .map(model_key)
        .filter(|key| key.len() >= SHORT_MODEL && key.contains(|one: char| one.is_ascii_digit()));
    models.extend(long.chain(given));
    models.retain(|model| !is_feature(model));
    models
}

/// Returns codes of capital letters without separators: `LCSTWAR` for `LCS-TWA/R`. A name without
/// lower case has none, since every word would look like a code.
fn codes(name: &str) -> BTreeSet<String> {
    const SHORTEST: usize = 5;
    if !name.contains(char::is_lowercase) {
        return BTreeSet::new();
    }
    let is_code = |word: &&str| {
        word.chars()
            .all(|one| one.is_ascii_uppercase() || matches!(one, '-' | '/'))
    };
    let words = name.split(|one: char| one.is_whitespace() || matches!(one, ',' | '(' | ')' | '[' | ']'));
    words
        .filter(is_code)
        .map(model_key)
        .filter(|code| code.len() >= SHORTEST)
        .collect()
}

/// Returns true for a number with a unit or a counted noun: `1080p`, `120hz`, `2line`, `5disc`. It
/// states a feature, not a model.
fn is_feature(model: &str) -> bool {
    const COUNTED: &[&str] = &[
        "p", "i", "x", "k", "hz", "ms", "fps", "rpm", "dpi", "bit", "ch", "nd", "rd", "th", "st",
    ];
    let letters = model.trim_start_matches(|one: char| one.is_ascii_digit());
    let digits = model.len() - letters.len();
    let is_word = letters.bytes().all(|byte| byte.is_ascii_alphabetic());
    digits > 0 && is_word && (COUNTED.contains(&letters) || (digits <= 2 && letters.len() >= 3))
}

/// Returns the words of a name without quantities, written as one word (`16GB`) or two.
fn without_quantities(name: &str) -> Vec<String> {
    let words = figures::words(name);
    let is_figure = |word: &String| word.starts_with(|one: char| one.is_ascii_digit());
    let mut kept = Vec::with_capacity(words.len());
    let mut place = 0;
    while let Some(word) = words.get(place) {
        let with_unit = || {
            words
                .get(place + 1)
                .is_some_and(|unit| !is_figure(unit) && !quantities(&format!("{word} {unit}")).is_empty())
        };
        if is_figure(word) && !quantities(word).is_empty() {
            place += 1;
        } else if is_figure(word) && with_unit() {
            place += 2;
        } else {
            kept.push(word.clone());
            place += 1;
        }
    }
    kept
}

/// Removes lists of operating systems: `win 98 me 2000 xp`. A single system may be the product
/// itself.
fn without_systems(words: &[String]) -> Vec<String> {
    /// Minimum number of words of a list of systems.
    const FEWEST: usize = 3;
    let is_figure = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let mut kept = Vec::with_capacity(words.len());
    let mut place = 0;
    while place < words.len() {
        let begins = matches!(words[place].as_str(), "win" | "windows" | "mac" | "macintosh");
        let run = words[place..]
            .iter()
            .take_while(|word| SYSTEMS.contains(&word.as_str()) || is_figure(word))
            .count();
        if begins && run >= FEWEST {
            place += run;
        } else {
            kept.push(words[place].clone());
            place += 1;
        }
    }
    kept
}

fn without_packaging(words: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::with_capacity(words.len());
    for word in words {
        let packed = kept
            .last()
            .is_some_and(|before| PACKAGING.contains(&[before.as_str(), word.as_str()]));
        if packed {
            kept.pop();
        } else {
            kept.push(word);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::Features;
    use crate::Product;

    fn features(name: &str) -> Features {
        Features::of(&Product {
            name: name.into(),
            ..Product::default()
        })
    }

    #[test]
    fn quantities_tell_neighbours_apart() {
        assert!(features("Phone X 16 GB").differs_in_quantity(&features("Phone X 32GB")));
        assert!(!features("Juice 0.5 l").differs_in_quantity(&features("Juice 500 ml")));
        assert!(!features("Phone X 16 GB").differs_in_quantity(&features("Phone X")));
    }

    #[test]
    fn short_models_colours_and_part_numbers_are_told() {
        let phone = features("Pike P2 Phone 16 GB, blau");
        assert!(phone.numbers.contains("p2") && !phone.numbers.contains("16"));
        assert_eq!(phone.colours, features("blue").colours);
        assert_eq!(phone.words, ["pike", "p2", "phone", "blau"]);
        assert!(features("Plasma TV 1080p, 2-line, 120Hz").models.is_empty());
        assert!(
            features("Orbit Trackball 960-000048")
                .models
                .contains("960000048")
        );
    }

    #[test]
    fn packs_are_counted() {
        assert_eq!(features("Batteries AA 12-pack").pieces(), 12.0);
        assert_eq!(features("Battery AA").pieces(), 1.0);
    }
}
