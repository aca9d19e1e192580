//! Settings of a search engine.

use std::fmt;
use std::time::Duration;

/// Settings of a search engine. Fields that a kind does not need are `None`.
#[derive(Clone)]
pub struct EngineSettings {
    pub kind: EngineKind,
    /// SearXNG: the URL of the instance, such as `http://localhost:8888`. Brave: nothing, or
    /// another URL than its own. A template: the URL of a query, with `{query}` in its place, and
    /// optionally `{count}` and `{key}`.
    pub url: Option<String>,
    pub key: Option<Key>,
    /// A template's header field: its name and its value, which may contain `{key}`.
    pub header: Option<(String, String)>,
    /// The list of results in an answer to a template: a JSON pointer such as `/web/results`. Empty
    /// if the answer is the list.
    pub results: Option<String>,
    /// The URL in each result: a name such as `url`, or a JSON pointer. Empty if the result is the
    /// URL.
    pub result_url: Option<String>,
    /// A template's number of all results in an answer: a JSON pointer such as `/total`. `None` if
    /// its answers have none.
    pub total: Option<String>,
    /// Maximum number of results per query.
    pub count: usize,
    /// Delay between two requests.
    pub delay: Duration,
    /// Number of retries of a failed request.
    pub retries: u32,
    /// Maximum wait before a retry. If the engine asks for a longer one, the query is given up.
    pub longest_wait: Duration,
    /// Timeout of a request.
    pub timeout: Duration,
    /// Maximum length of an answer, in bytes.
    pub body_bytes: usize,
}

impl EngineSettings {
    /// Number of results on a page; later ones are seldom about the object.
    const COUNT: usize = 10;
    /// Brave's smallest plan takes a query a second, and SearXNG passes each on to several engines.
    const DELAY: Duration = Duration::from_secs(1);
    /// A query that failed four times would fail again, and there are others.
    const RETRIES: u32 = 3;
    /// Engines count by the second and the minute. Who asks for more time has counted the month.
    const MAX_WAIT: Duration = Duration::from_secs(60);
    /// SearXNG waits some seconds for the slowest of its engines.
    pub(super) const TIMEOUT: Duration = Duration::from_secs(20);
    /// Twenty results with their snippets have some 50 KB.
    const BODY_BYTES: usize = 1024 * 1024;

    /// An engine of a kind, with nothing set beyond it.
    pub fn new(kind: EngineKind) -> EngineSettings {
        EngineSettings {
            kind,
            url: None,
            key: None,
            header: None,
            results: None,
            result_url: None,
            total: None,
            count: EngineSettings::COUNT,
            delay: EngineSettings::DELAY,
            retries: EngineSettings::RETRIES,
            longest_wait: EngineSettings::MAX_WAIT,
            timeout: EngineSettings::TIMEOUT,
            body_bytes: EngineSettings::BODY_BYTES,
        }
    }
}

impl fmt::Debug for EngineSettings {
    /// Without the address and the header's value, into which people write their keys.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header = self.header.as_ref().map(|(name, _)| name);
        formatter
            .debug_struct("EngineSettings")
            .field("kind", &self.kind)
            .field("key", &self.key)
            .field("header", &header)
            .field("results", &self.results)
            .field("result_url", &self.result_url)
            .field("total", &self.total)
            .field("count", &self.count)
            .field("delay", &self.delay)
            .field("retries", &self.retries)
            .field("longest_wait", &self.longest_wait)
            .field("timeout", &self.timeout)
            .field("body_bytes", &self.body_bytes)
            .finish_non_exhaustive()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EngineKind {
    /// SearXNG, with JSON among its formats.
    Searxng,
    Brave,
    /// Any other that takes a query in the address of a request and answers with JSON.
    Template,
}

impl EngineKind {
    pub const ALL: [EngineKind; 3] = [EngineKind::Searxng, EngineKind::Brave, EngineKind::Template];

    /// As settings write it.
    pub fn name(self) -> &'static str {
        match self {
            EngineKind::Searxng => "searxng",
            EngineKind::Brave => "brave",
            EngineKind::Template => "template",
        }
    }

    pub fn parse(name: &str) -> Option<EngineKind> {
        EngineKind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl fmt::Display for EngineKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A secret, which can't be printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    pub fn new(key: impl Into<String>) -> Key {
        Key(key.into())
    }

    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("***")
    }
}
