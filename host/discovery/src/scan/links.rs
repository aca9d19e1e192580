//! From elements to links: what leads where, with its text and its path.

use std::borrow::Cow;

use super::element::{Attributes, Element};
use super::flow::Flow;
use super::markup::{self, Span};
use super::paths::{PathId, StepNames};
use super::references::{ReferenceContext, decode};
use super::relations::{Relations, is_resource};
use super::scanner::{OpenLink, Scanner};
use super::tags::Tag;
use super::tree::Frame;
use crate::sitemap::is_feed;

use super::{LinkKind, Piece, Refresh, ScanTruncation, ScannedLink, refresh};

/// Documents in `srcdoc` attributes that are kept of a page.
const MAX_SRCDOCS: usize = 10;

const MAX_SRCDOC_BYTES: usize = 1024 * 1024;

impl Scanner<'_, '_> {
    /// Keeps the first text of an image inside the open link.
    pub(super) fn image_text(&mut self, attributes: &Attributes) {
        if let (Some(open), Some(alt)) = (&mut self.open_link, attributes.alt)
            && open
                .image
                .is_none_or(|known| known.of(self.bytes).trim_ascii().is_empty())
        {
            open.image = Some(alt);
        }
    }

    pub(super) fn void_element(&mut self, element: &Element<'_>, frame: Frame) {
        if frame.is_inert {
            return;
        }
        let attributes = element.attributes;
        match element.tag {
            Tag::Area => self.add_link(LinkKind::Anchor, attributes.href, element),
            Tag::Frame => self.add_link(LinkKind::Frame, attributes.src, element),
            Tag::Link => self.add_link(LinkKind::Head, attributes.href, element),
            Tag::Base if self.page.base.is_none() => {
                // Every link would become as long as it.
                let href = attributes
                    .href
                    .filter(|href| href.len() <= self.limits.max_href_bytes);
                self.page.base = href.map(|href| self.value(href));
            }
            Tag::Meta => self.meta(element, frame),
            Tag::Input if is_text_field(attributes.media_type.map(|kind| self.source(kind))) => {
                self.is_form_without_text = false;
            }
            _ => {}
        }
    }

    pub(super) fn links_of(&mut self, element: &Element<'_>) {
        let attributes = element.attributes;
        match element.tag {
            Tag::A => self.add_link(LinkKind::Anchor, attributes.href, element),
            // The document in the attribute takes the place of the one that `src` names.
            Tag::Iframe if attributes.srcdoc.is_some() => self.keep_srcdoc(attributes.srcdoc),
            Tag::Iframe => self.add_link(LinkKind::Frame, attributes.src, element),
            Tag::Textarea => self.is_form_without_text = false,
            Tag::Form => {
                let is_get = attributes.method.is_none_or(|method| {
                    !method.of(self.bytes).trim_ascii().eq_ignore_ascii_case(b"post")
                        && !method.of(self.bytes).trim_ascii().eq_ignore_ascii_case(b"dialog")
                });
                self.end_form();
                self.is_form_without_text = is_get;
                if is_get {
                    self.add_link(LinkKind::Form, attributes.action, element);
                }
            }
            _ => {}
        }
    }

    /// Notes if the form that ends, or the last one of the page, has no text field.
    pub(super) fn end_form(&mut self) {
        self.page.has_form_without_text |= std::mem::take(&mut self.is_form_without_text);
    }

    fn keep_srcdoc(&mut self, html: Option<Span>) {
        let kept: usize = self.page.srcdocs.iter().map(String::len).sum();
        let html = html.unwrap_or_default();
        if self.page.srcdocs.len() < MAX_SRCDOCS && kept + html.len() <= MAX_SRCDOC_BYTES {
            let html = decode(self.source(html), ReferenceContext::Attribute).into_owned();
            self.page.srcdocs.push(html);
        }
    }

