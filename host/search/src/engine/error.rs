//! Reasons why a query has no answer.

use std::time::Duration;

use magpie_web::FetchError;

use super::EngineKind;

/// Reason why a query has no answer, in one sentence. It never shows the query, the key, or text of
/// the engine.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    #[error("the query is empty")]
    EmptyQuery,
    #[error("the query has {bytes} bytes, more than the maximum of {limit}")]
    LongQuery { bytes: usize, limit: usize },
    /// The engine can't be reached, or may not.
    #[error("{engine} can't be reached{}: {cause}", after(*.tries))]
    Down {
        engine: String,
        tries: u32,
        cause: Box<FetchError>,
    },
    #[error("{engine} can't be queried: its URL or a header field is invalid")]
    Unsendable { engine: String },
    /// The engine reports a failure of its own.
    #[error("{engine} failed{}: it answered with status {status}", after(*.tries))]
    Failing { engine: String, status: u16, tries: u32 },
    #[error("{engine} is too slow{}: no answer within {} s", after(*.tries), .limit.as_secs_f64())]
    Slow {
        engine: String,
        limit: Duration,
        tries: u32,
    },
    #[error("{engine} does not complete its responses{}: {reason}", after(*.tries))]
    BrokenOff {
        engine: String,
        reason: String,
        tries: u32,
    },
    /// The engine was asked too often.
    #[error("{engine} received too many queries (status 429){}", waiting(*.wanted, *.longest, *.tries))]
    RateLimited {
        engine: String,
        /// The pause that the engine asks for, if it does.
        wanted: Option<Duration>,
        /// The longest wait that is accepted.
        longest: Duration,
        tries: u32,
    },
    /// The engine does not answer such as us.
    #[error("{engine} refuses to answer (status {status}): {}", refusal(*.kind, *.status))]
    Refused {
        engine: String,
        status: u16,
        kind: EngineKind,
    },
    #[error("{engine} redirects to {} (status {status}); redirects are not followed, since the key is for this host only; set `search.url` to the target", .to.as_deref().unwrap_or("nowhere"))]
    Redirected {
        engine: String,
        status: u16,
        to: Option<String>,
    },
    #[error("{engine} answered with status {status}: {}", unexpected(*.kind))]
    Unexpected {
        engine: String,
        status: u16,
        kind: EngineKind,
    },
    #[error("{engine} answered with {} instead of JSON: {}", if *.is_html { "a web page" } else { "something else" }, not_json(*.kind, *.is_html, .reason))]
    NotJson {
        engine: String,
        kind: EngineKind,
        reason: String,
        /// True if it is an HTML page.
        is_html: bool,
    },
    /// The answer has no list of results.
    #[error("the response of {engine} has no list at {pointer:?}: {}", no_list(*.kind))]
    NoList {
        engine: String,
        kind: EngineKind,
        pointer: String,
    },
    /// The list holds something else than pages.
    #[error("none of the {results} results of {engine} has an http or https URL at {pointer:?}{}", if *.kind == EngineKind::Template { "; set `search.url_at` to its JSON pointer" } else { "" })]
    NoAddresses {
        engine: String,
        kind: EngineKind,
        results: usize,
        pointer: String,
    },
    #[error("the response of {engine} is longer than {limit} bytes")]
    LongAnswer { engine: String, limit: usize },
}

impl SearchError {
    /// Returns true if every other query would fail in the same way.
    pub fn is_final(&self) -> bool {
        match self {
            SearchError::Down { cause, .. } => !cause.is_retryable(),
            SearchError::RateLimited { wanted, longest, .. } => {
                wanted.is_some_and(|wanted| wanted > *longest)
            }
            // A page instead of JSON comes from a setting of the engine. Broken JSON may come from
            // this query alone.
            SearchError::NotJson { is_html, .. } => *is_html,
            SearchError::Refused { .. } | SearchError::Redirected { .. } | SearchError::Unsendable { .. } => {
                true
            }
            SearchError::EmptyQuery
            | SearchError::LongQuery { .. }
            | SearchError::Failing { .. }
            | SearchError::Slow { .. }
            | SearchError::BrokenOff { .. }
            | SearchError::Unexpected { .. }
            | SearchError::NoList { .. }
            | SearchError::NoAddresses { .. }
            | SearchError::LongAnswer { .. } => false,
        }
    }
}

/// Instructions for enabling JSON in SearXNG.
const JSON_OFF: &str = "JSON is not among its formats; in its settings.yml write `- json` below `- html` in the list `formats:` of `search:`, and restart it";

fn after(tries: u32) -> String {
    match tries {
        0 | 1 => String::new(),
        tries => format!(" after {tries} tries"),
    }
}

fn waiting(wanted: Option<Duration>, longest: Duration, tries: u32) -> String {
    match wanted {
        Some(wanted) if wanted > longest => format!(
            " and asks for a pause of {} s, longer than the maximum of {} s; its quota may be used up",
            wanted.as_secs(),
            longest.as_secs_f64()
        ),
        _ => format!("{}; a longer delay between queries helps", after(tries)),
    }
}

fn refusal(kind: EngineKind, status: u16) -> &'static str {
    match (kind, status) {
        (_, 402) => "its quota is used up, or it requires a payment",
        (EngineKind::Searxng, 401) => {
            "its server requires a user name and password; add them to `search.url`"
        }
        (EngineKind::Searxng, _) => JSON_OFF,
        (EngineKind::Brave, _) => "the key is wrong, has expired or belongs to another plan",
        (EngineKind::Template, _) => "the key is wrong or missing, or in the wrong place",
    }
}

fn unexpected(kind: EngineKind) -> &'static str {
    match kind {
        EngineKind::Searxng => "check that a SearXNG runs there; `search.url` is the URL of its front page",
        EngineKind::Brave => "it rejected the query, or the key, for which Brave answers 422 as well",
        EngineKind::Template => "it rejected the query; compare `search.url` with the engine's documentation",
    }
}

fn not_json(kind: EngineKind, is_html: bool, reason: &str) -> String {
    match kind {
        EngineKind::Searxng if is_html => JSON_OFF.to_owned(),
        _ => reason.to_owned(),
    }
}

fn no_list(kind: EngineKind) -> &'static str {
    match kind {
        EngineKind::Searxng => "check that a SearXNG runs there",
        EngineKind::Brave => "check that `search.url` is Brave's web search",
        EngineKind::Template => "nothing was found, or `search.results_at` points elsewhere",
    }
}
