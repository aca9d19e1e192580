//! The servers, their URLs, and the requests that act.

use std::path::{Path, PathBuf};

use crate::log::{LoggedRequest, parse_common, parse_php};

/// A server that can be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Datasette: a database with full-text search, filters and facets.
    Datasette,
    /// Oscar: a shop in Django, with search and a cart.
    Oscar,
    /// Roundup: an issue tracker with an advanced search form.
    Roundup,
    /// MediaWiki: a wiki with search and an OpenSearch description.
    MediaWiki,
}

impl Kind {
    pub const ALL: [Kind; 4] = [Kind::Datasette, Kind::Oscar, Kind::Roundup, Kind::MediaWiki];

    /// Returns the name of the server, as in `cargo xtask servers NAME`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Datasette => "datasette",
            Self::Oscar => "oscar",
            Self::Roundup => "roundup",
            Self::MediaWiki => "mediawiki",
        }
    }

    /// Returns the server of this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Kind> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns the pinned version; for MediaWiki, which Debian installs, the series.
    #[must_use]
    pub fn version(self) -> &'static str {
        match self {
            Self::Datasette => pinned(DATASETTE_REQUIREMENTS, "datasette"),
            Self::Oscar => pinned(OSCAR_REQUIREMENTS, "django-oscar"),
            Self::Roundup => pinned(ROUNDUP_REQUIREMENTS, "roundup"),
            Self::MediaWiki => "1.39",
        }
    }

    /// Returns the pinned packages of a server in Python, in the format of pip.
    pub(crate) fn requirements(self) -> Option<&'static str> {
        match self {
            Self::Datasette => Some(DATASETTE_REQUIREMENTS),
            Self::Oscar => Some(OSCAR_REQUIREMENTS),
            Self::Roundup => Some(ROUNDUP_REQUIREMENTS),
            Self::MediaWiki => None,
        }
    }

    /// Returns the path of the front page.
    #[must_use]
    pub fn front_page(self) -> &'static str {
        match self {
            Self::Datasette | Self::Oscar | Self::MediaWiki => "/",
            Self::Roundup => "/tracker/",
        }
    }

    /// Returns the path and query of the first result page of a search by keywords, as the search
    /// form sends it.
    #[must_use]
    pub fn search_target(self, keywords: &str) -> String {
        let keywords = encode(keywords);
        match self {
            Self::Datasette => format!("/books/books?_search={keywords}"),
            Self::Oscar => format!("/search/?q={keywords}"),
            Self::Roundup => format!(
                "/tracker/issue?@columns=id%2Cactivity%2Ctitle%2Ccreator%2Cassignedto%2Cstatus\
                 &@sort=activity&@group=priority&@search_text={keywords}"
            ),
            // The button that does not redirect to the page of an exact title.
            Self::MediaWiki => {
                format!("/index.php?search={keywords}&title=Special%3ASearch&fulltext=Search")
            }
        }
    }

    /// Returns true if the request acts: it could change something, or it exports, logs in, or
    /// returns a random page. A crawler must not send it.
    #[must_use]
    pub fn acts(self, method: &str, target: &str) -> bool {
        if !matches!(method, "GET" | "HEAD" | "OPTIONS") {
            return true;
        }
        let target = decode(target).to_lowercase();
        let (path, query) = target.split_once('?').unwrap_or((&target, ""));
        match self {
            Self::Datasette => {
                let is_export = [".csv", ".db"].iter().any(|ending| path.ends_with(ending));
                is_export || query.contains("_stream=") || path.starts_with("/-/")
            }
            Self::Oscar => ["/accounts/", "/basket/add", "/checkout/", "/dashboard/", "/i18n/"]
                .iter()
                .any(|acting| path.starts_with(acting)),
            Self::Roundup => query.split(['&', ';']).any(|argument| {
                argument
                    .split_once("action=")
                    .filter(|(prefix, _)| matches!(*prefix, "@" | ":"))
                    .is_some_and(|(_, action)| !matches!(action, "search" | "show"))
            }),
            Self::MediaWiki => {
                let is_acting_page = MEDIAWIKI_PAGES
                    .iter()
                    .any(|page| path.contains(page) || query.contains(page));
                let mut arguments = query.split('&');
                is_acting_page
                    || arguments.any(|argument| {
                        let action = argument.strip_prefix("action=");
                        action.is_some_and(|action| MEDIAWIKI_ACTIONS.contains(&action))
                    })
            }
        }
    }

    /// Parses a line of the access log. Other lines of the output give `None`.
    pub(crate) fn parse_line(self, line: &str) -> Option<LoggedRequest> {
        match self {
            Self::Datasette | Self::Oscar | Self::Roundup => parse_common(line),
            Self::MediaWiki => parse_php(line),
        }
    }
}

