//! Queries from the words in the middle of their weights, outwards.

use super::Token;

/// Words that queries are made from, those nearest to the middle. All queries of three are some
/// ten thousand.
const MAX_WORDS: usize = 41;

/// Words of one query.
const MAX_QUERY: usize = 6;

/// Combinations of words, those next to the middle first: by the sum of the distances, then by the
/// largest.
#[derive(Clone, Debug)]
pub struct MiddleOut {
    /// Words with their distances, in the order of distance.
    words: Vec<(String, usize)>,
    length: usize,
    /// The sum of distances whose combinations come next.
    sum: usize,
    /// Those of the sum before that are left, the last first.
    ready: Vec<Vec<usize>>,
}

impl MiddleOut {
    /// Queries of `length` words; of fewer if there are not as many.
    pub fn new(tokens: &[Token], length: usize) -> MiddleOut {
        // A word without hits can't find a page, and would move the middle.
        let mut sorted: Vec<&Token> = tokens.iter().filter(|token| token.weight() > 0.0).collect();
        sorted.sort_by(|one, other| {
            let by_weight = other.weight().total_cmp(&one.weight());
            by_weight.then_with(|| one.word.cmp(&other.word))
        });
        let middle = sorted.len() / 2;
        let placed = sorted.iter().enumerate();
        let mut words: Vec<(String, usize)> = placed
            .map(|(place, token)| (token.word.clone(), place.abs_diff(middle)))
            .collect();
        words.sort_by_key(|(_, distance)| *distance);
        words.truncate(MAX_WORDS);
        MiddleOut {
            length: length.clamp(1, MAX_QUERY).min(words.len()),
            words,
            sum: 0,
            ready: Vec::new(),
        }
    }

    fn largest_sum(&self) -> usize {
        let last = self.words.iter().rev().take(self.length);
        last.map(|(_, distance)| distance).sum()
    }

    /// Adds the combinations from `first` on whose distances add up to `left`.
    fn add_combinations(
        &self,
        first: usize,
        left: usize,
        chosen: &mut Vec<usize>,
        found: &mut Vec<Vec<usize>>,
    ) {
        if chosen.len() == self.length {
            if left == 0 {
                found.push(chosen.clone());
            }
            return;
        }
        for place in first..self.words.len() {
            let distance = self.words[place].1;
            // The words are sorted: the others are at least as far.
            if distance * (self.length - chosen.len()) > left {
                return;
            }
            chosen.push(place);
            self.add_combinations(place + 1, left - distance, chosen, found);
            chosen.pop();
        }
    }
}

impl Iterator for MiddleOut {
    type Item = Vec<String>;

    fn next(&mut self) -> Option<Vec<String>> {
        if self.length == 0 {
            return None;
        }
        loop {
            if let Some(places) = self.ready.pop() {
                return Some(places.iter().map(|place| self.words[*place].0.clone()).collect());
            }
            if self.sum > self.largest_sum() {
                return None;
            }
            let mut found = Vec::new();
            self.add_combinations(0, self.sum, &mut Vec::new(), &mut found);
            // A second key makes the order of equal distances the same on every run, which a
            // resumed search relies on.
            found.sort_by_key(|places| {
                let largest = places.iter().map(|place| self.words[*place].1).max();
                (largest, places.clone())
            });
            found.reverse();
            self.ready = found;
            self.sum += 1;
        }
    }
}
