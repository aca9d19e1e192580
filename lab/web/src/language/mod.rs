//! Languages of the generated sites: months, weekdays, words of menus, and labels.
//!
//! Labels are words of natural languages, so the lab cannot invent them. Every attribute has
//! several labels in every language, from which each site draws one.

mod labels;
mod phrases;
mod search_words;
mod table;

pub(crate) use labels::labels;
pub(crate) use phrases::{PHRASES, Phrases};
pub(crate) use search_words::{SEARCH_WORDS, SearchWords};
pub(crate) use table::LANGUAGES;

#[derive(Debug)]
pub(crate) struct Language {
    /// ISO 639-1 code.
    pub(crate) code: &'static str,
    pub(crate) months: [&'static str; 12],
    pub(crate) months_short: [&'static str; 12],
    /// Names of the weekdays, Monday first.
    pub(crate) weekdays: [&'static str; 7],
    pub(crate) weekdays_short: [&'static str; 7],
    /// Uses a comma as decimal separator.
    pub(crate) has_decimal_comma: bool,
    pub(crate) name: &'static str,
    /// Word between date and time: `at`, `um`.
    pub(crate) at: &'static str,
    /// Words of menus and messages, by [`Word`].
    pub(crate) words: [&'static str; WORDS],
}

/// A word of a menu or a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    Home,
    Next,
    Previous,
    Search,
    Nothing,
    Hits,
    Related,
    Categories,
    News,
    Forum,
    Help,
    About,
    Login,
    Cart,
    Comments,
    Archive,
    Sort,
    More,
    Missing,
    All,
    Reply,
    Price,
    Newest,
    Overview,
    Print,
    Today,
    InStock,
    SoldOut,
    Cancelled,
}

const WORDS: usize = 29;

impl Language {
    pub(crate) fn word(&self, word: Word) -> &'static str {
        self.words[word as usize]
    }
}
