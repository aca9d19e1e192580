//! The vertical that is clustered, and its matcher.

use std::convert::Infallible;
use std::error::Error;

use magpie_matching::{BadFeatures, SchemaMatcher};
use magpie_model::{Matcher, VerticalInfo};
use magpie_rows::{MatcherKind, Matching};
use magpie_runtime::{Plugin, PluginMatcher};
use serde_json::{Value, json};

use super::Options;

/// A vertical, and the judge of which of its records are one object.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The description of the vertical.
    pub info: VerticalInfo,
    /// The code that decides which records are one object.
    pub matcher: MatcherKind,
    /// The digest of the component.
    pub digest: String,
    /// The options it runs with.
    pub options: Value,
}

impl Subject {
    /// The vertical of a plugin.
    pub fn of(plugin: &Plugin, matcher: MatcherKind) -> Self {
        Self {
            info: plugin.info().clone(),
            matcher,
            digest: plugin.inspection().digest.clone(),
            options: plugin.options(),
        }
    }

    /// Returns the inputs of decisions. If they change, everything is clustered again.
    pub(super) fn matching(&self, options: &Options) -> Matching {
        Matching {
            matcher: Some(self.matcher),
            digest: self.digest.clone(),
            options: json!({"component": self.options, "clustering": options.settings}).to_string(),
            schema: json!(self.info.attributes).to_string(),
        }
    }
}

/// A matcher that can reuse features from an earlier process.
pub trait Remembering: Matcher<Error: Error + Send + Sync + 'static> {
    /// Reason why features are refused.
    type Refusal;

    /// Adds features that were prepared earlier. If they are refused, everything is clustered
    /// again.
    fn remember(&mut self, features: &[u8]) -> Result<(), Self::Refusal>;
}

impl Remembering for PluginMatcher<'_> {
    type Refusal = Infallible;

    /// A plugin has no memory from one call to the next.
    fn remember(&mut self, _features: &[u8]) -> Result<(), Infallible> {
        Ok(())
    }
}

impl Remembering for SchemaMatcher {
    type Refusal = BadFeatures;

    fn remember(&mut self, features: &[u8]) -> Result<(), BadFeatures> {
        self.absorb(features)
    }
}
