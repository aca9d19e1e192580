//! The languages that generated sites are written in: months, weekdays, the words of menus, and labels.
//!
//! Labels are words of natural languages and so cannot be the lab's alone; every attribute has several in every
//! language, and a site draws its own.

mod labels;
mod phrases;
mod table;

pub(crate) use labels::labels;
pub(crate) use phrases::{PHRASES, Phrases};
pub(crate) use table::LANGUAGES;

/// The words of one language.
#[derive(Debug)]
pub(crate) struct Language {
    /// ISO 639-1.
    pub(crate) code: &'static str,
    pub(crate) months: [&'static str; 12],
    pub(crate) months_short: [&'static str; 12],
    /// Monday first.
    pub(crate) weekdays: [&'static str; 7],
    pub(crate) weekdays_short: [&'static str; 7],
    /// Whether a comma stands before the cents.
    pub(crate) has_decimal_comma: bool,
    /// Its name in itself.
    pub(crate) name: &'static str,
    /// What stands between the date and the time: `at`, `um`.
    pub(crate) at: &'static str,
    /// The words of menus and messages, by [`Word`].
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
    /// A word of this language.
    pub(crate) fn word(&self, word: Word) -> &'static str {
        self.words[word as usize]
    }
}
