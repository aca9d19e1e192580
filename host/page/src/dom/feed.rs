//! Feeds markup to html5ever: plain pieces as finished tokens, everything else to its tokeniser.
//!
//! A standard tokeniser inspects every character in one of eighty states. Nearly all markup needs
//! none of that: text without references, tags in lower case with quoted values. Such pieces are
//! cut out of the source unchanged, which takes a quarter of the time. Anything else goes to
//! html5ever's own tokeniser, piece by piece up to a `>`, until that has ended a tag, a comment or
//! a doctype. Then it is between two tokens, as this reader is, and the next piece may be a plain
//! one again.

use html5ever::buffer_queue::BufferQueue;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, Tokenizer, TokenizerOpts};
use html5ever::{Attribute, LocalName, QualName, TokenizerResult, ns};

use super::guard::Guard;

/// Bytes that are read at once. Tokens keep the whole part alive, and a piece that went to the
/// tokeniser can't be stopped.
const PART_BYTES: usize = 256 * 1024;

/// Names that are kept at hand. A page has some twenty of elements and as many of attributes.
const NAMES: usize = 128;

/// Elements after whose start tag the tokeniser reads in another way; so it must see the tag.
const SWITCHING: [&str; 10] = [
    "iframe",
    "noembed",
    "noframes",
    "noscript",
    "plaintext",
    "script",
    "style",
    "textarea",
    "title",
    "xmp",
];

/// A tokeniser with its sink, and a faster way to the latter.
pub(super) struct Feeder {
    tokenizer: Tokenizer<Guard>,
    /// True if the tokeniser is between two tokens, where a tag or text may begin and it holds no
    /// pending input.
    is_between: bool,
}

impl Feeder {
    pub(super) fn new(guard: Guard) -> Feeder {
        let options = TokenizerOpts {
            // It would drop one at the beginning of every piece.
            discard_bom: false,
            ..TokenizerOpts::default()
        };
        Feeder {
            tokenizer: Tokenizer::new(guard, options),
            is_between: true,
        }
    }

    /// Reads the next part of the source, which may continue an unfinished tag or text.
    pub(super) fn feed(&mut self, mut html: &str) {
        while !html.is_empty() && !self.tokenizer.sink.is_stopped() {
            let (part, rest) = html.split_at(html.floor_char_boundary(PART_BYTES));
            self.feed_part(part);
            html = rest;
        }
    }

    fn feed_part(&mut self, html: &str) {
        let whole = StrTendril::from_slice(html);
        let mut source = Source {
            html,
            whole: &whole,
            at: 0,
            names: Names::default(),
        };
        while !source.is_at_end() && !self.tokenizer.sink.is_stopped() {
            match self.is_between.then(|| source.plain()).flatten() {
                // What the sink answers concerns only tags that go to the tokeniser.
                Some(token) => drop(self.tokenizer.sink.process_token(token, 1)),
                None => self.by_the_rules(source.piece()),
            }
        }
    }

    /// Ends the source. What the sink made of it.
    pub(super) fn end(self) -> Guard {
        self.tokenizer.end();
        self.tokenizer.sink
    }

    /// Gives a piece to the tokeniser, in which at most the last byte is a `>`.
    fn by_the_rules(&mut self, piece: &str) {
        let sink = &self.tokenizer.sink;
        // A piece that ends inside a tag yields no token. Without this it would inherit the result
        // of the piece before.
        sink.forget_last();
        let input = BufferQueue::default();
        input.push_back(StrTendril::from_slice(piece));
        // The tokeniser pauses at scripts and at charset declarations; neither changes anything
        // here.
        while !matches!(self.tokenizer.feed(&input), TokenizerResult::Done) {}
        // Markup ends with a `>` only, so that nothing came behind.
        self.is_between = sink.was_markup() && !sink.is_raw_next();
    }
}

/// A part of the source, and how far it was read.
struct Source<'a> {
    html: &'a str,
    /// The same, of which tokens have their share without a copy.
    whole: &'a StrTendril,
    at: usize,
    names: Names<'a>,
}

impl<'a> Source<'a> {
    fn is_at_end(&self) -> bool {
        self.at == self.html.len()
    }

