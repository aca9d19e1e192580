//! Lines of JSON, compared with a JSON Schema.

use serde_json::Value;

/// Returns a sentence for each line of a command that does not fit a schema. Properties that the
/// schema does not name do not fit.
///
/// # Panics
///
/// Panics if the schema is none.
pub fn misfits(command: &str, schema: Value, lines: &[Value]) -> Vec<String> {
    const NAME: &str = "https://schema.test/line";
    let mut compiler = boon::Compiler::new();
    compiler.enable_format_assertions();
    compiler
        .add_resource(NAME, closed(schema))
        .expect("it is a schema");
    let mut schemas = boon::Schemas::new();
    let index = compiler.compile(NAME, &mut schemas).expect("it is a schema");
    let told = |line: &Value| {
        let error = schemas.validate(line, index).err()?;
        Some(format!(
            "{command} prints {line}, which does not fit its schema: {error:#}"
        ))
    };
    lines.iter().filter_map(told).collect()
}

/// Returns a schema that admits no property that it does not name.
fn closed(mut schema: Value) -> Value {
    match &mut schema {
        Value::Object(entries) => {
            for value in entries.values_mut() {
                *value = closed(value.take());
            }
            if entries.contains_key("properties") && entries["type"] == "object" {
                entries.insert("additionalProperties".to_owned(), false.into());
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = closed(item.take())),
        _ => {}
    }
    schema
}
