//! Structured data, independent of its syntax.
//!
//! The host passes each outermost entity as JSON, with references by `@id` resolved. All entities
//! of the page, including nested ones, are flattened into one list here. So an [`Entity`] is an
//! index that is cheap to copy, and no code recurses into a tree whose depth the page determines.

use std::fmt;

use serde_json::{Map, Value};

use super::{Element, Page};
use crate::bindings::pages::StructuredItem;

/// Maximum depth of nested entities; deeper ones are dropped. Real pages stay below ten, and each
/// level costs stack.
const MAX_DEPTH: usize = 32;

/// Maximum number of entities that one step of a path reaches. Plugins only read the first few.
const MAX_HOLDERS: usize = 1_000;

/// All structured data of one page.
#[derive(Debug, Default)]
pub(super) struct StructuredData {
    entities: Vec<EntityData>,
    origins: Vec<Origin>,
}

/// Source of an outermost entity and of all entities within it.
#[derive(Debug)]
struct Origin {
    node: Option<u32>,
    syntax: String,
}

#[derive(Debug, Default)]
struct EntityData {
    origin: usize,
    id: Option<String>,
    types: Vec<String>,
    /// Index of the containing entity, always a smaller one, and the name of the property.
    holder: Option<(usize, String)>,
    properties: Vec<(String, Vec<Property>)>,
}

#[derive(Debug)]
enum Property {
    Text(String),
    Entity(usize),
}

impl StructuredData {
    pub(super) fn new(items: Vec<StructuredItem>) -> Self {
        let mut data = Self::default();
        for item in items {
            // The host wrote the JSON; invalid JSON would be a defect of the host, not of the page.
            if let Ok(Value::Object(object)) = serde_json::from_str(&item.json) {
                data.origins.push(Origin {
                    node: item.node,
                    syntax: item.syntax,
                });
                let index = data.add(object, None, 0);
                if data.entities[index].types.is_empty() {
                    data.entities[index].types = item.types;
                }
            }
        }
        data
    }

    fn add(&mut self, object: Map<String, Value>, holder: Option<(usize, String)>, depth: usize) -> usize {
        let index = self.entities.len();
        let origin = self.origins.len() - 1;
        // The entity takes its index before those within it, so that a holder always has the
        // smaller one.
        self.entities.push(EntityData {
            origin,
            holder,
            ..EntityData::default()
        });
        for (name, value) in object {
            match (name.as_str(), value) {
                ("@id", Value::String(id)) => self.entities[index].id = Some(id),
                ("@type", value) => self.entities[index].types = texts(value),
                (_, value) => {
                    let values = self.properties(&name, value, index, depth);
                    self.entities[index].properties.push((name, values));
                }
            }
        }
        index
    }

    fn properties(&mut self, name: &str, value: Value, index: usize, depth: usize) -> Vec<Property> {
        let values = match value {
            Value::Array(values) => values,
            value => vec![value],
        };
        let mut properties = Vec::with_capacity(values.len());
        for value in values {
            match value {
                Value::Object(object) if depth < MAX_DEPTH => {
                    let holder = Some((index, name.to_owned()));
                    properties.push(Property::Entity(self.add(object, holder, depth + 1)));
                }
                value => properties.extend(scalar(value).map(Property::Text)),
            }
        }
        properties
    }
}

fn texts(value: Value) -> Vec<String> {
    match value {
        Value::Array(values) => values.into_iter().filter_map(scalar).collect(),
        value => scalar(value).into_iter().collect(),
    }
}

fn scalar(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// One entity of the page's structured data: an event, its place, the place's address.
///
/// Properties are accessed by name, or by a path of names separated by dots.
///
/// ```
/// # use magpie_sdk::Page;
/// let page = Page::from_html("https://example.org/", r#"<script type="application/ld+json">
///     {"@context": "https://schema.org", "@type": "MusicEvent", "name": "Night Music",
///      "location": {"@type": "Place", "name": "Old Mill"}}
/// </script>"#);
/// let event = page.structured().find(|entity| entity.is("*Event")).unwrap();
/// assert_eq!(event.get("name"), Some("Night Music"));
/// assert_eq!(event.get("location.name"), Some("Old Mill"));
/// assert_eq!(event.get("location"), Some("Old Mill"));
/// ```
#[derive(Clone, Copy)]
pub struct Entity<'p> {
    page: &'p Page,
    data: &'p StructuredData,
    index: usize,
}

