//! Listings: the repeated records of a page.
//!
//! Repeated elements have the same look and the same context. So nodes form a group if their own
//! signature (tag and classes) and those of their nearest ancestors are equal. Groups with much
//! text in several parts come first. Only the vertical can tell if a group holds its objects.

mod groups;
mod rows;
mod score;
mod signature;

use std::collections::BTreeSet;

use super::layout::{Layout, Text};

/// Maximum number of groups to return, the best ones.
const MAX_GROUPS: usize = 8;

/// A group of repeated records with the same form.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordGroup {
    /// Score of the group as a listing, from 0 to 1; comparable within a page.
    pub score: f64,
    /// Records, in document order.
    pub rows: Vec<RecordRow>,
}

/// One of the repeated records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordRow {
    /// Elements of the record: mostly one, several if it is a heading with following elements.
    pub nodes: Vec<u32>,
    /// Nearest heading above the record and outside of all records: often the day of all records
    /// below.
    pub heading: Option<Text>,
    /// Texts, one for each element with text of its own.
    pub texts: Vec<Text>,
    /// Links of the record.
    pub links: Vec<Link>,
    /// Pictures of the record.
    pub images: Vec<Image>,
}

/// A link in a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The reference as written; [`Page::resolve`](crate::Page::resolve) makes it absolute.
    pub href: String,
    /// Text of the link; empty for a picture.
    pub text: String,
    /// Element of the link.
    pub node: u32,
}

/// A picture in a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// The reference as written.
    pub src: String,
    /// Element of the picture.
    pub node: u32,
}

impl Layout<'_> {
    /// Groups of repeated records, the likeliest listing first. Groups never overlap: the rows of a
    /// table form a group, and its cells do not form another.
    pub fn records(&self) -> Vec<RecordGroup> {
        let facts = score::Facts::new(self);
        let mut scored: Vec<(f64, groups::Rows)> = (groups::all(self).into_iter())
            .filter_map(|rows| Some((score::of(self, &facts, &rows)?, rows)))
            .collect();
        scored.sort_by(|one, other| other.0.total_cmp(&one.0));
        let mut taken = BTreeSet::new();
        let mut chosen = Vec::new();
        for (score, rows) in scored {
            if chosen.len() == MAX_GROUPS {
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
