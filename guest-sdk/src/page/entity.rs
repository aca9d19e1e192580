//! Structured data, whatever its syntax was.
//!
//! The host hands each outermost entity over as JSON, with references by `@id` followed. All
//! entities of the page, nested ones too, are unfolded into one list here, so that an [`Entity`] is
//! a number to be copied and nobody walks a tree of strangers' depth.

use std::fmt;

use serde_json::{Map, Value};

use super::{Element, Page};
use crate::bindings::pages::StructuredItem;

/// Entities nested deeper are left out. Real pages stay below ten; each level costs stack.
const MAX_DEPTH: usize = 32;

/// Entities that one step of a path leads to. Nobody reads more than the first few.
const MAX_HOLDERS: usize = 1_000;

/// All structured data of one page.
#[derive(Debug, Default)]
pub(super) struct StructuredData {
    entities: Vec<EntityData>,
    origins: Vec<Origin>,
}

/// Where an outermost entity and all within it come from.
#[derive(Debug)]
struct Origin {
    node: Option<u32>,
    syntax: String,
}

#[derive(Debug, Default)]
struct EntityData {
    /// Which of the origins is its own.
    origin: usize,
    id: Option<String>,
    types: Vec<String>,
    /// The entity that holds it, always an earlier one, and under which name.
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
            // The host wrote the JSON; one that can't be read would be its defect, not the page's.
            if let Ok(Value::Object(object)) = serde_json::from_str(&item.json) {
                data.origins.push(Origin {
                    node: item.node,
                    syntax: item.syntax,
                });
                let place = data.add(object, None, 0);
                if data.entities[place].types.is_empty() {
                    data.entities[place].types = item.types;
                }
            }
        }
        data
    }

    fn add(&mut self, object: Map<String, Value>, holder: Option<(usize, String)>, depth: usize) -> usize {
        let place = self.entities.len();
        let origin = self.origins.len() - 1;
        self.entities.push(EntityData {
            origin,
            holder,
            ..EntityData::default()
        });
        for (name, value) in object {
            match (name.as_str(), value) {
                ("@id", Value::String(id)) => self.entities[place].id = Some(id),
                ("@type", value) => self.entities[place].types = texts(value),
                (_, value) => {
                    let values = self.properties(&name, value, place, depth);
                    self.entities[place].properties.push((name, values));
                }
            }
        }
        place
    }

    fn properties(&mut self, name: &str, value: Value, place: usize, depth: usize) -> Vec<Property> {
        let values = match value {
            Value::Array(values) => values,
            value => vec![value],
        };
        let mut properties = Vec::with_capacity(values.len());
        for value in values {
            match value {
                Value::Object(object) if depth < MAX_DEPTH => {
                    let holder = Some((place, name.to_owned()));
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
/// Properties are reached by name, or by a path of names with dots between.
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
    place: usize,
}

impl<'p> Entity<'p> {
    /// Its types: short names of schema.org (`MusicEvent`), others as written (`h-event`).
    pub fn types(self) -> &'p [String] {
        &self.entity().types
    }

    /// Whether it has a type: `Event` means just that, `*Event` every type whose name ends so at a
    /// word (`MusicEvent`), as schema.org names its subtypes.
    pub fn is(self, wanted: &str) -> bool {
        self.types().iter().any(|name| match wanted.strip_prefix('*') {
            Some(ending) => name.ends_with(ending),
            None => name == wanted,
        })
    }

    /// Its `@id`.
    pub fn id(self) -> Option<&'p str> {
        self.entity().id.as_deref()
    }

    /// Where it comes from: `json-ld`, `microdata`, `rdfa`, `microformats2`, `open-graph`.
    pub fn syntax(self) -> &'p str {
        &self.data.origins[self.entity().origin].syntax
    }

    /// The element that holds it or the entity around it; none where the host can't tell.
    pub fn element(self) -> Option<Element<'p>> {
        self.data.origins[self.entity().origin]
            .node
            .map(|node| self.page.element(node))
    }

    /// The entity that it is a property of, with the property's name; none for outermost ones.
    pub fn holder(self) -> Option<(Self, &'p str)> {
        let (place, name) = self.entity().holder.as_ref()?;
        Some((self.at(*place), name))
    }

    /// The first text at a path. Numbers and truth values are text here; where there is an entity
    /// instead, its `name` is taken, since sites write `"location": "Old Mill"` as freely as the long form.
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
                Property::Entity(place) => found.extend(self.at(*place).own_name()),
            }
        }
        found.retain(|text| !text.is_empty());
        found
    }

    /// The entities at a path.
    pub fn entities(self, path: &str) -> Entities<'p> {
        let (holders, name) = self.holders(path);
        let places = holders
            .into_iter()
            .flat_map(|holder| holder.values(name))
            .filter_map(|value| match value {
                Property::Entity(place) => Some(*place),
                Property::Text(_) => None,
            });
        Entities {
            page: self.page,
            data: self.data,
            places: places.collect::<Vec<_>>().into_iter(),
        }
    }

    /// The first entity at a path.
    pub fn entity_at(self, path: &str) -> Option<Self> {
        self.entities(path).next()
    }

    /// The names of its properties.
    pub fn names(self) -> impl Iterator<Item = &'p str> {
        self.entity().properties.iter().map(|(name, _)| name.as_str())
    }

    /// The entities on which the last name of a path is looked up, and that name.
    fn holders(self, path: &str) -> (Vec<Self>, &str) {
        let Some((way, name)) = path.rsplit_once('.') else {
            return (vec![self], path);
        };
        let mut holders = vec![self];
        for step in way.split('.') {
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
        ["name", "@value"]
            .iter()
            .flat_map(|name| self.values(name))
            .find_map(|value| match value {
                Property::Text(text) => Some(text.trim()),
                Property::Entity(_) => None,
            })
    }

    fn entity(self) -> &'p EntityData {
        &self.data.entities[self.place]
    }

    fn at(self, place: usize) -> Self {
        Self { place, ..self }
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

/// Entities of a page, one after the other.
#[derive(Clone)]
pub struct Entities<'p> {
    page: &'p Page,
    data: &'p StructuredData,
    places: std::vec::IntoIter<usize>,
}

impl<'p> Entities<'p> {
    pub(super) fn outermost(page: &'p Page, data: &'p StructuredData) -> Self {
        let places = data
            .entities
            .iter()
            .enumerate()
            .filter(|(_, entity)| entity.holder.is_none());
        Self {
            page,
            data,
            places: places.map(|(place, _)| place).collect::<Vec<_>>().into_iter(),
        }
    }

    /// These entities' page's entities, all of them, nested ones after the one that holds them.
    pub(super) fn all(page: &'p Page, data: &'p StructuredData) -> Self {
        Self {
            page,
            data,
            places: (0..data.entities.len()).collect::<Vec<_>>().into_iter(),
        }
    }
}

impl<'p> Iterator for Entities<'p> {
    type Item = Entity<'p>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(Entity {
            page: self.page,
            data: self.data,
            place: self.places.next()?,
        })
    }
}

impl fmt::Debug for Entities<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
