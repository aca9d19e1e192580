//! Bounds the cost of hostile markup between html5ever's tokeniser and its tree builder.
//!
//! The tree builder walks its stack of open elements for almost every tag, so a hundred thousand
//! nested elements cost it ten thousand million steps. Like browsers, the guard stops nesting at a
//! depth. Unlike them, it drops the tag instead of making it a sibling, which leaves its text in
//! place.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use html5ever::interface::Tracer;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::TreeBuilder;
use html5ever::{LocalName, local_name};

use super::sink::{Handle, RawTree};
use crate::{Limits, Problem};

/// Maximum number of distinct names of dropped start tags whose end tags are awaited. Further names
/// count as one.
const MAX_DROPPED_NAMES: usize = 256;

/// Maximum that one start tag can add to the tree builder's lists: itself on both lists, and up to
/// four elements that the rules imply (`html`, `head`, `body`, `tbody`, `tr`).
const GROWTH_PER_TAG: usize = 6;

/// A token sink that passes to the tree builder what it can bear.
pub(crate) struct Guard {
    pub(crate) builder: TreeBuilder<Handle, RawTree>,
    max_depth: usize,
    max_nodes: usize,
    max_attributes: usize,
    work_left: Cell<u64>,
    /// An upper bound of the tree builder's open and active formatting elements.
    open: Cell<usize>,
    /// Start tags passed since `open` was counted.
    tags_since: Cell<usize>,
    /// True if the depth was at its limit and nothing has passed since that could close an element.
    full: Cell<bool>,
    dropped: RefCell<HashMap<LocalName, usize>>,
    too_deep: Cell<bool>,
    stopped: RefCell<Option<Problem>>,
    /// True if the last token was a tag, a comment or a doctype.
    was_markup: Cell<bool>,
    /// True if the tokeniser reads the following input as text, until an end tag comes.
    is_raw_next: Cell<bool>,
}

impl Guard {
    pub(crate) fn new(builder: TreeBuilder<Handle, RawTree>, limits: &Limits) -> Guard {
        Guard {
            builder,
            max_depth: limits.max_depth,
            max_nodes: limits.max_nodes,
            max_attributes: limits.max_attributes,
            work_left: Cell::new(limits.max_tree_work),
            open: Cell::new(0),
            tags_since: Cell::new(0),
            full: Cell::new(false),
            dropped: RefCell::default(),
            too_deep: Cell::new(false),
            stopped: RefCell::default(),
            was_markup: Cell::new(false),
            is_raw_next: Cell::new(false),
        }
    }

    /// Returns true if a token came since the last reset, and the latest was a tag, a comment or a
    /// doctype.
    pub(crate) fn was_markup(&self) -> bool {
        self.was_markup.get()
    }

    pub(crate) fn forget_last(&self) {
        self.was_markup.set(false);
    }

    /// Returns true if the tokeniser reads the following input as text.
    pub(crate) fn is_raw_next(&self) -> bool {
        self.is_raw_next.get()
    }

