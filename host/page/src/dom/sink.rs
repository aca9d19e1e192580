//! The tree while html5ever builds it: linked siblings, because the HTML rules move nodes about.
//!
//! `build` turns it into the compact tree that everybody else sees.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::ops::Range;
use std::rc::Rc;

use html5ever::tendril::StrTendril;
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::{Attribute, QualName, local_name, ns};
use precomputed_hash::PrecomputedHash;

use super::names::NameTable;

/// "No node" in the links below.
pub(crate) const NONE: u32 = u32::MAX;

/// The number of `#document`.
pub(crate) const TAG_DOCUMENT: u16 = 0;
/// The number of `#text`.
pub(crate) const TAG_TEXT: u16 = 1;
/// The number of the name for elements whose own name has no number left.
pub(crate) const TAG_OTHER: u16 = 2;

/// The vocabulary an element belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Namespace {
    Html,
    Svg,
    MathMl,
}

#[derive(Debug)]
pub(crate) enum RawKind {
    Document,
    Element {
        tag: u16,
        namespace: Namespace,
        /// Range of its attributes among those of the tree.
        attributes: Range<usize>,
    },
    Text(StrTendril),
    /// Comments and processing instructions: placed, because html5ever places them, and then
    /// dropped.
    Comment,
}

#[derive(Clone, Debug)]
pub(crate) struct RawAttribute {
    pub(crate) name: u16,
    pub(crate) value: StrTendril,
}

#[derive(Debug)]
pub(crate) struct RawNode {
    pub(crate) kind: RawKind,
    pub(crate) parent: u32,
    pub(crate) first_child: u32,
    pub(crate) last_child: u32,
    pub(crate) previous: u32,
    pub(crate) next: u32,
}

/// A node as html5ever holds it. The name lies outside the tree so that it can be lent while the
/// tree changes.
#[derive(Clone, Debug)]
pub(crate) struct Handle {
    pub(crate) id: u32,
    name: Rc<QualName>,
}

/// The tree under construction.
#[derive(Debug)]
pub(crate) struct RawTree {
    pub(crate) nodes: RefCell<Vec<RawNode>>,
    /// The attributes of all elements, those of each together.
    pub(crate) attributes: RefCell<Vec<RawAttribute>>,
    pub(crate) tags: RefCell<NameTable>,
    pub(crate) attribute_names: RefCell<NameTable>,
    recent_tags: RefCell<Recent>,
    recent_attribute_names: RefCell<Recent>,
    pub(crate) too_many_names: Cell<bool>,
    pub(crate) too_many_attributes: Cell<bool>,
    attributes_left: Cell<usize>,
    /// Maximum number of attributes of one element.
    max_attributes: usize,
    /// Elements of MathML whose content is HTML. Kept apart, because hardly any page has one.
    integration_points: RefCell<HashSet<u32>>,
    /// Controls and the form that the parser gave each, in the order of the controls' numbers.
    form_owners: RefCell<Vec<(u32, u32)>>,
    document_name: Rc<QualName>,
}

impl RawTree {
    /// An empty tree with a maximum number of attributes, in all and for one element.
    pub(crate) fn new(attributes: usize, max_attributes: usize) -> RawTree {
        let mut tags = NameTable::default();
        for name in ["#document", "#text", "#other"] {
            tags.intern(name);
        }
        RawTree {
            nodes: RefCell::new(vec![RawNode::new(RawKind::Document)]),
            attributes: RefCell::default(),
            tags: RefCell::new(tags),
            attribute_names: RefCell::default(),
            recent_tags: RefCell::default(),
            recent_attribute_names: RefCell::default(),
            too_many_names: Cell::new(false),
            too_many_attributes: Cell::new(false),
            attributes_left: Cell::new(attributes),
            max_attributes,
            integration_points: RefCell::default(),
            form_owners: RefCell::default(),
            document_name: Rc::new(QualName::new(None, ns!(), local_name!(""))),
        }
    }

