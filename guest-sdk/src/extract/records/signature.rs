//! Signatures of elements: their tag and classes.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use crate::OutlineNode;
use crate::extract::Layout;

/// Number of ancestors whose signatures must be equal too. Fewer would mix the lists of navigation
/// and content; more would split lists whose wrappers have different names.
const ANCESTORS: usize = 3;

/// Maximum number of classes of an element to examine.
const MAX_CLASSES: usize = 8;

/// Classes that distinguish the rows of one listing but not their types.
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

/// Signature of each node, by its tag and classes; 0 for text.
pub(super) fn own(layout: &Layout<'_>) -> Vec<u64> {
    let hashes = layout.per_class(hash_classes);
    let without = hash_classes("");
    let nodes = layout.outline().nodes();
    nodes
        .map(|node| {
            if !node.is_element() {
                return 0;
            }
            let hash = *hashes.get(node.id()).unwrap_or(&without);
            combined([u64::from(node.tag_id()), hash])
        })
        .collect()
}

/// Signature of an element with its depth and nearest ancestors.
pub(super) fn in_context(node: OutlineNode<'_>, own: &[u64]) -> u64 {
    let itself = [own[node.id() as usize], u64::from(node.depth())];
    let around = node.ancestors().take(ANCESTORS);
    let around = around.map(|ancestor| own[ancestor.id() as usize]);
    combined(itself.into_iter().chain(around))
}

/// Combines numbers to a hash that depends on their order. An author who constructs a collision
/// only gets two lists of the same page treated as one.
fn combined(hashes: impl IntoIterator<Item = u64>) -> u64 {
    /// Multiplier from the golden ratio.
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let combined = hashes.into_iter().fold(ODD, |combined, hash| {
        let combined = (combined ^ hash).wrapping_mul(ODD);
        combined ^ combined >> 32
    });
    // Zero is reserved for text.
    combined.max(1)
}

/// Hash of the classes in an attribute, in any order.
fn hash_classes(attribute: &str) -> u64 {
    let mut classes = classes(attribute);
    classes.sort_unstable();
    let mut hasher = DefaultHasher::new();
    classes.hash(&mut hasher);
    hasher.finish()
}

/// Classes that describe the type of an element, without digits (`post-1204`) and states.
fn classes(attribute: &str) -> Vec<String> {
    let classes = attribute.split_ascii_whitespace().take(MAX_CLASSES);
    let plain = classes.map(|class| {
        class
            .chars()
            .filter(|character| !character.is_ascii_digit())
            .collect::<String>()
    });
    plain
        .filter(|class| !class.is_empty() && !STATES.contains(&class.as_str()))
        .collect()
}
