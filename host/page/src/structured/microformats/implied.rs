//! Implied properties of a simple item: its name, photo and link.

use super::names::roots;
use super::values::Values;
use crate::dom::NodeId;

impl Values<'_> {
    /// The name of an item that gives none: the alternative text of its only image, or its text.
    pub(super) fn implied_name(&self, item: NodeId) -> String {
        let named = |node: NodeId| {
            let attribute = match self.document.tag(node) {
                "img" | "area" => "alt",
                "abbr" => "title",
                _ => return None,
            };
            self.document
                .attribute(node, attribute)
                .filter(|text| !text.is_empty())
        };
        let only = self.only_child(item);
        let inner = only.and_then(|child| self.only_child(child));
        let found = named(item)
            .or_else(|| only.and_then(named))
            .or_else(|| inner.and_then(named));
        match found {
            Some(name) => self.tidied(name),
            None => self.text_with_images(item),
        }
    }

    /// The photo of an item that gives none: the item itself, or the one image in it.
    pub(super) fn implied_photo(&self, item: NodeId) -> Option<String> {
        self.implied(item, &[("img", "src"), ("object", "data")])
    }

    /// The link of an item that gives none: the item itself, or the one link in it.
    pub(super) fn implied_url(&self, item: NodeId) -> Option<String> {
        self.implied(item, &[("a", "href"), ("area", "href")])
    }

    fn implied(&self, item: NodeId, wanted: &[(&str, &str)]) -> Option<String> {
        let own = wanted.iter().find(|(tag, _)| self.document.tag(item) == *tag);
        if let Some(reference) = own.and_then(|(_, name)| self.document.attribute(item, name)) {
            return Some(self.absolute(reference));
        }
        let reference = wanted
            .iter()
            .find_map(|&(tag, name)| self.only_of_tag(item, tag, name))
            .or_else(|| {
                let child = self.only_child(item)?;
                wanted
                    .iter()
                    .find_map(|&(tag, name)| self.only_of_tag(child, tag, name))
            })?;
        Some(self.absolute(reference))
    }

    /// The only child element, unless it is an item itself.
    fn only_child(&self, node: NodeId) -> Option<NodeId> {
        let mut children = self.document.children(node);
        let only = children.next().filter(|_| children.next().is_none())?;
        roots(self.document, only).is_none().then_some(only)
    }

    /// The attribute of the only child with a tag, unless that is an item itself.
    fn only_of_tag(&self, node: NodeId, tag: &str, name: &str) -> Option<&str> {
        let mut children = self
            .document
            .children(node)
            .filter(|&child| self.document.tag(child) == tag);
        let only = children.next().filter(|_| children.next().is_none())?;
        roots(self.document, only)
            .is_none()
            .then(|| self.document.attribute(only, name))
            .flatten()
    }
}