    fn add_link(&mut self, kind: LinkKind, href: Option<Span>, element: &Element<'_>) {
        let Some(href) = href else { return };
        if href.len() > self.limits.max_href_bytes {
            self.page.oversized += 1;
            return;
        }
        let rel = element.attributes.rel.unwrap_or_default();
        let written = self.source(rel);
        if kind == LinkKind::Head && is_resource(written) {
            return;
        }
        let relations = if rel.len() == 0 {
            Relations::default()
        } else {
            Relations::of(written)
        };
        let kind = match kind {
            LinkKind::Head if self.is_feed(element, relations) => LinkKind::Feed,
            // A description for programs: oEmbed, a post as JSON, a calendar file.
            LinkKind::Head if !self.names_page(element) => return,
            _ => kind,
        };
        let number = self.page.links.len();
        let is_canonical = kind == LinkKind::Head && relations.contains(Relations::CANONICAL);
        let (href, path) = (self.value(href), self.path_of(element));
        if !self.push_link(ScannedLink {
            kind,
            path,
            relations,
            href,
            text: Piece::EMPTY,
            rel,
            language: element.attributes.hreflang.unwrap_or_default(),
        }) {
            return;
        }
        if is_canonical && self.page.canonical.is_none() {
            self.page.canonical = Some(number);
        }
        let opened = OpenLink {
            number,
            place: self.tree.depth().saturating_sub(1),
            flow: Flow::at_end_of(&self.page.link_texts),
            has_content: element.tag == Tag::A,
            image: element.attributes.alt,
            label: element.attributes.label,
            title: element.attributes.title,
        };
        match element.tag {
            Tag::A => self.open_link = Some(opened),
            Tag::Form => {}
            _ => self.finish_link(opened),
        }
    }

    /// Returns `true` unless a `link` element states that its target is of another type than a
    /// page.
    fn names_page(&self, element: &Element<'_>) -> bool {
        let written = element.attributes.media_type.map(|written| self.source(written));
        let Some(written) = written.map(str::trim).filter(|written| !written.is_empty()) else {
            return true;
        };
        let essence = written.split(';').next().unwrap_or_default().trim();
        ["text/html", "application/xhtml+xml"]
            .iter()
            .any(|page| essence.eq_ignore_ascii_case(page))
    }

    /// Returns true if a `link` element names a feed.
    fn is_feed(&self, element: &Element<'_>, relations: Relations) -> bool {
        relations.contains(Relations::ALTERNATE)
            && element
                .attributes
                .media_type
                .is_some_and(|written| is_feed(self.source(written)))
    }

    fn push_link(&mut self, link: ScannedLink) -> bool {
        if self.page.links.len() >= self.limits.max_links {
            self.page.truncated = Some(ScanTruncation::TooManyLinks(self.limits.max_links));
            return false;
        }
        self.page.links.push(link);
        true
    }

    fn meta(&mut self, element: &Element<'_>, frame: Frame) {
        let attributes = element.attributes;
        let Some(content) = attributes.content else { return };
        if content.len() > self.limits.max_href_bytes {
            return;
        }
        if let Some(name) = attributes.name {
            let name = self.source(name).trim();
            let token = &self.limits.product_token;
            if name.eq_ignore_ascii_case("robots") || !token.is_empty() && name.eq_ignore_ascii_case(token) {
                let content = decode(self.source(content), ReferenceContext::Attribute);
                self.page.robots.read(&content);
            }
        }
        let equivalent = attributes
            .http_equiv
            .map(|header| header.of(self.bytes).trim_ascii());
        if equivalent.is_some_and(|header| header.eq_ignore_ascii_case(b"refresh")) {
            self.refresh(content, element, frame);
        }
    }

    fn refresh(&mut self, content: Span, element: &Element<'_>, frame: Frame) {
        let content = decode(self.source(content), ReferenceContext::Attribute);
        let Some((seconds, target)) = refresh::read(&content) else {
            return;
        };
        let start = self.page.decoded.len();
        self.page.decoded.push_str(target);
        let link = ScannedLink {
            kind: LinkKind::Refresh,
            path: self.path_of(element),
            relations: Relations::default(),
            href: Piece::Decoded(Span::new(start, self.page.decoded.len())),
            text: Piece::EMPTY,
            rel: Span::default(),
            language: Span::default(),
        };
        let number = self.page.links.len();
        // Browsers with scripts ignore the content of `noscript`, so its refresh is not a redirect.
        let is_obeyed = !self.tree.has(Tag::Noscript) && !frame.is_inert;
        if self.push_link(link) && is_obeyed && self.page.refresh.is_none() {
            self.page.refresh = Some(Refresh {
                seconds,
                link: number,
            });
        }
    }

