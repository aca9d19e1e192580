//! Requests from settings. All problems of an engine's settings are found here, before the first
//! query.

use std::fmt;
use std::time::Duration;

use http::{HeaderName, HeaderValue};
use url::Url;

use super::template::{Flaw, Place, Template};
use super::{EngineKind, EngineSettings, Key};

const BRAVE: &str = "https://api.search.brave.com/res/v1/web/search";
const BRAVE_FIELD: &str = "X-Subscription-Token";
/// Brave gives no more for a query.
const BRAVE_COUNT: usize = 20;
/// Maximum number of results. No engine gives more at a time.
const MAX_RESULTS: usize = 100;
/// Longer keys are files.
const MAX_KEY_LEN: usize = 4096;
/// Longer addresses leave no room for the query.
const MAX_TEMPLATE_LEN: usize = 8192;

pub(super) struct Plan {
    pub(super) kind: EngineKind,
    /// The URL of the engine, without parts that may be secret.
    pub(super) label: String,
    address: Template,
    key: Option<Key>,
    pub(super) header: Option<(String, String)>,
    /// JSON pointers.
    pub(super) results: String,
    pub(super) result_url: String,
    /// The number of all results, if answers have it.
    pub(super) total: Option<String>,
    /// A field that identifies an answer without a list.
    pub(super) sign: Option<&'static str>,
    pub(super) count: usize,
    pub(super) delay: Duration,
    pub(super) retries: u32,
    pub(super) longest_wait: Duration,
    pub(super) timeout: Duration,
    pub(super) body_bytes: usize,
}

/// Settings that no engine can be asked by, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadEngine {
    #[error("`search.url` is not set: a {kind} engine needs one, such as {}", example(*.kind))]
    NoUrl { kind: EngineKind },
    #[error("invalid `search.url`: {reason}; expected a URL such as {}", example(*.kind))]
    BadUrl { kind: EngineKind, reason: String },
    /// A template without a place for the query.
    #[error(
        "`search.url` has no {{query}}; write it in place of the query, such as {}",
        example(EngineKind::Template)
    )]
    NoQuery,
    /// A place that is not known.
    #[error("`search.{setting}` has the unknown placeholder {{{name}}}: expected {known}")]
    UnknownPlace {
        setting: &'static str,
        /// The text between the braces.
        name: String,
        known: &'static str,
    },
    #[error("`search.{setting}` has a {{ without a }}; write %7B for the brace itself")]
    OpenPlace { setting: &'static str },
    /// The query or the key would select the host that is asked.
    #[error(
        "`search.url` has a placeholder in its scheme, user or host; placeholders are allowed only after the host"
    )]
    PlaceInHost,
    #[error("`search.key` is not set: {why}")]
    NoKey {
        /// The reason why a key is needed, or where to get one.
        why: &'static str,
    },
    #[error("`search.key` is set but not used: {hint}")]
    UnusedKey { hint: &'static str },
    #[error("`search.key` is {reason}; check whether it was copied correctly")]
    BadKey { reason: &'static str },
    #[error(
        "the header field {name:?} of `search.header` can't be sent: a name has letters, digits and dashes, a value has no line breaks"
    )]
    BadHeader {
        /// Its name. The value may be secret.
        name: String,
    },
    /// A template without a list of results.
    #[error(
        "`search.results_at` is not set: set it to the JSON pointer of the list in the response, such as /web/results, or to \"\" if the response is the list"
    )]
    NoResults,
    #[error("invalid JSON pointer {pointer:?}: a ~ must precede 0 or 1; write ~0 for the ~ itself")]
    BadPointer { pointer: String },
    /// A setting that the kind of engine does not know.
    #[error("a {kind} engine has no `search.{setting}`; remove it, or set `search.engine` to \"template\"")]
    Unneeded { kind: EngineKind, setting: &'static str },
    #[error("invalid value `{found}` for `{setting}`: expected {least} to {most}")]
    OutOfRange {
        setting: &'static str,
        found: usize,
        least: usize,
        most: usize,
    },
    /// There is no time for an answer.
    #[error("invalid value `0s` for the timeout: expected a longer time, such as {} s", EngineSettings::TIMEOUT.as_secs())]
    NoTime,
}

fn example(kind: EngineKind) -> &'static str {
    match kind {
        EngineKind::Searxng => "http://localhost:8888",
        EngineKind::Brave => BRAVE,
        EngineKind::Template => "https://example.org/search?q={query}&n={count}",
    }
}

