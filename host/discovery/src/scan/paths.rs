//! Paths of elements: `html>body>div#main>ul.list>li>a`.
//!
//! A path names the position of a link in the *template*, so that links in the same position can be
//! recognised on all pages of a site. So indices are left out, numbers in names count as one
//! (`post-17` and `post-18` become `post-0`), words for states are dropped (`active`), and `html`
//! and `body` have no classes, which identify the page.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// A path of one page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PathId(pub(super) u32);

impl PathId {
    /// The path of what is outside the tree.
    pub(super) const ROOT: PathId = PathId(0);
}

/// Maximum number of classes per step: designs of dozens of small classes differ in the first ones
/// too.
const MAX_CLASSES: usize = 3;

/// Bytes of one name that are kept.
const MAX_NAME_LEN: usize = 32;

/// Maximum number of paths per page. Real pages have a few hundred; further elements get the path
/// of their parent.
const MAX_PATHS: usize = 20_000;

/// Initial capacity for nodes: growing step by step takes as long as finding them.
const USUAL_NODES: usize = 100;

/// Classes for the present state of an element, not for what it is.
const STATES: [&str; 16] = [
    "active", "current", "selected", "open", "opened", "closed", "first", "last", "odd", "even", "hover",
    "visited", "disabled", "visible", "hidden", "show",
];

#[derive(Clone, Debug)]
struct Node {
    parent: u32,
    hash: u64,
    /// End of the step in `steps`; it starts at the end of the one before.
    step_end: u32,
}

/// The paths of a page, each with its parent.
#[derive(Clone, Debug)]
pub(super) struct Paths {
    nodes: Vec<Node>,
    steps: String,
    /// Nodes by the hash of their path, and by the hash of parent and names as written in the
    /// source.
    known: HashMap<u64, u32, BuildHasherDefault<HashOfHash>>,
}

/// The names a step is made of, as they stand in the source.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StepNames<'a> {
    pub(super) tag: &'a [u8],
    pub(super) id: &'a [u8],
    pub(super) class: &'a [u8],
}

impl Paths {
    pub(super) fn new() -> Paths {
        Paths {
            nodes: vec![Node {
                parent: 0,
                hash: 0,
                step_end: 0,
            }],
            steps: String::new(),
            known: HashMap::with_capacity_and_hasher(USUAL_NODES, BuildHasherDefault::default()),
        }
    }

    /// The path one step below another.
    pub(super) fn child(&mut self, parent: PathId, names: StepNames<'_>) -> PathId {
        let seed = u64::from(parent.0) << 32 | (names.tag.len() as u64) << 16 | names.id.len() as u64;
        let mut raw = xxh3_64_with_seed(names.tag, seed);
        if !names.id.is_empty() || !names.class.is_empty() {
            raw = xxh3_64_with_seed(names.id, raw);
            raw = xxh3_64_with_seed(names.class, raw);
        }
        // Looked up by the names as they are written, so that a step is put together only once.
        if let Some(known) = self.known.get(&raw) {
            return PathId(*known);
        }
        if self.nodes.len() >= MAX_PATHS {
            return parent;
        }
        let step_start = self.steps.len();
        push_step(names, &mut self.steps);
        let hash = xxh3_64_with_seed(
            &self.steps.as_bytes()[step_start..],
            self.nodes[parent.0 as usize].hash,
        );
        // Different names may be the same step: `post-17` and `post-18`.
        let node = match self.known.get(&hash) {
            Some(known) => {
                self.steps.truncate(step_start);
                *known
            }
            None => {
                // Below `MAX_PATHS`, each step below a hundred and fifty bytes.
                let (node, step_end) = (self.nodes.len() as u32, self.steps.len() as u32);
                self.nodes.push(Node {
                    parent: parent.0,
                    hash,
                    step_end,
                });
                self.known.insert(hash, node);
                node
            }
        };
        self.known.insert(raw, node);
        PathId(node)
    }

    pub(super) fn hash(&self, path: PathId) -> u64 {
        self.nodes.get(path.0 as usize).map_or(0, |node| node.hash)
    }

