//! JSON-LD, as web pages use it: no remote contexts, names of schema.org made short, references
//! within the page followed once.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::entity::{Budget, Datum, Entity};
use super::vocabulary::{is_url_property, looks_like_reference, short};
use super::{Found, lenient};
use crate::Problem;
use crate::dom::{Document, NodeId};

/// Maximum number of references to other entities of the page that are replaced by the entity on
/// the way down. One is enough for the usual graphs (an event, its organiser); more would copy
/// whole sites into each item.
const MAX_REFERENCES: usize = 1;

/// Different contexts of one page. Each holds all names of those around it.
const MAX_CONTEXTS: usize = 64;

/// Maximum bytes of one context: its names, their expansions, and the overhead of a table for each.
/// Large vocabularies have a few thousand names.
const MAX_CONTEXT_BYTES: usize = 256 * 1024;

/// Bytes that a name of a context takes besides its text.
const TERM_BYTES: usize = 64;

/// Values in all JSON-LD scripts of a page before they are read. An empty object takes two bytes in
/// a script and six hundred in memory, and counts as many values.
const MAX_PARTS: usize = 2_000_000;

/// Number of values that an object counts for.
const PARTS_OF_AN_OBJECT: usize = 20;

/// Wrapping objects (`@graph` in `@graph`, lists in lists) that are opened in search of entities.
const MAX_WRAPPERS: usize = 16;

/// Reads all JSON-LD scripts. A broken script is reported as a problem, and the others are still
/// read.
pub(super) fn read(document: &Document, budget: &Budget, problems: &mut Vec<Problem>) -> Vec<Found> {
    let scripts = scripts(document, budget, problems);
    let mut reader = Reader {
        document,
        budget,
        contexts: vec![Context::default()],
        targets: HashMap::new(),
    };
    let mut roots = Vec::new();
    for (script, value) in &scripts {
        reader.collect(*script, value, 0, 0, &mut roots);
    }
    // All targets are known before the first entity is read, because references lead forwards and
    // into other scripts.
    for root in &roots {
        reader.note_targets(root.script, root.context, root.object, 0);
    }
    let mut found = Vec::new();
    for root in &roots {
        let mut visit = Visit {
            script: root.script,
            context: root.context,
            depth: 0,
            references: 0,
            mixed: false,
        };
        // What wraps a graph has nothing to say itself.
        let says_something = |entity: &Entity| !entity.types.is_empty() || !entity.properties.is_empty();
        if let Some(entity) = reader.entity(root.object, &mut visit).filter(says_something) {
            let node = (!visit.mixed).then_some(root.script);
            found.push(Found {
                syntax: "json-ld",
                entity,
                node,
                place: root.script,
            });
        }
    }
    found
}

fn scripts(document: &Document, budget: &Budget, problems: &mut Vec<Problem>) -> Vec<(NodeId, Value)> {
    let mut parts_left = MAX_PARTS;
    let mut values = Vec::new();
    let scripts = document.having("type").into_iter().filter(|&(node, kind)| {
        document.tag(node) == "script" && essence(kind).eq_ignore_ascii_case("application/ld+json")
    });
    for (number, (node, _)) in scripts.enumerate() {
        let text = document.text_content(node);
        let parts = text.bytes().map(|byte| match byte {
            b'{' => PARTS_OF_AN_OBJECT,
            b',' | b'[' => 1,
            _ => 0,
        });
        // Values are counted in the text, before a parser spends memory on them.
        let Some(left) = parts_left.checked_sub(parts.sum()) else {
            budget.exceed();
            continue;
        };
        parts_left = left;
        match lenient::read(&text) {
            Ok(read) => values.extend(read.into_iter().map(|value| (node, value))),
            Err(reason) => problems.push(Problem::BrokenJsonLd {
                script: number + 1,
                reason,
            }),
        }
    }
    values
}

fn essence(kind: &str) -> &str {
    kind.split(';').next().unwrap_or_default().trim()
}

/// Names that a `@context` defines, as far as they are known without fetching anything.
#[derive(Clone, Debug, Default)]
struct Context {
    /// Terms and prefixes, as written, and what they stand for.
    terms: HashMap<String, String>,
    bytes: usize,
    /// True if names had to be dropped.
    is_full: bool,
}

impl Context {
    fn extend(&mut self, value: &Value, depth: usize) {
        match value {
            // The vocabulary's own context, of which this is what concerns names.
            Value::String(context) if short(context).is_empty() => {
                for (alias, keyword) in [("type", "@type"), ("id", "@id")] {
                    self.terms
                        .entry(alias.to_owned())
                        .or_insert_with(|| keyword.to_owned());
                }
            }
            Value::Array(list) if depth < MAX_WRAPPERS => {
                for inner in list {
                    self.extend(inner, depth + 1);
                }
            }
            Value::Object(terms) => {
                // A full definition may also say how values are typed or ordered. Only the name
                // matters here.
                for (term, meaning) in terms {
                    let meaning = match meaning {
                        Value::String(iri) => Some(iri),
                        Value::Object(definition) => match definition.get("@id") {
                            Some(Value::String(iri)) => Some(iri),
                            _ => None,
                        },
                        _ => None,
                    };
                    if let Some(iri) = meaning {
                        self.define(term, iri);
                    }
                }
            }
            _ => {}
        }
    }

