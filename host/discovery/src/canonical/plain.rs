//! Canonically spelled references, as most links are: resolved without parsing.

use magpie_model::{CanonicalUrl, UrlFingerprint};

use super::cache::{Form, LinkBase, form_of};
use super::escapes::Needs;
use super::{Canonicaliser, MAX_URL_LEN};

impl Canonicaliser {
    /// Returns the fingerprint of the URL that a link leads to, if it can be computed from the text
    /// alone. Only `scratch` is written. A site of a million pages has a million links that no
    /// cache remembers, and nearly all of them lead to URLs that are known by their fingerprint.
    pub fn plain_fingerprint(
        &self,
        href: &str,
        base: &LinkBase,
        scratch: &mut String,
    ) -> Option<UrlFingerprint> {
        let href = href.trim_matches(|c| c <= ' ');
        let form = form_of(href).ok()?;
        let parts = self.plain_parts(href, form, base)?;
        scratch.clear();
        parts.iter().for_each(|part| scratch.push_str(part));
        Some(UrlFingerprint::of(scratch))
    }

    /// Returns the canonical form of a reference of this form, if it can be computed from the text
    /// alone. It equals the result of resolving and canonicalising, without changes.
    pub(super) fn plain(&self, href: &str, form: Form, base: &LinkBase) -> Option<CanonicalUrl> {
        CanonicalUrl::trusted(self.plain_parts(href, form, base)?.concat())
    }

    fn plain_parts<'a>(&self, href: &'a str, form: Form, base: &'a LinkBase) -> Option<[&'a str; 4]> {
        let origin = base.plain_origin()?;
        // The origin itself is replaced then, which the slow way does.
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
            // A path that may begin with a dot segment takes the slow way, which resolves it.
            && !(form == Form::FromFolder && path.starts_with('.'))
            && query.is_none_or(|query| self.is_plain_query(query));
        let slash = if form == Form::FromFolder { "/" } else { "" };
        let length = origin.len() + folder.len() + slash.len() + rest.len();
        (is_plain && length <= MAX_URL_LEN).then_some([origin, folder, slash, rest])
    }

    fn is_plain_query(&self, query: &str) -> bool {
        // In a query an apostrophe is escaped.
        !query.is_empty()
            && !query.bytes().any(|byte| matches!(byte, b'#' | b'\''))
            && !Needs::of(query).respelling()
            && self.is_canonical(query)
    }
}

/// Returns true if a path stays unchanged in every respect. Called for every link.
fn is_plain_path(path: &str) -> bool {
    let needs = Needs::of(path);
    needs.at_most_dots() && !(needs.dots() && path.contains("/."))
}

#[cfg(test)]
mod tests {
    use magpie_model::UrlFingerprint;
    use proptest::prelude::*;
    use url::Url;

    use crate::canonical::cache::form_of;
    use crate::canonical::{CanonicalSettings, Canonicaliser, LinkBase};

    /// Returns the result of parsing, and the result of the text alone.
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
    fn plain_links_have_a_number_at_once() {
        let canonicaliser = Canonicaliser::new(&CanonicalSettings::default());
        let base = LinkBase::new(Url::parse("https://a.example/shop/list").unwrap());
        let number = |href: &str| canonicaliser.plain_fingerprint(href, &base, &mut String::new());
        for href in ["/shop/item-7", " item-7\n", "https://a.example/shop/item-7"] {
            let expected = UrlFingerprint::of("https://a.example/shop/item-7");
            assert_eq!(number(href), Some(expected), "{href:?}");
        }
        let expected = UrlFingerprint::of("https://a.example/shop/item?id=7");
        assert_eq!(number("/shop/item?id=7"), Some(expected));
        for href in [
            "/shop/item?b=1&a=2",
            "/a/../b",
            "/.x",
            "/x;a=1",
            "mailto:a@b.example",
        ] {
            assert_eq!(number(href), None, "{href:?}");
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
                prop_assert_eq!(&plain, &parsed, "{} on {}", href, base);
            }
            let number = Canonicaliser::new(&CanonicalSettings::default()).plain_fingerprint(
                &href,
                &LinkBase::new(Url::parse(&base).unwrap()),
                &mut "of before".to_owned(),
            );
            if let Some(number) = number {
                let url = parsed.unwrap_or_default();
                prop_assert_eq!(number, UrlFingerprint::of(&url), "{} on {}", href, base);
            }
        }
    }
}
