//! Measures that compare sets: of words, of trigrams, of numbers.

use super::compared_words;
use super::edit::levenshtein;

/// The shared items by all items of both (Jaccard). Items may repeat; each counts once.
#[must_use]
pub fn jaccard<T: Ord>(left: &[T], right: &[T]) -> f64 {
    let counts = Counts::of(left, right);
    share(counts.shared, counts.left + counts.right - counts.shared)
}

/// Twice the shared items by the items of both (Dice).
#[must_use]
pub fn dice<T: Ord>(left: &[T], right: &[T]) -> f64 {
    let counts = Counts::of(left, right);
    share(2 * counts.shared, counts.left + counts.right)
}

/// The shared items by the items of the smaller side: 1 for a subset.
#[must_use]
pub fn overlap<T: Ord>(left: &[T], right: &[T]) -> f64 {
    let counts = Counts::of(left, right);
    match counts.left.min(counts.right) {
        // Two empty sides are equal, but an empty one shares nothing with another.
        0 => share(0, counts.left + counts.right),
        smaller => share(counts.shared, smaller),
    }
}

/// Compares the common words with the common words plus each side's rest, and takes the best:
/// 1 when the words of one are among the words of the other.
#[must_use]
pub fn token_set(left: &str, right: &str) -> f64 {
    let (left, right) = (sorted_words(left), sorted_words(right));
    if left.is_empty() || right.is_empty() {
        return if left.len() == right.len() { 1.0 } else { 0.0 };
    }
    let among = |words: &[String], word: &String| words.binary_search(word).is_ok();
    let common: Vec<&str> = left
        .iter()
        .filter(|word| among(&right, word))
        .map(String::as_str)
        .collect();
    let with_rest = |side: &[String], other: &[String]| {
        let rest = side.iter().filter(|word| !among(other, word)).map(String::as_str);
        common.iter().copied().chain(rest).collect::<Vec<_>>().join(" ")
    };
    let (whole_left, whole_right) = (with_rest(&left, &right), with_rest(&right, &left));
    let both = levenshtein(&whole_left, &whole_right);
    if common.is_empty() {
        return both;
    }
    let common = common.join(" ");
    both.max(levenshtein(&common, &whole_left))
        .max(levenshtein(&common, &whole_right))
}

/// Agreement of the numbers in the two texts: Jaccard over the words with digits. Returns `None` if
/// neither text has such a word.
#[must_use]
pub fn numbers_agree(left: &str, right: &str) -> Option<f64> {
    let numbers = |text: &str| -> Vec<String> {
        let has_digit = |word: &String| word.contains(|character: char| character.is_ascii_digit());
        compared_words(text).into_iter().filter(has_digit).collect()
    };
    let (left, right) = (numbers(left), numbers(right));
    (!left.is_empty() || !right.is_empty()).then(|| jaccard(&left, &right))
}

fn sorted_words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = compared_words(text).into_iter().collect();
    words.sort_unstable();
    words.dedup();
    words
}

struct Counts {
    left: usize,
    right: usize,
    shared: usize,
}

impl Counts {
    fn of<T: Ord>(left: &[T], right: &[T]) -> Self {
        let (left, right) = (distinct(left), distinct(right));
        let shared = left
            .iter()
            .filter(|item| right.binary_search(item).is_ok())
            .count();
        Self {
            left: left.len(),
            right: right.len(),
            shared,
        }
    }
}

fn distinct<T: Ord>(items: &[T]) -> Vec<&T> {
    let mut items: Vec<&T> = items.iter().collect();
    items.sort_unstable();
    items.dedup();
    items
}

/// Two empty sets are the same set.
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        1.0
    } else {
        part as f64 / whole as f64
    }
}
