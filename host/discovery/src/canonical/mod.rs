//! Canonical URLs: one URL per page, and the changes made to get it.
//!
//! Changes are of two kinds. Safe ones spell the same request differently, as RFC 3986 and browsers
//! allow. The others (tracking keys, sessions, the order of keys) rely on conventions of sites, and
//! are settings.

mod cache;
mod change;
mod escapes;
mod explain;
mod keys;
mod plain;
mod query;
mod session;
mod url_rule;
mod watch;

use std::sync::LazyLock;

use magpie_model::CanonicalUrl;
use url::{Position, Url};

pub use cache::{LinkBase, LinkCache, Resolved};
pub use change::Change;
pub(crate) use escapes::hex_value;
pub use url_rule::UrlRule;
pub use watch::{KeyEvidence, KeyWatch, KeyWatchSettings, ProvenKey};

use escapes::{Needs, Respelled, respell};
use keys::Keys;
use session::Needless;

/// Maximum length of a URL. Servers refuse URLs from about 8 KiB on. Scope has a stricter limit;
/// this one bounds work.
pub const MAX_URL_LEN: usize = 64 * 1024;

/// Settings for changes beyond spelling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CanonicalSettings {
    /// Drop the known tracking keys, such as `utm_source`.
    pub drop_tracking: bool,
    /// Further keys to drop on all sites. One that ends in `*` covers all keys with that prefix.
    pub tracking_keys: Vec<String>,
    /// Keys to keep although they are known as tracking or session keys, or were proven to make no
    /// difference. One that begins with `;` is a path parameter.
    pub keep_keys: Vec<String>,
    /// Drop session identifiers from path and query.
    pub drop_session_ids: bool,
    /// Sort the keys of a query. Values of one key keep their order.
    pub order_keys: bool,
}

impl Default for CanonicalSettings {
    fn default() -> Self {
        CanonicalSettings {
            drop_tracking: true,
            tracking_keys: Vec::new(),
            keep_keys: Vec::new(),
            drop_session_ids: true,
            order_keys: true,
        }
    }
}

/// Brings URLs into canonical form. One per site, as sites differ in the keys that make no
/// difference.
#[derive(Clone, Debug)]
pub struct Canonicaliser {
    keys: Keys,
    drop_session_ids: bool,
    order_keys: bool,
    generation: u32,
}

/// A URL in canonical form and what was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canonical {
    pub url: CanonicalUrl,
    /// The changes, in no particular order.
    pub changes: Vec<Change>,
}

/// Reason why something is not the URL of a page.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unusable {
    #[error("not a URL: {0}")]
    NotAUrl(#[from] url::ParseError),
    #[error("`{0}:` is not a scheme of web pages; only http and https are")]
    OtherScheme(String),
    #[error("the URL has no host")]
    NoHost,
    /// Longer than [`MAX_URL_LEN`].
    #[error("the URL has {0} bytes, more than the maximum of {MAX_URL_LEN}")]
    TooLong(usize),
}

impl Canonicaliser {
    /// A canonicaliser that knows nothing of its site yet.
    pub fn new(settings: &CanonicalSettings) -> Canonicaliser {
        Canonicaliser {
            keys: Keys::new(settings),
            drop_session_ids: settings.drop_session_ids,
            order_keys: settings.order_keys,
            generation: 0,
        }
    }

    /// Applies a learned rule of this site. Returns true if it is new, so that URLs have another
    /// form from now on. Keys that the settings keep are kept.
    pub fn learn(&mut self, url_rule: &UrlRule) -> bool {
        let is_new = match url_rule {
            UrlRule::NeedlessKey(key) => self.keys.ignore(key),
            UrlRule::OwnOrder => std::mem::take(&mut self.order_keys),
        };
        self.generation += u32::from(is_new);
        is_new
    }

    /// The keys proven to change nothing.
    pub fn ignored_keys(&self) -> impl Iterator<Item = &str> {
        self.keys.ignored().iter().map(|key| &**key)
    }

    /// A number that grows with what is ignored, so that caches know when they are old.
    pub(crate) fn generation(&self) -> u32 {
        self.generation
    }

