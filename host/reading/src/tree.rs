//! A page as locators see it: its short texts, and the names that survive an edit of the page.
//!
//! A name is a text that a person can read and write:
//!
//! | name | the place |
//! |---|---|
//! | `label venue` | behind or beside the label `Venue` |
//! | `icon fa-clock` | beside an empty element of this class |
//! | `div.show-date` | tag and a class word |
//! | `.show-venue a` | tag below a class word |
//! | `#price`, `[itemprop=price]` | an `id`, a word of `itemprop` |
//! | `h1 + 2` | the second text behind the first heading |
//! | `path section>div>p:2` | three levels of tags and classes, the second of its siblings |
//!
//! Names are compared by their hashes. Their texts are kept only while a site is learned.

use std::collections::HashMap;

use magpie_page::{Document, NodeId, Page};
use magpie_values::text;

use crate::site;

/// Longest text of a slot, in bytes without white space. Longer texts are descriptions, which
/// nothing is located by.
const MAX_TEXT: u32 = 240;

/// Longest label, in bytes.
const MAX_LABEL: usize = 40;

/// Elements that are labels of what follows them.
const LABELS: [&str; 18] = [
    "dt", "th", "td", "label", "legend", "span", "b", "strong", "em", "i", "small", "p", "div", "h2", "h3",
    "h4", "h5", "h6",
];

/// Class words of an element that are used: templates of utility classes have dozens.
const MAX_WORDS: usize = 6;

/// Longest class word, and the number of digits from which one is taken for an identifier.
const MAX_WORD: usize = 40;
const MAX_DIGITS: usize = 3;

/// Texts behind the first heading that have a name by their position.
const BEHIND_HEADING: u32 = 8;

/// Siblings that are counted for the position of an element. Longer rows are lists.
const MAX_SIBLINGS: usize = 40;

/// Siblings with links to different pages of one kind that make a list.
const MIN_SIBLINGS: u32 = 3;

/// Ancestors of a link that may be items of a list.
const ITEM_DEPTH: usize = 6;

/// A hash of a name. Equal names have equal hashes in all versions of the program.
pub(crate) type Name = u64;

