//! Index of a document: lists of nodes by tag, by attribute, and by class or id.

use crate::dom::{Document, NodeId};

/// Something an element can have, and be found by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// A class or an id, by its hash.
    Token(u32),
    Tag(String),
    Attribute(String),
}

/// Lists of nodes, each in document order.
#[derive(Debug)]
pub(crate) struct Index {
    tags: Postings,
    attributes: Postings,
    /// Hash of a class or id in the upper half, node in the lower half, sorted. So the nodes with
    /// one hash are a run, and those of them in a subtree a run of that.
    tokens: Vec<u64>,
    pub(super) class_name: Option<u16>,
    pub(super) id_name: Option<u16>,
    /// Previous sibling element of each node; the node itself if it has none.
    pub(super) previous: Vec<NodeId>,
}

impl Index {
    pub(crate) fn new(document: &Document) -> Index {
        let nodes = || (0..document.node_count()).filter(|&node| document.is_element(node));
        let (tag_count, attribute_count) = document.name_counts();
        let class_name = document.attribute_number_of("class");
        let id_name = document.attribute_number_of("id");
        Index {
            tags: Postings::new(tag_count, || {
                nodes().filter_map(|node| Some((document.tag_number(node)?, node)))
            }),
            attributes: Postings::new(attribute_count, || {
                nodes().flat_map(|node| document.attribute_numbers(node).map(move |name| (name, node)))
            }),
            tokens: tokens(document, class_name, id_name),
            class_name,
            id_name,
            previous: previous_siblings(document),
        }
    }

    /// The elements that carry an attribute.
    pub(crate) fn with_attribute(&self, name: u16) -> &[NodeId] {
        self.attributes.of(name)
    }

    /// The elements in `range` that may have a key: all that have it, and rarely one that does not.
    pub(super) fn candidates(
        &self,
        document: &Document,
        key: &Key,
        range: (NodeId, NodeId),
    ) -> Candidates<'_> {
        match key {
            Key::Token(hash) => {
                let from = self.tokens.partition_point(|&token| token < pack(*hash, range.0));
                let to = self.tokens.partition_point(|&token| token < pack(*hash, range.1));
                Candidates::Tokens(&self.tokens[from..to.max(from)])
            }
            Key::Tag(name) => {
                let list = document
                    .tag_number_of(name)
                    .map_or(&[][..], |tag| self.tags.of(tag));
                Candidates::Nodes(part(list, range))
            }
            Key::Attribute(name) => {
                let list = document
                    .attribute_number_of(name)
                    .map_or(&[][..], |name| self.attributes.of(name));
                Candidates::Nodes(part(list, range))
            }
        }
    }
}

/// A run of one of the lists.
#[derive(Clone, Copy)]
pub(super) enum Candidates<'a> {
    Tokens(&'a [u64]),
    Nodes(&'a [NodeId]),
}

impl Candidates<'_> {
    pub(super) fn len(&self) -> usize {
        match self {
            Candidates::Tokens(list) => list.len(),
            Candidates::Nodes(list) => list.len(),
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "the node is the lower half")]
    pub(super) fn get(&self, at: usize) -> Option<NodeId> {
        match self {
            Candidates::Tokens(list) => list.get(at).map(|&token| token as NodeId),
            Candidates::Nodes(list) => list.get(at).copied(),
        }
    }
}

/// Lists of nodes by a small number, one after another in one piece of memory.
#[derive(Debug)]
struct Postings {
    starts: Vec<u32>,
    nodes: Vec<NodeId>,
}

impl Postings {
    fn new<I: Iterator<Item = (u16, NodeId)>>(numbers: usize, entries: impl Fn() -> I) -> Postings {
        // Two passes, one to count and one to place, need one allocation for all lists instead of
        // one for each.
        let mut starts = vec![0_u32; numbers + 1];
        for (number, _) in entries() {
            starts[usize::from(number) + 1] += 1;
        }
        for number in 0..numbers {
            starts[number + 1] += starts[number];
        }
        let mut next = starts.clone();
        let mut nodes = vec![0; starts[numbers] as usize];
        for (number, node) in entries() {
            let slot = &mut next[usize::from(number)];
            nodes[*slot as usize] = node;
            *slot += 1;
        }
        Postings { starts, nodes }
    }

    fn of(&self, number: u16) -> &[NodeId] {
        let number = usize::from(number);
        match (self.starts.get(number), self.starts.get(number + 1)) {
            (Some(&start), Some(&end)) => &self.nodes[start as usize..end as usize],
            _ => &[],
        }
    }
}

fn part(list: &[NodeId], range: (NodeId, NodeId)) -> &[NodeId] {
    let from = list.partition_point(|&node| node < range.0);
    let to = list.partition_point(|&node| node < range.1);
    &list[from..to.max(from)]
}

fn pack(hash: u32, node: NodeId) -> u64 {
    u64::from(hash) << 32 | u64::from(node)
}

fn tokens(document: &Document, class_name: Option<u16>, id_name: Option<u16>) -> Vec<u64> {
    let mut tokens = Vec::new();
    for node in 0..document.node_count() {
        if let Some(classes) = class_name.and_then(|name| document.attribute_by_number(node, name)) {
            let hashes = classes
                .split_ascii_whitespace()
                .map(|class| token_hash(b'.', class));
            tokens.extend(hashes.map(|hash| pack(hash, node)));
        }
        if let Some(id) = id_name.and_then(|name| document.attribute_by_number(node, name)) {
            tokens.push(pack(token_hash(b'#', id), node));
        }
    }
    tokens.sort_unstable();
    tokens.dedup();
    tokens
}

fn previous_siblings(document: &Document) -> Vec<NodeId> {
    let count = document.node_count();
    let mut previous: Vec<NodeId> = (0..count).collect();
    // The last element child seen of each node so far.
    let mut last: Vec<NodeId> = (0..count).collect();
    for node in (1..count).filter(|&node| document.is_element(node)) {
        let parent = document.parent(node).unwrap_or(0) as usize;
        if last[parent] != parent as NodeId {
            previous[node as usize] = last[parent];
        }
        last[parent] = node;
    }
    previous
}

/// A hash of a name, apart for each kind (FNV-1a). Different names with one hash only cost a
/// comparison.
pub(super) fn token_hash(kind: u8, text: &str) -> u32 {
    let start = (0x811c_9dc5_u32 ^ u32::from(kind)).wrapping_mul(0x0100_0193);
    text.bytes().fold(start, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}
