//! Answers of handlers.

use askama::Template;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use magpie_export::is_formula;
use magpie_report::format::json_for_terminal;
use serde::Serialize;
use serde_json::{Value, json};

use crate::asked::Asked;
use crate::{Error, Format};

pub(crate) fn html(page: &impl Template) -> Result<Response, Error> {
    let text = page.render().map_err(|_| Error::Defect)?;
    Ok(([(header::CONTENT_TYPE, "text/html; charset=utf-8")], text).into_response())
}

/// Answers with one JSON document, as the command line prints it.
pub(crate) fn json(value: &impl Serialize) -> Response {
    let mut text = json_for_terminal(json!(value).to_string());
    text.push('\n');
    ([(header::CONTENT_TYPE, "application/json")], text).into_response()
}

/// A list as data.
pub(crate) struct List {
    /// The name of the list in JSON.
    pub(crate) name: &'static str,
    pub(crate) rows: Vec<Value>,
    /// The path of the next part, if there is one.
    pub(crate) next_url: Option<String>,
}

impl List {
    pub(crate) fn new(name: &'static str, rows: impl IntoIterator<Item: Serialize>) -> List {
        List {
            name,
            rows: rows.into_iter().map(|row| json!(row)).collect(),
            next_url: None,
        }
    }

    /// Answers with the rows in the form of data that is asked for. In CSV an apostrophe stands
    /// before texts that a spreadsheet would compute, unless `for=programs` asks for the bare
    /// values.
    pub(crate) fn answer(&self, asked: &Asked) -> Result<Response, Error> {
        match asked.format {
            Format::Json => Ok(json(
                &json!({"ok": true, self.name: self.rows, "next_url": self.next_url}),
            )),
            Format::JsonLines => {
                let lines: String = self.rows.iter().map(|row| format!("{row}\n")).collect();
                let lines = json_for_terminal(lines);
                Ok(([(header::CONTENT_TYPE, "application/x-ndjson")], lines).into_response())
            }
            Format::Csv => {
                let text = csv(&self.rows, asked.get("for") == Some("programs"));
                Ok(([(header::CONTENT_TYPE, "text/csv; charset=utf-8")], text).into_response())
            }
            Format::Html | Format::JsonLd | Format::Atom | Format::Rss | Format::JsonFeed | Format::Ics => {
                Err(Error::NotFound(
                    "this list has the forms .json, .jsonl and .csv".to_owned(),
                ))
            }
        }
    }
}

/// Writes rows as CSV (RFC 4180) with a head. Attributes of objects are columns of their own.
fn csv(rows: &[Value], for_programs: bool) -> String {
    let flat: Vec<Vec<(String, String)>> = rows.iter().map(flattened).collect();
    let mut columns: Vec<&str> = Vec::new();
    for (name, _) in flat.iter().flatten() {
        if !columns.contains(&name.as_str()) {
            columns.push(name);
        }
    }
    let quoted = |text: &str| {
        let text = match !for_programs && is_formula(text.as_bytes()) {
            true => format!("'{text}"),
            false => text.to_owned(),
        };
        match text.contains([',', '"', '\n', '\r']) {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text,
        }
    };
    let mut out = String::new();
    let mut line = |cells: &mut dyn Iterator<Item = String>| {
        out.push_str(&cells.collect::<Vec<_>>().join(","));
        out.push_str("\r\n");
    };
    line(&mut columns.iter().map(|name| quoted(name)));
    for row in &flat {
        line(&mut columns.iter().map(|name| {
            let value = row.iter().find(|(own, _)| own == name);
            value.map_or_else(String::new, |(_, value)| quoted(value))
        }));
    }
    out
}

fn flattened(row: &Value) -> Vec<(String, String)> {
    let mut cells = Vec::new();
    for (name, value) in row.as_object().into_iter().flatten() {
        match value {
            Value::Object(inner) if name == "attributes" => {
                cells.extend(inner.iter().map(|(name, value)| (name.clone(), cell(value))));
            }
            value => cells.push((name.clone(), cell(value))),
        }
    }
    cells
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(values) if values.iter().all(Value::is_string) => {
            let texts: Vec<&str> = values.iter().filter_map(Value::as_str).collect();
            texts.join("; ")
        }
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_and_formulas_are_bare_only_on_request() {
        let rows = [
            json!({"attributes": {"name": "=1+1"}, "label": "a,\"b\"\nc", "number": -5}),
            json!({"label": "plain", "names": ["x", "y"]}),
        ];
        let raw = csv(&rows, true);
        assert_eq!(
            raw,
            "name,label,number,names\r\n=1+1,\"a,\"\"b\"\"\nc\",-5,\r\n,plain,,x; y\r\n"
        );
        let safe = csv(&rows, false);
        assert!(safe.contains("\r\n'=1+1,"), "{safe}");
        assert!(safe.contains(",-5,"), "numbers stay numbers: {safe}");
    }
}
