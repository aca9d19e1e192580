//! Evidence of two values for or against two objects being one, in natural logarithms of likelihood
//! ratios: 0 is neutral, +3 is twenty to one for, -3 twenty to one against.
//!
//! The numbers are judgements about how the web states facts, not fits to a data set. They are
//! round, and defined together here.

use magpie_values::coordinates::Coordinates;
use magpie_values::{date, similarity};

use super::statistics::Statistics;
use super::words;

/// Weight of a shared word as a share of its rarity: words of one name depend on one another.
const SHARED_WORD: f64 = 0.7;
/// Maximum cost if one side has words beyond the other's, by their share of the rarity: sites add
/// remarks to names.
const ADDED_WORDS: f64 = 3.5;
/// Cost if one side adds a subtitle or a remark in brackets to the same name.
const ADDED_PART: f64 = 0.7;
/// Maximum cost if words replace each other: that is another object.
const REPLACED_WORDS: f64 = 8.0;
/// Cost of numbers that replace each other, beyond that of their words: volumes, sizes, versions.
const REPLACED_NUMBER: f64 = 2.5;
/// As for numbers, when both sides have model numbers and none in common.
const REPLACED_MODEL: f64 = 5.0;
/// Share of the contrary evidence that remains if a model number is shared: sites choose the words
/// around it freely.
const BESIDE_MODEL: f64 = 0.5;
/// Addition of a shared model number to the maximum evidence of a name: it is nearly an identifier.
const SHARED_MODEL: f64 = 3.0;
/// Evidence of a full agreement of names beyond the rarity of the name.
const NAME_BONUS: f64 = 1.5;

/// Cost of another day, in units of the surprise that two objects are one. Exceeds the evidence of
/// any name alone, however rare: a play is given again the next day.
const OTHER_DAY: f64 = 1.5;
/// Cost of another number of a public scheme, in the same unit: equal to the evidence of a name and
/// a person or place.
const OTHER_NUMBER: f64 = 2.0;
/// Cost of another number in names that are otherwise the same, in the same unit: another volume,
/// another size.
const OTHER_VOLUME: f64 = 1.0;
/// Cost of a completely different person, in the same unit.
pub(super) const OTHER_PERSON: f64 = 0.6;

/// Evidence, and a word for the reasons when it is worth one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Evidence {
    /// The logarithm of the likelihood ratio.
    pub(super) weight: f64,
    /// Relation of the values.
    pub(super) finding: Finding,
}

/// Relation of two values, for display.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Finding {
    Same,
    Alike,
    Unclear,
    Differ,
}

impl Evidence {
    pub(super) const NONE: Self = Self {
        weight: 0.0,
        finding: Finding::Unclear,
    };

    pub(super) fn new(weight: f64, finding: Finding) -> Self {
        Self { weight, finding }
    }
}

/// Names, titles and other words.
pub(super) fn words(statistics: &Statistics, place: usize, one: &str, two: &str) -> Evidence {
    let highest = statistics.surprise() + NAME_BONUS;
    if one == two {
        let rarity = statistics.value(place, one);
        let weight = all_shared(statistics, place, one).min(rarity + NAME_BONUS);
        return Evidence::new(weight, Finding::Same);
    }
    if let Some(main) = same_main_part(one, two) {
        let rarity = statistics.value(place, main);
        let weight = all_shared(statistics, place, main).min(rarity + NAME_BONUS) - ADDED_PART;
        return Evidence::new(weight, Finding::Alike);
    }
    let overlap = Overlap::of(statistics, place, one, two);
    let highest = highest + if overlap.model { SHARED_MODEL } else { 0.0 };
    // As much as both sides have alone is a replacement; the rest is an addition to one of them.
    let replaced = overlap.left_alone.min(overlap.right_alone);
    let added = overlap.left_alone.max(overlap.right_alone) - replaced;
    let share = |part: f64| {
        if part > 0.0 {
            part / (part + overlap.shared)
        } else {
            0.0
        }
    };
    let mut against = REPLACED_WORDS * share(replaced) + ADDED_WORDS * share(added);
    // The order matters: names that differ in their numbers alone are volumes or sizes, even if
    // these look like model numbers.
    if overlap.only_numbers_replaced {
        against += OTHER_VOLUME * statistics.surprise();
    } else if overlap.model {
        against *= BESIDE_MODEL;
    } else if overlap.models_replaced {
        against += REPLACED_MODEL;
    } else if overlap.numbers_replaced {
        against += REPLACED_NUMBER;
    }
    let weight = (SHARED_WORD * overlap.shared).min(highest) - against;
    let finding = match weight {
        weight if weight > 2.0 => Finding::Alike,
        weight if weight < -2.0 => Finding::Differ,
        _ => Finding::Unclear,
    };
    Evidence::new(weight, finding)
}

