//! The values of `rel`.

use std::fmt;

/// The relations of a link that matter to a crawler.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Relations(u16);

const NAMES: [(&str, Relations); 9] = [
    ("nofollow", Relations::NOFOLLOW),
    ("ugc", Relations::UGC),
    ("sponsored", Relations::SPONSORED),
    ("next", Relations::NEXT),
    ("prev", Relations::PREVIOUS),
    ("previous", Relations::PREVIOUS),
    ("canonical", Relations::CANONICAL),
    ("alternate", Relations::ALTERNATE),
    ("amphtml", Relations::AMP),
];

/// Relations of `link` elements that name things to load or to talk to, not pages.
const RESOURCES: [&str; 19] = [
    "stylesheet",
    "icon",
    "shortcut",
    "apple-touch-icon",
    "apple-touch-icon-precomposed",
    "apple-touch-startup-image",
    "mask-icon",
    "manifest",
    "preload",
    "modulepreload",
    "prefetch",
    "preconnect",
    "dns-prefetch",
    "pingback",
    "search",
    "import",
    // Blog software links the description of its editing API, which is not a page.
    "edituri",
    "wlwmanifest",
    // Another address of the page itself, which redirects to it. Blogs name one on each page.
    "shortlink",
];

impl Relations {
    /// The page does not vouch for the link.
    pub(crate) const NOFOLLOW: Relations = Relations(1);
    /// A reader of the page wrote the link.
    const UGC: Relations = Relations(1 << 1);
    const SPONSORED: Relations = Relations(1 << 2);
    pub const NEXT: Relations = Relations(1 << 3);
    pub(crate) const PREVIOUS: Relations = Relations(1 << 4);
    /// The name the page prefers for itself.
    pub const CANONICAL: Relations = Relations(1 << 5);
    /// The same in another language or form.
    pub(crate) const ALTERNATE: Relations = Relations(1 << 6);
    /// The same for phones.
    const AMP: Relations = Relations(1 << 7);

    pub fn of(rel: &str) -> Relations {
        let mut found = Relations::default();
        for word in rel.split_ascii_whitespace() {
            for (name, relation) in NAMES {
                if word.eq_ignore_ascii_case(name) {
                    found.0 |= relation.0;
                }
            }
        }
        found
    }

    /// Returns true if all of the relations are present.
    pub fn contains(self, other: Relations) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns true if the page asks not to follow the link: `nofollow`, `ugc` or `sponsored`.
    pub fn asks_not_to_follow(self) -> bool {
        self.0 & (Relations::NOFOLLOW.0 | Relations::UGC.0 | Relations::SPONSORED.0) != 0
    }
}

/// Returns `true` if a `link` element with this `rel` loads something instead of leading to a page.
/// A relation that is itself an address (RFC 8288, 2.1.2) is an agreement between programs, such as
/// the root of an API.
pub(super) fn is_resource(rel: &str) -> bool {
    let known =
        |word: &str| word.contains("://") || RESOURCES.iter().any(|name| word.eq_ignore_ascii_case(name));
    rel.split_ascii_whitespace().any(known)
}

impl fmt::Debug for Relations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = NAMES
            .iter()
            .filter(|(name, relation)| *name != "previous" && self.contains(*relation));
        f.debug_set().entries(named.map(|(name, _)| name)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::{Relations, is_resource};

    #[test]
    fn words_in_any_case_and_order() {
        let relations = Relations::of(" NoFollow noopener\tNEXT ");
        assert!(relations.contains(Relations::NOFOLLOW) && relations.contains(Relations::NEXT));
        assert!(relations.asks_not_to_follow());
        assert!(!Relations::of("noopener external").asks_not_to_follow());
        assert!(is_resource("shortcut icon") && !is_resource("canonical"));
        assert!(is_resource("https://api.example/rel") && is_resource("EditURI"));
        assert!(is_resource("shortlink"));
    }
}
