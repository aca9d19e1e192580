//! A page as it is laid out: which nodes break lines, which carry which classes.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::Range;

use magpie_values::text;

use super::lines::{self, Line};
use super::region::{self, Region};
use crate::page::Written;
use crate::{Element, Outline, Page};

/// A text of the page and where it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// The text, tidied.
    pub text: String,
    /// The element it belongs to.
    pub node: u32,
}

/// A page as a person sees it, as far as the tree tells. Make one for a page and ask it everything.
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

/// What a tag does to the flow of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    /// Text.
    Text,
    /// Goes on in the same line.
    Inline,
    /// Goes on in the same line and stands out: a label, if what follows does not.
    Strong,
    /// Begins and ends lines.
    Block,
    /// Ends a line.
    Break,
    /// Controls of a form: their text is not the page's.
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
    /// Reads the page's tree; everything else is read when it is first asked for.
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

    /// The element of a node number found here.
    pub fn element(&self, node: u32) -> Element<'p> {
        self.page.element(node)
    }

    /// The lines of text that a reader sees, in document order, without those in controls of forms.
    pub fn lines(&self) -> &[Line] {
        self.lines.get_or_init(|| lines::all(self))
    }

    /// The text of a node in one line.
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

    /// Returns what a control says: its text, else its value, its label or its title.
    pub(super) fn control_text(&self, node: u32) -> String {
        let shown = self.outline.node(node).map_or("", |node| node.text());
        if !shown.trim().is_empty() {
            return text::tidy(shown);
        }
        let element = self.element(node);
        let told = ["value", "aria-label", "title"]
            .into_iter()
            .find_map(|name| element.attr(name).filter(|value| !value.trim().is_empty()));
        told.map(|told| text::tidy(&told)).unwrap_or_default()
    }

    /// The class attribute of a node.
    pub fn class(&self, node: u32) -> Option<&str> {
        self.classes().get(node)
    }

    /// Reads each class attribute of the page once, for all the elements that share it.
    pub fn per_class<T>(&self, read: impl Fn(&str) -> T) -> PerClass<'_, T> {
        let classes = self.classes();
        PerClass {
            classes,
            read: classes.values().map(read).collect(),
        }
    }

    /// The links among some nodes, each with its reference as written, in document order.
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

    /// The part of the site's frame that holds a node.
    pub(super) fn region(&self, node: u32) -> Region {
        let regions = self.regions.get_or_init(|| region::all(self.outline));
        regions.get(node as usize).copied().unwrap_or(Region::Own)
    }

    /// Where text stands that lies directly in a node.
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

    /// The tag of a node.
    pub(super) fn tag(&self, node: u32) -> &'p str {
        self.outline.node(node).map_or("", |node| node.tag())
    }

    /// Shows texts and the breaks between them, in document order.
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

/// What [`Layout::walk`] shows.
pub(super) enum Event<'p> {
    /// A line ends here, if there is one.
    Break,
    /// A text node and its text as written.
    Text(u32, &'p str),
}

/// The values of one attribute for all nodes that have it.
#[derive(Debug)]
pub(super) struct Attributes {
    written: Written,
    /// The different values, each by the place of the first element that has it: elements that look alike share
    /// their classes, so that a page has few.
    different: Vec<u32>,
    /// The nodes that have it, in document order, each with the number of its value.
    nodes: Vec<(u32, u32)>,
    /// For each node one more than the number of its value; 0 where it has none. Every element is asked for its class.
    numbers: Vec<u32>,
}

impl Attributes {
    fn read(page: &Page, name: &str) -> Self {
        let written = page.written(name);
        // By their lengths first: looking up takes a few comparisons, hardly any of them of letters.
        let mut known: BTreeMap<(usize, &str), u32> = BTreeMap::new();
        let mut different = Vec::new();
        let mut numbers = vec![0; page.outline().len()];
        let mut nodes = Vec::new();
        for (place, (node, value)) in written.iter().enumerate() {
            let number = *known.entry((value.len(), value)).or_insert_with(|| {
                different.push(place as u32);
                different.len() as u32 - 1
            });
            nodes.push((node, number));
            if let Some(known) = numbers.get_mut(node as usize) {
                *known = number + 1;
            }
        }
        Self {
            different,
            nodes,
            numbers,
            written,
        }
    }

    /// The different values, by their numbers.
    fn values(&self) -> impl Iterator<Item = &str> {
        let places = self.different.iter();
        places.map(|&place| self.written.value(place as usize))
    }

    fn value(&self, number: usize) -> &str {
        self.written.value(self.different[number] as usize)
    }

    /// Whether a node has it.
    pub(super) fn has(&self, node: u32) -> bool {
        self.number(node).is_some()
    }

    pub(super) fn get(&self, node: u32) -> Option<&str> {
        Some(self.value(self.number(node)?))
    }

    /// Those of the nodes in a range.
    pub(super) fn within(&self, range: Range<u32>) -> impl Iterator<Item = (u32, &str)> {
        self.numbered(range)
            .map(|(node, number)| (node, self.value(number)))
    }

    /// The nodes of a range with a value that fits, which each value is asked once.
    pub(super) fn fitting(
        &self,
        range: Range<u32>,
        fits: impl Fn(&str) -> bool,
    ) -> impl Iterator<Item = u32> {
        let fits: Vec<bool> = self.values().map(fits).collect();
        self.numbered(range)
            .filter_map(move |(node, number)| fits[number].then_some(node))
    }

    fn numbered(&self, range: Range<u32>) -> impl Iterator<Item = (u32, usize)> {
        let first = self.nodes.partition_point(|(node, _)| *node < range.start);
        let nodes = self.nodes[first..]
            .iter()
            .take_while(move |(node, _)| *node < range.end);
        nodes.map(|&(node, number)| (node, number as usize))
    }

    /// The number of a node's value.
    fn number(&self, node: u32) -> Option<usize> {
        Some(self.numbers.get(node as usize)?.checked_sub(1)? as usize)
    }
}

/// What was read of the class attributes of a page, by [`Layout::per_class`].
#[derive(Debug)]
pub struct PerClass<'l, T> {
    classes: &'l Attributes,
    read: Vec<T>,
}

impl<T> PerClass<'_, T> {
    /// What was read of the class attribute of a node; none where it has none.
    pub fn get(&self, node: u32) -> Option<&T> {
        self.classes.number(node).map(|number| &self.read[number])
    }
}

/// Appends text with its white space collapsed, also across the seam.
pub(super) fn push_collapsed(line: &mut String, written: &str) {
    let mut space_due = false;
    let mut rest = written;
    while let Some(character) = rest.chars().next() {
        // Nearly all text is plain words with single blanks between them, which are taken whole.
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