    /// Returns true if further input would be ignored.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.borrow().is_some()
    }

    /// Returns the tree and the problems, which list what was dropped.
    pub(crate) fn finish(self) -> (RawTree, Vec<Problem>) {
        let mut problems: Vec<Problem> = self.stopped.into_inner().into_iter().collect();
        if self.too_deep.get() {
            problems.push(Problem::TooDeep {
                limit: self.max_depth,
            });
        }
        (self.builder.sink, problems)
    }

    /// Returns true if the token may pass.
    fn admit(&self, token: &mut Token) -> bool {
        if matches!(token, Token::EOFToken) {
            return true;
        }
        if self.is_stopped() {
            return false;
        }
        // The builder cannot be interrupted, so the number is checked before each token.
        if self.builder.sink.len() >= self.max_nodes {
            *self.stopped.borrow_mut() = Some(Problem::TooManyNodes {
                limit: self.max_nodes,
            });
            return false;
        }
        match token {
            Token::TagToken(tag) => {
                // In this order: a tag that is dropped because of its depth costs nothing.
                let admitted = self.admit_tag(tag) && self.spend(self.cost(tag));
                self.full.set(self.full.get() && !admitted);
                admitted
            }
            _ => true,
        }
    }

    fn admit_tag(&self, tag: &mut Tag) -> bool {
        if tag.attrs.len() > self.max_attributes {
            tag.attrs.truncate(self.max_attributes);
            self.builder.sink.too_many_attributes.set(true);
        }
        match tag.kind {
            TagKind::StartTag if stays_open(&tag.name) => self.admit_nesting(&tag.name),
            TagKind::StartTag => true,
            // The end tag of a dropped element must go too. It would close an element of the same
            // name that is open further out.
            TagKind::EndTag => !self.closes_dropped(&tag.name),
        }
    }

    /// Returns true if one more element may be opened.
    fn admit_nesting(&self, name: &LocalName) -> bool {
        if self.full.get() {
            self.remember_dropped(name);
            return false;
        }
        let tags = self.tags_since.get() + 1;
        // Reconstruction can put every active formatting element back on the stack, hence twice.
        if self.open.get() * 2 + tags * GROWTH_PER_TAG >= self.max_depth {
            // Counting walks all open elements, so it is done only when the upper bound reaches the
            // limit.
            self.open.set(count_open(&self.builder));
            self.tags_since.set(1);
            self.spend(self.open.get() as u64);
            if self.open.get() >= self.max_depth {
                self.too_deep.set(true);
                self.full.set(true);
                self.remember_dropped(name);
                return false;
            }
        } else {
            self.tags_since.set(tags);
        }
        let mut dropped = self.dropped.borrow_mut();
        // There is room again, so an element has been closed, and with it all that was dropped
        // inside.
        if !dropped.is_empty() {
            dropped.clear();
        }
        true
    }

    fn remember_dropped(&self, name: &LocalName) {
        let mut dropped = self.dropped.borrow_mut();
        if let Some(count) = dropped.get_mut(name) {
            *count += 1;
        } else if dropped.len() < MAX_DROPPED_NAMES {
            dropped.insert(name.clone(), 1);
        }
    }

    fn closes_dropped(&self, name: &LocalName) -> bool {
        let mut dropped = self.dropped.borrow_mut();
        match dropped.get_mut(name) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        }
    }

    /// The steps a tag costs at most.
    fn cost(&self, tag: &Tag) -> u64 {
        let open = self.open.get() as u64 + self.tags_since.get() as u64;
        if tag.kind == TagKind::StartTag && is_formatting(&tag.name) {
            // A formatting element is compared with its likes, attribute by attribute, after
            // sorting both.
            return 1 + open + open * tag.attrs.len() as u64 * 4;
        }
        1 + open
    }

    /// Takes steps from the budget; false when that is spent.
    fn spend(&self, cost: u64) -> bool {
        match self.work_left.get().checked_sub(cost) {
            Some(left) => {
                self.work_left.set(left);
                true
            }
            None => {
                *self.stopped.borrow_mut() = Some(Problem::TooMuchWork);
                false
            }
        }
    }
}

impl TokenSink for Guard {
    type Handle = Handle;

    fn process_token(&self, mut token: Token, line: u64) -> TokenSinkResult<Handle> {
        let is_tag = matches!(token, Token::TagToken(_));
        // A parse error is reported between the tokens and says nothing about the place in the
        // source.
        if !matches!(token, Token::ParseError(_)) {
            let is_other = matches!(token, Token::CommentToken(_) | Token::DoctypeToken(_));
            self.was_markup.set(is_tag || is_other);
        }
        let result = match self.admit(&mut token) {
            true => self.builder.process_token(token, line),
            false => TokenSinkResult::Continue,
        };
        if is_tag {
            let is_raw = matches!(result, TokenSinkResult::RawData(_) | TokenSinkResult::Plaintext);
            self.is_raw_next.set(is_raw);
        }
        result
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder
            .adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// The tree builder keeps its lists to itself, and its hook for garbage collectors counts them.
fn count_open(builder: &TreeBuilder<Handle, RawTree>) -> usize {
    struct Counter(Cell<usize>);
    impl Tracer for Counter {
        type Handle = Handle;
        fn trace_handle(&self, _node: &Handle) {
            self.0.set(self.0.get() + 1);
        }
    }
    let counter = Counter(Cell::new(0));
    builder.trace_handles(&counter);
    counter.0.get()
}

/// Returns true if an element can have element children, so that it adds to the depth. Other
/// elements must always pass, because the tokeniser learns from them that what follows is no
/// markup.
fn stays_open(name: &LocalName) -> bool {
    !matches!(
        *name,
        local_name!("area")
            | local_name!("base")
            | local_name!("br")
            | local_name!("col")
            | local_name!("embed")
            | local_name!("hr")
            | local_name!("img")
            | local_name!("input")
            | local_name!("link")
            | local_name!("meta")
            | local_name!("source")
            | local_name!("track")
            | local_name!("wbr")
            | local_name!("script")
            | local_name!("style")
            | local_name!("title")
            | local_name!("textarea")
            | local_name!("iframe")
            | local_name!("noembed")
            | local_name!("noframes")
            | local_name!("xmp")
    )
}

fn is_formatting(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("a")
            | local_name!("b")
            | local_name!("big")
            | local_name!("code")
            | local_name!("em")
            | local_name!("font")
            | local_name!("i")
            | local_name!("nobr")
            | local_name!("s")
            | local_name!("small")
            | local_name!("strike")
            | local_name!("strong")
            | local_name!("tt")
            | local_name!("u")
    )
}
