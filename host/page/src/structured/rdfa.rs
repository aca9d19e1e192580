//! RDFa Lite: `vocab`, `typeof`, `property`, `resource`, `prefix`, and the attributes that give
//! values.

use std::collections::HashMap;
use std::rc::Rc;

use super::Found;
use super::entity::{Budget, Datum, Entity, MAX_NAMES};
use super::vocabulary::short;
use crate::dom::{Document, Images, NodeId};

/// Prefixes that are known at one place. Every element that declares some copies those around it.
const MAX_PREFIXES: usize = 64;

/// Maximum length of a vocabulary, and of a prefix with its expansion. They are put before every
/// name.
const MAX_NAMESPACE_LEN: usize = 1024;

/// Reads all entities that have a type. Properties of nothing (Open Graph) are not ours.
pub(super) fn read(document: &Document, budget: &Budget) -> Vec<Found> {
    if document.having("typeof").is_empty() {
        return Vec::new();
    }
    let mut reader = Reader {
        document,
        budget,
        resources: Vec::new(),
        by_id: HashMap::new(),
    };
    reader.walk();
    reader.found()
}

/// Context that an element passes on to its descendants.
#[derive(Clone)]
struct Scope {
    end: NodeId,
    vocabulary: Option<Rc<str>>,
    prefixes: Rc<Prefixes>,
    subject: Option<usize>,
}

/// Expansions of prefixes.
type Prefixes = HashMap<Rc<str>, Rc<str>>;

/// Something that properties are said about.
struct Resource {
    types: Vec<String>,
    id: Option<String>,
    properties: Vec<(String, Object)>,
    node: NodeId,
    /// True if it is the value of a property.
    is_value: bool,
}

enum Object {
    Text(String),
    /// The name of a resource, perhaps of one on the page.
    Name(String),
    Resource(usize),
}

/// The resources we are inside of.
#[derive(Default)]
struct Path {
    resources: Vec<usize>,
    /// True if one of them was reached by its name. As in JSON-LD that happens once on the way
    /// down.
    by_name: bool,
}

struct Reader<'a> {
    document: &'a Document,
    budget: &'a Budget,
    resources: Vec<Resource>,
    by_id: HashMap<String, usize>,
}

