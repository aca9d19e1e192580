//! What makes two elements alike: tag and classes.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use crate::extract::Layout;

/// Ancestors that must be alike too. Fewer mix the lists of navigation and content; more tear lists
/// apart that hang in differently named wrappers.
const ANCESTORS: usize = 3;

/// Classes of an element that are looked at.
const MOST_CLASSES: usize = 8;

/// Classes that tell rows of one listing apart rather than what they are.
const STATES: [&str; 10] = [
    "odd",
    "even",
    "first",
    "last",
    "active",
    "alt",
    "current",
    "selected",
    "hidden",
    "highlight",
];

/// For each node a number that is the same for nodes that are alike by themselves; 0 for text.
pub(super) fn own(layout: &Layout<'_>) -> Vec<u64> {
    let nodes = layout.outline().nodes();
    nodes
        .map(|node| {
            if !node.is_element() {
                return 0;
            }
            let mut hasher = DefaultHasher::new();
            node.tag_id().hash(&mut hasher);
            let mut classes = layout.class(node.id()).map(classes).unwrap_or_default();
            classes.sort_unstable();
            classes.hash(&mut hasher);
            hasher.finish()
        })
        .collect()
}

/// For each node a number that is the same for nodes that are alike and hang alike.
pub(super) fn hanging(layout: &Layout<'_>, own: &[u64]) -> Vec<u64> {
    let nodes = layout.outline().nodes();
    nodes
        .map(|node| {
            let mut hasher = DefaultHasher::new();
            own[node.id() as usize].hash(&mut hasher);
            node.depth().hash(&mut hasher);
            for ancestor in node.ancestors().take(ANCESTORS) {
                own[ancestor.id() as usize].hash(&mut hasher);
            }
            hasher.finish()
        })
        .collect()
}

/// The classes that say what an element is: without numbers (`post-1204`) and states.
fn classes(attribute: &str) -> Vec<String> {
    let classes = attribute.split_ascii_whitespace().take(MOST_CLASSES);
    let plain = classes.map(|class| {
        class
            .chars()
            .filter(|letter| !letter.is_ascii_digit())
            .collect::<String>()
    });
    plain
        .filter(|class| !class.is_empty() && !STATES.contains(&class.as_str()))
        .collect()
}
