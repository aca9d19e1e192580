//! One pass over a page: tags in, links out.

use memchr::memchr;

use super::element::{Attributes, Element};
use super::flow::{Flow, Gap};
use super::markup::{self, Markup, Span};
use super::references::{ReferenceContext, decode};
use super::tags::{Tag, Traits};
use super::tree::{Ending, Frame, Tree};
use super::{ScanLimits, ScanTruncation, ScannedPage};

/// The section of the page that the scanner is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    BeforeBody,
    InHead,
    InBody,
}

/// The link whose text is being read.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenLink {
    pub(super) number: usize,
    /// The place of its element among the open ones.
    pub(super) place: usize,
    pub(super) flow: Flow,
    /// True if its text is read, and not only its attributes.
    pub(super) has_content: bool,
    /// The text of the first image inside that has one.
    pub(super) image: Option<Span>,
    /// Its label and its title, which replace a missing text.
    pub(super) label: Option<Span>,
    pub(super) title: Option<Span>,
}

pub(super) struct Scanner<'h, 'l> {
    pub(super) html: &'h str,
    pub(super) bytes: &'h [u8],
    pub(super) limits: &'l ScanLimits,
    pub(super) page: ScannedPage<'h>,
    pub(super) tree: Tree,
    stage: Stage,
    pub(super) open_link: Option<OpenLink>,
    /// The last form asks by GET, and no text field was seen in it.
    pub(super) is_form_without_text: bool,
    shown: Flow,
}

impl<'h, 'l> Scanner<'h, 'l> {
    pub(super) fn new(html: &'h str, limits: &'l ScanLimits) -> Scanner<'h, 'l> {
        let most = limits.max_bytes.min(u32::MAX as usize);
        let mut page = ScannedPage::new(html);
        let html = &html[..html.floor_char_boundary(most)];
        if html.len() < page.html.len() {
            page.truncated = Some(ScanTruncation::TooLong(most));
        }
        if limits.keep_text {
            // A third of a page is text; growing to it step by step costs as much as gathering it.
            page.text.reserve(html.len() / 3);
        }
        let mut tree = Tree::new(html.len());
        tree.push(Frame::plain(Tag::Html));
        Scanner {
            html,
            bytes: html.as_bytes(),
            limits,
            page,
            tree,
            stage: Stage::BeforeBody,
            open_link: None,
            is_form_without_text: false,
            shown: Flow::default(),
        }
    }

