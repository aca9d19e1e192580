//! The navigation of a site in writing: TOML or JSON that a person may read and edit.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::pattern::UrlPattern;
use magpie_model::CanonicalUrl;

/// Most states of a navigation; a site with more page classes was not understood.
pub(super) const MOST_STATES: usize = 500;

/// How to get to the wanted pages of a site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Navigation {
    /// Where a recrawl starts.
    pub entry: UrlPattern,
    /// Lists that it starts with besides: the way to them leads through pages that are not worth fetching for it, or they have
    /// addresses like those of pages about one thing, which are not read for their links. Then they lead to all pages with objects.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// Pages of hub states that lead nowhere of their own, as terms or an imprint among pages that
    /// do. They are not read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skip: Vec<String>,
    /// The site's sitemaps and feeds are read too, before the entry page: they lead to pages with objects that no link leads to.
    #[serde(default, skip_serializing_if = "is_false")]
    pub sitemaps: bool,
    /// The states that the entry page leads to, by name.
    #[serde(default)]
    pub start: Vec<String>,
    /// The page classes on the way, and the wanted ones.
    #[serde(default, rename = "state")]
    pub states: Vec<State>,
}

/// A class of pages, and where its links lead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// What others call it. Each state has its own name.
    pub name: String,
    /// Whether it is wanted for its objects or for its links.
    pub role: Role,
    /// The URLs of its pages.
    pub patterns: Vec<UrlPattern>,
    /// The states that its links lead to; its own name means that it turns pages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<String>,
    /// Most pages of this state in one recrawl; without it there is no limit of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_pages: Option<u32>,
    /// How it turns pages, when it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<Turns>,
    /// After so many pages in a row without anything new, no more pages of this state are fetched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patience: Option<u32>,
}

/// What a state is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// For its links alone: read again in every recrawl.
    Hub,
    /// For its objects: read when new or due.
    Object,
    /// For both, as a list with objects on it.
    Both,
}

/// How a state leads to more pages of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Turns {
    /// Page by page.
    Pages,
    /// Day by day or month by month; a calendar never ends.
    Calendar,
}

/// What is wrong with a navigation, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NavigationError {
    /// It cannot be read; the text names line and column.
    #[error("{0}")]
    Syntax(String),
    /// It can be read and makes no sense.
    #[error("{place}: {reason}")]
    Sense {
        /// Where: `state "list", next`.
        place: String,
        /// What is wrong, and what could stand there instead.
        reason: String,
    },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_false(value: &bool) -> bool {
    !value
}

impl Navigation {
    /// Reads TOML and checks it.
    pub fn from_toml(text: &str) -> Result<Navigation, NavigationError> {
        let read: Navigation = toml::from_str(text)
            .map_err(|error| NavigationError::Syntax(error.to_string().trim_end().to_owned()))?;
        read.check()?;
        Ok(read)
    }

    /// Reads JSON and checks it.
    pub fn from_json(text: &str) -> Result<Navigation, NavigationError> {
        let read: Navigation =
            serde_json::from_str(text).map_err(|error| NavigationError::Syntax(error.to_string()))?;
        read.check()?;
        Ok(read)
    }

    /// As TOML.
    pub fn to_toml(&self) -> Result<String, NavigationError> {
        toml::to_string(self).map_err(|error| NavigationError::Syntax(error.to_string()))
    }

    /// Whether names are names of states and every state can be reached.
    pub fn check(&self) -> Result<(), NavigationError> {
        if self.states.len() > MOST_STATES {
            return sense("state", format!("there are more than {MOST_STATES}"));
        }
        if !self.entry.is_exact() {
            return sense(
                "entry",
                "a recrawl starts at one page, so nothing in its URL can vary",
            );
        }
        let known = |url: &CanonicalUrl| {
            let patterns = self.states.iter().flat_map(|state| &state.patterns);
            patterns.into_iter().any(|pattern| pattern.matches(url))
        };
        if let Some(lost) = self
            .also
            .iter()
            .find(|list| !CanonicalUrl::trusted(list.as_str()).is_some_and(|url| known(&url)))
        {
            return sense("also", format!("{lost:?} is no URL of any state's pages"));
        }
        let mut names: BTreeSet<&str> = BTreeSet::new();
        for (place, state) in self.states.iter().enumerate() {
            if state.name.is_empty() {
                return sense(format!("state number {}", place + 1), "it has no name");
            }
            let place = format!("state {:?}", state.name);
            if !names.insert(&state.name) {
                return sense(place, "two states have this name");
            }
            if state.patterns.is_empty() {
                return sense(
                    format!("{place}, patterns"),
                    "it has no pattern, so no page is one of it",
                );
            }
            if state.most_pages == Some(0) {
                return sense(
                    format!("{place}, most_pages"),
                    "with 0 pages the state could as well be removed",
                );
            }
        }
        self.check_names(&names)?;
        self.check_ways()
    }

    fn check_names(&self, names: &BTreeSet<&str>) -> Result<(), NavigationError> {
        let known = names.iter().copied().collect::<Vec<_>>().join(", ");
        let lists = self
            .states
            .iter()
            .map(|state| (format!("state {:?}, next", state.name), &state.next))
            .chain([("start".to_owned(), &self.start)]);
        for (place, list) in lists {
            if let Some(unknown) = list.iter().find(|name| !names.contains(name.as_str())) {
                return sense(place, format!("there is no state {unknown:?}; there are {known}"));
            }
        }
        Ok(())
    }

    fn check_ways(&self) -> Result<(), NavigationError> {
        let also: Vec<CanonicalUrl> = self
            .also
            .iter()
            .filter_map(|list| CanonicalUrl::trusted(list.as_str()))
            .collect();
        let begins = |state: &&State| {
            let mut patterns = state.patterns.iter();
            patterns.any(|pattern| also.iter().any(|url| pattern.matches(url)))
        };
        let mut reached: BTreeSet<&str> = self.start.iter().map(String::as_str).collect();
        for state in self.states.iter().filter(begins) {
            reached.insert(&state.name);
            // A list among pages about one thing leads to all of those.
            if state.role == Role::Object {
                let things = self.states.iter().filter(|state| state.role == Role::Object);
                reached.extend(things.map(|state| state.name.as_str()));
            }
        }
        // A state is added at most once, so this ends.
        loop {
            let before = reached.len();
            for state in &self.states {
                if reached.contains(state.name.as_str()) {
                    reached.extend(state.next.iter().map(String::as_str));
                }
            }
            if reached.len() == before {
                break;
            }
        }
        match self
            .states
            .iter()
            .find(|state| !reached.contains(state.name.as_str()))
        {
            None => Ok(()),
            Some(lost) => sense(
                format!("state {:?}", lost.name),
                "nothing leads to it; name it in start or in the next of another state, or one of its pages in also",
            ),
        }
    }
}

fn sense<T>(place: impl Into<String>, reason: impl Into<String>) -> Result<T, NavigationError> {
    Err(NavigationError::Sense {
        place: place.into(),
        reason: reason.into(),
    })
}
