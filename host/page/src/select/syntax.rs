//! Reading selectors.

use std::borrow::Borrow;
use std::fmt;

use cssparser::{Parser as CssParser, ToCss};
use precomputed_hash::PrecomputedHash;
use selectors::parser::{
    self, Component, NonTSPseudoClass, ParseRelative, PseudoElement, SelectorImpl, SelectorList,
    SelectorParseErrorKind,
};

use super::index::{Key, token_hash};

/// Matching recurses over the parts of a selector, so their number must be bounded. Real selectors
/// are far shorter.
const MAX_SELECTOR_BYTES: usize = 4096;

/// Characters of a selector that an error shows.
const MAX_SHOWN: usize = 200;

/// A selector that can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid selector {css:?} near character {position}: {reason}")]
pub struct InvalidSelector {
    /// The selector.
    pub css: String,
    /// The last character that was read, counted from 1.
    pub position: usize,
    /// Problem at that position.
    pub reason: &'static str,
}

/// A CSS selector (or several, with commas), ready to be matched against any document.
///
/// Everything structural of CSS Selectors 4 is understood: `:is`, `:where`, `:not`, `:has`,
/// `:nth-child(... of ...)`, `:scope`. A selector may start with a combinator, which then relates
/// to the scope: `> td` is `:scope > td`.
#[derive(Clone, Debug)]
pub struct Selector {
    pub(super) list: SelectorList<Css>,
    /// Minimum requirements on an element, for each selector of the list; empty if none are known.
    pub(super) keys: Vec<Vec<Key>>,
    /// For each selector of the list, whether having the key is all it takes.
    pub(super) key_decides: Vec<bool>,
}

impl Selector {
    /// Reads a selector. The error shows the selector and where it went wrong.
    pub fn parse(css: &str) -> Result<Selector, InvalidSelector> {
        let invalid = |position: usize, reason: &'static str| InvalidSelector {
            css: css.chars().take(MAX_SHOWN).collect(),
            position: position.max(1),
            reason,
        };
        if css.len() > MAX_SELECTOR_BYTES {
            return Err(invalid(0, "it is too long"));
        }
        let anchored = Anchored::new(css);
        let mut input = CssParser::new(&anchored.css);
        let list = SelectorList::parse_disallow_pseudo(&SelectorParser, &mut input, ParseRelative::No)
            .map_err(|error| {
                invalid(
                    anchored.position(input.position().byte_index()),
                    reason(&error.kind),
                )
            })?;
        let keys: Vec<Vec<Key>> = list.slice().iter().map(keys_of).collect();
        let key_decides = list.slice().iter().map(key_decides).collect();
        Ok(Selector {
            list,
            keys,
            key_decides,
        })
    }
}

/// A selector with `:scope` inserted before those of its parts that start with a combinator. The
/// `selectors` crate could do it, but only together with binding all parts to the scope, which
/// differs from browsers.
struct Anchored {
    css: String,
    /// Positions of the inserted `:scope`, in bytes of the result.
    insertions: Vec<usize>,
}

impl Anchored {
    const ANCHOR: &'static str = ":scope ";

    fn new(css: &str) -> Anchored {
        let mut anchored = Anchored {
            css: String::with_capacity(css.len()),
            insertions: Vec::new(),
        };
        let (mut depth, mut quote, mut escaped, mut at_start) = (0_usize, None, false, true);
        for character in css.chars() {
            // Inside parentheses a leading combinator is left to the crate, which allows it in
            // `:has`.
            if at_start && matches!(character, '>' | '+' | '~') {
                anchored.insertions.push(anchored.css.len());
                anchored.css.push_str(Anchored::ANCHOR);
            }
            at_start &= character.is_ascii_whitespace();
            match character {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' | '\'' if quote.is_none() => quote = Some(character),
                _ if quote.is_some() => quote = quote.filter(|&open| open != character),
                '(' | '[' => depth += 1,
                ')' | ']' => depth = depth.saturating_sub(1),
                ',' => at_start = depth == 0,
                _ => {}
            }
            anchored.css.push(character);
        }
        anchored
    }

    /// The number of characters of the original before a byte of the result.
    fn position(&self, byte: usize) -> usize {
        let inserted = self.insertions.iter().filter(|&&at| at < byte).count() * Anchored::ANCHOR.len();
        let read = self.css.get(..byte).map_or(0, |read| read.chars().count());
        read.saturating_sub(inserted)
    }
}

/// Requirements of the rightmost compound.
fn keys_of(selector: &parser::Selector<Css>) -> Vec<Key> {
    selector
        .iter()
        .filter_map(|component| match component {
            Component::ID(id) => Some(Key::Token(token_hash(b'#', &id.text))),
            Component::Class(class) => Some(Key::Token(token_hash(b'.', &class.text))),
            Component::LocalName(name) => Some(Key::Tag(name.lower_name.text.clone())),
            Component::AttributeInNoNamespaceExists { local_name_lower, .. } => {
                Some(Key::Attribute(local_name_lower.text.clone()))
            }
            Component::AttributeInNoNamespace { local_name, .. } => {
                Some(Key::Attribute(local_name.text.clone()))
            }
            _ => None,
        })
        .collect()
}

