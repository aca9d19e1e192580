//! The state that scripts of a page start from, which servers put into it: `__NEXT_DATA__`,
//! `window.__STATE__ = {…}`, `application/json` scripts; and JSON documents, which scripts fetch.
//!
//! Pages that are put together by scripts have their objects in it. Each object of the state with
//! several values is an entity, with the objects inside it.

use serde_json::{Map, Value};

use super::entity::{Budget, Datum, Entity};
use super::{Found, lenient};
use crate::dom::{Document, NodeId};

/// Name of the syntax.
const SYNTAX: &str = "inline-state";

/// Bytes of the scripts of a page that are read. States of large shops have a few megabytes.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// Assignments that are read of one script.
const MAX_ASSIGNMENTS: usize = 50;

/// Bytes of a name of a variable.
const MAX_NAME_BYTES: usize = 100;

/// Objects that become entities of their own, over the whole page.
const MAX_ENTITIES: usize = 5_000;

/// Minimum number of values of an entity. Settings and translations have fewer.
const MIN_VALUES: usize = 3;

/// Minimum number of plain values among them. `{"name": …, "start": …, "venue": {…}}` has two.
const MIN_PLAIN_VALUES: usize = 2;

/// Levels of objects within an entity.
const MAX_NESTING: usize = 3;

/// Levels of the state that are searched.
const MAX_DEPTH: usize = 40;

/// Bytes of a value. Longer ones are markup or pictures.
const MAX_VALUE_BYTES: usize = 64 * 1024;

/// Properties that state the type of an object.
const TYPE_NAMES: [&str; 2] = ["@type", "__typename"];

/// Reads the objects in the state of a page.
pub(super) fn read(document: &Document, budget: &Budget) -> Vec<Found> {
    let mut found = Vec::new();
    for (node, states) in states(document, || budget.exceed()) {
        for state in states {
            let mut walk = Walk {
                node: Some(node),
                budget,
                found: &mut found,
            };
            walk.visit("", &state, 0);
        }
    }
    found
}

/// Returns the state in each script of a page. Calls `exceed` for each that is too much.
fn states(document: &Document, exceed: impl Fn()) -> impl Iterator<Item = (NodeId, Vec<Value>)> {
    let mut left = MAX_BYTES;
    (0..document.node_count()).filter_map(move |node| {
        if document.tag(node) != "script" {
            return None;
        }
        let kind = document.attribute(node, "type").unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        let is_json = kind.eq_ignore_ascii_case("application/json");
        let is_script = ["", "module", "text/javascript", "application/javascript"]
            .iter()
            .any(|script| kind.eq_ignore_ascii_case(script));
        // A script with an address has its content elsewhere, and browsers ignore its text.
        if !is_json && (!is_script || document.attribute(node, "src").is_some()) {
            return None;
        }
        let text = document.text_content(node);
        let Some(rest) = left.checked_sub(text.len()) else {
            exceed();
            return None;
        };
        left = rest;
        let states = match is_json {
            true => parse(&text).into_iter().collect(),
            false => assigned(&text),
        };
        Some((node, states))
    })
}

/// Words of keys that name pages.
const URL_WORDS: [&str; 8] = [
    "url",
    "link",
    "href",
    "path",
    "permalink",
    "next",
    "previous",
    "page",
];

/// Words of keys that name pictures, files and other things that are no pages.
const FILE_WORDS: [&str; 16] = [
    "image",
    "img",
    "src",
    "thumbnail",
    "thumb",
    "icon",
    "logo",
    "avatar",
    "cover",
    "picture",
    "photo",
    "file",
    "asset",
    "video",
    "base",
    "api",
];

/// URLs of a document that are taken.
const MAX_URLS: usize = 5_000;

/// Bytes of a URL.
const MAX_URL_BYTES: usize = 2_000;

/// Returns the references in a JSON document that may lead to pages.
pub(crate) fn document_urls(text: &str) -> Vec<String> {
    let state = (text.len() <= MAX_BYTES).then(|| parse(text)).flatten();
    let mut found = Vec::new();
    state.iter().for_each(|state| add_urls(state, "", 0, &mut found));
    found
}

/// Returns the references in the state of a page that may lead to pages.
pub(crate) fn state_urls(document: &Document) -> Vec<String> {
    let mut found = Vec::new();
    for (_, states) in states(document, || {}) {
        states.iter().for_each(|state| add_urls(state, "", 0, &mut found));
    }
    found
}

