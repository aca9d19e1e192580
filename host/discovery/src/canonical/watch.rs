//! Proofs, per site, that a part of the URL makes no difference: a key of the query, a path
//! parameter (a key that begins with `;`), or one of two hosts that differ by `www.` (named by the
//! origin to use, `https://example.org`).
//!
//! There are two kinds of evidence, and a third for hosts. First, pages whose URLs differ in that
//! key alone and that have the same text: several such pairs about different pages are needed,
//! because a site that answers every wrong URL with one page would prove anything. Second, a key
//! with generated values that has one value on all links of a page and another on every page,
//! though the links are the same: a session. For two hosts it is enough that their pages at several
//! paths have the same titles, different at each path. One counterexample, and the key is never
//! proven by that kind.

use std::collections::{BTreeMap, HashMap, HashSet};

use magpie_model::CanonicalUrl;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::keys::{PARAMETER, SCHEME_END, WWW, is_twin};
use super::session::looks_like_identifier;

/// Amount of evidence required, and bounds for memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyWatchSettings {
    /// Pairs of URLs with equal pages, each pair about another page.
    pub pairs: usize,
    /// Pages that gave all their links a value that was never met before.
    pub visits: usize,
    pub max_keys: usize,
    /// URLs that are remembered; each takes about 50 bytes per key it has.
    pub max_urls: usize,
    /// Pages without keys that are read after a key was new; see [`KeyWatch::watches`].
    pub plain_pages: usize,
}

impl Default for KeyWatchSettings {
    fn default() -> Self {
        KeyWatchSettings {
            // Equal pages by chance (out of stock, nothing found) come in ones and twos.
            pairs: 4,
            visits: 4,
            // Sites have about ten keys; only hostile ones have hundreds.
            max_keys: 64,
            max_urls: 8192,
            plain_pages: 500,
        }
    }
}

/// Keys of one URL that are looked at. Forms have more, pages do not.
const MAX_KEYS_OF_A_URL: usize = 12;

/// Origins of a site that are remembered. Most have two.
const MAX_ORIGINS: usize = 64;

/// Links of one page with a value that make it a session of the page rather than a property of one
/// link.
const MIN_LINKS: usize = 3;

/// Links of one page that are looked at.
const MAX_LINKS: usize = 500;

/// A key that changes nothing on this site, and how we know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvenKey {
    pub key: String,
    /// The pages by which it was proven.
    pub evidence: KeyEvidence,
}

/// The evidence that a key makes no difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyEvidence {
    /// Pages whose URLs differ in this key alone were equal.
    #[error("{0} pairs of URLs that differ only in this had equal pages, and no pair had different ones")]
    EqualPages(usize),
    /// Pages of both hosts had the same titles.
    #[error("{0} pages had the same distinct title under both names of the host, and none had another")]
    EqualTitles(usize),
    /// Every visit to a page gave another value to all of its links.
    #[error(
        "{0} pages each gave all their links a value of this key that no other page gave, so that one page had several URLs"
    )]
    NewAtEachVisit(usize),
    /// Pages redirected to the same of the host's twin.
    #[error("{0} pages redirected to the same path of this origin, and none answered itself")]
    Redirects(usize),
}

#[derive(Debug, Default)]
struct Evidence {
    /// Pages, without the key and as they read, that had equal twins.
    equal: Vec<(u64, u64)>,
    /// Values that were new, and on all links of a page.
    sessions: Vec<u64>,
    /// Pages of the twin of a host that redirected to the same of this one.
    redirected: Vec<u64>,
    /// Links of one page differed in it, so that it is no session.
    has_many_values: bool,
    is_refuted: bool,
    is_proven: bool,
}

#[derive(Debug)]
pub struct KeyWatch {
    settings: KeyWatchSettings,
    keys: BTreeMap<Box<str>, Evidence>,
    /// By key and URL without it: the value and how the page read.
    pages: HashMap<u64, (u64, u64)>,
    /// By key and link without it: the value that it had last.
    links: HashMap<u64, u64>,
    /// Pages without keys since the last key was new.
    plain_pages: usize,
    /// The host was met both with `www.` and without.
    twins: bool,
    /// Origins whose pages do not all redirect.
    answering: Vec<Box<str>>,
}

