//! Picture of a product.

use magpie_values::{similarity, text};

use super::block::Block;
use super::is_classed;
use super::words::{FRAME_PICTURES, PICTURE_CLASSES};
use crate::extract::Text;

const MAX_PICTURES: usize = 60;

/// Attributes with a picture's URL, including those for lazy loading.
const SOURCES: &[&str] = &[
    "data-src",
    "data-original",
    "data-lazy-src",
    "data-zoom-image",
    "src",
];

impl Block<'_, '_> {
    /// Picture of the product as an absolute URL: the one whose alternative text is the name, or
    /// the nearest one that does not belong to the site's frame.
    pub fn picture(&self) -> Option<Text> {
        let layout = self.layout();
        let heading = self.heading();
        let name = sorted(&heading.text);
        let pictures = layout.images().within(self.range());
        let pictures = pictures.filter(|(node, _)| layout.tag(*node) == "img" && self.holds(*node));
        let mut best: Option<(f64, Text)> = None;
        for (node, _) in pictures.take(MAX_PICTURES) {
            let element = layout.element(node);
            let source = SOURCES
                .iter()
                .filter_map(|name| element.attr(name))
                .find(|source| is_address(source));
            let Some(url) = source.and_then(|source| layout.page().resolve(&source)) else {
                continue;
            };
            let described = element
                .attr("alt")
                .map_or(0.0, |alt| similarity::jaccard(&sorted(&alt), &name));
            let classed = if is_classed(layout, node, &PICTURE_CLASSES) {
                0.3
            } else {
                0.0
            };
            let score = 2.0 * described + classed - distance(heading.node, node);
            if best.as_ref().is_none_or(|(known, _)| score > *known) {
                best = Some((score, Text { text: url, node }));
            }
        }
        best.map(|(_, picture)| picture)
    }
}

/// Distance of a picture from the name, from 0 to 2. Galleries are shortly before the name or after
/// it; a picture far before it belongs to the site's header.
fn distance(heading: u32, node: u32) -> f64 {
    let (before, behind) = (heading.saturating_sub(node), node.saturating_sub(heading));
    (f64::from(before) / 60.0 + f64::from(behind) / 200.0).min(2.0)
}

fn is_address(source: &str) -> bool {
    let lower = source.to_ascii_lowercase();
    let file = lower.split(['?', '#']).next().unwrap_or_default();
    let file = file.rsplit('/').next().unwrap_or_default();
    // Placeholders of lazy loading (`data:`) and templates that no script has filled (`{`) lead to
    // no picture. Avatars show the authors of reviews.
    let is_person = lower.contains("avatar");
    !is_person
        && !source.trim().is_empty()
        && !source.starts_with("data:")
        && !source.contains('{')
        && !FRAME_PICTURES.iter().any(|word| file.contains(word))
}

fn sorted(written: &str) -> Vec<String> {
    let mut words = text::tokens(written);
    words.sort_unstable();
    words.dedup();
    words
}