    /// Takes everything up to the next `>`, or to the end.
    fn piece(&mut self) -> &'a str {
        let rest = &self.html[self.at..];
        let end = memchr::memchr(b'>', rest.as_bytes()).map_or(rest.len(), |place| place + 1);
        self.at += end;
        &rest[..end]
    }

    /// Takes the next token, if it is written plainly.
    fn plain(&mut self) -> Option<Token> {
        match self.html.as_bytes()[self.at..] {
            [b'<', b'/', ..] => self.end_tag(),
            [b'<', ..] => self.start_tag(),
            _ => self.text(),
        }
    }

    /// Text up to a tag, without any character references.
    fn text(&mut self) -> Option<Token> {
        let rest = &self.html.as_bytes()[self.at..];
        // A text at the end of the source may continue in its next part.
        let end = memchr::memchr(b'<', rest)?;
        // References, carriage returns and NUL characters are what the tokeniser changes in text.
        if memchr::memchr3(b'&', b'\r', b'\0', &rest[..end]).is_some() {
            return None;
        }
        let text = self.share(self.at, self.at + end);
        self.at += end;
        Some(Token::CharacterTokens(text))
    }

    fn end_tag(&mut self) -> Option<Token> {
        let (name, end) = self.tag_name(self.at + "</".len())?;
        // Attributes and blanks in an end tag are rare, and the tokeniser has rules for them.
        if self.byte(end) != Some(b'>') {
            return None;
        }
        self.at = end + 1;
        Some(self.tag(TagKind::EndTag, name, Vec::new(), false))
    }

    fn start_tag(&mut self) -> Option<Token> {
        let (name, mut at) = self.tag_name(self.at + "<".len())?;
        if SWITCHING.contains(&name) {
            return None;
        }
        let mut attributes = Vec::new();
        let self_closing = loop {
            let before = at;
            at = self.after_space(at);
            match self.byte(at)? {
                b'>' => break false,
                b'/' if self.byte(at + 1) == Some(b'>') => {
                    at += 1;
                    break true;
                }
                // Two attributes without a blank between them, or a lone slash: the tokeniser has
                // rules for both.
                _ if before == at => return None,
                _ => at = self.attribute(at, &mut attributes)?,
            }
        };
        self.at = at + 1;
        Some(self.tag(TagKind::StartTag, name, attributes, self_closing))
    }

    /// Reads an attribute that begins here. Where it ends.
    fn attribute(&mut self, start: usize, attributes: &mut Vec<Attribute>) -> Option<usize> {
        let (name, end) = self.name(start)?;
        let (value, end) = match self.byte(end)? {
            b'=' => self.value(end + 1)?,
            _ => (StrTendril::new(), end),
        };
        // An equals sign may stand apart.
        if self.byte(self.after_space(end)) == Some(b'=') {
            return None;
        }
        let name = self.names.get(name);
        // Of two with the same name the tokeniser keeps the first.
        if attributes.iter().any(|known| known.name.local == name) {
            return None;
        }
        attributes.push(Attribute {
            name: QualName::new(None, ns!(), name),
            value,
        });
        Some(end)
    }

    /// The value that begins here, and where it ends.
    fn value(&self, start: usize) -> Option<(StrTendril, usize)> {
        let quote = self.byte(start).filter(|byte| matches!(byte, b'"' | b'\''));
        let from = start + usize::from(quote.is_some());
        let rest = &self.html.as_bytes()[from..];
        let is_odd = |byte: u8| matches!(byte, b'&' | b'\r' | b'\0');
        let is_odd_if_bare = |byte: u8| is_odd(byte) || matches!(byte, b'"' | b'\'' | b'<' | b'=' | b'`');
        let ends_bare = |byte: u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\x0c' | b'>');
        let length = match quote {
            Some(quote) => memchr::memchr(quote, rest)?,
            None => (rest.iter()).position(|byte| ends_bare(*byte) || is_odd_if_bare(*byte))?,
        };
        let is_plain = match quote {
            Some(_) => !rest[..length].iter().any(|byte| is_odd(*byte)),
            // References need decoding, and an empty value or quotes in a bare one are parse
            // errors. The tokeniser handles all of them.
            None => length > 0 && !is_odd_if_bare(rest[length]),
        };
        let end = from + length;
        is_plain.then(|| (self.share(from, end), end + usize::from(quote.is_some())))
    }

    fn tag_name(&self, start: usize) -> Option<(&'a str, usize)> {
        self.name(start)
            .filter(|(name, _)| name.starts_with(|first: char| first.is_ascii_lowercase()))
    }

    /// The plain name that begins here, and where it ends.
    fn name(&self, start: usize) -> Option<(&'a str, usize)> {
        let rest = self.html.as_bytes().get(start..)?;
        let length = rest.iter().position(|byte| !is_plain_in_name(*byte))?;
        let ends = matches!(rest[length], b' ' | b'\t' | b'\n' | b'\x0c' | b'/' | b'>' | b'=');
        (ends && length > 0).then(|| (&self.html[start..start + length], start + length))
    }

    fn tag(&mut self, kind: TagKind, name: &'a str, attrs: Vec<Attribute>, self_closing: bool) -> Token {
        Token::TagToken(Tag {
            kind,
            name: self.names.get(name),
            self_closing,
            attrs,
            had_duplicate_attributes: false,
        })
    }

    fn after_space(&self, at: usize) -> usize {
        let rest = self.html.as_bytes().get(at..).unwrap_or_default();
        let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\x0c');
        at + rest.iter().take_while(|byte| is_space(byte)).count()
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.html.as_bytes().get(at).copied()
    }

    fn share(&self, start: usize, end: usize) -> StrTendril {
        // A part is far shorter than what 32 bits count.
        self.whole.subtendril(start as u32, (end - start) as u32)
    }
}

