//! Words that show the purpose of forms and fields, in several languages.
//!
//! Words are folded: lower case, without marks on letters. A word of up to three letters is one
//! that a text has as it is; a longer one begins a word of the text, and one of at least six may be
//! inside a name, as `searchform` and `txtsearch` are written. Words of scripts without blanks may
//! be anywhere.

use std::sync::OnceLock;

use encoding_rs::UTF_8;
use magpie_values::text::fold;

use crate::acts;
use crate::template::decode;

macro_rules! notions {
    ($($notion:ident $name:literal,)*) => {
        /// A notion that words stand for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub(crate) enum Notion { $($notion,)* Act, Cart }

        const NOTIONS: &[Notion] = &[$(Notion::$notion,)* Notion::Act, Notion::Cart];

        magpie_values::word_lists! { "words.txt";
            /// Words of each notion but those of what acts, in the order of the notions.
            WORDS: Groups = $($name)*;
        }

        impl Notion {
            /// A short name that stays the same: weights are kept under it.
            pub(crate) fn name(self) -> &'static str {
                match self { $(Notion::$notion => $name,)* Notion::Act => "act", Notion::Cart => "cart" }
            }
        }
    };
}

notions! {
    Search "search",
    QueryName "query",
    Login "login",
    Registration "registration",
    Recovery "recovery",
    Newsletter "newsletter",
    Contact "contact",
    Comment "comment",
    Order "order",
    Sort "sort",
    PageSize "page-size",
    Page "page",
    Language "language",
    Place "place",
    Date "date",
    From "from",
    To "to",
    Price "price",
    Category "category",
    Author "author",
    Isbn "isbn",
    Token "token",
    Person "person",
    Email "email",
    Telephone "telephone",
    Captcha "captcha",
    Poll "poll",
    Advanced "advanced",
}

/// All notions, in their order.
pub(crate) fn notions() -> impl Iterator<Item = Notion> {
    NOTIONS.iter().copied()
}

/// Returns the words of a notion, folded as the texts are.
fn words_of(notion: Notion) -> &'static [String] {
    static FOLDED: OnceLock<Vec<Vec<String>>> = OnceLock::new();
    let folded = FOLDED.get_or_init(|| {
        let fold_all = |words: &&[&str]| words.iter().map(|word| fold(word)).collect();
        WORDS
            .iter()
            .chain(&[acts::ACT, acts::CART])
            .map(fold_all)
            .collect()
    });
    &folded[notion as usize]
}

/// Bytes of a path or a query that are read.
const MAX_URL_BYTES: usize = 400;

/// Words that one text is looked up for. Names are read longer than this nowhere.
const MAX_WORDS: usize = 24;

#[derive(Clone, Debug, Default)]
pub(crate) struct Words {
    /// The words, folded, with a space around each.
    folded: String,
    words: Vec<String>,
    is_name: bool,
}

impl Words {
    /// Reads an attribute that programs write: words are joined by capitals, digits and signs.
    pub(crate) fn of_name(text: &str) -> Words {
        let mut spaced = String::with_capacity(text.len() + 8);
        let mut before = ' ';
        for character in text.chars().take(400) {
            // `searchText` and `field2` are two words each, `HTML` is one.
            let is_break = (before.is_lowercase() && character.is_uppercase())
                || (before.is_alphabetic() && character.is_ascii_digit());
            if is_break {
                spaced.push(' ');
            }
            spaced.push(match character {
                '_' => ' ',
                other => other,
            });
            before = character;
        }
        Words {
            is_name: true,
            ..Words::of_text(&spaced)
        }
    }

    /// Reads a path or a query.
    pub(crate) fn of_url(text: &str) -> Words {
        let end = text.floor_char_boundary(MAX_URL_BYTES);
        Words::of_name(&decode(&text[..end], UTF_8))
    }

    /// Reads a text for readers.
    pub(crate) fn of_text(text: &str) -> Words {
        let folded = fold(text);
        let words = folded
            .split(|character: char| !(character.is_alphanumeric() || is_mark(character)))
            .filter(|word| !word.is_empty())
            .take(MAX_WORDS);
        let words: Vec<String> = words.map(str::to_owned).collect();
        Words {
            folded: format!(" {} ", words.join(" ")),
            words,
            is_name: false,
        }
    }

    pub(crate) fn extend(&mut self, other: Words) {
        self.folded.push_str(&other.folded);
        self.words.extend(other.words);
        self.is_name |= other.is_name;
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(String::as_str)
    }

    pub(crate) fn has(&self, notion: Notion) -> bool {
        self.find(notion).is_some()
    }

    /// Returns the word of a notion that the text has.
    pub(crate) fn find(&self, notion: Notion) -> Option<&'static str> {
        let mut known = words_of(notion).iter().map(String::as_str);
        known
            .find(|word| self.has_word(word))
            .map(|word| word.trim_start_matches('='))
    }

    fn has_word(&self, known: &str) -> bool {
        if let Some(exact) = known.strip_prefix('=') {
            return self.words.iter().any(|word| word == exact);
        }
        if known.contains(' ') || is_unspaced(known) {
            return self.folded.contains(known);
        }
        let length = known.chars().count();
        self.words.iter().any(|word| match length {
            0..=3 => word == known,
            _ => word.starts_with(known) || (self.is_name && length >= 6 && is_inside(word, known)),
        })
    }

    /// Returns true if a word is exactly one of a notion.
    pub(crate) fn has_exactly(&self, notion: Notion) -> bool {
        let known = words_of(notion);
        let mut known = known.iter().map(|known| known.trim_start_matches('='));
        known.any(|known| self.words.iter().any(|word| word == known))
    }
}

fn is_inside(word: &str, known: &str) -> bool {
    // `research` and its relatives have nothing to do with searching.
    word.contains(known) && !word.contains("research")
}

/// Returns true for marks that are parts of words in some scripts, such as Thai vowels.
fn is_mark(character: char) -> bool {
    matches!(character, '\u{900}'..='\u{97F}' | '\u{E00}'..='\u{E7F}')
}

/// Returns true if a script puts no blanks between words.
fn is_unspaced(word: &str) -> bool {
    word.chars()
        .next()
        .is_some_and(|first| matches!(first, '\u{E00}'..='\u{E7F}' | '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}'))
}
