//! Availability of a product.

use magpie_values::text::{self, Phrases};

use super::block::Block;
use super::is_classed;
use crate::extract::Text;

/// Maximum number of characters of a text about availability; longer ones describe deliveries in
/// general.
const MAX_TEXT: usize = 60;

/// Maximum number of characters of such a text if a label or a class marks it as an
/// availability.
const MAX_NAMED: usize = 160;

/// Maximum number of elements around a name whose classes are searched for the stock state.
const MAX_AROUND: usize = 10;

crate::word_lists! { "availability.txt";
    DISCONTINUED: Phrases = "discontinued";
    OUT_OF_STOCK: Phrases = "out_of_stock";
    PREORDER: Phrases = "preorder";
    BACKORDER: Phrases = "backorder";
    LIMITED: Phrases = "limited";
    IN_STOCK: Phrases = "in_stock";
    WEAK_IN_STOCK: Words = "weak_in_stock";
    VARIANTS: Phrases = "variant";
    CLASSES: WordList = "class";
}

/// Phrases by their meaning. Negations come first, since `not in stock` contains `in stock`.
const PHRASES: [(&str, &Phrases); 6] = [
    ("discontinued", &DISCONTINUED),
    ("out-of-stock", &OUT_OF_STOCK),
    ("preorder", &PREORDER),
    ("backorder", &BACKORDER),
    ("limited", &LIMITED),
    ("in-stock", &IN_STOCK),
];

/// Parses availability from a text or URL that is marked as such: `in-stock`, `out-of-stock`,
/// `preorder`, `backorder`, `limited` or `discontinued`.
///
/// ```
/// use magpie_sdk::extract::availability;
///
/// assert_eq!(availability("https://schema.org/InStock"), Some("in-stock"));
/// assert_eq!(availability("Zurzeit nicht lieferbar"), Some("out-of-stock"));
/// assert_eq!(availability("Blue"), None);
/// ```
pub fn availability(text: &str) -> Option<&'static str> {
    let last = text.rsplit(['/', '#']).next().unwrap_or(text);
    let folded = text::fold(if text.starts_with("http") { last } else { text });
    if folded.chars().count() > MAX_NAMED {
        return None;
    }
    // The weak words are ambiguous, so they count only if they are the whole text.
    meaning(&folded).or_else(|| {
        let words = text::bare(&folded);
        WEAK_IN_STOCK.contains(&words.as_str()).then_some("in-stock")
    })
}

impl Block<'_, '_> {
    /// Availability of the product as stated in the block, in the words of [`availability`].
    pub fn availability(&self) -> Option<Text> {
        let mut best: Option<(usize, Text)> = None;
        for (distance, line) in self.lines() {
            let named = is_classed(self.layout(), line.node, &CLASSES);
            let limit = if named { MAX_NAMED } else { MAX_TEXT };
            if line.text.chars().count() > limit {
                continue;
            }
            let folded = text::fold(&line.text);
            // The line is about the selected variant, which is not the visitor's choice on a
            // freshly loaded page.
            if VARIANTS.are_in(&folded) {
                continue;
            }
            let strong = || meaning(&folded);
            let Some(found) = (if named { availability(&line.text) } else { strong() }) else {
                continue;
            };
            // Elements with a class for stock come before all others.
            let rank = if named { distance } else { distance + 1_000 };
            if best.as_ref().is_none_or(|(known, _)| rank < *known) {
                best = Some((
                    rank,
                    Text {
                        text: found.to_owned(),
                        node: line.node,
                    },
                ));
            }
        }
        best.map(|(_, text)| text).or_else(|| self.classed_stock())
    }
}

impl Block<'_, '_> {
    /// Stock state from a class around the name: shop software puts it on the element of each
    /// product.
    fn classed_stock(&self) -> Option<Text> {
        const WORDS: &[(&str, &str)] = &[
            ("outofstock", "out-of-stock"),
            ("out-of-stock", "out-of-stock"),
            ("soldout", "out-of-stock"),
            ("sold-out", "out-of-stock"),
            ("onbackorder", "backorder"),
            ("instock", "in-stock"),
            ("in-stock", "in-stock"),
        ];
        let layout = self.layout();
        let heading = layout.outline().node(self.heading().node)?;
        let around = std::iter::once(heading).chain(heading.ancestors().take(MAX_AROUND));
        let mut around = around.take_while(|node| !matches!(node.tag(), "body" | "html"));
        around.find_map(|node| {
            let class = layout.class(node.id())?;
            let named = |word: &str| {
                class
                    .split_ascii_whitespace()
                    .any(|known| known.eq_ignore_ascii_case(word))
            };
            let (_, stock) = WORDS.iter().find(|(word, _)| named(word))?;
            Some(Text {
                text: (*stock).to_owned(),
                node: node.id(),
            })
        })
    }
}

/// Meaning of the first phrase that occurs in the folded text at the beginning of a word.
fn meaning(folded: &str) -> Option<&'static str> {
    let found = PHRASES
        .iter()
        .find(|(_, phrases)| phrases.begin_a_word_of(folded));
    found.map(|(meaning, _)| *meaning)
}

#[cfg(test)]
mod tests {
    use super::availability;

    #[test]
    fn shops_of_many_languages_are_understood() {
        let cases = [
            ("http://schema.org/OutOfStock", Some("out-of-stock")),
            ("InStock", Some("in-stock")),
            ("In stock (19 available)", Some("in-stock")),
            ("Auf Lager", Some("in-stock")),
            ("Derzeit nicht auf Lager", Some("out-of-stock")),
            ("En stock", Some("in-stock")),
            ("Épuisé", Some("out-of-stock")),
            ("Jetzt vorbestellen", Some("preorder")),
            ("Available", Some("in-stock")),
            ("Also available as e-book", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(availability(text), expected, "{text}");
        }
    }
}
