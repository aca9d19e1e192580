//! Order of URLs if a crawl will not fetch all of them.

use std::collections::HashMap;

use magpie_model::CanonicalUrl;
use xxhash_rust::xxh3::Xxh3;

use crate::shape;

/// Number of URLs of a kind before the next of it has to wait for others.
const AT_ONCE: i32 = 5;

/// The same for URLs in one folder with the same keys.
const ALIKE_AT_ONCE: i32 = 20;

/// The same for pages of a kind that turned out to be lists.
const LISTS_AT_ONCE: i32 = 30;

/// Objects on a page, on average, from which on pages of a kind are lists.
const LIST: f64 = 3.0;

/// Kinds that are counted. A site with more makes them up.
const KINDS: usize = 20_000;

/// Ranks the URLs of a site so that all kinds of pages take turns: a crawl that ends early has seen
/// some of each, and not only one kind that fills the first list.
///
/// Kinds are guessed from URLs alone, since nothing is known about the site: words distinguish
/// kinds in folders and after keys, names and numbers at the end of a path do not.
///
/// Lists come before the pages that they name, since they show more at less cost.
#[derive(Clone, Debug, Default)]
pub struct Variety {
    kinds: HashMap<u64, Kind>,
}

/// The state of a kind of URLs.
#[derive(Clone, Copy, Debug, Default)]
struct Kind {
    met: i32,
    read: u32,
    /// Objects on these.
    objects: u64,
}

impl Variety {
    /// The rank of a URL that was met; those of lower ranks come first.
    pub fn rank(&mut self, url: &CanonicalUrl) -> i32 {
        let own = self.met(kind(url, true));
        let alike = self.met(kind(url, false));
        match own.is_list() {
            true => own.met / LISTS_AT_ONCE,
            false => (own.met / AT_ONCE).saturating_add(alike.met / ALIKE_AT_ONCE),
        }
    }

    /// Takes in how many objects a page shows.
    pub fn learn(&mut self, url: &CanonicalUrl, objects: u64) {
        if let Some(kind) = self.kinds.get_mut(&kind(url, true)) {
            kind.read += 1;
            kind.objects += objects;
        }
    }

    /// Returns the state of a kind before one more of it was found.
    fn met(&mut self, kind: u64) -> Kind {
        if self.kinds.len() >= KINDS && !self.kinds.contains_key(&kind) {
            let met = i32::MAX;
            return Kind {
                met,
                ..Kind::default()
            };
        }
        let kind = self.kinds.entry(kind).or_default();
        let before = *kind;
        kind.met = kind.met.saturating_add(1);
        before
    }
}

impl Kind {
    fn is_list(&self) -> bool {
        self.read > 0 && self.objects as f64 >= LIST * f64::from(self.read)
    }
}

/// The kind of a URL; closely with the words of its query, and of its path where that has but one.
fn kind(url: &CanonicalUrl, closely: bool) -> u64 {
    let path = url.path().trim_end_matches('/');
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let mut hash = Xxh3::new();
    let mut take = |part: &str, text: &str| {
        hash.update(part.as_bytes());
        shape::take(&mut hash, text.as_bytes());
    };
    take("/", folder);
    if let Some((_, ending)) = name.rsplit_once('.') {
        take(".", ending);
    }
    if closely && folder.is_empty() {
        take("=", name);
    }
    for pair in url.query().into_iter().flat_map(|query| query.split('&')) {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        take("?", key);
        let is_word = !value.bytes().any(|byte| byte.is_ascii_digit());
        if closely && is_word {
            take("=", value);
        }
    }
    hash.digest() ^ u64::from(closely)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranks<'u>(urls: impl IntoIterator<Item = &'u str>) -> Vec<i32> {
        let mut variety = Variety::default();
        let url = |path: &str| CanonicalUrl::trusted(format!("http://a.test{path}")).expect("canonical");
        urls.into_iter().map(|path| variety.rank(&url(path))).collect()
    }

    #[test]
    fn kinds_take_turns() {
        let things: Vec<String> = (0..12)
            .map(|number| format!("/thing/{number}-a-name-{number}"))
            .collect();
        let mut met: Vec<&str> = things.iter().map(String::as_str).collect();
        met.push("/category/jazz");
        assert_eq!(ranks(met), [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 0]);
    }

    #[test]
    fn words_separate_kinds_up_to_a_limit() {
        // Sections of a script, and of a site without folders.
        for section in ["/index.cgi?page=", "/"] {
            let sections: Vec<String> = ["list", "news", "about", "terms", "press", "sale", "help"]
                .iter()
                .map(|word| format!("{section}{word}"))
                .collect();
            assert_eq!(ranks(sections.iter().map(String::as_str)), [0; 7], "{section}");
            let names: Vec<String> = (0..26 * 26)
                .map(|number| [number / 26, number % 26].map(|letter: u16| char::from(b'a' + letter as u8)))
                .map(|[one, other]| format!("{section}{one}{other}"))
                .collect();
            let last = ranks(names.iter().map(String::as_str)).pop();
            assert_eq!(last, Some((26 * 26 - 1) / ALIKE_AT_ONCE), "{section}");
        }
    }

    #[test]
    fn a_site_that_makes_up_kinds_fills_no_memory() {
        let mut variety = Variety::default();
        for number in 0..2 * KINDS {
            let name: String = number
                .to_string()
                .bytes()
                .map(|digit| char::from(digit + 49))
                .collect();
            let url = CanonicalUrl::trusted(format!("http://a.test/{name}/x")).expect("canonical");
            variety.rank(&url);
        }
        assert!(variety.kinds.len() <= KINDS);
    }
}
