//! A node as the `selectors` crate wants to see it.

use std::cell::{Cell, RefCell};
use std::fmt;

use selectors::OpaqueElement;
use selectors::attr::{AttrSelectorOperation, CaseSensitivity, NamespaceConstraint};
use selectors::bloom::BloomFilter;
use selectors::matching::{ElementSelectorFlags, MatchingContext};

use super::index::Index;
use super::syntax::{Css, NoPseudoElement, PseudoClass, Word};
use crate::dom::{Document, NodeId};

/// Moves through the tree between two checks for cancellation: some ten microseconds.
const STEPS_BETWEEN_QUESTIONS: u32 = 1024;

/// One search. Counts its moves and checks regularly for cancellation. A single `:has` can walk
/// the whole page for each element, so a check between elements would be too rare.
pub(super) struct Work<'a> {
    pub(super) document: &'a Document,
    pub(super) index: &'a Index,
    keep_going: RefCell<&'a mut dyn FnMut() -> bool>,
    steps: Cell<u32>,
    stopped: Cell<bool>,
}

impl<'a> Work<'a> {
    pub(super) fn new(document: &'a Document, keep_going: &'a mut dyn FnMut() -> bool) -> Work<'a> {
        Work {
            document,
            index: document.index(),
            keep_going: RefCell::new(keep_going),
            steps: Cell::new(0),
            stopped: Cell::new(false),
        }
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.get()
    }

    /// Counts a move between siblings. With debug assertions the `selectors` crate counts siblings
    /// twice and compares, so that they must not vanish then.
    fn step_aside(&self) -> bool {
        self.step() || cfg!(debug_assertions)
    }

    /// Counts a move; false when the search is to end.
    pub(super) fn step(&self) -> bool {
        let steps = self.steps.get() + 1;
        if steps < STEPS_BETWEEN_QUESTIONS {
            self.steps.set(steps);
        } else {
            self.steps.set(0);
            // The answer is final. Relatives are withheld from here on, so a search that resumed
            // would give a wrong result.
            if !self.stopped.get() && !(self.keep_going.borrow_mut())() {
                self.stopped.set(true);
            }
        }
        !self.stopped.get()
    }
}

/// An element in a search. Once the search is stopped it has no relatives, which ends every walk of
/// the `selectors` crate at once; the result is then discarded.
#[derive(Clone, Copy)]
pub(super) struct Element<'a> {
    pub(super) work: &'a Work<'a>,
    pub(super) node: NodeId,
}

impl fmt::Debug for Element<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "element {}", self.node)
    }
}

impl<'a> Element<'a> {
    pub(super) fn opaque_of(document: &Document, node: NodeId) -> Option<OpaqueElement> {
        // Any address that belongs to one node alone will do.
        document.outline().ends.get(node as usize).map(OpaqueElement::new)
    }

    fn at(self, node: NodeId) -> Element<'a> {
        Element {
            work: self.work,
            node,
        }
    }

    fn document(self) -> &'a Document {
        self.work.document
    }

    fn attribute(self, number: Option<u16>) -> Option<&'a str> {
        self.document().attribute_by_number(self.node, number?)
    }

    /// The first element from `node` on among the siblings that end at `end`.
    fn element_from(self, mut node: NodeId, end: NodeId) -> Option<Self> {
        while node < end && self.work.step_aside() {
            if self.document().is_element(node) {
                return Some(self.at(node));
            }
            node = self.document().end(node);
        }
        None
    }
}

impl selectors::Element for Element<'_> {
    type Impl = Css;

    fn opaque(&self) -> OpaqueElement {
        match Self::opaque_of(self.work.document, self.node) {
            Some(opaque) => opaque,
            None => OpaqueElement::new(self.work.document),
        }
    }

    fn parent_element(&self) -> Option<Self> {
        let parent = self.document().parent(self.node)?;
        (parent != 0 && self.work.step()).then(|| self.at(parent))
    }

    fn parent_node_is_shadow_root(&self) -> bool {
        false
    }

    fn containing_shadow_host(&self) -> Option<Self> {
        None
    }

    fn is_pseudo_element(&self) -> bool {
        false
    }

    fn prev_sibling_element(&self) -> Option<Self> {
        // From the index, because the tree has no links backwards and a walk over all siblings
        // would make selectors such as `~` quadratic.
        let previous = *self.work.index.previous.get(self.node as usize)?;
        (previous != self.node && self.work.step_aside()).then(|| self.at(previous))
    }

    fn next_sibling_element(&self) -> Option<Self> {
        let document = self.document();
        self.element_from(document.end(self.node), document.end(document.parent(self.node)?))
    }

    fn first_element_child(&self) -> Option<Self> {
        if !self.work.step() {
            return None;
        }
        self.element_from(self.node + 1, self.document().end(self.node))
    }

    // Our tree has lower-case names everywhere, so that every element is matched as HTML elements
    // are.
    fn is_html_element_in_html_document(&self) -> bool {
        true
    }

    fn has_local_name(&self, name: &str) -> bool {
        self.document().tag(self.node) == name
    }

    fn has_namespace(&self, namespace: &str) -> bool {
        namespace.is_empty()
    }

    fn is_same_type(&self, other: &Self) -> bool {
        self.document().tag_number(self.node) == self.document().tag_number(other.node)
    }

    fn attr_matches(
        &self,
        _namespace: &NamespaceConstraint<&Word>,
        name: &Word,
        operation: &AttrSelectorOperation<&Word>,
    ) -> bool {
        let document = self.document();
        document
            .attribute(self.node, &name.text)
            .is_some_and(|value| operation.eval_str(value))
    }

    fn match_non_ts_pseudo_class(&self, class: &PseudoClass, _context: &mut MatchingContext<Css>) -> bool {
        match class {
            PseudoClass::Link => self.is_link(),
        }
    }

    fn match_pseudo_element(&self, element: &NoPseudoElement, _context: &mut MatchingContext<Css>) -> bool {
        match *element {}
    }

    fn apply_selector_flags(&self, _flags: ElementSelectorFlags) {}

    fn is_link(&self) -> bool {
        matches!(self.document().tag(self.node), "a" | "area")
            && self.document().attribute(self.node, "href").is_some()
    }

    fn is_html_slot_element(&self) -> bool {
        false
    }

    fn has_id(&self, id: &Word, case: CaseSensitivity) -> bool {
        self.attribute(self.work.index.id_name)
            .is_some_and(|value| case.eq(value.as_bytes(), id.text.as_bytes()))
    }

    fn has_class(&self, name: &Word, case: CaseSensitivity) -> bool {
        self.attribute(self.work.index.class_name).is_some_and(|classes| {
            classes
                .split_ascii_whitespace()
                .any(|class| case.eq(class.as_bytes(), name.text.as_bytes()))
        })
    }

    fn has_custom_state(&self, _name: &Word) -> bool {
        false
    }

    fn imported_part(&self, _name: &Word) -> Option<Word> {
        None
    }

    fn is_part(&self, _name: &Word) -> bool {
        false
    }

    fn is_empty(&self) -> bool {
        self.document().end(self.node) == self.node + 1
    }

    fn is_root(&self) -> bool {
        self.document().parent(self.node) == Some(0)
    }

    fn add_element_unique_hashes(&self, _filter: &mut BloomFilter) -> bool {
        false
    }
}
