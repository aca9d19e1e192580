//! A checked navigation, and a recrawl along it.

use std::collections::HashSet;

use magpie_model::CanonicalUrl;
use serde::{Deserialize, Serialize};

use super::document::{Navigation, NavigationError, Role, State};
use crate::pattern::PatternSet;

/// Id of a state, including the entry page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId(u32);

impl StateId {
    pub(crate) const ENTRY: StateId = StateId(0);
    /// Start lists among detail pages: hubs that lead to all detail pages.
    pub const LISTS: StateId = StateId(u32::MAX);
}

/// A checked and compiled navigation. It is serialised as its document.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Navigation", into = "Navigation")]
pub struct Navigator {
    navigation: Navigation,
    patterns: PatternSet,
    also: HashSet<String>,
    skip: HashSet<String>,
    /// State of each pattern in the set.
    state_of_pattern: Vec<StateId>,
    /// States that the links of each state may lead to.
    next: Vec<Vec<StateId>>,
    detail_states: Vec<StateId>,
}

/// The counts of a recrawl along a navigation, for the caps and the patience of its states.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Walk {
    /// Number of followed pages of each state.
    pages: Vec<u32>,
    /// Number of pages in a row without anything new, by state.
    stale: Vec<u32>,
}

impl TryFrom<Navigation> for Navigator {
    type Error = NavigationError;

    fn try_from(navigation: Navigation) -> Result<Navigator, NavigationError> {
        Navigator::new(navigation)
    }
}

impl From<Navigator> for Navigation {
    fn from(navigator: Navigator) -> Navigation {
        navigator.navigation
    }
}

impl Navigator {
    /// Checks and compiles a navigation.
    pub fn new(navigation: Navigation) -> Result<Navigator, NavigationError> {
        navigation.check()?;
        let id = |name: &String| {
            let index = navigation.states.iter().position(|state| state.name == *name);
            index.map(|index| StateId(index as u32 + 1))
        };
        let ids = |names: &[String]| names.iter().filter_map(id).collect::<Vec<StateId>>();
        let mut next = vec![ids(&navigation.start)];
        next.extend(navigation.states.iter().map(|state| ids(&state.next)));
        let detail_states = navigation.states.iter().enumerate();
        let detail_states = detail_states.filter(|(_, state)| state.role == Role::Object);
        let detail_states = detail_states
            .map(|(index, _)| StateId(index as u32 + 1))
            .collect();
        let mut state_of_pattern = Vec::new();
        let mut patterns = Vec::new();
        for (index, state) in navigation.states.iter().enumerate() {
            patterns.extend(state.patterns.iter().cloned());
            state_of_pattern.resize(patterns.len(), StateId(index as u32 + 1));
        }
        Ok(Navigator {
            patterns: PatternSet::new(patterns),
            also: navigation.also.iter().cloned().collect(),
            skip: navigation.skip.iter().cloned().collect(),
            navigation,
            state_of_pattern,
            next,
            detail_states,
        })
    }

    /// Returns the document of the navigation.
    pub fn navigation(&self) -> &Navigation {
        &self.navigation
    }

    /// Returns the state in the document; `None` for the entry page and for lists among detail
    /// pages.
    pub fn state(&self, id: StateId) -> Option<&State> {
        self.navigation.states.get((id.0 as usize).checked_sub(1)?)
    }

    /// Returns true if pages of the state are read for their links in every recrawl.
    pub fn is_hub(&self, id: StateId) -> bool {
        self.state(id).is_none_or(|state| state.role != Role::Object)
    }

    /// Returns true if the page is read for its links in every recrawl.
    pub fn reads(&self, url: &CanonicalUrl) -> bool {
        self.classify(url).is_some_and(|state| self.is_hub(state))
    }

    /// Returns true if there are hubs besides the entry page.
    pub fn has_hubs(&self) -> bool {
        let mut states = self.navigation.states.iter();
        states.any(|state| state.role != Role::Object)
    }

