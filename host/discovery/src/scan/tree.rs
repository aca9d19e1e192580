//! The open elements, as in the tree builder of the HTML standard, as far as links and their paths
//! need it.
//!
//! Left out: formatting elements are not reopened after a block that closed them, and content
//! between the cells of a table is not moved before it. Both affect the place of text in broken
//! markup, not the links.

use super::markup::Span;
use super::paths::PathId;
use super::tags::{TAGS, Tag, Traits};

/// Elements inside one another. Deeper ones are read but not remembered, as browsers do.
const MAX_DEPTH: usize = 512;

/// Steps along the open elements per byte of the source. Real pages take less than one.
const STEPS_PER_BYTE: usize = 8;

/// Steps one tag may take when those are used up, so that markup made to be slow stays linear.
const STEPS_WHEN_POOR: usize = 8;

#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) tag: Tag,
    /// Its name in the source, with its attributes behind it; empty for what the source leaves out.
    pub(super) name: Span,
    /// Its path, once a link asked for it.
    pub(super) path: Option<PathId>,
    /// SVG or MathML, where other rules hold.
    pub(super) is_foreign: bool,
    pub(super) is_hidden: bool,
    /// Its text is no part of the link around it.
    pub(super) is_hidden_in_link: bool,
    /// Inside a `template`: not part of the page.
    pub(super) is_inert: bool,
}

impl Frame {
    /// An element that the source leaves out, or whose names have no meaning for the template.
    pub(super) fn plain(tag: Tag) -> Frame {
        Frame {
            tag,
            name: Span::default(),
            path: None,
            is_foreign: false,
            is_hidden: tag.has(Traits::HIDDEN),
            is_hidden_in_link: false,
            is_inert: false,
        }
    }
}

/// The open elements. Places are counted from the root.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) open: Vec<Frame>,
    counts: [u16; TAGS],
    /// Elements that were too deep to remember and are still open.
    too_deep: usize,
    steps_left: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// Nothing: it ends no element.
    Nothing,
    /// Everything from this place on ends.
    From(usize),
    /// The element at this place ends, those inside it stay open.
    Only(usize),
}

impl Tree {
    pub(super) fn new(source_bytes: usize) -> Tree {
        Tree {
            open: Vec::with_capacity(64),
            counts: [0; TAGS],
            too_deep: 0,
            steps_left: source_bytes.saturating_mul(STEPS_PER_BYTE),
        }
    }

    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    pub(super) fn top(&self) -> Option<&Frame> {
        self.open.last()
    }

    /// Returns the name of the innermost element in the source, or `None` while elements are open
    /// that were too deep to remember.
    pub(super) fn innermost_name(&self) -> Option<Span> {
        self.top().filter(|_| self.too_deep == 0).map(|top| top.name)
    }

    pub(super) fn has(&self, tag: Tag) -> bool {
        self.counts[tag as usize] > 0
    }

    /// Opens an element; not when that would be too deep.
    pub(super) fn push(&mut self, frame: Frame) -> bool {
        // Counted, so that its end tag does not end an element that is remembered.
        if self.open.len() >= MAX_DEPTH {
            self.too_deep += 1;
            return false;
        }
        self.counts[frame.tag as usize] += 1;
        self.open.push(frame);
        true
    }

    /// Returns true if an end tag belongs to an element that was too deep to remember.
    pub(super) fn ends_too_deep(&mut self) -> bool {
        let is_one = self.too_deep > 0;
        self.too_deep -= usize::from(is_one);
        is_one
    }

    pub(super) fn pop(&mut self) -> Option<Frame> {
        let frame = self.open.pop()?;
        self.counts[frame.tag as usize] -= 1;
        Some(frame)
    }

    /// Takes an element out from under those inside it.
    pub(super) fn remove(&mut self, place: usize) {
        let frame = self.open.remove(place);
        self.counts[frame.tag as usize] -= 1;
        // Their paths contained the element that is gone.
        for inner in &mut self.open[place..] {
            inner.path = None;
        }
    }

    /// Returns the innermost element that `wanted` accepts, unless one that `stops` accepts is
    /// further in.
    fn find(&mut self, wanted: impl Fn(&Frame) -> bool, stops: impl Fn(&Frame) -> bool) -> Option<usize> {
        // Markup in which each tag walks all open elements would otherwise take quadratic time.
        let most = if self.steps_left == 0 {
            STEPS_WHEN_POOR
        } else {
            usize::MAX
        };
        let mut steps = 0;
        let mut found = None;
        for (place, frame) in self.open.iter().enumerate().rev().take(most) {
            steps += 1;
            if wanted(frame) {
                found = Some(place);
                break;
            }
            if stops(frame) {
                break;
            }
        }
        self.steps_left = self.steps_left.saturating_sub(steps);
        found
    }

    fn find_tag(&mut self, tag: Tag, stops: impl Fn(&Frame) -> bool) -> Option<usize> {
        // The count answers most questions without a walk.
        if !self.has(tag) {
            return None;
        }
        self.find(|frame| frame.tag == tag, stops)
    }