impl Plan {
    pub(super) fn new(settings: EngineSettings) -> Result<Plan, BadEngine> {
        check_numbers(&settings)?;
        if let Some(key) = &settings.key {
            check_key(key)?;
        }
        let way = match settings.kind {
            EngineKind::Searxng => searxng(&settings)?,
            EngineKind::Brave => brave(&settings)?,
            EngineKind::Template => template(&settings)?,
        };
        Ok(Plan {
            kind: settings.kind,
            label: way.label,
            address: way.address,
            key: settings.key,
            header: way.header,
            results: way.results,
            result_url: way.result_url,
            total: way.total,
            sign: way.sign,
            count: settings.count,
            delay: settings.delay,
            retries: settings.retries,
            longest_wait: settings.longest_wait,
            timeout: settings.timeout,
            body_bytes: settings.body_bytes,
        })
    }

    pub(super) fn address(&self, query: &str) -> String {
        let key = self.key.as_ref().map(Key::reveal).unwrap_or_default();
        self.address.address(query, self.count, key)
    }
}

impl fmt::Debug for Plan {
    /// Without the header's value.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Plan")
            .field("kind", &self.kind)
            .field("label", &self.label)
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

/// The differences between kinds.
struct Way {
    label: String,
    address: Template,
    header: Option<(String, String)>,
    results: String,
    result_url: String,
    total: Option<String>,
    sign: Option<&'static str>,
}

fn searxng(settings: &EngineSettings) -> Result<Way, BadEngine> {
    check_unneeded(settings)?;
    if settings.key.is_some() {
        let hint = "SearXNG has no key; write a user name and password of its server into `search.url`";
        return Err(BadEngine::UnusedKey { hint });
    }
    let url = base(settings)?.ok_or(BadEngine::NoUrl { kind: settings.kind })?;
    let path = url.path().trim_end_matches('/');
    let mut instance = url.clone();
    // People copy the address of the search page as well as that of the front page.
    instance.set_path(path.strip_suffix("/search").unwrap_or(path));
    let instance = instance.as_str().trim_end_matches('/').to_owned();
    Ok(Way {
        // SearXNG has no key, so its path can be shown. It tells two instances on one host apart.
        label: format!("{}{path}", url.origin().ascii_serialization()),
        address: Template::around(format!("{instance}/search?q="), Place::Query, "&format=json"),
        header: None,
        results: "/results".to_owned(),
        result_url: "/url".to_owned(),
        total: Some("/number_of_results".to_owned()),
        sign: None,
    })
}

fn brave(settings: &EngineSettings) -> Result<Way, BadEngine> {
    check_unneeded(settings)?;
    let why = "get one at https://api-dashboard.search.brave.com";
    let key = settings.key.as_ref().ok_or(BadEngine::NoKey { why })?;
    let url = match base(settings)? {
        Some(url) => url.into(),
        None => BRAVE.to_owned(),
    };
    Ok(Way {
        label: label(&url),
        address: Template::around(format!("{url}?q="), Place::Query, "&count=").then(Place::Count),
        header: Some((BRAVE_FIELD.to_owned(), key.reveal().to_owned())),
        results: "/web/results".to_owned(),
        result_url: "/url".to_owned(),
        total: None,
        // Without results on the web, Brave leaves `web` out and repeats the query all the same.
        sign: Some("/query"),
    })
}

fn template(settings: &EngineSettings) -> Result<Way, BadEngine> {
    let kind = settings.kind;
    let text = settings.url.as_deref().ok_or(BadEngine::NoUrl { kind })?;
    let address = parsed("url", text)?;
    if !address.has(Place::Query) {
        return Err(BadEngine::NoQuery);
    }
    // Filled twice with different values: if the host depends on them, the query or the key chooses
    // the server.
    let url = checked(kind, &address.address("a", 1, "a"))?;
    let other = checked(kind, &address.address("b", 2, "b"))?;
    let before_path = |url: &Url| url[..url::Position::BeforePath].to_owned();
    if before_path(&url) != before_path(&other) {
        return Err(BadEngine::PlaceInHost);
    }
    let results = settings.results.as_deref().ok_or(BadEngine::NoResults)?;
    Ok(Way {
        label: label(url.as_str()),
        header: header(settings, &address)?,
        address,
        results: pointer(results)?,
        result_url: pointer(settings.result_url.as_deref().unwrap_or("url"))?,
        total: settings.total.as_deref().map(pointer).transpose()?,
        sign: None,
    })
}

fn header(settings: &EngineSettings, address: &Template) -> Result<Option<(String, String)>, BadEngine> {
    let fields = settings.header.as_ref();
    let field = fields
        .map(|(name, value)| Ok((name, parsed("header", value)?)))
        .transpose()?;
    let in_header = field.as_ref().is_some_and(|(_, value)| value.has(Place::Key));
    let is_used = in_header || address.has(Place::Key);
    let key = match (&settings.key, is_used) {
        (Some(key), true) => key.reveal(),
        (None, false) => "",
        (None, true) => {
            return Err(BadEngine::NoKey {
                why: "`search.url` or `search.header` contains {key}",
            });
        }
        (Some(_), false) => {
            let hint = "write {key} into `search.url`, or into `search.header`, such as Authorization with the value Bearer {key}";
            return Err(BadEngine::UnusedKey { hint });
        }
    };
    let Some((name, value)) = field else {
        return Ok(None);
    };
    for (place, written) in [(Place::Query, "query"), (Place::Count, "count")] {
        if value.has(place) {
            let (setting, name, known) = ("header", written.to_owned(), "only {key}");
            return Err(BadEngine::UnknownPlace { setting, name, known });
        }
    }
    let value = value.field(key);
    let is_field = HeaderName::from_bytes(name.as_bytes()).is_ok() && HeaderValue::from_str(&value).is_ok();
    if !is_field {
        return Err(BadEngine::BadHeader { name: name.clone() });
    }
    Ok(Some((name.clone(), value)))
}

fn parsed(setting: &'static str, text: &str) -> Result<Template, BadEngine> {
    Template::parse(text).map_err(|flaw| match flaw {
        Flaw::Open => BadEngine::OpenPlace { setting },
        Flaw::Unknown(name) => BadEngine::UnknownPlace {
            setting,
            name: name.chars().take(40).collect(),
            known: if setting == "url" {
                "{query}, {count} or {key}"
            } else {
                "only {key}"
            },
        },
    })
}

/// The address of an engine that needs no template.
fn base(settings: &EngineSettings) -> Result<Option<Url>, BadEngine> {
    let kind = settings.kind;
    let Some(text) = &settings.url else {
        return Ok(None);
    };
    let url = checked(kind, text)?;
    if url.query().is_some() || url.fragment().is_some() {
        let reason = "it contains ? or #, but the query is appended to it".to_owned();
        return Err(BadEngine::BadUrl { kind, reason });
    }
    Ok(Some(url))
}

fn checked(kind: EngineKind, text: &str) -> Result<Url, BadEngine> {
    let bad = |reason: String| BadEngine::BadUrl { kind, reason };
    if text.len() > MAX_TEMPLATE_LEN {
        return Err(bad(format!("it has more than {MAX_TEMPLATE_LEN} bytes")));
    }
    let url = Url::parse(text.trim()).map_err(|error| bad(error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(bad("it begins with neither http:// nor https://".to_owned()));
    }
    Ok(url)
}

/// An address without anything that may be secret: a key may be in the path as well.
fn label(url: &str) -> String {
    match Url::parse(url) {
        Ok(url) => url.origin().ascii_serialization(),
        Err(_) => "the search engine".to_owned(),
    }
}

/// A JSON pointer, or the name it is short for.
fn pointer(text: &str) -> Result<String, BadEngine> {
    let escapes = text.split('~').skip(1);
    // RFC 6901 knows only `~0` and `~1`.
    if escapes.into_iter().any(|after| !after.starts_with(['0', '1'])) {
        return Err(BadEngine::BadPointer {
            pointer: text.to_owned(),
        });
    }
    Ok(match text {
        "" => String::new(),
        pointer if pointer.starts_with('/') => pointer.to_owned(),
        name => format!("/{name}"),
    })
}

fn check_unneeded(settings: &EngineSettings) -> Result<(), BadEngine> {
    let set = [
        ("header", settings.header.is_some()),
        ("results_at", settings.results.is_some()),
        ("url_at", settings.result_url.is_some()),
        ("total_at", settings.total.is_some()),
    ];
    match set.into_iter().find(|(_, is_set)| *is_set) {
        Some((setting, _)) => Err(BadEngine::Unneeded {
            kind: settings.kind,
            setting,
        }),
        None => Ok(()),
    }
}

fn check_numbers(settings: &EngineSettings) -> Result<(), BadEngine> {
    let most = match settings.kind {
        EngineKind::Brave => BRAVE_COUNT,
        _ => MAX_RESULTS,
    };
    // A megabyte of JSON becomes some ten of values.
    let ranges = [
        ("search.results", settings.count, 1, most),
        ("body_bytes", settings.body_bytes, 1024, 16 * 1024 * 1024),
    ];
    for (setting, found, least, most) in ranges {
        if !(least..=most).contains(&found) {
            return Err(BadEngine::OutOfRange {
                setting,
                found,
                least,
                most,
            });
        }
    }
    if settings.timeout.is_zero() {
        return Err(BadEngine::NoTime);
    }
    Ok(())
}

fn check_key(key: &Key) -> Result<(), BadEngine> {
    let key = key.reveal();
    let reason = if key.is_empty() {
        "empty"
    } else if key.len() > MAX_KEY_LEN {
        "too long"
    } else if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        "invalid: it has a space, a line break or a character that keys do not have"
    } else {
        return Ok(());
    };
    Err(BadEngine::BadKey { reason })
}