impl<'p> Entity<'p> {
    /// Types of the entity: short names of schema.org (`MusicEvent`), others as written
    /// (`h-event`).
    pub fn types(self) -> &'p [String] {
        &self.entity().types
    }

    /// Returns true if the entity has a type. `Event` matches exactly this type. `*Event` matches
    /// every type whose name ends in `Event` (`MusicEvent`), which is how schema.org names
    /// subtypes.
    pub fn is(self, wanted: &str) -> bool {
        self.types().iter().any(|name| match wanted.strip_prefix('*') {
            Some(ending) => name.ends_with(ending),
            None => name == wanted,
        })
    }

    /// The `@id` of the entity.
    pub fn id(self) -> Option<&'p str> {
        self.entity().id.as_deref()
    }

    /// Syntax of the source: `json-ld`, `microdata`, `rdfa`, `microformats2`, `open-graph`.
    pub fn syntax(self) -> &'p str {
        &self.data.origins[self.entity().origin].syntax
    }

    /// Element that holds the outermost entity; `None` if the host does not know it.
    pub fn element(self) -> Option<Element<'p>> {
        self.data.origins[self.entity().origin]
            .node
            .map(|node| self.page.element(node))
    }

    /// The containing entity and the name of the property; `None` for outermost entities.
    pub fn holder(self) -> Option<(Self, &'p str)> {
        let (index, name) = self.entity().holder.as_ref()?;
        Some((self.at(*index), name))
    }

    /// First text at a path. Numbers and booleans are converted to text. An entity is replaced by
    /// its `name`, since sites write `"location": "Old Mill"` as often as the long form.
    pub fn get(self, path: &str) -> Option<&'p str> {
        self.all(path).into_iter().next()
    }

    /// All texts at a path, in order; see [`Entity::get`].
    pub fn all(self, path: &str) -> Vec<&'p str> {
        let (holders, name) = self.holders(path);
        let mut found = Vec::new();
        for property in holders.into_iter().flat_map(|holder| holder.values(name)) {
            match property {
                Property::Text(text) => found.push(text.trim()),
                Property::Entity(index) => found.extend(self.at(*index).own_name()),
            }
        }
        found.retain(|text| !text.is_empty());
        found
    }

    /// Entities at a path.
    pub fn entities(self, path: &str) -> Entities<'p> {
        let (holders, name) = self.holders(path);
        let indices = holders
            .into_iter()
            .flat_map(|holder| holder.values(name))
            .filter_map(|value| match value {
                Property::Entity(index) => Some(*index),
                Property::Text(_) => None,
            });
        Entities {
            page: self.page,
            data: self.data,
            indices: indices.collect::<Vec<_>>().into_iter(),
        }
    }

    /// First entity at a path.
    pub fn entity_at(self, path: &str) -> Option<Self> {
        self.entities(path).next()
    }

    /// Names of the entity's properties.
    pub fn names(self) -> impl Iterator<Item = &'p str> {
        self.entity().properties.iter().map(|(name, _)| name.as_str())
    }

    /// Entities on which the last name of a path is looked up, and that name.
    fn holders(self, path: &str) -> (Vec<Self>, &str) {
        let Some((prefix, name)) = path.rsplit_once('.') else {
            return (vec![self], path);
        };
        let mut holders = vec![self];
        for step in prefix.split('.') {
            holders = holders
                .into_iter()
                .flat_map(|holder| holder.entities(step))
                .take(MAX_HOLDERS)
                .collect();
        }
        (holders, name)
    }

    fn values(self, name: &str) -> &'p [Property] {
        let properties = &self.entity().properties;
        properties
            .iter()
            .find(|(known, _)| known == name)
            .map_or(&[], |(_, values)| values)
    }

    fn own_name(self) -> Option<&'p str> {
        // `@value` is the text of a JSON-LD literal with a language or a type.
        ["name", "@value"]
            .iter()
            .flat_map(|name| self.values(name))
            .find_map(|value| match value {
                Property::Text(text) => Some(text.trim()),
                Property::Entity(_) => None,
            })
    }

    fn entity(self) -> &'p EntityData {
        &self.data.entities[self.index]
    }

    fn at(self, index: usize) -> Self {
        Self { index, ..self }
    }
}

impl fmt::Debug for Entity<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entity")
            .field("types", &self.types())
            .field("name", &self.own_name())
            .finish()
    }
}

/// Iterator over entities of a page.
#[derive(Clone)]
pub struct Entities<'p> {
    page: &'p Page,
    data: &'p StructuredData,
    indices: std::vec::IntoIter<usize>,
}

impl<'p> Entities<'p> {
    pub(super) fn outermost(page: &'p Page, data: &'p StructuredData) -> Self {
        let indices = data
            .entities
            .iter()
            .enumerate()
            .filter(|(_, entity)| entity.holder.is_none());
        Self {
            page,
            data,
            indices: indices.map(|(index, _)| index).collect::<Vec<_>>().into_iter(),
        }
    }

    /// All entities of the page, nested ones after the one that contains them.
    pub(super) fn all(page: &'p Page, data: &'p StructuredData) -> Self {
        Self {
            page,
            data,
            indices: (0..data.entities.len()).collect::<Vec<_>>().into_iter(),
        }
    }
}

impl<'p> Iterator for Entities<'p> {
    type Item = Entity<'p>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(Entity {
            page: self.page,
            data: self.data,
            index: self.indices.next()?,
        })
    }
}

impl fmt::Debug for Entities<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
