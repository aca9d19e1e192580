//! References that are spelled canonically already, as most links are: put together without being parsed.

use magpie_model::CanonicalUrl;

use super::cache::{Form, LinkBase};
use super::escapes::{Needs, stays_in_path};
use super::{Canonicaliser, LONGEST_URL};

impl Canonicaliser {
    /// The canonical form of a reference of this form, where it can be told by its letters alone; it is then what resolving and
    /// canonicalising would give, with nothing changed. A site of a million pages has a million links that no cache remembers.
    pub(super) fn plain(&self, href: &str, form: Form, base: &LinkBase) -> Option<CanonicalUrl> {
        let origin = base.plain_origin()?;
        if self.keys.twin_of(origin).is_some() {
            return None;
        }
        let (folder, rest) = match form {
            Form::Absolute => (
                "",
                href.strip_prefix(origin).filter(|rest| rest.starts_with('/'))?,
            ),
            Form::FromRoot => ("", href),
            Form::FromFolder => (base.folder(), href),
            Form::OtherHost | Form::QueryOnly | Form::Unclear => return None,
        };
        let (path, query) = match memchr::memchr(b'?', rest.as_bytes()) {
            Some(end) => (&rest[..end], Some(&rest[end + 1..])),
            None => (rest, None),
        };
        let is_plain = is_plain_path(folder)
            && is_plain_path(path)
            // What could be a dot segment is left to those who know them.
            && !(form == Form::FromFolder && path.starts_with('.'))
            && query.is_none_or(|query| self.is_plain_query(query));
        let slash = if form == Form::FromFolder { "/" } else { "" };
        let length = origin.len() + folder.len() + slash.len() + rest.len();
        if !is_plain || length > LONGEST_URL {
            return None;
        }
        let mut url = String::with_capacity(length);
        for part in [origin, folder, slash, rest] {
            url.push_str(part);
        }
        CanonicalUrl::trusted(url)
    }

    fn is_plain_query(&self, query: &str) -> bool {
        // In a query an apostrophe is escaped.
        !query.is_empty()
            && !query.bytes().any(|byte| matches!(byte, b'#' | b'\''))
            && !Needs::of(query).respelling()
            && self.is_canonical(query)
    }
}

/// Whether a path stays as it is in every respect. One pass: this is asked of every link.
fn is_plain_path(path: &str) -> bool {
    let (mut before, mut is_plain) = (0, true);
    for byte in path.bytes() {
        is_plain &= stays_in_path(byte) && !(before == b'/' && byte == b'.');
        before = byte;
    }
    is_plain
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use url::Url;

    use crate::canonical::cache::form_of;
    use crate::canonical::{CanonicalSettings, Canonicaliser, LinkBase};

    /// What parsing gives, and what the letters alone give.
    fn both(base: &str, href: &str) -> (Option<String>, Option<String>) {
        let canonicaliser = Canonicaliser::new(&CanonicalSettings::default());
        let base = LinkBase::new(Url::parse(base).unwrap());
        let parsed = base
            .url()
            .join(href)
            .ok()
            .and_then(|url| canonicaliser.canonicalise(&url).ok())
            .map(|canonical| canonical.url.as_str().to_owned());
        let form = form_of(href).ok();
        let plain = form.and_then(|form| canonicaliser.plain(href, form, &base));
        (parsed, plain.map(|url| url.as_str().to_owned()))
    }

    #[test]
    fn usual_links_need_no_parsing() {
        let cases = [
            ("/shop/item-7", "https://a.example/shop/item-7"),
            ("https://a.example/x?b=2&c", "https://a.example/x?b=2&c"),
            ("item-7.html", "https://a.example/shop/item-7.html"),
        ];
        for (href, expected) in cases {
            let (parsed, plain) = both("https://a.example/shop/list?page=3", href);
            assert_eq!(plain.as_deref(), Some(expected), "{href}");
            assert_eq!(parsed, plain, "{href}");
        }
    }

    #[test]
    fn what_is_spelled_in_another_way_is_parsed() {
        let hrefs = [
            "/a b",
            "/%41",
            "/a/../b",
            "/a/./b",
            "/x?utm_source=y",
            "/x?b=1&a=2",
            "/x?",
            "/x#y",
            "/x;jsessionid=1",
            "//b.example/",
            "https://b.example/",
            "https://a.example",
            "./x",
            "..",
            "?page=2",
            "",
            "mailto:a@b.example",
            "/x?a='",
        ];
        for href in hrefs {
            assert_eq!(both("https://a.example/shop/", href).1, None, "{href:?}");
        }
        for base in [
            "https://u:p@a.example/",
            "https://a.example./",
            "ftp://a.example/",
            "data:x",
        ] {
            assert_eq!(both(base, "/x").1, None, "{base}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 4096, ..ProptestConfig::default() })]

        #[test]
        fn letters_alone_never_say_anything_else(
            base in "https?://(u@)?a\\.example[.]?(:80|:81)?(/[a-z.;% ]{0,3}){0,3}(\\?x)?",
            href in prop_oneof![
                "(https?://a\\.example(:80|:81)?)?(/[a-z0-9.%;(~'!$*+,:@=&|^\\\\\"\\[\\]{}<>`_ é\t-]{0,4}){0,3}(\\?[a-c=&%;'?/#é+.]{0,6})?(#x)?",
                "[a-z0-9./?&=#:;%' -]{0,8}",
                any::<String>(),
            ],
        ) {
            let (parsed, plain) = both(&base, &href);
            if plain.is_some() {
                prop_assert_eq!(plain, parsed, "{} on {}", href, base);
            }
        }
    }
}