    fn define(&mut self, term: &str, iri: &str) {
        let bytes = self.bytes + term.len() + iri.len() + TERM_BYTES;
        if bytes > MAX_CONTEXT_BYTES {
            self.is_full = true;
            return;
        }
        self.bytes = bytes;
        self.terms.insert(term.to_owned(), iri.to_owned());
    }

    /// The name with its prefix resolved if that leads to schema.org or to a keyword; as written
    /// otherwise.
    fn name<'a>(&'a self, written: &'a str) -> std::borrow::Cow<'a, str> {
        if let Some(meaning) = self.terms.get(written) {
            if meaning.starts_with('@') {
                return meaning.into();
            }
            let term = short(meaning);
            if term.len() < meaning.len() && !term.is_empty() {
                return term.into();
            }
        }
        if let Some((prefix, rest)) = written.split_once(':')
            && let Some(namespace) = self.terms.get(prefix)
            && short(namespace).is_empty()
        {
            return rest.into();
        }
        short(written).into()
    }
}

/// An object that is an entity of its own.
struct Root<'a> {
    script: NodeId,
    context: usize,
    object: &'a Map<String, Value>,
}

/// State of a walk into an entity.
struct Visit {
    script: NodeId,
    context: usize,
    depth: usize,
    references: usize,
    /// True if something came from another script.
    mixed: bool,
}

struct Reader<'a> {
    document: &'a Document,
    budget: &'a Budget,
    contexts: Vec<Context>,
    /// Objects that others may refer to, by their `@id`.
    targets: HashMap<String, Root<'a>>,
}

impl<'a> Reader<'a> {
    /// Finds the objects that are entities of their own: at the top, in lists at the top, and in
    /// graphs.
    fn collect(
        &mut self,
        script: NodeId,
        value: &'a Value,
        context: usize,
        depth: usize,
        roots: &mut Vec<Root<'a>>,
    ) {
        if depth > MAX_WRAPPERS {
            return;
        }
        match value {
            Value::Array(list) => {
                for inner in list {
                    self.collect(script, inner, context, depth + 1, roots);
                }
            }
            Value::Object(object) => {
                let context = self.context_of(object, context);
                let graph = object
                    .iter()
                    .find(|(key, _)| self.contexts[context].name(key) == "@graph");
                if let Some((_, graph)) = graph {
                    self.collect(script, graph, context, depth + 1, roots);
                }
                roots.push(Root {
                    script,
                    context,
                    object,
                });
            }
            _ => {}
        }
    }

    fn context_of(&mut self, object: &Map<String, Value>, outer: usize) -> usize {
        match object.get("@context") {
            // A text names a remote context. It is never fetched, and adds nothing to names that
            // are defined already.
            Some(value @ Value::String(_)) if self.contexts[outer].terms.is_empty() => {
                self.schema_org_context(value)
            }
            Some(value @ (Value::Object(_) | Value::Array(_))) if self.contexts.len() < MAX_CONTEXTS => {
                let mut context = self.contexts[outer].clone();
                context.extend(value, 0);
                if context.is_full {
                    self.budget.exceed();
                }
                self.contexts.push(context);
                self.contexts.len() - 1
            }
            _ => outer,
        }
    }

    /// The context of most pages, made once.
    fn schema_org_context(&mut self, value: &Value) -> usize {
        let mut context = Context::default();
        context.extend(value, 0);
        let known = self
            .contexts
            .iter()
            .position(|known| known.terms == context.terms);
        known.unwrap_or_else(|| {
            self.contexts.push(context);
            self.contexts.len() - 1
        })
    }

    /// Remembers every object inside that has an `@id` and says something about it.
    fn note_targets(&mut self, script: NodeId, context: usize, object: &'a Map<String, Value>, depth: usize) {
        if depth > self.budget.max_depth {
            return;
        }
        let names = &self.contexts[context];
        let id = object
            .iter()
            .find(|(key, _)| names.name(key) == "@id")
            .and_then(|(_, id)| id.as_str());
        if let Some(id) = id.filter(|_| !self.is_reference(context, object)) {
            let id = self.id(id);
            self.targets.entry(id).or_insert(Root {
                script,
                context,
                object,
            });
        }
        for value in object.values() {
            let list = value
                .as_array()
                .map_or(std::slice::from_ref(value), Vec::as_slice);
            for inner in list.iter().filter_map(Value::as_object) {
                self.note_targets(script, context, inner, depth + 1);
            }
        }
    }

