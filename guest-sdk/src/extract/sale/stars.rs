//! Ratings of a product.

use magpie_values::number::{self, Rating};
use magpie_values::text;

use super::block::Block;
use super::words::{RATING_CLASSES, RATING_LABELS};
use crate::extract::named::has_word;
use crate::extract::{Pairs, Text};

/// Maximum number of elements to examine.
const MAX_ELEMENTS: usize = 40;

/// Maximum length of a rating in bytes; longer texts are reviews.
const MAX_TEXT: usize = 80;

/// Attributes that describe drawn stars.
const ATTRIBUTES: &[&str] = &[
    "data-rating",
    "data-score",
    "data-value",
    "aria-label",
    "title",
    "alt",
    "content",
];

impl Block<'_, '_> {
    /// Rating of the product: drawn as stars, or written after a label.
    pub fn rating(&self, pairs: &Pairs) -> Option<Text> {
        self.stars().or_else(|| {
            let pairs = pairs.all(RATING_LABELS).filter(|pair| self.holds(pair.node));
            pairs.take(MAX_ELEMENTS).find_map(|pair| {
                let text = parse_scaled(&pair.value)?;
                Some(Text {
                    text,
                    node: pair.node,
                })
            })
        })
    }

    /// Rating shown in the block as text, in the description of drawn stars, or in a class name
    /// (`star-rating Four`), in the form of the kind `rating`: `4/5`.
    pub fn stars(&self) -> Option<Text> {
        let layout = self.layout();
        let classed = layout
            .classes()
            .within(self.range())
            .filter(|(_, class)| has_word(class, &RATING_CLASSES) || parse_suffix(class).is_some());
        let nodes = classed.map(|(node, _)| node).filter(|&node| self.holds(node));
        // A name comes first; stars before it belong to something else.
        let mut nodes: Vec<u32> = nodes.collect();
        nodes.sort_by_key(|&node| (node < self.heading().node, node));
        nodes.truncate(MAX_ELEMENTS);
        nodes
            .into_iter()
            .find_map(|node| self.rated(node).map(|text| Text { text, node }))
    }

    fn rated(&self, node: u32) -> Option<String> {
        let layout = self.layout();
        let element = layout.element(node);
        let attributes = element.attrs();
        let told = ATTRIBUTES
            .iter()
            .filter_map(|name| Some(attributes.iter().find(|(known, _)| known == name)?.1.as_str()));
        let shown = layout.text(node);
        let images = layout
            .images()
            .within(layout.outline().node(node).map_or(0..0, |node| node.range()));
        let drawn = images
            .take(2)
            .filter_map(|(image, _)| layout.element(image).attr("alt"));
        let class = layout.class(node).unwrap_or_default();
        told.map(str::to_owned)
            .chain([shown])
            .chain(drawn)
            .find_map(|text| parse_scaled(&text))
            .or_else(|| {
                attributes
                    .iter()
                    .find(|(name, _)| name == "style")
                    .and_then(|(_, style)| parse_width(style))
            })
            .or_else(|| parse_suffix(class))
            .or_else(|| parse_scaled(&text::fold(class)))
    }
}

/// Parses a rating with a scale, or a number that can only be out of five.
fn parse_scaled(written: &str) -> Option<String> {
    let written = text::tidy(written);
    if written.is_empty() || written.len() > MAX_TEXT {
        return None;
    }
    let rating = number::parse_rating(&written).ok()?;
    let shown = match rating.best() {
        Some(_) => Some(rating),
        // `4.5` alone, or before the number of votes. `1.204` is a number of votes.
        None if matches!(decimals(&written), Some(1..=2)) => {
            Rating::new(rating.value(), Some(number::Decimal::from(5)))
        }
        None => None,
    };
    shown
        // Shops show zero stars for a product without ratings.
        .filter(|rating| !rating.value().is_zero())
        .map(|rating| rating.to_string())
}

/// Number of decimal digits of the number at the beginning of a text.
fn decimals(text: &str) -> Option<usize> {
    let rest = text.trim_start_matches(|one: char| one.is_ascii_digit());
    let fraction = rest.strip_prefix(['.', ','])?;
    (rest.len() < text.len()).then(|| fraction.bytes().take_while(u8::is_ascii_digit).count())
}

/// Parses the width of a row of five stars: `width: 86%`.
fn parse_width(style: &str) -> Option<String> {
    let (_, rest) = style.split_once("width")?;
    let value = rest
        .trim_start_matches([':', ' '])
        .split('%')
        .next()
        .filter(|_| rest.contains('%'))?;
    let share: f64 = value.trim().parse().ok()?;
    (share > 0.0 && share <= 100.0).then(|| format!("{:.1}/5", share / 20.0))
}

/// Parses a class with a number after the word: `stars4`, `rating-4-5`, `star_4`.
fn parse_suffix(class: &str) -> Option<String> {
    class.split_ascii_whitespace().find_map(|name| {
        let folded = name.to_ascii_lowercase();
        let rest = ["stars", "star", "rating"]
            .iter()
            .find_map(|word| folded.strip_prefix(word))?;
        let digits = rest.trim_start_matches(['-', '_']);
        let value = match digits.as_bytes() {
            [whole @ b'1'..=b'5'] => char::from(*whole).to_string(),
            [whole @ b'0'..=b'4', b'-' | b'_' | b'.', b'5'] | [whole @ b'1'..=b'4', b'5'] => {
                format!("{}.5", char::from(*whole))
            }
            [whole @ b'1'..=b'5', b'0'] => char::from(*whole).to_string(),
            _ => return None,
        };
        Some(format!("{value}/5"))
    })
}

#[cfg(test)]
mod tests {
    use super::{parse_scaled, parse_suffix, parse_width};

    #[test]
    fn ratings_are_read_from_words_styles_and_classes() {
        assert_eq!(parse_scaled("4.5 out of 5 stars").as_deref(), Some("4.5/5"));
        assert_eq!(parse_scaled("star-rating four").as_deref(), Some("4/5"));
        assert_eq!(parse_scaled("12 reviews"), None);
        assert_eq!(parse_scaled("4,5 (12)").as_deref(), Some("4.5/5"));
        assert_eq!(parse_scaled("1.204 reviews"), None);
        assert_eq!(parse_scaled("4 votes, 12 comments"), None);
        assert_eq!(parse_width("width: 86%;").as_deref(), Some("4.3/5"));
        assert_eq!(parse_width("width: 20px"), None);
        assert_eq!(parse_suffix("stars5").as_deref(), Some("5/5"));
        assert_eq!(parse_suffix("big rating-45").as_deref(), Some("4.5/5"));
        assert_eq!(parse_suffix("stars"), None);
    }
}