/// A hash that needs no state beyond its value. It takes eight bytes at a time.
pub(crate) fn hash(text: &str) -> Name {
    let mix = |hash: u64, bytes: u64| (hash ^ bytes).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    let (eights, rest) = text.as_bytes().as_chunks::<8>();
    let start = 0xcbf2_9ce4_8422_2325 ^ text.len() as u64;
    let hash = eights
        .iter()
        .fold(start, |hash, eight| mix(hash, u64::from_le_bytes(*eight)));
    let rest = rest.iter().fold(0, |rest, byte| rest << 8 | u64::from(*byte));
    let hash = mix(hash, rest);
    (hash ^ hash >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Names that were learned, to look up those of a page: most of a page's are not among them.
/// A hash of a hash would take longer than the comparison.
#[derive(Clone, Debug, Default)]
pub(crate) struct NameSet {
    /// Sorted.
    names: Vec<Name>,
    /// The lowest bits that occur.
    low: Vec<u64>,
}

impl NameSet {
    const LOW: u64 = 4096;

    pub(crate) fn contains(&self, name: Name) -> bool {
        let low = name % Self::LOW;
        let bits = self.low.get((low / 64) as usize).copied().unwrap_or_default();
        bits >> (low % 64) & 1 == 1 && self.names.binary_search(&name).is_ok()
    }
}

impl FromIterator<Name> for NameSet {
    fn from_iter<I: IntoIterator<Item = Name>>(names: I) -> Self {
        let mut names: Vec<Name> = names.into_iter().collect();
        names.sort_unstable();
        names.dedup();
        let mut low = vec![0; (Self::LOW / 64) as usize];
        for name in &names {
            let at = name % Self::LOW;
            low[(at / 64) as usize] |= 1 << (at % 64);
        }
        Self { names, low }
    }
}

/// The hash of a feature that is written as `ul.events>li.card`.
pub(crate) fn feature_hash(text: &str) -> Name {
    let (parent, own) = text.split_once('>').unwrap_or(("", text));
    combined(hash(parent), hash(own))
}

fn combined(parent: Name, own: Name) -> Name {
    parent.rotate_left(17).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ own
}

/// The texts of names that were seen.
#[derive(Default)]
pub(crate) struct Names(HashMap<Name, Box<str>>);

impl Names {
    /// Maximum number of names of a site; some hundred bytes each.
    const MAX: usize = 300_000;

    fn note(&mut self, name: Name, text: &str) {
        if self.0.len() < Self::MAX {
            self.0.entry(name).or_insert_with(|| text.into());
        }
    }

    /// The words of a name that is made of classes, identifiers or labels.
    pub(crate) fn words(&self, name: Name) -> impl Iterator<Item = String> {
        let text = self.text(name).unwrap_or_default();
        let is_position = text.starts_with("path ") || text.starts_with("h1");
        let text = if is_position { "" } else { text };
        text.split(|sign: char| !sign.is_alphanumeric()).map(text::fold)
    }

    pub(crate) fn text(&self, name: Name) -> Option<&str> {
        self.0.get(&name).map(AsRef::as_ref)
    }
}

/// The names that are looked for on a page, and what rules out most elements at once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    names: NameSet,
    /// Tags of names such as `div.date`, of those such as `.date a`, and of paths.
    own_tags: Vec<String>,
    below_tags: Vec<String>,
    path_tags: Vec<String>,
    /// The letters that labels begin with: a bit for each of ASCII, and the last for all others.
    label_letters: u128,
    has_icons: bool,
    has_words: bool,
    has_offsets: bool,
}

impl Wanted {
    pub(crate) fn new<'n>(names: impl Iterator<Item = &'n str> + Clone) -> Wanted {
        let mut wanted = Wanted {
            names: names.clone().map(hash).collect(),
            ..Wanted::default()
        };
        names.for_each(|name| wanted.add(name));
        wanted
    }

    fn add(&mut self, name: &str) {
        let (first, last) = name.split_once(' ').unwrap_or((name, ""));
        match first {
            "label" => self.label_letters |= first_letter(last),
            "icon" => self.has_icons = true,
            "h1" if !last.is_empty() => self.has_offsets = true,
            "path" => {
                let tag = last.rsplit('>').next().and_then(|last| last.split(':').next());
                self.path_tags.extend(tag.map(str::to_owned));
            }
            first if first.starts_with(['#', '[']) => self.has_words = true,
            first if first.starts_with('.') => self.below_tags.push(last.to_owned()),
            first => self.own_tags.extend(first.split('.').next().map(str::to_owned)),
        }
    }
}

/// The bit of the first letter or figure of a text.
fn first_letter(text: &str) -> u128 {
    let mut letters = text
        .bytes()
        .filter(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii());
    letters
        .next()
        .map_or(0, |letter| 1 << u32::from(letter.to_ascii_lowercase()).min(127))
}

/// Properties of elements of one tag.
#[derive(Clone, Copy, Debug)]
struct Tag {
    is_element: bool,
    /// No reader sees what is in it, or it is a choice of many.
    is_skipped: bool,
    is_label: bool,
    is_icon: bool,
    /// Names that are asked for on such elements.
    own: bool,
    below: bool,
    path: bool,
}

impl Tag {
    fn of(tag: &str, wanted: Option<&Wanted>) -> Tag {
        let asks = |of: fn(&Wanted) -> &Vec<String>| {
            wanted.is_none_or(|wanted| of(wanted).iter().any(|known| known == tag))
        };
        Tag {
            // `#text` and `#document` are no elements.
            is_element: !tag.starts_with('#'),
            is_skipped: matches!(
                tag,
                "head" | "script" | "style" | "select" | "noscript" | "template"
            ),
            is_label: LABELS.contains(&tag),
            is_icon: matches!(tag, "i" | "svg" | "span" | "b"),
            own: asks(|wanted| &wanted.own_tags),
            below: asks(|wanted| &wanted.below_tags),
            path: asks(|wanted| &wanted.path_tags),
        }
    }
}

