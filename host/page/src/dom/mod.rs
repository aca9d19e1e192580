//! The tree of a page: immutable, compact, numbered in document order.

mod build;
mod cut;
mod feed;
mod guard;
mod html;
mod names;
mod parse;
mod places;
mod roles;
mod sink;
mod text;

use std::sync::OnceLock;

use url::Url;

use crate::select::Index;
use crate::{Limits, Problem};
use names::NameTable;
pub(crate) use places::{script_actions, script_places};
use roles::Role;
pub(crate) use sink::Namespace;
use sink::{TAG_DOCUMENT, TAG_TEXT};
pub(crate) use text::{Images, tidy};

/// Index of a node in document order. The root is 0, and the descendants of `n` are `n + 1` up to,
/// and not including, `end(n)`.
pub type NodeId = u32;

/// The whole tree in columns, one entry a node. The columns are what the tree itself is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// The parent of each node; the root is its own parent.
    pub parents: Vec<u32>,
    /// One past the last descendant of each node.
    pub ends: Vec<u32>,
    /// Tag of each node, as an index into `tag_names`; `#text` and `#document` for nodes that are
    /// no elements.
    pub tags: Vec<u16>,
    /// The names that `tags` points at, in lower case.
    pub tag_names: Vec<String>,
    /// The text of all text nodes in document order, as written, without what no reader sees.
    pub text: String,
    /// Start in `text` of the text of each node, in bytes; it runs up to the start of node
    /// `ends[n]`.
    pub starts: Vec<u32>,
}

/// One attribute of all elements that carry it, in columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttributeColumns {
    /// The elements, in document order.
    pub nodes: Vec<NodeId>,
    /// Their values, one behind the other.
    pub values: String,
    /// End in `values` of the value of each element, in bytes; the next begins there.
    pub ends: Vec<u32>,
}

/// A range of one of the text buffers.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    start: u32,
    end: u32,
}

impl Span {
    fn of(self, buffer: &str) -> &str {
        buffer
            .get(self.start as usize..self.end as usize)
            .unwrap_or_default()
    }
}

/// Maximum length of the base that references are resolved by. Each of them becomes as long, and
/// servers refuse longer URLs anyway.
const MAX_BASE_LEN: usize = 8 * 1024;

/// The tree of a page. A number that is no node is answered with nothing, never with a panic.
#[derive(Debug)]
pub struct Document {
    outline: Outline,
    tags: NameTable,
    attribute_names: NameTable,
    /// Effect of each tag on running text, by the tag's index.
    roles: Vec<Role>,
    /// Text of each text node: in `outline.text`, or in `hidden_text` below an invisible element.
    texts: Vec<Span>,
    hidden_text: String,
    namespaces: Vec<Namespace>,
    /// Start in `attributes` of each node's attributes; one entry more than there are nodes.
    attribute_starts: Vec<u32>,
    attributes: Vec<(u16, Span)>,
    attribute_text: String,
    base: Url,
    /// Controls and their forms as the parser paired them, in document order of the controls.
    form_owners: Vec<(NodeId, NodeId)>,
    index: OnceLock<Index>,
}

impl Document {
    /// Parses HTML that came from a URL. Never fails: what was left out is in the problems.
    pub fn parse(html: &str, url: &Url, limits: &Limits) -> (Document, Vec<Problem>) {
        let (raw, mut problems) = parse::parse(html, limits);
        let (document, more) = build::build(raw, html.len(), url.clone(), limits);
        problems.extend(more);
        // The parser and the builder both bound attributes and depth, so that the same problem can
        // come from either.
        problems.sort();
        problems.dedup_by_key(|problem| problem.code());
        (document, problems)
    }

    /// A document that shows a text as it is.
    pub(crate) fn preformatted(text: &str, url: &Url) -> Document {
        let raw = parse::preformatted(text);
        build::build(raw, text.len(), url.clone(), &Limits::default()).0
    }

    /// A document with nothing in it.
    pub fn empty(url: &Url) -> Document {
        build::build(sink::RawTree::new(0, 0), 0, url.clone(), &Limits::default()).0
    }

    /// Number of nodes.
    pub fn node_count(&self) -> u32 {
        u32::try_from(self.outline.parents.len()).unwrap_or(u32::MAX)
    }