const DATASETTE_REQUIREMENTS: &str = include_str!("../requirements/datasette.txt");
const OSCAR_REQUIREMENTS: &str = include_str!("../requirements/oscar.txt");
const ROUNDUP_REQUIREMENTS: &str = include_str!("../requirements/roundup.txt");

/// Special pages that act, in lower case.
const MEDIAWIKI_PAGES: [&str; 7] = [
    "special:random",
    "special:userlogin",
    "special:userlogout",
    "special:createaccount",
    "special:export",
    "special:import",
    "special:upload",
];

/// Values of `action` that act.
const MEDIAWIKI_ACTIONS: [&str; 11] = [
    "delete",
    "edit",
    "markpatrolled",
    "mcrundo",
    "protect",
    "purge",
    "revert",
    "rollback",
    "submit",
    "unwatch",
    "watch",
];

/// Returns the version of a package in the list.
pub(crate) fn pinned(requirements: &'static str, package: &str) -> &'static str {
    let mut lines = requirements.lines().filter_map(|line| line.split_once("=="));
    lines
        .find(|(name, _)| *name == package)
        .map_or("unknown", |(_, version)| version)
}

/// Returns the folder of the fill scripts.
pub(crate) fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fill")
}

/// Encodes a value of a query as forms do.
fn encode(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'*' => encoded.push(byte.into()),
            b' ' => encoded.push('+'),
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

/// Decodes percent-encoded bytes.
fn decode(target: &str) -> String {
    let mut decoded = Vec::new();
    let mut rest = target.as_bytes();
    while let [first, tail @ ..] = rest {
        let code = tail.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = code.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        if let (b'%', Some(byte)) = (first, byte) {
            decoded.push(byte);
            rest = &tail[2..];
        } else {
            decoded.push(*first);
            rest = tail;
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_pinned() {
        assert_eq!(Kind::Oscar.version(), "4.2");
        assert!(Kind::ALL.iter().all(|kind| kind.version() != "unknown"));
    }

    #[test]
    fn names_are_parsed() {
        assert!(
            Kind::ALL
                .iter()
                .all(|kind| Kind::parse(kind.name()) == Some(*kind))
        );
        assert_eq!(Kind::parse("nginx"), None);
    }

    #[test]
    fn keywords_are_encoded() {
        assert_eq!(
            Kind::Oscar.search_target("salt & silk é"),
            "/search/?q=salt+%26+silk+%C3%A9"
        );
    }

    #[test]
    fn acting_requests_are_recognised() {
        for (kind, target) in [
            (Kind::Datasette, "/books/books.csv?_search=salt&_size=max"),
            (Kind::Datasette, "/books.db"),
            (Kind::Oscar, "/accounts/login/"),
            (Kind::Roundup, "/tracker/issue?@action=export_csv&@columns=id"),
            (Kind::Roundup, "/tracker/?%40action=logout"),
            (Kind::MediaWiki, "/index.php/Special:Random"),
            (Kind::MediaWiki, "/index.php?title=Special%3AUserLogin"),
            (Kind::MediaWiki, "/index.php?title=Salt&action=edit&redlink=1"),
        ] {
            assert!(kind.acts("GET", target), "{target}");
        }
        for kind in Kind::ALL {
            assert!(
                !kind.acts("GET", &kind.search_target("edit @action=logout")),
                "{kind:?}"
            );
            assert!(!kind.acts("GET", kind.front_page()));
            assert!(kind.acts("POST", kind.front_page()));
        }
        assert!(!Kind::Roundup.acts("GET", "/tracker/?@number=3&@type=issue&@action=show"));
    }
}
