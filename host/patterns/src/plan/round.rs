//! One recrawl of a site along its navigation: which links are worth a fetch.

use std::sync::Arc;

use magpie_model::CanonicalUrl;

use crate::navigate::{Guide, Navigator, StateId, Walk};

/// What is known of a page from earlier rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// It was never fetched.
    Never,
    /// It was, and is not to be looked at again in this round.
    Fresh,
    /// It was, and may have changed since.
    Due,
    /// It has moved for good, and the page it leads to stands for it: as a hub it is passed without a fetch.
    Moved,
    /// Its objects are of no more interest, or it is gone for good.
    Over,
}

/// What remembers earlier rounds.
pub trait Memory {
    /// What is known of a page with objects.
    fn known(&self, url: &CanonicalUrl) -> Known;

    /// What is known of a page that has links: hubs are due in every round, unless whoever plans the rounds says which.
    fn known_hub(&self, _: &CanonicalUrl) -> Known {
        Known::Due
    }
}

/// One recrawl of a site. Hubs and pages with objects are fetched when they are new or due, and nothing else is.
#[derive(Debug)]
pub struct Round<M> {
    navigator: Arc<Navigator>,
    walk: Walk,
    memory: M,
}

impl<M: Memory> Round<M> {
    /// Begins a round.
    pub fn new(navigator: Arc<Navigator>, memory: M) -> Round<M> {
        Round {
            walk: navigator.walk(),
            navigator,
            memory,
        }
    }

    /// Whether a link on a page is to be fetched. What is will be counted against the caps of its state, so a link is
    /// asked about once after it was taken.
    pub fn wants(&mut self, page: &CanonicalUrl, link: &CanonicalUrl) -> bool {
        let Some(from) = self.navigator.classify(page) else {
            return false;
        };
        self.follow(from, link).is_some()
    }

    /// What earlier rounds know of a page.
    pub fn known(&self, url: &CanonicalUrl) -> Known {
        self.memory.known(url)
    }

    /// Says whether a fetched page brought anything new, so that paging ends where it brings nothing.
    pub fn found(&mut self, page: &CanonicalUrl, anything_new: bool) {
        if let Some(state) = self.navigator.classify(page) {
            self.walk.found(state, anything_new);
        }
    }
}

impl<M: Memory> Guide for Round<M> {
    type Place = StateId;

    fn entry(&self) -> StateId {
        StateId::ENTRY
    }

    fn begins(&self, page: &CanonicalUrl) -> Option<StateId> {
        let state = self.navigator.begins(page)?;
        self.is_due(state, page).then_some(state)
    }

    fn follow(&mut self, from: StateId, link: &CanonicalUrl) -> Option<StateId> {
        let to = self.navigator.leads_to(from, link)?;
        match self.is_due(to, link) {
            true => self.walk.follow(from, link),
            false => None,
        }
    }
}

impl<M: Memory> Round<M> {
    /// Whether the round goes to a page of this state.
    fn is_due(&self, state: StateId, page: &CanonicalUrl) -> bool {
        let is_hub = self.navigator.is_hub(state);
        let known = match is_hub {
            true => self.memory.known_hub(page),
            false => self.memory.known(page),
        };
        match known {
            Known::Never | Known::Due => true,
            Known::Moved => is_hub,
            Known::Fresh | Known::Over => false,
        }
    }
}
