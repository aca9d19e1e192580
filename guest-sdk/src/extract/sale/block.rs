//! The part of a page about one product.

use std::cell::OnceCell;
use std::ops::Range;

use magpie_values::money;
use magpie_values::text::{self, WordList};

use super::{cart, holes, own_address, subject};
use crate::OutlineNode;
use crate::extract::lines::{self, Line};
use crate::extract::region::Region;
use crate::extract::{Layout, Pair, Pairs, RecordGroup, RecordRow, Text};

/// Maximum length of a record's name in bytes; a longer one is a summary.
const MAX_NAME: usize = 300;

/// Maximum length in bytes of a name among the lines of a link; a longer one is a description.
const MAX_LINKED_NAME: usize = 120;

/// Minimum number of records of a listing; two may be variants of the product.
const MIN_ROWS: usize = 3;

/// Class words of a record's title, used if there is no heading.
static TITLE_CLASSES: WordList = WordList::new(&["title", "name", "titel", "titre"]);

/// Class words of elements of a record that accompany its name.
static BESIDE_NAMES: WordList = WordList::new(&[
    "category",
    "categories",
    "cat",
    "brand",
    "vendor",
    "badge",
    "label",
    "price",
    "subtitle",
    "meta",
]);

/// The part of a page about one product: the content of a detail page, or one record of a listing.
pub struct Block<'l, 'p> {
    layout: &'l Layout<'p>,
    heading: Text,
    range: Range<u32>,
    /// Parts about other products, sorted and without overlap.
    holes: Vec<Range<u32>>,
    lines: OnceCell<Vec<Line>>,
    purchase_cache: OnceCell<Vec<(cart::Purchase, u32)>>,
}

impl<'p> Layout<'p> {
    /// The part of a page about the product in its heading: the whole page except its frame and
    /// boxes with related, recommended and recently seen products. `groups` are the page's
    /// [`records`](Layout::records), which reveal such boxes without a heading. `None` if the page
    /// has no heading other than those of listed records.
    pub fn main_block(&self, groups: &[RecordGroup]) -> Option<Block<'_, 'p>> {
        let heading = subject::of(self)?;
        if self.is_listed(heading.node, groups) {
            return None;
        }
        let outline = self.outline();
        let around = outline
            .node(heading.node)?
            .ancestors()
            .find(|node| node.tag() == "main");
        let range = around.unwrap_or_else(|| outline.root()).range();
        let holes = holes::of(self, heading.node, groups);
        Some(Block {
            layout: self,
            heading,
            range,
            holes,
            lines: OnceCell::new(),
            purchase_cache: OnceCell::new(),
        })
    }

    /// Returns true if a heading is the name of one of several records and links to another page.
    fn is_listed(&self, heading: u32, groups: &[RecordGroup]) -> bool {
        // A page may link to itself by either of its addresses.
        let addresses = [self.page().url().to_owned(), own_address(self.page())];
        let leads_away = |row: &RecordRow| {
            let block = self.row_block(row).filter(|block| block.heading.node == heading);
            let own = block
                .as_ref()
                .and_then(|block| self.page().resolve(block.name_link()?));
            own.is_some_and(|url| !addresses.iter().any(|known| is_same_page(known, &url)))
        };
        let listings = groups.iter().filter(|group| group.rows.len() >= MIN_ROWS);
        listings.flat_map(|group| &group.rows).any(leads_away)
    }

    /// One record of a listing; `None` if it has no name.
    pub fn row_block(&self, row: &RecordRow) -> Option<Block<'_, 'p>> {
        let outline = self.outline();
        let first = outline.node(*row.nodes.first()?)?.range();
        let last = outline.node(*row.nodes.last()?)?.range();
        let range = first.start..last.end;
        let heading = row_name(self, row, &range)?;
        Some(Block {
            layout: self,
            heading,
            range,
            holes: Vec::new(),
            lines: OnceCell::new(),
            purchase_cache: OnceCell::new(),
        })
    }
}

impl<'l, 'p> Block<'l, 'p> {
    /// Layout of the page.
    pub fn layout(&self) -> &'l Layout<'p> {
        self.layout
    }

    /// Name of the product as shown in the block.
    pub fn heading(&self) -> &Text {
        &self.heading
    }