    /// The document itself.
    pub fn root(&self) -> NodeId {
        0
    }

    /// Returns true if the document has the node.
    pub fn contains(&self, node: NodeId) -> bool {
        node < self.node_count()
    }

    /// The tag in lower case; `#text` and `#document` for what is no element.
    pub fn tag(&self, node: NodeId) -> &str {
        self.tag_number(node).map_or("", |number| self.tags.name(number))
    }

    /// Returns true if a node is an element.
    pub fn is_element(&self, node: NodeId) -> bool {
        self.tag_number(node)
            .is_some_and(|tag| tag != TAG_DOCUMENT && tag != TAG_TEXT)
    }

    /// Returns true if a node is text.
    pub fn is_text(&self, node: NodeId) -> bool {
        self.tag_number(node) == Some(TAG_TEXT)
    }

    /// An attribute as written, entities decoded, by its name in lower case.
    pub fn attribute(&self, node: NodeId, name: &str) -> Option<&str> {
        self.attribute_by_number(node, self.attribute_names.number(name)?)
    }

    /// All attributes of an element, in the order written.
    pub fn attributes(&self, node: NodeId) -> impl Iterator<Item = (&str, &str)> {
        self.attribute_slice(node)
            .iter()
            .map(|&(name, span)| (self.attribute_names.name(name), span.of(&self.attribute_text)))
    }

    /// All elements that carry an attribute, with its value, in document order.
    pub fn having(&self, name: &str) -> Vec<(NodeId, &str)> {
        let Some(number) = self.attribute_names.number(name) else {
            return Vec::new();
        };
        let nodes = self.index().with_attribute(number);
        nodes
            .iter()
            .filter_map(|&node| Some((node, self.attribute_by_number(node, number)?)))
            .collect()
    }

    /// As [`having`](Self::having), in columns.
    pub fn having_columns(&self, name: &str) -> AttributeColumns {
        let found = self.having(name);
        let mut columns = AttributeColumns {
            nodes: Vec::with_capacity(found.len()),
            values: String::with_capacity(found.iter().map(|(_, value)| value.len()).sum()),
            ends: Vec::with_capacity(found.len()),
        };
        for (node, value) in found {
            columns.nodes.push(node);
            columns.values.push_str(value);
            columns.ends.push(columns.values.len() as u32);
        }
        columns
    }

