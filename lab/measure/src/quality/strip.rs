//! A page without its structured data: the same text and tree, as a person sees them.
//!
//! Taken out are scripts with JSON-LD or the state that a page starts from; the attributes of
//! microdata and RDFa; the class names of microformats; and `meta` and `link` elements that belong
//! to any of these, to Open Graph and its relatives, or to a library's catalogue. All other bytes
//! stay as they are.

use magpie_page::Page;

/// Attributes of microdata and RDFa that mean nothing else in HTML.
const ATTRIBUTES: [&str; 11] = [
    "itemscope",
    "itemtype",
    "itemprop",
    "itemid",
    "itemref",
    "vocab",
    "typeof",
    "property",
    "about",
    "resource",
    "datatype",
];

/// Names of `meta` elements, up to their first colon, full stop or underscore, that are data about
/// the page's object and not about the page.
const META_FAMILIES: [&str; 12] = [
    "og", "twitter", "product", "book", "books", "article", "event", "dc", "dcterms", "citation", "fb",
    "music",
];

/// Prefixes of the class names of microformats.
const CLASS_PREFIXES: [&str; 5] = ["h-", "p-", "u-", "dt-", "e-"];

/// Class names that begin an object of the older microformats; without them their properties are
/// ordinary names.
const OLD_ROOTS: [&str; 15] = [
    "vevent",
    "vcalendar",
    "vcard",
    "hproduct",
    "hreview",
    "hreview-aggregate",
    "hentry",
    "hfeed",
    "hrecipe",
    "hresume",
    "hnews",
    "haudio",
    "hmedia",
    "adr",
    "geo",
];

/// Elements whose content is text up to their end tag, even if it looks like markup.
const RAW_TEXT: [&str; 7] = ["script", "style", "textarea", "title", "xmp", "iframe", "noembed"];

/// The page without its structured data.
pub(crate) fn strip(html: &str) -> String {
    let mut kept = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(open) = rest.find('<') {
        kept.push_str(&rest[..open]);
        rest = &rest[open..];
        let length = markup(rest, &mut kept);
        rest = &rest[length..];
    }
    kept.push_str(rest);
    kept
}

/// Copies what begins with `<` as far as it is to be kept; how long it is.
fn markup(text: &str, kept: &mut String) -> usize {
    if let Some(comment) = text.strip_prefix("<!--") {
        let length = comment.find("-->").map_or(text.len(), |end| 4 + end + 3);
        kept.push_str(&text[..length]);
        return length;
    }
    if !text[1..].starts_with(|first: char| first.is_ascii_alphabetic()) {
        // An end tag, a declaration, or a bare sign: nothing in it is data.
        kept.push('<');
        return 1;
    }
    let tag = Tag::parse(text);
    let name = tag.name.to_ascii_lowercase();
    let mut length = tag.length;
    if RAW_TEXT.contains(&name.as_str()) {
        length += raw_text(&text[length..], &name);
    }
    let is_state = || name == "script" && tag.value("src").is_none() && has_state(&text[..length]);
    if is_data(&name, &tag) || is_state() {
        if name == "script" {
            length += text[length..]
                .find('>')
                .map_or(text.len() - length, |end| end + 1);
        }
        return length;
    }
    tag.write(kept);
    kept.push_str(&text[tag.length..length]);
    length
}

/// Length of the content of an element that ends only at its own end tag.
fn raw_text(content: &str, name: &str) -> usize {
    let mut from = 0;
    while let Some(at) = content[from..].find("</") {
        let end = from + at;
        let behind = &content.as_bytes()[end + 2..];
        if behind.len() >= name.len() && behind[..name.len()].eq_ignore_ascii_case(name.as_bytes()) {
            return end;
        }
        from = end + 2;
    }
    content.len()
}

/// Returns true if a script has objects in the state that a page starts from.
fn has_state(script: &str) -> bool {
    let alone = format!("{script}</script>");
    let page = Page::from_html("https://page.example/", &alone);
    page.is_ok_and(|page| !page.structured_data().is_empty())
}

/// Returns true if the whole element is for machines alone.
fn is_data(name: &str, tag: &Tag<'_>) -> bool {
    match name {
        "script" => tag
            .value("type")
            .is_some_and(|kind| kind.to_ascii_lowercase().contains("ld+json")),
        "meta" => {
            let family = |name: &str| {
                let name = name.to_ascii_lowercase();
                let family = name.split([':', '.', '_']).next().unwrap_or_default();
                family.len() < name.len() && META_FAMILIES.contains(&family)
            };
            tag.value("itemprop").is_some()
                || tag.value("property").is_some()
                || tag.value("name").is_some_and(family)
        }
        "link" => tag.value("itemprop").is_some() || tag.value("property").is_some(),
        _ => false,
    }
}

/// A start tag in its parts.
struct Tag<'a> {
    name: &'a str,
    attributes: Vec<Attribute<'a>>,
    /// Text after the last attribute: `>` or `/>`.
    close: &'a str,
    length: usize,
}

struct Attribute<'a> {
    /// As written, with the white space before it.
    written: &'a str,
    name: &'a str,
    value: &'a str,
}

