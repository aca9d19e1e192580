//! Which nodes may be the records of one listing.

use std::collections::{BTreeSet, HashMap};

use super::signature;
use crate::OutlineNode;
use crate::extract::Layout;

/// Records that make a listing. Two may be a pair of anything, but short programmes exist.
const FEWEST: usize = 2;

/// Records of one group; longer pages are cut off here.
const MOST_ROWS: usize = 2_000;

/// All groups of a page, each a list of rows, each row a list of sibling elements.
pub(super) fn all(layout: &Layout<'_>) -> Vec<Vec<Vec<u32>>> {
    let own = signature::own(layout);
    let hanging = signature::hanging(layout, &own);
    let mut alike: HashMap<u64, Vec<u32>> = HashMap::new();
    for node in layout.outline().nodes().filter(|node| node.is_element()) {
        let group = alike.entry(hanging[node.id() as usize]).or_default();
        if group.len() < MOST_ROWS {
            group.push(node.id());
        }
    }
    let mut groups: Vec<Vec<Vec<u32>>> = (alike.into_values())
        .filter(|nodes| nodes.len() >= FEWEST)
        .map(|nodes| nodes.into_iter().map(|node| vec![node]).collect())
        .collect();
    let leads = |tag: &String| matches!(tag.as_str(), "h2" | "h3" | "h4" | "h5" | "h6" | "dt");
    let leading: Vec<bool> = layout.outline().tag_names().iter().map(leads).collect();
    let parents = layout.outline().nodes();
    groups.extend(parents.filter_map(|parent| led(parent, &leading, &own)));
    // A hash map has no order, and the result must have one.
    groups.sort();
    groups
}

/// Records without an element of their own: each heading (or `dt`) with what follows it. For each tag of the page, by its number, it is
/// known whether it leads.
fn led(parent: OutlineNode<'_>, leading: &[bool], own: &[u64]) -> Option<Vec<Vec<u32>>> {
    let leader = parent
        .child_elements()
        .find(|child| leading[child.tag_id() as usize])
        .map(|child| own[child.id() as usize])?;
    let mut rows: Vec<Vec<u32>> = Vec::new();
    for child in parent.child_elements() {
        if own[child.id() as usize] == leader {
            if rows.len() == MOST_ROWS {
                break;
            }
            rows.push(Vec::new());
        }
        if let Some(row) = rows.last_mut() {
            row.push(child.id());
        }
    }
    let followed = rows.iter().filter(|row| row.len() > 1).count();
    (rows.len() >= FEWEST && followed * 2 > rows.len()).then_some(rows)
}

/// Takes the nodes of a group; false when another group has them, or holds or is held by them.
pub(super) fn claim(layout: &Layout<'_>, rows: &[Vec<u32>], taken: &mut BTreeSet<u32>) -> bool {
    let outline = layout.outline();
    let is_free = |node: OutlineNode<'_>| {
        // Taken nodes never hold one another, so the nearest one before is the only one that may hold this.
        let before = taken
            .range(..=node.id())
            .next_back()
            .and_then(|&before| outline.node(before));
        let held = before.is_some_and(|before| before.range().contains(&node.id()));
        !held && taken.range(node.range()).next().is_none()
    };
    let free = rows
        .iter()
        .flatten()
        .filter_map(|&node| outline.node(node))
        .all(is_free);
    if free {
        taken.extend(rows.iter().flatten());
    }
    free
}
