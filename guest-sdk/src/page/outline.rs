//! The tree of a page in the plugin's memory.

use std::fmt;
use std::ops::Range;

use crate::bindings::pages;

/// The whole tree of a page in the plugin's memory, for algorithms that visit every node.
///
/// Node ids are the same as elsewhere: `page.element(node.id())` returns the element. Text nodes
/// are nodes here, with the tag `#text`.
///
/// ```
/// # use magpie_sdk::Page;
/// let page = Page::from_html("https://example.org/", "<ul><li>One</li><li>Two</li></ul>");
/// let list = page.outline().nodes().find(|node| node.tag() == "ul").unwrap();
/// let items: Vec<&str> = list.children().map(|item| item.text()).collect();
/// assert_eq!(items, ["One", "Two"]);
/// ```
pub struct Outline {
    columns: pages::Outline,
    depths: Vec<u16>,
    /// Id of the tag `#text`, which every walk compares.
    text_tag: Option<u16>,
}

impl Outline {
    pub(super) fn new(columns: pages::Outline) -> Self {
        let mut depths: Vec<u16> = Vec::with_capacity(columns.parents.len());
        for &parent in &columns.parents {
            // A parent comes before its children, so its depth is known; only the root has none
            // yet.
            let depth = depths
                .get(parent as usize)
                .map_or(0, |depth| depth.saturating_add(1));
            depths.push(depth);
        }
        let text_tag = index_of(&columns.tag_names, "#text");
        Self {
            columns,
            depths,
            text_tag,
        }
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.columns.parents.len()
    }

    /// Returns true if there is no node. Even an empty page has its root.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The document itself.
    pub fn root(&self) -> OutlineNode<'_> {
        OutlineNode { outline: self, id: 0 }
    }

    /// Node with this id, if there is one.
    pub fn node(&self, id: u32) -> Option<OutlineNode<'_>> {
        ((id as usize) < self.len()).then_some(OutlineNode { outline: self, id })
    }

    /// All nodes in document order.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = OutlineNode<'_>> + ExactSizeIterator {
        (0..self.len() as u32).map(|id| OutlineNode { outline: self, id })
    }

    /// Text of the whole page as written, including white space.
    pub fn text(&self) -> &str {
        &self.columns.text
    }

    /// Names of all tags on this page; [`OutlineNode::tag_id`] is an index into them.
    pub fn tag_names(&self) -> &[String] {
        &self.columns.tag_names
    }

    /// Id of a tag name, if the page has such tags.
    pub fn tag_id(&self, name: &str) -> Option<u16> {
        index_of(&self.columns.tag_names, name)
    }

    fn start(&self, id: u32) -> usize {
        self.columns
            .starts
            .get(id as usize)
            .map_or(self.columns.text.len(), |&start| start as usize)
    }
}

fn index_of(names: &[String], name: &str) -> Option<u16> {
    let index = names.iter().position(|known| known == name)?;
    Some(index as u16)
}

impl fmt::Debug for Outline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outline")
            .field("nodes", &self.len())
            .finish_non_exhaustive()
    }
}

/// One node of an [`Outline`].
#[derive(Clone, Copy)]
pub struct OutlineNode<'o> {
    outline: &'o Outline,
    id: u32,
}

impl<'o> OutlineNode<'o> {
    /// Node id.
    pub fn id(self) -> u32 {
        self.id
    }

    /// Tag name; `#text` and `#document` for nodes that are not elements.
    pub fn tag(self) -> &'o str {
        self.outline
            .columns
            .tag_names
            .get(self.tag_id() as usize)
            .map_or("", String::as_str)
    }

    /// Index of the tag in [`Outline::tag_names`], which is faster to compare.
    pub fn tag_id(self) -> u16 {
        self.outline.columns.tags[self.id as usize]
    }

    /// Returns true for a text node.
    pub fn is_text(self) -> bool {
        self.outline.text_tag == Some(self.tag_id())
    }

    /// Returns true for an element.
    pub fn is_element(self) -> bool {
        // The only other node is the document, the root.
        !self.is_text() && self.id > 0
    }

    /// Number of ancestors.
    pub fn depth(self) -> u16 {
        self.outline.depths[self.id as usize]
    }

    /// Parent of the node; `None` for the root.
    pub fn parent(self) -> Option<Self> {
        (self.id > 0).then(|| self.at(self.outline.columns.parents[self.id as usize]))
    }

    /// The parent, its parent, and so on up to the root.
    pub fn ancestors(self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.parent(), |node| node.parent())
    }

    /// Ids of the node and all its descendants.
    pub fn range(self) -> Range<u32> {
        self.id..self.outline.columns.ends[self.id as usize]
    }

    /// Descendants in document order.
    pub fn descendants(self) -> impl DoubleEndedIterator<Item = Self> {
        (self.id + 1..self.range().end).map(move |id| self.at(id))
    }

    /// Children, including text nodes.
    pub fn children(self) -> Children<'o> {
        Children {
            outline: self.outline,
            next: self.id + 1,
            end: self.range().end,
        }
    }

    /// Child elements.
    pub fn child_elements(self) -> impl Iterator<Item = Self> {
        self.children().filter(|child| child.is_element())
    }

    /// The next sibling, text or element.
    pub fn next_sibling(self) -> Option<Self> {
        // Ids are in document order, so a sibling follows directly after the last descendant.
        let next = self.range().end;
        (next < self.parent()?.range().end).then(|| self.at(next))
    }

    /// Text of the node and its descendants as written. Normalise it with
    /// [`text::collapse_whitespace`](crate::text) or the like.
    pub fn text(self) -> &'o str {
        let (start, end) = (self.outline.start(self.id), self.outline.start(self.range().end));
        self.outline.columns.text.get(start..end).unwrap_or("")
    }

    fn at(self, id: u32) -> Self {
        Self {
            outline: self.outline,
            id,
        }
    }
}

impl PartialEq for OutlineNode<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && std::ptr::eq(self.outline, other.outline)
    }
}

impl Eq for OutlineNode<'_> {}

impl fmt::Debug for OutlineNode<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}>#{}", self.tag(), self.id)
    }
}

/// Children of an [`OutlineNode`].
#[derive(Clone, Debug)]
pub struct Children<'o> {
    outline: &'o Outline,
    next: u32,
    end: u32,
}

impl<'o> Iterator for Children<'o> {
    type Item = OutlineNode<'o>;

    fn next(&mut self) -> Option<Self::Item> {
        (self.next < self.end).then(|| {
            let child = OutlineNode {
                outline: self.outline,
                id: self.next,
            };
            self.next = child.range().end;
            child
        })
    }
}
