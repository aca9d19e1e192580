//! Lists of phrases that texts are searched for.

/// Phrases, as [`fold`](super::fold) leaves them, that are searched for in many texts. Few places
/// of a text begin like one of them; the first two bytes rule out the others.
///
/// ```
/// use magpie_values::text::Phrases;
///
/// static SOLD: Phrases = Phrases::new(&["sold out", "not available"]);
/// assert!(SOLD.are_in("unsold outfits"));
/// assert!(!SOLD.begin_a_word_of("unsold outfits"));
/// assert!(SOLD.begin("sold out today"));
/// ```
#[derive(Debug)]
pub struct Phrases {
    phrases: &'static [&'static str],
    /// For each first byte, by its last bits, the second bytes behind it, one bit for each.
    seconds: [u32; 32],
}

impl Phrases {
    /// Makes a list; in a `static` that is done by the compiler.
    ///
    /// # Panics
    ///
    /// If a phrase is empty.
    #[must_use]
    pub const fn new(phrases: &'static [&'static str]) -> Self {
        let mut list = Self {
            phrases,
            seconds: [0; 32],
        };
        let mut place = 0;
        while place < phrases.len() {
            let phrase = phrases[place].as_bytes();
            assert!(!phrase.is_empty(), "a phrase has at least one character");
            list.seconds[last_bits(phrase[0])] |= match phrase.len() {
                1 => u32::MAX,
                _ => 1 << last_bits(phrase[1]),
            };
            place += 1;
        }
        list
    }

    /// Returns true if a text is one of the phrases.
    #[must_use]
    pub fn has(&self, text: &str) -> bool {
        self.phrases.contains(&text)
    }

    /// Returns true if a text begins with one of the phrases.
    #[must_use]
    pub fn begin(&self, text: &str) -> bool {
        self.begin_at(text.as_bytes())
    }

    /// Returns true if a text has one of the phrases anywhere.
    #[must_use]
    pub fn are_in(&self, text: &str) -> bool {
        self.places(text).next().is_some()
    }

    /// Returns true if a text has one of the phrases at the beginning of a word.
    #[must_use]
    pub fn begin_a_word_of(&self, text: &str) -> bool {
        self.places(text)
            .any(|place| !text[..place].ends_with(char::is_alphanumeric))
    }

    /// Places of a text where a phrase begins. Phrases are whole characters, so each is between
    /// characters of the text.
    fn places(&self, text: &str) -> impl Iterator<Item = usize> {
        let bytes = text.as_bytes();
        (0..bytes.len()).filter(move |place| self.begin_at(&bytes[*place..]))
    }

    fn begin_at(&self, text: &[u8]) -> bool {
        let Some(first) = text.first() else { return false };
        let second = text.get(1).map_or(0, |second| last_bits(*second));
        self.seconds[last_bits(*first)] >> second & 1 == 1
            && (self.phrases.iter()).any(|phrase| text.starts_with(phrase.as_bytes()))
    }
}

const fn last_bits(byte: u8) -> usize {
    (byte & 31) as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Phrases;

    const PHRASES: &[&str] = &["sold out", "a", "nicht da", "売り切れ", "épuisé", " ab"];
    static LIST: Phrases = Phrases::new(PHRASES);

    proptest! {
        #[test]
        fn phrases_are_found_as_the_standard_library_finds_them(text in "(sold| out|a|n|nicht| da|売り切れ|売|é|épuisé| ab|b| ){0,8}") {
            prop_assert_eq!(LIST.begin(&text), PHRASES.iter().any(|phrase| text.starts_with(phrase)));
            prop_assert_eq!(LIST.are_in(&text), PHRASES.iter().any(|phrase| text.contains(phrase)));
            let begins = |(place, _): (usize, &str)| !text[..place].ends_with(char::is_alphanumeric);
            let expected = PHRASES.iter().any(|phrase| text.match_indices(phrase).any(begins));
            prop_assert_eq!(LIST.begin_a_word_of(&text), expected);
        }
    }
}