    /// Returns true if the name is in a heading, or in an element with a class such as `title` or
    /// `name`.
    pub fn is_titled(&self) -> bool {
        let Some(node) = self.layout.outline().node(self.heading.node) else {
            return false;
        };
        let mut around = std::iter::once(node).chain(node.ancestors()).take(3);
        around.any(|node| {
            let class = self.layout.class(node.id());
            matches!(node.tag(), "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
                || class.is_some_and(|class| super::has_word(class, &TITLE_CLASSES))
        })
    }

    /// Returns true if a node belongs to the product.
    pub fn holds(&self, node: u32) -> bool {
        let before = self.holes.partition_point(|hole| hole.start <= node);
        let in_hole = before > 0 && self.holes[before - 1].contains(&node);
        let region = self.layout.region(node);
        // Some sites put the name of a product into its own `header`, and others whole listings
        // into an `aside`.
        let own = region.is_own() || region == self.layout.region(self.heading.node);
        self.range.contains(&node) && !in_hole && own && region != Region::Footer
    }

    /// Lines of the block, each with its distance from the heading in lines. The distance counts
    /// double before the heading: a name comes first, and before it the frame.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &Line)> {
        let lines = self.lines.get_or_init(|| {
            let lines = lines::within(self.layout, self.range.clone()).into_iter();
            lines.filter(|line| self.holds(line.first_node())).collect()
        });
        let heading = self
            .layout
            .outline()
            .node(self.heading.node)
            .map_or(0..0, OutlineNode::range);
        let index = lines
            .iter()
            .position(|line| heading.contains(&line.first_node()))
            .unwrap_or(0);
        let far = move |line: usize| {
            if line < index {
                2 * (index - line)
            } else {
                line - index
            }
        };
        lines
            .iter()
            .enumerate()
            .map(move |(line, text)| (far(line), text))
    }

    /// First labelled value of the block with one of the labels, tried in the order given.
    pub fn labelled<'a>(&self, pairs: &'a Pairs, labels: &[&str]) -> Option<&'a Pair> {
        labels
            .iter()
            .find_map(|label| pairs.all(&[label]).find(|pair| self.holds(pair.node)))
    }

    /// All labelled values of the block.
    pub fn pairs<'a>(&self, pairs: &'a Pairs) -> impl Iterator<Item = &'a Pair> {
        pairs.iter().filter(|pair| self.holds(pair.node))
    }

    /// Short texts of elements with one of the words in their class: first those below the heading,
    /// then those above, in document order. Of nested elements only the innermost counts.
    pub fn named(&self, words: &[&str]) -> Vec<Text> {
        let outline = self.layout.outline();
        let is_wanted = |word: &str| words.iter().any(|wanted| word.eq_ignore_ascii_case(wanted));
        let classed = self.layout.classes().within(self.range.clone());
        let nodes: Vec<u32> = classed
            .filter(|(_, class)| super::any_word(class, is_wanted))
            .map(|(node, _)| node)
            .collect();
        let mut found = Vec::new();
        for (index, &id) in nodes.iter().enumerate() {
            let Some(node) = outline.node(id) else { continue };
            let holds_next = nodes
                .get(index + 1)
                // The nodes are in document order, so one that contains any other contains the next
                // one.
                .is_some_and(|next| node.range().contains(next));
            if !holds_next && self.holds(id) && node.text().len() <= MAX_NAME {
                found.push(Text {
                    text: self.layout.text(id),
                    node: id,
                });
            }
        }
        found.retain(|text| !text.text.is_empty());
        found.sort_by_key(|text| (text.node < self.heading.node, text.node));
        found
    }

    /// Link target of a record's name, as an absolute URL.
    pub fn link(&self) -> Option<String> {
        let first = || self.layout.links().within(self.range.clone()).next();
        let href = self.name_link().or_else(|| first().map(|(_, href)| href))?;
        self.layout
            .page()
            .resolve(href)
            // References such as `javascript:` and `mailto:` lead to no page.
            .filter(|url| url.starts_with("http"))
    }

    /// Reference of the link that is or contains the name.
    fn name_link(&self) -> Option<&str> {
        let heading = self.layout.outline().node(self.heading.node)?;
        let links = self.layout.links();
        let around = || heading.ancestors().take(2).find_map(|node| links.get(node.id()));
        links
            .get(heading.id())
            .or_else(|| links.within(heading.range()).next().map(|(_, href)| href))
            .or_else(around)
    }

    pub(super) fn purchase_cache(&self) -> &OnceCell<Vec<(cart::Purchase, u32)>> {
        &self.purchase_cache
    }

    pub(super) fn range(&self) -> Range<u32> {
        self.range.clone()
    }
}

