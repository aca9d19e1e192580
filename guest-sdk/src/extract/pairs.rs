//! Labelled values of a page: `Venue: Old Mill`, table rows, definition lists.

use std::collections::HashSet;
use std::ops::Range;

use magpie_values::text;

use super::layout::Layout;
use super::lines::Line;
use super::region::Region;
use crate::OutlineNode;

/// Maximum number of words of a label. `Date of first publication` is a label, a sentence is not.
const MAX_LABEL_WORDS: usize = 5;

/// Maximum length of an abbreviation that ends a label, in bytes, with its point.
const MAX_ABBREVIATION: usize = 4;

/// Maximum length of a label in bytes.
const MAX_LABEL: usize = 60;

/// Maximum length in bytes of a value below its label; a longer one is a text with a heading.
const MAX_BELOW: usize = 200;

/// Maximum length in bytes of a row of two parts, with the white space of its source.
const MAX_ROW: usize = 2 * (MAX_LABEL + MAX_BELOW);

/// Maximum length in bytes of a cell with a value, with the white space of its source; longer ones
/// are sections of the page.
const MAX_CELL: usize = 4_000;

/// Maximum number of pairs of a page. A specification has hundreds; beyond that are tables of data,
/// not facts about the page.
const MAX_PAIRS: usize = 2_000;

/// One labelled value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The label as written, without colon.
    pub label: String,
    /// The value, normalised.
    pub value: String,
    /// Element of the value.
    pub node: u32,
    /// Folded label for lookups.
    folded: String,
}

impl Pair {
    /// Label in the form used for lookups: its words without case and accents, joined by single
    /// spaces.
    pub fn folded(&self) -> &str {
        &self.folded
    }
}

/// All labelled values of a page, in document order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    pairs: Vec<Pair>,
}

impl Pairs {
    /// First pair with one of the labels. The labels are tried in the order given, so put the most
    /// specific first.
    pub fn get(&self, labels: &[&str]) -> Option<&Pair> {
        labels.iter().find_map(|label| self.all(&[label]).next())
    }

    /// All pairs with one of the labels, in document order. Case, accents and punctuation do not
    /// matter.
    pub fn all(&self, labels: &[&str]) -> impl Iterator<Item = &Pair> {
        let folded: Vec<String> = labels.iter().map(|label| folded(label)).collect();
        self.pairs
            .iter()
            .filter(move |pair| folded.contains(&pair.folded))
    }

    /// All pairs.
    pub fn iter(&self) -> std::slice::Iter<'_, Pair> {
        self.pairs.iter()
    }
}

impl<'a> IntoIterator for &'a Pairs {
    type Item = &'a Pair;
    type IntoIter = std::slice::Iter<'a, Pair>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Layout<'_> {
    /// Labelled values of the page in the usual forms: rows of two cells or parts, definition
    /// lists, `Label: value`, a label in bold before its value, and a short heading above a short
    /// line.
    pub fn pairs(&self) -> Pairs {
        let mut finder = Finder {
            layout: self,
            pairs: Vec::new(),
            known: HashSet::new(),
            taken: Vec::new(),
        };
        finder.tables_and_lists();
        finder.lines();
        let mut pairs = finder.pairs;
        // Those of tables and lists come first until here, wherever they are on the page.
        pairs.sort_by_key(|pair| pair.node);
        Pairs { pairs }
    }
}

struct Finder<'l, 'p> {
    layout: &'l Layout<'p>,
    pairs: Vec<Pair>,
    known: HashSet<(String, String)>,
    /// Tables and lists already read, so that their lines are not read again.
    taken: Vec<Range<u32>>,
}

impl Finder<'_, '_> {
    fn tables_and_lists(&mut self) {
        for node in self.layout.outline().nodes() {
            match node.tag() {
                "tr" => self.row(node),
                "dl" => self.definitions(node),
                "div" | "li" | "p" | "section" => self.parts(node),
                _ => {}
            }
        }
    }

    /// Reads `<tr><th>Label<td>value`, or two cells of which the first is short.
    fn row(&mut self, row: OutlineNode<'_>) {
        // A third cell shows that the row is one of a table of data.
        let cells: Vec<OutlineNode<'_>> = row.child_elements().take(3).collect();
        let [label, value] = cells[..] else { return };
        // A table used for layout, with a menu beside the content.
        if value.text().len() > MAX_CELL || has_heading(value) {
            return;
        }
        if value.tag() == "td" && matches!(label.tag(), "th" | "td") && self.add_nodes(label.id(), value.id())
        {
            self.taken.push(row.range());
        }
    }

