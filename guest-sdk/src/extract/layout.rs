//! Layout of a page: which nodes break lines, and which classes they have.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::Range;

use magpie_values::text;

use super::lines::{self, Line};
use super::region::{self, Region};
use crate::page::Written;
use crate::{Element, Outline, Page};

/// A text of the page and its element.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// The text, normalised.
    pub text: String,
    /// Element that contains the text.
    pub node: u32,
}

/// A page as a person sees it, as far as the tree shows. Create one per page and reuse it, since it
/// caches its results.
pub struct Layout<'p> {
    page: &'p Page,
    outline: &'p Outline,
    flows: Vec<Flow>,
    regions: OnceCell<Vec<Region>>,
    lines: OnceCell<Vec<Line>>,
    pub(super) main_heading: OnceCell<Option<Text>>,
    classes: OnceCell<Attributes>,
    links: OnceCell<Attributes>,
    images: OnceCell<Attributes>,
}

/// Effect of a tag on the flow of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Text,
    /// Continues the same line.
    Inline,
    /// Continues the same line with emphasis: a label, if the following text has none.
    Strong,
    /// Begins and ends lines.
    Block,
    /// Ends a line.
    Break,
    /// A form control: its text is not part of the page's text.
    Control,
}

impl Flow {
    fn of(tag: &str) -> Self {
        match tag {
            "#text" => Self::Text,
            "b" | "strong" | "label" => Self::Strong,
            "br" | "hr" => Self::Break,
            "select" | "option" | "optgroup" | "datalist" | "textarea" | "input" | "button" => Self::Control,
            "a" | "abbr" | "acronym" | "bdi" | "bdo" | "big" | "cite" | "code" | "data" | "del" | "dfn"
            | "em" | "font" | "i" | "img" | "ins" | "kbd" | "mark" | "meter" | "nobr" | "output"
            | "picture" | "q" | "ruby" | "rb" | "rp" | "rt" | "s" | "samp" | "small" | "source" | "span"
            | "strike" | "sub" | "sup" | "svg" | "time" | "tt" | "u" | "var" | "wbr" => Self::Inline,
            _ => Self::Block,
        }
    }
}

impl<'p> Layout<'p> {
    /// Reads the page's tree; everything else is read on first use.
    pub fn new(page: &'p Page) -> Self {
        let outline = page.outline();
        Self {
            page,
            outline,
            flows: outline.tag_names().iter().map(|tag| Flow::of(tag)).collect(),
            regions: OnceCell::new(),
            lines: OnceCell::new(),
            main_heading: OnceCell::new(),
            classes: OnceCell::new(),
            links: OnceCell::new(),
            images: OnceCell::new(),
        }
    }