impl std::fmt::Debug for Block<'_, '_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Block")
            .field("heading", &self.heading)
            .field("range", &self.range)
            .finish_non_exhaustive()
    }
}

/// Returns true if two absolute URLs are of one page; fragment, scheme and trailing slash do not
/// count.
fn is_same_page(one: &str, other: &str) -> bool {
    let bare = |url: &str| {
        let url = url.split('#').next().unwrap_or_default();
        let url = url.split_once("://").map_or(url, |(_, rest)| rest);
        url.trim_end_matches('/').to_owned()
    };
    bare(one) == bare(other)
}

/// Name of a record: its heading, an element with a title class, its longest link, or the text of a
/// picture.
fn row_name(layout: &Layout<'_>, row: &RecordRow, range: &Range<u32>) -> Option<Text> {
    let outline = layout.outline();
    let headings = range
        .clone()
        .filter(|&node| matches!(layout.tag(node), "h1" | "h2" | "h3" | "h4" | "h5" | "h6"));
    let classed = layout.classes().within(range.clone());
    let named = classed
        .filter(|(_, class)| super::has_word(class, &TITLE_CLASSES))
        .map(|(node, _)| node);
    let linked = row
        .links
        .iter()
        .filter(|link| !cart::is_control_text(&link.text))
        .max_by_key(|link| (link.text.len(), std::cmp::Reverse(link.node)));
    // The name is the innermost element with a title class; one with several parts contains the
    // category too.
    let named = innermost(layout, named);
    let told = headings
        .chain(named)
        .filter(|&node| !is_category(layout, node))
        .map(|node| one_line(layout, row, node));
    let linked = linked.map(|link| (link.node, linked_name(layout, row, link.node)));
    // A link over a whole card is empty, and the picture's alternative text is the product's name.
    let pictured = row.images.iter().filter_map(|image| {
        let alt = text::tidy(&layout.element(image.node).attr("alt")?);
        Some((image.node, alt))
    });
    let fits = |(_, text): &(u32, String)| {
        text.chars().any(char::is_alphabetic) && text.len() <= MAX_NAME && !cart::is_control_text(text)
    };
    let candidates: Vec<(u32, String)> = told.chain(linked).chain(pictured).filter(fits).collect();
    // A text with a currency sign describes the offer; only gift cards have such names.
    let plain = candidates
        .iter()
        .find(|(_, text)| !text.contains(['€', '£', '$', '¥', '₫', '₽', '₴', '₹', '₺', '₪']));
    let (node, text) = plain.or(candidates.first()).cloned()?;
    let node = outline.node(node)?;
    Some(Text {
        text: whole(layout, row, node, text),
        node: node.id(),
    })
}

/// Nodes that do not contain the next one.
fn innermost(layout: &Layout<'_>, nodes: impl Iterator<Item = u32>) -> Vec<u32> {
    let nodes: Vec<u32> = nodes.collect();
    let holds_next = |index: usize| {
        let range = layout
            .outline()
            .node(nodes[index])
            .map_or(0..0, OutlineNode::range);
        nodes.get(index + 1).is_some_and(|next| range.contains(next))
    };
    (0..nodes.len())
        .filter(|&index| !holds_next(index))
        .map(|index| nodes[index])
        .collect()
}

/// Returns true for an element whose class names the category, brand or the like of the record.
fn is_category(layout: &Layout<'_>, node: u32) -> bool {
    layout
        .class(node)
        .is_some_and(|class| super::has_word(class, &BESIDE_NAMES))
}

/// Text and element of one record's name. Of several lines it takes the one that links to the
/// record's page: `Beauty` above `Rose Soap` is not part of the name.
fn one_line(layout: &Layout<'_>, row: &RecordRow, node: u32) -> (u32, String) {
    let range = layout.outline().node(node).map_or(0..0, OutlineNode::range);
    let mut lines = lines::within(layout, range.clone());
    lines.dedup_by(|next, line| {
        // A line break within one block.
        let same = next.node == line.node;
        if same {
            line.text = format!("{} {}", line.text, next.text);
        }
        same
    });
    if lines.len() < 2 {
        return (node, layout.text(node));
    }
    lines.retain(|line| !is_category(layout, line.node) && !is_category(layout, line.first_node()));
    let leads = |line: &&Line| {
        row.links.iter().any(|link| {
            let link = layout.outline().node(link.node).map_or(0..0, OutlineNode::range);
            range.contains(&link.start) && link.contains(&line.first_node())
        })
    };
    let line = lines.iter().find(leads).or_else(|| lines.first());
    line.map_or_else(
        || (node, layout.text(node)),
        |line| (line.first_node(), line.text.clone()),
    )
}