    /// Reads a `<dl>`: each `dd` belongs to the `dt` before it, even if a `div` wraps the two.
    fn definitions(&mut self, list: OutlineNode<'_>) {
        let mut label = None;
        let wrapped = |child: OutlineNode<'_>| child.tag() == "div";
        let groups = list.child_elements().flat_map(|child| {
            let inner: Vec<_> = if wrapped(child) {
                child.child_elements().collect()
            } else {
                vec![child]
            };
            inner
        });
        for entry in groups {
            match (entry.tag(), label) {
                ("dt", _) => label = Some(entry.id()),
                // The label stays, because several values may follow it.
                ("dd", Some(label)) => {
                    self.add_nodes(label, entry.id());
                }
                _ => {}
            }
        }
        self.taken.push(list.range());
    }

    /// Reads a row that only its style shows: `<div><div>Label</div><div>value</div></div>`, with
    /// exactly two short parts. A label that is a link belongs to a menu.
    fn parts(&mut self, row: OutlineNode<'_>) {
        if row.text().len() > MAX_ROW || self.is_outside(row.id()) {
            return;
        }
        let mut parts = row.children().filter(|part| !part.text().trim().is_empty());
        let (Some(label), Some(value), None) = (parts.next(), parts.next(), parts.next()) else {
            return;
        };
        let is_link =
            |part: OutlineNode<'_>| part.tag() == "a" || part.descendants().any(|inner| inner.tag() == "a");
        // A part with several lines is not a single value.
        let has_lines = |part: OutlineNode<'_>| {
            part.descendants()
                .any(|inner| matches!(inner.tag(), "li" | "p" | "div" | "br" | "tr"))
        };
        let is_short = self.layout.text(value.id()).len() <= MAX_BELOW;
        if label.is_element() && !is_link(label) && is_short && !has_lines(value) {
            self.add_nodes(label.id(), value.id());
        }
    }

    fn lines(&mut self) {
        // `is_taken` searches by the start.
        self.taken.sort_by_key(|range| range.start);
        let lines = self.layout.lines();
        for (position, line) in lines.iter().enumerate() {
            if self.is_taken(line.node) || self.is_outside(line.node) {
                continue;
            }
            let below = lines.get(position + 1).filter(|below| !self.is_taken(below.node));
            if !self.within(line) {
                self.above(line, below);
            }
        }
    }

    /// Reads a label and its value in one line.
    fn within(&mut self, line: &Line) -> bool {
        if let Some((label, value)) = split_at_colon(&line.text) {
            let start = line.text.len() - value.len();
            // With nothing behind the colon, `above` takes the next line as the value.
            return !value.is_empty() && self.add(label, value, line.node_at(start));
        }
        let label = line.pieces.iter().take_while(|piece| piece.strong).count();
        let (Some(last), Some(first)) = (line.pieces[..label].last(), line.pieces.get(label)) else {
            return false;
        };
        let (label, value) = (
            line.text[..last.range.end].trim(),
            line.text[first.range.start..].trim(),
        );
        self.add(label, value, first.node)
    }

    /// Reads a label in a line of its own, and its value in the next line.
    fn above(&mut self, line: &Line, below: Option<&Line>) {
        let Some(below) = below.filter(|below| below.text.len() <= MAX_BELOW) else {
            return;
        };
        let colon = line.text.ends_with([':', '：']);
        let stands_out = line.pieces.iter().all(|piece| piece.strong) || self.is_heading(line.node);
        let next_stands_out = below.pieces.iter().all(|piece| piece.strong) || self.is_heading(below.node);
        // A line with a label of its own is not the value of the label above it.
        if (colon || (stands_out && !next_stands_out && split_at_colon(&below.text).is_none()))
            && self.are_near(line.node, below.node)
        {
            self.add(&line.text, &below.text, below.node);
        }
    }

    fn add_nodes(&mut self, label: u32, value: u32) -> bool {
        let (label, text) = (self.layout.text(label), self.layout.text(value));
        self.add(&label, &text, value)
    }

