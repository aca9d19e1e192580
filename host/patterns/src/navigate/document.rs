//! The navigation of a site as a document: TOML or JSON that people can read and edit.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::pattern::UrlPattern;
use crate::rendering::{Mode, RenderingRule};
use magpie_model::CanonicalUrl;

/// Maximum number of states. A site with more page classes was not understood.
pub(super) const MAX_STATES: usize = 500;

/// Maximum number of rules about rendering.
const MAX_RULES: usize = 500;

/// Maximum number of queries of a search. Each is a request in every round.
const MAX_QUERIES: usize = 1_000;

/// The navigation to the wanted pages of a site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Navigation {
    /// Page at which a recrawl starts.
    pub entry: UrlPattern,
    /// URLs of lists at which a recrawl also starts. Either the pages that lead to them are not
    /// worth fetching, or their URLs look like those of detail pages, whose links are not followed.
    /// In the latter case they lead to all detail pages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// Pages of hub states without links of their own, such as terms or an imprint. They are not
    /// fetched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skip: Vec<String>,
    /// If true, the site's sitemaps and feeds are read before the entry page, because they list
    /// object pages that no link leads to.
    #[serde(default, skip_serializing_if = "is_false")]
    pub sitemaps: bool,
    /// Names of the states that the entry page links to.
    #[serde(default)]
    pub start: Vec<String>,
    /// Searches that a recrawl asks for objects that no link leads to.
    #[serde(default, rename = "search", skip_serializing_if = "Vec::is_empty")]
    pub searches: Vec<Search>,
    /// Ways to have the pages of URL patterns that a plain fetch does not have whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rendering: Vec<RenderingRule>,
    /// Classes of hubs and of wanted pages.
    #[serde(default, rename = "state")]
    pub states: Vec<State>,
}

/// A search of the site with the queries that are asked in every round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// The URL of its result pages, with `{query}` in the place of the query. A filter form has
    /// `{arguments}` at its end.
    pub template: String,
    /// The maximum number of pages of results that are read of each query.
    #[serde(default = "one_page", skip_serializing_if = "is_one_page")]
    pub pages: u32,
    /// The queries: words, or the arguments of a submission as in a URL.
    #[serde(default)]
    pub queries: Vec<String>,
}

fn one_page() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_one_page(pages: &u32) -> bool {
    *pages == 1
}

/// A class of pages and the targets of its links.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// Unique name of the state.
    pub name: String,
    /// Purpose of its pages: objects, links, or both.
    pub role: Role,
    pub patterns: Vec<UrlPattern>,
    /// Names of the states that it links to. Its own name means pagination.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<String>,
    /// Maximum number of its pages in one recrawl; unlimited by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_pages: Option<u32>,
    /// Kind of pagination, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<Turns>,
    /// Number of pages in a row without anything new after which no more pages of this state are
    /// fetched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patience: Option<u32>,
    /// Objects per 100 requests that its pages added to those of other lists when the site was
    /// learned. Rounds do not use it: they count what each page adds now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adds: Option<u32>,
}

/// Purpose of a state's pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Links only: read again in every recrawl.
    Hub,
    /// Objects: read when new or due.
    Object,
    /// Objects and links, as in a list with objects on it.
    Both,
}