/// Name in a link around a whole record. Of its lines it takes the one that equals the picture's
/// alternative text, or else the longest one above the price. Brands and labels such as `New` are
/// above names and shorter.
fn linked_name(layout: &Layout<'_>, row: &RecordRow, link: u32) -> String {
    let range = layout.outline().node(link).map_or(0..0, |node| node.range());
    let mut lines: Vec<(u32, String)> = Vec::new();
    for line in lines::within(layout, range.clone()) {
        match lines.last_mut() {
            // A line break within one block.
            Some((block, text)) if *block == line.node => {
                text.push(' ');
                text.push_str(&line.text);
            }
            _ => lines.push((line.node, line.text)),
        }
    }
    if lines.len() < 2 {
        return layout.text(link);
    }
    let pictures = row.images.iter().filter(|image| range.contains(&image.node));
    let called: Vec<String> = pictures
        .filter_map(|image| layout.element(image.node).attr("alt"))
        .map(|alt| text::tidy(&alt))
        .collect();
    if let Some((_, name)) = lines.iter().find(|(_, line)| called.contains(line)) {
        return name.clone();
    }
    let context = layout.page().money_context();
    let above = lines
        .iter()
        .map(|(_, line)| line)
        .take_while(|line| money::find_all(line, &context).is_empty());
    let names = above.filter(|line| line.chars().any(char::is_alphabetic) && line.len() <= MAX_LINKED_NAME);
    // The first one among equals.
    let longest = names.min_by_key(|line| std::cmp::Reverse(line.chars().count()));
    longest.cloned().unwrap_or_else(|| layout.text(link))
}

