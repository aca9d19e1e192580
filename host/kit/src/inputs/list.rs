//! A list of pages, one JSON object a line.

use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;

use magpie_page::PageSource;
use magpie_values::Timestamp;
use serde_json::{Map, Value};
use url::Url;

use crate::fixture::moment;

use super::{InputSettings, Named, What, read_page};
use crate::fetch::whole_url;

/// The longest line. A line holds a URL, a path and some headers.
const MAX_LINE_BYTES: u64 = 1024 * 1024;

const KEYS: [&str; 6] = ["url", "file", "status", "content_type", "fetched_at", "headers"];

pub(super) struct List {
    name: String,
    /// The folder that its files are relative to.
    folder: PathBuf,
    lines: BufReader<Box<dyn Read + Send>>,
    number: u64,
    ended: bool,
}

/// A line that could be read; its file was not read yet.
pub(super) struct ListLine {
    file: PathBuf,
    url: Url,
    status: Option<u16>,
    content_type: Option<String>,
    fetched_at: Option<Timestamp>,
    headers: Vec<(String, String)>,
}

impl List {
    pub(super) fn new(name: &str, folder: PathBuf, reader: Box<dyn Read + Send>) -> List {
        List {
            name: name.to_owned(),
            folder,
            lines: BufReader::new(reader),
            number: 0,
            ended: false,
        }
    }

    /// The next line that is not blank.
    pub(super) fn next(&mut self) -> Option<Named> {
        let mut line = Vec::new();
        while !self.ended {
            self.number += 1;
            line.clear();
            let problem = match self
                .lines
                .by_ref()
                .take(MAX_LINE_BYTES)
                .read_until(b'\n', &mut line)
            {
                Ok(0) => return None,
                Ok(_) if line.len() as u64 == MAX_LINE_BYTES && !line.ends_with(b"\n") => {
                    // Reading on would begin in the middle of a line.
                    self.ended = true;
                    format!("the line has more than {MAX_LINE_BYTES} bytes; the rest of the list is skipped")
                }
                Ok(_) if line.trim_ascii().is_empty() => continue,
                Ok(_) => match self.parse(&line) {
                    Ok(named) => return Some(named),
                    Err(sentence) => sentence,
                },
                Err(error) => {
                    self.ended = true;
                    format!("the list can't be read further: {error}")
                }
            };
            return Some((
                format!("{} line {}", self.name, self.number),
                What::BadLine(problem),
            ));
        }
        None
    }

    fn parse(&self, line: &[u8]) -> Result<Named, String> {
        let value: Value = serde_json::from_slice(line)
            .map_err(|error| format!("not valid JSON at column {}", error.column()))?;
        let Value::Object(object) = value else {
            return Err("expected an object such as {\"url\": \"https://…\", \"file\": \"…\"}".to_owned());
        };
        // An unknown key is most likely a misspelled one, and its value would be lost without a
        // message.
        if let Some(name) = object.keys().find(|name| !KEYS.contains(&name.as_str())) {
            return Err(format!("unknown key \"{name}\": expected {}", KEYS.join(", ")));
        }
        let file = string(&object, "file")?.ok_or("\"file\" is missing")?;
        let url = string(&object, "url")?.ok_or("\"url\" is missing")?;
        let line = ListLine {
            file: self.folder.join(file),
            url: whole_url(url).map_err(|sentence| format!("\"url\": {sentence}"))?,
            status: status(&object)?,
            content_type: string(&object, "content_type")?.map(str::to_owned),
            fetched_at: fetched_at(&object)?,
            headers: headers(&object)?,
        };
        Ok((line.file.display().to_string(), What::Line(Box::new(line))))
    }
}

impl ListLine {
    pub(super) fn url(&self) -> &Url {
        &self.url
    }

    pub(super) fn load(self, settings: &InputSettings) -> Result<PageSource, String> {
        let mut page = read_page(&self.file, self.url, settings)?;
        page.status = self.status.unwrap_or(page.status);
        page.fetched_at = self.fetched_at.unwrap_or(page.fetched_at);
        let is_content_type = |field: &(String, String)| field.0.eq_ignore_ascii_case("content-type");
        let mut headers = self.headers;
        if let Some(content_type) = self.content_type {
            headers.retain(|field| !is_content_type(field));
            headers.push(("content-type".to_owned(), content_type));
        } else if !headers.iter().any(is_content_type) {
            // Without a content type in the line, the one that the file's name suggests is used.
            headers.append(&mut page.headers);
        }
        Ok(PageSource { headers, ..page })
    }
}

fn string<'a>(object: &'a Map<String, Value>, name: &str) -> Result<Option<&'a str>, String> {
    match object.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("invalid \"{name}\": expected a string")),
    }
}

fn status(object: &Map<String, Value>) -> Result<Option<u16>, String> {
    let Some(value) = object.get("status").filter(|value| !value.is_null()) else {
        return Ok(None);
    };
    let status = value.as_u64().and_then(|status| u16::try_from(status).ok());
    let status = status.filter(|status| (100..1000).contains(status));
    status
        .map(Some)
        .ok_or_else(|| "invalid \"status\": expected a number from 100 to 999".to_owned())
}

fn fetched_at(object: &Map<String, Value>) -> Result<Option<Timestamp>, String> {
    let Some(value) = object.get("fetched_at").filter(|value| !value.is_null()) else {
        return Ok(None);
    };
    let sentence =
        "invalid \"fetched_at\": expected a time such as \"2026-03-01T12:00:00Z\", or seconds since 1970";
    moment(value).map(Some).ok_or_else(|| sentence.to_owned())
}

/// Each field a string or a list of strings.
fn headers(object: &Map<String, Value>) -> Result<Vec<(String, String)>, String> {
    let fields = match object.get("headers") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Object(fields)) => fields,
        Some(_) => return Err("invalid \"headers\": expected an object".to_owned()),
    };
    let mut headers = Vec::new();
    for (name, value) in fields {
        let values = match value {
            Value::Array(values) => values.as_slice(),
            one => std::slice::from_ref(one),
        };
        for value in values {
            let text = value.as_str().ok_or_else(|| {
                format!("invalid header \"{name}\": expected a string or a list of strings")
            })?;
            headers.push((name.clone(), text.to_owned()));
        }
    }
    Ok(headers)
}