    /// The page.
    pub fn page(&self) -> &'p Page {
        self.page
    }

    /// The page's tree.
    pub fn outline(&self) -> &'p Outline {
        self.outline
    }

    /// Element of a node.
    pub fn element(&self, node: u32) -> Element<'p> {
        self.page.element(node)
    }

    /// Lines of visible text in document order, without those in form controls.
    pub fn lines(&self) -> &[Line] {
        self.lines.get_or_init(|| lines::all(self))
    }

    /// Text of a node in one line.
    pub fn text(&self, node: u32) -> String {
        let mut line = String::new();
        self.walk(
            self.outline.node(node).map_or(0..0, |node| node.range()),
            &mut |event| match event {
                Event::Break => {
                    if !line.is_empty() && !line.ends_with(' ') {
                        line.push(' ');
                    }
                }
                Event::Text(_, written) => push_collapsed(&mut line, written),
            },
        );
        text::tidy(&line)
    }

    /// Text of a control, or else its value, label or title.
    pub(super) fn control_text(&self, node: u32) -> String {
        let shown = self.outline.node(node).map_or("", |node| node.text());
        if !shown.trim().is_empty() {
            return text::tidy(shown);
        }
        let element = self.element(node);
        let label = ["value", "aria-label", "title"]
            .into_iter()
            .find_map(|name| element.attr(name).filter(|value| !value.trim().is_empty()));
        label.map(|label| text::tidy(&label)).unwrap_or_default()
    }

    /// Class attribute of a node.
    pub fn class(&self, node: u32) -> Option<&str> {
        self.classes().get(node)
    }

    /// Applies a function to each distinct class attribute of the page, once for all elements that
    /// share it.
    pub fn per_class<T>(&self, read: impl Fn(&str) -> T) -> PerClass<'_, T> {
        let classes = self.classes();
        PerClass {
            classes,
            read: classes.values().map(read).collect(),
        }
    }

    /// Links within a range of nodes with their references as written, in document order.
    pub fn hrefs(&self, nodes: Range<u32>) -> impl Iterator<Item = (u32, &str)> {
        self.links().within(nodes)
    }

    pub(super) fn classes(&self) -> &Attributes {
        self.classes.get_or_init(|| Attributes::read(self.page, "class"))
    }

    pub(super) fn links(&self) -> &Attributes {
        self.links.get_or_init(|| Attributes::read(self.page, "href"))
    }

    pub(super) fn images(&self) -> &Attributes {
        self.images.get_or_init(|| Attributes::read(self.page, "src"))
    }

    /// Part of the site's frame that contains a node.
    pub(super) fn region(&self, node: u32) -> Region {
        let regions = self.regions.get_or_init(|| region::all(self.outline));
        regions.get(node as usize).copied().unwrap_or(Region::Own)
    }

    /// Region of the text directly in a node.
    pub(super) fn region_inside(&self, node: u32) -> Region {
        let region = self.region(node);
        let outline = self.outline();
        outline
            .node(node)
            .map_or(region, |node| region.within(node.tag()))
    }

    pub(super) fn flow(&self, node: u32) -> Flow {
        let tag = self.outline.node(node).map_or(0, |node| node.tag_id());
        self.flows.get(tag as usize).copied().unwrap_or(Flow::Block)
    }

    pub(super) fn tag(&self, node: u32) -> &'p str {
        self.outline.node(node).map_or("", |node| node.tag())
    }

    /// Passes texts and the breaks between them to `visit`, in document order.
    pub(super) fn walk(&self, range: Range<u32>, visit: &mut dyn FnMut(Event<'p>)) {
        let mut open: Vec<u32> = Vec::new();
        let mut id = range.start;
        while id < range.end {
            while open.last().is_some_and(|&end| end <= id) {
                open.pop();
                visit(Event::Break);
            }
            let Some(node) = self.outline.node(id) else { break };
            match self.flow(id) {
                Flow::Text => visit(Event::Text(id, node.text())),
                Flow::Inline | Flow::Strong => {}
                Flow::Break => visit(Event::Break),
                Flow::Block => {
                    visit(Event::Break);
                    open.push(node.range().end);
                }
                Flow::Control => {
                    id = node.range().end;
                    continue;
                }
            }
            id += 1;
        }
        // Blocks that end with the range are still open. One break ends the line of all of them.
        visit(Event::Break);
    }
}

impl std::fmt::Debug for Layout<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Layout")
            .field("page", &self.page)
            .finish_non_exhaustive()
    }
}

/// Event of [`Layout::walk`].
pub(super) enum Event<'p> {
    /// End of the current line, if there is one.
    Break,
    /// A text node and its text as written.
    Text(u32, &'p str),
}

/// Values of one attribute for all nodes that have it.
#[derive(Debug)]
pub(super) struct Attributes {
    written: Written,
    /// The distinct values, each by the index of its first occurrence in `written`. Similar
    /// elements share their classes, so a page has few.
    distinct: Vec<u32>,
    /// Nodes with the attribute, in document order, each with the index of its value in `distinct`.
    nodes: Vec<(u32, u32)>,
    /// One plus the index of each node's value; 0 for nodes without the attribute. A vector,
    /// because the class of every element is looked up.
    value_ids: Vec<u32>,
}