    /// The form that the parser gave a control, wherever the two are in the tree.
    pub(crate) fn form_owner(&self, control: u32) -> Option<u32> {
        let owners = self.form_owners.borrow();
        let at = owners.binary_search_by_key(&control, |&(control, _)| control);
        Some(owners[at.ok()?].1)
    }

    /// Number of nodes made so far.
    pub(crate) fn len(&self) -> usize {
        self.nodes.borrow().len()
    }

    fn add(&self, kind: RawKind) -> u32 {
        let mut nodes = self.nodes.borrow_mut();
        // The guard stops far below, so the number always fits.
        let id = u32::try_from(nodes.len()).unwrap_or(NONE);
        nodes.push(RawNode::new(kind));
        id
    }

    /// Adds attributes to those of the tree, as many as it may still have. Where they stand there.
    fn number_attributes(&self, attributes: Vec<Attribute>) -> Range<usize> {
        let left = self.attributes_left.get();
        if attributes.len() > left {
            self.too_many_attributes.set(true);
        }
        let mut names = self.attribute_names.borrow_mut();
        let mut recent = self.recent_attribute_names.borrow_mut();
        let mut all = self.attributes.borrow_mut();
        let start = all.len();
        for attribute in attributes.into_iter().take(left) {
            match recent.number(&attribute.name, &mut names) {
                Some(name) => all.push(RawAttribute {
                    name,
                    value: attribute.value,
                }),
                None => self.too_many_names.set(true),
            }
        }
        self.attributes_left.set(left - (all.len() - start));
        start..all.len()
    }

    /// The text node before a place, when text put there should be merged into it.
    fn merge_text(nodes: &mut [RawNode], before: u32, text: &StrTendril) -> bool {
        match nodes.get_mut(before as usize) {
            Some(RawNode {
                kind: RawKind::Text(old),
                ..
            }) => {
                old.push_tendril(text);
                true
            }
            _ => false,
        }
    }

    fn place_text(&self, before: u32, text: StrTendril) -> Option<u32> {
        if Self::merge_text(&mut self.nodes.borrow_mut(), before, &text) {
            return None;
        }
        Some(self.add(RawKind::Text(text)))
    }

    fn detach(nodes: &mut [RawNode], id: u32) {
        let RawNode {
            parent,
            previous,
            next,
            ..
        } = nodes[id as usize];
        if parent == NONE {
            return;
        }
        match previous {
            NONE => nodes[parent as usize].first_child = next,
            _ => nodes[previous as usize].next = next,
        }
        match next {
            NONE => nodes[parent as usize].last_child = previous,
            _ => nodes[next as usize].previous = previous,
        }
        let node = &mut nodes[id as usize];
        (node.parent, node.previous, node.next) = (NONE, NONE, NONE);
    }

    fn attach_last(&self, parent: u32, id: u32) {
        let nodes = &mut *self.nodes.borrow_mut();
        // `reparent_children` passes nodes that are still attached.
        Self::detach(nodes, id);
        let last = nodes[parent as usize].last_child;
        match last {
            NONE => nodes[parent as usize].first_child = id,
            _ => nodes[last as usize].next = id,
        }
        nodes[parent as usize].last_child = id;
        let node = &mut nodes[id as usize];
        (node.parent, node.previous) = (parent, last);
    }

    fn attach_before(&self, sibling: u32, id: u32) {
        let nodes = &mut *self.nodes.borrow_mut();
        Self::detach(nodes, id);
        let RawNode { parent, previous, .. } = nodes[sibling as usize];
        if parent == NONE {
            return;
        }
        match previous {
            NONE => nodes[parent as usize].first_child = id,
            _ => nodes[previous as usize].next = id,
        }
        nodes[sibling as usize].previous = id;
        let node = &mut nodes[id as usize];
        (node.parent, node.previous, node.next) = (parent, previous, sibling);
    }

