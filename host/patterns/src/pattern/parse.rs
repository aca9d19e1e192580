//! Parser of the readable form of patterns, which people edit: every error has a column.

use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::format::SPECIAL;
use super::kind::Kind;
use super::template::{Piece, Template};
use super::url_pattern::{Form, MAX_KEYS, MAX_SEGMENTS, Parameter, Reach, Segment, Typed, UrlPattern};

/// A syntax error in a pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {reason}")]
pub struct PatternError {
    /// Position in the text, counted in characters from 1.
    pub column: usize,
    /// The problem, and what is allowed instead.
    pub reason: String,
}

impl FromStr for UrlPattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<UrlPattern, PatternError> {
        let items = Items::of(text)?;
        let origin_end = origin_end(&items, text)?;
        let whole = items.parts(origin_end..items.list.len());
        // The forms of prefixes are recognised by their end, so this comes before the parser of
        // typed patterns, to which `{rest}` is unknown.
        if let Some(reach) = whole.last().and_then(prefix_extent) {
            return items.prefix(text, reach);
        }
        if let Some((_, column)) = whole
            .iter()
            .find(|(item, _)| prefix_extent(&(item.clone(), 0)).is_some())
        {
            return Err(error(*column, "{rest} and {file} are only allowed at the end"));
        }
        let is_plain = whole.iter().all(|(item, _)| matches!(item, Item::Literal(_)));
        match items.typed(origin_end) {
            // A URL beyond the limits of typed patterns still matches itself.
            Err(_) if is_plain => Ok(UrlPattern::prefix(&items.literal(), Reach::Exact)),
            typed => typed,
        }
    }
}

impl Serialize for UrlPattern {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for UrlPattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<UrlPattern, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|error| {
            D::Error::custom(format_args!("the URL pattern {text:?} has an error at {error}"))
        })
    }
}

/// Hint for people who write a regular expression.
const NOT_A_REGEX: &str =
    "a pattern is not a regular expression: {number} matches digits, {slug} matches words with hyphens";

/// A literal character or a syntax element.
#[derive(Clone, Debug, PartialEq)]
enum Item {
    Literal(char),
    /// Text between braces.
    Brace(String),
    Open,
    Close,
}

/// The items of a text, each with its column.
struct Items {
    list: Vec<(Item, usize)>,
}

fn error(column: usize, reason: impl Into<String>) -> PatternError {
    PatternError {
        column,
        reason: reason.into(),
    }
}

/// Returns the extent of a prefix pattern, which ends in `{rest}` or `{file}`.
fn prefix_extent(item: &(Item, usize)) -> Option<Reach> {
    match &item.0 {
        Item::Brace(name) if name == "rest" => Some(Reach::Plain),
        Item::Brace(name) if name == "file" => Some(Reach::Folder),
        _ => None,
    }
}

/// Returns the index of the path's first item. The host of a pattern cannot vary.
fn origin_end(items: &Items, text: &str) -> Result<usize, PatternError> {
    let scheme = ["https://", "http://"]
        .into_iter()
        .find(|scheme| text.starts_with(scheme));
    let Some(scheme) = scheme else {
        return Err(error(1, "a pattern starts with https:// or http:// and a host"));
    };
    for (index, (item, column)) in items.list.iter().enumerate().skip(scheme.len()) {
        match item {
            Item::Literal('/') if index == scheme.len() => return Err(error(*column, "the host is missing")),
            Item::Literal('/') => return Ok(index),
            Item::Brace(_) => {
                return Err(error(*column, "the host can't vary; write one pattern per host"));
            }
            Item::Literal('?') => return Err(error(*column, "the path is missing; it starts with a slash")),
            _ => {}
        }
    }
    Err(error(
        items.list.len() + 1,
        "the path is missing; it starts with a slash",
    ))
}