/// Evidence if all words of a text are shared: at least that of the rarest word alone.
fn all_shared(statistics: &Statistics, place: usize, text: &str) -> f64 {
    let worths = words::each(text).map(|word| statistics.word(place, word));
    let (sum, most) = worths.fold((0.0, 0.0_f64), |(sum, most), worth| {
        (sum + worth, most.max(worth))
    });
    (SHARED_WORD * sum).max(most)
}

/// The main part of two names that have the same, where only one adds something to it.
fn same_main_part<'a>(one: &'a str, two: &str) -> Option<&'a str> {
    let ((main, more), (other, other_more)) = (words::main_part(one), words::main_part(two));
    (main == other && more != other_more).then_some(main)
}

/// The words of two texts: what both have, and what is left on each side, by rarity.
struct Overlap {
    shared: f64,
    left_alone: f64,
    right_alone: f64,
    /// True if each side has numbers that the other lacks.
    numbers_replaced: bool,
    /// True if each side has numbers that the other lacks, and they differ in nothing else.
    only_numbers_replaced: bool,
    /// True if the shared words include a model number.
    model: bool,
    /// True if both have model numbers, and none in common.
    models_replaced: bool,
}

impl Overlap {
    fn of(statistics: &Statistics, place: usize, one: &str, two: &str) -> Self {
        let mut left: Vec<&str> = words::each(one).collect();
        let mut right: Vec<&str> = words::each(two).collect();
        let worth = |word: &str| statistics.word(place, word);
        let (mut shared, mut model) = (0.0, false);
        left.retain(|word| {
            let Some(at) = right.iter().position(|other| other == word) else {
                return true;
            };
            shared += worth(word);
            model |= statistics.is_model(place, word);
            right.swap_remove(at);
            false
        });
        // Equal words are paired first, so that a similar word does not take the partner of an
        // equal one.
        let mut alone = 0.0;
        for word in std::mem::take(&mut left) {
            if let Some((score, at)) = nearest(word, &right) {
                let other = right.swap_remove(at);
                let worth = worth(word).min(worth(other));
                // A similarity of a half is neutral, and below it counts against.
                shared += worth * (2.0 * score - 1.0);
                model |= statistics.is_model(place, word) && statistics.is_model(place, other);
            } else {
                left.push(word);
                alone += worth(word);
            }
        }
        let only_numbers =
            |words: &[&str]| !words.is_empty() && words.iter().all(|word| words::has_digit(word));
        let has_model = |words: &[&str]| words.iter().any(|word| statistics.is_model(place, word));
        let number = |words: &[&str]| words.iter().any(|word| words::has_digit(word));
        Self {
            shared,
            left_alone: alone,
            right_alone: right.iter().map(|word| worth(word)).sum(),
            numbers_replaced: number(&left) && number(&right),
            only_numbers_replaced: only_numbers(&left) && only_numbers(&right),
            model,
            models_replaced: !model && has_model(&left) && has_model(&right),
        }
    }
}

/// Returns the most similar word, with its similarity and its index.
///
/// Misspellings seldom change the first letter, and comparing only words with the same one saves
/// most of the work.
fn nearest(word: &str, others: &[&str]) -> Option<(f64, usize)> {
    /// Long remainders of sentences are not worth quadratic work.
    const MAX_OTHERS: usize = 12;
    if others.len() > MAX_OTHERS {
        return None;
    }
    let first = word.chars().next();
    let candidates = others
        .iter()
        .enumerate()
        .filter(|(_, other)| other.chars().next() == first);
    let scored = candidates.map(|(at, other)| (words_match(word, other), at));
    scored
        .max_by(|one, two| one.0.total_cmp(&two.0))
        .filter(|(score, _)| *score > 0.0)
}

/// As [`similarity::tokens_match`], but model numbers may have a few more letters: colours,
/// regions.
fn words_match(one: &str, two: &str) -> f64 {
    const MIN_CODE_LEN: usize = 5;
    const MAX_TAIL_LEN: usize = 3;
    let (shorter, longer) = if one.len() <= two.len() {
        (one, two)
    } else {
        (two, one)
    };
    if words::is_code(shorter) && shorter.len() >= MIN_CODE_LEN {
        let tail = longer
            .strip_prefix(shorter)
            .filter(|tail| tail.len() <= MAX_TAIL_LEN);
        // Digits at the end make another model.
        return if tail.is_some_and(|tail| !words::has_digit(tail)) {
            0.9
        } else {
            0.0
        };
    }
    similarity::tokens_match(one, two)
}

