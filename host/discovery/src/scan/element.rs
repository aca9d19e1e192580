//! A tag and its relevant attributes.

use super::markup::Span;
use super::tags::Tag;

/// The relevant attributes. The first of a name counts. They are borrowed: most tags have none of
/// them, and copying two hundred bytes from step to step takes as long as reading such a tag.
#[derive(Debug, Default)]
pub(super) struct Attributes {
    pub(super) id: Option<Span>,
    pub(super) class: Option<Span>,
    pub(super) href: Option<Span>,
    pub(super) src: Option<Span>,
    pub(super) rel: Option<Span>,
    pub(super) name: Option<Span>,
    pub(super) content: Option<Span>,
    pub(super) http_equiv: Option<Span>,
    pub(super) hreflang: Option<Span>,
    pub(super) title: Option<Span>,
    pub(super) label: Option<Span>,
    pub(super) alt: Option<Span>,
    pub(super) hidden: Option<Span>,
    pub(super) action: Option<Span>,
    pub(super) method: Option<Span>,
    pub(super) media_type: Option<Span>,
    pub(super) srcdoc: Option<Span>,
}

impl Attributes {
    /// Those of a tag that was not asked for any.
    pub(super) const NONE: &Attributes = &Attributes {
        id: None,
        class: None,
        href: None,
        src: None,
        rel: None,
        name: None,
        content: None,
        http_equiv: None,
        hreflang: None,
        title: None,
        label: None,
        alt: None,
        hidden: None,
        action: None,
        method: None,
        media_type: None,
        srcdoc: None,
    };

    pub(super) fn keep(&mut self, name: &[u8], value: Span) {
        // Length and first letter decide which attribute it can be, so that nearly all names are
        // rejected without a comparison.
        let (known, slot): (&[u8], _) = match (name.len(), name[0] | 0x20) {
            (2, b'i') => (b"id", &mut self.id),
            (3, b'a') => (b"alt", &mut self.alt),
            (3, b'r') => (b"rel", &mut self.rel),
            (3, b's') => (b"src", &mut self.src),
            (4, b'h') => (b"href", &mut self.href),
            (4, b'n') => (b"name", &mut self.name),
            (4, b't') => (b"type", &mut self.media_type),
            (5, b'c') => (b"class", &mut self.class),
            (5, b't') => (b"title", &mut self.title),
            (6, b'a') => (b"action", &mut self.action),
            (6, b'h') => (b"hidden", &mut self.hidden),
            (6, b'm') => (b"method", &mut self.method),
            (6, b's') => (b"srcdoc", &mut self.srcdoc),
            (7, b'c') => (b"content", &mut self.content),
            (8, b'h') => (b"hreflang", &mut self.hreflang),
            (10, b'a') => (b"aria-label", &mut self.label),
            (10, b'h') => (b"http-equiv", &mut self.http_equiv),
            _ => return,
        };
        if slot.is_none() && name.eq_ignore_ascii_case(known) {
            *slot = Some(value);
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Element<'a> {
    pub(super) tag: Tag,
    pub(super) name: Span,
    pub(super) attributes: &'a Attributes,
    /// `<br/>`: means something in SVG and MathML only.
    pub(super) closes_itself: bool,
}
