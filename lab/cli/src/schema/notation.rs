//! The notation of the output of commands, and the JSON Schemas that it stands for.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::Peekable;
use std::str::CharIndices;

use serde_json::{Map, Value, json};

/// The version of JSON Schema.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The most that types nest. The notation is our own, so this is generous.
const MAX_DEPTH: usize = 32;

/// The output of commands: the types of their lines, and the types that these name.
#[derive(Debug, Default)]
pub(super) struct Output {
    program: String,
    types: BTreeMap<String, Value>,
    commands: BTreeMap<String, Vec<Value>>,
}

impl Output {
    /// Parses the notation. An error is a sentence with the line.
    pub(super) fn parse(program: &str, text: &str) -> Result<Output, String> {
        let mut parser = Parser {
            text,
            rest: text.char_indices().peekable(),
        };
        let mut output = Output {
            program: program.to_owned(),
            ..Output::default()
        };
        let mut command: Option<String> = None;
        loop {
            parser.skip();
            match parser.peek() {
                None => break,
                Some('[') => {
                    parser.expect('[')?;
                    let name = parser.until(']');
                    parser.expect(']')?;
                    output.commands.insert(name.clone(), Vec::new());
                    command = Some(name);
                }
                Some(_) => match &command {
                    None => {
                        let name = parser.word()?;
                        parser.expect('=')?;
                        let parsed = parser.union(0)?;
                        output.types.insert(name, parsed);
                    }
                    Some(command) => {
                        let line = parser.union(0)?;
                        output.commands.entry(command.clone()).or_default().push(line);
                    }
                },
            }
        }
        output.check()?;
        Ok(output)
    }

    /// Returns an error if a type that is named does not exist.
    fn check(&self) -> Result<(), String> {
        let all = self.types.values().chain(self.commands.values().flatten());
        let mut named = BTreeSet::new();
        all.for_each(|value| references(value, &mut named));
        match named.iter().find(|name| !self.types.contains_key(*name)) {
            Some(name) => Err(format!("there is no type `{name}`")),
            None => Ok(()),
        }
    }

    /// The names of the commands.
    pub(super) fn commands(&self) -> impl Iterator<Item = &str> {
        self.commands.keys().map(String::as_str)
    }

    /// Returns the schema of a line that a command prints.
    pub(super) fn schema(&self, command: &str) -> Option<Value> {
        let lines = self.commands.get(command)?;
        let mut needed = BTreeSet::new();
        lines.iter().for_each(|line| references(line, &mut needed));
        let mut waiting: Vec<String> = needed.iter().cloned().collect();
        while let Some(name) = waiting.pop() {
            let mut more = BTreeSet::new();
            references(&self.types[&name], &mut more);
            waiting.extend(more.difference(&needed).cloned().collect::<Vec<_>>());
            needed.extend(more);
        }
        let mut schema = json!({
            "$schema": DIALECT,
            "title": format!("A line of `{} {command} --json`", self.program),
        });
        match lines.as_slice() {
            [line] => merge(&mut schema, line),
            lines => schema["anyOf"] = json!(lines),
        }
        if !needed.is_empty() {
            let types = needed.iter().map(|name| (name.clone(), self.types[name].clone()));
            schema["$defs"] = Value::Object(types.collect());
        }
        Some(schema)
    }
}

fn merge(schema: &mut Value, other: &Value) {
    if let (Some(schema), Some(other)) = (schema.as_object_mut(), other.as_object()) {
        schema.extend(other.iter().map(|(key, value)| (key.clone(), value.clone())));
    }
}

/// The beginning of a reference to a type.
const TYPES: &str = "#/$defs/";

/// Adds the names of the types that a schema refers to.
fn references(schema: &Value, names: &mut BTreeSet<String>) {
    match schema {
        Value::Object(entries) => {
            let own = entries.get("$ref").and_then(Value::as_str);
            names.extend(own.and_then(|own| own.strip_prefix(TYPES)).map(str::to_owned));
            entries.values().for_each(|value| references(value, names));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, names)),
        _ => {}
    }
}

struct Parser<'a> {
    text: &'a str,
    rest: Peekable<CharIndices<'a>>,
}

