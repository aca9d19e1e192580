//! What in a product's name tells it from its neighbours: model numbers, quantities, packs.

use std::collections::BTreeSet;

use magpie_sdk::identifier::model_key;
use magpie_sdk::text;
use magpie_sdk::title::{Quantity, Unit, model_numbers, quantities};

use crate::Product;

/// Words, folded, that make something else of a product: a part for it, a set with it, an older one.
const KINDS: &[&str] = &[
    "case", "cover", "sleeve", "bag", "charger", "adapter", "cable", "battery", "remote", "stand", "mount", "bundle", "kit", "refill", "replacement", "refurbished",
    "renewed", "used", "upgrade", "hulle", "tasche", "ladegerat", "kabel", "akku", "netzteil", "ersatz", "gebraucht", "zubehor", "housse", "coque", "chargeur",
    "batterie", "reconditionne", "recharge", "funda", "cargador", "bateria", "usado", "custodia", "caricatore", "licence", "license", "academic", "student", "mac", "windows", "premium",
    "pro", "plus", "mini", "max", "lite", "deluxe", "professional", "home", "standard", "ultimate", "enterprise", "portable", "wireless",
];

/// A product as it is compared.
pub(crate) struct Features {
    /// The words of the name, folded, without the brand's.
    pub(crate) words: Vec<String>,
    pub(crate) models: BTreeSet<String>,
    pub(crate) quantities: Vec<Quantity>,
    /// Numbers that are neither model nor quantity: versions, years.
    pub(crate) numbers: BTreeSet<String>,
    pub(crate) kinds: BTreeSet<&'static str>,
    pub(crate) brand: Vec<String>,
}

impl Features {
    pub(crate) fn of(product: &Product) -> Self {
        let brand = text::tokens(product.brand.as_deref().unwrap_or_default());
        let mut models: BTreeSet<String> = model_numbers(&product.name).into_iter().collect();
        let given = [product.model.as_deref(), product.mpn.as_deref()].into_iter().flatten().map(model_key);
        models.extend(given.filter(|key| key.len() >= 3 && key.contains(|one: char| one.is_ascii_digit())));
        let all = text::tokens(&product.name);
        let numbers = all.iter().filter(|word| word.bytes().all(|byte| byte.is_ascii_digit())).cloned().collect();
        let kinds = KINDS.iter().filter(|kind| all.iter().any(|word| word == *kind)).copied().collect();
        let words = all.into_iter().filter(|word| !brand.contains(word)).collect();
        Self { words, models, quantities: quantities(&product.name), numbers, kinds, brand }
    }

    /// Whether both state a quantity of one kind, and no amount agrees: 16 GB and 32 GB.
    pub(crate) fn differs_in_quantity(&self, other: &Self) -> bool {
        let units: BTreeSet<Unit> = self.quantities.iter().map(|quantity| quantity.unit).collect();
        units.into_iter().any(|unit| {
            let amounts = |features: &Self| -> Vec<f64> {
                let of_unit = features.quantities.iter().filter(|quantity| quantity.unit == unit);
                of_unit.map(|quantity| quantity.amount.to_f64()).collect()
            };
            let (left, right) = (amounts(self), amounts(other));
            // Inches of screens and sizes of clothes are rounded differently by every shop.
            let close = |one: f64, two: f64| (one - two).abs() <= 0.02 * one.max(two);
            !right.is_empty() && !left.iter().any(|one| right.iter().any(|two| close(*one, *two)))
        })
    }

    /// Pieces in the pack, one unless it says otherwise.
    pub(crate) fn pieces(&self) -> f64 {
        let pieces = self.quantities.iter().find(|quantity| quantity.unit == Unit::Piece);
        pieces.map_or(1.0, |quantity| quantity.amount.to_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::Features;
    use crate::Product;

    fn features(name: &str) -> Features {
        Features::of(&Product { name: name.into(), ..Product::default() })
    }

    #[test]
    fn quantities_tell_neighbours_apart() {
        assert!(features("Phone X 16 GB").differs_in_quantity(&features("Phone X 32GB")));
        assert!(!features("Juice 0.5 l").differs_in_quantity(&features("Juice 500 ml")));
        assert!(!features("Phone X 16 GB").differs_in_quantity(&features("Phone X")));
    }

    #[test]
    fn packs_are_counted() {
        assert_eq!(features("Batteries AA 12-pack").pieces(), 12.0);
        assert_eq!(features("Battery AA").pieces(), 1.0);
    }
}