/// Adds the URLs and paths in a value, by the words of their keys.
fn add_urls(value: &Value, name: &str, depth: usize, found: &mut Vec<String>) {
    if depth > MAX_DEPTH || found.len() >= MAX_URLS {
        return;
    }
    match value {
        Value::Array(values) => values
            .iter()
            .for_each(|value| add_urls(value, name, depth + 1, found)),
        Value::Object(members) => {
            for (name, value) in members {
                add_urls(value, name, depth + 1, found);
            }
        }
        Value::String(text) => {
            let is_reference =
                text.starts_with("http://") || text.starts_with("https://") || text.starts_with('/');
            let name = name.to_ascii_lowercase();
            let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
            let is_plain = text.len() <= MAX_URL_BYTES && !text.contains(char::is_whitespace);
            // A key such as `imageUrl` has words of both lists and names a picture.
            if is_reference && is_plain && has(&URL_WORDS) && !has(&FILE_WORDS) {
                found.push(text.clone());
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Reads the objects in a JSON document.
pub(super) fn read_document(text: &str, budget: &Budget) -> Vec<Found> {
    let mut found = Vec::new();
    if text.len() > MAX_BYTES {
        budget.exceed();
        return found;
    }
    if let Some(state) = parse(text) {
        let mut walk = Walk {
            node: None,
            budget,
            found: &mut found,
        };
        walk.visit("", &state, 0);
    }
    found
}

/// Returns the objects and lists that a script assigns to global variables.
fn assigned(script: &str) -> Vec<Value> {
    let mut values = Vec::new();
    let mut rest = script;
    for _ in 0..MAX_ASSIGNMENTS {
        let Some(place) = rest.find('=') else { break };
        let (before, after) = (&rest[..place], &rest[place + 1..]);
        // Search continues right after the sign, so that an assignment within a skipped one is
        // still found.
        rest = after;
        if !is_global(before) {
            continue;
        }
        let after = after.trim_start();
        let quoted = after.strip_prefix("JSON.parse(").map(str::trim_start);
        if let Some(quoted) = quoted {
            // A string with the state in it: the script's quotes are those of JSON, or single ones.
            let text =
                string_literal(quoted).and_then(|literal| match lenient::read(&format!("[{literal}]")) {
                    Ok(values) => values.first()?.get(0)?.as_str().map(str::to_owned),
                    Err(_) => None,
                });
            values.extend(text.and_then(|text| parse(&text)));
        } else if after.starts_with(['{', '[']) {
            let Some(length) = balanced(after) else { continue };
            values.extend(parse(&after[..length]));
            rest = &after[length..];
        }
    }
    values
}

/// Returns `true` if the text before `=` ends with a variable that other scripts read: a property
/// of the window, or a name such as `__STATE__`.
fn is_global(before: &str) -> bool {
    let before = before.trim_end();
    let is_name = |character: char| character.is_alphanumeric() || "_$.[]\"'".contains(character);
    let start = before
        .char_indices()
        .rev()
        .take_while(|(_, character)| is_name(*character))
        .last()
        .map_or(before.len(), |(start, _)| start);
    let name = &before[start..];
    let owners = [
        "window.",
        "window[",
        "self.",
        "self[",
        "globalThis.",
        "globalThis[",
        "__",
    ];
    name.len() <= MAX_NAME_BYTES && owners.iter().any(|owner| name.starts_with(owner))
}

/// Returns the length of the object or list at the start of a script.
fn balanced(text: &str) -> Option<usize> {
    let (mut depth, mut quote, mut is_escaped) = (0_usize, None, false);
    for (place, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (Some(_), _) if is_escaped => is_escaped = false,
            (Some(_), b'\\') => is_escaped = true,
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'' | b'`') => quote = Some(byte),
            (None, b'{' | b'[') => depth += 1,
            (None, b'}' | b']') => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(place + 1);
                }
            }
            (None, _) => {}
        }
    }
    None
}

/// Returns the string literal at the start of a script, with its quotes.
fn string_literal(text: &str) -> Option<&str> {
    let open = text.bytes().next().filter(|byte| matches!(byte, b'"' | b'\''))?;
    let mut is_escaped = false;
    for (place, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            _ if byte == open => return Some(&text[..=place]),
            _ => {}
        }
    }
    None
}