/// Returns true if a byte is part of names and needs no conversion.
fn is_plain_in_name(byte: u8) -> bool {
    PLAIN_IN_NAME[usize::from(byte)]
}

/// Asked of every letter of a name.
static PLAIN_IN_NAME: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        plain[byte] = matches!(byte as u8, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b':' | b'.');
        byte += 1;
    }
    plain
};

/// Names as html5ever has them, which takes a search for each.
struct Names<'a>([Option<(&'a str, LocalName)>; NAMES]);

impl Default for Names<'_> {
    fn default() -> Self {
        Names([const { None }; NAMES])
    }
}

impl<'a> Names<'a> {
    fn get(&mut self, name: &'a str) -> LocalName {
        let slot = &mut self.0[Self::place(name)];
        match slot {
            Some((known, local)) if *known == name => local.clone(),
            _ => {
                let local = LocalName::from(name);
                *slot = Some((name, local.clone()));
                local
            }
        }
    }

    /// Hash of a name: by its length, its first letter and its last two.
    fn place(name: &str) -> usize {
        let bytes = name.as_bytes();
        let from_end = |back: usize| {
            bytes
                .len()
                .checked_sub(back)
                .map_or(0, |place| usize::from(bytes[place]))
        };
        let first = bytes.first().map_or(0, |byte| usize::from(*byte));
        // Names of the same length often differ only at the end (`h1`, `h2`; `td`, `tr`), which a
        // hash of the first letters would miss.
        (bytes.len() * 31 + first * 7 + from_end(1) * 3 + from_end(2)) % NAMES
    }
}

#[cfg(test)]
mod tests {
    use html5ever::TokenizerResult;
    use html5ever::buffer_queue::BufferQueue;
    use html5ever::tendril::StrTendril;
    use html5ever::tokenizer::{Tokenizer, TokenizerOpts};
    use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
    use proptest::prelude::*;

    use super::{Feeder, Names};
    use crate::Limits;
    use crate::dom::guard::Guard;
    use crate::dom::sink::{RawKind, RawTree};

    fn guard() -> Guard {
        let options = TreeBuilderOpts {
            drop_doctype: true,
            scripting_enabled: false,
            ..TreeBuilderOpts::default()
        };
        Guard::new(
            TreeBuilder::new(RawTree::new(1_000, 100), options),
            &Limits::default(),
        )
    }

    /// The nodes in the order they were made, each with its places in the tree.
    fn written(guard: Guard) -> String {
        let (tree, problems) = guard.finish();
        let (tags, names) = (tree.tags.borrow(), tree.attribute_names.borrow());
        let all = tree.attributes.borrow();
        let mut written = format!("{problems:?}\n");
        for node in tree.nodes.borrow().iter() {
            let what = match &node.kind {
                RawKind::Document => "document".to_owned(),
                RawKind::Comment => "comment".to_owned(),
                RawKind::Text(text) => format!("{:?}", &**text),
                RawKind::Element {
                    tag,
                    namespace,
                    attributes,
                } => {
                    let mut what = format!("{namespace:?} {}", tags.all()[usize::from(*tag)]);
                    for attribute in &all[attributes.clone()] {
                        let name = &names.all()[usize::from(attribute.name)];
                        what.push_str(&format!(" {name}={:?}", &*attribute.value));
                    }
                    what
                }
            };
            let links = [node.parent, node.previous, node.first_child].map(u32::cast_signed);
            written.push_str(&format!("{what} {links:?}\n"));
        }
        written
    }

    /// Tokens that this reader makes of a source that comes in parts.
    fn ours(parts: &[&str]) -> String {
        let mut feeder = Feeder::new(guard());
        for part in parts {
            feeder.feed(part);
        }
        written(feeder.end())
    }

    /// Tokens that html5ever alone makes of the source.
    fn theirs(html: &str) -> String {
        let options = TokenizerOpts {
            discard_bom: false,
            ..TokenizerOpts::default()
        };
        let tokenizer = Tokenizer::new(guard(), options);
        let input = BufferQueue::default();
        input.push_back(StrTendril::from_slice(html));
        while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
        tokenizer.end();
        written(tokenizer.sink)
    }

