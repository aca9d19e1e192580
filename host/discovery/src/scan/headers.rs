//! Links in response headers: `Refresh`, and `Link` by RFC 8288.

use super::refresh;
use super::relations::{Relations, is_resource};

/// Links that are read of one header.
const MAX_LINKS: usize = 100;

/// Bytes of a header that are read.
const MAX_BYTES: usize = 64 * 1024;

/// A link of a `Link` header that leads to a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeaderLink<'h> {
    /// The reference, as it is written.
    pub href: &'h str,
    /// Its `rel`, as it is written.
    pub rel: &'h str,
    /// The relations that matter to a crawler.
    pub relations: Relations,
}

/// Returns the reference of a `Refresh` header, unless the page only reloads itself.
pub fn refresh_of_header(value: &str) -> Option<&str> {
    refresh::read(value).map(|(_, target)| target)
}

/// Returns the links of a `Link` header that lead to pages: those with `rel=next`, `prev`,
/// `canonical` or `alternate` and no other media type than HTML. Links that load something, and
/// those of another context, are left out.
pub fn links_of_header(value: &str) -> Vec<HeaderLink<'_>> {
    let value = &value[..value.floor_char_boundary(MAX_BYTES)];
    let mut found = Vec::new();
    let mut rest = value;
    while let Some(start) = rest.find('<') {
        let Some(length) = rest[start + 1..].find('>') else {
            break;
        };
        let href = rest[start + 1..start + 1 + length].trim();
        let (parameters, behind) = parameters(&rest[start + length + 2..]);
        rest = behind;
        let get = |name: &str| {
            let mut named = parameters.iter();
            named
                .find(|(key, _)| key.eq_ignore_ascii_case(name))
                .map_or("", |(_, value)| *value)
        };
        let rel = get("rel");
        let relations = Relations::of(rel);
        let leads = [
            Relations::NEXT,
            Relations::PREVIOUS,
            Relations::CANONICAL,
            Relations::ALTERNATE,
        ];
        let leads = leads.iter().any(|relation| relations.contains(*relation));
        let kind = get("type").split(';').next().unwrap_or_default().trim();
        let is_page = kind.is_empty()
            || ["text/html", "application/xhtml+xml"]
                .iter()
                .any(|page| kind.eq_ignore_ascii_case(page));
        // With `anchor`, the link is one of another page.
        let is_own = get("anchor").is_empty();
        if leads && is_page && is_own && !href.is_empty() && !is_resource(rel) && found.len() < MAX_LINKS {
            found.push(HeaderLink { href, rel, relations });
        }
    }
    found
}

/// Reads the parameters of a link up to the comma that ends it. Returns them and the rest.
fn parameters(text: &str) -> (Vec<(&str, &str)>, &str) {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(after) = rest.strip_prefix(';') {
        let after = after.trim_start();
        let end = after.find(['=', ';', ',']).unwrap_or(after.len());
        let name = after[..end].trim();
        let Some(value) = after[end..].strip_prefix('=') else {
            found.push((name, ""));
            rest = &after[end..];
            continue;
        };
        let value = value.trim_start();
        let (value, behind) = match value.strip_prefix('"') {
            Some(quoted) => {
                let end = quoted.find('"').unwrap_or(quoted.len());
                (&quoted[..end], quoted[end..].strip_prefix('"').unwrap_or(""))
            }
            None => value.split_at(value.find([';', ',']).unwrap_or(value.len())),
        };
        found.push((name, value.trim()));
        rest = behind.trim_start();
    }
    // An unknown syntax is skipped up to the next link.
    (found, rest.find(',').map_or("", |comma| &rest[comma + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(value: &str) -> Vec<(&str, &str)> {
        let links = links_of_header(value).into_iter();
        links.map(|link| (link.href, link.rel)).collect()
    }

    #[test]
    fn links_that_lead_to_pages() {
        assert_eq!(
            found("</list?page=2>; rel=\"next\", </list>; rel=prev"),
            [("/list?page=2", "next"), ("/list", "prev")]
        );
        // Quotes protect commas and semicolons, in any order of parameters.
        assert_eq!(
            found("<a,b>; title=\"x, y; rel=prev\"; REL = \"first next\""),
            [("a,b", "first next")]
        );
        assert_eq!(
            found("<https://a.example/en>; rel=alternate; hreflang=en; type=\"text/html; charset=utf-8\""),
            [("https://a.example/en", "alternate")]
        );
    }

    #[test]
    fn links_that_lead_nowhere() {
        for value in [
            "</style.css>; rel=preload; as=style",
            "</feed>; rel=alternate; type=application/rss+xml",
            "</x>; rel=next; anchor=\"/other\"",
            "<>; rel=next",
            "</x>",
            "</x; rel=next",
            "/x; rel=next",
            "",
            "<",
            "</x>; rel",
        ] {
            assert_eq!(found(value), [], "{value}");
        }
        // An unknown parameter and a stray quote do not hide the next link.
        assert_eq!(
            found("</x>; rel=author; a=\"b\"c, </y>; rel=next"),
            [("/y", "next")]
        );
    }

    #[test]
    fn the_number_of_links_is_bounded() {
        let value = "</x>; rel=next, ".repeat(1_000);
        assert_eq!(links_of_header(&value).len(), MAX_LINKS);
    }

    #[test]
    fn refreshes_lead_elsewhere_or_nowhere() {
        assert_eq!(refresh_of_header("0; url=/next"), Some("/next"));
        assert_eq!(refresh_of_header("30"), None);
    }
}
