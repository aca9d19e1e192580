//! Words: made-up ones from a syllable grammar that each web draws, plain ones from fixed lists,
//! and names of real languages for webs that people look at.

pub(crate) mod readable;
pub(crate) mod stock;

use crate::random::{Key, RandomSequence};

const ONSETS: &[&str] = &[
    "b", "br", "c", "ch", "d", "dr", "f", "fl", "g", "gl", "gr", "h", "j", "k", "kl", "kr", "kv", "l", "m",
    "n", "p", "pl", "q", "r", "s", "sk", "sl", "sv", "t", "tr", "tv", "v", "vr", "w", "y", "z", "zh", "th",
    "sn", "mj",
];
const NUCLEI: &[&str] = &[
    "a", "e", "i", "o", "u", "ae", "ai", "au", "ea", "ei", "ia", "io", "oa", "oi", "ou", "ue", "y",
];
const CODAS: &[&str] = &[
    "", "b", "d", "g", "k", "l", "lm", "m", "n", "nd", "nt", "p", "r", "rk", "rn", "s", "sk", "st", "t", "v",
    "x", "z",
];

/// The syllable parts from which the made-up words of a web are built.
#[derive(Clone, Debug)]
pub(crate) struct Tongue {
    onsets: Vec<&'static str>,
    nuclei: Vec<&'static str>,
    codas: Vec<&'static str>,
}

impl Tongue {
    /// Draws about a third of the available syllable parts.
    pub(crate) fn new(key: Key) -> Self {
        Self {
            onsets: pick_parts(key.of("onsets", 0), ONSETS, 15),
            nuclei: pick_parts(key.of("nuclei", 0), NUCLEI, 7),
            codas: pick_parts(key.of("codas", 0), CODAS, 8),
        }
    }

    /// Appends a word with the given number of syllables.
    pub(crate) fn push(&self, out: &mut String, random: &mut RandomSequence, syllables: u64) {
        for index in 0..syllables {
            out.push_str(random.pick(&self.onsets));
            out.push_str(random.pick(&self.nuclei));
            // Half of the inner syllables are open, as in most languages.
            if index + 1 == syllables || random.per_mille(500) {
                out.push_str(random.pick(&self.codas));
            }
        }
    }

    /// Returns a word of two or three syllables, at least five characters long.
    pub(crate) fn word(&self, key: Key) -> String {
        let mut random = key.sequence();
        let mut word = String::with_capacity(12);
        let syllables = random.between(2, 3);
        self.push(&mut word, &mut random, syllables);
        while word.len() < 5 {
            self.push(&mut word, &mut random, 1);
        }
        word
    }

    pub(crate) fn name(&self, key: Key) -> String {
        capital(&self.word(key))
    }

    pub(crate) fn push_sentence(&self, out: &mut String, random: &mut RandomSequence) {
        let words = random.between(6, 16);
        for index in 0..words {
            if index > 0 {
                out.push(' ');
            }
            let from = out.len();
            let draw = random.below(100);
            if draw < 45 {
                out.push_str(self.nuclei[draw as usize % self.nuclei.len()]);
                out.push_str(self.codas[draw as usize % self.codas.len()]);
            } else {
                self.push(out, random, 1 + draw % 3);
            }
            if index == 0 {
                let first = out[from..].chars().next().unwrap_or('a').to_ascii_uppercase();
                out.replace_range(from..=from, first.encode_utf8(&mut [0; 4]));
            }
        }
        out.push_str(". ");
    }
}

pub(crate) fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Appends a text as a slug: letters and digits in lower case, everything else as single
/// separators.
pub(crate) fn push_slug(out: &mut String, text: &str, separator: char) {
    let start = out.len();
    let mut gap = false;
    for letter in text.chars().flat_map(strip_diacritics) {
        if letter.is_ascii_alphanumeric() {
            if gap && out.len() > start {
                out.push(separator);
            }
            gap = false;
            out.push(letter.to_ascii_lowercase());
        } else if letter != '\'' {
            gap = true;
        }
    }
}

/// Removes the diacritics of a letter, for the letters of the lab's languages.
fn strip_diacritics(letter: char) -> impl Iterator<Item = char> {
    let (first, second) = match letter {
        'ä' | 'à' | 'á' | 'å' | 'â' | 'Ä' | 'Å' | 'À' => ('a', None),
        'é' | 'è' | 'ê' | 'ë' | 'É' => ('e', None),
        'í' | 'ì' | 'î' => ('i', None),
        'ö' | 'ó' | 'ò' | 'ô' | 'õ' | 'ø' | 'Ö' => ('o', None),
        'ü' | 'ú' | 'ù' | 'û' | 'Ü' => ('u', None),
        'ç' => ('c', None),
        'ñ' => ('n', None),
        'ß' => ('s', Some('s')),
        other => (other, None),
    };
    std::iter::once(first).chain(second)
}

fn pick_parts(key: Key, pool: &[&'static str], count: usize) -> Vec<&'static str> {
    let mut order: Vec<(u64, &'static str)> = pool
        .iter()
        .enumerate()
        .map(|(index, part)| (key.of("part", index as u64).bits(), *part))
        .collect();
    order.sort_unstable();
    order.into_iter().take(count).map(|(_, part)| part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_keep_letters_and_digits() {
        let mut out = String::from("/");
        push_slug(&mut out, "Élan & Søn's 3 Straße!", '-');
        assert_eq!(out, "/elan-sons-3-strasse");
    }

    #[test]
    fn words_of_two_webs_differ() {
        let words = |seed| {
            let tongue = Tongue::new(Key::root(seed));
            (0..500)
                .map(|id| tongue.word(Key::root(seed).of("w", id)))
                .collect::<std::collections::BTreeSet<_>>()
        };
        let (one, two) = (words(1), words(2));
        assert!(one.intersection(&two).count() < 25);
        assert!(one.iter().all(|word| word.len() >= 5));
    }
}