    /// The open elements that a start tag ends, by the first that goes.
    pub(super) fn ended_by_start(&mut self, tag: Tag) -> Option<usize> {
        match tag {
            Tag::Li => self.list_item(&[Tag::Li]).or_else(|| self.paragraph()),
            Tag::Dd | Tag::Dt => self.list_item(&[Tag::Dd, Tag::Dt]).or_else(|| self.paragraph()),
            Tag::Option => self.top_is(&[Tag::Option]),
            Tag::Optgroup => {
                let group = self.find_tag(Tag::Optgroup, |frame| frame.tag == Tag::Select);
                group.or_else(|| self.top_is(&[Tag::Option]))
            }
            Tag::Tr => self.table_part(
                &[Tag::Tr, Tag::Caption, Tag::Colgroup],
                &[Tag::Tbody, Tag::Thead, Tag::Tfoot],
            ),
            Tag::Td | Tag::Th => {
                self.table_part(&[Tag::Td, Tag::Th, Tag::Caption, Tag::Colgroup], &[Tag::Tr])
            }
            Tag::Tbody | Tag::Thead | Tag::Tfoot | Tag::Caption | Tag::Colgroup => self.table_part(
                &[Tag::Tbody, Tag::Thead, Tag::Tfoot, Tag::Caption, Tag::Colgroup],
                &[],
            ),
            Tag::Button => self.find_tag(Tag::Button, in_scope),
            _ if tag.is_heading() => {
                let above = self.top().filter(|frame| frame.tag.is_heading());
                let heading = above.map(|_| self.open.len() - 1);
                self.paragraph().or(heading)
            }
            _ if tag.has(Traits::ENDS_P) => self.paragraph(),
            _ => None,
        }
    }

    fn paragraph(&mut self) -> Option<usize> {
        self.find_tag(Tag::P, |frame| in_scope(frame) || frame.tag == Tag::Button)
    }

    fn top_is(&self, tags: &[Tag]) -> Option<usize> {
        let top = self.top().filter(|frame| tags.contains(&frame.tag));
        top.map(|_| self.open.len() - 1)
    }

    fn list_item(&mut self, tags: &[Tag]) -> Option<usize> {
        if !tags.iter().any(|tag| self.has(*tag)) {
            return None;
        }
        self.find(
            |frame| tags.contains(&frame.tag),
            |frame| frame.tag.has(Traits::SPECIAL) && !matches!(frame.tag, Tag::Address | Tag::Div | Tag::P),
        )
    }

    /// The outermost of `ended` inside the innermost table, looking no further out than `kept`.
    fn table_part(&mut self, ended: &[Tag], kept: &[Tag]) -> Option<usize> {
        if !self.has(Tag::Table) {
            return None;
        }
        let is_edge = |frame: &Frame| {
            kept.contains(&frame.tag) || matches!(frame.tag, Tag::Table | Tag::Template | Tag::Html)
        };
        // A cell inside a row inside a body: everything from the outermost on goes.
        let edge = self.find(is_edge, |_| false)?;
        let inside = &self.open[edge + 1..];
        let first = inside.iter().position(|frame| ended.contains(&frame.tag))?;
        Some(edge + 1 + first)
    }

    /// The open `a` that another one ends.
    pub(super) fn open_link(&mut self) -> Option<usize> {
        let stops = |frame: &Frame| {
            matches!(
                frame.tag,
                Tag::Td | Tag::Th | Tag::Caption | Tag::Applet | Tag::Object | Tag::Marquee
            ) || matches!(frame.tag, Tag::Template)
        };
        self.find_tag(Tag::A, stops)
    }

    /// Returns the elements that an end tag ends.
    pub(super) fn ended_by_end(&mut self, tag: Tag, name: &[u8], source: &[u8]) -> Ending {
        if tag == Tag::Other {
            let found = self.find(
                |frame| frame.tag == Tag::Other && frame.name.of(source).eq_ignore_ascii_case(name),
                |frame| frame.tag.has(Traits::SPECIAL),
            );
            return found.map_or(Ending::Nothing, Ending::From);
        }
        let found = if tag.has(Traits::FORMATTING) {
            self.find_tag(tag, in_scope)
        } else if tag.is_heading() {
            self.find(|frame| frame.tag.is_heading(), in_scope)
        } else if matches!(tag, Tag::Table | Tag::Template) || tag.has(Traits::TABLE_PART) {
            self.find_tag(tag, |frame| matches!(frame.tag, Tag::Table | Tag::Template))
        } else if tag == Tag::Li {
            self.find_tag(tag, |frame| {
                in_scope(frame) || matches!(frame.tag, Tag::Ul | Tag::Ol)
            })
        } else if tag.has(Traits::SPECIAL) || matches!(tag, Tag::Svg | Tag::Math) {
            self.find_tag(tag, in_scope)
        } else {
            self.find_tag(tag, |frame| frame.tag.has(Traits::SPECIAL))
        };
        let Some(place) = found else {
            return Ending::Nothing;
        };
        let blocks_stay = tag.has(Traits::FORMATTING) || tag == Tag::Form;
        let has_blocks = self.open[place + 1..]
            .iter()
            .any(|frame| frame.tag.has(Traits::SPECIAL));
        match blocks_stay && has_blocks {
            true => Ending::Only(place),
            false => Ending::From(place),
        }
    }
}

/// Returns true for an element that ends the search for an open element, for most elements.
fn in_scope(frame: &Frame) -> bool {
    frame.tag.has(Traits::SCOPE)
}
