//! Candidate groups: nodes that may be the records of one listing.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::slice;

use super::signature;
use crate::OutlineNode;
use crate::extract::Layout;

/// Minimum number of records of a listing. Two may be any pair, but short programmes exist.
const MIN_RECORDS: usize = 2;

/// Maximum number of records of a group; the rest of a longer list is dropped.
const MAX_ROWS: usize = 2_000;

/// Records of a group, each a row of sibling elements.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Rows {
    /// Each record is one element. Nearly all groups of a page are of this kind, and most are not
    /// listings.
    Single(Vec<u32>),
    /// Each record is a heading and the elements that follow it.
    Led(Vec<Vec<u32>>),
}

impl Rows {
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let (single, led): (&[u32], &[Vec<u32>]) = match self {
            Self::Single(nodes) => (nodes, &[]),
            Self::Led(rows) => (&[], rows),
        };
        let single = single.iter().map(slice::from_ref);
        single.chain(led.iter().map(Vec::as_slice))
    }

    /// Elements of all records.
    pub(super) fn nodes(&self) -> impl Iterator<Item = u32> {
        self.iter().flatten().copied()
    }

    fn order(&self, other: &Self) -> Ordering {
        self.iter().cmp(other.iter())
    }
}

/// All candidate groups of a page.
pub(super) fn all(layout: &Layout<'_>) -> Vec<Rows> {
    let own = signature::own(layout);
    let elements = layout.outline().nodes().filter(|node| node.is_element());
    let mut alike: Vec<(u64, u32)> = elements
        .map(|node| (signature::in_context(node, &own), node.id()))
        .collect();
    // Elements with equal signatures come together, still in document order.
    alike.sort_unstable();
    let alike = alike.chunk_by(|one, other| one.0 == other.0);
    let mut groups: Vec<Rows> = alike
        .filter(|group| group.len() >= MIN_RECORDS)
        .map(|group| Rows::Single(group.iter().take(MAX_ROWS).map(|(_, node)| *node).collect()))
        .collect();
    let leads = |tag: &String| matches!(tag.as_str(), "h2" | "h3" | "h4" | "h5" | "h6" | "dt");
    let leading: Vec<bool> = layout.outline().tag_names().iter().map(leads).collect();
    let parents = layout.outline().nodes();
    groups.extend(parents.filter_map(|parent| led(parent, &leading, &own)));
    // Sort by document order; the order of the signatures is arbitrary.
    groups.sort_unstable_by(Rows::order);
    groups
}

/// Finds records without a common element: each heading (or `dt`) with the elements that follow it.
/// `leading` is indexed by tag id and true for the tags of such headings.
fn led(parent: OutlineNode<'_>, leading: &[bool], own: &[u64]) -> Option<Rows> {
    let leader = parent
        .child_elements()
        .find(|child| leading[child.tag_id() as usize])
        .map(|child| own[child.id() as usize])?;
    let mut rows: Vec<Vec<u32>> = Vec::new();
    for child in parent.child_elements() {
        if own[child.id() as usize] == leader {
            if rows.len() == MAX_ROWS {
                break;
            }
            rows.push(Vec::new());
        }
        if let Some(row) = rows.last_mut() {
            row.push(child.id());
        }
    }
    // Headings with nothing between them are single elements, which form a group already.
    let followed = rows.iter().filter(|row| row.len() > 1).count();
    (rows.len() >= MIN_RECORDS && followed * 2 > rows.len()).then_some(Rows::Led(rows))
}

/// Claims the nodes of a group. Returns false if another group has claimed one of them, or a node
/// that contains or lies within one of them.
pub(super) fn claim(layout: &Layout<'_>, rows: &Rows, taken: &mut BTreeSet<u32>) -> bool {
    let outline = layout.outline();
    let is_free = |node: OutlineNode<'_>| {
        // Claimed nodes never contain one another, so only the nearest one before can contain this
        // node.
        let before = taken
            .range(..=node.id())
            .next_back()
            .and_then(|&before| outline.node(before));
        let held = before.is_some_and(|before| before.range().contains(&node.id()));
        !held && taken.range(node.range()).next().is_none()
    };
    let free = rows.nodes().filter_map(|node| outline.node(node)).all(is_free);
    if free {
        taken.extend(rows.nodes());
    }
    free
}