    /// Returns true if the page may have objects.
    pub fn may_have_objects(&self, url: &CanonicalUrl) -> bool {
        let state = self.classify(url).and_then(|state| self.state(state));
        state.is_some_and(|state| state.role != Role::Hub)
    }

    /// Returns the state of a page by its URL: the one with the most specific matching pattern.
    /// Returns `None` for skipped pages.
    pub fn classify(&self, url: &CanonicalUrl) -> Option<StateId> {
        // Before `skip` and the patterns: a recrawl can't start otherwise, whatever people write
        // into the file.
        if self.navigation.entry.matches(url) {
            return Some(StateId::ENTRY);
        }
        if self.skip.contains(url.as_str()) {
            return None;
        }
        let state = self.by_pattern(url)?;
        let is_list = || self.also.contains(url.as_str());
        match self.is_hub(state) || !is_list() {
            true => Some(state),
            false => Some(StateId::LISTS),
        }
    }

    /// Returns the state in the document for a page, whatever it is read for; `None` for the entry
    /// page.
    pub fn state_of(&self, url: &CanonicalUrl) -> Option<&State> {
        let is_entry = self.navigation.entry.matches(url);
        let state = self.by_pattern(url).filter(|_| !is_entry)?;
        self.state(state)
    }

    fn by_pattern(&self, url: &CanonicalUrl) -> Option<StateId> {
        self.patterns
            .best(url)
            .map(|pattern| self.state_of_pattern[pattern])
    }

    /// Returns the state of a list at which recrawls start besides the entry page; `None` for other
    /// pages.
    pub(crate) fn begins(&self, url: &CanonicalUrl) -> Option<StateId> {
        self.also
            .contains(url.as_str())
            .then(|| self.classify(url))
            .flatten()
    }

    /// Returns the state that a link leads to, if the navigation leads there. Of several states, it
    /// returns the one with the most specific pattern.
    pub(crate) fn leads_to(&self, from: StateId, link: &CanonicalUrl) -> Option<StateId> {
        if self.skip.contains(link.as_str()) {
            return None;
        }
        let allowed = match from {
            StateId::LISTS => &self.detail_states,
            _ => self.next.get(from.0 as usize)?,
        };
        let patterns = self.patterns.patterns();
        let found = self.patterns.matching(link).into_iter();
        found
            .filter(|pattern| allowed.contains(&self.state_of_pattern[*pattern]))
            .min_by_key(|pattern| (std::cmp::Reverse(patterns[*pattern].constant_length()), *pattern))
            .map(|pattern| self.state_of_pattern[pattern])
    }

    /// Starts a recrawl.
    pub(crate) fn walk(&self) -> Walk {
        Walk {
            pages: vec![0; self.next.len()],
            stale: vec![0; self.next.len()],
        }
    }
}

impl Walk {
    /// Records whether a fetched page had anything new: an object, or a link to an unseen page. Too
    /// many pages without anything new exhaust the patience of a state.
    pub(crate) fn found(&mut self, state: StateId, anything_new: bool) {
        if let Some(stale) = self.stale.get_mut(state.0 as usize) {
            *stale = if anything_new { 0 } else { *stale + 1 };
        }
    }

    /// Follows a link from a page of a state. Returns the state that it leads to; `None` if it is
    /// not followed.
    pub(crate) fn follow(
        &mut self,
        navigator: &Navigator,
        from: StateId,
        link: &CanonicalUrl,
    ) -> Option<StateId> {
        let to = navigator.leads_to(from, link)?;
        let state = navigator.state(to)?;
        let index = to.0 as usize;
        let is_full = state.most_pages.is_some_and(|most| self.pages[index] >= most);
        let is_tired = state
            .patience
            .is_some_and(|patience| self.stale[index] >= patience);
        // A calendar or a list may have no end. The limits of its state end the walk.
        if is_full || is_tired {
            return None;
        }
        self.pages[index] += 1;
        Some(to)
    }
}
