//! Lists of words that texts are searched for.

use super::fold::{is_lower_of, is_plain, push_word};
use super::{bare, is_unspaced_script, words};

/// Words, as [`fold_word`](super::fold_word) leaves them, that are searched for in many texts. Few
/// words of a text are in the list, and most are ruled out by their first letter and their length;
/// the others are compared with the entries that begin alike. A list has at most 255 words.
///
/// ```
/// use magpie_values::text::WordList;
///
/// static PAPERS: WordList = WordList::new(&["agenda", "minutes"]);
/// assert!(PAPERS.is_in("Draft Agenda, with notes"));
/// assert!(!PAPERS.is_in("Two minuets"));
/// ```
#[derive(Debug)]
pub struct WordList {
    words: &'static [&'static str],
    /// For each first byte, by its last bits, the lengths of the words that begin with it.
    lengths: [u32; FIRST],
    /// One more than the index of the first word with each first byte; 0 if no word has it.
    first: [u8; FIRST],
    /// For each word one more than the place of the next that begins alike.
    next: [u8; MOST],
}

/// Words of a list: places and one more fit a byte.
const MOST: usize = 255;

/// Distinguished first bytes: capitals and small letters are equal in their last five bits.
const FIRST: usize = 32;

/// Distinguished lengths, one bit each.
const LENGTHS: usize = 32;

impl WordList {
    /// Makes a list; in a `static` that is done by the compiler.
    ///
    /// # Panics
    ///
    /// With more than 255 words.
    #[must_use]
    pub const fn new(words: &'static [&'static str]) -> Self {
        assert!(words.len() <= MOST, "a word list has at most 255 words");
        let mut list = Self {
            words,
            lengths: [0; FIRST],
            first: [0; FIRST],
            next: [0; MOST],
        };
        // From the last to the first, so that each is followed by those behind it.
        let mut place = words.len();
        while place > 0 {
            let word = words[place - 1].as_bytes();
            let first = first_of(word);
            list.lengths[first] |= length_bit(word);
            list.next[place - 1] = list.first[first];
            list.first[first] = place as u8;
            place -= 1;
        }
        list
    }

    /// Returns true if a word is in the list, in any spelling that folds to it.
    #[must_use]
    pub fn has(&self, word: &str) -> bool {
        if is_plain(word) {
            return self.has_plain(word.as_bytes());
        }
        let mut folded = String::new();
        push_word(&mut folded, word);
        self.place_of(&folded).is_some()
    }

    /// Returns true if a text has one of the words.
    #[must_use]
    pub fn is_in(&self, text: &str) -> bool {
        let bytes = text.as_bytes();
        let is_known = |word: &[u8]| !word.is_empty() && self.has_plain(word);
        let mut start = 0;
        for (at, byte) in bytes.iter().enumerate() {
            if byte.is_ascii_alphanumeric() {
                continue;
            }
            if !byte.is_ascii() || *byte == b'\'' {
                // Adjoining characters may be two words, or folding may change more than the case.
                return words(text).any(|word| self.has(word)) || self.is_part_of(text);
            }
            if is_known(&bytes[start..at]) {
                return true;
            }
            start = at + 1;
        }
        is_known(&bytes[start..])
    }

    /// Returns true if a text contains an entry in a script without blanks, whose words nothing
    /// marks.
    fn is_part_of(&self, text: &str) -> bool {
        let is_unspaced = |entry: &str| entry.chars().nth(1).is_some_and(is_unspaced_script);
        text.contains(is_unspaced_script)
            && self
                .words
                .iter()
                .any(|entry| is_unspaced(entry) && text.contains(entry))
    }

    /// Returns true if a text is one of the entries, which then may have several words, as [`bare`]
    /// leaves them.
    #[must_use]
    pub fn is(&self, text: &str) -> bool {
        let first = words(text).next().filter(|word| is_plain(word));
        let may_begin = first.is_none_or(|word| self.lengths[first_of(word.as_bytes())] != 0);
        may_begin && {
            let bare = bare(text);
            self.place_of(&bare).is_some()
        }
    }

    /// Index in the list of a text that is exactly an entry.
    #[must_use]
    pub fn place_of(&self, folded: &str) -> Option<usize> {
        self.find(folded.as_bytes(), |known| known == folded)
    }

    /// Returns true if a word is in the list and folding changes only its case.
    #[inline]
    fn has_plain(&self, word: &[u8]) -> bool {
        self.find(word, |known| is_lower_of(known.as_bytes(), word))
            .is_some()
    }

    /// The place of a word that is one of them, which those that begin alike are asked.
    #[inline]
    fn find(&self, word: &[u8], is: impl Fn(&str) -> bool) -> Option<usize> {
        let first = first_of(word);
        // Most words of a text end here, without a comparison of letters.
        if self.lengths[first] & length_bit(word) == 0 {
            return None;
        }
        let mut place = usize::from(self.first[first]);
        while place > 0 {
            if is(self.words[place - 1]) {
                return Some(place - 1);
            }
            place = usize::from(self.next[place - 1]);
        }
        None
    }
}

