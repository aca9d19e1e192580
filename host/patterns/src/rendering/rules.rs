//! Rules about the pages of a site.

use magpie_model::{CanonicalUrl, words};
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::EndpointTemplate;
use crate::pattern::{PatternSet, UrlPattern};

words! {
    /// A way to have the pages of a kind.
    pub enum Mode as "way to have pages" {
        /// A plain fetch has all objects and links.
        Plain = "plain",
        /// A plain fetch has them in the data that the page's scripts start from.
        Embedded = "embedded",
        /// The page's scripts fetch them from another URL, which a plain fetch has, too.
        Endpoint = "endpoint",
        /// Only a browser has them.
        Render = "render",
    }
}

/// The way to have the pages of a URL pattern.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RenderingRule {
    /// URL pattern of the pages.
    #[schemars(with = "String")]
    pub pattern: UrlPattern,
    /// Way to fetch them.
    #[serde(deserialize_with = "written_mode")]
    pub mode: Mode,
    /// The URL of a page's data, for the mode `endpoint`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub endpoint: Option<EndpointTemplate>,
    /// Cost of a page as a multiple of that of a plain fetch, for the mode `render`: measured CPU
    /// time and bytes.
    #[serde(default = "plain_cost", skip_serializing_if = "is_plain_cost")]
    pub cost: u32,
}

/// Reads a mode that a person may have written.
fn written_mode<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Mode, D::Error> {
    let word = String::deserialize(deserializer)?;
    let known = Mode::ALL.iter().find(|mode| mode.as_str() == word);
    known.copied().ok_or_else(|| {
        D::Error::custom(format!(
            "unknown mode `{word}`: expected \"plain\", \"embedded\", \"endpoint\" or \"render\""
        ))
    })
}

fn plain_cost() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_plain_cost(cost: &u32) -> bool {
    *cost == plain_cost()
}

/// The rules of a site, matched by URL.
#[derive(Clone, Debug, Default)]
pub struct RenderingRules {
    rules: Vec<RenderingRule>,
    patterns: PatternSet,
}

impl RenderingRules {
    /// Compiles rules. Of two that match a URL, the one with the more specific pattern holds.
    pub fn new(rules: Vec<RenderingRule>) -> RenderingRules {
        RenderingRules {
            patterns: PatternSet::new(rules.iter().map(|rule| rule.pattern.clone())),
            rules,
        }
    }

    /// Returns true if there are no rules.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    pub fn rules(&self) -> &[RenderingRule] {
        &self.rules
    }

    /// Returns the rule about a page.
    pub fn of(&self, url: &CanonicalUrl) -> Option<&RenderingRule> {
        self.rules.get(self.place(url)?)
    }

    /// Returns the place of the rule about a page among the rules.
    pub fn place(&self, url: &CanonicalUrl) -> Option<usize> {
        self.patterns.best(url)
    }

    /// Returns the cost of a page as a multiple of that of a plain fetch.
    pub fn cost(&self, url: &CanonicalUrl) -> u32 {
        let rule = self.of(url).filter(|rule| rule.mode == Mode::Render);
        rule.map_or(plain_cost(), |rule| rule.cost.max(plain_cost()))
    }

    /// Returns the way to have a page.
    pub fn mode(&self, url: &CanonicalUrl) -> Mode {
        self.of(url).map_or(Mode::Plain, |rule| rule.mode)
    }

    /// Returns the URL of a page's data, if the page's objects come from there.
    pub fn endpoint(&self, url: &CanonicalUrl) -> Option<CanonicalUrl> {
        let rule = self.of(url).filter(|rule| rule.mode == Mode::Endpoint)?;
        rule.endpoint.as_ref()?.fill(url).filter(|data| data != url)
    }

    /// Returns true if a rule names a service as the place of data, and a URL is below it: with the
    /// endpoint `https://hall.example/wp-json/events{query}` the service `wp-json`.
    pub fn uses_service(&self, url: &CanonicalUrl, service: &str) -> bool {
        let rules = self.rules.iter().filter(|rule| rule.mode == Mode::Endpoint);
        let mut beginnings = rules.filter_map(|rule| Some(rule.endpoint.as_ref()?.beginning()));
        beginnings.any(|beginning| {
            let names_it = beginning.split('/').skip(3).any(|name| name == service);
            names_it && url.as_str().starts_with(beginning)
        })
    }
}