    #[test]
    fn most_of_a_page_is_plain() {
        let html = "<!DOCTYPE html><html lang=\"en\"><body class='a b'><p id=x>Text<br/>more</p><img src=\"/a.png\" alt=\"\">";
        let whole = StrTendril::from_slice(html);
        let mut source = super::Source {
            html,
            whole: &whole,
            at: "<!DOCTYPE html>".len(),
            names: Names::default(),
        };
        let tokens = std::iter::from_fn(|| source.plain());
        assert_eq!(tokens.count(), 8);
        assert!(source.is_at_end());
        assert_eq!(ours(&[html]), theirs(html));
    }

    /// Pieces of markup, some of which begin what others end.
    const PIECES: &[&str] = &[
        "<p>",
        "</p>",
        "<p class=\"a b\">",
        "<a href='/x?y=1' id=z>",
        "</a>",
        "<b>",
        "</b>",
        "<br/>",
        "<br />",
        "<img src=/a/b.png alt>",
        "<input disabled value=\"\">",
        "<div a=1 a=2>",
        "<DIV>",
        "<dIv Class=x>",
        "</DIV>",
        "<div\n\tid=\"x\"\n>",
        "<div\r\nid=x>",
        "<p/class=x>",
        "<p a = b>",
        "<p a= b>",
        "<p a =b>",
        "<p =a>",
        "<p a==b>",
        "<p a=\"x\"b=\"y\">",
        "<p a=x/>",
        "<p a=>",
        "<p a=\"x>y\">",
        "<p a=\"1 &amp; 2\">",
        "<p a='&lt'>",
        "<p a=`x`>",
        "<p \u{e9}=x>",
        "<p a=\"\u{e9}\">",
        "</p x=y>",
        "</p >",
        "</1>",
        "<1>",
        "</>",
        "<",
        "</",
        "<!",
        "<?",
        "<?php x ?>",
        "<!>",
        "<!-->",
        "<!--->",
        "<!-- a > b -->",
        "<!-- <p> --!>",
        "<!--",
        "-->",
        "--",
        ">",
        "\"",
        "'",
        "=",
        "/",
        "<!DOCTYPE html>",
        "<!doctype",
        "<![CDATA[",
        "]]>",
        "<svg>",
        "</svg>",
        "<math>",
        "<title>",
        "</title>",
        "</TITLE>",
        "</title x>",
        "<textarea>\n",
        "</textarea>",
        "<script>",
        "</script>",
        "<script>if (a<b) \"</p>\"",
        "<!--<script>",
        "<style>",
        "</style>",
        "<xmp>",
        "</xmp>",
        "<noscript>",
        "</noscript>",
        "<iframe>",
        "</iframe>",
        "<plaintext>",
        "<pre>\n",
        "<table>",
        "</table>",
        "<tr>",
        "<td>",
        "<li>",
        "<select>",
        "<option>",
        "<template>",
        "</template>",
        "<frameset>",
        "<body x=1>",
        "<html lang=de>",
        "<head>",
        "</head>",
        "<meta charset=utf-8>",
        "text",
        " ",
        "\n",
        "\r",
        "\r\n",
        "\0",
        "\u{feff}",
        "a & b",
        "&amp;",
        "&amp",
        "&",
        "&notit;",
        "&#x41;",
        "&#0",
        "\u{e9}\u{1f600}",
        "a < b",
        "1<2>3",
        "x-y:z.w_v",
        "<x-y:z.w_v q-r:s.t_u=1>",
        "<a @click=\"x\">",
        "<a :href=x>",
        "<-p>",
        "<p -a=b>",
    ];

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 4096, ..ProptestConfig::default() })]

        #[test]
        fn what_is_cut_out_is_what_the_rules_say(
            pieces in prop::collection::vec(prop::sample::select(PIECES), 0..24),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..3),
        ) {
            let html = pieces.concat();
            let mut places: Vec<usize> = cuts.iter().map(|cut| html.floor_char_boundary(cut.index(html.len() + 1))).collect();
            places.sort_unstable();
            let mut parts = Vec::new();
            let mut from = 0;
            for place in places {
                parts.push(&html[from..place]);
                from = place;
            }
            parts.push(&html[from..]);
            prop_assert_eq!(ours(&parts), theirs(&html), "{:?}", parts);
        }

        #[test]
        fn nothing_at_all_is_read_in_another_way(html in "[<>/!?a-cp='\"& \n\r\0;#x-]{0,40}") {
            prop_assert_eq!(ours(&[&html]), theirs(&html));
        }
    }
}
