//! Similarity of two values of one attribute.

use std::borrow::Cow;

use magpie_values::coordinates::Coordinates;
use magpie_values::date::DateTime;
use magpie_values::kind::Comparison;
use magpie_values::money::{self, MoneyContext};
use magpie_values::name::{self, PersonName};
use magpie_values::{number, similarity};

use super::normal::{canonical, time};

/// Maximum number of values of a repeated attribute to compare. Ten authors are as distinctive as a
/// hundred, and all pairs are compared.
const MAX_VALUES: usize = 10;

/// Distance in metres from which two points have nothing in common.
const MAX_DISTANCE: f64 = 2_000.0;

/// Similarity of two lists of values, from 0 to 1; `None` if they are not comparable.
pub(super) fn similarity(
    meaning: Comparison<'_>,
    left: &[Cow<'_, str>],
    right: &[Cow<'_, str>],
) -> Option<f64> {
    // One site may list fewer values than another, so only those of the shorter list need a
    // partner.
    let (short, long) = if left.len() <= right.len() {
        (left, right)
    } else {
        (right, left)
    };
    let best = |one: &Cow<'_, str>| {
        let others = long.iter().take(MAX_VALUES);
        others
            .filter_map(|other| single(meaning, one, other))
            .max_by(f64::total_cmp)
    };
    let found: Vec<f64> = short.iter().take(MAX_VALUES).filter_map(best).collect();
    if found.is_empty() {
        return None;
    }
    match meaning {
        // One shared identifier is enough; the others may be of other editions or bar codes.
        Comparison::Identifier(_) => found.into_iter().max_by(f64::total_cmp),
        _ => Some(found.iter().sum::<f64>() / found.len() as f64),
    }
}

fn single(meaning: Comparison<'_>, left: &str, right: &str) -> Option<f64> {
    // Equal names need no comparison of their words, which takes the most time of all.
    if left == right && meaning.is_of_names() {
        return Some(1.0);
    }
    match meaning {
        Comparison::Words => Some(words(left, right)),
        Comparison::Person => Some(people(left, right)),
        Comparison::Organisation => Some(name::organisation_similarity(left, right)),
        Comparison::Place => Some(name::place_similarity(left, right)),
        Comparison::Distance => {
            let (left, right): (Coordinates, Coordinates) = (left.parse().ok()?, right.parse().ok()?);
            Some((1.0 - left.distance(right) / MAX_DISTANCE).max(0.0))
        }
        Comparison::Time => Some(times(time(left)?, time(right)?)),
        Comparison::Identifier(scheme) => Some(truth(canonical(scheme, left)? == canonical(scheme, right)?)),
        Comparison::Money => {
            let read = |text| money::parse(text, &MoneyContext::default());
            Some(read(left)?.closeness(read(right)?))
        }
        Comparison::Number => {
            let read = |text| number::parse(text).ok().map(number::Decimal::to_f64);
            Some(numbers(read(left)?, read(right)?))
        }
        Comparison::Equality => Some(truth(left.trim().eq_ignore_ascii_case(right.trim()))),
        Comparison::Address => (left == right).then_some(1.0),
        Comparison::Properties | Comparison::Nothing => None,
    }
}

fn people(left: &str, right: &str) -> f64 {
    match (PersonName::parse(left), PersonName::parse(right)) {
        (Some(left), Some(right)) => left.similarity(&right),
        _ => words(left, right),
    }
}

/// Similarity of two texts. Numbers in a name distinguish volumes, models and years, even if all
/// other words agree.
fn words(left: &str, right: &str) -> f64 {
    similarity::words_alike(left, right) * similarity::numbers_agree(left, right).unwrap_or(1.0).max(0.5)
}

fn times(left: DateTime, right: DateTime) -> f64 {
    if left.agrees_with(right) {
        return 1.0;
    }
    // Sites differ in doors and start, and in zones; an adjacent day is another day or a wrong
    // zone.
    if left.same_day(right) { 0.7 } else { 0.0 }
}

fn numbers(left: f64, right: f64) -> f64 {
    let greater = left.abs().max(right.abs());
    if greater == 0.0 {
        1.0
    } else {
        (1.0 - (left - right).abs() / greater).max(0.0)
    }
}

fn truth(truth: bool) -> f64 {
    f64::from(u8::from(truth))
}
