//! Finding the elements that match.

use selectors::context::{
    MatchingContext, MatchingForInvalidation, MatchingMode, NeedsSelectorFlags, QuirksMode, SelectorCaches,
};
use selectors::matching::matches_selector;

use super::element::{Element, Work};
use super::index::{Candidates, Key};
use super::syntax::{Css, Selector};
use crate::dom::{Document, NodeId};

/// The caller cancelled the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the search was stopped before its end")]
pub struct Stopped;

impl Document {
    /// Returns the elements below `scope` that match, in document order. Calls `keep_going` every
    /// few hundred elements; if that returns false, the search ends with `Stopped`.
    pub fn select(
        &self,
        scope: NodeId,
        selector: &Selector,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<NodeId>, Stopped> {
        let work = Work::new(self, keep_going);
        Search::new(&work, &mut SelectorCaches::default()).all(scope, selector)
    }

    /// Returns true if an element matches; `:scope` is the element itself.
    pub fn matches(&self, node: NodeId, selector: &Selector) -> bool {
        if !self.is_element(node) {
            return false;
        }
        let mut always = || true;
        let work = Work::new(self, &mut always);
        let mut caches = SelectorCaches::default();
        let mut search = Search::new(&work, &mut caches);
        search.enter(node);
        (0..selector.list.len()).any(|at| search.matches(node, selector, at))
    }
}

/// A search through one document, for one selector or for several.
pub(super) struct Search<'w, 'c> {
    work: &'w Work<'w>,
    context: MatchingContext<'c, Css>,
}

impl<'w, 'c> Search<'w, 'c> {
    pub(super) fn new(work: &'w Work<'w>, caches: &'c mut SelectorCaches) -> Search<'w, 'c> {
        let context = MatchingContext::new(
            MatchingMode::Normal,
            None,
            caches,
            QuirksMode::NoQuirks,
            NeedsSelectorFlags::No,
            MatchingForInvalidation::No,
        );
        Search { work, context }
    }

    /// All matches below a scope, in document order.
    pub(super) fn all(&mut self, scope: NodeId, selector: &Selector) -> Result<Vec<NodeId>, Stopped> {
        self.enter(scope);
        let mut found = Vec::new();
        for at in 0..selector.list.len() {
            self.each(scope, selector, at, &mut |node| {
                found.push(node);
                true
            })?;
        }
        // One selector finds its matches in order. Those of several are merged, and an element can
        // match more than one.
        if selector.list.len() > 1 {
            found.sort_unstable();
            found.dedup();
        }
        Ok(found)
    }

    /// The first match below a scope.
    pub(super) fn first(&mut self, scope: NodeId, selector: &Selector) -> Result<Option<NodeId>, Stopped> {
        self.enter(scope);
        let mut first: Option<NodeId> = None;
        for at in 0..selector.list.len() {
            self.each(scope, selector, at, &mut |node| {
                first = Some(first.map_or(node, |known| known.min(node)));
                false
            })?;
        }
        Ok(first)
    }

    fn enter(&mut self, scope: NodeId) {
        let document = self.work.document;
        // Without a scope element `:scope` is the root element, which is right for the document.
        self.context.scope_element = document
            .is_element(scope)
            .then(|| Element::opaque_of(document, scope))
            .flatten();
    }

    fn matches(&mut self, node: NodeId, selector: &Selector, at: usize) -> bool {
        let element = Element {
            work: self.work,
            node,
        };
        let Some(one) = selector.list.slice().get(at) else {
            return false;
        };
        matches_selector(one, 0, None, element, &mut self.context)
    }

    /// Hands each match of one selector of the list to `take`, until that says false.
    fn each(
        &mut self,
        scope: NodeId,
        selector: &Selector,
        at: usize,
        take: &mut dyn FnMut(NodeId) -> bool,
    ) -> Result<(), Stopped> {
        let range = (scope.saturating_add(1), self.work.document.end(scope));
        // The rarest requirement leaves the fewest elements to compare.
        let Some((key, candidates)) = self.fewest(&selector.keys[at], range) else {
            return self.scan(range, selector, at, take);
        };
        // Two classes can have one hash, so that a class or id is always looked at.
        let decided = selector.key_decides[at] && !matches!(key, Key::Token(_));
        for candidate in (0..).map_while(|place| candidates.get(place)) {
            if !self.work.step() {
                return Err(Stopped);
            }
            let matches = decided || self.matches(candidate, selector, at);
            // Asked before the result is used, because an element of a stopped search has no
            // relatives and its answer is wrong.
            if self.work.is_stopped() {
                return Err(Stopped);
            }
            if matches && !take(candidate) {
                break;
            }
        }
        Ok(())
    }

    /// Looks at every element, for selectors that say nothing about the element itself.
    fn scan(
        &mut self,
        range: (NodeId, NodeId),
        selector: &Selector,
        at: usize,
        take: &mut dyn FnMut(NodeId) -> bool,
    ) -> Result<(), Stopped> {
        for node in range.0..range.1 {
            if !self.work.step() {
                return Err(Stopped);
            }
            let matches = self.work.document.is_element(node) && self.matches(node, selector, at);
            if self.work.is_stopped() {
                return Err(Stopped);
            }
            if matches && !take(node) {
                break;
            }
        }
        Ok(())
    }

    fn fewest<'k>(&self, keys: &'k [Key], range: (NodeId, NodeId)) -> Option<(&'k Key, Candidates<'w>)> {
        let Work { document, index, .. } = *self.work;
        keys.iter()
            .map(|key| (key, index.candidates(document, key, range)))
            .min_by_key(|(_, candidates)| candidates.len())
    }
}