impl KeyWatch {
    /// A watch that has seen nothing yet.
    pub fn new(settings: KeyWatchSettings) -> KeyWatch {
        KeyWatch {
            settings,
            keys: BTreeMap::new(),
            pages: HashMap::new(),
            links: HashMap::new(),
            plain_pages: 0,
            twins: false,
            answering: Vec::new(),
        }
    }

    /// Returns true if the text of this page can be evidence: its URL has a key, or it may be
    /// the twin without the key of a URL whose key is neither proven nor refuted. The number of
    /// such twins is limited, for they are read for nothing else; meaningless keys are on links
    /// everywhere and soon meet theirs.
    pub fn watches(&self, url: &CanonicalUrl) -> bool {
        has_keys(url)
            || (self.plain_pages < self.settings.plain_pages && self.keys.values().any(Evidence::is_open))
    }

    /// Learns the text of a page: `content` is that of its [`TextPrint`](crate::TextPrint). Returns
    /// the keys that are proven by it.
    pub fn learn(&mut self, url: &CanonicalUrl, content: u64) -> Vec<ProvenKey> {
        let mut proven = Vec::new();
        let keys = keys_of(url);
        for key in &keys {
            self.watch(key);
        }
        self.plain_pages += usize::from(keys.is_empty());
        // A URL without a key is one more value of it: none.
        let absent: Vec<Box<str>> = self
            .keys
            .keys()
            // Origins are compared by `learn_twin` instead.
            .filter(|known| !keys.contains(&&***known) && !known.contains(SCHEME_END))
            .cloned()
            .collect();
        let present = keys.iter().map(|key| (Box::<str>::from(*key), true));
        for (key, has_key) in present.chain(absent.into_iter().map(|key| (key, false))) {
            let (rest, value) = match has_key {
                true => without(url, &key),
                false => (hash(url.as_str()), 0),
            };
            proven.extend(self.compare(&key, rest, value, content));
        }
        proven
    }

    /// Learns the text of a page that may be available at two hosts. The title identifies it:
    /// advertisements and clocks differ from visit to visit, and at one path of both hosts only the
    /// same page has the same title, if other paths have others. Returns the origin that is thereby
    /// proven to replace the other.
    pub fn learn_twin(&mut self, url: &CanonicalUrl, title: Option<&str>, content: u64) -> Option<ProvenKey> {
        if !self.twins {
            return None;
        }
        let (origin, rest) = without_www(url);
        let proven = self.compare(&origin, rest, hash(url.origin()), title.map_or(content, hash))?;
        let evidence = match (proven.evidence, title) {
            (KeyEvidence::EqualPages(pairs), Some(_)) => KeyEvidence::EqualTitles(pairs),
            (evidence, _) => evidence,
        };
        Some(ProvenKey { evidence, ..proven })
    }

    /// Learns that a page did not redirect.
    pub fn learn_answer(&mut self, page: &CanonicalUrl) {
        let origin = page.origin();
        if self.answering.len() < MAX_ORIGINS && !self.answering.iter().any(|known| **known == *origin) {
            self.answering.push(origin.into());
        }
    }

    /// Learns from a redirect. Returns the origin that is thereby proven to replace that of the
    /// page.
    pub fn learn_redirect(&mut self, page: &CanonicalUrl, target: &CanonicalUrl) -> Option<ProvenKey> {
        let rest = without_www(page).1;
        let is_same = is_twin(page.origin(), target.origin()) && without_www(target).1 == rest;
        // A host that also answers without a redirect may have pages of its own.
        if !is_same || self.answering.iter().any(|origin| **origin == *page.origin()) {
            return None;
        }
        let key = target.origin().to_owned();
        self.twins = true;
        self.watch(&key);
        let evidence = self.keys.get_mut(&*key).filter(|evidence| evidence.is_open())?;
        // Each page counts once: the same redirect again proves nothing new.
        if evidence.redirected.contains(&rest) {
            return None;
        }
        evidence.redirected.push(rest);
        evidence.is_proven = evidence.redirected.len() >= self.settings.pairs;
        let proof = KeyEvidence::Redirects(evidence.redirected.len());
        evidence.is_proven.then_some(ProvenKey { key, evidence: proof })
    }

