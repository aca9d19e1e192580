//! Measures that count edits or matching characters.

use super::MAX_CHARACTERS;

/// Levenshtein's similarity: 1 minus the number of edits by the length of the longer string.
#[must_use]
pub fn levenshtein(left: &str, right: &str) -> f64 {
    let (left, right) = (characters(left), characters(right));
    let longer = left.len().max(right.len());
    if longer == 0 {
        return 1.0;
    }
    let distance = banded(&left, &right, longer).unwrap_or(longer);
    1.0 - distance as f64 / longer as f64
}

/// Like [`levenshtein`], with two neighbours swapped counting as one edit: the usual slip of
/// typing.
#[must_use]
pub fn damerau_similarity(left: &str, right: &str) -> f64 {
    let (left, right) = (characters(left), characters(right));
    let longer = left.len().max(right.len());
    if longer == 0 {
        return 1.0;
    }
    1.0 - with_swaps(&left, &right) as f64 / longer as f64
}

/// Jaro's similarity: the mean of the shares of matching characters in both strings and the share
/// of those that stand in the same order.
#[must_use]
pub fn jaro(left: &str, right: &str) -> f64 {
    jaro_of(&characters(left), &characters(right))
}

/// Jaro-Winkler: Jaro's similarity, raised for a common beginning of up to four characters.
#[must_use]
pub fn jaro_winkler(left: &str, right: &str) -> f64 {
    const PREFIX_WEIGHT: f64 = 0.1;
    const MAX_PREFIX_LEN: usize = 4;
    let (left, right) = (characters(left), characters(right));
    let similarity = jaro_of(&left, &right);
    let prefix = common_prefix(&left, &right).min(MAX_PREFIX_LEN);
    similarity + prefix as f64 * PREFIX_WEIGHT * (1.0 - similarity)
}

fn characters(text: &str) -> Vec<char> {
    text.chars().take(MAX_CHARACTERS).collect()
}

fn common_prefix(left: &[char], right: &[char]) -> usize {
    left.iter()
        .zip(right)
        .take_while(|(one, other)| one == other)
        .count()
}

fn banded(left: &[char], right: &[char], limit: usize) -> Option<usize> {
    // Each missing character is an edit.
    if left.len().abs_diff(right.len()) > limit {
        return None;
    }
    let unreachable = limit + 1;
    let mut previous: Vec<usize> = (0..=right.len()).map(|column| column.min(unreachable)).collect();
    let mut current = vec![unreachable; right.len() + 1];
    for (row, one) in left.iter().enumerate() {
        let first = (row + 1).saturating_sub(limit).max(1);
        let last = (row + 1 + limit).min(right.len());
        current[0] = (row + 1).min(unreachable);
        // Beside the band, the row still has the numbers of two rows before.
        if first > 1 {
            current[first - 1] = unreachable;
        }
        let mut least = current[0];
        for column in first..=last {
            let replaced = previous[column - 1] + usize::from(*one != right[column - 1]);
            let changed = previous[column].min(current[column - 1]) + 1;
            current[column] = replaced.min(changed).min(unreachable);
            least = least.min(current[column]);
        }
        if last < right.len() {
            current[last + 1] = unreachable;
        }
        // No later row is smaller than the least of this one.
        if least > limit {
            return None;
        }
        std::mem::swap(&mut previous, &mut current);
    }
    previous.last().copied().filter(|distance| *distance <= limit)
}

/// The distance of optimal string alignment, over three rows.
fn with_swaps(left: &[char], right: &[char]) -> usize {
    let width = right.len() + 1;
    let mut before = vec![0; width];
    let mut previous: Vec<usize> = (0..width).collect();
    for (row, one) in left.iter().enumerate() {
        let mut current = vec![row + 1; width];
        for (column, other) in right.iter().enumerate() {
            let replaced = previous[column] + usize::from(one != other);
            let mut best = replaced.min(previous[column + 1] + 1).min(current[column] + 1);
            if row > 0 && column > 0 && *one == right[column - 1] && left[row - 1] == *other {
                best = best.min(before[column - 1] + 1);
            }
            current[column + 1] = best;
        }
        before = std::mem::replace(&mut previous, current);
    }
    previous[right.len()]
}

fn jaro_of(left: &[char], right: &[char]) -> f64 {
    if left.is_empty() || right.is_empty() {
        return if left.len() == right.len() { 1.0 } else { 0.0 };
    }
    let reach = (left.len().max(right.len()) / 2).saturating_sub(1);
    let mut taken = vec![false; right.len()];
    let mut matched_left = Vec::new();
    for (index, one) in left.iter().enumerate() {
        let from = index.saturating_sub(reach);
        let to = (index + reach + 1).min(right.len());
        if let Some(found) = (from..to).find(|other| !taken[*other] && right[*other] == *one) {
            taken[found] = true;
            matched_left.push(*one);
        }
    }
    if matched_left.is_empty() {
        return 0.0;
    }
    let matched_right = right
        .iter()
        .zip(&taken)
        .filter(|(_, taken)| **taken)
        .map(|(other, _)| other);
    let out_of_place = matched_left
        .iter()
        .zip(matched_right)
        .filter(|(one, other)| one != other)
        .count();
    let matches = matched_left.len() as f64;
    // Two characters that changed places are both out of place, and count once.
    let in_order = matches - (out_of_place / 2) as f64;
    (matches / left.len() as f64 + matches / right.len() as f64 + in_order / matches) / 3.0
}
