//! A writer of XML whose text is always well-formed.

use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

/// An XML document that is being written into memory.
pub(super) struct Xml {
    writer: quick_xml::Writer<Vec<u8>>,
}

impl Xml {
    pub(super) fn new() -> Xml {
        let mut xml = Xml {
            writer: quick_xml::Writer::new_with_indent(Vec::new(), b' ', 1),
        };
        xml.put(Event::Decl(BytesDecl::new("1.0", Some("utf-8"), None)));
        xml
    }

    /// Writes an element with what `inside` writes.
    pub(super) fn element(&mut self, name: &str, attributes: &[(&str, &str)], inside: impl FnOnce(&mut Xml)) {
        self.put(Event::Start(start(name, attributes)));
        inside(self);
        self.put(Event::End(BytesEnd::new(name)));
    }

    /// Writes an element without content.
    pub(super) fn empty(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.put(Event::Empty(start(name, attributes)));
    }

    pub(super) fn text(&mut self, name: &str, attributes: &[(&str, &str)], text: &str) {
        self.put(Event::Start(start(name, attributes)));
        self.put(Event::Text(BytesText::new(&allowed(text))));
        self.put(Event::End(BytesEnd::new(name)));
    }

    pub(super) fn finish(self) -> String {
        String::from_utf8(self.writer.into_inner()).unwrap_or_default()
    }

    fn put(&mut self, event: Event<'_>) {
        self.writer.write_event(event).expect("memory takes everything");
    }
}

fn start<'a>(name: &'a str, attributes: &[(&str, &str)]) -> BytesStart<'a> {
    let mut start = BytesStart::new(name);
    for (name, value) in attributes {
        start.push_attribute((*name, allowed(value).as_str()));
    }
    start
}

/// Drops the characters that XML 1.0 has no way to write.
fn allowed(text: &str) -> String {
    let is_allowed = |letter: &char| matches!(letter, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    text.chars().filter(is_allowed).collect()
}

/// Returns text as HTML that shows it.
pub(super) fn html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            letter => escaped.push(letter),
        }
    }
    escaped
}
