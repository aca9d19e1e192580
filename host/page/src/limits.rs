//! Limits on the reading of a page. Every number bounds work or memory that a hostile page could
//! ask for.

/// The bounds for one page. `Limits::default()` is what browsers and search engines roughly take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the body that are decoded; the rest is left out.
    pub max_source_bytes: usize,
    /// Nodes of the tree. Parsing stops at the node after the last.
    pub max_nodes: usize,
    /// Elements inside one another. Deeper tags are left out, their text is kept.
    pub max_depth: usize,
    /// Attributes of one element. Further ones are left out.
    pub max_attributes: usize,
    /// Steps the tree builder may spend on walking its open elements.
    pub max_tree_work: u64,
    /// Entities of structured data, nested ones counted too.
    pub max_structured_items: usize,
    /// Bytes of text in structured data, over all entities.
    pub max_structured_bytes: usize,
    /// Entities inside one another.
    pub max_structured_depth: usize,
}

/// The longest pages worth reading are about a megabyte of HTML; ten times that is a listing that
/// forgot to page. The slowest markup, all entities or all NUL characters, takes about a second of
/// this.
const MAX_SOURCE_BYTES: usize = 10 * 1024 * 1024;

/// Real pages stay below fifty thousand nodes. A node costs about fifty bytes here.
const MAX_NODES: usize = 1_000_000;

/// The depth at which Chromium and WebKit stop nesting.
const MAX_DEPTH: usize = 512;

/// The tokeniser compares each new attribute with all before it, so the number enters squared.
const MAX_ATTRIBUTES: usize = 256;

/// About a second. A page of a megabyte takes about five million steps.
const MAX_TREE_WORK: u64 = 200_000_000;

/// A listing of a thousand products with offers, ratings and brands has about five thousand
/// entities.
const MAX_STRUCTURED_ITEMS: usize = 20_000;

/// Structured data is copied into the 64 MiB of a plugin's memory; this limit leaves it room to
/// work.
const MAX_STRUCTURED_BYTES: usize = 8 * 1024 * 1024;

/// Readers recurse over entities and `serde_json` over values; real data nests below ten.
const MAX_STRUCTURED_DEPTH: usize = 24;

impl Default for Limits {
    fn default() -> Self {
        Limits {
            max_source_bytes: MAX_SOURCE_BYTES,
            max_nodes: MAX_NODES,
            max_depth: MAX_DEPTH,
            max_attributes: MAX_ATTRIBUTES,
            max_tree_work: MAX_TREE_WORK,
            max_structured_items: MAX_STRUCTURED_ITEMS,
            max_structured_bytes: MAX_STRUCTURED_BYTES,
            max_structured_depth: MAX_STRUCTURED_DEPTH,
        }
    }
}
