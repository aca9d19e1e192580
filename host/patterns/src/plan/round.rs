//! One recrawl of a site along its navigation: which links to fetch.

use std::sync::Arc;

use magpie_model::CanonicalUrl;
use serde::{Deserialize, Serialize};

use crate::navigate::{Guide, Navigator, StateId, Walk};

/// Status of a page after earlier rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Known {
    Never,
    /// Fetched, and not due in this round.
    Fresh,
    /// Fetched, and possibly changed since.
    Due,
    /// Moved permanently, with a known target. As a hub it is passed without a fetch.
    Moved,
    /// Its objects are no longer of interest, or it is gone permanently.
    Over,
}

/// The record of earlier rounds.
pub trait Memory {
    /// Returns the status of a page with objects.
    fn known(&self, url: &CanonicalUrl) -> Known;

    /// Returns the status of a hub. Hubs are due in every round, unless a schedule overrides this.
    fn known_hub(&self, _: &CanonicalUrl) -> Known {
        Known::Due
    }
}

/// The record before the first round.
impl Memory for () {
    fn known(&self, _: &CanonicalUrl) -> Known {
        Known::Never
    }
}

/// One recrawl of a site, which fetches only hubs and object pages that are new or due.
#[derive(Debug, Serialize, Deserialize)]
pub struct Round<M> {
    #[serde(with = "shared")]
    navigator: Arc<Navigator>,
    walk: Walk,
    memory: M,
}

impl<M: Memory> Round<M> {
    pub fn new(navigator: Arc<Navigator>, memory: M) -> Round<M> {
        Round {
            walk: navigator.walk(),
            navigator,
            memory,
        }
    }

    /// Returns true if a link on a page is to be fetched. The link then counts against the cap of
    /// its state, so it must not be asked about again.
    pub fn wants(&mut self, page: &CanonicalUrl, link: &CanonicalUrl) -> bool {
        let Some(from) = self.navigator.classify(page) else {
            return false;
        };
        self.follow(from, link).is_some()
    }

    /// The navigation that the round follows.
    pub fn navigator(&self) -> &Arc<Navigator> {
        &self.navigator
    }

    /// Returns the record of earlier rounds, to change it.
    pub fn memory_mut(&mut self) -> &mut M {
        &mut self.memory
    }

    /// Returns the status of a page after earlier rounds.
    pub fn known(&self, url: &CanonicalUrl) -> Known {
        self.memory.known(url)
    }

    /// Records whether a fetched page had anything new, so that paging can end where there is
    /// nothing.
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
            true => self.walk.follow(&self.navigator, from, link),
            false => None,
        }
    }
}

impl<M: Memory> Round<M> {
    /// Returns true if the round fetches a page of this state.
    fn is_due(&self, state: StateId, page: &CanonicalUrl) -> bool {
        let is_hub = self.navigator.is_hub(state);
        let known = match is_hub {
            true => self.memory.known_hub(page),
            false => self.memory.known(page),
        };
        match known {
            Known::Never | Known::Due => true,
            // A moved hub is passed without a fetch, since its target is known. A moved page with
            // objects is no further of use.
            Known::Moved => is_hub,
            Known::Fresh | Known::Over => false,
        }
    }
}

/// Serialises a shared value as the value.
mod shared {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<T: Serialize, S: Serializer>(value: &Arc<T>, to: S) -> Result<S::Ok, S::Error> {
        (**value).serialize(to)
    }

    pub(super) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Arc<T>, D::Error> {
        T::deserialize(from).map(Arc::new)
    }
}
