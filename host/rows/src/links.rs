//! The links of a page in one piece of memory, and as a store keeps them.

use std::borrow::Cow;
use std::fmt;

use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageLink {
    /// The address, resolved.
    pub href: String,
    /// The `rel` words; empty when there are none.
    pub rel: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    pub href: String,
    pub text: String,
    /// The words of `rel`.
    pub rel: String,
}

/// The links of a page, in order. They share one buffer, since a page has fifty and a crawl fifty
/// million.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkList {
    text: String,
    places: Vec<Places>,
}

/// Positions of the parts of a link in the text: consecutive, except for the path, which is often
/// that of the link before.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Places {
    path: [u32; 2],
    start: u32,
    href: u32,
    text: u32,
    rel: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link<'a> {
    /// Resolved address; without the origin where that is the origin of the page.
    pub href: &'a str,
    /// The anchor text.
    pub text: &'a str,
    /// Its position in the document: `html>body>ul>li[2]>a`.
    pub path: &'a str,
    /// The `rel` words; empty when there are none.
    pub rel: &'a str,
}

/// Maximum number of bytes of one page's links: a page of 16 MB holds no more, and positions fit 32
/// bits.
const MAX_BYTES: usize = 64 * 1024 * 1024;

impl LinkList {
    pub fn new() -> LinkList {
        LinkList::default()
    }

    /// Adds a link. Whether there was room for it.
    pub fn push(&mut self, link: Link<'_>) -> bool {
        let parts = [link.href, link.text, link.path, link.rel];
        if self.text.len() + parts.iter().map(|part| part.len()).sum::<usize>() > MAX_BYTES {
            return false;
        }
        let path = self.path_of(link.path);
        let start = self.text.len() as u32;
        let [href, text, rel] = [link.href, link.text, link.rel].map(|part| self.add(part));
        self.places.push(Places {
            path,
            start,
            href,
            text,
            rel,
        });
        true
    }

    /// Returns the position of a path: consecutive links of a list have the same one.
    fn path_of(&mut self, path: &str) -> [u32; 2] {
        if let Some(last) = self.places.last()
            && self.part(last.path[0], last.path[1]) == path
        {
            return last.path;
        }
        let start = self.text.len() as u32;
        [start, self.add(path)]
    }

    /// Adds a part and returns its end, which fits because the bytes of all parts are bounded.
    fn add(&mut self, part: &str) -> u32 {
        self.text.push_str(part);
        self.text.len() as u32
    }

    fn part(&self, start: u32, end: u32) -> &str {
        &self.text[start as usize..end as usize]
    }

    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns true if there are no links.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = Link<'_>> {
        self.places.iter().map(|places| Link {
            href: self.part(places.start, places.href),
            text: self.part(places.href, places.text),
            path: self.part(places.path[0], places.path[1]),
            rel: self.part(places.text, places.rel),
        })
    }

    /// The bytes they take.
    pub fn weight(&self) -> usize {
        self.text.len() + self.places.len() * size_of::<Places>()
    }
}

/// Scheme, name and port of a URL; empty where it has none.
pub fn origin(url: &str) -> &str {
    let Some(scheme) = url.find("://") else {
        return "";
    };
    let start = scheme + 3;
    let end = url[start..]
        .find(['/', '?', '#'])
        .map_or(url.len(), |at| start + at);
    &url[..end]
}

/// Returns the whole address of a link on a page of an origin.
pub fn with_origin<'a>(href: &'a str, origin: &str) -> Cow<'a, str> {
    match href.starts_with('/') {
        true => format!("{origin}{href}").into(),
        false => href.into(),
    }
}

/// Reads links from a JSON array, each an array with the address, the text, the path and the `rel`
/// words. The last parts may be missing.
pub fn links_from_json(origin: &str, json: &str) -> Vec<PageLink> {
    let links: Vec<Packed<'_>> = serde_json::from_str(json).unwrap_or_default();
    let resolved = links.into_iter().map(|link| PageLink {
        href: with_origin(&link.href, origin).into_owned(),
        rel: link.rel.into_owned(),
    });
    resolved.collect()
}

/// Reads links with their texts, as [`links_from_json`] does without.
pub fn anchors_from_json(origin: &str, json: &str) -> Vec<Anchor> {
    // A store may keep a number in the place of the path.
    let links: Vec<Vec<Value>> = serde_json::from_str(json).unwrap_or_default();
    let resolved = links.iter().map(|link| {
        let part = |at: usize| link.get(at).and_then(Value::as_str).unwrap_or_default();
        Anchor {
            href: with_origin(part(0), origin).into_owned(),
            text: part(1).to_owned(),
            rel: part(3).to_owned(),
        }
    });
    resolved.collect()
}

/// The first and the fourth entry of a JSON array.
struct Packed<'a> {
    href: Cow<'a, str>,
    rel: Cow<'a, str>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Packed<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Packed<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a link as an array")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut link: A) -> Result<Packed<'de>, A::Error> {
                #[derive(Deserialize)]
                struct Text<'a>(#[serde(borrow)] Cow<'a, str>);
                let text = |text: Option<Text<'de>>| text.map_or(Cow::Borrowed(""), |text| text.0);
                let href = text(link.next_element()?);
                // What is not used is skipped without being parsed into values.
                let _text: Option<IgnoredAny> = link.next_element()?;
                let _path: Option<IgnoredAny> = link.next_element()?;
                let rel = text(link.next_element()?);
                while link.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Packed { href, rel })
            }
        }
        deserializer.deserialize_seq(Entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_come_back_in_order() {
        let one = Link {
            href: "/a",
            text: "A",
            path: "html>a",
            rel: "nofollow",
        };
        let two = Link {
            href: "/b",
            text: "",
            path: "",
            rel: "",
        };
        let three = Link { rel: "", ..one };
        for given in [[one, two, three], [one, three, two], [two, one, one]] {
            let mut links = LinkList::new();
            assert!(given.iter().all(|link| links.push(*link)));
            assert_eq!(links.iter().collect::<Vec<_>>(), given);
        }
    }

    #[test]
    fn anchors_are_read_with_paths_of_either_kind() {
        let json = r#"[["/a", "A", 7, "nofollow"], ["https://b.test/", "B", "html>a"], ["/c"]]"#;
        let anchor = |href: &str, text: &str, rel: &str| Anchor {
            href: href.to_owned(),
            text: text.to_owned(),
            rel: rel.to_owned(),
        };
        let expected = [
            anchor("https://a.test/a", "A", "nofollow"),
            anchor("https://b.test/", "B", ""),
            anchor("https://a.test/c", "", ""),
        ];
        assert_eq!(anchors_from_json("https://a.test", json), expected);
    }

    #[test]
    fn origins_are_found() {
        assert_eq!(origin("https://a.test:8/x?y"), "https://a.test:8");
        assert_eq!(origin("http://a.test"), "http://a.test");
        assert_eq!(origin("http://a.test?x/"), "http://a.test");
        assert_eq!(origin("mailto:x"), "");
    }
}