impl Items {
    fn of(text: &str) -> Result<Items, PatternError> {
        let mut list = Vec::new();
        // Computed once. Otherwise a text of opening braces would be scanned again for each.
        let last_closing = text.chars().enumerate().filter(|(_, c)| *c == '}').last();
        let mut chars = text.chars().enumerate();
        while let Some((index, c)) = chars.next() {
            let column = index + 1;
            let item = match c {
                '\\' => match chars.next() {
                    Some((_, escaped)) if SPECIAL.contains(&escaped) => Item::Literal(escaped),
                    _ => {
                        let reason =
                            format!(r"a backslash may only precede one of {{ }} [ ] \; {NOT_A_REGEX}");
                        return Err(error(column, reason));
                    }
                },
                '{' => {
                    let name: String = chars.by_ref().map(|(_, c)| c).take_while(|c| *c != '}').collect();
                    if last_closing.is_none_or(|(closing, _)| closing < column) {
                        return Err(error(column, "this brace is never closed"));
                    }
                    Item::Brace(name)
                }
                '}' => return Err(error(column, "this brace was never opened")),
                // URLs have IPv6 addresses in brackets.
                '[' => Item::Open,
                ']' => Item::Close,
                c if !c.is_ascii_graphic() || c == '#' => {
                    return Err(error(
                        column,
                        format!("{c:?} is not allowed in a canonical URL; percent-encode it"),
                    ));
                }
                c => Item::Literal(c),
            };
            list.push((item, column));
        }
        Ok(Items { list })
    }

    fn parts(&self, range: std::ops::Range<usize>) -> &[(Item, usize)] {
        &self.list[range]
    }

    fn prefix(&self, text: &str, reach: Reach) -> Result<UrlPattern, PatternError> {
        let before = self.parts(0..self.list.len() - 1);
        let mut prefix = String::with_capacity(text.len());
        for (item, column) in before {
            match item {
                Item::Literal(c) => prefix.push(*c),
                _ => return Err(error(*column, "before {rest} or {file}, nothing can vary")),
            }
        }
        Ok(UrlPattern::prefix(&prefix, reach))
    }

    fn literal(&self) -> String {
        self.list.iter().map(|(item, _)| literal(item)).collect()
    }

    fn typed(&self, origin_end: usize) -> Result<UrlPattern, PatternError> {
        let origin: String = self
            .parts(0..origin_end)
            .iter()
            .map(|(item, _)| literal(item))
            .collect();
        let is_query = |(item, _): &(Item, usize)| matches!(item, Item::Literal('?') | Item::Open);
        let rest = self.parts(origin_end + 1..self.list.len());
        let path_end = rest.iter().position(is_query).unwrap_or(rest.len());
        let (query, open) = query(&rest[path_end..])?;
        let path = path(&rest[..path_end])?;
        Ok(UrlPattern {
            form: Form::Typed(Typed {
                origin: origin.into(),
                path: path.into(),
                query: query.into(),
                open,
            }),
        })
    }
}

/// Returns the character of an item in the origin, where brackets enclose an IPv6 address.
fn literal(item: &Item) -> char {
    match item {
        Item::Literal(c) => *c,
        Item::Open => '[',
        Item::Close => ']',
        Item::Brace(_) => '{',
    }
}

fn path(items: &[(Item, usize)]) -> Result<Vec<Segment>, PatternError> {
    let mut segments = Vec::new();
    for part in items.split(|(item, _)| *item == Item::Literal('/')) {
        let column = part.first().or(items.first()).map_or(1, |(_, column)| *column);
        if segments.len() == MAX_SEGMENTS {
            return Err(error(column, format!("more than {MAX_SEGMENTS} folders")));
        }
        segments.push(match part {
            [(Item::Brace(name), column)] if name == "path" => {
                if segments.contains(&Segment::Several) {
                    return Err(error(*column, "{path} is allowed only once in a pattern"));
                }
                Segment::Several
            }
            part => Segment::One(template(part)?),
        });
    }
    Ok(segments)
}

