//! A cache of the links that a site repeats on every page.
//!
//! Half of the links of a page are its menus. Resolving and canonicalising a link costs about a
//! microsecond unless it is plain; a lookup here costs about a twentieth of that.

use magpie_model::UrlFingerprint;
use url::{Position, Url};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::{Canonical, Canonicaliser, Change, Unusable, push_origin};

/// The base for relative links of a page, with the facts that a cache needs. Made once per page.
#[derive(Clone, Debug)]
pub struct LinkBase {
    url: Url,
    scheme: u64,
    origin: u64,
    folder: u64,
    path: u64,
    whole: u64,
    is_plain: bool,
}

impl LinkBase {
    /// The base of a page: its URL, or that of its `base` element.
    pub fn new(url: Url) -> LinkBase {
        let before_query = &url[..Position::AfterPath];
        let folder = before_query
            .rfind('/')
            .map_or(before_query, |slash| &before_query[..slash]);
        LinkBase {
            scheme: hash(url.scheme()),
            origin: hash(&url[..Position::BeforePath]),
            folder: hash(folder),
            path: hash(before_query),
            whole: hash(url.as_str()),
            is_plain: has_plain_origin(&url),
            url,
        }
    }

    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Its scheme, host and port, where these are spelled canonically.
    pub(super) fn plain_origin(&self) -> Option<&str> {
        self.is_plain.then(|| &self.url[..Position::BeforePath])
    }

    /// Its path up to the last slash, without that.
    pub(super) fn folder(&self) -> &str {
        let path = self.url.path();
        path.rfind('/').map_or("", |slash| &path[..slash])
    }

    /// The part of the base that decides where a link of this form leads.
    fn seed(&self, form: Form) -> u64 {
        match form {
            Form::Absolute => 0,
            Form::OtherHost => self.scheme,
            Form::FromRoot => self.origin,
            Form::FromFolder => self.folder,
            Form::QueryOnly => self.path,
            Form::Unclear => self.whole,
        }
    }
}

/// Returns true if scheme, host and port stay unchanged.
fn has_plain_origin(url: &Url) -> bool {
    let mut changes = Vec::new();
    let mut origin = String::new();
    matches!(url.scheme(), "http" | "https")
        && push_origin(url, &mut origin, &mut changes).is_ok()
        && changes.is_empty()
}

fn hash(text: &str) -> u64 {
    xxh3_64(text.as_bytes())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// `https://host/…`
    Absolute,
    /// `//host/…`
    OtherHost,
    /// `/…`
    FromRoot,
    /// `page`, `../page`
    FromFolder,
    /// `?page=2`
    QueryOnly,
    /// Everything else: the whole base may count.
    Unclear,
}

/// The form of a reference, or the scheme when it is one that leads to no web page.
pub(super) fn form_of(href: &str) -> Result<Form, &str> {
    let bytes = href.as_bytes();
    match bytes.first() {
        Some(b'/') if matches!(bytes.get(1), Some(b'/' | b'\\')) => return Ok(Form::OtherHost),
        Some(b'/') => return Ok(Form::FromRoot),
        Some(b'?') => return Ok(Form::QueryOnly),
        Some(first) if first.is_ascii_alphabetic() => {}
        Some(first) if first.is_ascii_digit() || matches!(first, b'.' | b'%' | b'_' | b'-') => {
            return Ok(Form::FromFolder);
        }
        _ => return Ok(Form::Unclear),
    }
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    let scheme_end = bytes
        .iter()
        .position(|byte| !is_part(byte))
        .unwrap_or(bytes.len());
    if bytes.get(scheme_end) != Some(&b':') {
        // Tabs and line feeds vanish inside a URL, so `ht\ttp:` may be a scheme yet.
        let is_odd = bytes.get(scheme_end).is_some_and(|byte| *byte < b' ');
        return Ok(if is_odd { Form::Unclear } else { Form::FromFolder });
    }
    let scheme = &href[..scheme_end];
    if !["http", "https"]
        .iter()
        .any(|known| scheme.eq_ignore_ascii_case(known))
    {
        return Err(scheme);
    }
    // `http:page` is relative, if the base has the same scheme.
    let is_absolute = bytes[scheme_end..].starts_with(b"://");
    Ok(if is_absolute {
        Form::Absolute
    } else {
        Form::Unclear
    })
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// To a URL that was handed out before, since the cache was made.
    Known(UrlFingerprint),
    /// To a URL that the cache does not remember.
    New(Canonical),
}

impl Resolved {
    /// The number of the URL it leads to.
    pub fn fingerprint(&self) -> UrlFingerprint {
        match self {
            Resolved::Known(fingerprint) => *fingerprint,
            Resolved::New(canonical) => canonical.url.fingerprint(),
        }
    }
}

/// Entries a cache has for one link: the one used last and the one before.
const WAYS: usize = 2;

/// Remembers the targets of links by their text. One per site, as it holds the results of one
/// canonicaliser.
#[derive(Debug)]
pub struct LinkCache {
    /// Hashes of references with their fingerprints, in sets of `WAYS`, empty at first. A zero hash
    /// is an empty entry.
    entries: Vec<[(u64, UrlFingerprint); WAYS]>,
    size: usize,
    generation: u32,
}