/// Parses a state: JSON, or else what a script writes instead.
fn parse(text: &str) -> Option<Value> {
    let text = text.trim();
    if let Ok(value) = serde_json::from_str(text) {
        return Some(value);
    }
    lenient::read(text).ok()?.into_iter().next()
}

/// A walk through one state.
struct Walk<'a, 'd> {
    /// The script; none for a JSON document.
    node: Option<NodeId>,
    budget: &'a Budget,
    found: &'d mut Vec<Found>,
}

impl Walk<'_, '_> {
    /// Visits a value that the property `name` holds.
    fn visit(&mut self, name: &str, value: &Value, depth: usize) {
        if depth > MAX_DEPTH || self.found.len() >= MAX_ENTITIES || !self.budget.take_steps(1) {
            return;
        }
        match value {
            Value::Array(values) => {
                for value in values {
                    self.visit(name, value, depth + 1);
                }
            }
            Value::Object(members) => {
                let plain = members.values().filter(|value| is_plain(value)).count();
                let inner = members.values().filter(|value| is_filled_object(value)).count();
                if plain >= MIN_PLAIN_VALUES
                    && plain + inner >= MIN_VALUES
                    && let Some(entity) = self.entity(name, members, 0)
                {
                    self.found.push(Found {
                        syntax: SYNTAX,
                        entity,
                        node: self.node,
                        place: self.node.unwrap_or_default(),
                    });
                }
                for (name, value) in members {
                    self.visit(name, value, depth + 1);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// Returns an object as an entity. Its type is the one that it states, or else the name of the
    /// property that holds it.
    fn entity(&self, name: &str, members: &Map<String, Value>, nesting: usize) -> Option<Entity> {
        if !self.budget.take_item(nesting) {
            return None;
        }
        let mut entity = Entity::default();
        let stated = TYPE_NAMES.iter().find_map(|name| members.get(*name)?.as_str());
        entity.add_type(self.budget, stated.unwrap_or(name));
        for (name, value) in members {
            let values = match value {
                Value::Array(values) => values.as_slice(),
                value => std::slice::from_ref(value),
            };
            for value in values {
                if let Some(datum) = self.datum(name, value, nesting) {
                    entity.add(self.budget, name, datum);
                }
            }
        }
        Some(entity)
    }

    fn datum(&self, name: &str, value: &Value, nesting: usize) -> Option<Datum> {
        match value {
            Value::String(text) if text.len() <= MAX_VALUE_BYTES => {
                Some(Datum::Text(self.budget.trimmed(text)))
            }
            Value::Number(number) => Some(Datum::Number(number.clone())),
            Value::Bool(truth) => Some(Datum::Boolean(*truth)),
            Value::Object(members) if nesting < MAX_NESTING => {
                let entity = self.entity(name, members, nesting + 1)?;
                Some(Datum::Entity(Box::new(entity)))
            }
            Value::Null | Value::String(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }
}

/// Returns `true` for an object with members.
fn is_filled_object(value: &Value) -> bool {
    value.as_object().is_some_and(|members| !members.is_empty())
}

/// Returns `true` for text and numbers that say something.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.trim().is_empty() && text.len() <= MAX_VALUE_BYTES,
        Value::Number(_) => true,
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_of_scripts_are_found() {
        let cases = [
            ("window.__STATE__ = {\"a\": 1};", 1),
            ("window['__STATE__']={a:'}',b:[1,2]}", 1),
            ("self.__DATA__=[{\"a\":1}];globalThis.more = {\"b\": 2}", 2),
            ("__NUXT__ = {\"a\": \"\\\"}\"}", 1),
            ("window.x = JSON.parse('{\"a\":\\\"b\\\"}')", 1),
            ("window.x = JSON.parse(\"{\\\"a\\\":1}\")", 1),
            ("var local = {\"a\": 1}; if (a == {}) {}", 0),
            ("window.f = function() { return {a: 1} }", 0),
            ("window.x = {\"a\": 1", 0),
            ("window.x = ", 0),
            ("window.x = JSON.parse(\"{", 0),
        ];
        for (script, count) in cases {
            assert_eq!(assigned(script).len(), count, "{script}: {:?}", assigned(script));
        }
    }

    #[test]
    fn quotes_hide_brackets() {
        assert_eq!(balanced("{'a': \"}\\\"}\"} rest"), Some(13));
        assert_eq!(balanced("[[1], [2]], 3"), Some(10));
        assert_eq!(balanced("]"), None);
        assert_eq!(balanced("{\"a"), None);
    }
}