fn template(items: &[(Item, usize)]) -> Result<Template, PatternError> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut constant = String::new();
    for (item, column) in items {
        match item {
            Item::Literal(c) => constant.push(*c),
            Item::Brace(name) => {
                pieces.push(Piece::Constant(std::mem::take(&mut constant).into()));
                pieces.push(Piece::Any(kind(name, *column)?));
            }
            Item::Open | Item::Close => {
                return Err(error(
                    *column,
                    "brackets are only allowed around parts of the query",
                ));
            }
        }
    }
    pieces.push(Piece::Constant(constant.into()));
    let column = items.first().map_or(1, |(_, column)| *column);
    Template::new(pieces.into_iter().filter(|piece| !is_empty(piece)).collect())
        .map_err(|reason| error(column, reason))
}

fn is_empty(piece: &Piece) -> bool {
    matches!(piece, Piece::Constant(text) if text.is_empty())
}

fn kind(name: &str, column: usize) -> Result<Kind, PatternError> {
    if let Some(length) = name.strip_prefix("hash:") {
        return match length.parse() {
            Ok(length) if length > 0 => Ok(Kind::Hash(Some(length))),
            _ => Err(error(column, format!("invalid length {length:?} of a hash"))),
        };
    }
    let known = Kind::ALL.into_iter().find(|kind| kind.name() == name);
    known.ok_or_else(|| {
        let names: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
        error(
            column,
            format!(
                "unknown placeholder {{{name}}}: expected {}, path, or at the end rest or file",
                names.join(", ")
            ),
        )
    })
}

/// Parses the query. Returns its parameters by key, and true if other keys are allowed.
fn query(items: &[(Item, usize)]) -> Result<(Vec<Parameter>, bool), PatternError> {
    let mut parameters: Vec<Parameter> = Vec::new();
    let mut open = false;
    let mut rest = items;
    while let Some((first, column)) = rest.first() {
        let is_optional = *first == Item::Open;
        let body = &rest[usize::from(is_optional)..];
        let expected = if rest.len() == items.len() { '?' } else { '&' };
        if body.first().map(|(item, _)| item) != Some(&Item::Literal(expected)) {
            let remedy = match is_optional {
                true => format!("; {NOT_A_REGEX}"),
                false => String::new(),
            };
            let reason = format!("expected {expected:?} at the start of a query part{remedy}");
            return Err(error(*column, reason));
        }
        let ends = |(item, _): &(Item, usize)| match is_optional {
            true => *item == Item::Close,
            false => matches!(item, Item::Literal('&') | Item::Open | Item::Close),
        };
        let end = 1 + body[1..].iter().position(ends).unwrap_or(body.len() - 1);
        if is_optional && end == body.len() {
            return Err(error(*column, "this bracket is never closed"));
        }
        let part = &body[1..end];
        rest = &body[end + usize::from(is_optional)..];
        if is_optional && part.len() == 3 && part.iter().all(|(item, _)| *item == Item::Literal('.')) {
            open = true;
        } else {
            let parameter = parameter(part, !is_optional)?;
            if parameters.iter().any(|known| known.key == parameter.key) {
                return Err(error(
                    *column,
                    format!("the key {:?} occurs here twice", parameter.key),
                ));
            }
            parameters.push(parameter);
        }
        if parameters.len() > MAX_KEYS {
            return Err(error(*column, format!("more than {MAX_KEYS} keys")));
        }
    }
    // Keys may come in any order in a URL. Sorted, patterns of equal meaning are equal.
    parameters.sort();
    Ok((parameters, open))
}

fn parameter(items: &[(Item, usize)], required: bool) -> Result<Parameter, PatternError> {
    let equals = items.iter().position(|(item, _)| *item == Item::Literal('='));
    let (key, value) = match equals {
        Some(equals) if equals > 0 => (&items[..equals], &items[equals + 1..]),
        _ => (&items[..0], items),
    };
    let mut text = String::new();
    for (item, column) in key {
        match item {
            Item::Literal(c) => text.push(*c),
            _ => return Err(error(*column, "the key of a query can't vary")),
        }
    }
    Ok(Parameter {
        key: text.into(),
        value: template(value)?,
        required,
    })
}
