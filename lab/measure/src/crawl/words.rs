//! The words of generated pages: invented, the same on every run, and about as hard to compress as
//! real ones.

use std::fmt::Write as _;

/// Sentences to choose from: more than a page holds, so that a page seldom repeats one.
const SENTENCES: usize = 4096;

/// Words to make them of. People use few words often and many seldom; see [`Words::seldom`].
const VOCABULARY: usize = 3000;

/// Number of words for each number.
const WORDS_FOR_A_NUMBER: u64 = 40;

const SYLLABLES: [&str; 40] = [
    "ba", "con", "di", "e", "fer", "gra", "hol", "in", "ju", "ka", "lo", "ment", "na", "or", "per", "qui",
    "ra", "sten", "ti", "u", "ver", "wa", "xi", "y", "zo", "ther", "ing", "an", "de", "al", "of", "ter",
    "sh", "bri", "mon", "pla", "sur", "el", "ous", "tion",
];

pub(super) struct Words {
    vocabulary: Vec<String>,
    sentences: Vec<String>,
}

impl Words {
    pub(super) fn new() -> Words {
        let vocabulary = (0..VOCABULARY as u64).map(word).collect();
        let mut words = Words {
            vocabulary,
            sentences: Vec::new(),
        };
        words.sentences = (0..SENTENCES as u64)
            .map(|number| words.compose(number))
            .collect();
        words
    }

    /// A sentence; the same for the same number.
    pub(super) fn sentence(&self, number: u64) -> &str {
        &self.sentences[(number % SENTENCES as u64) as usize]
    }

    /// Some word that is not among the very common ones, for titles and addresses.
    pub(super) fn seldom(&self, number: u64) -> &str {
        &self.vocabulary[(number % (VOCABULARY as u64 - 100)) as usize + 100]
    }

    fn compose(&self, number: u64) -> String {
        let length = 8 + spread(number) % 14;
        let mut sentence = String::new();
        for place in 0..length {
            let chance = spread(number.wrapping_mul(64).wrapping_add(place + 1));
            // The square of an even chance: the first words of the vocabulary come up most often.
            let even = (chance % 65_536) as f64 / 65_536.0;
            let word = &self.vocabulary[(even * even * VOCABULARY as f64) as usize];
            if place > 0 {
                sentence.push(' ');
            }
            sentence.push_str(word);
            if chance.is_multiple_of(WORDS_FOR_A_NUMBER) {
                let _infallible = write!(sentence, " {}", chance >> 40 & 0xff);
            }
        }
        sentence.push_str(". ");
        sentence
    }
}

/// A word of one to four syllables; common ones are short.
fn word(number: u64) -> String {
    let mut chance = spread(number ^ 0x5eed);
    let syllables = 1 + (number > 60) as u64 + chance % 3;
    let mut word = String::new();
    for _ in 0..syllables {
        chance = spread(chance);
        word.push_str(SYLLABLES[(chance % SYLLABLES.len() as u64) as usize]);
    }
    word
}

/// Well spread numbers from numbers in a row.
pub(super) fn spread(number: u64) -> u64 {
    let mut mixed = number
        .wrapping_add(0x9e37_79b9_7f4a_7c15)
        .wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^= mixed >> 29;
    mixed = mixed.wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 32
}