impl Reader<'_> {
    fn walk(&mut self) {
        let document = self.document;
        let mut scopes = vec![Scope {
            end: document.node_count(),
            vocabulary: None,
            prefixes: Rc::default(),
            subject: None,
        }];
        for node in 0..document.node_count() {
            if !document.is_element(node) {
                continue;
            }
            while scopes.len() > 1 && scopes.last().is_some_and(|scope| scope.end <= node) {
                scopes.pop();
            }
            let Some(outer) = scopes.last() else { return };
            if let Some(scope) = self.element(node, outer) {
                scopes.push(scope);
            }
        }
    }

    /// Reads one element; a scope when those inside see something new.
    fn element(&mut self, node: NodeId, outer: &Scope) -> Option<Scope> {
        let document = self.document;
        let names = ["vocab", "prefix", "typeof", "property", "resource", "about"]
            .map(|name| document.attribute(node, name));
        if names == [None; 6] {
            return None;
        }
        let [vocabulary, prefix, types, property, resource, about] = names;
        let mut scope = Scope {
            end: document.end(node),
            ..outer.clone()
        };
        // An empty `vocab` resets the vocabulary, by the standard.
        if let Some(vocabulary) = vocabulary {
            scope.vocabulary = Some(vocabulary.trim())
                .filter(|vocabulary| (1..=MAX_NAMESPACE_LEN).contains(&vocabulary.len()))
                .map(Rc::from);
        }
        if let Some(prefix) = prefix
            && self.budget.take_steps(MAX_PREFIXES)
        {
            scope.prefixes = Rc::new(with_prefixes(&outer.prefixes, prefix));
        }
        // `rel` is beyond RDFa Lite, and its everyday values say nothing about a resource.
        let relation = || {
            document
                .attribute(node, "rel")
                .filter(|_| types.is_some() || resource.is_some())
        };
        let properties = property.or_else(relation).unwrap_or_default();
        let properties = self.budget.names(properties).into_iter();
        let properties: Vec<String> = properties.map(|name| self.name(name, &scope)).collect();
        if let Some(types) = types {
            let subject = self.typed(node, types, about.or(resource), &scope);
            self.connect(outer.subject, &properties, subject);
            scope.subject = subject.or(outer.subject);
            return Some(scope);
        }
        let subject = about.map_or(outer.subject, |about| self.named(node, about));
        if properties.is_empty() {
            scope.subject = resource.map_or(subject, |resource| self.named(node, resource));
        } else {
            scope.subject = subject;
            self.say(node, subject, properties, resource);
        }
        Some(scope)
    }

    /// A resource with types. What names it may also be a link or an image.
    fn typed(&mut self, node: NodeId, types: &str, name: Option<&str>, scope: &Scope) -> Option<usize> {
        let document = self.document;
        let name = name
            .or_else(|| document.attribute(node, "href"))
            .or_else(|| document.attribute(node, "src"));
        let subject = match name {
            Some(name) => self.named(node, name),
            None => self.add(node, None),
        }?;
        for written in self.budget.names(types) {
            let name = self.name(written, scope);
            let known = &mut self.resources[subject].types;
            if known.len() >= MAX_NAMES {
                self.budget.exceed();
            } else if !name.is_empty() && !known.contains(&name) {
                known.push(name);
            }
        }
        Some(subject)
    }

    fn connect(&mut self, subject: Option<usize>, properties: &[String], object: Option<usize>) {
        let (Some(subject), Some(object)) = (subject, object) else {
            return;
        };
        for name in properties {
            self.resources[object].is_value = true;
            if !self.budget.take_value(name.len()) {
                return;
            }
            self.resources[subject]
                .properties
                .push((name.clone(), Object::Resource(object)));
        }
    }

    /// The resource of a name, made when it is new.
    fn named(&mut self, node: NodeId, name: &str) -> Option<usize> {
        // Safe names in brackets (`[_:x]`) and plain ones alike.
        let name = name.trim().trim_matches(['[', ']']);
        // A blank node's name is valid within the page only, and no URL.
        let id = if name.starts_with("_:") {
            name.to_owned()
        } else {
            self.budget.url(self.document, name)
        };
        if let Some(&known) = self.by_id.get(&id) {
            return Some(known);
        }
        let added = self.add(node, Some(id.clone()))?;
        self.by_id.insert(id, added);
        Some(added)
    }

    fn add(&mut self, node: NodeId, id: Option<String>) -> Option<usize> {
        if !self.budget.take_item(0) {
            return None;
        }
        self.resources.push(Resource {
            types: Vec::new(),
            id,
            properties: Vec::new(),
            node,
            is_value: false,
        });
        Some(self.resources.len() - 1)
    }

    /// Adds what an element says about the subject.
    fn say(&mut self, node: NodeId, subject: Option<usize>, names: Vec<String>, resource: Option<&str>) {
        let Some(subject) = subject else { return };
        for name in names {
            if !self.budget.take_value(name.len()) {
                return;
            }
            let object = self.object(node, resource);
            self.resources[subject].properties.push((name, object));
        }
    }

    fn object(&self, node: NodeId, resource: Option<&str>) -> Object {
        let document = self.document;
        let attribute = |name| document.attribute(node, name);
        if let Some(text) = attribute("content").or_else(|| attribute("datetime")) {
            return Object::Text(self.budget.trimmed(text));
        }
        match resource
            .or_else(|| attribute("href"))
            .or_else(|| attribute("src"))
        {
            Some(name) if name.starts_with("_:") => Object::Name(name.to_owned()),
            Some(name) => Object::Name(self.budget.url(document, name)),
            None => match attribute("value").or_else(|| attribute("data")) {
                Some(text) if matches!(document.tag(node), "data" | "meter") => {
                    Object::Text(self.budget.trimmed(text))
                }
                _ => Object::Text(self.budget.text_of(document, node, Images::LeftOut)),
            },
        }
    }

    /// A term or prefixed name in full, and then short if it is schema.org's.
    fn name(&self, written: &str, scope: &Scope) -> String {
        let full = match written.split_once(':') {
            Some((prefix, rest)) if !rest.starts_with("//") => {
                match scope.prefixes.get(&*prefix.to_ascii_lowercase()) {
                    Some(namespace) => format!("{namespace}{rest}"),
                    None => written.to_owned(),
                }
            }
            Some(_) => written.to_owned(),
            None => match &scope.vocabulary {
                Some(vocabulary) if is_schema_org(vocabulary) => written.to_owned(),
                Some(vocabulary) => format!("{vocabulary}{written}"),
                None => written.to_owned(),
            },
        };
        self.budget.text(short(&full))
    }

    /// The typed resources that are no value of another one; then those that only lie in circles.
    fn found(&self) -> Vec<Found> {
        let mut reached = vec![false; self.resources.len()];
        let mut found = Vec::new();
        for circles in [false, true] {
            for (at, resource) in self.resources.iter().enumerate() {
                // In the second round everything left is part of a circle, which one of its members
                // has to represent.
                if resource.types.is_empty() || reached[at] || (resource.is_value && !circles) {
                    continue;
                }
                if let Some(entity) = self.entity(at, &mut Path::default(), &mut reached) {
                    found.push(Found {
                        syntax: "rdfa",
                        entity,
                        node: Some(resource.node),
                        place: resource.node,
                    });
                }
            }
        }
        found
    }

    fn entity(&self, at: usize, path: &mut Path, reached: &mut [bool]) -> Option<Entity> {
        if path.resources.contains(&at) || !self.budget.take_item(path.resources.len()) {
            return None;
        }
        reached[at] = true;
        path.resources.push(at);
        let resource = &self.resources[at];
        // It may be the value of thousands of others.
        if !self.budget.take_steps(resource.properties.len()) {
            path.resources.pop();
            return None;
        }
        let id = resource.id.as_deref().filter(|id| !id.starts_with("_:"));
        let mut entity = Entity {
            id: id.map(|id| self.budget.text(id)),
            ..Entity::default()
        };
        for name in &resource.types {
            entity.add_type(self.budget, name);
        }
        for (name, object) in &resource.properties {
            let datum = match object {
                Object::Text(text) => Some(Datum::Text(self.budget.text(text))),
                Object::Resource(inner) => self
                    .entity(*inner, path, reached)
                    .map(|entity| Datum::Entity(Box::new(entity))),
                Object::Name(id) => self.by_name(id, path, reached),
            };
            if let Some(datum) = datum {
                entity.add(self.budget, name, datum);
            }
        }
        path.resources.pop();
        Some(entity)
    }

    /// The resource of that name if the page says what it is, else the name.
    fn by_name(&self, id: &str, path: &mut Path, reached: &mut [bool]) -> Option<Datum> {
        if !self.budget.take_work(id.len()) {
            return None;
        }
        let known = self
            .by_id
            .get(id)
            .copied()
            .filter(|&at| !self.resources[at].types.is_empty());
        match known {
            Some(at) if !path.resources.contains(&at) && !path.by_name => {
                path.by_name = true;
                let entity = self.entity(at, path, reached);
                path.by_name = false;
                entity.map(|entity| Datum::Entity(Box::new(entity)))
            }
            _ => (!id.starts_with("_:")).then(|| Datum::Text(self.budget.text(id))),
        }
    }
}

fn is_schema_org(vocabulary: &str) -> bool {
    short(vocabulary).is_empty()
}

/// `prefix="dc: http://purl.org/dc/terms/ ex: http://example.org/"`
fn with_prefixes(known: &Prefixes, text: &str) -> Prefixes {
    let mut prefixes = known.clone();
    let mut words = text.split_ascii_whitespace();
    while let (Some(prefix), Some(namespace)) = (words.next(), words.next()) {
        let is_short = prefix.len() + namespace.len() <= MAX_NAMESPACE_LEN;
        if let Some(prefix) = prefix
            .strip_suffix(':')
            .filter(|_| is_short && prefixes.len() < MAX_PREFIXES)
        {
            prefixes.insert(prefix.to_ascii_lowercase().into(), namespace.into());
        }
    }
    prefixes
}
