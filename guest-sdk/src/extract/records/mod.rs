//! Listings: the repeated records of a page.
//!
//! What repeats looks alike and lives alike: nodes whose own signature (tag and classes) and whose
//! nearest ancestors' are the same make a group. Groups that say much and in several parts come
//! first; whether one of them holds objects of a vertical, only the vertical can say.

mod groups;
mod rows;
mod score;
mod signature;

use std::collections::BTreeSet;

use super::layout::{Layout, Text};

/// Groups that are offered, the best ones.
const MOST_GROUPS: usize = 8;

/// Repeated records of one form.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordGroup {
    /// How much it looks like a listing: comparable within a page, from 0 to 1.
    pub score: f64,
    /// The records, in document order.
    pub rows: Vec<RecordRow>,
}

/// One of the repeated records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordRow {
    /// Its elements: mostly one; several where a record is a heading with what follows it.
    pub nodes: Vec<u32>,
    /// The nearest heading above it that is in no record: often the day of all that follow.
    pub heading: Option<Text>,
    /// Its texts, one for each element that has text of its own.
    pub texts: Vec<Text>,
    /// Its links.
    pub links: Vec<Link>,
    /// Its pictures.
    pub images: Vec<Image>,
}

/// A link in a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The reference as written; [`Page::resolve`](crate::Page::resolve) makes it absolute.
    pub href: String,
    /// Its text; empty for a picture.
    pub text: String,
    /// The element.
    pub node: u32,
}

/// A picture in a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// The reference as written.
    pub src: String,
    /// The element.
    pub node: u32,
}

impl Layout<'_> {
    /// The repeated records of a listing, the likeliest group first. Groups never overlap: the rows
    /// of a table are offered, and not its cells as well.
    pub fn records(&self) -> Vec<RecordGroup> {
        let facts = score::Facts::new(self);
        let mut scored: Vec<(f64, groups::Rows)> = (groups::all(self).into_iter())
            .filter_map(|rows| Some((score::of(self, &facts, &rows)?, rows)))
            .collect();
        scored.sort_by(|one, other| other.0.total_cmp(&one.0));
        let mut taken = BTreeSet::new();
        let mut chosen = Vec::new();
        for (score, rows) in scored {
            if chosen.len() == MOST_GROUPS {
                break;
            }
            if groups::claim(self, &rows, &mut taken) {
                chosen.push(RecordGroup {
                    score,
                    rows: rows::read(self, &rows),
                });
            }
        }
        chosen
    }
}