    fn watch(&mut self, key: &str) {
        if !self.keys.contains_key(key) && self.keys.len() < self.settings.max_keys {
            self.keys.insert(key.into(), Evidence::default());
            self.plain_pages = 0;
        }
    }

    fn compare(&mut self, key: &str, rest: u64, value: u64, content: u64) -> Option<ProvenKey> {
        let evidence = self.keys.get_mut(key).filter(|evidence| evidence.is_open())?;
        if self.pages.len() >= self.settings.max_urls {
            // The counts stay in the evidence, so only pairs that span this moment are missed.
            self.pages.clear();
        }
        let (known_value, known_content) = *self.pages.entry(joined(key, rest)).or_insert((value, content));
        if known_value == value {
            return None;
        }
        if known_content != content {
            evidence.is_refuted = true;
            return None;
        }
        // Pairs with the same content count once, since an error page may answer many URLs.
        let is_about_another = evidence
            .equal
            .iter()
            .all(|pair| pair.0 != rest && pair.1 != content);
        if is_about_another {
            evidence.equal.push((rest, content));
        }
        let is_enough = evidence.equal.len() >= self.settings.pairs;
        evidence.is_proven |= is_enough;
        is_enough.then(|| ProvenKey {
            key: key.to_owned(),
            evidence: KeyEvidence::EqualPages(evidence.equal.len()),
        })
    }

    /// Learns from the links of a page, to recognise values that are new at each visit. Other
    /// differences between visits, such as advertisements and clocks, do not matter then. Links
    /// that were met before may be left out.
    pub fn learn_links<'a>(
        &mut self,
        page: &CanonicalUrl,
        links: impl IntoIterator<Item = &'a CanonicalUrl>,
    ) -> Vec<ProvenKey> {
        let mut on_page: BTreeMap<&str, OnPage> = BTreeMap::new();
        for link in links {
            if is_twin(link.origin(), page.origin()) {
                self.twins = true;
                self.watch(&without_www(link).0);
            }
            for key in keys_of(link) {
                if on_page.len() < self.settings.max_keys || on_page.contains_key(key) {
                    on_page.entry(key).or_default().add(link, key);
                }
            }
        }
        let mut proven = Vec::new();
        for (key, seen) in on_page {
            self.watch(key);
            proven.extend(self.visit(key, page, &seen));
        }
        proven
    }

    fn visit(&mut self, key: &str, page: &CanonicalUrl, seen: &OnPage) -> Option<ProvenKey> {
        // A different text refutes nothing here: pages with a session differ at each visit.
        let evidence = self.keys.get_mut(key).filter(|evidence| !evidence.is_proven)?;
        evidence.has_many_values |= !seen.has_one_value;
        // A page that gives its own value on may be one of a thing, whose links all name it.
        let is_own = without(page, key).1 == seen.value;
        let is_session = seen.is_identifier && !is_own && seen.rests.len() >= MIN_LINKS;
        if evidence.has_many_values || !is_session {
            return None;
        }
        // A new start costs only the pairs that span this moment.
        if self.links.len() >= self.settings.max_urls {
            self.links.clear();
        }
        let mut met = 0;
        for rest in &seen.rests {
            let before = self.links.insert(joined(key, *rest), seen.value);
            met += usize::from(before.is_some_and(|value| value != seen.value));
        }
        // Children that name their parent are different pages under each; pages that are linked
        // everywhere are met repeatedly.
        if met * 2 < seen.rests.len() || evidence.sessions.contains(&seen.value) {
            return None;
        }
        evidence.sessions.push(seen.value);
        let is_enough = evidence.sessions.len() >= self.settings.visits;
        evidence.is_proven |= is_enough;
        is_enough.then(|| ProvenKey {
            key: key.to_owned(),
            evidence: KeyEvidence::NewAtEachVisit(evidence.sessions.len()),
        })
    }
}

impl Evidence {
    fn is_open(&self) -> bool {
        !self.is_refuted && !self.is_proven
    }
}

/// The use of one key on the links of one page.
#[derive(Debug)]
struct OnPage {
    value: u64,
    has_one_value: bool,
    /// It looks made by a machine.
    is_identifier: bool,
    /// The links without the key, each once.
    rests: HashSet<u64>,
}