    /// Returns true if an object only names another.
    fn is_reference(&self, context: usize, object: &Map<String, Value>) -> bool {
        let names = &self.contexts[context];
        let mut keys = object.keys().map(|key| names.name(key));
        keys.all(|key| matches!(&*key, "@id" | "@type" | "@context"))
            && object.keys().any(|key| names.name(key) == "@id")
    }

    fn id(&self, written: &str) -> String {
        if written.starts_with("_:") {
            return written.to_owned();
        }
        self.document
            .resolve(written)
            .unwrap_or_else(|| written.to_owned())
    }

    fn entity(&self, object: &Map<String, Value>, visit: &mut Visit) -> Option<Entity> {
        // It may be meant by thousands of others, and is read again for each.
        if !self.budget.take_item(visit.depth) || !self.budget.take_steps(object.len()) {
            return None;
        }
        visit.depth += 1;
        let mut entity = Entity::default();
        let context = &self.contexts[visit.context];
        for (key, value) in object {
            match &*context.name(key) {
                "@type" => {
                    for name in texts(value).take_while(|name| self.budget.take_work(name.len())) {
                        entity.add_type(self.budget, &context.name(name));
                    }
                }
                "@id" => {
                    let id = value.as_str().filter(|id| self.budget.take_work(id.len()));
                    entity.id = id.map(|id| self.id(id));
                }
                keyword if keyword.starts_with('@') => {}
                name => self.values(name, value, &mut entity, visit, 0),
            }
        }
        // Names that the page made up for its own use mean nothing outside.
        entity.id = entity
            .id
            .filter(|id| !id.starts_with("_:"))
            .map(|id| self.budget.text(&id));
        visit.depth -= 1;
        Some(entity)
    }

    fn values(&self, name: &str, value: &Value, entity: &mut Entity, visit: &mut Visit, lists: usize) {
        match value {
            Value::Null => {}
            Value::Bool(truth) => entity.add(self.budget, name, Datum::Boolean(*truth)),
            Value::Number(number) => entity.add(self.budget, name, Datum::Number(number.clone())),
            Value::String(text) => entity.add(self.budget, name, Datum::Text(self.text(name, text))),
            Value::Array(list) if lists < MAX_WRAPPERS && self.budget.take_steps(list.len()) => {
                for inner in list {
                    self.values(name, inner, entity, visit, lists + 1);
                }
            }
            Value::Array(_) => {}
            Value::Object(object) => self.object_value(name, object, entity, visit, lists),
        }
    }

    fn object_value(
        &self,
        name: &str,
        object: &Map<String, Value>,
        entity: &mut Entity,
        visit: &mut Visit,
        lists: usize,
    ) {
        if !self.budget.take_steps(object.len()) {
            return;
        }
        let wrapped = ["@value", "@list", "@set"]
            .into_iter()
            .find_map(|wrapper| object.get(wrapper));
        if let Some(inner) = wrapped {
            if lists < MAX_WRAPPERS {
                self.values(name, inner, entity, visit, lists + 1);
            }
        } else if self.is_reference(visit.context, object) {
            if let Some(datum) = self.referenced(object, visit) {
                entity.add(self.budget, name, datum);
            }
        } else if let Some(nested) = self.entity(object, visit) {
            entity.add(self.budget, name, Datum::Entity(Box::new(nested)));
        }
    }

    /// Returns the entity that is meant, or its name if it is not on the page or was itself reached
    /// by a reference.
    fn referenced(&self, object: &Map<String, Value>, visit: &mut Visit) -> Option<Datum> {
        let context = &self.contexts[visit.context];
        let (_, written) = object.iter().find(|(key, _)| context.name(key) == "@id")?;
        let written = written.as_str().filter(|id| self.budget.take_work(id.len()))?;
        let id = self.id(written);
        if visit.references < MAX_REFERENCES
            && let Some(target) = self.targets.get(&id)
        {
            // The target is read with its own script and context, since names can mean something
            // else there.
            let mut inner = Visit {
                script: target.script,
                context: target.context,
                depth: visit.depth,
                references: visit.references + 1,
                mixed: false,
            };
            let entity = self.entity(target.object, &mut inner)?;
            visit.mixed |= inner.mixed || target.script != visit.script;
            return Some(Datum::Entity(Box::new(entity)));
        }
        if object.len() > 1 {
            // It says what kind of thing it means, which is worth more than a bare name.
            return self
                .entity(object, visit)
                .map(|entity| Datum::Entity(Box::new(entity)));
        }
        (!id.starts_with("_:")).then(|| Datum::Text(self.budget.text(&id)))
    }

    fn text(&self, name: &str, text: &str) -> String {
        if !self.budget.take_work(text.len()) {
            return String::new();
        }
        if is_url_property(name) && looks_like_reference(text) {
            return self.budget.url(self.document, text);
        }
        self.budget.trimmed(text)
    }
}

fn texts(value: &Value) -> impl Iterator<Item = &str> {
    let list = value
        .as_array()
        .map_or(std::slice::from_ref(value), Vec::as_slice);
    list.iter().filter_map(Value::as_str)
}
