//! The links of a page.

use crate::dom::{Document, NodeId};

/// Kind of a link, by the element that makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkKind {
    /// `a` or `area`: what a reader can click.
    Anchor,
    /// `link`, as `rel=next` or `rel=canonical`, without those that load styles, icons or scripts.
    Head,
    /// `iframe` or `frame`: a page shown inside this one.
    Frame,
}

/// One link to another page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Target: an absolute `http` or `https` URL, with its fragment.
    pub href: String,
    /// Text of the link, or the alternative text of its image.
    pub text: String,
    /// The `rel` attribute, in lower case; empty if missing.
    pub rel: String,
    /// The element.
    pub node: NodeId,
    /// The kind, by its element.
    pub kind: LinkKind,
}

/// Relations of `link` elements that name things to load, not pages.
const RESOURCES: [&str; 14] = [
    "stylesheet",
    "icon",
    "apple-touch-icon",
    "apple-touch-icon-precomposed",
    "mask-icon",
    "preload",
    "prefetch",
    "modulepreload",
    "preconnect",
    "dns-prefetch",
    "manifest",
    "pingback",
    "search",
    "shortcut",
];

/// All links, in document order.
pub(crate) fn links(document: &Document) -> Vec<Link> {
    let found = (0..document.node_count()).filter_map(|node| {
        let (kind, attribute) = match document.tag(node) {
            "a" | "area" => (LinkKind::Anchor, "href"),
            "link" => (LinkKind::Head, "href"),
            "iframe" | "frame" => (LinkKind::Frame, "src"),
            _ => return None,
        };
        let reference = document.attribute(node, attribute)?;
        let rel = document
            .attribute(node, "rel")
            .unwrap_or_default()
            .to_ascii_lowercase();
        if kind == LinkKind::Head && rel.split_ascii_whitespace().any(|rel| RESOURCES.contains(&rel)) {
            return None;
        }
        let href = document.resolve_url(reference)?;
        if !matches!(href.scheme(), "http" | "https") {
            return None;
        }
        Some(Link {
            href: href.into(),
            text: link_text(document, node),
            rel,
            node,
            kind,
        })
    });
    found.collect()
}

/// The text inside, or else what its images, its title or its label say.
fn link_text(document: &Document, node: NodeId) -> String {
    let text = document.text_of(node);
    if !text.is_empty() {
        return text;
    }
    let images = (node..document.end(node)).filter_map(|inner| document.attribute(inner, "alt"));
    let names = ["aria-label", "title"]
        .into_iter()
        .filter_map(|name| document.attribute(node, name));
    images
        .chain(names)
        .map(crate::dom::tidy)
        .find(|text| !text.is_empty())
        .unwrap_or_default()
}