/// Kind of pagination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Turns {
    Pages,
    /// By day or month; a calendar never ends.
    Calendar,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NavigationError {
    /// Invalid TOML or JSON; the text names line and column.
    #[error("{0}")]
    Syntax(String),
    /// Valid syntax with contradictory content.
    #[error("{place}: {reason}")]
    Sense {
        /// Location: `state "list", next`.
        place: String,
        /// The problem, and what is allowed instead.
        reason: String,
    },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_false(value: &bool) -> bool {
    !value
}

impl Navigation {
    /// Parses and checks TOML.
    pub fn from_toml(text: &str) -> Result<Navigation, NavigationError> {
        let read: Navigation = toml::from_str(text)
            .map_err(|error| NavigationError::Syntax(error.to_string().trim_end().to_owned()))?;
        read.check()?;
        Ok(read)
    }

    /// Parses and checks JSON.
    pub fn from_json(text: &str) -> Result<Navigation, NavigationError> {
        let read: Navigation =
            serde_json::from_str(text).map_err(|error| NavigationError::Syntax(error.to_string()))?;
        read.check()?;
        Ok(read)
    }

    pub fn to_toml(&self) -> Result<String, NavigationError> {
        toml::to_string(self).map_err(|error| NavigationError::Syntax(error.to_string()))
    }

    /// Checks that all names refer to states and that every state can be reached.
    pub fn check(&self) -> Result<(), NavigationError> {
        if self.states.len() > MAX_STATES {
            return invalid("state", format!("there are more than {MAX_STATES} states"));
        }
        if !self.entry.is_exact() {
            return invalid(
                "entry",
                "a recrawl starts at one page, so nothing in its URL can vary",
            );
        }
        for search in &self.searches {
            if !["{query}", "{arguments}"]
                .iter()
                .any(|place| search.template.contains(place))
            {
                let reason = format!("{:?} has no {{query}} and no {{arguments}}", search.template);
                return invalid("search, template", reason);
            }
            if search.pages == 0 {
                return invalid("search, pages", "the maximum is 0; remove the search instead");
            }
            if search.queries.len() > MAX_QUERIES {
                let reason = format!("there are more than {MAX_QUERIES} queries");
                return invalid("search, queries", reason);
            }
        }
        if self.rendering.len() > MAX_RULES {
            return invalid("rendering", format!("there are more than {MAX_RULES} rules"));
        }
        for rule in &self.rendering {
            let place = format!("rendering {:?}", rule.pattern.to_string());
            match (rule.mode, &rule.endpoint) {
                (Mode::Endpoint, None) => {
                    let reason = "the mode `endpoint` needs the URL of the data; add a line such as \
                                  endpoint = \"https://example.org/api{path}{query}\"";
                    return invalid(place, reason);
                }
                (Mode::Plain | Mode::Embedded | Mode::Render, Some(_)) => {
                    let reason = format!(
                        "`endpoint` has no effect with the mode `{}`; remove it, or set mode = \"endpoint\"",
                        rule.mode
                    );
                    return invalid(place, reason);
                }
                _ => {}
            }
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
            return invalid("also", format!("{lost:?} matches no pattern of any state"));
        }
        let mut names: BTreeSet<&str> = BTreeSet::new();
        for (place, state) in self.states.iter().enumerate() {
            if state.name.is_empty() {
                return invalid(format!("state number {}", place + 1), "it has no name");
            }
            let place = format!("state {:?}", state.name);
            if !names.insert(&state.name) {
                return invalid(place, "two states have this name");
            }
            if state.patterns.is_empty() {
                return invalid(
                    format!("{place}, patterns"),
                    "it has no pattern, so no page belongs to it",
                );
            }
            if state.most_pages == Some(0) {
                return invalid(
                    format!("{place}, most_pages"),
                    "the maximum is 0; remove the state instead",
                );
            }
        }
        self.check_names(&names)?;
        self.check_reachability()
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
                return invalid(
                    place,
                    format!("there is no state {unknown:?}; the states are {known}"),
                );
            }
        }
        Ok(())
    }

    fn check_reachability(&self) -> Result<(), NavigationError> {
        // A recrawl also starts at these lists, so their states are reached without a link.
        let also: Vec<CanonicalUrl> = self
            .also
            .iter()
            .filter_map(|list| CanonicalUrl::trusted(list.as_str()))
            .collect();
        let starts_here = |state: &&State| {
            let mut patterns = state.patterns.iter();
            patterns.any(|pattern| also.iter().any(|url| pattern.matches(url)))
        };
        let mut reached: BTreeSet<&str> = self.start.iter().map(String::as_str).collect();
        for state in self.states.iter().filter(starts_here) {
            reached.insert(&state.name);
            // A list among detail pages leads to all of them.
            if state.role == Role::Object {
                let details = self.states.iter().filter(|state| state.role == Role::Object);
                reached.extend(details.map(|state| state.name.as_str()));
            }
        }
        // Terminates because each state is added at most once.
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
            Some(lost) => invalid(
                format!("state {:?}", lost.name),
                "unreachable; list it in `start` or in `next` of another state, or list one of its pages in `also`",
            ),
        }
    }
}

fn invalid<T>(place: impl Into<String>, reason: impl Into<String>) -> Result<T, NavigationError> {
    Err(NavigationError::Sense {
        place: place.into(),
        reason: reason.into(),
    })
}
