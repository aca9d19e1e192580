//! Microformats: items whose types and properties are class names.

mod dates;
mod implied;
mod names;
mod values;

use super::Found;
use super::entity::{Budget, Datum, Entity, MAX_NAMES};
use crate::dom::{Document, NodeId};
use names::{Kind, Property, Vocabulary, classic, properties, roots};
use values::Values;

/// Reads all items that are in no other.
pub(super) fn read(document: &Document, budget: &Budget) -> Vec<Found> {
    let reader = Reader {
        values: Values { document, budget },
    };
    let mut found = Vec::new();
    let mut end = 0;
    for (node, _) in document.having("class") {
        // Items within an item are read as its properties or children.
        if node < end {
            continue;
        }
        if let Some((types, vocabulary)) = roots(document, node) {
            end = document.end(node);
            let entity = reader.item(node, &types, vocabulary, 0);
            found.extend(entity.map(|entity| Found {
                syntax: "microformats2",
                entity,
                node: Some(node),
                place: node,
            }));
        }
    }
    found
}

struct Reader<'a> {
    values: Values<'a>,
}

/// An item while its elements are read.
struct Item {
    entity: Entity,
    vocabulary: Vocabulary,
    depth: usize,
    /// The last date read.
    day: Option<String>,
    /// True if properties of these kinds were given, which decides what is implied.
    has_text: bool,
    has_url: bool,
    has_items: bool,
    /// True if these were given, with or without a value.
    has_name: bool,
    has_photo: bool,
}

impl Reader<'_> {
    fn item(&self, node: NodeId, types: &[String], vocabulary: Vocabulary, depth: usize) -> Option<Entity> {
        if !self.values.budget.take_item(depth) {
            return None;
        }
        let mut item = Item {
            entity: Entity::default(),
            vocabulary,
            depth,
            day: None,
            has_text: false,
            has_url: false,
            has_items: false,
            has_name: false,
            has_photo: false,
        };
        for name in types {
            item.entity.add_type(self.values.budget, name);
        }
        item.entity.id = self
            .values
            .document
            .attribute(node, "id")
            .and_then(|id| self.fragment(id));
        let end = self.values.document.end(node);
        let mut at = node + 1;
        while at < end {
            at = self.element(at, &mut item);
        }
        self.imply(node, &mut item);
        Some(item.entity)
    }

    /// The URL of an element with an `id`.
    fn fragment(&self, id: &str) -> Option<String> {
        let id = id.trim();
        (!id.is_empty()).then(|| self.values.absolute(&format!("#{id}")))
    }

    /// Reads an element inside an item; the next one to read.
    fn element(&self, node: NodeId, item: &mut Item) -> NodeId {
        let document = self.values.document;
        // A template holds nothing yet, whatever its class says.
        let is_template = document.tag(node) == "template";
        if is_template
            || (document.attribute(node, "class").is_none() && document.attribute(node, "rel").is_none())
        {
            return node + 1;
        }
        let properties = properties(document, node, &item.vocabulary);
        if properties.len() >= MAX_NAMES {
            self.values.budget.exceed();
        }
        for property in &properties {
            item.has_text |= matches!(property.kind, Kind::Text | Kind::Embedded);
            item.has_url |= property.kind == Kind::Url || property.name == "url";
            item.has_name |= property.name == "name";
            item.has_photo |= property.name == "photo";
        }
        let implied = properties.iter().find_map(|property| property.implied);
        let nested =
            roots(document, node).or_else(|| implied.map(|kind| (vec![kind.to_owned()], classic(kind))));
        match nested {
            Some((types, vocabulary)) => {
                self.nested(node, &types, vocabulary, &properties, item);
                document.end(node)
            }
            None => {
                for property in properties {
                    let value = self
                        .values
                        .value(node, property.kind, &item.vocabulary, &mut item.day);
                    item.entity
                        .add(self.values.budget, &property.name, Datum::Text(value));
                }
                // Descends into the property, because it may contain further ones.
                node + 1
            }
        }
    }

    /// An item inside an item: the value of its properties, or one of its children.
    fn nested(
        &self,
        node: NodeId,
        types: &[String],
        vocabulary: Vocabulary,
        properties: &[Property],
        item: &mut Item,
    ) {
        item.has_items = true;
        let Some(entity) = self.item(node, types, vocabulary, item.depth + 1) else {
            return;
        };
        let budget = self.values.budget;
        let datum = Datum::Entity(Box::new(entity));
        let Some((last, others)) = properties.split_last() else {
            return item.entity.add(budget, "children", datum);
        };
        for property in others {
            if let Some(copy) = budget.copy(&datum) {
                item.entity.add(budget, &property.name, copy);
            }
        }
        item.entity.add(budget, &last.name, datum);
    }

    fn imply(&self, node: NodeId, item: &mut Item) {
        // The classic formats ask for a name, so that one which is missing is missing.
        if item.vocabulary != Vocabulary::Prefixed {
            return;
        }
        let budget = self.values.budget;
        let entity = &mut item.entity;
        if !item.has_name && !item.has_text && !item.has_items {
            entity.add(budget, "name", Datum::Text(self.values.implied_name(node)));
        }
        if !item.has_photo
            && !item.has_url
            && !item.has_items
            && let Some(photo) = self.values.implied_photo(node)
        {
            entity.add(budget, "photo", Datum::Text(photo));
        }
        if !item.has_url
            && !item.has_items
            && let Some(url) = self.values.implied_url(node)
        {
            entity.add(budget, "url", Datum::Text(url));
        }
    }
}
