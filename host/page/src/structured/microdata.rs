//! Microdata, by the HTML standard, with what pages need beyond it.

use std::collections::{HashMap, HashSet};

use super::Found;
use super::entity::{Budget, Datum, Entity};
use super::vocabulary::short;
use crate::dom::{Document, Images, NodeId};

/// Reads all items that are no property of another item.
pub(super) fn read(document: &Document, budget: &Budget) -> Vec<Found> {
    let scopes = document.having("itemscope");
    if scopes.is_empty() {
        return Vec::new();
    }
    let mut ids = HashMap::new();
    for (node, id) in document.having("id") {
        ids.entry(id).or_insert(node);
    }
    let mut reader = Reader {
        document,
        budget,
        ids,
        used: HashSet::new(),
        path: Vec::new(),
    };
    // Items first, because only afterwards it is known which properties no item has claimed.
    let (properties, tops): (Vec<NodeId>, Vec<NodeId>) = scopes
        .into_iter()
        .map(|(node, _)| node)
        .partition(|&node| document.attribute(node, "itemprop").is_some());
    let mut found: Vec<Found> = tops.into_iter().filter_map(|node| reader.found(node)).collect();
    // Properties outside any item: the standard ignores them, but they carry data that the page's
    // author meant.
    for node in properties {
        let orphan = !reader.used.contains(&node)
            && !document
                .ancestors(node)
                .any(|outer| document.attribute(outer, "itemscope").is_some());
        if orphan {
            found.extend(reader.found(node));
        }
    }
    found
}

struct Reader<'a> {
    document: &'a Document,
    budget: &'a Budget,
    ids: HashMap<&'a str, NodeId>,
    /// Items that are a property of another.
    used: HashSet<NodeId>,
    /// The items we are inside of; `itemref` can lead back to one of them.
    path: Vec<NodeId>,
}

impl Reader<'_> {
    fn found(&mut self, node: NodeId) -> Option<Found> {
        let entity = self.item(node)?;
        Some(Found {
            syntax: "microdata",
            entity,
            node: Some(node),
            place: node,
        })
    }

    fn item(&mut self, node: NodeId) -> Option<Entity> {
        // An item that refers to one around it would never end.
        if self.path.contains(&node) || !self.budget.take_item(self.path.len()) {
            return None;
        }
        self.path.push(node);
        let document = self.document;
        let types = document.attribute(node, "itemtype").unwrap_or_default();
        let mut entity = Entity {
            id: document
                .attribute(node, "itemid")
                .map(|id| self.budget.url(document, id)),
            ..Entity::default()
        };
        entity.id = entity.id.filter(|id| !id.is_empty());
        for name in self.budget.names(types) {
            entity.add_type(self.budget, short(name));
        }
        for element in self.property_elements(node) {
            let names = document.attribute(element, "itemprop").unwrap_or_default();
            let mut names = self.budget.names(names).into_iter().map(short).peekable();
            if names.peek().is_none() {
                continue;
            }
            let Some(datum) = self.value(element) else {
                continue;
            };
            // The value is read once. Each further name gets a copy that counts against the budget.
            while let Some(name) = names.next() {
                let copy = names.peek().and_then(|_| self.budget.copy(&datum));
                match copy {
                    Some(copy) => entity.add(self.budget, name, copy),
                    None => {
                        entity.add(self.budget, name, datum);
                        break;
                    }
                }
            }
        }
        self.path.pop();
        Some(entity)
    }

    /// The elements that are properties of an item, in document order.
    fn property_elements(&self, item: NodeId) -> Vec<NodeId> {
        let document = self.document;
        let mut parts: Vec<(NodeId, NodeId)> = vec![(item + 1, document.end(item))];
        let references = document.attribute(item, "itemref").unwrap_or_default();
        for id in references.split_ascii_whitespace() {
            if let Some(&start) = self.ids.get(id) {
                // A reference to another item that is no property says nothing by the standard;
                // who writes one means that item's properties.
                let is_item = document.attribute(start, "itemscope").is_some();
                let inside = is_item && document.attribute(start, "itemprop").is_none();
                parts.push((start + u32::from(inside), document.end(start)));
            }
        }
        let mut elements = Vec::new();
        for (start, end) in parts {
            if !self.budget.take_steps((end - start) as usize) {
                break;
            }
            let mut at = start;
            while at < end {
                if document.attribute(at, "itemprop").is_some() {
                    elements.push(at);
                }
                // What is inside another item belongs to that.
                at = if document.attribute(at, "itemscope").is_some() {
                    document.end(at)
                } else {
                    at + 1
                };
            }
        }
        // References may lead to parts that overlap with the item.
        elements.sort_unstable();
        elements.dedup();
        elements
    }

    fn value(&mut self, node: NodeId) -> Option<Datum> {
        if self.document.attribute(node, "itemscope").is_some() {
            self.used.insert(node);
            return self.item(node).map(|item| Datum::Entity(Box::new(item)));
        }
        Some(Datum::Text(self.text(node)))
    }

    fn text(&self, node: NodeId) -> String {
        let document = self.document;
        let attribute = |name| document.attribute(node, name);
        let reference = match document.tag(node) {
            "a" | "area" | "link" => attribute("href"),
            "audio" | "embed" | "iframe" | "img" | "source" | "track" | "video" => attribute("src"),
            "object" => attribute("data"),
            _ => None,
        };
        if let Some(reference) = reference {
            return self.budget.url(document, reference);
        }
        let written = match document.tag(node) {
            "data" | "meter" => attribute("value"),
            "time" => attribute("datetime"),
            _ => None,
        };
        // The standard has `content` on `meta` alone; search engines read it everywhere, so it is
        // used everywhere.
        match written.or_else(|| attribute("content")) {
            Some(value) => self.budget.trimmed(value),
            None => self.budget.text_of(document, node, Images::LeftOut),
        }
    }
}