/// Returns true if a selector consists only of a tag or of an attribute's presence.
fn key_decides(selector: &parser::Selector<Css>) -> bool {
    let mut components = selector.iter_raw_match_order();
    let first = components.next();
    let decides = matches!(
        first,
        Some(Component::LocalName(_) | Component::AttributeInNoNamespaceExists { .. })
    );
    decides && components.next().is_none()
}

fn reason(kind: &cssparser::ParseErrorKind<SelectorParseErrorKind>) -> &'static str {
    use SelectorParseErrorKind as Kind;
    match kind {
        cssparser::ParseErrorKind::Basic(cssparser::BasicParseErrorKind::EndOfInput) => "it ends too early",
        cssparser::ParseErrorKind::Basic(_) => "this is not expected here",
        cssparser::ParseErrorKind::Custom(kind) => match kind {
            Kind::EmptySelector => "there is no selector",
            Kind::DanglingCombinator => "a combinator has nothing on one side",
            Kind::UnsupportedPseudoClassOrElement => {
                "selectors match elements and know no such pseudo-class or pseudo-element"
            }
            Kind::ClassNeedsIdent => "a class name is missing after the dot",
            Kind::NoIdentForPseudo | Kind::PseudoElementExpectedIdent | Kind::PseudoElementExpectedColon => {
                "the name of a pseudo-class is missing"
            }
            Kind::ExpectedNamespace => "selectors have no namespace prefixes: write the name alone",
            Kind::NoQualifiedNameInAttributeSelector
            | Kind::UnexpectedTokenInAttributeSelector
            | Kind::ExpectedBarInAttr
            | Kind::BadValueInAttr
            | Kind::InvalidQualNameInAttr => "this attribute selector is not complete",
            _ => "this is not expected here",
        },
    }
}

/// The types of our selectors, for the `selectors` crate.
#[derive(Clone, Debug)]
pub(super) struct Css;

/// Any name or value in a selector.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    hash: u32,
}

impl From<&str> for Word {
    fn from(text: &str) -> Word {
        Word {
            text: text.to_owned(),
            hash: token_hash(b' ', text),
        }
    }
}

impl AsRef<str> for Word {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

impl ToCss for Word {
    fn to_css<W: fmt::Write>(&self, destination: &mut W) -> fmt::Result {
        cssparser::serialize_identifier(&self.text, destination)
    }
}

impl PrecomputedHash for Word {
    fn precomputed_hash(&self) -> u32 {
        self.hash
    }
}

impl Borrow<str> for Word {
    fn borrow(&self) -> &str {
        &self.text
    }
}

impl SelectorImpl for Css {
    type ExtraMatchingData<'a> = ();
    type AttrValue = Word;
    type Identifier = Word;
    type LocalName = Word;
    type NamespaceUrl = Word;
    type NamespacePrefix = Word;
    type BorrowedNamespaceUrl = str;
    type BorrowedLocalName = str;
    type NonTSPseudoClass = PseudoClass;
    type PseudoElement = NoPseudoElement;
}

/// The pseudo-classes that are not about structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PseudoClass {
    /// `:any-link` and `:link`: an `a` or `area` that has a `href`.
    Link,
}

impl ToCss for PseudoClass {
    fn to_css<W: fmt::Write>(&self, destination: &mut W) -> fmt::Result {
        destination.write_str(":any-link")
    }
}

impl NonTSPseudoClass for PseudoClass {
    fn is_active_or_hover(&self) -> bool {
        false
    }

    fn is_user_action_state(&self) -> bool {
        false
    }
}

/// There are none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NoPseudoElement {}

impl ToCss for NoPseudoElement {
    fn to_css<W: fmt::Write>(&self, _destination: &mut W) -> fmt::Result {
        match *self {}
    }
}

impl PseudoElement for NoPseudoElement {}

struct SelectorParser;

impl<'i> parser::Parser<'i> for SelectorParser {
    type Impl = Css;
    type Error = SelectorParseErrorKind;

    fn parse_nth_child_of(&self) -> bool {
        true
    }

    fn parse_is_and_where(&self) -> bool {
        true
    }

    fn parse_has(&self) -> bool {
        true
    }

    fn parse_non_ts_pseudo_class(
        &self,
        name: &str,
    ) -> Result<PseudoClass, cssparser::ParseError<SelectorParseErrorKind>> {
        if name.eq_ignore_ascii_case("any-link") || name.eq_ignore_ascii_case("link") {
            return Ok(PseudoClass::Link);
        }
        Err(cssparser::ParseError::custom(
            SelectorParseErrorKind::UnsupportedPseudoClassOrElement,
        ))
    }
}