    /// Gives a link its text: what was read, or else that of its image, its label or its title.
    pub(super) fn finish_link(&mut self, open: OpenLink) {
        let start = open.flow.start();
        // Links without content may stand inside one whose text is being read, which is not theirs.
        let has_text = open.has_content && self.page.link_texts.len() > start;
        let text = match has_text {
            true => Piece::LinkText(Span::new(start, self.page.link_texts.len())),
            false => self.text_instead(&open),
        };
        if let Some(link) = self.page.links.get_mut(open.number) {
            link.text = text;
        }
    }

    fn text_instead(&mut self, open: &OpenLink) -> Piece {
        let start = self.page.decoded.len();
        let others = [open.image, open.label, open.title];
        for other in others.into_iter().flatten() {
            let text = decode(self.source(other), ReferenceContext::Attribute);
            let text = &text[..text.floor_char_boundary(self.limits.max_text_bytes)];
            Flow::at_end_of(&self.page.decoded).push(text, &mut self.page.decoded);
            if self.page.decoded.len() > start {
                break;
            }
        }
        Piece::Decoded(Span::new(start, self.page.decoded.len()))
    }

    /// The value of an attribute with its references decoded.
    fn value(&mut self, span: Span) -> Piece {
        match decode(self.source(span), ReferenceContext::Attribute) {
            Cow::Borrowed(_) => Piece::Source(span),
            Cow::Owned(decoded) => {
                let start = self.page.decoded.len();
                self.page.decoded.push_str(&decoded);
                Piece::Decoded(Span::new(start, self.page.decoded.len()))
            }
        }
    }

    /// Returns the path of an element that is the innermost open one, or inside that.
    fn path_of(&mut self, element: &Element<'_>) -> PathId {
        let top_is_it = self.tree.top().is_some_and(|top| top.name == element.name);
        let depth = self.tree.depth();
        let parents = if top_is_it { depth - 1 } else { depth };
        let parent = self.path_at(parents);
        let names = StepNames {
            tag: element.name.of(self.bytes),
            id: element.attributes.id.unwrap_or_default().of(self.bytes),
            class: element.attributes.class.unwrap_or_default().of(self.bytes),
        };
        self.page.paths.child(parent, names)
    }

    /// Returns the path of the innermost of the first `count` open elements.
    fn path_at(&mut self, count: usize) -> PathId {
        let known = self.tree.open[..count]
            .iter()
            .rposition(|frame| frame.path.is_some());
        let mut path = known
            .and_then(|place| self.tree.open[place].path)
            .unwrap_or(PathId::ROOT);
        for frame in &mut self.tree.open[known.map_or(0, |place| place + 1)..count] {
            path = self.page.paths.child(path, names_of(frame, self.bytes));
            frame.path = Some(path);
        }
        path
    }
}

/// Returns `true` if an `input` element of this type takes text.
fn is_text_field(kind: Option<&str>) -> bool {
    let other = [
        "hidden", "submit", "image", "button", "reset", "radio", "checkbox",
    ];
    let kind = kind.unwrap_or_default().trim();
    !other.iter().any(|other| kind.eq_ignore_ascii_case(other))
}

/// Reads the names of an open element again: few elements have links in them, so none is read in
/// advance.
fn names_of<'h>(frame: &Frame, source: &'h [u8]) -> StepNames<'h> {
    if frame.name.len() == 0 {
        return StepNames {
            tag: frame.tag.name(),
            ..Default::default()
        };
    }
    let (mut id, mut class) = (None, None);
    markup::attributes(source, frame.name.end as usize, |name, value| {
        if name.eq_ignore_ascii_case(b"id") {
            id.get_or_insert(value.of(source));
        } else if name.eq_ignore_ascii_case(b"class") {
            class.get_or_insert(value.of(source));
        }
    });
    StepNames {
        tag: frame.name.of(source),
        id: id.unwrap_or_default(),
        class: class.unwrap_or_default(),
    }
}