/// Names that are asked of each element. While a site is learned, all names are wanted.
struct Asked {
    /// By the number of the tag.
    tags: Vec<Tag>,
    label_letters: u128,
    has_icons: bool,
    has_words: bool,
    has_offsets: bool,
}

/// A short text, a picture or a link, with its names.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub(crate) node: NodeId,
    pub(crate) end: NodeId,
    pub(crate) text: String,
    /// The text without that of child elements, if it differs.
    pub(crate) own: Option<String>,
    /// The address of the link or the picture.
    pub(crate) address: Option<String>,
    /// Is true below a list of links, a navigation or a footer.
    pub(crate) in_region: bool,
    pub(crate) names: Vec<Name>,
}

/// A tree with what is asked of it more than once.
pub(crate) struct Tree<'a> {
    pub(crate) document: &'a Document,
    /// Tags with their first classes, one behind the other.
    signs: String,
    sign_ends: Vec<u32>,
    sign_hashes: Vec<Name>,
    /// The words of the class attribute.
    classes: Vec<&'a str>,
    /// The element before each one that has its parent; 0 if there is none.
    before: Vec<NodeId>,
    /// Bytes of text before each node, without white space: pages are indented.
    dense: Vec<u32>,
    /// The regions: their first node, and the one behind the last.
    regions: Vec<(NodeId, NodeId)>,
    pub(crate) heading: Option<NodeId>,
}

impl<'a> Tree<'a> {
    pub(crate) fn new(page: &'a Page) -> Tree<'a> {
        let document = page.document();
        let count = document.node_count() as usize;
        let mut tree = Tree {
            document,
            signs: String::with_capacity(count * 8),
            sign_ends: Vec::with_capacity(count),
            sign_hashes: Vec::with_capacity(count),
            classes: vec![""; count],
            before: vec![0; count],
            dense: dense(document),
            regions: Vec::new(),
            heading: None,
        };
        let mut last_children: Vec<NodeId> = vec![0; count];
        for node in 0..document.node_count() {
            if document.is_element(node) {
                let tag = document.tag(node);
                tree.signs.push_str(tag);
                let mut attributes = document.attributes(node);
                let classes = attributes.find(|(name, _)| *name == "class");
                let classes = classes.map_or("", |(_, words)| words);
                for word in lasting_words(classes).take(MAX_WORDS / 2) {
                    tree.signs.push('.');
                    tree.signs.push_str(word);
                }
                tree.classes[node as usize] = classes;
                if let Some(parent) = document.parent(node) {
                    let last = &mut last_children[parent as usize];
                    tree.before[node as usize] = std::mem::replace(last, node);
                }
                if tag == "h1" && tree.heading.is_none() && tree.has_text(node) {
                    tree.heading = Some(node);
                }
            }
            tree.sign_ends.push(tree.signs.len() as u32);
            tree.sign_hashes.push(hash(tree.sign(node)));
        }
        tree.regions = tree.find_regions(page);
        tree
    }

    /// The class words of an element that name it and not its object.
    fn words(&self, node: NodeId) -> impl Iterator<Item = &'a str> {
        lasting_words(self.classes.get(node as usize).copied().unwrap_or_default())
    }

    /// The element before another one.
    fn before(&self, node: NodeId) -> Option<NodeId> {
        let before = self.before.get(node as usize).copied();
        before.filter(|before| *before > 0)
    }

    /// Tag and first classes: `div.show.row`.
    fn sign(&self, node: NodeId) -> &str {
        let end = self.sign_ends.get(node as usize).copied().unwrap_or_default();
        let start = match node {
            0 => 0,
            _ => self.sign_ends.get(node as usize - 1).copied().unwrap_or(end),
        };
        &self.signs[start as usize..end as usize]
    }