    fn add(&mut self, label: &str, value: &str, node: u32) -> bool {
        let label = label.trim_end_matches(|end: char| end.is_whitespace() || matches!(end, ':' | '：'));
        if !is_label(label) || value.is_empty() || self.pairs.len() >= MAX_PAIRS {
            return false;
        }
        let folded = folded(label);
        // Pages repeat facts, for example in a table and in a line. A repeated pair still is one,
        // so the caller does not read its line in another way.
        if !folded.is_empty() && self.known.insert((folded.clone(), value.to_owned())) {
            self.pairs.push(Pair {
                label: label.to_owned(),
                value: value.to_owned(),
                node,
                folded,
            });
        }
        true
    }

    fn is_taken(&self, node: u32) -> bool {
        // Ranges of nested tables lie within those of the outer tables. So the nearest start is
        // wrong only for lines after a nested table in its row, and such lines are merely read
        // twice.
        let before = self.taken.partition_point(|range| range.start <= node);
        before > 0 && self.taken[before - 1].contains(&node)
    }

    fn is_outside(&self, node: u32) -> bool {
        matches!(self.layout.region(node), Region::Navigation | Region::Footer)
    }

    fn is_heading(&self, node: u32) -> bool {
        matches!(
            self.layout.tag(node),
            "h2" | "h3" | "h4" | "h5" | "h6" | "dt" | "th"
        )
    }

    /// Returns true if the second block follows the first within the same parent or grandparent.
    fn are_near(&self, first: u32, second: u32) -> bool {
        let outline = self.layout.outline();
        let parents = outline
            .node(first)
            .into_iter()
            .flat_map(|node| node.ancestors().take(2));
        // The document contains all blocks, so it does not show that two are near.
        let around = |parent: OutlineNode<'_>| parent.depth() > 0 && parent.range().contains(&second);
        // A label and its value may be two lines of one block, separated by `br`.
        first == second || parents.into_iter().any(around)
    }
}

/// Returns true if a cell contains the heading of a page or of a part of it.
fn has_heading(cell: OutlineNode<'_>) -> bool {
    cell.descendants().any(|inner| matches!(inner.tag(), "h1" | "h2"))
}

/// Splits `Label: value` at its first colon, unless the colon is part of a time or a URL.
fn split_at_colon(line: &str) -> Option<(&str, &str)> {
    let (position, colon) = text::find_colon(line)?;
    if line[..position].chars().nth(MAX_LABEL).is_some() {
        return None;
    }
    let (label, value) = (line[..position].trim(), &line[position + colon..]);
    // A URL has its colon before a slash.
    let fits = is_label(label) && !value.starts_with('/');
    // `Re:port` has no label. `Label:Value` from two elements has one: the value begins with a
    // capital or a digit.
    let ends = !value.starts_with(|first: char| first.is_lowercase());
    (fits && ends).then(|| (label, value.trim()))
}

/// Returns true if a text may be a label: a few words that begin with letters (`ISBN-13` may, `19`
/// may not).
fn is_label(label: &str) -> bool {
    if label.len() > MAX_LABEL || !label.starts_with(char::is_alphabetic) || label.contains("://") {
        return false;
    }
    let has_number = label
        .split_whitespace()
        .any(|word| word.starts_with(|first: char| first.is_ascii_digit()));
    // A point ends a sentence, or an abbreviation such as `Item no.`
    let last = label.split([' ', '-']).next_back().unwrap_or_default();
    let is_sentence = label.ends_with(['!', ',']) || label.ends_with('.') && last.len() > MAX_ABBREVIATION;
    !has_number && label.split_whitespace().count() <= MAX_LABEL_WORDS && !is_sentence
}

fn folded(label: &str) -> String {
    text::bare(label)
}

#[cfg(test)]
mod tests {
    use super::split_at_colon;

    #[test]
    fn a_colon_splits_only_labels() {
        assert_eq!(split_at_colon("Venue: Old Mill"), Some(("Venue", "Old Mill")));
        assert_eq!(split_at_colon("ISBN-13: 978-0"), Some(("ISBN-13", "978-0")));
        assert_eq!(split_at_colon("Begin:19:30"), Some(("Begin", "19:30")));
        assert_eq!(split_at_colon("Item no.: 4711"), Some(("Item no.", "4711")));
        for line in [
            "19:30",
            "at 19:30",
            "https://example.org",
            "No label",
            "A whole sentence that ends so: yes",
        ] {
            assert_eq!(split_at_colon(line), None, "{line}");
        }
    }
}
