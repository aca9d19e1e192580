//! Current price of a product.

use magpie_values::money::{self, MoneyContext};
use magpie_values::text::{self, WordList};

use super::block::Block;
use super::codes;
use crate::extract::lines::Line;
use crate::extract::named::has_word;
use crate::extract::{Layout, Text};

/// Maximum number of characters of a line that shows a price; longer lines are prose about prices.
const MAX_LINE: usize = 120;

/// Maximum number of prices to examine. A page with more of them shows no price of its own.
const MAX_CANDIDATES: usize = 200;

crate::word_lists! { "price.txt";
    pub(super) CLASSES: WordList = "price_class";
    STRUCK: WordList = "struck_class";
    ON_REQUEST: Phrases = "on_request";
    TODAY: Phrases = "today";
    ASKED: Phrases = "asked";
    FROM: Words = "from";
    OTHER: Phrases = "other";
    AFTER: Phrases = "after";
}

/// Class words of elements with the price of other days, or with the current one if there is no
/// other.
static REGULAR: WordList = WordList::new(&["regular", "normal"]);

impl Block<'_, '_> {
    /// Price asked now: not a struck one, a saving, or the delivery's.
    pub fn price(&self) -> Option<Text> {
        let layout = self.layout();
        let context = layout.page().money_context();
        let mut best: Option<(f64, Text)> = None;
        let mut label = String::new();
        let mut seen = 0;
        for (distance, line) in self.lines() {
            if seen > MAX_CANDIDATES {
                break;
            }
            let (shown, node) = without_struck(layout, line);
            if codes::is_in_code(layout, node, &CLASSES) {
                // A label before a code is not that of the next price.
                label.clear();
                continue;
            }
            let found = money::find_all(&shown, &context);
            seen += found.len();
            let mut end = 0;
            for price in &found {
                // Words before the previous price belong to that one.
                let before = text::fold(&format!("{label} {}", &shown[end..price.start]));
                let after = text::fold(text::truncate(shown[price.end..].trim_start(), 20));
                end = price.end;
                // Pages show a price of zero if a script fills them later or if the price is on
                // request.
                let is_nothing = price.money.amount().is_zero() && price.money.upto().is_none();
                if is_nothing || codes::announces_code(&before) {
                    continue;
                }
                // `R9 280` in a name is not a price if there is another candidate.
                let in_name = if self.is_in_name(node) { -1.5 } else { 0.0 };
                let score =
                    wording_score(&before, &after) + position_score(layout, node, line, distance) + in_name;
                if best.as_ref().is_none_or(|(known, _)| score > *known) {
                    best = Some((
                        score,
                        Text {
                            text: shown[price.start..price.end].to_owned(),
                            node,
                        },
                    ));
                }
            }
            // A label may be in the line before, as in definition lists.
            label = if found.is_empty() && line.text.len() <= 40 {
                shown
            } else {
                String::new()
            };
        }
        const MIN_SCORE: f64 = -2.0;
        best.filter(|(score, _)| *score > MIN_SCORE)
            .map(|(_, price)| price)
            .or_else(|| self.bare_price())
    }

    /// Amount without a currency, in an element with a class for prices.
    fn bare_price(&self) -> Option<Text> {
        let layout = self.layout();
        // The amount has no currency of its own, so that of the page's `meta` elements is used.
        let currency = currency(layout);
        let context = MoneyContext {
            hint: currency.as_deref(),
            ..layout.page().money_context()
        };
        let mut label = String::new();
        for (_, line) in self.lines() {
            let (shown, node) = without_struck(layout, line);
            let before = std::mem::replace(&mut label, text::fold(text::truncate(&shown, 40)));
            let is_number = shown.len() <= 20 && shown.contains(|one: char| one.is_ascii_digit());
            if !is_number
                || !is_priced(layout, node)
                || !is_bare_amount(&shown)
                || codes::announces_code(&before)
            {
                continue;
            }
            let price = money::parse(&shown, &context);
            if let Some(price) = price.filter(|price| !price.amount().is_zero()) {
                return Some(Text {
                    text: price.to_string(),
                    node,
                });
            }
        }
        None
    }

    fn is_in_name(&self, node: u32) -> bool {
        let heading = self.layout().outline().node(self.heading().node);
        heading.is_some_and(|heading| heading.range().contains(&node))
    }