impl Parser<'_> {
    fn peek(&mut self) -> Option<char> {
        self.rest.peek().map(|(_, letter)| *letter)
    }

    /// Skips white space and comments.
    fn skip(&mut self) {
        while let Some(letter) = self.peek() {
            if letter == '#' {
                while self.rest.next_if(|(_, letter)| *letter != '\n').is_some() {}
            } else if letter.is_whitespace() {
                self.rest.next();
            } else {
                break;
            }
        }
    }

    /// Takes a letter if it comes next.
    fn take(&mut self, letter: char) -> bool {
        self.skip();
        self.rest.next_if(|(_, next)| *next == letter).is_some()
    }

    fn expect(&mut self, letter: char) -> Result<(), String> {
        if self.take(letter) {
            return Ok(());
        }
        Err(self.problem(&format!("expected `{letter}`")))
    }

    fn problem(&mut self, problem: &str) -> String {
        let at = self.rest.peek().map_or(self.text.len(), |(at, _)| *at);
        let line = self.text[..at].matches('\n').count() + 1;
        format!("line {line}: {problem}")
    }

    fn until(&mut self, end: char) -> String {
        let mut text = String::new();
        while let Some((_, letter)) = self.rest.next_if(|(_, letter)| *letter != end) {
            text.push(letter);
        }
        text
    }

    fn word(&mut self) -> Result<String, String> {
        self.skip();
        let mut word = String::new();
        let is_of_word = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '*';
        while let Some((_, letter)) = self.rest.next_if(|(_, letter)| is_of_word(*letter)) {
            word.push(letter);
        }
        match word.is_empty() {
            true => Err(self.problem("expected a name")),
            false => Ok(word),
        }
    }

    /// One or several types with `|` between them.
    fn union(&mut self, depth: usize) -> Result<Value, String> {
        if depth > MAX_DEPTH {
            return Err(self.problem("types nest too deep"));
        }
        let mut all = vec![self.optional(depth)?];
        while self.take('|') {
            all.push(self.optional(depth)?);
        }
        Ok(any_of(all))
    }

    fn optional(&mut self, depth: usize) -> Result<Value, String> {
        let one = self.one(depth)?;
        Ok(match self.take('?') {
            true => any_of(vec![one, json!({"type": "null"})]),
            false => one,
        })
    }

    fn one(&mut self, depth: usize) -> Result<Value, String> {
        self.skip();
        match self.peek() {
            Some('{') => self.object(depth),
            Some('[') => {
                self.expect('[')?;
                let items = self.union(depth + 1)?;
                self.expect(']')?;
                Ok(json!({"type": "array", "items": items}))
            }
            Some('"') => {
                self.expect('"')?;
                let constant = self.until('"');
                self.expect('"')?;
                Ok(json!({"const": constant}))
            }
            _ => Ok(named(&self.word()?)),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, String> {
        self.expect('{')?;
        let (mut properties, mut required) = (Map::new(), Vec::new());
        let mut others = None;
        while !self.take('}') {
            let name = self.word()?;
            let is_optional = self.take('?');
            self.expect(':')?;
            let value = self.union(depth + 1)?;
            if name == "*" {
                others = Some(value);
            } else {
                if !is_optional {
                    required.push(name.clone());
                }
                properties.insert(name, value);
            }
            if !self.take(',') {
                self.expect('}')?;
                break;
            }
        }
        Ok(match others {
            Some(others) => json!({"type": "object", "additionalProperties": others}),
            None => json!({"type": "object", "properties": properties, "required": required}),
        })
    }
}

fn any_of(mut all: Vec<Value>) -> Value {
    if all.len() == 1 {
        return all.remove(0);
    }
    let constants: Vec<&Value> = all.iter().filter_map(|one| one.get("const")).collect();
    if constants.len() == all.len() {
        return json!({"enum": constants});
    }
    json!({"anyOf": all})
}

fn named(name: &str) -> Value {
    match name {
        "any" => json!({}),
        "boolean" | "integer" | "null" | "number" | "string" => json!({"type": name}),
        "count" => json!({"type": "integer", "minimum": 0}),
        "text" => json!({"type": "string"}),
        "time" => json!({"type": "string", "format": "date-time"}),
        "url" => json!({"type": "string", "format": "uri"}),
        "true" => json!({"const": true}),
        "false" => json!({"const": false}),
        other => json!({"$ref": format!("{TYPES}{other}")}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_become_schemas() {
        let text =
            "kind = \"a\" | \"b\"\n# a comment\n[some command]\n{x: kind?, y?: [count], z: {*: text}}\n";
        let output = Output::parse("magpie", text).expect("it is right");
        let schema = output.schema("some command").expect("it is there");
        assert_eq!(
            schema,
            json!({
                "$schema": DIALECT, "title": "A line of `magpie some command --json`", "type": "object",
                "required": ["x", "z"],
                "properties": {
                    "x": {"anyOf": [{"$ref": "#/$defs/kind"}, {"type": "null"}]},
                    "y": {"type": "array", "items": {"type": "integer", "minimum": 0}},
                    "z": {"type": "object", "additionalProperties": {"type": "string"}},
                },
                "$defs": {"kind": {"enum": ["a", "b"]}},
            })
        );
    }

    #[test]
    fn mistakes_are_told_with_their_line() {
        for (text, problem) in [
            ("[a]\n{x: nosuch}", "there is no type `nosuch`"),
            ("[a]\n{x string}", "line 2: expected `:`"),
            ("[a]\n{x: [string}", "line 2: expected `]`"),
            ("a = ", "line 1: expected a name"),
        ] {
            let found = Output::parse("magpie", text).expect_err(text);
            assert!(found.starts_with(problem), "{found}");
        }
    }
}