/// Descriptions: every site writes its own, so only what is copied says something.
pub(super) fn prose(statistics: &Statistics, place: usize, one: &str, two: &str) -> Evidence {
    let overlap = Overlap::of(statistics, place, one, two);
    let all = overlap.shared + overlap.left_alone + overlap.right_alone;
    let alike = if all > 0.0 { overlap.shared / all } else { 0.0 };
    let finding = if alike > 0.5 {
        Finding::Alike
    } else {
        Finding::Unclear
    };
    Evidence::new(((alike - 0.2) * 6.0).max(0.0), finding)
}

/// A place: where one side leaves out what the other says, that is no difference.
pub(super) fn place(statistics: &Statistics, place: usize, one: &str, two: &str) -> Evidence {
    let highest = statistics.surprise();
    if one == two {
        let rarity = statistics.value(place, one);
        return Evidence::new(rarity.min(highest), Finding::Same);
    }
    let overlap = Overlap::of(statistics, place, one, two);
    // Only what both sides have alone counts against: one that says less does not disagree.
    let replaced = overlap.left_alone.min(overlap.right_alone);
    let against = if overlap.shared > 0.0 { 0.3 * replaced } else { 2.0 };
    let weight = ((0.5 * overlap.shared).min(highest) - against).max(-3.0);
    let finding = if weight > 1.0 {
        Finding::Alike
    } else if weight < -1.0 {
        Finding::Differ
    } else {
        Finding::Unclear
    };
    Evidence::new(weight, finding)
}

/// Days and times, in ISO form of any precision.
pub(super) fn time(statistics: &Statistics, place: usize, one: &str, two: &str) -> Evidence {
    if one.starts_with("--") || two.starts_with("--") {
        return without_year(statistics, one, two);
    }
    let common = [16, 10, 7, 4]
        .into_iter()
        .find(|end| one.len() >= *end && two.len() >= *end);
    // Compared at the precision that both have, since a day does not contradict an hour on it.
    let Some(end) = common else { return Evidence::NONE };
    let parts = |end: usize| (one.get(..end), two.get(..end));
    match parts(end) {
        (Some(left), Some(right)) if left == right => {
            let rarity = statistics.value(place, left).min(statistics.surprise());
            return Evidence::new(rarity, Finding::Same);
        }
        _ => {}
    }
    if end == 16 && matches!(parts(10), (Some(left), Some(right)) if left == right) {
        // Doors open before the show begins: the same day with another hour is mostly the same.
        let day = one.get(..10).unwrap_or_default();
        return Evidence::new(
            statistics.value(place, day).min(statistics.surprise()) - 1.0,
            Finding::Alike,
        );
    }
    Evidence::new(-OTHER_DAY * statistics.surprise(), Finding::Differ)
}

/// Days of which one has no year: they may be the same in any year.
fn without_year(statistics: &Statistics, one: &str, two: &str) -> Evidence {
    let (Some(left), Some(right)) = (date::parse_iso(one), date::parse_iso(two)) else {
        return Evidence::NONE;
    };
    if left.same_day(right) || left.agrees_with(right) {
        Evidence::new(0.5 * statistics.surprise(), Finding::Alike)
    } else {
        Evidence::new(-OTHER_DAY * statistics.surprise(), Finding::Differ)
    }
}

/// Points: sites take them from different maps, whose points of one building are a street apart.
pub(super) fn coordinates(one: &str, two: &str) -> Evidence {
    const BUILDING: f64 = 150.0;
    const QUARTER: f64 = 1_500.0;
    const TOWN: f64 = 20_000.0;
    let (Ok(left), Ok(right)) = (one.parse::<Coordinates>(), two.parse::<Coordinates>()) else {
        return Evidence::NONE;
    };
    match left.distance(right) {
        metres if metres < BUILDING => Evidence::new(2.0, Finding::Same),
        metres if metres < QUARTER => Evidence::new(0.5, Finding::Unclear),
        metres if metres < TOWN => Evidence::new(-1.5, Finding::Unclear),
        _ => Evidence::new(-3.5, Finding::Differ),
    }
}