impl<'a> Tag<'a> {
    /// Reads a tag as browsers do. A tag without an end reaches to the end of the text.
    fn parse(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let until = |from: usize, ends: fn(u8) -> bool| {
            bytes[from..]
                .iter()
                .position(|byte| ends(*byte))
                .map_or(bytes.len(), |at| from + at)
        };
        let name_end = until(1, |byte| {
            byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>')
        });
        let mut attributes = Vec::new();
        let mut at = name_end;
        loop {
            let start = at;
            let name_start = until(at, |byte| !byte.is_ascii_whitespace() && byte != b'/');
            if name_start == bytes.len() || bytes[name_start] == b'>' {
                let length = (name_start + 1).min(bytes.len());
                return Self {
                    name: &text[1..name_end],
                    attributes,
                    close: &text[start..length],
                    length,
                };
            }
            // The first sign of a name may be anything, even `=`.
            let name_end = until(name_start + 1, |byte| {
                byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>' | b'=')
            });
            at = name_end;
            let equals = until(name_end, |byte| !byte.is_ascii_whitespace());
            let mut value = "";
            if bytes.get(equals) == Some(&b'=') {
                let first = until(equals + 1, |byte| !byte.is_ascii_whitespace());
                (value, at) = match bytes.get(first) {
                    Some(quote @ (b'"' | b'\'')) => {
                        let end = text[first + 1..].find(char::from(*quote));
                        let end = end.map_or(bytes.len(), |end| first + 1 + end);
                        (&text[first + 1..end], (end + 1).min(bytes.len()))
                    }
                    _ => {
                        let end = until(first, |byte| byte.is_ascii_whitespace() || byte == b'>');
                        (&text[first..end], end)
                    }
                };
            }
            attributes.push(Attribute {
                written: &text[start..at],
                name: text.get(name_start..name_end).unwrap_or_default(),
                value,
            });
        }
    }

    fn value(&self, name: &str) -> Option<&'a str> {
        let found = self
            .attributes
            .iter()
            .find(|one| one.name.eq_ignore_ascii_case(name));
        found.map(|one| one.value)
    }

    fn write(&self, kept: &mut String) {
        kept.push('<');
        kept.push_str(self.name);
        // A machine's form of what a reader sees; on `meta` it is the only one.
        let has_property = self.value("property").is_some() || self.value("itemprop").is_some();
        let hides_content = has_property && !self.name.eq_ignore_ascii_case("meta");
        for attribute in &self.attributes {
            let name = attribute.name.to_ascii_lowercase();
            if ATTRIBUTES.contains(&name.as_str()) || (hides_content && name == "content") {
                continue;
            }
            if name == "class" && attribute.value.split_ascii_whitespace().any(is_microformat) {
                let classes: Vec<&str> = attribute
                    .value
                    .split_ascii_whitespace()
                    .filter(|class| !is_microformat(class))
                    .collect();
                kept.push_str(" class=\"");
                kept.push_str(&classes.join(" ").replace('"', "&quot;"));
                kept.push('"');
                continue;
            }
            kept.push_str(attribute.written);
        }
        kept.push_str(self.close);
    }
}

fn is_microformat(class: &str) -> bool {
    OLD_ROOTS.contains(&class) || CLASS_PREFIXES.iter().any(|prefix| class.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_with_data_go_and_others_stay() {
        let html = r#"<script type="application/ld+json">{"a": "<b>"}</script><script>if (a < b) {}</script><script>x =
            {"name": "A", "price": 3, "sku": "B"}</script>x"#;
        assert_eq!(strip(html), "<script>if (a < b) {}</script>x");
    }

    #[test]
    fn microdata_and_rdfa_leave_the_text() {
        let html = "<div itemscope itemtype='https://schema.org/Book' id=a><span itemprop=name content=\"X\">Tempest</span>\
            <p property='price' class='p-price red'>5</p><meta itemprop=isbn content=1></div>";
        assert_eq!(
            strip(html),
            "<div id=a><span>Tempest</span><p class=\"red\">5</p></div>"
        );
    }

    #[test]
    fn metas_of_open_graph_and_catalogues_go() {
        let html = "<meta property=og:title content=A><meta name=\"twitter:title\" content=B><META NAME=DC.Title \
            content=C><meta name=citation_isbn content=D><meta name=description content=E><meta name=author content=F>";
        assert_eq!(
            strip(html),
            "<meta name=description content=E><meta name=author content=F>"
        );
    }

    #[test]
    fn other_markup_stays_to_the_byte() {
        let html = "<!DOCTYPE html><!-- <p itemprop=x> --><a href='a>b' / data-x = \"1\">1 < 2</a><br/><textarea><p \
            itemprop=y></textarea><time datetime=2026>";
        assert_eq!(strip(html), html);
    }

    #[test]
    fn broken_markup_ends() {
        for html in [
            "<",
            "<a",
            "<a href",
            "<a href=",
            "<a href='x",
            "<script type=application/ld+json>x",
            "<!--",
            "<a =",
            "<é",
        ] {
            assert!(strip(html).len() <= html.len() + 1, "{html}");
        }
    }
}