    fn unnamed(&self, id: u32) -> Handle {
        Handle {
            id,
            name: Rc::clone(&self.document_name),
        }
    }
}

impl RawNode {
    fn new(kind: RawKind) -> RawNode {
        RawNode {
            kind,
            parent: NONE,
            first_child: NONE,
            last_child: NONE,
            previous: NONE,
            next: NONE,
        }
    }
}

/// Cache of the indices of recently used names, each at one of several slots given by its hash. A
/// page has few names, and every element and attribute needs a look-up.
#[derive(Debug)]
struct Recent([Option<(Rc<QualName>, u16)>; RECENT]);

/// Names whose numbers are at hand.
const RECENT: usize = 64;

/// Slots of a name. With a single slot, two names with the same slot would evict each other all the
/// time.
const PLACES: usize = 4;

impl Default for Recent {
    fn default() -> Self {
        Recent([const { None }; RECENT])
    }
}

impl Recent {
    /// The number of a name; none when all numbers are taken.
    fn number(&mut self, name: &QualName, numbers: &mut NameTable) -> Option<u16> {
        // The slots compare local names only, so that a prefixed name must not enter them.
        if name.prefix.is_some() {
            return numbers.intern(&written_name(name));
        }
        let places = self.places(name);
        let known = places
            .iter()
            .flatten()
            .find(|(known, _)| known.local == name.local);
        if let Some((_, number)) = known {
            return Some(*number);
        }
        let number = numbers.intern(&written_name(name))?;
        places.rotate_right(1);
        places[0] = Some((Rc::new(name.clone()), number));
        Some(number)
    }

    /// The name as it is shared by those who had it lately.
    fn shared(&mut self, name: QualName) -> Rc<QualName> {
        let known = self.places(&name).iter().flatten().map(|(known, _)| known);
        match known.into_iter().find(|known| ***known == name) {
            Some(known) => Rc::clone(known),
            None => Rc::new(name),
        }
    }

    fn places(&mut self, name: &QualName) -> &mut [Option<(Rc<QualName>, u16)>] {
        // The last bits of a short name's hash are hardly mixed.
        const ODD: u32 = 0x9e37_79b1;
        let mixed = name.local.precomputed_hash().wrapping_mul(ODD) >> 16;
        let first = mixed as usize % (RECENT / PLACES) * PLACES;
        &mut self.0[first..first + PLACES]
    }
}

/// The name with its prefix, as in the source: `xlink:href`. html5ever restores the capitals of
/// SVG's names such as `viewBox` and `foreignObject`; ours are lower case.
fn written_name(name: &QualName) -> Cow<'_, str> {
    match &name.prefix {
        Some(prefix) if !prefix.is_empty() => Cow::Owned(format!("{prefix}:{}", name.local)),
        _ if name.local.bytes().any(|byte| byte.is_ascii_uppercase()) => {
            Cow::Owned(name.local.to_string().to_ascii_lowercase())
        }
        _ => Cow::Borrowed(&name.local),
    }
}

impl TreeSink for RawTree {
    type Handle = Handle;
    type Output = RawTree;
    type ElemName<'a> = &'a QualName;

    fn finish(self) -> RawTree {
        self
    }

    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        self.unnamed(0)
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> &'a QualName {
        &target.name
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> Handle {
        let namespace = match name.ns {
            ns!(svg) => Namespace::Svg,
            ns!(mathml) => Namespace::MathMl,
            _ => Namespace::Html,
        };
        let mut recent = self.recent_tags.borrow_mut();
        let number = recent.number(&name, &mut self.tags.borrow_mut());
        if number.is_none() {
            self.too_many_names.set(true);
        }
        let attributes = self.number_attributes(attributes);
        let id = self.add(RawKind::Element {
            tag: number.unwrap_or(TAG_OTHER),
            namespace,
            attributes,
        });
        if flags.mathml_annotation_xml_integration_point {
            self.integration_points.borrow_mut().insert(id);
        }
        Handle {
            id,
            name: recent.shared(name),
        }
    }

