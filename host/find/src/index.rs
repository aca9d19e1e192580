//! The index of a vertical, as a store reads it.

use std::ops::ControlFlow;

use magpie_model::Record;
use magpie_query::{Interval, Phrase};
use magpie_rows::ObjectRow;
use magpie_values::Timestamp;

use crate::packed::{Packed, PackedNumber};

/// Takes entries until it breaks.
pub type EachEntry<'e, T, E> = dyn FnMut(T) -> Result<ControlFlow<()>, E> + 'e;

/// Takes candidates until it breaks.
pub type EachCandidate<'e, E> = dyn FnMut(&Candidate<'_>) -> Result<ControlFlow<()>, E> + 'e;

/// The entries of the objects of a vertical. Objects are given by number; those that retired have
/// no entries.
pub trait Index {
    /// The failure to read the store.
    type Error;

    /// Estimates the number of entries of a key. It is exact if there are few.
    fn estimate(&self, key: Key<'_>) -> Result<f64, Self::Error>;

    /// Passes the objects that have an entry and are before another, the newest first.
    fn entries_before(
        &self,
        key: Key<'_>,
        before: i64,
        each: &mut EachEntry<'_, i64, Self::Error>,
    ) -> Result<(), Self::Error>;

    /// Returns those of some objects that have an entry, by number. The objects are sorted by
    /// number.
    fn with_entry(&self, key: Key<'_>, objects: &[i64]) -> Result<Vec<i64>, Self::Error>;

    /// Returns objects with a number of an attribute in an interval, in any order and perhaps
    /// twice, at most `limit`.
    fn within(&self, attribute: i64, interval: &Interval, limit: usize) -> Result<Vec<i64>, Self::Error>;

    /// Returns `true` if the index has the [names](crate::Entries::names) of objects.
    fn has_names(&self) -> Result<bool, Self::Error> {
        Ok(false)
    }

    /// Passes objects before another, the newest first: those with a part in a column of their
    /// names, and perhaps others.
    fn with_part_before(
        &self,
        _part: &Part,
        _before: i64,
        _each: &mut EachEntry<'_, i64, Self::Error>,
    ) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Passes the numbers of an attribute with their objects after a position, in their order.
    fn numbers_after(
        &self,
        attribute: i64,
        position: (f64, i64),
        is_descending: bool,
        each: &mut EachEntry<'_, (f64, i64), Self::Error>,
    ) -> Result<(), Self::Error>;

    /// Passes the objects of the vertical before another, the newest first.
    fn objects_before(
        &self,
        before: i64,
        each: &mut EachEntry<'_, i64, Self::Error>,
    ) -> Result<(), Self::Error>;

    /// Passes the candidates of the vertical before an object, the newest first.
    fn candidates_before(
        &self,
        before: i64,
        each: &mut EachCandidate<'_, Self::Error>,
    ) -> Result<(), Self::Error>;

    /// Passes the candidates among some objects, in the order of the objects.
    fn candidates(
        &self,
        objects: &[i64],
        each: &mut EachCandidate<'_, Self::Error>,
    ) -> Result<(), Self::Error>;

    /// Returns the label of each of some objects.
    fn labels(&self, objects: &[i64]) -> Result<Vec<String>, Self::Error>;

    /// Returns the record of each of some objects, with the values of some attributes at least.
    fn records(&self, objects: &[i64], attributes: &[&str]) -> Result<Vec<Record>, Self::Error>;

    /// Returns the row of each of some objects.
    fn rows(&self, objects: &[i64]) -> Result<Vec<ObjectRow>, Self::Error>;

    /// Returns the text of each of some facet values.
    fn facet_values(&self, values: &[u64]) -> Result<Vec<String>, Self::Error>;

    /// Returns `true` if an object of any vertical has a word.
    fn has_word(&self, word: &str) -> Result<bool, Self::Error>;

    /// Returns the numbers of words that have three characters in a row, the least first, at most
    /// `limit`.
    fn words_with(&self, part: &str, limit: usize) -> Result<Vec<i64>, Self::Error>;

    /// Returns those of some words that are known, in their order.
    fn words(&self, ids: &[i64]) -> Result<Vec<String>, Self::Error>;
}

/// The key by which entries are found.
#[derive(Clone, Copy, Debug)]
pub enum Key<'a> {
    /// A search for words.
    Words(&'a Words),
    /// The hash of a value or a site.
    Term(i64),
}

/// A search for words: an object has all that are wanted, of which there is at least one, and none
/// that are unwanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    pub wanted: Vec<Placed>,
    pub unwanted: Vec<Placed>,
}

/// A phrase and the text that has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    pub place: Place,
    pub phrase: Phrase,
}

/// A part of a name, of three characters or more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The column of [`Entries::names`](crate::Entries::names).
    pub column: usize,
    /// The folded characters.
    pub text: String,
}

/// A text of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Anywhere,
    Label,
    /// The values of an attribute that has a column of its own, by number.
    Column(usize),
}

impl Words {
    /// Returns the search for one phrase.
    pub(crate) fn of(place: Place, phrase: &Phrase) -> Words {
        let phrase = phrase.clone();
        Words {
            wanted: vec![Placed { place, phrase }],
            unwanted: Vec::new(),
        }
    }
}

/// An object that may be a hit.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    pub id: i64,
    /// The number of its current members.
    pub current: u64,
    pub first_seen: Timestamp,
    pub last_seen: Timestamp,
    pub changed_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    pub members: u64,
    pub packed: Packed<'a>,
}

impl Candidate<'_> {
    /// Returns the first number of an attribute.
    pub(crate) fn number(&self, attribute: u64) -> Option<PackedNumber> {
        let mut numbers = self.packed.numbers();
        numbers.find(|number| number.attribute == attribute)
    }
}