    /// The parent; none for the root.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        let parent = *self.outline.parents.get(node as usize)?;
        (node != 0).then_some(parent)
    }

    /// One past the last descendant.
    pub fn end(&self, node: NodeId) -> u32 {
        self.outline.ends.get(node as usize).copied().unwrap_or(node)
    }

    /// The child elements, without text.
    pub fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        self.child_nodes(node).filter(|&child| self.is_element(child))
    }

    /// The children, texts too.
    pub fn child_nodes(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        let end = self.end(node);
        let first = node.saturating_add(1);
        std::iter::successors((first < end).then_some(first), move |&child| {
            let next = self.end(child);
            (next < end).then_some(next)
        })
    }

    /// The parent, its parent, and so on up to the root.
    pub fn ancestors(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.parent(node), |&ancestor| self.parent(ancestor))
    }

    /// The characters of a text node, as written; of a script too. Empty for what is no text.
    pub fn raw_text(&self, node: NodeId) -> &str {
        let Some(&span) = self.texts.get(node as usize) else {
            return "";
        };
        let visible = span.of(&self.outline.text);
        // A text lies in one buffer, and the outline knows how much of it is in the visible one.
        let start = self.outline.starts[node as usize];
        let next = self.outline.starts.get(node as usize + 1).copied();
        let visible_end = next.unwrap_or(u32::try_from(self.outline.text.len()).unwrap_or(u32::MAX));
        if start < visible_end && self.is_text(node) {
            visible
        } else {
            span.of(&self.hidden_text)
        }
    }

    /// All characters of all texts in a node, as written, joined: the DOM's `textContent`.
    pub fn text_content(&self, node: NodeId) -> String {
        (node..self.end(node)).map(|inner| self.raw_text(inner)).collect()
    }

    /// Number of bytes of visible text in a node.
    pub(crate) fn text_bytes(&self, node: NodeId) -> usize {
        let start = |node: NodeId| {
            self.outline
                .starts
                .get(node as usize)
                .map(|&start| start as usize)
        };
        let end = start(self.end(node)).unwrap_or(self.outline.text.len());
        end - start(node).unwrap_or(end)
    }

    /// Number of bytes of visible text from one node to another.
    pub(crate) fn text_bytes_between(&self, from: NodeId, to: NodeId) -> usize {
        let start = |node: NodeId| self.outline.starts.get(node as usize).copied();
        let end = start(to).map_or(self.outline.text.len(), |start| start as usize);
        end.saturating_sub(start(from).map_or(end, |start| start as usize))
    }

    /// The tree in columns.
    pub fn outline(&self) -> &Outline {
        &self.outline
    }

    /// Resolves a reference to an absolute URL, by the page's URL and its `base` element. Returns
    /// `None` if it is no URL.
    pub fn resolve(&self, reference: &str) -> Option<String> {
        self.resolve_url(reference).map(String::from)
    }

    /// As `resolve`, as a URL.
    pub(crate) fn resolve_url(&self, reference: &str) -> Option<Url> {
        self.base
            .join(reference.trim_matches(|c: char| c.is_ascii_whitespace()))
            .ok()
    }

    /// Returns true if a node is an HTML element, not one of SVG or MathML.
    pub fn is_html(&self, node: NodeId) -> bool {
        self.is_element(node) && self.namespace(node) == Namespace::Html
    }

    /// The form that the parser gave a control. In tables, that form need not be an ancestor.
    pub(crate) fn form_owner(&self, control: NodeId) -> Option<NodeId> {
        let at = self
            .form_owners
            .binary_search_by_key(&control, |&(control, _)| control);
        Some(self.form_owners[at.ok()?].1)
    }

    pub(crate) fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::new(self))
    }

    pub(crate) fn tag_number(&self, node: NodeId) -> Option<u16> {
        self.outline.tags.get(node as usize).copied()
    }

    pub(crate) fn tag_number_of(&self, name: &str) -> Option<u16> {
        self.tags.number(name)
    }

    pub(crate) fn attribute_number_of(&self, name: &str) -> Option<u16> {
        self.attribute_names.number(name)
    }

    pub(crate) fn name_counts(&self) -> (usize, usize) {
        (self.tags.len(), self.attribute_names.len())
    }

    pub(crate) fn namespace(&self, node: NodeId) -> Namespace {
        self.namespaces
            .get(node as usize)
            .copied()
            .unwrap_or(Namespace::Html)
    }

    pub(crate) fn attribute_numbers(&self, node: NodeId) -> impl Iterator<Item = u16> {
        self.attribute_slice(node).iter().map(|&(name, _)| name)
    }

    pub(crate) fn attribute_by_number(&self, node: NodeId, number: u16) -> Option<&str> {
        let (_, span) = self
            .attribute_slice(node)
            .iter()
            .find(|&&(name, _)| name == number)?;
        Some(span.of(&self.attribute_text))
    }

    fn attribute_slice(&self, node: NodeId) -> &[(u16, Span)] {
        let node = node as usize;
        let range = match (
            self.attribute_starts.get(node),
            self.attribute_starts.get(node + 1),
        ) {
            (Some(&start), Some(&end)) => start as usize..end as usize,
            _ => 0..0,
        };
        &self.attributes[range]
    }

    fn role(&self, node: NodeId) -> Role {
        self.tag_number(node)
            .map_or(Role::Inline, |tag| self.roles[usize::from(tag)])
    }

    /// The first `base` element that has a usable `href` decides how references are resolved.
    fn adopt_base_element(&mut self) {
        let Some(tag) = self.tags.number("base") else {
            return;
        };
        let nodes = 0..self.node_count();
        let href = nodes
            .filter(|&node| self.tag_number(node) == Some(tag))
            .filter_map(|node| self.attribute(node, "href"))
            .find(|href| href.len() <= MAX_BASE_LEN);
        if let Some(base) = href
            .and_then(|href| self.resolve_url(href))
            .filter(|base| !base.cannot_be_a_base())
        {
            self.base = base;
        }
    }
}
