//! A node as HTML again.

use super::{Document, Namespace, NodeId};

/// Elements that have no content and no end tag.
const VOID: [&str; 18] = [
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input", "keygen",
    "link", "meta", "param", "source", "track", "wbr",
];

/// Elements whose text is written without escapes.
const RAW: [&str; 7] = [
    "style",
    "script",
    "xmp",
    "iframe",
    "noembed",
    "noframes",
    "plaintext",
];

impl Document {
    /// The node as HTML, by the standard's rules for serialising. Comments are gone.
    pub fn html_of(&self, node: NodeId) -> String {
        let mut html = String::new();
        let mut open: Vec<NodeId> = Vec::new();
        for at in node..self.end(node) {
            self.close_tags(&mut open, at, &mut html);
            if self.is_text(at) {
                self.write_text(at, &mut html);
            } else if self.is_element(at) {
                self.write_start_tag(at, &mut html);
                if !(self.namespace(at) == Namespace::Html && VOID.contains(&self.tag(at))) {
                    open.push(at);
                }
            }
        }
        self.close_tags(&mut open, self.end(node), &mut html);
        html
    }

    fn close_tags(&self, open: &mut Vec<NodeId>, at: NodeId, html: &mut String) {
        while let Some(&last) = open.last() {
            if self.end(last) > at {
                break;
            }
            html.push_str("</");
            html.push_str(self.tag(last));
            html.push('>');
            open.pop();
        }
    }

    fn write_start_tag(&self, node: NodeId, html: &mut String) {
        html.push('<');
        html.push_str(self.tag(node));
        for (name, value) in self.attributes(node) {
            html.push(' ');
            html.push_str(name);
            html.push_str("=\"");
            escape(value, true, html);
            html.push('"');
        }
        html.push('>');
    }

    fn write_text(&self, node: NodeId, html: &mut String) {
        // Scripts and styles must not be escaped, because a parser takes what it finds in them
        // literally.
        let raw = self.parent(node).is_some_and(|parent| {
            self.namespace(parent) == Namespace::Html && RAW.contains(&self.tag(parent))
        });
        let text = self.raw_text(node);
        if raw {
            html.push_str(text);
        } else {
            escape(text, false, html);
        }
    }
}

fn escape(text: &str, in_attribute: bool, html: &mut String) {
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '\u{a0}' => html.push_str("&nbsp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' if in_attribute => html.push_str("&quot;"),
            _ => html.push(character),
        }
    }
}
