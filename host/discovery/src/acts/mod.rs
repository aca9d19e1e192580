//! Words of URLs, forms and buttons that act: they may change something at a site.
//!
//! All words are in `acts.txt`. Links, forms, filters, the requests of scripts and clicks are
//! judged by them. A slug such as `/posts/delete-your-account-guide` has no whole word that acts.

use std::collections::HashSet;
use std::sync::LazyLock;

use encoding_rs::UTF_8;
use magpie_values::text::fold;

use crate::forms::words::{Notion, Words};
use crate::template::decode;

magpie_values::word_lists! { "acts.txt";
    DEEDS: Words = "deed";
    NAMING: Words = "naming";
    KEYS: Words = "key";
    /// Keys whose value names what is done.
    pub(crate) VALUE_KEYS: Words = "value_key";
    PATH_KEYS: Words = "path_key";
    VALUES: Words = "value";
    VALUE_STARTS: Words = "value_start";
    pub(crate) ACT: Words = "act";
    pub(crate) CART: Words = "cart";
}

/// The list as it is written, for its page in the book.
pub const ACTS: &str = include_str!("acts.txt");

/// Bytes of a segment, a key or a value that is judged. Longer ones are no words.
const MAX_BYTES: usize = 200;

/// Words of the text of a button. A longer text is that of an entry, which may have any words.
const MAX_BUTTON_WORDS: usize = 5;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Care {
    /// Links that any visitor may follow.
    #[default]
    Usual,
    /// Requests that Magpie composes, and that no page links to.
    Composed,
    /// Links of a site that knows who follows them.
    Known,
}

/// The rules by which URLs and buttons of a site act.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Acts {
    care: Care,
    /// Further words, as the list has them.
    words: Vec<String>,
}

impl Acts {
    /// Makes the rules of a site, with further words. They are stricter where the site knows the
    /// visitor, by cookies or a password.
    pub fn new(words: &[String], knows_visitor: bool) -> Acts {
        Acts {
            care: if knows_visitor { Care::Known } else { Care::Usual },
            words: words
                .iter()
                .map(|word| squash(word))
                .filter(|word| !word.is_empty())
                .collect(),
        }
    }

    /// Makes the rules for URLs that are composed, from a form for example.
    pub fn composed(mut self) -> Acts {
        self.care = self.care.max(Care::Composed);
        self
    }

    /// Returns the part of a URL by which it acts, as `"delete" in the path`.
    pub fn of_url(&self, path: &str, query: Option<&str>) -> Option<String> {
        let mut segments = path.split('/').filter(|segment| !segment.is_empty()).peekable();
        let mut before = "";
        while let Some(segment) = segments.next() {
            let is_last = segments.peek().is_none() && query.is_none();
            let is_name = is_last && NAMING.contains(&before) && !segment.contains(':');
            if self.is_acting_segment(segment) && !(is_name && self.care != Care::Known) {
                return Some(format!("{segment:?} in the path"));
            }
            before = segment;
        }
        let mut pairs = query?.split('&');
        let acting = pairs.find(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            self.is_acting_pair(key, value)
        })?;
        Some(format!("{acting:?} in the query"))
    }

    /// Returns true if a click on an element with this text, or these names, may act.
    pub fn is_acting_button(&self, text: &str) -> bool {
        let words = Words::of_name(text);
        words.iter().count() <= MAX_BUTTON_WORDS
            && (words.has(Notion::Act)
                || words.has(Notion::Cart)
                || self.is_deed(text)
                || self.has_own_word(text))
    }

    /// Returns true if a text has one of the further words.
    pub(crate) fn has_own_word(&self, text: &str) -> bool {
        let words = Words::of_name(text);
        let is_own = |word: &str| self.words.iter().any(|own| own == word);
        is_own(&squash(text)) || words.iter().any(is_own)
    }

    fn is_acting_segment(&self, segment: &str) -> bool {
        let name = segment.split(';').next().unwrap_or_default();
        let name = name.rsplit_once(':').map_or(name, |(_, name)| name);
        let name = match name.rsplit_once('.') {
            Some((stem, ending)) if (1..=6).contains(&ending.len()) => stem,
            _ => name,
        };
        self.is_deed(name)
            || match self.care {
                Care::Usual => false,
                Care::Composed => is_single(&Words::of_url(name)),
                Care::Known => {
                    let words = Words::of_url(name);
                    let has_deed = || words.iter().any(|word| self.is_deed(word));
                    is_single(&words) || words.has_exactly(Notion::Cart) || has_deed()
                }
            }
    }

    fn is_acting_pair(&self, key: &str, value: &str) -> bool {
        // Some programs mark the names that are theirs.
        let key = decode(key, UTF_8).to_lowercase();
        let key = key.trim_start_matches(['@', ':']);
        if KEYS.contains(&key) || self.is_acting_segment(key) {
            return true;
        }
        let is_path = value.contains('/') || value.contains("%2F") || value.contains("%2f");
        if is_path && PATH_KEYS.contains(&key) {
            let path = decode(value, UTF_8);
            return path.split('/').any(|segment| self.is_acting_segment(segment));
        }
        if VALUE_KEYS.contains(&key.trim_start_matches('_')) {
            return self.is_acting_value(value);
        }
        let is_word = || is_single(&Words::of_url(value)) || self.words.contains(&squash(value));
        self.care != Care::Usual && is_word()
    }

    fn is_acting_value(&self, value: &str) -> bool {
        let lower = value.to_ascii_lowercase();
        let words = Words::of_url(value);
        VALUES.contains(&lower.as_str())
            || VALUE_STARTS.iter().any(|start| lower.starts_with(start))
            || self.is_deed(value)
            || words.iter().any(|word| self.is_deed(word))
    }

    fn is_deed(&self, word: &str) -> bool {
        static FOLDED: LazyLock<HashSet<String>> =
            LazyLock::new(|| DEEDS.iter().map(|deed| squash(deed)).collect());
        if word.len() > MAX_BYTES {
            return false;
        }
        let word = squash(word);
        FOLDED.contains(&word) || self.words.contains(&word)
    }
}

/// Returns true if a text is one word that may act.
fn is_single(words: &Words) -> bool {
    words.iter().count() == 1 && (words.has_exactly(Notion::Act) || words.has_exactly(Notion::Cart))
}

/// Folds a word and drops the signs in it.
fn squash(word: &str) -> String {
    let decoded = decode(word, UTF_8);
    match decoded.is_ascii() {
        true => decoded
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .map(|letter| letter.to_ascii_lowercase())
            .collect(),
        false => fold(&decoded)
            .chars()
            .filter(|letter| letter.is_alphanumeric())
            .collect(),
    }
}
