//! Languages of the generated sites: months, weekdays, words of menus, labels and phrases.
//!
//! Labels are words of natural languages, so the lab cannot invent them. The tables in `data` have
//! a column for each language. Every attribute has several labels in every language, from which
//! each site draws one.

mod table;

use std::sync::LazyLock;

use crate::facts::Attribute;
use crate::spec::Vertical;
use table::{Cell, Table};

/// Number of languages. English comes first: a third of the sites are in English.
const COUNT: usize = 8;

/// Declares a type for the words of one language, and reads those of all languages from a table
/// with a row for each field.
macro_rules! words {
    ($(#[$about:meta])* $name:ident, $all:ident, $file:literal, {
        $($(#[$doc:meta])* $field:ident: $kind:ty,)*
    }) => {
        $(#[$about])*
        #[derive(Debug)]
        pub(crate) struct $name {
            $($(#[$doc])* pub(crate) $field: $kind,)*
        }

        pub(crate) static $all: LazyLock<[$name; COUNT]> = LazyLock::new(|| {
            let table = Table::parse(include_str!(concat!("../../data/", $file)));
            std::array::from_fn(|language| $name {
                $($field: Cell::read(table.rows(stringify!($field)), language),)*
            })
        });
    };
}

words! {
    /// One language, and its words of dates.
    Language, LANGUAGES, "calendar.tsv", {
        /// ISO 639-1 code.
        code: &'static str,
        /// Name of the language in the language itself.
        name: &'static str,
        /// Word between date and time: `at`, `um`.
        at: &'static str,
        has_decimal_comma: bool,
        months: [&'static str; 12],
        months_short: [&'static str; 12],
        /// Names of the weekdays, Monday first.
        weekdays: [&'static str; 7],
        weekdays_short: [&'static str; 7],
    }
}

words! {
    /// Phrases of calendars, articles and themes.
    Phrases, PHRASES, "phrases.tsv", {
        /// Before a month or day in the title of a calendar.
        events_for: &'static str,
        /// Singular and plural of "event", after counts.
        events: [&'static str; 2],
        calendar: &'static str,
        no_events: &'static str,
        /// Notice that a day, `#`, has no events.
        no_events_on: &'static str,
        this_month: &'static str,
        /// Titles of articles; `#` is the number of events, `@` the month.
        round_ups: [&'static str; 3],
        /// Before the first and the last day of a range.
        from_to: [&'static str; 2],
        /// Before a single day within a sentence.
        on: &'static str,
        on_request: &'static str,
        /// Titles of the sample page and of the first post of a theme.
        samples: [&'static str; 2],
        /// Names of the sample event, book and product of a theme.
        sample_objects: [&'static str; 3],
    }
}

words! {
    SearchWords, SEARCH_WORDS, "searches.tsv", {
        keyword: &'static str,
        advanced: &'static str,
        /// Before the lower and the upper end of a range.
        from_to: [&'static str; 2],
        per_page: &'static str,
        newsletter: &'static str,
        email: &'static str,
        password: &'static str,
        subscribe: &'static str,
        did_you_mean: &'static str,
        /// `#` is the maximum number of results.
        too_many: &'static str,
        choose: &'static str,
        enter: &'static str,
        export: &'static str,
        random: &'static str,
        remove: &'static str,
        alert: &'static str,
        sponsored: &'static str,
        postcode: &'static str,
        year: &'static str,
        model: &'static str,
        match_in: [&'static str; 3],
        relevance: &'static str,
        articles: &'static str,
        done: &'static str,
        /// Words that users add to the name of what they look for: buy, cheap, reviews, price, near
        /// me.
        affixes: [&'static str; 5],
    }
}

/// Declares the words of menus and messages, which have a row each in their table.
macro_rules! menus {
    ($($word:ident)*) => {
        /// A word of a menu or a message.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Word {
            $($word,)*
        }

        /// The words in the order of [`Word`].
        static MENUS: LazyLock<Vec<[&str; COUNT]>> = LazyLock::new(|| {
            let table = Table::parse(include_str!("../../data/menus.tsv"));
            vec![$(table.rows(stringify!($word))[0],)*]
        });
    };
}

menus! {
    Home Next Previous Search Nothing Hits Related Categories News Forum Help About Login Cart
    Comments Archive Sort More Missing All Reply Price Newest Overview Print Today InStock SoldOut
    Cancelled
}

impl Word {
    /// Returns the word in a language.
    pub(crate) fn text(self, language: usize) -> &'static str {
        MENUS[self as usize][language]
    }
}

/// Returns the labels of an attribute in a language; `|` separates synonyms.
pub(crate) fn labels(attribute: Attribute, language: usize) -> &'static str {
    static LABELS: LazyLock<Table> = LazyLock::new(|| Table::parse(include_str!("../../data/labels.tsv")));
    LABELS.rows(attribute.name(Vertical::Books))[0][language]
}
