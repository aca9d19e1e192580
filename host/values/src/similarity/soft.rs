//! Matching words that are nearly the same: slips of typing, initials, abbreviations.

use super::compared_words;
use super::edit::jaro_winkler;

/// From this Jaro-Winkler similarity on, two words are taken for the same one with a slip.
const SAME_WORD: f64 = 0.9;

/// Score of a match by initial or abbreviation: `J.` may be John, or Jane.
const ABBREVIATED: f64 = 0.8;

/// Similarity of two texts whose words may match softly: the matched weight divided by the weight
/// of all words. Longer words weigh more (by the root of their length), since short ones are mostly
/// function words.
#[must_use]
pub fn soft_tokens(left: &str, right: &str) -> f64 {
    let left: Vec<String> = compared_words(left);
    let right: Vec<String> = compared_words(right);
    let total: f64 = left.iter().chain(&right).map(|word| weight(word)).sum();
    if total == 0.0 {
        return 1.0;
    }
    let mut pairs = Vec::new();
    for (row, one) in left.iter().enumerate() {
        for (column, other) in right.iter().enumerate() {
            let score = tokens_match(one, other);
            if score > 0.0 {
                pairs.push((score, row, column));
            }
        }
    }
    // The worth of a pair does not depend on the sides' order; ties go to the pairs that stand
    // nearest to the front of both, so the result is symmetric.
    pairs.sort_by(|(one, row, column), (other, other_row, other_column)| {
        let front = (row + column, row.abs_diff(*column));
        other
            .total_cmp(one)
            .then(front.cmp(&(other_row + other_column, other_row.abs_diff(*other_column))))
    });
    let (mut used_left, mut used_right) = (vec![false; left.len()], vec![false; right.len()]);
    let mut matched = 0.0;
    for (score, row, column) in pairs {
        if !used_left[row] && !used_right[column] {
            used_left[row] = true;
            used_right[column] = true;
            matched += score * (weight(&left[row]) + weight(&right[column]));
        }
    }
    matched / total
}

/// Similarity of two folded words: 1 if equal, less for a misspelling, 0.8 if one is an initial or
/// prefix of the other, 0 otherwise. Words with digits match only if they are equal.
#[must_use]
pub fn tokens_match(one: &str, other: &str) -> f64 {
    const SHORTEST_ABBREVIATION: usize = 3;
    if one == other {
        return 1.0;
    }
    let has_digit = |word: &str| word.contains(|character: char| character.is_ascii_digit());
    if has_digit(one) || has_digit(other) {
        return 0.0;
    }
    let (shorter, longer) = if one.len() <= other.len() {
        (one, other)
    } else {
        (other, one)
    };
    let length = shorter.chars().count();
    if (length == 1 || length >= SHORTEST_ABBREVIATION) && longer.starts_with(shorter) {
        return ABBREVIATED;
    }
    let similarity = jaro_winkler(one, other);
    if similarity >= SAME_WORD { similarity } else { 0.0 }
}

fn weight(word: &str) -> f64 {
    (word.chars().count() as f64).sqrt()
}
