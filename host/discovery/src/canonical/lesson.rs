//! What is learned of how a site names its pages.

const NEEDLESS_KEY: &str = "needless-key";
const OWN_ORDER: &str = "own-order";

/// Something that was learned of how a site names its pages, and holds for all its URLs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UrlLesson {
    /// A key changes nothing and is dropped. One that begins with `;` is a parameter inside the path; an origin,
    /// `https://example.org`, answers for its twin, which is the same with `www.` or without.
    NeedlessKey(String),
    /// The server answers to its own order of keys alone and redirects all others to it: the order stays as links have it.
    OwnOrder,
}

impl UrlLesson {
    /// A word for what was learned, and the key that it is about; empty where it is about none.
    pub fn words(&self) -> (&'static str, &str) {
        match self {
            UrlLesson::NeedlessKey(key) => (NEEDLESS_KEY, key),
            UrlLesson::OwnOrder => (OWN_ORDER, ""),
        }
    }

    /// The lesson of such words.
    pub fn of_words(word: &str, key: &str) -> Option<UrlLesson> {
        match word {
            NEEDLESS_KEY => Some(UrlLesson::NeedlessKey(key.to_owned())),
            OWN_ORDER => Some(UrlLesson::OwnOrder),
            _ => None,
        }
    }
}
