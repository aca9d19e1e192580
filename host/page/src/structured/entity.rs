//! An entity while it is put together, and the bounds on all entities of a page.

use std::cell::Cell;
use std::collections::BTreeMap;

use serde_json::{Map, Number, Value};

use crate::Limits;
use crate::dom::{Document, Images, NodeId};

/// Maximum number of nodes visited for text and properties, over the whole page. A page may name
/// one part of itself as the text of many properties, or as part of many items.
const MAX_STEPS: usize = 20_000_000;

/// Number of bytes whose reading (to trim, tidy or resolve them) costs as much as the visit of a
/// node. The same attribute may be the value of many properties.
const BYTES_A_STEP: usize = 16;

/// Types of one entity, and names of the properties that one element is. Real ones have up to
/// three.
pub(super) const MAX_NAMES: usize = 64;

/// Cost of a value besides its text, so that a million empty ones are not free.
const VALUE_BYTES: usize = 16;

/// One value of a property.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Datum {
    Text(String),
    Number(Number),
    Boolean(bool),
    Entity(Box<Entity>),
}

impl Datum {
    fn weight(&self) -> (usize, usize) {
        match self {
            Datum::Text(text) => (0, text.len() + VALUE_BYTES),
            Datum::Number(_) | Datum::Boolean(_) => (0, VALUE_BYTES),
            Datum::Entity(entity) => entity.weight(),
        }
    }

    fn into_json(self) -> Value {
        match self {
            Datum::Text(text) => Value::String(text),
            Datum::Number(number) => Value::Number(number),
            Datum::Boolean(truth) => Value::Bool(truth),
            Datum::Entity(entity) => entity.into_json(),
        }
    }
}

/// A thing with types and properties. Readers nest them within `Limits::max_structured_depth`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Entity {
    pub(super) types: Vec<String>,
    pub(super) id: Option<String>,
    pub(super) properties: BTreeMap<String, Vec<Datum>>,
}

impl Entity {
    /// Adds a type. An empty one says nothing and is left out.
    pub(super) fn add_type(&mut self, budget: &Budget, name: &str) {
        if self.types.len() >= MAX_NAMES {
            return budget.exceed();
        }
        let name = budget.text(name);
        if !name.is_empty() {
            self.types.push(name);
        }
    }

    /// Adds a value to a property. Skips empty text and properties whose names are those of types
    /// and ids here.
    pub(super) fn add(&mut self, budget: &Budget, name: &str, datum: Datum) {
        let is_empty = matches!(&datum, Datum::Text(text) if text.is_empty());
        if name.is_empty() || name.starts_with('@') || is_empty || !budget.take_value(name.len()) {
            return;
        }
        match self.properties.get_mut(name) {
            Some(values) => values.push(datum),
            None => {
                self.properties.insert(name.to_owned(), vec![datum]);
            }
        }
    }

    /// Number of entities in this one, including itself, and bytes of text.
    fn weight(&self) -> (usize, usize) {
        let own: usize = self.types.iter().chain(&self.id).map(String::len).sum();
        let mut weight = (1, own);
        for (name, values) in &self.properties {
            for value in values {
                let (items, bytes) = value.weight();
                weight = (weight.0 + items, weight.1 + bytes + name.len());
            }
        }
        weight
    }

    /// The entity as JSON: `@type`, `@id`, and every property a list.
    pub(super) fn into_json(self) -> Value {
        let mut object = Map::new();
        object.insert("@type".to_owned(), self.types.into());
        if let Some(id) = self.id {
            object.insert("@id".to_owned(), id.into());
        }
        for (name, values) in self.properties {
            object.insert(name, values.into_iter().map(Datum::into_json).collect());
        }
        Value::Object(object)
    }
}

/// Remaining budget for the reading of a page.
pub(super) struct Budget {
    items: Cell<usize>,
    bytes: Cell<usize>,
    steps: Cell<usize>,
    exceeded: Cell<bool>,
    pub(super) max_depth: usize,
}

