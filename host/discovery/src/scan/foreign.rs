//! SVG and MathML, where other rules hold than in HTML.

use super::element::Element;
use super::scanner::Scanner;
use super::tags::{Tag, Traits};
use super::tree::Frame;

impl Scanner<'_, '_> {
    /// Elements of HTML end SVG and MathML that were not closed.
    pub(super) fn leaves_foreign(&mut self, element: &Element<'_>) -> bool {
        let tag = element.tag;
        let is_html = tag.has(Traits::ENDS_P)
            || matches!(
                tag,
                Tag::B
                    | Tag::Big
                    | Tag::Body
                    | Tag::Br
                    | Tag::Code
                    | Tag::Em
                    | Tag::Embed
                    | Tag::Head
                    | Tag::I
                    | Tag::Img
                    | Tag::Meta
                    | Tag::Nobr
                    | Tag::S
                    | Tag::Small
                    | Tag::Span
                    | Tag::Strong
                    | Tag::Strike
                    | Tag::Table
                    | Tag::Tt
                    | Tag::U
            );
        if is_html {
            let foreign = self
                .tree
                .open
                .iter()
                .rev()
                .take_while(|frame| frame.is_foreign)
                .count();
            self.end_from((self.tree.depth() - foreign).max(1));
        }
        is_html
    }

    pub(super) fn open_foreign(&mut self, element: &Element<'_>) {
        let name = element.name.of(self.bytes);
        // Inside these, HTML's rules hold again.
        let holds_html = [&b"foreignobject"[..], b"desc", b"annotation-xml"]
            .iter()
            .any(|known| name.eq_ignore_ascii_case(known))
            || element.tag == Tag::Title;
        let is_hidden = element.tag.has(Traits::HIDDEN) || name.eq_ignore_ascii_case(b"desc");
        let mut frame = Frame {
            tag: element.tag,
            name: element.name,
            path: None,
            is_foreign: !holds_html,
            is_hidden,
            is_hidden_in_link: is_hidden,
            is_inert: false,
        };
        self.inherit(&mut frame);
        self.image_text(element.attributes);
        if !element.closes_itself && self.tree.push(frame) && element.tag == Tag::A && !frame.is_inert {
            self.links_of(element);
        }
    }
}