    /// The feature of one element: its sign below that of its parent.
    pub(crate) fn feature(&self, node: NodeId) -> Name {
        let sign = |node: NodeId| self.sign_hashes.get(node as usize).copied().unwrap_or_default();
        combined(self.document.parent(node).map_or(hash(""), sign), sign(node))
    }

    /// Calls `each` with the features of all elements of the body, in document order.
    pub(crate) fn features(&self, mut names: Option<&mut Names>, mut each: impl FnMut(NodeId, Name)) {
        let mut node = 0;
        while node < self.document.node_count() {
            if self.document.tag(node) == "head" {
                node = self.document.end(node);
                continue;
            }
            if self.document.is_element(node) {
                let name = self.feature(node);
                if let Some(names) = names.as_deref_mut().filter(|names| names.text(name).is_none()) {
                    let parent = self.document.parent(node).map_or("", |parent| self.sign(parent));
                    names.note(name, &format!("{parent}>{}", self.sign(node)));
                }
                each(node, name);
            }
            node += 1;
        }
    }

    /// Bytes of the visible text in a node, without white space.
    fn text_bytes(&self, node: NodeId) -> u32 {
        let before = |node: NodeId| self.dense.get(node as usize).or(self.dense.last()).copied();
        before(self.document.end(node)).unwrap_or_default() - before(node).unwrap_or_default()
    }

    /// The visible text of a node as it is written.
    fn written(&self, node: NodeId) -> &str {
        let outline = self.document.outline();
        let start = |node: NodeId| outline.starts.get(node as usize).map(|start| *start as usize);
        let end = start(self.document.end(node)).unwrap_or(outline.text.len());
        start(node)
            .and_then(|start| outline.text.get(start..end))
            .unwrap_or_default()
    }

    fn has_text(&self, node: NodeId) -> bool {
        self.text_bytes(node) > 0
    }

