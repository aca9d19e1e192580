//! Proof, site by site, that a key of the query changes nothing, or a parameter inside the path, which is known as a key that
//! begins with `;`.
//!
//! Two kinds of evidence count. Pages whose URLs differ in that key alone and that read the same: from several such
//! pairs, all about different pages, because a site that answers every wrong URL with one page would prove anything
//! otherwise. And a key that has one value on all links of a page and another one when the same page is fetched again:
//! a session. One counterexample, and the key is never proven.

use std::collections::HashMap;

use magpie_model::CanonicalUrl;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::keys::PARAMETER;

/// How much evidence is asked for and how much memory it may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyWatchSettings {
    /// Pairs of URLs with equal pages, each pair about another page.
    pub pairs: usize,
    /// Pages that gave all their links another value when they were fetched again.
    pub revisits: usize,
    /// Keys that are watched.
    pub max_keys: usize,
    /// URLs that are remembered; each takes about 50 bytes per key it has.
    pub max_urls: usize,
    /// Pages without keys that are asked for after a key was new, as [`KeyWatch::watches`] says.
    pub plain_pages: usize,
}

impl Default for KeyWatchSettings {
    fn default() -> Self {
        KeyWatchSettings {
            // Equal pages by chance (out of stock, nothing found) come in ones and twos.
            pairs: 4,
            revisits: 2,
            // Sites have about ten keys; only hostile ones have hundreds.
            max_keys: 64,
            max_urls: 8192,
            plain_pages: 500,
        }
    }
}

/// Keys of one URL that are looked at. Forms have more, pages do not.
const MOST_KEYS_OF_A_URL: usize = 12;

/// Links of one page with a value that makes it a session of the page and not a property of one link.
const FEWEST_LINKS: usize = 3;

/// A key that changes nothing on this site, and how we know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvenKey {
    /// The key.
    pub key: String,
    /// What proved it.
    pub evidence: KeyEvidence,
}

/// What proved that a key changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyEvidence {
    /// Pages whose URLs differ in this key alone were equal.
    #[error("{0} pairs of pages that differ in this key alone were equal, and none was not")]
    EqualPages(usize),
    /// The same pages gave their links another value at each visit.
    #[error("{0} pages gave all their links another value of this key when they were fetched again")]
    NewAtEachVisit(usize),
}

#[derive(Debug, Default)]
struct Evidence {
    /// Pages, without the key and as they read, that had equal twins.
    equal: Vec<(u64, u64)>,
    /// Pages, without the key, whose links had another value later.
    revisited: Vec<u64>,
    is_refuted: bool,
    is_proven: bool,
}

/// Watches the keys of one site.
#[derive(Debug)]
pub struct KeyWatch {
    settings: KeyWatchSettings,
    keys: HashMap<Box<str>, Evidence>,
    /// By key and URL without it: the value and how the page read.
    pages: HashMap<u64, (u64, u64)>,
    /// By key and page without it: the value on its links, and what links they were.
    visits: HashMap<u64, (u64, u64)>,
    /// Pages without keys since the last key was new.
    plain_pages: usize,
}

impl KeyWatch {
    /// A watch that has seen nothing yet.
    pub fn new(settings: KeyWatchSettings) -> KeyWatch {
        KeyWatch {
            settings,
            keys: HashMap::new(),
            pages: HashMap::new(),
            visits: HashMap::new(),
            plain_pages: 0,
        }
    }

    /// Whether there is something to learn from how the page of this URL reads: it has a key, or it may be the twin without it of one that
    /// has a key which is neither proven nor refuted. Such twins are looked for among so many pages, for they have to be read for nothing
    /// else; keys that mean nothing are on links everywhere and meet theirs soon.
    pub fn watches(&self, url: &CanonicalUrl) -> bool {
        has_keys(url)
            || (self.plain_pages < self.settings.plain_pages && self.keys.values().any(Evidence::is_open))
    }

    /// Learns how a page reads: `content` is that of its [`TextPrint`](crate::TextPrint). Gives the keys that are thereby proven.
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
            .filter(|known| !keys.contains(&&***known))
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

    fn watch(&mut self, key: &str) {
        if !self.keys.contains_key(key) && self.keys.len() < self.settings.max_keys {
            self.keys.insert(key.into(), Evidence::default());
            self.plain_pages = 0;
        }
    }

