//! JSON Schemas of the output of commands, and the reference that is generated from them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::ExitCode;

use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

use crate::{Failure, Printer};

/// The type of a line that a command prints, as an entry of [`Command::lines`].
pub type LineType = fn(&mut SchemaGenerator) -> Schema;

/// Returns the schema of a type, for [`Command::lines`].
pub fn line<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// A command with JSON output.
#[derive(Clone, Copy)]
pub struct Command {
    /// Name of the command, without that of its program.
    pub name: &'static str,
    pub lines: &'static [LineType],
}

impl Command {
    /// Returns the schemas of the lines, and the definitions that they refer to.
    fn schemas(&self) -> (Vec<Value>, Map<String, Value>) {
        let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
        let lines = self.lines.iter().map(|of| of(&mut generator).to_value());
        (lines.collect(), generator.take_definitions(true))
    }

    /// Returns the schema of a line.
    fn schema(&self, program: &str) -> Value {
        let (mut lines, mut definitions) = self.schemas();
        let mut schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": format!("A line of `{program} {} --json`", self.name),
        });
        match lines.as_mut_slice() {
            [line] => {
                let own = name_of(line).and_then(|name| definitions.remove(name));
                if let (Some(schema), Some(Value::Object(line))) = (schema.as_object_mut(), own) {
                    schema.extend(line);
                }
            }
            lines => schema["anyOf"] = json!(lines),
        }
        if !definitions.is_empty() {
            schema["$defs"] = Value::Object(definitions);
        }
        schema
    }
}