/// Amounts, as `12.50 EUR` or `12.50-20 EUR`: prices differ from shop to shop, but not tenfold.
pub(super) fn money(one: &str, two: &str) -> Evidence {
    let (Some((low, high, currency)), Some((other_low, other_high, other_currency))) =
        (amounts(one), amounts(two))
    else {
        return Evidence::NONE;
    };
    // Without rates of exchange two currencies say nothing of each other.
    if currency != other_currency || high <= 0.0 || other_high <= 0.0 {
        return Evidence::NONE;
    }
    if low <= other_high && other_low <= high {
        return Evidence::new(2.0, Finding::Same);
    }
    // One range lies above the other, so exactly one of these is above 1.
    let ratio = (low / other_high).max(other_low / high);
    match ratio {
        ratio if ratio < 1.1 => Evidence::new(1.2, Finding::Alike),
        ratio if ratio < 1.3 => Evidence::new(0.5, Finding::Unclear),
        ratio if ratio < 2.0 => Evidence::new(-0.7, Finding::Unclear),
        ratio if ratio < 4.0 => Evidence::new(-2.0, Finding::Differ),
        _ => Evidence::new(-3.5, Finding::Differ),
    }
}

fn amounts(text: &str) -> Option<(f64, f64, &str)> {
    let (amount, currency) = text.split_once(' ').unwrap_or((text, ""));
    // From the second character on: a first dash is a sign.
    let (low, high) = match amount.get(1..).and_then(|tail| tail.find('-')) {
        Some(at) => (&amount[..=at], &amount[at + 2..]),
        None => (amount, amount),
    };
    let (low, high): (f64, f64) = (low.parse().ok()?, high.parse().ok()?);
    (low.is_finite() && high.is_finite()).then_some((low.min(high), low.max(high), currency))
}

pub(super) fn number(statistics: &Statistics, place: usize, one: &str, two: &str) -> Evidence {
    let (Ok(left), Ok(right)) = (one.parse::<f64>(), two.parse::<f64>()) else {
        return Evidence::NONE;
    };
    if left == right {
        return Evidence::new((0.5 * statistics.value(place, one)).min(3.0), Finding::Same);
    }
    let apart = (left - right).abs() / left.abs().max(right.abs());
    if apart <= 0.02 {
        Evidence::new(0.7, Finding::Alike)
    } else if apart <= 0.1 {
        Evidence::NONE
    } else {
        Evidence::new(-1.5, Finding::Differ)
    }
}

/// Degree to which a value identifies one object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Naming {
    /// It just happens to be the same or not.
    None,
    /// A private number: phones, shops' numbers. An object may have several.
    Own,
    /// A number made for this, or the address of a page.
    Public,
}

/// Values that are the same or not.
pub(super) fn exact(statistics: &Statistics, place: usize, one: &str, two: &str, naming: Naming) -> Evidence {
    if one == two {
        let rarity = statistics.value(place, one);
        let weight = match naming {
            Naming::None => 0.7 * rarity,
            Naming::Own => rarity + 2.0,
            Naming::Public => rarity + 4.0,
        };
        return Evidence::new(weight, Finding::Same);
    }
    match naming {
        Naming::None | Naming::Own => Evidence::new(-2.0, Finding::Differ),
        Naming::Public => Evidence::new(-OTHER_NUMBER * statistics.surprise(), Finding::Differ),
    }
}

/// Values of which a thing has many, as pictures and pages: only sameness says something.
pub(super) fn shared(
    statistics: &Statistics,
    place: usize,
    one: &str,
    two: &str,
    naming: Naming,
) -> Evidence {
    if one == two {
        exact(statistics, place, one, two, naming)
    } else {
        Evidence::NONE
    }
}

/// Properties: `name=value` of both sides; only names that both have are looked at.
pub(super) fn properties(one: &[&str], two: &[&str]) -> Evidence {
    let (mut same, mut differ) = (0.0, 0.0);
    for left in one {
        let Some((name, value)) = left.split_once('=') else {
            continue;
        };
        for right in two {
            match right.split_once('=') {
                Some((other, found)) if other == name && found == value => same += 1.0,
                Some((other, found)) if other == name => {
                    differ += if similarity::soft_tokens(value, found) > 0.6 {
                        0.0
                    } else {
                        1.0
                    };
                }
                _ => {}
            }
        }
    }
    let weight: f64 = 0.5 * same - 0.7 * differ;
    let finding = if weight > 0.9 {
        Finding::Alike
    } else if weight < -0.9 {
        Finding::Differ
    } else {
        Finding::Unclear
    };
    Evidence::new(weight.clamp(-2.5, 2.5), finding)
}