    pub(super) fn run(mut self) -> ScannedPage<'h> {
        let mut at = 0;
        while let Some(found) = memchr(b'<', &self.bytes[at..]) {
            let open = at + found;
            if found > 0 {
                self.text(Span::new(at, open));
            }
            at = self.markup(open);
            // Nothing that follows would be kept.
            if matches!(self.page.truncated, Some(ScanTruncation::TooManyLinks(_))) {
                at = self.bytes.len();
            }
        }
        self.text(Span::new(at, self.bytes.len()));
        self.end_from(0);
        self.end_form();
        self.page
    }

    /// Reads the markup at a `<` and returns the position after it.
    fn markup(&mut self, open: usize) -> usize {
        if let Some(end) = self.end_of_innermost(open) {
            self.end_from((self.tree.depth() - 1).max(1));
            return end;
        }
        let is_foreign = self.tree.top().is_some_and(|frame| frame.is_foreign);
        match markup::markup_at(self.bytes, open, is_foreign) {
            Markup::Start(name) => self.start_tag(name),
            Markup::End(name) => self.end_tag(name),
            Markup::Skip(end) => end,
            Markup::Cdata(span) => {
                self.text(span);
                (span.end as usize + "]]>".len()).min(self.bytes.len())
            }
            Markup::Text => {
                self.text(Span::new(open, open + 1));
                open + 1
            }
        }
    }

    /// Returns the end of the end tag of the innermost element, if that is here in the same
    /// spelling. It ends that element in any case, so half of all tags need no closer look.
    fn end_of_innermost(&self, open: usize) -> Option<usize> {
        let name = self.tree.innermost_name()?.of(self.bytes);
        let rest = self.bytes[open..].strip_prefix(b"</")?.strip_prefix(name)?;
        let is_its_own = !name.is_empty() && rest.first() == Some(&b'>');
        is_its_own.then_some(open + "</>".len() + name.len())
    }

    fn start_tag(&mut self, name: Span) -> usize {
        let tag = Tag::of(name.of(self.bytes));
        let is_foreign = self.tree.top().is_some_and(|frame| frame.is_foreign);
        let reads_all = is_foreign || self.open_link.is_some() || self.limits.keep_text;
        let mut found;
        let behind = name.end as usize;
        let (attributes, read) = match reads_all || tag.has(Traits::READ) {
            true => {
                found = Attributes::default();
                let read = markup::attributes(self.bytes, behind, |name, value| found.keep(name, value));
                (&found, read)
            }
            false => {
                let end = markup::tag_end(self.bytes, behind);
                (Attributes::NONE, end.map(|end| (end, false)))
            }
        };
        // A tag that the source does not end is not a tag.
        let Some((end, closes_itself)) = read else {
            return self.bytes.len();
        };
        let element = Element {
            tag,
            name,
            attributes,
            closes_itself,
        };
        if is_foreign && !self.leaves_foreign(&element) {
            self.open_foreign(&element);
            return end;
        }
        self.open(&element);
        if tag.has(Traits::RAW) {
            self.raw_element(&element, end)
        } else {
            end
        }
    }

    fn end_tag(&mut self, name: Span) -> usize {
        let Some((end, _)) = markup::attributes(self.bytes, name.end as usize, |_, _| {}) else {
            return self.bytes.len();
        };
        let written = name.of(self.bytes);
        let tag = Tag::of(written);
        match tag {
            Tag::Br => self.gap(Gap::Line),
            Tag::Html | Tag::Body => {}
            Tag::Head => self.leave_head(),
            _ if tag.has(Traits::VOID) => {}
            _ if self.tree.ends_too_deep() => {}
            _ => match self.tree.ended_by_end(tag, written, self.bytes) {
                Ending::Nothing => {}
                Ending::From(place) => self.end_from(place.max(1)),
                Ending::Only(place) => self.end_only(place),
            },
        }
        end
    }

    /// Opens an element of HTML, with all that its start tag implies.
    fn open(&mut self, element: &Element<'_>) {
        let tag = element.tag;
        match tag {
            // These are open already or implied, so a tag only says in which part the page is.
            Tag::Html | Tag::Body | Tag::Head => return self.open_root(tag),
            // The standard ignores a form within a form.
            Tag::Form if self.tree.has(Tag::Form) => return,
            // Parts of tables outside of tables are left out; what is in them stays.
            _ if tag.has(Traits::TABLE_PART) && !self.tree.has(Tag::Table) => return,
            _ => {}
        }
        self.enter_part(tag);
        // A link within a link ends the outer one, by the standard.
        if tag == Tag::A
            && let Some(place) = self.tree.open_link()
        {
            self.end_link_at(place);
        }
        if let Some(place) = self.tree.ended_by_start(tag) {
            self.end_from(place.max(1));
        }
        self.imply_table_parts(tag);
        self.insert(element);
    }

    fn open_root(&mut self, tag: Tag) {
        match (tag, self.stage) {
            (Tag::Head, Stage::BeforeBody) => self.enter_head(),
            (Tag::Body, Stage::BeforeBody | Stage::InHead) => self.enter_body(Tag::Body),
            _ => {}
        }
    }

    /// Opens head or body if an element belongs there and neither is open.
    fn enter_part(&mut self, tag: Tag) {
        match self.stage {
            Stage::InBody => {}
            Stage::BeforeBody if tag.has(Traits::HEAD) => self.enter_head(),
            Stage::InHead if tag.has(Traits::HEAD) => {}
            _ if tag == Tag::Frameset => self.enter_body(Tag::Frameset),
            // Inside `template` anything may stand, also in the head.
            Stage::InHead if self.tree.top().is_some_and(|frame| frame.is_inert) => {}
            _ => self.enter_body(Tag::Body),
        }
    }

    fn enter_head(&mut self) {
        self.tree.push(Frame::plain(Tag::Head));
        self.stage = Stage::InHead;
    }

    fn leave_head(&mut self) {
        if self.stage == Stage::InHead {
            self.end_from(1);
            self.stage = Stage::BeforeBody;
        }
    }

    fn enter_body(&mut self, tag: Tag) {
        self.end_from(1);
        self.tree.push(Frame::plain(tag));
        self.stage = Stage::InBody;
    }

    /// `tr` belongs in `tbody` and cells in `tr`, even if the source omits them.
    fn imply_table_parts(&mut self, tag: Tag) {
        let top = |tree: &Tree| tree.top().map(|frame| frame.tag);
        if matches!(tag, Tag::Tr | Tag::Td | Tag::Th) && top(&self.tree) == Some(Tag::Table) {
            self.push_implied(Tag::Tbody);
        }
        let in_part = matches!(top(&self.tree), Some(Tag::Tbody | Tag::Thead | Tag::Tfoot));
        if matches!(tag, Tag::Td | Tag::Th) && in_part {
            self.push_implied(Tag::Tr);
        }
    }

    fn push_implied(&mut self, tag: Tag) {
        let mut frame = Frame::plain(tag);
        self.inherit(&mut frame);
        self.tree.push(frame);
    }

    pub(super) fn inherit(&self, frame: &mut Frame) {
        if let Some(parent) = self.tree.top() {
            frame.is_hidden |= parent.is_hidden;
            frame.is_hidden_in_link |= parent.is_hidden_in_link;
            frame.is_inert |= parent.is_inert;
        }
    }

    /// Puts an element into the tree and reads it.
    fn insert(&mut self, element: &Element<'_>) {
        let attributes = element.attributes;
        let is_hidden = element.tag.has(Traits::HIDDEN) || self.is_hidden_by(attributes);
        let mut frame = Frame {
            tag: element.tag,
            name: element.name,
            path: None,
            is_foreign: matches!(element.tag, Tag::Svg | Tag::Math),
            is_hidden,
            is_hidden_in_link: is_hidden,
            is_inert: element.tag == Tag::Template,
        };
        self.inherit(&mut frame);
        self.gap(gap_of(element.tag));
        self.image_text(attributes);
        if element.tag.has(Traits::VOID) {
            self.void_element(element, frame);
            return;
        }
        // Between the cells of a table a form has no content.
        let is_empty_form = element.tag == Tag::Form
            && self.tree.top().is_some_and(|top| {
                matches!(
                    top.tag,
                    Tag::Table | Tag::Tbody | Tag::Thead | Tag::Tfoot | Tag::Tr
                )
            });
        if element.tag == Tag::A {
            // A hidden link has its text for itself.
            frame.is_hidden_in_link = false;
        }
        if is_empty_form || !self.tree.push(frame) {
            self.element_without_place(element, frame);
            return;
        }
        if !frame.is_inert {
            self.links_of(element);
        }
    }

    fn is_hidden_by(&self, attributes: &Attributes) -> bool {
        let found = |value: Span| !value.of(self.bytes).eq_ignore_ascii_case(b"until-found");
        attributes.hidden.is_some_and(found)
    }

    /// An element that is not among the open ones: its link counts, its content belongs to its
    /// parent.
    fn element_without_place(&mut self, element: &Element<'_>, frame: Frame) {
        if !frame.is_inert && matches!(element.tag, Tag::A | Tag::Form | Tag::Iframe) {
            // The link of this element must not replace the one around it, whose text is still
            // being read.
            let open_link = self.open_link.take();
            self.links_of(element);
            if let Some(opened) = self.open_link.take() {
                self.finish_link(opened);
            }
            self.open_link = open_link;
        }
    }

    /// Reads the raw text of an element that was just opened, and ends it. Returns the position
    /// behind.
    fn raw_element(&mut self, element: &Element<'_>, from: usize) -> usize {
        let name = element.name.of(self.bytes);
        let text = match element.tag {
            Tag::Plaintext => Span::new(from, self.bytes.len()),
            Tag::Script => markup::script_text(self.bytes, from),
            _ => markup::raw_text(self.bytes, from, name),
        };
        match element.tag {
            Tag::Title if self.page.title.is_empty() => {
                let decoded = decode(self.source(text), ReferenceContext::Text).into_owned();
                Flow::default().push(&decoded, &mut self.page.title);
            }
            Tag::Textarea | Tag::Xmp | Tag::Plaintext => self.text(text),
            _ => {}
        }
        // The end tag is read as any other, and ends what is open.
        text.end as usize
    }

    /// Ends all elements from a place on.
    pub(super) fn end_from(&mut self, place: usize) {
        // Nobody reads text, so ending an element is only counting.
        if self.open_link.is_none() && !self.limits.keep_text {
            while self.tree.depth() > place {
                self.tree.pop();
            }
            return;
        }
        while self.tree.depth() > place {
            if let Some(open) = self.open_link.take_if(|open| open.place + 1 >= self.tree.depth()) {
                self.finish_link(open);
            }
            if let Some(frame) = self.tree.pop() {
                self.gap(gap_of(frame.tag));
            }
        }
    }

    /// Ends one element and leaves those inside it open.
    fn end_only(&mut self, place: usize) {
        if let Some(open) = self.open_link.take_if(|open| open.place == place) {
            self.finish_link(open);
        }
        if let Some(open) = &mut self.open_link
            && open.place > place
        {
            open.place -= 1;
        }
        self.tree.remove(place);
    }

    fn end_link_at(&mut self, place: usize) {
        // An end tag of a link leaves the blocks inside it open, by the standard.
        let has_blocks = self.tree.open[place + 1..]
            .iter()
            .any(|frame| frame.tag.has(Traits::SPECIAL));
        if has_blocks {
            self.end_only(place);
        } else {
            self.end_from(place.max(1));
        }
    }

    fn gap(&mut self, gap: Gap) {
        if gap == Gap::None {
            return;
        }
        if let Some(open) = &mut self.open_link {
            open.flow.gap(gap);
        }
        self.shown.gap(gap);
    }

    fn text(&mut self, span: Span) {
        if span.len() == 0 {
            return;
        }
        // Text outside the body opens it. White space does not.
        if self.stage != Stage::InBody && !self.source(span).trim_ascii().is_empty() {
            self.enter_part(Tag::Other);
        }
        if self.open_link.is_none() && !self.limits.keep_text {
            return;
        }
        let Some(top) = self.tree.top().copied() else {
            return;
        };
        if top.is_inert {
            return;
        }
        let text = decode(self.source(span), ReferenceContext::Text);
        if let Some(open) = &mut self.open_link {
            let written = self.page.link_texts.len() - open.flow.start();
            if !top.is_hidden_in_link && written < self.limits.max_text_bytes {
                // A gap may come before it.
                let room = self.limits.max_text_bytes - written - usize::from(written > 0);
                let text = &text[..text.floor_char_boundary(room)];
                open.flow.push(text, &mut self.page.link_texts);
            }
        }
        if self.limits.keep_text && !top.is_hidden {
            self.shown.push(&text, &mut self.page.text);
        }
    }

    pub(super) fn source(&self, span: Span) -> &'h str {
        self.html
            .get(span.start as usize..span.end as usize)
            .unwrap_or_default()
    }
}

fn gap_of(tag: Tag) -> Gap {
    if tag.has(Traits::LINE) {
        Gap::Line
    } else if tag.has(Traits::CELL) {
        Gap::Space
    } else {
        Gap::None
    }
}