/// Prints the schema of the lines of a command of a program, or without a command a line for each
/// with its schema.
pub fn print(
    program: &str,
    commands: &[Command],
    named: &[String],
    printer: &mut Printer,
) -> Result<ExitCode, Failure> {
    if named.is_empty() {
        for command in commands {
            let line = json!({"command": command.name, "schema": command.schema(program)});
            printer.json(&line)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let named = named.join(" ");
    let Some(command) = commands.iter().find(|command| command.name == named) else {
        return Err(
            Failure::usage(format!("`{named}` is no command with JSON output")).hint(format!(
                "`{program} schema` lists all schemas with their commands"
            )),
        );
    };
    printer.line(&format!("{:#}", command.schema(program)))?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the reference of the output of commands as Markdown: a section for each command, and one
/// for each type that several lines contain.
pub fn reference(commands: &[Command], prefix: &str) -> String {
    let mut definitions = Map::new();
    let mut sections: Vec<(String, Vec<Value>)> = Vec::new();
    for command in commands {
        let (lines, own) = command.schemas();
        definitions.extend(own);
        let heading = format!("{prefix}{}", command.name);
        match sections.last_mut().filter(|(_, last)| *last == lines) {
            Some((names, _)) => *names = format!("{names}, {heading}"),
            None => sections.push((heading, lines)),
        }
    }
    let mut uses = BTreeMap::new();
    let lines = sections.iter().flat_map(|(_, lines)| lines);
    lines
        .chain(definitions.values())
        .for_each(|schema| count_references(schema, &mut uses));
    let types = Types { definitions, uses };
    let mut text = String::new();
    for (heading, lines) in &sections {
        let _ = write!(text, "### {heading}\n\n");
        lines.iter().for_each(|line| types.push_line(line, &mut text));
    }
    let shared: Vec<&String> = types
        .definitions
        .keys()
        .filter(|name| types.is_shared(name))
        .collect();
    if !shared.is_empty() {
        text.push_str("## Types\n\n");
    }
    for name in shared {
        let _ = write!(text, "### {name}\n\n");
        types.push_body(&types.definitions[name], &mut text);
    }
    text
}

/// The types that lines refer to.
struct Types {
    definitions: Map<String, Value>,
    uses: BTreeMap<String, usize>,
}

impl Types {
    /// Returns true if a type has a section of its own.
    fn is_shared(&self, name: &str) -> bool {
        self.uses.get(name).is_some_and(|uses| *uses > 1)
    }

    /// Follows a reference to a type that is described where it is used.
    fn resolved<'a>(&'a self, schema: &'a Value) -> &'a Value {
        match name_of(schema) {
            Some(name) if !self.is_shared(name) => self.definitions.get(name).unwrap_or(schema),
            _ => schema,
        }
    }

    /// Adds a type of lines: a link if it has a section of its own.
    fn push_line(&self, line: &Value, text: &mut String) {
        match name_of(line) {
            Some(name) if self.is_shared(name) => {
                let about = about(&self.definitions[name]);
                let _ = write!(text, "{} Fields: {}.\n\n", about, link(name));
            }
            _ => self.push_body(self.resolved(line), text),
        }
    }

    /// Adds the description and the fields of a type.
    fn push_body(&self, schema: &Value, text: &mut String) {
        let about = about(schema);
        if !about.is_empty() {
            let _ = write!(text, "{about}\n\n");
        }
        for variant in variants(schema) {
            self.push_body(variant, text);
        }
        let mut rows = Vec::new();
        self.push_fields(schema, "", &mut rows);
        if !rows.is_empty() {
            let _ = write!(
                text,
                "| field | type | meaning |\n|---|---|---|\n{}\n",
                rows.concat()
            );
        }
    }

    /// Adds a row for each field, with the fields of types that are described here below them.
    fn push_fields(&self, schema: &Value, prefix: &str, rows: &mut Vec<String>) {
        let Some(properties) = schema["properties"].as_object() else {
            return;
        };
        // `required` keeps the order of the fields in the struct.
        let required = schema["required"].as_array().into_iter().flatten();
        let required: Vec<&str> = required.filter_map(Value::as_str).collect();
        let optional = properties.keys().map(String::as_str);
        let optional = optional.filter(|name| !required.contains(name));
        for name in required.iter().copied().chain(optional) {
            let field = &properties[name];
            let is_optional = !required.contains(&name);
            let mut about = about(field);
            if is_optional {
                about.push_str(" May be missing.");
            }
            let kind = self.kind(field).replace('|', "\\|");
            let about = about.replace('|', "\\|");
            rows.push(format!("| `{prefix}{name}` | {kind} | {} |\n", about.trim()));
            self.push_below(field, &format!("{prefix}{name}"), rows);
        }
    }

    /// Adds the fields of the objects in a field.
    fn push_below(&self, field: &Value, path: &str, rows: &mut Vec<String>) {
        let field = self.resolved(field);
        for variant in variants(field) {
            self.push_below(variant, path, rows);
        }
        if field["items"].is_object() {
            self.push_below(&field["items"], &format!("{path}[]"), rows);
        }
        if field["additionalProperties"].is_object() {
            self.push_below(&field["additionalProperties"], &format!("{path}.*"), rows);
        }
        self.push_fields(field, &format!("{path}."), rows);
    }

    /// Returns the words for the type of a field.
    fn kind(&self, schema: &Value) -> String {
        if let Some(name) = name_of(schema).filter(|name| self.is_shared(name)) {
            return link(name);
        }
        let schema = self.resolved(schema);
        let several = variants(schema);
        if !several.is_empty() {
            let kinds: Vec<String> = several.iter().map(|one| self.kind(one)).collect();
            return kinds.join(" or ");
        }
        if let Some(constant) = schema.get("const") {
            return format!("`{constant}`");
        }
        if let Some(words) = schema["enum"].as_array() {
            let words = words.iter().filter_map(Value::as_str);
            let words: Vec<String> = words.map(|word| format!("`{word}`")).collect();
            let or_null = if schema["type"].is_array() { " or null" } else { "" };
            return format!("{}{or_null}", words.join(", "));
        }
        let one = |kind: &str| match (kind, schema["format"].as_str()) {
            ("string", Some("date-time")) => "time".to_owned(),
            ("string", Some("uri")) => "URL".to_owned(),
            ("array", _) if schema["items"].is_object() => format!("list of {}", self.kind(&schema["items"])),
            ("object", _) if schema["additionalProperties"].is_object() => {
                format!(
                    "object with {} by key",
                    self.kind(&schema["additionalProperties"])
                )
            }
            (kind, _) => kind.to_owned(),
        };
        match &schema["type"] {
            Value::String(kind) => one(kind),
            Value::Array(kinds) => {
                let kinds: Vec<String> = kinds.iter().filter_map(Value::as_str).map(one).collect();
                kinds.join(" or ")
            }
            _ => "any".to_owned(),
        }
    }
}

/// Returns the name of the type that a schema refers to.
fn name_of(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix("#/$defs/")
}

fn variants(schema: &Value) -> Vec<&Value> {
    let of = |key: &str| schema[key].as_array().into_iter().flatten();
    of("anyOf").chain(of("oneOf")).collect()
}

/// Returns the description of a schema on one line.
fn about(schema: &Value) -> String {
    let text = schema["description"].as_str().unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn link(name: &str) -> String {
    format!("[{name}](#{})", name.to_lowercase())
}

fn count_references(schema: &Value, uses: &mut BTreeMap<String, usize>) {
    match schema {
        Value::Object(entries) => {
            if let Some(name) = name_of(schema) {
                *uses.entry(name.to_owned()).or_default() += 1;
            }
            entries.values().for_each(|value| count_references(value, uses));
        }
        Value::Array(items) => items.iter().for_each(|item| count_references(item, uses)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line.
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is read")]
    struct Line {
        /// Second in the alphabet.
        x: Option<u64>,
        /// First in the alphabet.
        a: Vec<Part>,
    }

    /// A part.
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is read")]
    struct Part {
        /// Name of the part.
        name: String,
    }

    const COMMAND: Command = Command {
        name: "some command",
        lines: &[line::<Line>],
    };

    #[test]
    fn a_type_becomes_a_schema() {
        let schema = COMMAND.schema("magpie");
        assert_eq!(schema["title"], "A line of `magpie some command --json`");
        assert_eq!(schema["required"], json!(["x", "a"]));
        assert_eq!(schema["properties"]["x"]["type"], json!(["integer", "null"]));
        assert_eq!(schema["properties"]["a"]["items"]["$ref"], "#/$defs/Part");
        assert_eq!(schema["$defs"]["Part"]["required"], json!(["name"]));
        assert_eq!(schema["$defs"].as_object().map(Map::len), Some(1));
    }

    #[test]
    fn a_type_becomes_a_table_in_the_order_of_its_fields() {
        let expected = "### some command\n\nA line.\n\n| field | type | meaning |\n|---|---|---|\n\
            | `x` | integer or null | Second in the alphabet. |\n\
            | `a` | list of object | First in the alphabet. |\n\
            | `a[].name` | string | Name of the part. |\n\n";
        assert_eq!(reference(&[COMMAND], ""), expected);
    }

    #[test]
    fn a_type_of_several_lines_has_a_section() {
        let command = Command {
            name: "parts",
            lines: &[line::<Line>, line::<Part>],
        };
        let text = reference(&[command], "magpie-lab ");
        assert!(text.starts_with("### magpie-lab parts\n\nA line.\n\n"), "{text}");
        assert!(text.contains("| `a` | list of [Part](#part) |"), "{text}");
        assert!(
            text.contains("\n\nA part. Fields: [Part](#part).\n\n## Types\n\n### Part\n\nA part.\n"),
            "{text}"
        );
    }
}