    /// The navigations, footers, and lists of links to pages of one kind.
    fn find_regions(&self, page: &Page) -> Vec<(NodeId, NodeId)> {
        let document = self.document;
        let mut starts: Vec<NodeId> = Vec::new();
        let host = site::host(page.url().as_str());
        // By parent, sign of the item and shape of the link: the last link, and their number.
        let mut items: HashMap<Name, (&str, u32)> = HashMap::new();
        let mut known = vec![false; document.node_count() as usize];
        for node in 0..document.node_count() {
            match document.tag(node) {
                "nav" | "footer" | "aside" => starts.push(node),
                "a" => {
                    // References are compared as written: the items of a list write them alike,
                    // and resolving each of a page takes longer than all else here.
                    let mut attributes = document.attributes(node);
                    let reference = attributes.find(|(name, _)| *name == "href");
                    let reference = reference.map_or("", |(_, value)| value.trim());
                    let is_whole = reference.contains("://");
                    let is_other = is_whole && site::host(reference) != host;
                    let is_action = reference.starts_with('#') || (!is_whole && reference.contains(':'));
                    if is_other || reference.is_empty() || is_action {
                        continue;
                    }
                    let folder = hash(site::folder(reference));
                    let ancestors = std::iter::once(node).chain(document.ancestors(node));
                    for item in ancestors.take(ITEM_DEPTH) {
                        let Some(parent) = document.parent(item) else {
                            break;
                        };
                        // Only the first link of an item is counted.
                        if std::mem::replace(&mut known[item as usize], true) {
                            break;
                        }
                        let key = combined(self.sign_hashes[item as usize], folder);
                        let key = combined(key, u64::from(parent));
                        let (last, count) = items.entry(key).or_default();
                        if *last != reference {
                            (*last, *count) = (reference, *count + 1);
                            if *count >= MIN_SIBLINGS {
                                starts.push(parent);
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        // The body is a list of links on no page.
        let heading = self.heading;
        let mut regions: Vec<(NodeId, NodeId)> = starts
            .into_iter()
            .map(|node| (node, document.end(node)))
            .filter(|(node, end)| !heading.is_some_and(|heading| (*node..*end).contains(&heading)))
            .collect();
        regions.sort_unstable();
        regions.dedup();
        // Inner ones say nothing more.
        let mut until = 0;
        regions.retain(|(_, end)| {
            let is_outer = *end > until;
            until = until.max(*end);
            is_outer
        });
        regions
    }

    /// Returns true if a node stands in a list of links, a navigation or a footer.
    pub(crate) fn is_in_region(&self, node: NodeId) -> bool {
        let until = self.regions.partition_point(|(start, _)| *start <= node);
        until > 0 && node < self.regions[until - 1].1
    }

    /// The address of a link that leads to a page.
    fn link(&self, node: NodeId) -> Option<String> {
        let reference = self.document.attribute(node, "href")?.trim();
        let leads = !reference.is_empty() && !reference.starts_with('#');
        let address = leads.then(|| self.document.resolve(reference)).flatten()?;
        address.starts_with("http").then_some(address)
    }

    /// Returns at most `most` slots, in document order. With `wanted`, it returns only slots that
    /// have one of these names, and only these names of theirs.
    pub(crate) fn slots(
        &self,
        most: usize,
        wanted: Option<&Wanted>,
        mut names: Option<&mut Names>,
    ) -> Vec<Slot> {
        let document = self.document;
        let mut slots = Vec::new();
        let mut buffer = String::with_capacity(80);
        let asked = Asked {
            tags: document
                .outline()
                .tag_names
                .iter()
                .map(|tag| Tag::of(tag, wanted))
                .collect(),
            label_letters: wanted.map_or(u128::MAX, |wanted| wanted.label_letters),
            has_icons: wanted.is_none_or(|wanted| wanted.has_icons),
            has_words: wanted.is_none_or(|wanted| wanted.has_words),
            has_offsets: wanted.is_none_or(|wanted| wanted.has_offsets),
        };
        let is_for_all_tags =
            asked.label_letters > 0 || asked.has_icons || asked.has_words || asked.has_offsets;
        let behind = self.heading.map(|heading| document.end(heading));
        let mut place = 0;
        let mut place_end = 0;
        let mut node = 0;
        while node < document.node_count() && slots.len() < most {
            let traits = self.traits(&asked, node);
            if traits.is_skipped {
                node = document.end(node);
                continue;
            }
            if !(traits.is_element && (is_for_all_tags || traits.own || traits.below || traits.path)) {
                node += 1;
                continue;
            }
            let bytes = self.text_bytes(node);
            let is_picture = document.tag(node) == "img";
            let is_text = bytes > 0 && bytes <= MAX_TEXT;
            if !(is_picture || is_text) {
                node += 1;
                continue;
            }
            // Texts behind the heading are counted without those inside of others.
            let offset = match behind {
                Some(behind) if node >= behind && node >= place_end && is_text => {
                    place += 1;
                    place_end = document.end(node);
                    (place <= BEHIND_HEADING).then_some(place)
                }
                _ => None,
            };
            let mut own_names = Vec::new();
            self.each_name(node, offset, &asked, &mut buffer, |text| {
                let name = hash(text);
                if wanted.is_none_or(|wanted| wanted.names.contains(name)) && !own_names.contains(&name) {
                    own_names.push(name);
                    if let Some(names) = names.as_deref_mut() {
                        names.note(name, text);
                    }
                }
            });
            if !own_names.is_empty() {
                slots.push(self.slot(node, is_picture, own_names));
            }
            node += 1;
        }
        slots
    }

    fn slot(&self, node: NodeId, is_picture: bool, names: Vec<Name>) -> Slot {
        let document = self.document;
        let text = document.text_of(node);
        let own = document.own_text(node);
        let address = match is_picture {
            true => ["src", "data-src"]
                .into_iter()
                .find_map(|name| {
                    document
                        .attribute(node, name)
                        .filter(|src| !src.starts_with("data:"))
                })
                .and_then(|src| document.resolve(src)),
            false => (document.tag(node) == "a").then(|| self.link(node)).flatten(),
        };
        Slot {
            node,
            end: document.end(node),
            own: (own != text && !own.is_empty()).then_some(own),
            text,
            address,
            in_region: self.is_in_region(node),
            names,
        }
    }

    /// Calls `each` with the names of an element, the more telling ones first.
    fn each_name(
        &self,
        node: NodeId,
        offset: Option<u32>,
        asked: &Asked,
        buffer: &mut String,
        mut each: impl FnMut(&str),
    ) {
        let document = self.document;
        let tag = document.tag(node);
        let mut name = |parts: &[&str]| {
            buffer.clear();
            parts.iter().for_each(|part| buffer.push_str(part));
            each(buffer);
        };
        if asked.label_letters > 0
            && let Some(label) = self.label(node, asked)
        {
            name(&["label ", &label]);
        }
        if asked.has_icons
            && let Some(icon) = self.icon(node, asked)
        {
            for word in self.words(icon).take(MAX_WORDS) {
                name(&["icon ", word]);
            }
        }
        if asked.has_words {
            for (attribute, value) in document.attributes(node) {
                match attribute {
                    "id" if is_lasting(value) => name(&["#", value]),
                    "itemprop" => value
                        .split_ascii_whitespace()
                        .for_each(|word| name(&["[itemprop=", word, "]"])),
                    _ => {}
                }
            }
        }
        if let Some(offset) = offset.filter(|_| asked.has_offsets) {
            name(&["h1 + ", &offset.to_string()]);
        }
        let traits = self.traits(asked, node);
        if traits.own {
            for word in self.words(node).take(MAX_WORDS) {
                name(&[tag, ".", word]);
            }
            if tag == "h1" {
                name(&["h1"]);
            }
        }
        if traits.below {
            for ancestor in document.ancestors(node).take(2) {
                for word in self.words(ancestor).take(MAX_WORDS / 2) {
                    name(&[".", word, " ", tag]);
                }
            }
        }
        if traits.path
            && let Some(parent) = document.parent(node)
            && let Some(grandparent) = document.parent(parent)
            && let Some(ordinal) = self.ordinal(node)
        {
            let (above, ordinal) = (self.sign(grandparent), ordinal.to_string());
            name(&["path ", above, ">", self.sign(parent), ">", tag, ":", &ordinal]);
        }
    }

    /// Position among the siblings of one tag, from 1; none far behind the first.
    fn ordinal(&self, node: NodeId) -> Option<usize> {
        let tag = self.document.tag(node);
        let mut before = std::iter::successors(self.before(node), |node| self.before(*node));
        let near = before.by_ref().take(MAX_SIBLINGS - 1);
        let alike = near.filter(|sibling| self.document.tag(*sibling) == tag).count();
        before.next().is_none().then_some(alike + 1)
    }

    fn traits(&self, asked: &Asked, node: NodeId) -> Tag {
        let number = self.document.outline().tags[node as usize];
        asked.tags[usize::from(number)]
    }

    /// The label beside an element, folded: the text before it in the same row, or the one that
    /// its own text begins with.
    fn label(&self, node: NodeId, asked: &Asked) -> Option<String> {
        let document = self.document;
        let is_label = |text: &str| {
            (1..=MAX_LABEL).contains(&text.len())
                && !text::has_figure(text)
                && text.contains(char::is_alphabetic)
        };
        // Most texts begin otherwise or have no colon, which is seen before they are put together.
        let could_be = |node: NodeId| first_letter(self.written(node)) & asked.label_letters > 0;
        if could_be(node)
            && text::find_colon(self.written(node)).is_some()
            && let Some((label, value)) = text::split_label(&document.text_of(node))
            && !value.is_empty()
            && is_label(label)
        {
            return Some(text::bare(label));
        }
        // An only child is beside what its parent is beside.
        let mut at = node;
        for _ in 0..2 {
            let parent = document.parent(at)?;
            if let Some(before) = self.before(at) {
                let bytes = self.text_bytes(before) as usize;
                let is_short = (1..=2 * MAX_LABEL).contains(&bytes);
                if !(is_short && self.traits(asked, before).is_label && could_be(before)) {
                    return None;
                }
                let label = document.text_of(before);
                let label = label.trim_end_matches([':', '：', ' ']);
                return is_label(label)
                    .then(|| text::bare(label))
                    .filter(|label| !label.is_empty());
            }
            at = parent;
        }
        None
    }

    /// The empty element before or at the start of an element, with classes: an icon.
    fn icon(&self, node: NodeId, asked: &Asked) -> Option<NodeId> {
        let document = self.document;
        let is_icon = |node: &NodeId| {
            self.text_bytes(*node) == 0
                && self.traits(asked, *node).is_icon
                && self.words(*node).next().is_some()
        };
        let inner = (node + 1..document.end(node).min(node + 5))
            .take_while(|inner| self.text_bytes(*inner) == 0)
            .filter(|inner| document.is_element(*inner))
            .filter(is_icon)
            .last();
        inner.or_else(|| self.before(node).filter(is_icon))
    }
}

/// Bytes of text before each node without white space, and in all.
fn dense(document: &Document) -> Vec<u32> {
    let outline = document.outline();
    let mut dense = Vec::with_capacity(outline.starts.len() + 1);
    let (mut at, mut count) = (0, 0);
    for &start in outline.starts.iter().chain([&(outline.text.len() as u32)]) {
        let between = outline
            .text
            .as_bytes()
            .get(at..start as usize)
            .unwrap_or_default();
        count += between.iter().filter(|byte| !byte.is_ascii_whitespace()).count() as u32;
        at = at.max(start as usize);
        dense.push(count);
    }
    dense
}

fn lasting_words(words: &str) -> impl Iterator<Item = &str> {
    words.split_ascii_whitespace().filter(|word| is_lasting(word))
}

/// Returns true if a word belongs to a template: numbers in it are those of objects, and
/// `views-row-2` and `views-row-odd` say only which row of a list it is.
fn is_lasting(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let (front, last) = word.rsplit_once(['-', '_']).unwrap_or(("", word));
    let is_number = !front.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit());
    let is_position = is_number || matches!(last, "odd" | "even" | "first" | "last");
    (1..=MAX_WORD).contains(&word.len())
        && digits < MAX_DIGITS
        && !is_position
        && !word.contains(char::is_whitespace)
}

/// Checks the text of a name that a person may have written.
pub(crate) fn check_name(text: &str) -> Result<(), String> {
    let rest = |prefix: &str| text.strip_prefix(prefix).filter(|rest| !rest.trim().is_empty());
    let one_word = |text: &str| !text.contains(char::is_whitespace);
    let is_known = if let Some(label) = rest("label ") {
        if text::bare(label) != label {
            return Err(format!(
                "a label is written in plain small letters: {:?}",
                text::bare(label)
            ));
        }
        true
    } else if let Some(word) = rest("icon ").or_else(|| rest("#")) {
        one_word(word)
    } else if let Some(word) = rest("[itemprop=") {
        word.ends_with(']')
    } else if let Some(place) = rest("h1 + ") {
        place
            .parse::<u32>()
            .is_ok_and(|place| (1..=BEHIND_HEADING).contains(&place))
    } else if let Some(path) = rest("path ") {
        path.matches('>').count() == 2
            && path
                .rsplit_once(':')
                .is_some_and(|(_, at)| at.parse::<u16>().is_ok())
    } else if let Some(below) = rest(".") {
        below.split(' ').filter(|part| !part.is_empty()).count() == 2
    } else {
        text == "h1"
            || text
                .split_once('.')
                .is_some_and(|(tag, word)| !tag.is_empty() && !word.is_empty() && one_word(text))
    };
    is_known.then_some(()).ok_or_else(|| {
        format!(
            "{text:?} names no place; write `label venue`, `icon fa-clock`, `div.date`, `.date a`, `#price`, \
             `[itemprop=price]`, `h1`, `h1 + 2` or `path section>div>p:2`"
        )
    })
}
