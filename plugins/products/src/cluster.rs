//! Compares two records and decides if they are the same product, including size, colour and pack
//! if stated.

use std::collections::BTreeSet;

use magpie_sdk::identifier::model_key;
use magpie_sdk::name::organisation_similarity;
use magpie_sdk::similarity::tokens_match;
use magpie_sdk::text;
use magpie_sdk::{Gtin, Verdict, money};

use crate::Product;
use crate::model::Features;
use crate::names::Shared;

/// Minimum length of a model number that is hardly used by two makers.
const MIN_MODEL: usize = 5;

/// Log odds (natural) of two records that share a key, before any other evidence.
const PRIOR: f64 = -2.0;

/// Upper bound on the log odds if the two clearly differ in something: about one in six.
const CONTRADICTED: f64 = -1.6;

/// Upper bound on the log odds if the two are certainly different, however alike. It is below the
/// host's veto, so that a third record with less detail does not merge the black and the white one.
const FORBIDDEN: f64 = -4.2;

/// Evidence of a word that is replaced by another, and the maximum number of words to count.
const REPLACED: f64 = -0.5;
const MAX_REPLACED: f64 = 2.0;

/// Bound on the log odds, for or against.
const MAX_SUM: f64 = 5.0;

/// Returns the probability that two records are one product.
pub(crate) fn compare(one: &Product, other: &Product) -> Verdict {
    // Words are paired greedily, so the result depends on the order. A fixed order makes the
    // comparison symmetric.
    let (one, other) = if one.name <= other.name {
        (one, other)
    } else {
        (other, one)
    };
    let numbers = (
        one.gtin.as_ref().and_then(Gtin::read),
        other.gtin.as_ref().and_then(Gtin::read),
    );
    let same_number = match &numbers {
        (Some(left), Some(right)) => Some(left == right),
        _ => None,
    };
    if same_number == Some(true) {
        return Verdict {
            probability: 0.99,
            reasons: vec!["same bar code".to_owned()],
        };
    }
    let mut sum = Sum {
        evidence: PRIOR,
        most: MAX_SUM,
        is_model_shared: false,
        reasons: Vec::new(),
    };
    if same_number == Some(false) {
        // One product may have several bar codes, by country or year, but two shops seldom use
        // different ones.
        sum.contradict(-4.0, "another bar code");
    }
    let (left, right) = (Features::of(one), Features::of(other));
    sum.brands(one, other, &left, &right);
    sum.models(one, other, &left, &right);
    sum.amounts(&left, &right);
    sum.versions(&left, &right);
    // After a contradiction, no name could lift the result above its bound.
    if sum.most > CONTRADICTED {
        sum.names(&left, &right);
    }
    sum.offers(one, other);
    sum.verdict()
}

struct Sum {
    evidence: f64,
    /// Upper bound on the log odds.
    most: f64,
    /// Is true if the two share a model number. Shops describe such products in their own words.
    is_model_shared: bool,
    reasons: Vec<String>,
}

impl Sum {
    fn add(&mut self, evidence: f64, reason: &str) {
        self.evidence += evidence;
        if !reason.is_empty() {
            self.reasons.push(reason.to_owned());
        }
    }

    fn model(&mut self, evidence: f64, reason: &str) {
        self.is_model_shared = true;
        self.add(evidence, reason);
    }

    fn contradict(&mut self, evidence: f64, reason: &str) {
        self.most = self.most.min(CONTRADICTED);
        self.add(evidence, reason);
    }

    fn forbid(&mut self, reason: &str) {
        self.most = self.most.min(FORBIDDEN);
        self.add(-2.5, reason);
    }

    fn brands(&mut self, one: &Product, other: &Product, left: &Features, right: &Features) {
        match (&one.brand, &other.brand) {
            (Some(brand), Some(second)) => {
                let alike = organisation_similarity(brand, second);
                if alike > 0.8 {
                    self.add(0.8, "same brand");
                } else if !names_brand(right, left) && !names_brand(left, right) {
                    self.add(-1.8, "another brand");
                }
            }
            // The other record may have the brand in its name.
            (Some(_), None) => self.add(if names_brand(right, left) { 0.6 } else { -0.3 }, ""),
            (None, Some(_)) => self.add(if names_brand(left, right) { 0.6 } else { -0.3 }, ""),
            (None, None) => {}
        }
    }