const fn first_of(word: &[u8]) -> usize {
    if word.is_empty() {
        0
    } else {
        word[0] as usize % FIRST
    }
}

const fn length_bit(word: &[u8]) -> u32 {
    let length = word.len();
    1 << if length < LENGTHS { length } else { LENGTHS - 1 }
}

#[cfg(test)]
mod tests {
    use super::WordList;
    use crate::text::fold_word;

    const WORDS: &[&str] = &[
        "",
        "a",
        "cafe",
        "don't",
        "dont",
        "été",
        "ss",
        "veröffentlichungstermine-der-behörde",
    ];

    #[test]
    fn words_are_found_as_by_folding_them() {
        static LIST: WordList = WordList::new(WORDS);
        for word in [
            "",
            "A",
            "a",
            "b",
            "Café",
            "CAFE",
            "cafes",
            "Don’t",
            "don't",
            "dont",
            "ete",
            "ß",
            "SS",
            "sß",
            "1",
            "Été",
            "veröffentlichungstermine-der-behörde",
            "veroffentlichungstermine-der-behorde",
        ] {
            assert_eq!(
                LIST.has(word),
                WORDS.contains(&fold_word(word).as_str()),
                "{word}"
            );
        }
    }

    proptest::proptest! {
        #[test]
        fn texts_are_searched_as_by_folding_each_word(text in "([ac']|fe|é|dont|don't|café| |-|ß|\\PC){0,12}") {
            static LIST: WordList = WordList::new(WORDS);
            let expected = crate::text::words(&text).any(|word| WORDS.contains(&fold_word(word).as_str()));
            proptest::prop_assert_eq!(LIST.is_in(&text), expected, "{:?}", text);
        }
    }

    #[test]
    fn texts_are_compared_as_a_whole() {
        static LIST: WordList = WordList::new(&["", "buy tickets", "plus d infos", "plus dinfos", "2 for 1"]);
        for (text, expected) in [
            ("Buy tickets »", true),
            ("BUY: Tickets!", true),
            ("Plus d’infos", true),
            ("2 for 1", true),
            ("...", true),
            ("Buy", false),
            ("Tickets", false),
            ("Öl", false),
        ] {
            assert_eq!(LIST.is(text), expected, "{text}");
        }
    }

    #[test]
    fn texts_are_searched_word_by_word() {
        static LIST: WordList = WordList::new(&["a", "cafe", "dont", "lete"]);
        for (text, expected) in [
            ("Le Café, là", true),
            ("Rien ne va plus à l’Été", true),
            ("I don’t", true),
            ("I DON'T", true),
            ("x-A", true),
            ("cafes", false),
            ("ab, 1a", false),
            ("a's", false),
            ("don t", false),
            ("", false),
        ] {
            assert_eq!(LIST.is_in(text), expected, "{text}");
        }
    }

    #[test]
    fn entries_of_scripts_without_blanks_are_parts_of_texts() {
        static LIST: WordList = WordList::new(&["開場", "cafe"]);
        assert!(LIST.is_in("開場: 19:00") && LIST.is("開場:"));
        assert!(!LIST.is_in("開演: 19:00"));
    }
}