    fn compare(&mut self, key: &str, rest: u64, value: u64, content: u64) -> Option<ProvenKey> {
        let evidence = self.keys.get_mut(key).filter(|evidence| evidence.is_open())?;
        if self.pages.len() >= self.settings.max_urls {
            // What was learnt stays in the evidence; only pairs that span this moment are missed.
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

    /// Learns what links a page has, to recognise values that are new at each visit. Only links with a query count.
    pub fn learn_links<'a>(
        &mut self,
        page: &CanonicalUrl,
        links: impl IntoIterator<Item = &'a CanonicalUrl>,
    ) -> Vec<ProvenKey> {
        let mut on_page: HashMap<&str, OnPage> = HashMap::new();
        for link in links {
            for key in keys_of(link) {
                let (rest, value) = without(link, key);
                if on_page.len() < self.settings.max_keys || on_page.contains_key(key) {
                    on_page.entry(key).or_default().add(rest, value);
                }
            }
        }
        let mut proven = Vec::new();
        for (key, seen) in on_page {
            self.watch(key);
            proven.extend(self.revisit(key, page, &seen));
        }
        proven
    }

    fn revisit(&mut self, key: &str, page: &CanonicalUrl, seen: &OnPage) -> Option<ProvenKey> {
        let evidence = self.keys.get_mut(key).filter(|evidence| evidence.is_open())?;
        if seen.links < FEWEST_LINKS || !seen.has_one_value {
            return None;
        }
        if self.visits.len() >= self.settings.max_urls {
            self.visits.clear();
        }
        let page = without(page, key).0;
        let now = (seen.value, seen.rests);
        let at = joined(key, page);
        let is_first = !self.visits.contains_key(&at);
        let before = *self.visits.entry(at).or_insert(now);
        if before == now {
            // A value that lasts is no session, unless this is the visit just remembered.
            evidence.is_refuted = !is_first;
            return None;
        }
        if before.1 != now.1 || evidence.revisited.contains(&page) {
            return None;
        }
        evidence.revisited.push(page);
        let is_enough = evidence.revisited.len() >= self.settings.revisits;
        evidence.is_proven |= is_enough;
        is_enough.then(|| ProvenKey {
            key: key.to_owned(),
            evidence: KeyEvidence::NewAtEachVisit(evidence.revisited.len()),
        })
    }
}

impl Evidence {
    fn is_open(&self) -> bool {
        !self.is_refuted && !self.is_proven
    }
}

/// What one key looks like on the links of one page.
#[derive(Debug)]
struct OnPage {
    value: u64,
    has_one_value: bool,
    links: usize,
    /// The links without the key, summed, so that their order does not count.
    rests: u64,
}

impl Default for OnPage {
    fn default() -> Self {
        OnPage {
            value: 0,
            has_one_value: true,
            links: 0,
            rests: 0,
        }
    }
}

impl OnPage {
    fn add(&mut self, rest: u64, value: u64) {
        self.has_one_value &= self.links == 0 || self.value == value;
        self.value = value;
        self.links += 1;
        self.rests = self.rests.wrapping_add(rest);
    }
}

fn has_keys(url: &CanonicalUrl) -> bool {
    url.query().is_some() || url.path().contains(PARAMETER)
}

/// The different keys of a URL, the first few of them: of its query, and of its path with their `;`.
fn keys_of(url: &CanonicalUrl) -> Vec<&str> {
    let mut keys = Vec::new();
    let pairs = url.query().unwrap_or_default().split('&');
    // One that looked like a parameter would be taken for it.
    let pairs = pairs.filter(|pair| !pair.starts_with(PARAMETER));
    for pair in pairs.chain(parameters(url.path())).take(MOST_KEYS_OF_A_URL) {
        let key = pair.split('=').next().unwrap_or_default();
        if !key.is_empty() && !keys.contains(&key) {
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

/// A URL without a key as a number, and the key's values as one. Without its only key a URL has no query.
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

fn hash(text: &str) -> u64 {
    xxh3_64(text.as_bytes())
}

fn joined(key: &str, rest: u64) -> u64 {
    xxh3_64_with_seed(key.as_bytes(), rest)
}
