//! The value of a property of a microformat.

use super::dates;
use super::names::{Kind, Vocabulary, properties, roots};
use crate::dom::{Document, Images, NodeId, tidy};
use crate::structured::entity::Budget;

/// Reads values on one page.
pub(super) struct Values<'a> {
    pub(super) document: &'a Document,
    pub(super) budget: &'a Budget,
}

impl Values<'_> {
    /// Value of an element as a property of a kind. `day` is the last date read in the same item;
    /// it completes a time without a date.
    pub(super) fn value(
        &self,
        node: NodeId,
        kind: Kind,
        vocabulary: &Vocabulary,
        day: &mut Option<String>,
    ) -> String {
        match kind {
            Kind::Text => self.text(node, vocabulary),
            Kind::Url => self.url(node, vocabulary),
            Kind::Date => {
                let value = self.date(node, vocabulary, day.as_deref());
                if let Some(read) = dates::day_of(&value) {
                    *day = Some(read.to_owned());
                }
                value
            }
            Kind::Embedded => self.text_with_images(node),
        }
    }

    fn attribute(&self, node: NodeId, name: &str) -> Option<&str> {
        self.document.attribute(node, name)
    }

    /// Attribute that replaces the text of an element.
    fn text_attribute(&self, node: NodeId) -> Option<&str> {
        match self.document.tag(node) {
            "abbr" | "link" => self.attribute(node, "title"),
            "data" | "input" => self.attribute(node, "value"),
            "img" | "area" => self.attribute(node, "alt"),
            _ => None,
        }
    }

    fn text(&self, node: NodeId, vocabulary: &Vocabulary) -> String {
        if let Some(parts) = self.value_parts(node, vocabulary, false) {
            return self.tidied(&parts.concat());
        }
        match self.text_attribute(node) {
            Some(text) => self.tidied(text),
            None => self.text_with_images(node),
        }
    }

    fn url(&self, node: NodeId, vocabulary: &Vocabulary) -> String {
        let reference = match self.document.tag(node) {
            "a" | "area" | "link" => self.attribute(node, "href"),
            "img" | "audio" | "source" | "iframe" => self.attribute(node, "src"),
            "video" => self
                .attribute(node, "src")
                .or_else(|| self.attribute(node, "poster")),
            "object" => self.attribute(node, "data"),
            _ => None,
        };
        if let Some(reference) = reference {
            return self.absolute(reference);
        }
        if let Some(parts) = self.value_parts(node, vocabulary, false) {
            return self.absolute(&parts.concat());
        }
        let written = match self.document.tag(node) {
            "abbr" => self.attribute(node, "title"),
            "data" | "input" => self.attribute(node, "value"),
            _ => None,
        };
        match written {
            Some(written) => self.absolute(written),
            None => self.absolute(&self.text_with_images(node)),
        }
    }

    /// A text with its white space in order.
    pub(super) fn tidied(&self, text: &str) -> String {
        if self.budget.take_work(text.len()) {
            self.budget.text(&tidy(text))
        } else {
            String::new()
        }
    }

    /// An absolute URL; an empty reference is the page itself.
    pub(super) fn absolute(&self, reference: &str) -> String {
        if !self.budget.take_work(reference.len()) {
            return String::new();
        }
        let absolute = self
            .document
            .resolve(reference)
            .unwrap_or_else(|| reference.trim().to_owned());
        self.budget.text(&absolute)
    }

    fn date(&self, node: NodeId, vocabulary: &Vocabulary, day: Option<&str>) -> String {
        let parts = self.value_parts(node, vocabulary, true).unwrap_or_default();
        if let Some(joined) = dates::join(&parts, day) {
            return self.budget.text(&joined);
        }
        let written = match self.document.tag(node) {
            "time" | "ins" | "del" => self.attribute(node, "datetime"),
            "abbr" => self.attribute(node, "title"),
            "data" | "input" => self.attribute(node, "value"),
            _ => None,
        };
        let value = written.map_or_else(|| self.text_with_images(node), |written| self.tidied(written));
        self.budget.text(&dates::complete(&value, day))
    }

    /// The text of a node with the text of its images in their places.
    pub(super) fn text_with_images(&self, node: NodeId) -> String {
        self.budget.text_of(self.document, node, Images::ByTheirText)
    }

    /// Texts of the elements of class `value` (or the titles of those of class `value-title`)
    /// inside a property, which together are its value; `None` if there are none. Nested properties
    /// and items are not searched.
    fn value_parts(&self, node: NodeId, vocabulary: &Vocabulary, is_date: bool) -> Option<Vec<String>> {
        let document = self.document;
        let end = document.end(node);
        if !self.budget.take_steps((end - node) as usize) {
            return None;
        }
        let mut parts = Vec::new();
        let mut at = node + 1;
        while at < end {
            let classes = document.attribute(at, "class").unwrap_or_default();
            // Properties in properties look at the same classes again and again.
            if !self.budget.take_steps(classes.len()) || document.tag(at) == "template" {
                at += 1;
                continue;
            }
            let has = |wanted: &str| classes.split_ascii_whitespace().any(|class| class == wanted);
            let is_part = has("value") || has("value-title");
            if has("value-title") {
                let title = document.attribute(at, "title");
                parts.extend(title.map(|title| self.budget.trimmed(title)));
            } else if has("value") {
                parts.push(self.part(at, is_date));
            }
            let is_other = !classes.is_empty()
                && (roots(document, at).is_some() || !properties(document, at, vocabulary).is_empty());
            // A `value` belongs to the innermost property, so other properties and items are
            // skipped whole.
            at = if is_part || is_other {
                document.end(at)
            } else {
                at + 1
            };
        }
        (!parts.is_empty()).then_some(parts)
    }

    fn part(&self, node: NodeId, is_date: bool) -> String {
        let written = match self.document.tag(node) {
            "img" | "area" => self.attribute(node, "alt"),
            "data" => self.attribute(node, "value"),
            "abbr" => self.attribute(node, "title"),
            "time" | "ins" | "del" if is_date => self.attribute(node, "datetime"),
            _ => None,
        };
        match written {
            Some(written) => self.budget.text(written),
            None => self.budget.text_of(self.document, node, Images::ByTheirText),
        }
    }
}