impl Budget {
    pub(super) fn new(limits: &Limits) -> Budget {
        Budget {
            items: Cell::new(limits.max_structured_items),
            bytes: Cell::new(limits.max_structured_bytes),
            steps: Cell::new(MAX_STEPS),
            exceeded: Cell::new(false),
            max_depth: limits.max_structured_depth,
        }
    }

    /// Notes that something was left out.
    pub(super) fn exceed(&self) {
        self.exceeded.set(true);
    }

    pub(super) fn is_exceeded(&self) -> bool {
        self.exceeded.get()
    }

    /// Takes an entity from the budget; false if the budget is used up, or the entity would nest
    /// too deep.
    pub(super) fn take_item(&self, depth: usize) -> bool {
        let deep = depth >= self.max_depth;
        if deep {
            self.exceeded.set(true);
        }
        !deep && self.take(&self.items, 1)
    }

    /// Deducts visits of nodes from the budget.
    pub(super) fn take_steps(&self, count: usize) -> bool {
        self.take(&self.steps, count)
    }

    /// Deducts the work of reading bytes from the budget.
    pub(super) fn take_work(&self, bytes: usize) -> bool {
        self.take_steps(1 + bytes / BYTES_A_STEP)
    }

    /// The names in a list with white space between them, as far as there are not too many.
    pub(super) fn names<'t>(&self, list: &'t str) -> Vec<&'t str> {
        let mut names = list.split_ascii_whitespace();
        let few = names.by_ref().take(MAX_NAMES).collect();
        if names.next().is_some() {
            self.exceed();
        }
        few
    }

    /// Deducts a value from the budget, without its text, with the bytes of its name.
    pub(super) fn take_value(&self, name: usize) -> bool {
        self.take(&self.bytes, VALUE_BYTES + name)
    }

    /// Returns a copy, for an element that is the value of several properties. Counted in full,
    /// because nested items that are each copied twice grow exponentially.
    pub(super) fn copy(&self, datum: &Datum) -> Option<Datum> {
        let (items, bytes) = datum.weight();
        (self.take(&self.items, items) && self.take(&self.bytes, bytes)).then(|| datum.clone())
    }

    /// A text that counts against the budget; empty when that is used up.
    pub(super) fn text(&self, text: &str) -> String {
        if self.take(&self.bytes, text.len()) {
            text.to_owned()
        } else {
            String::new()
        }
    }

    /// The same without the white space around it.
    pub(super) fn trimmed(&self, text: &str) -> String {
        if self.take_work(text.len()) {
            self.text(text.trim())
        } else {
            String::new()
        }
    }

    /// Visible text of a node, within the budget; optionally with the alternative text of its
    /// images.
    pub(super) fn text_of(&self, document: &Document, node: NodeId, images: Images) -> String {
        // The cost is charged before the work, by the size of the subtree.
        let nodes = (document.end(node) - node) as usize;
        if !self.take_steps(nodes) || !self.take_work(document.text_bytes(node)) {
            return String::new();
        }
        let text = document.text_within(node, self.bytes.get(), images);
        if self.take(&self.bytes, text.len()) {
            text
        } else {
            String::new()
        }
    }

    /// Resolves a reference to an absolute URL; returns it unchanged if it is no URL.
    pub(super) fn url(&self, document: &Document, reference: &str) -> String {
        if !self.take_work(reference.len()) {
            return String::new();
        }
        let reference = reference.trim();
        if reference.is_empty() {
            return String::new();
        }
        match document.resolve(reference) {
            Some(url) => self.text(&url),
            None => self.text(reference),
        }
    }

    fn take(&self, from: &Cell<usize>, count: usize) -> bool {
        match from.get().checked_sub(count) {
            Some(left) => {
                from.set(left);
                true
            }
            None => {
                self.exceeded.set(true);
                false
            }
        }
    }
}