impl Default for OnPage {
    fn default() -> Self {
        OnPage {
            value: 0,
            has_one_value: true,
            is_identifier: true,
            rests: HashSet::new(),
        }
    }
}

impl OnPage {
    fn add(&mut self, link: &CanonicalUrl, key: &str) {
        let (rest, value) = without(link, key);
        self.has_one_value &= self.rests.is_empty() || self.value == value;
        self.is_identifier &= value_of(link, key).is_some_and(looks_like_identifier);
        self.value = value;
        if self.rests.len() < MAX_LINKS {
            self.rests.insert(rest);
        }
    }
}

fn value_of<'a>(url: &'a CanonicalUrl, key: &str) -> Option<&'a str> {
    let pairs = url.query().unwrap_or_default().split('&');
    let mut named = pairs
        .chain(pieces(url.path()))
        .filter_map(|pair| pair.split_once('='));
    named.find(|(name, _)| *name == key).map(|(_, value)| value)
}

fn has_keys(url: &CanonicalUrl) -> bool {
    memchr::memchr2(b'?', PARAMETER as u8, url.path_and_query().as_bytes()).is_some()
}

/// Returns the first few different keys of a URL: of its query, and of its path with their `;`.
fn keys_of(url: &CanonicalUrl) -> Vec<&str> {
    let mut keys = Vec::new();
    // Most URLs have none, and this is asked of every link.
    if !has_keys(url) {
        return keys;
    }
    let pairs = url.query().unwrap_or_default().split('&');
    // One that looked like a parameter would be taken for it.
    let pairs = pairs.filter(|pair| !pair.starts_with(PARAMETER));
    for pair in pairs.chain(parameters(url.path())).take(MAX_KEYS_OF_A_URL) {
        let key = pair.split('=').next().unwrap_or_default();
        // Nor is an origin a key.
        if !key.is_empty() && !key.contains(SCHEME_END) && !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

/// The parameters inside a path that have values, each from its `;` on.
fn parameters(path: &str) -> impl Iterator<Item = &str> {
    pieces(path).filter(|piece| piece.starts_with(PARAMETER) && piece[1..].find('=').is_some_and(|at| at > 0))
}

/// A path cut before every `;` and every `/`.
fn pieces(path: &str) -> impl Iterator<Item = &str> {
    let is_cut = |character: char| matches!(character, PARAMETER | '/');
    let mut rest = path;
    std::iter::from_fn(move || {
        let length = rest.chars().next()?.len_utf8();
        let end = rest[length..].find(is_cut).map_or(rest.len(), |at| at + length);
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some(piece)
    })
}

/// Returns a hash of the URL without a key, and a hash of the key's values. Without its only key a
/// URL has no query.
fn without(url: &CanonicalUrl, key: &str) -> (u64, u64) {
    let query = url.query();
    let address = url.as_str().len() - query.map_or(0, |query| query.len() + 1);
    let start = address - url.path().len();
    let (mut rest, mut value) = (url.as_str()[..start].to_owned(), 1);
    let mut keep = |separator: Option<char>, piece: &str| {
        let (name, text) = piece.split_once('=').unwrap_or((piece, ""));
        if name == key {
            value = xxh3_64_with_seed(text.as_bytes(), value);
            return false;
        }
        rest.extend(separator);
        rest.push_str(piece);
        true
    };
    for piece in pieces(url.path()) {
        keep(None, piece);
    }
    let mut separator = '?';
    for pair in query.into_iter().flat_map(|query| query.split('&')) {
        if keep(Some(separator), pair) {
            separator = '&';
        }
    }
    (hash(&rest), value)
}

/// The origin of a URL without `www.`, and the URL without it as a number.
fn without_www(url: &CanonicalUrl) -> (String, u64) {
    let bare = url
        .origin()
        .replacen(&format!("{SCHEME_END}{WWW}"), SCHEME_END, 1);
    let rest = hash(&format!("{bare}{}", url.path_and_query()));
    (bare, rest)
}

fn hash(text: &str) -> u64 {
    xxh3_64(text.as_bytes())
}

fn joined(key: &str, rest: u64) -> u64 {
    xxh3_64_with_seed(key.as_bytes(), rest)
}