    fn create_comment(&self, _text: StrTendril) -> Handle {
        self.unnamed(self.add(RawKind::Comment))
    }

    fn create_pi(&self, _target: StrTendril, _data: StrTendril) -> Handle {
        self.unnamed(self.add(RawKind::Comment))
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        match child {
            NodeOrText::AppendNode(node) => self.attach_last(parent.id, node.id),
            NodeOrText::AppendText(text) => {
                let last = self.nodes.borrow()[parent.id as usize].last_child;
                if let Some(id) = self.place_text(last, text) {
                    self.attach_last(parent.id, id);
                }
            }
        }
    }

    fn append_based_on_parent_node(
        &self,
        element: &Handle,
        prev_element: &Handle,
        child: NodeOrText<Handle>,
    ) {
        if self.nodes.borrow()[element.id as usize].parent == NONE {
            self.append(prev_element, child);
        } else {
            self.append_before_sibling(element, child);
        }
    }

    fn append_doctype_to_document(&self, _name: StrTendril, _public: StrTendril, _system: StrTendril) {}

    // A template's contents are kept as its children until `build` drops them, which avoids a
    // second tree.
    fn get_template_contents(&self, target: &Handle) -> Handle {
        target.clone()
    }

    fn same_node(&self, x: &Handle, y: &Handle) -> bool {
        x.id == y.id
    }

    fn set_quirks_mode(&self, _mode: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Handle, new_node: NodeOrText<Handle>) {
        match new_node {
            NodeOrText::AppendNode(node) => self.attach_before(sibling.id, node.id),
            NodeOrText::AppendText(text) => {
                let previous = self.nodes.borrow()[sibling.id as usize].previous;
                if let Some(id) = self.place_text(previous, text) {
                    self.attach_before(sibling.id, id);
                }
            }
        }
    }

    fn add_attrs_if_missing(&self, target: &Handle, attributes: Vec<Attribute>) {
        let added = self.number_attributes(attributes);
        let nodes = &mut *self.nodes.borrow_mut();
        let RawKind::Element { attributes: old, .. } = &mut nodes[target.id as usize].kind else {
            return;
        };
        let all = &mut *self.attributes.borrow_mut();
        let added = all.split_off(added.start);
        let has = |known: &[RawAttribute], name: u16| known.iter().any(|known| known.name == name);
        if added
            .iter()
            .all(|attribute| has(&all[old.clone()], attribute.name))
        {
            return;
        }
        // Copied to the end of the list: a page may open its body a million times, but rarely adds
        // to it.
        let start = all.len();
        all.extend_from_within(old.clone());
        for attribute in added {
            if all.len() - start >= self.max_attributes {
                self.too_many_attributes.set(true);
                break;
            }
            if !has(&all[start..], attribute.name) {
                all.push(attribute);
            }
        }
        *old = start..all.len();
    }

    // A table puts a form that begins between its rows out of the way of its controls, so the tree
    // alone does not say to which form they belong.
    fn associate_with_form(&self, target: &Handle, form: &Handle, _nodes: (&Handle, Option<&Handle>)) {
        let mut owners = self.form_owners.borrow_mut();
        // Elements are associated as they are made, so their numbers increase.
        if owners.last().is_none_or(|&(last, _)| last < target.id) {
            owners.push((target.id, form.id));
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, target: &Handle) -> bool {
        self.integration_points.borrow().contains(&target.id)
    }

    fn remove_from_parent(&self, target: &Handle) {
        Self::detach(&mut self.nodes.borrow_mut(), target.id);
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        let mut child = self.nodes.borrow()[node.id as usize].first_child;
        // The next sibling is read first, because attaching changes it.
        while child != NONE {
            let next = self.nodes.borrow()[child as usize].next;
            self.attach_last(new_parent.id, child);
            child = next;
        }
    }
}
