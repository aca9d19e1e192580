//! The language of a page.

use crate::dom::Document;

/// The language as a BCP 47 tag: from the `html` element, else from `meta` elements, else from the
/// headers.
pub(crate) fn language(document: &Document, header: Option<&str>) -> Option<String> {
    let root = document.children(document.root()).next();
    let attributes = ["lang", "xml:lang"]
        .into_iter()
        .filter_map(|name| document.attribute(root?, name));
    let metas = ["content-language", "og:locale"]
        .into_iter()
        .filter_map(|name| meta(document, name));
    attributes.chain(metas).chain(header).find_map(tag)
}

/// The content of the first `meta` element of a name.
fn meta<'a>(document: &'a Document, wanted: &str) -> Option<&'a str> {
    let metas = document
        .having("content")
        .into_iter()
        .filter(|&(node, _)| document.tag(node) == "meta");
    let mut named = metas.filter(|&(node, _)| {
        ["http-equiv", "property", "name"]
            .into_iter()
            .filter_map(|attribute| document.attribute(node, attribute))
            .any(|name| name.trim().eq_ignore_ascii_case(wanted))
    });
    named.next().map(|(_, content)| content)
}

/// A well-formed tag with the usual capitals (`en-GB`, `zh-Hant`), from the first of a list of
/// tags.
fn tag(text: &str) -> Option<String> {
    let first = text.split([',', ';']).next()?.trim().replace('_', "-");
    let mut parts = first.split('-');
    let language = parts.next().filter(|part| (2..=8).contains(&part.len()))?;
    if !language.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return None;
    }
    let mut tag = language.to_ascii_lowercase();
    for part in parts {
        // A broken subtag ends the tag, and the language before it is still right.
        if part.is_empty() || part.len() > 8 || !part.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            break;
        }
        tag.push('-');
        match part.len() {
            2 => tag.push_str(&part.to_ascii_uppercase()),
            4 if part.bytes().all(|byte| byte.is_ascii_alphabetic()) => {
                tag.push_str(&part[..1].to_ascii_uppercase());
                tag.push_str(&part[1..].to_ascii_lowercase());
            }
            _ => tag.push_str(&part.to_ascii_lowercase()),
        }
    }
    Some(tag)
}

#[cfg(test)]
mod tests {
    use super::tag;

    #[test]
    fn tags_are_tidied() {
        let cases = [
            ("de", Some("de")),
            ("EN-us", Some("en-US")),
            ("en_GB", Some("en-GB")),
            ("zh-hant-tw", Some("zh-Hant-TW")),
            (" fr , en", Some("fr")),
            ("es-419", Some("es-419")),
            ("x", None),
            ("", None),
            ("{{lang}}", None),
            ("de-", Some("de")),
        ];
        for (text, expected) in cases {
            assert_eq!(tag(text).as_deref(), expected, "{text}");
        }
    }
}
