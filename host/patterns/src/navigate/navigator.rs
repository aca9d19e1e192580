//! A checked navigation, and a recrawl along it.

use std::collections::HashSet;
use std::sync::Arc;

use magpie_model::CanonicalUrl;

use super::document::{Navigation, NavigationError, Role, State};
use super::guide::Guide;
use crate::pattern::PatternSet;

/// The number of a state; the entry page is one too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId(u32);

impl StateId {
    /// The entry page.
    pub const ENTRY: StateId = StateId(0);
    /// Lists that recrawls start with among pages about one thing: they are hubs that lead to all pages with objects.
    pub const LISTS: StateId = StateId(u32::MAX);
}

/// A navigation that was checked and compiled.
#[derive(Clone, Debug)]
pub struct Navigator {
    navigation: Navigation,
    patterns: PatternSet,
    also: HashSet<String>,
    skip: HashSet<String>,
    /// For every pattern of the set its state.
    state_of_pattern: Vec<StateId>,
    /// For every state those that its links may lead to.
    next: Vec<Vec<StateId>>,
    /// The states of pages about one thing.
    things: Vec<StateId>,
}

/// A recrawl along a navigation: it counts pages against caps and patience.
#[derive(Clone, Debug)]
pub struct Walk {
    navigator: Arc<Navigator>,
    /// Pages of each state that were or will be fetched.
    pages: Vec<u32>,
    /// Pages in a row without anything new.
    stale: Vec<u32>,
}

impl Navigator {
    /// Checks and compiles a navigation.
    pub fn new(navigation: Navigation) -> Result<Navigator, NavigationError> {
        navigation.check()?;
        let id = |name: &String| {
            let place = navigation.states.iter().position(|state| state.name == *name);
            place.map(|place| StateId(place as u32 + 1))
        };
        let ids = |names: &[String]| names.iter().filter_map(id).collect::<Vec<StateId>>();
        let mut next = vec![ids(&navigation.start)];
        next.extend(navigation.states.iter().map(|state| ids(&state.next)));
        let things = navigation.states.iter().enumerate();
        let things = things.filter(|(_, state)| state.role == Role::Object);
        let things = things.map(|(place, _)| StateId(place as u32 + 1)).collect();
        let mut state_of_pattern = Vec::new();
        let mut patterns = Vec::new();
        for (place, state) in navigation.states.iter().enumerate() {
            patterns.extend(state.patterns.iter().cloned());
            state_of_pattern.resize(patterns.len(), StateId(place as u32 + 1));
        }
        Ok(Navigator {
            patterns: PatternSet::new(patterns),
            also: navigation.also.iter().cloned().collect(),
            skip: navigation.skip.iter().cloned().collect(),
            navigation,
            state_of_pattern,
            next,
            things,
        })
    }

    /// The navigation as it is written.
    pub fn navigation(&self) -> &Navigation {
        &self.navigation
    }

    /// The state as it is written; none for the entry page and for lists among pages about one thing.
    pub fn state(&self, id: StateId) -> Option<&State> {
        self.navigation.states.get((id.0 as usize).checked_sub(1)?)
    }

    /// Whether pages of the state are read in every recrawl for their links.
    pub fn is_hub(&self, id: StateId) -> bool {
        self.state(id).is_none_or(|state| state.role != Role::Object)
    }

    /// Whether a page is of a kind that is read in every recrawl for its links.
    pub fn reads(&self, url: &CanonicalUrl) -> bool {
        self.classify(url).is_some_and(|state| self.is_hub(state))
    }

    /// Whether there are lists besides the entry page.
    pub fn reads_lists(&self) -> bool {
        let mut states = self.navigation.states.iter();
        states.any(|state| state.role != Role::Object)
    }

    /// Whether a page is of a kind that is wanted for its objects.
    pub fn has_things(&self, url: &CanonicalUrl) -> bool {
        let state = self.classify(url).and_then(|state| self.state(state));
        state.is_some_and(|state| state.role != Role::Hub)
    }

    /// The state of a page by its URL alone: the one whose pattern tells most of it. None for a
    /// page that is skipped.
    pub fn classify(&self, url: &CanonicalUrl) -> Option<StateId> {
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

    /// The state that a page is written under, whatever it is read for; none for the entry page.
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

    /// The state of a list that recrawls start with besides the entry page; none of all other pages.
    pub fn begins(&self, url: &CanonicalUrl) -> Option<StateId> {
        self.also
            .contains(url.as_str())
            .then(|| self.classify(url))
            .flatten()
    }

    /// The state that a link of a page leads to, if the navigation leads there. Of several, the one whose pattern
    /// tells most of the URL.
    pub fn leads_to(&self, from: StateId, link: &CanonicalUrl) -> Option<StateId> {
        if self.skip.contains(link.as_str()) {
            return None;
        }
        let allowed = match from {
            StateId::LISTS => &self.things,
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
    pub fn walk(self: &Arc<Navigator>) -> Walk {
        Walk {
            navigator: Arc::clone(self),
            pages: vec![0; self.next.len()],
            stale: vec![0; self.next.len()],
        }
    }
}

impl Walk {
    /// Says whether a fetched page brought anything new: an object, or a link to a page not seen before. A state
    /// with patience is left alone when its pages bring nothing for long.
    pub fn found(&mut self, state: StateId, anything_new: bool) {
        if let Some(stale) = self.stale.get_mut(state.0 as usize) {
            *stale = if anything_new { 0 } else { *stale + 1 };
        }
    }

    /// How many pages of a state were followed.
    pub fn pages(&self, state: StateId) -> u32 {
        self.pages.get(state.0 as usize).copied().unwrap_or(0)
    }
}

impl Guide for Walk {
    type Place = StateId;

    fn entry(&self) -> StateId {
        StateId::ENTRY
    }

    fn begins(&self, page: &CanonicalUrl) -> Option<StateId> {
        self.navigator.begins(page)
    }

    fn follow(&mut self, from: StateId, link: &CanonicalUrl) -> Option<StateId> {
        let to = self.navigator.leads_to(from, link)?;
        let state = self.navigator.state(to)?;
        let place = to.0 as usize;
        let is_full = state.most_pages.is_some_and(|most| self.pages[place] >= most);
        let is_tired = state
            .patience
            .is_some_and(|patience| self.stale[place] >= patience);
        if is_full || is_tired {
            return None;
        }
        self.pages[place] += 1;
        Some(to)
    }
}
