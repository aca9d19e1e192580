//! Learned rules about the URLs of a site.

use magpie_model::UrlRuleKind;

/// Something that was learned of how a site names its pages, and holds for all its URLs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UrlRule {
    /// A key makes no difference and is dropped. One that begins with `;` is a path parameter; an
    /// origin, `https://example.org`, replaces its twin, which is the same with `www.` or without.
    NeedlessKey(String),
    /// The server accepts only its own order of keys and redirects all others to it, so the order
    /// of links is kept.
    OwnOrder,
}

impl UrlRule {
    /// A word for what was learned, and the key that it is about; empty where it is about none.
    pub fn words(&self) -> (&'static str, &str) {
        match self {
            UrlRule::NeedlessKey(key) => (UrlRuleKind::NeedlessKey.as_str(), key),
            UrlRule::OwnOrder => (UrlRuleKind::OwnOrder.as_str(), ""),
        }
    }

    /// Parses the words of a rule.
    pub fn of_words(word: &str, key: &str) -> Option<UrlRule> {
        match word.parse().ok()? {
            UrlRuleKind::NeedlessKey => Some(UrlRule::NeedlessKey(key.to_owned())),
            UrlRuleKind::OwnOrder => Some(UrlRule::OwnOrder),
        }
    }
}