    fn models(&mut self, one: &Product, other: &Product, left: &Features, right: &Features) {
        let part = |product: &Product| product.mpn.as_deref().map(model_key).filter(|mpn| mpn.len() >= 3);
        match (part(one), part(other)) {
            (Some(left), Some(right)) if left == right => return self.model(4.5, "same part number"),
            // Shops leave out the end of a part number, so a beginning of it does not contradict.
            (Some(left), Some(right)) if !left.starts_with(&right) && !right.starts_with(&left) => {
                return self.contradict(-3.0, "another part number");
            }
            _ => {}
        }
        if !left.codes.is_disjoint(&right.codes) {
            self.model(3.0, "same code");
        }
        if left.models.is_empty() || right.models.is_empty() {
            return;
        }
        let shared = left
            .models
            .intersection(&right.models)
            .map(|model| model.len())
            .max();
        match shared {
            Some(length) if length >= MIN_MODEL => self.model(4.0, "same model number"),
            Some(_) => self.model(2.5, "same model number"),
            None => match left
                .models
                .iter()
                .flat_map(|one| right.models.iter().map(move |other| near(one, other)))
                .max()
            {
                Some(Near::Beginning) => self.model(2.0, "model numbers alike"),
                Some(Near::Ending) => self.add(-0.5, ""),
                _ => self.contradict(-2.5, "another model number"),
            },
        }
    }

    fn amounts(&mut self, left: &Features, right: &Features) {
        let same_model = !left.models.is_disjoint(&right.models);
        if left.differs_in_quantity(right) {
            self.forbid("another quantity");
        } else if left.agrees_in_quantity(right) {
            self.add(0.4, "same quantity");
        }
        if left.pieces() != right.pieces() {
            self.forbid("another pack");
        }
        if !left.colours.is_empty() && !right.colours.is_empty() && left.colours.is_disjoint(&right.colours) {
            self.forbid("another colour");
        } else if !left.colours.is_disjoint(&right.colours) {
            self.add(0.4, "same colour");
        }
        // The name of a phone case contains that of the phone.
        let parts = left.parts.symmetric_difference(&right.parts).count();
        if parts > 0 && !same_model {
            self.contradict(-1.5, "a part or a set");
        }
    }

    /// Adds the evidence of features that differ within one product line: grade, terms of sale,
    /// platform, version.
    fn versions(&mut self, left: &Features, right: &Features) {
        let same_model = !left.models.is_disjoint(&right.models);
        let apart = |one: &BTreeSet<usize>, other: &BTreeSet<usize>| {
            (one.difference(other).count(), other.difference(one).count())
        };
        match apart(&left.grades, &right.grades) {
            (0, 0) => {}
            (0, more) | (more, 0) => self.add(-0.9 * more.min(2) as f64, ""),
            _ => self.add(-2.0, "another grade"),
        }
        let (one, other) = apart(&left.terms, &right.terms);
        if one + other > 0 {
            self.add(-1.2 * (one + other).min(2) as f64, "other terms");
        }
        match apart(&left.platforms, &right.platforms) {
            (0, 0) => {}
            // A product for a single platform names it; most are for the commonest one.
            (0, _) | (_, 0) => self.add(-0.3, ""),
            _ if left.platforms.is_disjoint(&right.platforms) => self.contradict(-2.0, "another system"),
            _ => {}
        }
        let (one, other) = (&left.numbers - &right.numbers, &right.numbers - &left.numbers);
        let is_shared = !left.numbers.is_disjoint(&right.numbers);
        // `P2` is stronger evidence than `2`.
        let named = |number: &String| number.contains(char::is_alphabetic);
        if left.numbers.intersection(&right.numbers).any(named) {
            self.add(1.2, "same numbers");
        } else if is_shared {
            self.add(0.5, "");
        }
        match (one.is_empty(), other.is_empty()) {
            (false, false) if same_model => self.add(-0.5, ""),
            (false, false) if is_shared => self.add(-1.5, "other numbers"),
            (false, false) => self.contradict(-2.0, "other numbers"),
            (true, true) => {}
            _ => self.add(-0.3, ""),
        }
    }

    fn names(&mut self, left: &Features, right: &Features) {
        let shared = Shared::of(left, right);
        let score = shared.share();
        let same_model = left
            .models
            .intersection(&right.models)
            .any(|model| model.len() >= MIN_MODEL);
        // Without a shared model number, a replaced word means another product.
        if !self.is_model_shared {
            self.add(REPLACED * shared.replaced.min(MAX_REPLACED), "");
        }
        match score {
            score if score >= 0.95 => self.add(4.5, "same name"),
            // Shops describe a product in their own words, but keep its model number.
            score if same_model => self.add(
                (-2.2 + (score - 0.35) * 9.0).max(-0.8),
                if score > 0.7 { "name alike" } else { "" },
            ),
            score if score >= 0.35 => self.add(
                -2.2 + (score - 0.35) * 9.0,
                if score > 0.7 { "name alike" } else { "" },
            ),
            _ => self.contradict(-3.0, "name differs"),
        }
    }

