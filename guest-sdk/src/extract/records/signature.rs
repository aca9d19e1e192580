//! What makes two elements alike: tag and classes.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use crate::OutlineNode;
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
    let numbers = layout.per_class(number_of);
    let without = number_of("");
    let nodes = layout.outline().nodes();
    nodes
        .map(|node| {
            if !node.is_element() {
                return 0;
            }
            let number = *numbers.get(node.id()).unwrap_or(&without);
            mixed([u64::from(node.tag_id()), number])
        })
        .collect()
}

/// A number that is the same for elements that are alike and hang alike.
pub(super) fn hanging(node: OutlineNode<'_>, own: &[u64]) -> u64 {
    let itself = [own[node.id() as usize], u64::from(node.depth())];
    let around = node.ancestors().take(ANCESTORS);
    let around = around.map(|ancestor| own[ancestor.id() as usize]);
    mixed(itself.into_iter().chain(around))
}

/// A number for numbers in this order. Who makes a page on which two such numbers are equal has two of its own lists taken for one.
fn mixed(numbers: impl IntoIterator<Item = u64>) -> u64 {
    /// The multiplier of the golden ratio.
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mixed = numbers.into_iter().fold(ODD, |mixed, number| {
        let mixed = (mixed ^ number).wrapping_mul(ODD);
        mixed ^ mixed >> 32
    });
    // Zero is for text.
    mixed.max(1)
}

/// The number of the classes in an attribute, whatever their order.
fn number_of(attribute: &str) -> u64 {
    let mut classes = classes(attribute);
    classes.sort_unstable();
    let mut hasher = DefaultHasher::new();
    classes.hash(&mut hasher);
    hasher.finish()
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
