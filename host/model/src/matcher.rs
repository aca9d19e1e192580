//! Who knows when two objects are the same: a component's clusterer, or the schema.

use crate::Object;
use serde::{Deserialize, Serialize};

/// Says which objects may be the same, how probably they are, and how to make one of several.
///
/// `compare` should not care which of two objects is the one and which is among the many; if it
/// does, the clustering depends on the order the objects come in.
pub trait Matcher {
    /// Reason why a call failed.
    type Error;

    /// Prepares each object, once in its life: one entry for each, in order.
    fn prepare(&mut self, objects: &[Object]) -> Result<Vec<Prepared>, Self::Error>;

    /// Compares one object with many by their features: a verdict for each of the many, in order.
    fn compare(&mut self, one: &[u8], many: &[&[u8]]) -> Result<Vec<Verdict>, Self::Error>;

    /// Compares pairs, in any order and any number of calls. Returns a verdict for each pair, in
    /// order, or `None` where a call returned too few.
    fn compare_pairs(&mut self, pairs: &[Pair<'_>]) -> Result<Vec<Option<Verdict>>, Self::Error> {
        let mut verdicts = Vec::with_capacity(pairs.len());
        let same = |first: &Pair<'_>, second: &Pair<'_>| std::ptr::eq(first.one, second.one);
        for call in pairs.chunk_by(same) {
            let many: Vec<&[u8]> = call.iter().map(|pair| pair.other).collect();
            let returned = self.compare(call[0].one, &many)?;
            let returned = returned.into_iter().map(Some).chain(std::iter::repeat(None));
            verdicts.extend(returned.take(call.len()));
        }
        Ok(verdicts)
    }

    /// Merges objects that are one; at least one is given.
    fn merge(&mut self, objects: &[Object]) -> Result<Merged, Self::Error>;
}

/// Two objects that are to be compared.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'f> {
    /// The features of one.
    pub one: &'f [u8],
    /// The features of the other.
    pub other: &'f [u8],
    /// The hash of the key under which they meet.
    pub key: u64,
}

/// The data of a record that are kept for comparisons.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prepared {
    /// Data that the matcher needs again. If a block of candidates is too large, its members are
    /// compared with their neighbours in the order of these bytes, so the most significant come
    /// first.
    pub features: Vec<u8>,
    /// The keys under which likely twins meet, the most telling first.
    pub keys: Vec<Key>,
}

/// Only objects that share a key are compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key {
    /// The origin of the key: `isbn`, `title+day`.
    pub scheme: String,
    /// The key itself.
    pub value: String,
}

/// The similarity of two records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The probability that they are the same.
    pub probability: f64,
    /// Reasons, for people.
    pub reasons: Vec<String>,
}

/// Instructions for merging records to one object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Merged {
    /// Label of the object in lists.
    pub label: String,
    /// The record from which each attribute is taken; other attributes come from the first record
    /// that has them.
    pub keep: Vec<Choice>,
}

/// The source of one attribute of a merged object: the attribute, and which of the objects, from 0.
pub type Choice = (String, u32);