    fn offers(&mut self, one: &Product, other: &Product) {
        let read = |product: &Product| product.price.as_ref()?.read(&money::MoneyContext::default());
        if let (Some(left), Some(right)) = (read(one), read(other)) {
            let same_currency = left.currency() == right.currency()
                || left.currency().is_none()
                || right.currency().is_none();
            let close = left.closeness(right);
            if same_currency {
                self.add(
                    if close > 0.75 {
                        0.5
                    } else if close < 0.4 {
                        -1.6
                    } else {
                        0.0
                    },
                    "",
                );
            }
        }
        if (one.url.is_some() && one.url == other.url) || (one.image.is_some() && one.image == other.image) {
            self.add(1.5, "same page or picture");
        }
        let sku = |product: &Product| product.sku.as_deref().map(text::fold);
        if let (Some(left), Some(right)) = (sku(one), sku(other)) {
            // Many shops use the maker's number as their own.
            if left == right && left.len() >= 5 {
                self.add(1.5, "same article number");
            }
        }
    }

    fn verdict(self) -> Verdict {
        let evidence = self.evidence.min(self.most);
        Verdict {
            probability: 1.0 / (1.0 + (-evidence.clamp(-MAX_SUM, MAX_SUM)).exp()),
            reasons: self.reasons,
        }
    }
}

/// Relation of two different model numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Near {
    Not,
    /// Equal except for a suffix, which is often the colour: `DSCW150B` and `DSCW150N`.
    Ending,
    /// One is a prefix of the other, since a shop shortened it: `KDL40V` and `KDL40V5100`.
    Beginning,
}

fn near(one: &str, other: &str) -> Near {
    /// Minimum length of the common prefix of two model numbers of one family.
    const MIN_PREFIX: usize = 4;
    let shared = one
        .bytes()
        .zip(other.bytes())
        .take_while(|(left, right)| left == right)
        .count();
    let shorter = one.len().min(other.len());
    match shared {
        shared if shared < MIN_PREFIX => Near::Not,
        // A longer number must continue with a letter or with at least three characters: `W15` is
        // not an abbreviation of `W150`.
        shared if shared == shorter => {
            let rest = if one.len() > other.len() {
                &one[shared..]
            } else {
                &other[shared..]
            };
            if rest.starts_with(|next: char| next.is_ascii_digit()) && rest.len() < 3 {
                Near::Not
            } else {
                Near::Beginning
            }
        }
        shared if shared + 2 >= one.len().max(other.len()) => {
            let letters = |number: &str| number[shared..].bytes().all(|byte| byte.is_ascii_alphabetic());
            if letters(one) && letters(other) {
                Near::Ending
            } else {
                Near::Not
            }
        }
        _ => Near::Not,
    }
}

/// Returns true if the name or brand of `named` contains the first word of the brand of `branded`.
fn names_brand(named: &Features, branded: &Features) -> bool {
    let known = |word: &String| {
        named
            .words
            .iter()
            .chain(&named.brand)
            .any(|own| tokens_match(own, word) > 0.9)
    };
    branded.brand.first().is_some_and(known)
}

#[cfg(test)]
mod tests {
    use super::compare;
    use crate::Product;

    fn product(name: &str) -> Product {
        Product {
            name: name.into(),
            ..Product::default()
        }
    }

    #[track_caller]
    fn same(one: &str, other: &str) -> f64 {
        let (one, other) = (product(one), product(other));
        let probability = compare(&one, &other).probability;
        assert_eq!(
            probability,
            compare(&other, &one).probability,
            "the order of the two shows"
        );
        probability
    }

    #[test]
    fn neighbours_in_a_line_are_told_apart() {
        for (one, other) in [
            ("Inkwell Draft 7 Pro", "Inkwell Draft 7 Home"),
            ("Inkwell Draft 7", "Inkwell Draft 8"),
            ("Inkwell Draft 7 for Mac", "Inkwell Draft 7 (Windows)"),
            ("Talking French Deluxe", "Talking Spanish Deluxe"),
            ("Corvid KX-210 Kettle", "Corvid KX-450 Kettle"),
        ] {
            assert!(same(one, other) < 0.5, "{one}, {other}: {}", same(one, other));
        }
    }

    #[test]
    fn what_shops_add_does_not_part_a_product() {
        for (one, other) in [
            ("Inkwell Draft 7.0", "Inkwell Draft v7 - win 98 me 2000 xp"),
            ("Harbour Chess II (jewel case)", "Harbour Chess 2"),
            ("Picture Studio 11 Deluxe", "PictureStudio 11 Deluxe software"),
            (
                "Corvid KX-210 Kettle - KX210",
                "Corvid KX210 Cordless Water Kettle",
            ),
        ] {
            assert!(same(one, other) > 0.5, "{one}, {other}: {}", same(one, other));
        }
    }
}