    /// Text shown instead of a price that asks the reader to enquire: `Price on request`.
    pub fn price_on_request(&self) -> Option<Text> {
        let layout = self.layout();
        let mut lines = self
            .lines()
            .filter(|(_, line)| line.text.chars().count() <= MAX_LINE);
        lines.find_map(|(_, line)| {
            let node = line.first_node();
            let folded = text::fold(&line.text);
            let asks = ON_REQUEST.begin_a_word_of(&folded);
            let priced = || is_priced(layout, node) || ASKED.begin(&folded);
            (asks && priced()).then(|| Text {
                text: line.text.clone(),
                node,
            })
        })
    }
}

/// Returns true if the classes of the nearest elements are for prices.
fn is_priced(layout: &Layout<'_>, node: u32) -> bool {
    let called = || {
        let around = layout.outline().node(node).into_iter();
        let mut around = around.flat_map(|node| std::iter::once(node).chain(node.parent()));
        around.any(|node| {
            layout
                .element(node.id())
                .attr("id")
                .is_some_and(|id| has_word(&id, &CLASSES))
        })
    };
    (super::is_classed(layout, node, &CLASSES) || called()) && !codes::is_in_code(layout, node, &CLASSES)
}

/// Returns true for a number, alone or beside a word for prices, that is not a code: `12,50`, `from
/// 20`.
fn is_bare_amount(shown: &str) -> bool {
    let words = text::fold(shown);
    let mut words = words
        .split(|one: char| !one.is_alphabetic())
        .filter(|word| !word.is_empty());
    let is_word = |word: &str| ASKED.has(word) || TODAY.has(word) || FROM.contains(&word);
    words.all(is_word) && !codes::is_trade_number(shown) && !shown.contains('%')
}

/// Currency that the page's `meta` elements declare for its prices.
fn currency(layout: &Layout<'_>) -> Option<String> {
    let metas = layout
        .page()
        .table("meta")
        .attr("", "property")
        .attr("", "itemprop")
        .attr("", "content")
        .rows();
    metas.iter().find_map(|meta| {
        let name = meta.text(0).or_else(|| meta.text(1))?;
        let names = name.ends_with("price:currency") || name == "priceCurrency";
        names.then(|| meta.text(2).map(str::to_owned)).flatten()
    })
}

/// Text of a line without its struck parts, and the element of its first amount.
fn without_struck(layout: &Layout<'_>, line: &Line) -> (String, u32) {
    let mut shown = String::with_capacity(line.text.len());
    let mut node = None;
    let mut offset = 0;
    for piece in &line.pieces {
        let written = &line.text[piece.range.clone()];
        if is_struck(layout, piece.node) {
            // The words on both sides of a struck price must not merge.
            shown.push(' ');
            continue;
        }
        if written.contains(|one: char| one.is_ascii_digit()) {
            node.get_or_insert(piece.node);
        }
        // Space between elements is not part of any piece.
        if offset < piece.range.start {
            shown.push(' ');
        }
        offset = piece.range.end;
        shown.push_str(written);
    }
    (shown, node.unwrap_or(line.node))
}

fn is_struck(layout: &Layout<'_>, node: u32) -> bool {
    let Some(node) = layout.outline().node(node) else {
        return false;
    };
    std::iter::once(node)
        .chain(node.ancestors())
        .take(super::NEAREST)
        .any(|node| {
            let priced = || {
                layout
                    .class(node.id())
                    .is_some_and(|class| has_word(class, &STRUCK) && has_word(class, &CLASSES))
            };
            let styled = || {
                let style = layout.element(node.id()).attr("style");
                style.is_some_and(|style| style.contains("line-through"))
            };
            matches!(node.tag(), "del" | "s" | "strike") || priced() || styled()
        })
}

/// Score of an amount by the words around it.
fn wording_score(before: &str, after: &str) -> f64 {
    let other = OTHER.begin_a_word_of(before);
    let part = AFTER.begin(after);
    let today = TODAY.begin_a_word_of(before);
    let asked = ASKED.begin_a_word_of(before);
    let wording_score = if today { 2.0 } else { f64::from(u8::from(asked)) };
    wording_score - 4.0 * f64::from(u8::from(other)) - 4.0 * f64::from(u8::from(part))
}

/// Score of an amount by its position: near the name, in an element with a class for prices.
fn position_score(layout: &Layout<'_>, node: u32, line: &Line, distance: usize) -> f64 {
    let classed = if is_priced(layout, node) { 3.0 } else { 0.0 };
    let long = if line.text.chars().count() > MAX_LINE {
        -4.0
    } else {
        0.0
    };
    // The regular price only counts if there is no other one beside it.
    let regular = if super::is_classed(layout, node, &REGULAR) {
        -1.0
    } else {
        0.0
    };
    // Sixty lines below the name, even an element with a class for prices belongs to another
    // product.
    classed + long + regular - (distance as f64 / 20.0).min(3.0)
}
