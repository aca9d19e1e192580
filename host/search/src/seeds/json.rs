//! Objects in JSON: an array, one, or one after the other.

use std::fmt;

use magpie_model::VerticalInfo;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value as Json;

use super::text::Place;
use super::{Entry, SeedsError, SeedsProblem, advice, has_room};

/// Endings of files in JSON, those with an object on each line first.
const LINES: [&str; 2] = [".jsonl", ".ndjson"];
const ENDINGS: [&str; 3] = [LINES[0], LINES[1], ".json"];

/// Returns true if the name of a file is that of JSON.
pub(super) fn is_named(name: &str) -> bool {
    ends(name, &ENDINGS)
}

pub(super) fn entries(name: &str, text: &str, vertical: &VerticalInfo) -> Result<Vec<Entry>, SeedsError> {
    let mut reader = Reader::new(text, vertical);
    if reader.sees('[') {
        return reader.array();
    }
    let read = reader.stream();
    match read {
        // An object without its end includes the next line, so the error would name that line.
        Err(error) if is_lines(name, text) => match by_line(text, vertical) {
            Err(clearer) => Err(clearer),
            Ok(_) => Err(error),
        },
        read => read,
    }
}

fn ends(name: &str, endings: &[&str]) -> bool {
    let name = name.to_lowercase();
    endings.iter().any(|ending| name.ends_with(ending))
}

/// Returns true if the file should have an object per line.
fn is_lines(name: &str, text: &str) -> bool {
    let first = text.trim_start().lines().next().unwrap_or_default().trim_end();
    // A first line that ends an object is one of many. One that leaves a bracket open belongs to a
    // document over several lines.
    match first.chars().last() {
        Some('}') => true,
        Some('{' | '[' | ',' | ':') => false,
        _ => ends(name, &LINES),
    }
}

fn by_line(text: &str, vertical: &VerticalInfo) -> Result<Vec<Entry>, SeedsError> {
    let mut entries = Vec::new();
    for (lines, line) in text.lines().enumerate() {
        let mut reader = Reader::new(line, vertical);
        reader.lines = lines;
        entries.extend(reader.stream()?);
    }
    Ok(entries)
}

/// Reads one value after the other and knows the line of each.
struct Reader<'a> {
    rest: &'a str,
    place: Place,
    /// Lines before the text.
    lines: usize,
    vertical: &'a VerticalInfo,
    entries: Vec<Entry>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, vertical: &'a VerticalInfo) -> Self {
        Self {
            rest: text,
            place: Place::default(),
            lines: 0,
            vertical,
            entries: Vec::new(),
        }
    }

    fn stream(mut self) -> Result<Vec<Entry>, SeedsError> {
        while !self.is_at_end() {
            self.object()?;
        }
        Ok(self.entries)
    }

    fn array(mut self) -> Result<Vec<Entry>, SeedsError> {
        self.take('[');
        let mut is_open = !self.take(']');
        while is_open {
            self.object()?;
            is_open = match (self.take(','), self.take(']')) {
                // `],` took both: a comma before the end, which JSON has not.
                (true, true) => return Err(self.broken("there is a comma before the end of the array")),
                (true, false) => true,
                (false, true) => false,
                (false, false) if self.is_at_end() => return Err(self.broken("the array has no end `]`")),
                (false, false) => {
                    return Err(self.broken("expected a comma or the end of the array `]`"));
                }
            };
        }
        if self.is_at_end() {
            return Ok(self.entries);
        }
        Err(self.broken("unexpected text after the end of the array"))
    }

    /// Reads a value that has to be an object.
    fn object(&mut self) -> Result<(), SeedsError> {
        self.skip_space();
        let line = self.position().0;
        // The parser stops after one value and tells where, which gives the line of the next.
        let mut values = serde_json::Deserializer::from_str(self.rest).into_iter::<Item>();
        let read = values.next();
        let length = values.byte_offset();
        let pairs = match read {
            Some(Ok(Item::Object(pairs))) => pairs,
            Some(Ok(Item::Other(found))) => {
                let example = advice::object(self.vertical);
                return Err(SeedsError::on(line, SeedsProblem::NotAnObject { found, example }));
            }
            Some(Err(error)) => return Err(self.not_json(&error)),
            None => return Err(self.broken("expected an object")),
        };
        has_room(&self.entries, line)?;
        self.entries.push(Entry { line, pairs });
        self.skip(length);
        Ok(())
    }

    fn sees(&mut self, wanted: char) -> bool {
        self.skip_space();
        self.rest.starts_with(wanted)
    }

    fn take(&mut self, wanted: char) -> bool {
        let sees = self.sees(wanted);
        if sees {
            self.skip(wanted.len_utf8());
        }
        sees
    }

    fn is_at_end(&mut self) -> bool {
        self.skip_space();
        self.rest.is_empty()
    }

    fn skip_space(&mut self) {
        let space = self.rest.len() - self.rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
        self.skip(space);
    }

    fn skip(&mut self, bytes: usize) {
        let (passed, rest) = self.rest.split_at(bytes);
        self.place = self.place.after(passed);
        self.rest = rest;
    }

    fn position(&self) -> (usize, usize) {
        let (line, column) = self.place.of();
        (line + self.lines, column)
    }

    fn broken(&self, reason: &str) -> SeedsError {
        let reason = reason.to_owned();
        SeedsError::at(self.position(), SeedsProblem::NotJson { reason })
    }

    /// The parser counts from where it began.
    fn not_json(&self, error: &serde_json::Error) -> SeedsError {
        let (line, column) = self.position();
        // The first line of the object may begin in the middle of a line of the file.
        let at = match error.line() {
            0 | 1 => (line, column + error.column().saturating_sub(1)),
            further => (line + further - 1, error.column().max(1)),
        };
        let told = error.to_string();
        // The parser's own position counts from the object, and would contradict the one in front.
        let reason = told.rfind(" at line ").map_or(told.as_str(), |end| &told[..end]);
        let reason = reason.to_owned();
        SeedsError::at(at, SeedsProblem::NotJson { reason })
    }
}

pub(super) fn found(value: &Json) -> &'static str {
    match value {
        Json::Null => "`null`",
        Json::Bool(_) => "a boolean",
        Json::Number(_) => "a number",
        Json::String(_) => "a text",
        Json::Array(_) => "a list",
        Json::Object(_) => "an object",
    }
}

/// A value of the file. All pairs of an object are kept: a repeated name has two values.
enum Item {
    Object(Vec<(String, Json)>),
    Other(&'static str),
}

impl<'de> Deserialize<'de> for Item {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ItemVisitor)
    }
}

struct ItemVisitor;

impl<'de> Visitor<'de> for ItemVisitor {
    type Value = Item;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Item, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(Item::Object(pairs))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Item, A::Error> {
        // The list is read to its end, because the parser requires it.
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Item::Other("a list"))
    }

    fn visit_unit<E>(self) -> Result<Item, E> {
        Ok(Item::Other("`null`"))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Item, E> {
        Ok(Item::Other("a boolean"))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Item, E> {
        Ok(Item::Other("a number"))
    }

    fn visit_u64<E>(self, _: u64) -> Result<Item, E> {
        Ok(Item::Other("a number"))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Item, E> {
        Ok(Item::Other("a number"))
    }

    fn visit_str<E>(self, _: &str) -> Result<Item, E> {
        Ok(Item::Other("a text"))
    }
}