impl LinkCache {
    /// Makes a cache for about `links` links; each takes 16 bytes, from the first use on.
    pub fn new(links: usize) -> LinkCache {
        LinkCache {
            entries: Vec::new(),
            size: (links / WAYS).max(1).next_power_of_two(),
            generation: 0,
        }
    }

    /// Resolves a reference, as in a link after decoding its character references.
    pub fn resolve(
        &mut self,
        href: &str,
        base: &LinkBase,
        canonicaliser: &Canonicaliser,
    ) -> Result<Resolved, Unusable> {
        // The parser of URLs ignores these, so references that differ in them alone share an entry.
        let href = href.trim_matches(|c| c <= ' ');
        let form = form_of(href).map_err(|scheme| Unusable::OtherScheme(Change::name(scheme)))?;
        // A learned rule has changed the form of URLs, so every remembered target may be wrong.
        if self.generation != canonicaliser.generation() || self.entries.is_empty() {
            self.entries.clear();
            self.entries.resize(self.size, [(0, UrlFingerprint(0)); WAYS]);
            self.generation = canonicaliser.generation();
        }
        // Only the part of the base that decides is in the key, so one entry serves all pages of a
        // folder. Zero marks an empty entry.
        let key = xxh3_64_with_seed(href.as_bytes(), base.seed(form) ^ form as u64).max(1);
        // The size is a power of two, so this takes the low bits.
        let set = &mut self.entries[key as usize & (self.size - 1)];
        if let Some(at) = set.iter().position(|(known, _)| *known == key) {
            // The entry used last stays in front, and the one behind it is replaced next.
            set.swap(0, at);
            return Ok(Resolved::Known(set[0].1));
        }
        let canonical = match canonicaliser.plain(href, form, base) {
            Some(url) => Canonical {
                url,
                changes: Vec::new(),
            },
            None => canonicaliser.canonicalise(&base.url.join(href)?)?,
        };
        set.rotate_right(1);
        set[0] = (key, canonical.url.fingerprint());
        Ok(Resolved::New(canonical))
    }
}

#[cfg(test)]
mod tests {
    use super::{Form, LinkBase, LinkCache, Resolved, form_of};
    use crate::canonical::{CanonicalSettings, Canonicaliser, Unusable, UrlRule};
    use url::Url;

    fn base(url: &str) -> LinkBase {
        LinkBase::new(Url::parse(url).expect("a URL"))
    }

    #[test]
    fn forms_of_references() {
        let cases = [
            ("https://a.example/", Ok(Form::Absolute)),
            ("//a.example/", Ok(Form::OtherHost)),
            ("/books", Ok(Form::FromRoot)),
            ("books", Ok(Form::FromFolder)),
            ("../books", Ok(Form::FromFolder)),
            ("2024/books", Ok(Form::FromFolder)),
            ("?page=2", Ok(Form::QueryOnly)),
            ("#top", Ok(Form::Unclear)),
            ("", Ok(Form::Unclear)),
            ("http:books", Ok(Form::Unclear)),
            ("\\books", Ok(Form::Unclear)),
            ("ht\ntp://a.example/", Ok(Form::Unclear)),
            ("mailto:a@b.example", Err("mailto")),
            ("JavaScript:void(0)", Err("JavaScript")),
        ];
        for (href, form) in cases {
            assert_eq!(form_of(href), form, "{href:?}");
        }
    }

    #[test]
    fn a_repeated_link_is_known_wherever_it_means_the_same() {
        let canonicaliser = Canonicaliser::new(&CanonicalSettings::default());
        let mut cache = LinkCache::new(1024);
        let pages = [
            base("https://a.example/x/1?q=1"),
            base("https://a.example/x/2"),
            base("https://a.example/y/1"),
        ];
        let mut answer = |href: &str, page: usize| {
            let resolved = cache.resolve(href, &pages[page], &canonicaliser).expect("a page");
            (matches!(resolved, Resolved::Known(_)), resolved.fingerprint())
        };
        let first = answer("/menu", 0);
        assert!(!first.0);
        assert_eq!(answer("/menu", 2), (true, first.1));
        let first = answer("next", 0);
        assert_eq!(answer("next", 1), (true, first.1));
        assert!(!answer("next", 2).0, "another folder");
        let first = answer("?page=2", 0);
        assert!(!first.0);
        assert!(!answer("?page=2", 1).0, "another page");
    }

    #[test]
    fn a_newly_ignored_key_makes_the_cache_forget() {
        let mut canonicaliser = Canonicaliser::new(&CanonicalSettings::default());
        let mut cache = LinkCache::new(16);
        let page = base("https://a.example/");
        let before = cache
            .resolve("/p?from=menu", &page, &canonicaliser)
            .expect("a page");
        canonicaliser.learn(&UrlRule::NeedlessKey("from".to_owned()));
        let after = cache
            .resolve("/p?from=menu", &page, &canonicaliser)
            .expect("a page");
        assert!(matches!(after, Resolved::New(_)));
        assert_ne!(before.fingerprint(), after.fingerprint());
    }

    #[test]
    fn other_schemes_lead_nowhere() {
        let canonicaliser = Canonicaliser::new(&CanonicalSettings::default());
        let refused = LinkCache::new(16).resolve("tel:+3612345", &base("https://a.example/"), &canonicaliser);
        assert_eq!(refused, Err(Unusable::OtherScheme("tel".to_owned())));
    }
}