impl Attributes {
    fn read(page: &Page, name: &str) -> Self {
        let written = page.written(name);
        // Ordered by length first: a lookup then takes a few comparisons, few of which compare
        // bytes.
        let mut known: BTreeMap<(usize, &str), u32> = BTreeMap::new();
        let mut distinct = Vec::new();
        let mut value_ids = vec![0; page.outline().len()];
        let mut nodes = Vec::new();
        for (index, (node, value)) in written.iter().enumerate() {
            let value_id = *known.entry((value.len(), value)).or_insert_with(|| {
                distinct.push(index as u32);
                distinct.len() as u32 - 1
            });
            nodes.push((node, value_id));
            if let Some(known) = value_ids.get_mut(node as usize) {
                *known = value_id + 1;
            }
        }
        Self {
            distinct,
            nodes,
            value_ids,
            written,
        }
    }

    /// The distinct values, by index.
    fn values(&self) -> impl Iterator<Item = &str> {
        let indices = self.distinct.iter();
        indices.map(|&index| self.written.value(index as usize))
    }

    fn value(&self, value_id: usize) -> &str {
        self.written.value(self.distinct[value_id] as usize)
    }

    /// Returns true if a node has the attribute.
    pub(super) fn has(&self, node: u32) -> bool {
        self.value_id(node).is_some()
    }

    pub(super) fn get(&self, node: u32) -> Option<&str> {
        Some(self.value(self.value_id(node)?))
    }

    /// Values of the nodes in a range.
    pub(super) fn within(&self, range: Range<u32>) -> impl Iterator<Item = (u32, &str)> {
        self.with_value_ids(range)
            .map(|(node, value_id)| (node, self.value(value_id)))
    }

    /// Nodes of a range whose value passes the test; each distinct value is tested once.
    pub(super) fn fitting(
        &self,
        range: Range<u32>,
        fits: impl Fn(&str) -> bool,
    ) -> impl Iterator<Item = u32> {
        let fits: Vec<bool> = self.values().map(fits).collect();
        self.with_value_ids(range)
            .filter_map(move |(node, value_id)| fits[value_id].then_some(node))
    }

    fn with_value_ids(&self, range: Range<u32>) -> impl Iterator<Item = (u32, usize)> {
        // The nodes are in document order, so those of a range follow one another.
        let first = self.nodes.partition_point(|(node, _)| *node < range.start);
        let nodes = self.nodes[first..]
            .iter()
            .take_while(move |(node, _)| *node < range.end);
        nodes.map(|&(node, value_id)| (node, value_id as usize))
    }

    fn value_id(&self, node: u32) -> Option<usize> {
        Some(self.value_ids.get(node as usize)?.checked_sub(1)? as usize)
    }
}

/// Results for the class attributes of a page, from [`Layout::per_class`].
#[derive(Debug)]
pub struct PerClass<'l, T> {
    classes: &'l Attributes,
    read: Vec<T>,
}

impl<T> PerClass<'_, T> {
    /// Result for the class attribute of a node; `None` if it has none.
    pub fn get(&self, node: u32) -> Option<&T> {
        self.classes.value_id(node).map(|value_id| &self.read[value_id])
    }
}

/// Appends text with its white space collapsed, also across the boundary to the existing text.
pub(super) fn push_collapsed(line: &mut String, written: &str) {
    let mut space_due = false;
    let mut rest = written;
    while let Some(character) = rest.chars().next() {
        // Nearly all text is plain words separated by single spaces, which are copied as a whole.
        let plain = text::plain_words(rest);
        let (taken, after) = rest.split_at(plain.max(character.len_utf8()));
        rest = after;
        if plain == 0 && text::is_space(character) {
            space_due = true;
            continue;
        }
        if std::mem::take(&mut space_due) && !line.is_empty() && !line.ends_with(' ') {
            line.push(' ');
        }
        line.push_str(taken);
    }
    if space_due && !line.is_empty() && !line.ends_with(' ') {
        line.push(' ');
    }
}
