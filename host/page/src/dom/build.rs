//! From the raw tree to the compact one: nodes numbered in document order, names and text in
//! tables.

use std::collections::HashMap;

use url::Url;

use super::names::NameTable;
use super::roles::{Role, role_of};
use super::sink::{NONE, Namespace, RawAttribute, RawKind, RawNode, RawTree, TAG_DOCUMENT, TAG_TEXT};
use super::{Document, NodeId, Outline, Span};
use crate::{Limits, Problem};

/// Attribute text kept beside what the source holds once: html5ever repeats a formatting element
/// with all its attributes wherever it was left open, so that one long attribute could be kept a
/// million times.
const ATTRIBUTE_BYTES_FLOOR: usize = 1024 * 1024;

/// Builds the tree. `source_bytes` is the length of the text it was parsed from.
pub(crate) fn build(
    raw: RawTree,
    source_bytes: usize,
    base: Url,
    limits: &Limits,
) -> (Document, Vec<Problem>) {
    let mut builder = Builder::new(&raw, source_bytes, limits);
    builder.run(&raw);
    let problems = builder.problems();
    (
        builder.finish(raw.tags.into_inner(), raw.attribute_names.into_inner(), base),
        problems,
    )
}

struct Builder {
    outline: Outline,
    texts: Vec<Span>,
    hidden_text: String,
    namespaces: Vec<Namespace>,
    attribute_starts: Vec<u32>,
    attributes: Vec<(u16, Span)>,
    attribute_text: String,
    roles: Vec<Role>,
    attribute_bytes_left: usize,
    /// Open nodes of the new tree: their number, and the raw node where they end.
    open: Vec<(NodeId, u32)>,
    /// Number of open elements that are invisible.
    invisible: u32,
    max_depth: usize,
    too_deep: bool,
    too_many_attributes: bool,
    /// Controls with the raw node of the form that the parser gave them.
    owned: Vec<(NodeId, u32)>,
    /// Forms by their raw node.
    forms: HashMap<u32, NodeId>,
}

impl Builder {
    fn new(raw: &RawTree, source_bytes: usize, limits: &Limits) -> Builder {
        let count = raw.len();
        let tags = raw.tags.borrow();
        Builder {
            outline: Outline {
                parents: Vec::with_capacity(count),
                ends: Vec::with_capacity(count),
                tags: Vec::with_capacity(count),
                tag_names: tags.all().to_vec(),
                text: String::new(),
                starts: Vec::with_capacity(count),
            },
            texts: Vec::with_capacity(count),
            hidden_text: String::new(),
            namespaces: Vec::with_capacity(count),
            attribute_starts: Vec::with_capacity(count + 1),
            attributes: Vec::new(),
            attribute_text: String::new(),
            roles: tags.all().iter().map(|name| role_of(name)).collect(),
            attribute_bytes_left: source_bytes
                .saturating_mul(2)
                .saturating_add(ATTRIBUTE_BYTES_FLOOR),
            open: Vec::new(),
            invisible: 0,
            // Moving elements about, as the rules for tables and formatting do, can nest them
            // deeper than they were opened.
            max_depth: limits.max_depth.saturating_mul(2),
            too_deep: false,
            too_many_attributes: false,
            owned: Vec::new(),
            forms: HashMap::new(),
        }
    }

    /// Walks the raw tree along its links, without recursion: the depth is the page's choice.
    fn run(&mut self, raw: &RawTree) {
        let nodes: &[RawNode] = &raw.nodes.borrow();
        let attributes: &[RawAttribute] = &raw.attributes.borrow();
        let mut at = 0_u32;
        loop {
            let node = &nodes[at as usize];
            let id = self.next_id();
            let descend = self.enter(at, node, attributes);
            self.note_form(id, at, raw);
            if descend && node.first_child != NONE {
                at = node.first_child;
                continue;
            }
            let mut leaving = at;
            loop {
                self.leave(leaving);
                let left = &nodes[leaving as usize];
                if leaving == 0 {
                    return;
                }
                if left.next != NONE {
                    at = left.next;
                    break;
                }
                leaving = left.parent;
            }
        }
    }

    /// Adds a node; whether its children are wanted.
    fn enter(&mut self, raw_id: u32, node: &RawNode, all: &[RawAttribute]) -> bool {
        match &node.kind {
            RawKind::Document => {
                self.add(TAG_DOCUMENT, Namespace::Html, &[]);
                self.open.push((0, raw_id));
                true
            }
            RawKind::Text(text) => {
                self.add_text(text);
                false
            }
            RawKind::Comment => false,
            RawKind::Element {
                tag,
                namespace,
                attributes,
            } => {
                let id = self.add(*tag, *namespace, &all[attributes.clone()]);
                // The element itself is kept but not opened, so that its children become its
                // siblings and their text stays. What it hides stays hidden: its children are left
                // out.
                if self.open.len() >= self.max_depth {
                    self.too_deep = true;
                    return !self.is_invisible(id);
                }
                self.open.push((id, raw_id));
                self.invisible += u32::from(self.is_invisible(id));
                // The content of a template is no part of the page until a script copies it.
                self.outline.tag_names[usize::from(*tag)] != "template"
            }
        }
    }