/// Full form of a name that the listing truncates (`The Girl with the…`), if a title or a picture's
/// alternative text has it.
fn whole(layout: &Layout<'_>, row: &RecordRow, node: OutlineNode<'_>, text: String) -> String {
    let cut = text.trim_end_matches(['.', '…', ' ']);
    // A single full stop may belong to the name.
    if !text.ends_with(['…', '.']) || !(text.ends_with('…') || text.ends_with("...")) {
        return text;
    }
    let links = row.links.iter().map(|link| (link.node, "title"));
    let images = row.images.iter().map(|image| (image.node, "alt"));
    let own = std::iter::once((node.id(), "title"));
    own.chain(links)
        .chain(images)
        .filter_map(|(node, name)| layout.element(node).attr(name))
        .map(|full| text::tidy(&full))
        .find(|full| full.starts_with(cut))
        .unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use crate::Page;
    use crate::extract::Layout;

    #[test]
    fn a_subject_in_no_heading_is_known_by_the_title() {
        let heading = |title: &str, body: &str| {
            let html = format!("<title>{title}</title><header>The Corner</header><main>{body}</main>");
            let page = Page::from_html("https://shop.example/x", &html);
            let layout = Layout::new(&page);
            let block = layout.main_block(&layout.records());
            block.map(|block| block.heading().text.clone())
        };
        let also = "<h4>You may also like</h4><ul><li><a href='/a'>Tide</a><li><a href='/b'>Kelp</a></ul>";
        let plain = format!("<p><a href='/'>Salt</a></p><div>Salt and Stone</div><p>A story.</p>{also}");
        for (title, body, expected) in [
            ("Salt and Stone - The Corner", plain.as_str(), "Salt and Stone"),
            ("The Corner: Salt and Stone", plain.as_str(), "Salt and Stone"),
            // A heading that agrees with the title remains the subject.
            (
                "Salt and Stone - The Corner",
                "<h2>Salt &amp; Stone</h2><div>Salt</div>",
                "Salt & Stone",
            ),
            // The name is in the middle of the title.
            (
                "Buy Salt and Stone Soap online",
                "<h3>Stay in the loop</h3><div class='n'>Salt and Stone Soap</div>",
                "Salt and Stone Soap",
            ),
            // No line repeats the title: the heading is the only candidate.
            (
                "The Corner",
                "<div>Words</div><h2>Salt and Stone</h2>",
                "Salt and Stone",
            ),
        ] {
            assert_eq!(heading(title, body).as_deref(), Some(expected), "{title}");
        }
    }

    #[test]
    fn a_link_round_a_whole_record_is_not_its_name() {
        let names = |card: fn(&str) -> String| {
            let cards: String = ["Salt Walk", "Tide Lamp", "Kelp Bowl"].map(card).concat();
            let page = Page::from_html("https://shop.example/all", &format!("<main>{cards}</main>"));
            let layout = Layout::new(&page);
            let groups = layout.records();
            let rows = groups.iter().flat_map(|group| &group.rows);
            let blocks = rows.filter_map(|row| layout.row_block(row));
            let told = |block: super::Block<'_, '_>| (block.heading().text.clone(), block.link());
            blocks.map(told).collect::<Vec<_>>()
        };
        let expected = ["Salt Walk", "Tide Lamp", "Kelp Bowl"].map(|name| {
            let link = format!("https://shop.example/{}", &name[..4]);
            (name.to_owned(), Some(link))
        });
        let cards: [fn(&str) -> String; 6] = [
            // The picture's alternative text.
            |name| {
                format!(
                    "<div><a href='/{}'><div><img src='/{name}.jpg' alt='{name}'></div><p>{name}</p>\
                     <div><span>Sale price</span> <b>RM150.00</b></div></a></div>",
                    &name[..4]
                )
            },
            // A brand and a label above, a description below.
            |name| {
                format!(
                    "<div><a href='/{}'><img src='/{name}.jpg'><p>New</p><p>Corner</p><p>{name}</p><p>€ 12,50</p>\
                     <p>A thing that nobody ever needed as much as this</p></a></div>",
                    &name[..4]
                )
            },
            // A line break within the name.
            |name| {
                format!(
                    "<div><a href='/{}'><div>{}</div><div>$12</div></a><img src='/{name}.jpg'></div>",
                    &name[..4],
                    name.replace(' ', "<br>")
                )
            },
            // An empty link over the card, and a button whose text is the longest.
            |name| {
                format!(
                    "<div><a href='/{0}'></a><img src='/{0}.jpg' alt='{name}'><a href='/cart?add={0}'>Add to cart now</a>\
                     <div>{name}</div><div>$12</div></div>",
                    &name[..4]
                )
            },
            // The category above the name in an element with a title class, and a note with an
            // amount in a heading.
            |name| {
                format!(
                    "<div><img src='/{0}.jpg'><h5>Guarantee available for $9</h5><div class='title-box'><p>Home</p>\
                     <p class='name'><a href='/{0}'>{name}</a></p></div><div>$12</div></div>",
                    &name[..4]
                )
            },
            // One line, and the price beside it.
            |name| {
                format!(
                    "<div><a href='/{}'>{name}</a> <img src='/{name}.jpg'> $12</div>",
                    &name[..4]
                )
            },
        ];
        for (number, card) in cards.into_iter().enumerate() {
            assert_eq!(names(card), expected, "card {number}");
        }
    }

    #[test]
    fn a_listed_name_heads_no_page() {
        let row = |name: &str| {
            format!(
                "<article><h2><a href='/books/{name}'>{name}</a></h2><p>By Ann Lee, 2019</p>\
                 <a href='/buy/{name}'>Buy</a></article>"
            )
        };
        let rows: String = ["Salt", "Tide", "Kelp", "Reed"].map(row).concat();
        let heading = |url: &str, title: &str, above: &str| {
            let html = format!("<title>{title}</title><main>{above}{rows}</main>");
            let page = Page::from_html(url, &html);
            let layout = Layout::new(&page);
            let block = layout.main_block(&layout.records());
            block.map(|block| block.heading().text.clone())
        };
        assert_eq!(heading("https://shop.example/books", "New books", ""), None);
        // The page's own name is above the list, or its own record links to itself.
        let above = heading("https://shop.example/books", "New books", "<h1>New books</h1>");
        assert_eq!(above.as_deref(), Some("New books"));
        let own = heading("https://shop.example/books/Salt#reviews", "Salt", "");
        assert_eq!(own.as_deref(), Some("Salt"));
    }
}