    pub(super) fn text(&self, path: PathId) -> String {
        let mut steps = Vec::new();
        let mut at = path.0 as usize;
        while at > 0 && at < self.nodes.len() {
            let node = &self.nodes[at];
            let start = self.nodes[at - 1].step_end as usize;
            steps.push(&self.steps[start..node.step_end as usize]);
            // Parents are made before their children, so this ends.
            at = node.parent as usize;
        }
        steps.reverse();
        steps.join(">")
    }
}

fn push_step(names: StepNames<'_>, out: &mut String) {
    push_name(names.tag, false, out);
    if !names.id.is_empty() {
        out.push('#');
        push_name(names.id.trim_ascii(), true, out);
    }
    let classes = names.class.split(u8::is_ascii_whitespace);
    let lasting = classes.filter(|class| !class.is_empty() && !is_state(class));
    for class in lasting.take(MAX_CLASSES) {
        out.push('.');
        push_name(class, true, out);
    }
}

fn is_state(class: &[u8]) -> bool {
    let bare = class.strip_prefix(b"is-").unwrap_or(class);
    STATES
        .iter()
        .any(|state| bare.eq_ignore_ascii_case(state.as_bytes()))
}

/// Appends a name with signs of our own replaced and, in names that authors give, figures as one 0.
fn push_name(name: &[u8], is_given: bool, out: &mut String) {
    let mut last_was_digit = false;
    let text = String::from_utf8_lossy(&name[..name.len().min(MAX_NAME_LEN)]);
    for character in text.chars() {
        let is_digit = is_given && character.is_ascii_digit();
        match character {
            _ if is_digit && last_was_digit => {}
            _ if is_digit => out.push('0'),
            '>' | '#' | '.' | '[' | ']' => out.push('_'),
            _ if character.is_control() || character.is_whitespace() => out.push('_'),
            _ if is_given => out.push(character),
            _ => out.push(character.to_ascii_lowercase()),
        }
        last_was_digit = is_digit;
    }
}

/// The hash of a path as it is found on any page, for those who hold it as text.
pub fn path_hash(path: &str) -> u64 {
    path.split('>')
        .fold(0, |parent, step| xxh3_64_with_seed(step.as_bytes(), parent))
}

/// The keys are hashes already.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HashOfHash(u64);

impl Hasher for HashOfHash {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh3_64(bytes);
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

#[cfg(test)]
mod tests {
    use super::{PathId, Paths, StepNames, path_hash};

    fn names<'a>(tag: &'a str, id: &'a str, class: &'a str) -> StepNames<'a> {
        StepNames {
            tag: tag.as_bytes(),
            id: id.as_bytes(),
            class: class.as_bytes(),
        }
    }

    #[test]
    fn steps_name_the_template() {
        let mut paths = Paths::new();
        let check = |paths: &mut Paths, step: StepNames<'_>, expected: &str| {
            let path = paths.child(PathId::ROOT, step);
            assert_eq!(paths.text(path), expected);
            assert_eq!(paths.hash(path), path_hash(expected));
        };
        check(&mut paths, names("DIV", "", ""), "div");
        check(
            &mut paths,
            names("li", "post-17", " active  item "),
            "li#post-0.item",
        );
        check(&mut paths, names("a", "", "a b c d"), "a.a.b.c");
        check(&mut paths, names("a", "x>y.z", "is-active"), "a#x_y_z");
    }

    #[test]
    fn the_same_place_is_the_same_path() {
        let mut paths = Paths::new();
        let list = paths.child(PathId::ROOT, names("ul", "", ""));
        let one = paths.child(list, names("li", "item-1", ""));
        let two = paths.child(list, names("li", "item-22", ""));
        assert_eq!(one, two);
        let link = paths.child(one, names("a", "", ""));
        assert_eq!(paths.text(link), "ul>li#item-0>a");
        assert_eq!(paths.hash(link), path_hash("ul>li#item-0>a"));
        assert_ne!(paths.child(PathId::ROOT, names("a", "", "")), link);
    }
}