    fn leave(&mut self, raw_id: u32) {
        if let Some(&(id, open_raw)) = self.open.last()
            && open_raw == raw_id
        {
            self.open.pop();
            self.invisible -= u32::from(self.is_invisible(id));
            self.outline.ends[id as usize] = self.next_id();
        }
    }

    fn is_invisible(&self, id: NodeId) -> bool {
        self.roles[usize::from(self.outline.tags[id as usize])] == Role::Invisible
    }

    /// Notes a form, or a control that the parser gave a form.
    fn note_form(&mut self, id: NodeId, raw_id: u32, raw: &RawTree) {
        let Some(&tag) = self.outline.tags.get(id as usize) else {
            return;
        };
        if self.outline.tag_names[usize::from(tag)] == "form" {
            self.forms.insert(raw_id, id);
        } else if tag != TAG_TEXT
            && let Some(form) = raw.form_owner(raw_id)
        {
            self.owned.push((id, form));
        }
    }

    fn next_id(&self) -> NodeId {
        // The raw tree numbers its nodes with u32 and has more of them.
        u32::try_from(self.outline.parents.len()).unwrap_or(NONE)
    }

    fn add(&mut self, tag: u16, namespace: Namespace, attributes: &[RawAttribute]) -> NodeId {
        let id = self.next_id();
        self.outline
            .parents
            .push(self.open.last().map_or(0, |open| open.0));
        self.outline.ends.push(id + 1);
        self.outline.tags.push(tag);
        self.outline.starts.push(offset(&self.outline.text));
        self.texts.push(Span::default());
        self.namespaces.push(namespace);
        self.attribute_starts
            .push(u32::try_from(self.attributes.len()).unwrap_or(NONE));
        for attribute in attributes {
            self.add_attribute(attribute);
        }
        id
    }

    fn add_attribute(&mut self, attribute: &RawAttribute) {
        // The element keeps its other attributes: the shorter ones that follow may still fit.
        let Some(left) = self.attribute_bytes_left.checked_sub(attribute.value.len()) else {
            self.too_many_attributes = true;
            return;
        };
        self.attribute_bytes_left = left;
        let span = push(&mut self.attribute_text, &attribute.value);
        self.attributes.push((attribute.name, span));
    }

    fn add_text(&mut self, text: &str) {
        let parent = self.open.last().map_or(0, |open| open.0);
        // A comment between two texts is gone, so they become one.
        let last = self.outline.tags.len() - 1;
        let merge = self.outline.tags[last] == TAG_TEXT && self.outline.parents[last] == parent;
        let id = if merge {
            last
        } else {
            self.add(TAG_TEXT, Namespace::Html, &[]) as usize
        };
        // Scripts and styles are kept apart so that the visible text of any subtree is one slice of
        // `outline.text`.
        let buffer = if self.invisible > 0 {
            &mut self.hidden_text
        } else {
            &mut self.outline.text
        };
        let span = push(buffer, text);
        let start = if merge { self.texts[id].start } else { span.start };
        self.texts[id] = Span { start, end: span.end };
    }

    fn problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        if self.too_deep {
            problems.push(Problem::TooDeep {
                limit: self.max_depth,
            });
        }
        if self.too_many_attributes {
            problems.push(Problem::TooManyAttributes);
        }
        problems
    }

    fn finish(mut self, tags: NameTable, attribute_names: NameTable, base: Url) -> Document {
        self.attribute_starts
            .push(u32::try_from(self.attributes.len()).unwrap_or(NONE));
        let owner = |(control, form): (NodeId, u32)| Some((control, *self.forms.get(&form)?));
        let mut document = Document {
            form_owners: self.owned.into_iter().filter_map(owner).collect(),
            outline: self.outline,
            tags,
            attribute_names,
            roles: self.roles,
            texts: self.texts,
            hidden_text: self.hidden_text,
            namespaces: self.namespaces,
            attribute_starts: self.attribute_starts,
            attributes: self.attributes,
            attribute_text: self.attribute_text,
            base,
            index: std::sync::OnceLock::new(),
        };
        // Last, because it searches the finished tree.
        document.adopt_base_element();
        document
    }
}

fn push(buffer: &mut String, text: &str) -> Span {
    let start = offset(buffer);
    buffer.push_str(text);
    Span {
        start,
        end: offset(buffer),
    }
}

/// Texts are bounded by twice the largest source and a floor, far below what u32 can count.
fn offset(buffer: &str) -> u32 {
    u32::try_from(buffer.len()).unwrap_or(NONE)
}