    /// The canonical form of a URL. What parsing changed before is not among the changes; see
    /// [`Canonicaliser::canonicalise_text`].
    pub fn canonicalise(&self, url: &Url) -> Result<Canonical, Unusable> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Unusable::OtherScheme(Change::name(url.scheme())));
        }
        if url.as_str().len() > MAX_URL_LEN {
            return Err(Unusable::TooLong(url.as_str().len()));
        }
        let mut changes = Vec::new();
        let mut out = String::with_capacity(url.as_str().len());
        push_origin(url, &mut out, &mut changes)?;
        if let Some(twin) = self.keys.twin_of(&out) {
            changes.push(Change::TwinHost(twin.to_owned()));
            twin.clone_into(&mut out);
        }
        let mut respelled = Respelled::default();
        self.push_path(url.path(), &mut out, &mut respelled, &mut changes);
        if let Some(query) = url.query() {
            self.push_query(query, &mut out, &mut respelled, &mut changes);
        }
        if respelled.any() {
            respelled.list(&mut changes);
        }
        if let Some(fragment) = url.fragment() {
            let is_bang = fragment.starts_with('!');
            changes.push(if is_bang {
                Change::HashBang
            } else {
                Change::Fragment
            });
        }
        let url = CanonicalUrl::trusted(out).ok_or(Unusable::NoHost)?;
        Ok(Canonical { url, changes })
    }

    fn push_path(&self, path: &str, out: &mut String, respelled: &mut Respelled, changes: &mut Vec<Change>) {
        let needs = Needs::of(path);
        let drops = self.drop_session_ids || self.keys.ignores_parameters();
        if !(needs.respelling() || drops && needs.session_check()) {
            out.push_str(path);
            return;
        }
        if !drops {
            respell(path, out, respelled);
            return;
        }
        let mut spelled = String::with_capacity(path.len());
        respell(path, &mut spelled, respelled);
        let needless = Needless {
            sessions: self.drop_session_ids,
            keys: &self.keys,
        };
        needless.drop_from(&spelled, out, changes);
    }
}

fn push_origin(url: &Url, out: &mut String, changes: &mut Vec<Change>) -> Result<(), Unusable> {
    let host = url.host_str().unwrap_or_default();
    // More dots than one make no name; taking one of them could make an address of the rest.
    let bare = host
        .strip_suffix('.')
        .filter(|bare| !bare.ends_with('.'))
        .unwrap_or(host);
    if bare.is_empty() {
        return Err(Unusable::NoHost);
    }
    let has_credentials = !url.username().is_empty() || url.password().is_some();
    if !has_credentials && bare.len() == host.len() {
        out.push_str(&url[..Position::BeforePath]);
        return Ok(());
    }
    if has_credentials {
        changes.push(Change::Credentials);
    }
    if bare.len() < host.len() {
        changes.push(Change::HostDot);
    }
    out.push_str(url.scheme());
    out.push_str("://");
    out.push_str(bare);
    out.push_str(&url[Position::AfterHost..Position::BeforePath]);
    Ok(())
}

/// Drops session identifiers from a URL, and leaves it otherwise as it is.
pub(crate) fn drop_sessions(url: &mut Url) {
    let mut path = String::new();
    let mut changes = Vec::new();
    let sessions = Needless {
        sessions: true,
        keys: &SESSION_KEYS,
    };
    sessions.drop_from(url.path(), &mut path, &mut changes);
    if !changes.is_empty() {
        url.set_path(&path);
    }
    let query = url.query().unwrap_or_default();
    let is_kept = |pair: &&str| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        !is_session(key, value)
    };
    let kept: Vec<&str> = query.split('&').filter(is_kept).collect();
    if kept.len() <= query.matches('&').count() {
        let kept = kept.join("&");
        url.set_query(Some(kept.as_str()).filter(|kept| !kept.is_empty()));
    }
}

/// Returns true if an argument has a session identifier.
pub(crate) fn is_session(key: &str, value: &str) -> bool {
    SESSION_KEYS.reason_to_drop(key, value).is_some()
}

static SESSION_KEYS: LazyLock<Keys> = LazyLock::new(|| {
    Keys::new(&CanonicalSettings {
        drop_tracking: false,
        ..CanonicalSettings::default()
    })
});
