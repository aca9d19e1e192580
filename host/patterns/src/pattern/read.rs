//! Patterns read back from their readable form, which persons edit: every error has a column.

use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::kind::Kind;
use super::print::SPECIAL;
use super::template::{Piece, Template};
use super::url_pattern::{Form, MOST_KEYS, MOST_SEGMENTS, Parameter, Reach, Segment, Typed, UrlPattern};

/// What is wrong with a pattern in writing, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {reason}")]
pub struct PatternError {
    /// The place in the text, counted in characters from 1.
    pub column: usize,
    /// What is wrong there, and what could stand there instead.
    pub reason: String,
}

impl FromStr for UrlPattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<UrlPattern, PatternError> {
        let items = Items::of(text)?;
        let origin_end = origin_end(&items, text)?;
        let whole = items.parts(origin_end..items.list.len());
        if let Some(reach) = whole.last().and_then(prefix_reach) {
            return items.prefix(text, reach);
        }
        if let Some((_, column)) = whole
            .iter()
            .find(|(item, _)| prefix_reach(&(item.clone(), 0)).is_some())
        {
            return Err(error(*column, "{rest} and {file} can stand at the end only"));
        }
        let is_plain = whole.iter().all(|(item, _)| matches!(item, Item::Plain(_)));
        match items.typed(origin_end) {
            // A URL beyond the limits of typed patterns still names itself.
            Err(_) if is_plain => Ok(UrlPattern::prefix(&items.plain(), Reach::Itself)),
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

/// People know regular expressions better than patterns.
const NO_EXPRESSION: &str =
    "a pattern is no regular expression: {number} stands for digits, {slug} for words with hyphens";

/// One character that means itself, or a mark that means something else.
#[derive(Clone, Debug, PartialEq)]
enum Item {
    Plain(char),
    /// What stands between braces.
    Brace(String),
    Open,
    Close,
}

/// The text as items, each with its column.
struct Items {
    list: Vec<(Item, usize)>,
}

fn error(column: usize, reason: impl Into<String>) -> PatternError {
    PatternError {
        column,
        reason: reason.into(),
    }
}

/// `{rest}` and `{file}` make a prefix of what stands before them.
fn prefix_reach(item: &(Item, usize)) -> Option<Reach> {
    match &item.0 {
        Item::Brace(name) if name == "rest" => Some(Reach::Plain),
        Item::Brace(name) if name == "file" => Some(Reach::Folder),
        _ => None,
    }
}

/// Where the path starts. A pattern is of one host, and the host does not vary.
fn origin_end(items: &Items, text: &str) -> Result<usize, PatternError> {
    let scheme = ["https://", "http://"]
        .into_iter()
        .find(|scheme| text.starts_with(scheme));
    let Some(scheme) = scheme else {
        return Err(error(1, "a pattern starts with https:// or http:// and a host"));
    };
    for (place, (item, column)) in items.list.iter().enumerate().skip(scheme.len()) {
        match item {
            Item::Plain('/') if place == scheme.len() => return Err(error(*column, "the host is missing")),
            Item::Plain('/') => return Ok(place),
            Item::Brace(_) => {
                return Err(error(
                    *column,
                    "the host cannot vary; write one pattern for each host",
                ));
            }
            Item::Plain('?') => return Err(error(*column, "the path is missing; it starts with a slash")),
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
        // Looked for once: a text of nothing but braces would else be read again for each.
        let last_closing = text
            .chars()
            .enumerate()
            .filter(|(_, letter)| *letter == '}')
            .last();
        let mut letters = text.chars().enumerate();
        while let Some((place, letter)) = letters.next() {
            let column = place + 1;
            let item = match letter {
                '\\' => match letters.next() {
                    Some((_, escaped)) if SPECIAL.contains(&escaped) => Item::Plain(escaped),
                    _ => {
                        let reason =
                            format!(r"a backslash stands before one of {{ }} [ ] \ only; {NO_EXPRESSION}");
                        return Err(error(column, reason));
                    }
                },
                '{' => {
                    let name: String = letters
                        .by_ref()
                        .map(|(_, letter)| letter)
                        .take_while(|letter| *letter != '}')
                        .collect();
                    if last_closing.is_none_or(|(closing, _)| closing < column) {
                        return Err(error(column, "this brace is never closed"));
                    }
                    Item::Brace(name)
                }
                '}' => return Err(error(column, "this brace was never opened")),
                // An address of IPv6 stands in brackets by the standard of URLs.
                '[' => Item::Open,
                ']' => Item::Close,
                letter if !letter.is_ascii_graphic() || letter == '#' => {
                    return Err(error(
                        column,
                        format!("{letter:?} cannot stand in a canonical URL; percent-encode it"),
                    ));
                }
                letter => Item::Plain(letter),
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
                Item::Plain(letter) => prefix.push(*letter),
                _ => return Err(error(*column, "before {rest} or {file}, nothing can vary")),
            }
        }
        Ok(UrlPattern::prefix(&prefix, reach))
    }

    fn plain(&self) -> String {
        self.list.iter().map(|(item, _)| plain(item)).collect()
    }

    fn typed(&self, origin_end: usize) -> Result<UrlPattern, PatternError> {
        let origin: String = self
            .parts(0..origin_end)
            .iter()
            .map(|(item, _)| plain(item))
            .collect();
        let is_query = |(item, _): &(Item, usize)| matches!(item, Item::Plain('?') | Item::Open);
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

/// The character of an item of the origin, where brackets are an IPv6 address.
fn plain(item: &Item) -> char {
    match item {
        Item::Plain(letter) => *letter,
        Item::Open => '[',
        Item::Close => ']',
        Item::Brace(_) => '{',
    }
}

fn path(items: &[(Item, usize)]) -> Result<Vec<Segment>, PatternError> {
    let mut segments = Vec::new();
    for part in items.split(|(item, _)| *item == Item::Plain('/')) {
        let column = part.first().or(items.first()).map_or(1, |(_, column)| *column);
        if segments.len() == MOST_SEGMENTS {
            return Err(error(column, format!("more than {MOST_SEGMENTS} folders")));
        }
        segments.push(match part {
            [(Item::Brace(name), column)] if name == "path" => {
                if segments.contains(&Segment::Several) {
                    return Err(error(*column, "{path} can stand in a pattern once"));
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
            Item::Plain(letter) => constant.push(*letter),
            Item::Brace(name) => {
                pieces.push(Piece::Constant(std::mem::take(&mut constant).into()));
                pieces.push(Piece::Any(kind(name, *column)?));
            }
            Item::Open | Item::Close => {
                return Err(error(*column, "brackets belong around parts of the query"));
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
            _ => Err(error(column, format!("{length:?} is no length of a hash"))),
        };
    }
    let known = Kind::ALL.into_iter().find(|kind| kind.name() == name);
    known.ok_or_else(|| {
        let names: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
        error(
            column,
            format!(
                "{{{name}}} is not known; there are {}, path, and rest and file at the end",
                names.join(", ")
            ),
        )
    })
}

/// The parameters by key, and whether others are allowed.
fn query(items: &[(Item, usize)]) -> Result<(Vec<Parameter>, bool), PatternError> {
    let mut parameters: Vec<Parameter> = Vec::new();
    let mut open = false;
    let mut rest = items;
    while let Some((first, column)) = rest.first() {
        let is_optional = *first == Item::Open;
        let body = &rest[usize::from(is_optional)..];
        let expected = if rest.len() == items.len() { '?' } else { '&' };
        if body.first().map(|(item, _)| item) != Some(&Item::Plain(expected)) {
            let remedy = match is_optional {
                true => format!("; {NO_EXPRESSION}"),
                false => String::new(),
            };
            let reason = format!("here a part of the query starts, with {expected:?}{remedy}");
            return Err(error(*column, reason));
        }
        let ends = |(item, _): &(Item, usize)| match is_optional {
            true => *item == Item::Close,
            false => matches!(item, Item::Plain('&') | Item::Open | Item::Close),
        };
        let end = 1 + body[1..].iter().position(ends).unwrap_or(body.len() - 1);
        if is_optional && end == body.len() {
            return Err(error(*column, "this bracket is never closed"));
        }
        let part = &body[1..end];
        rest = &body[end + usize::from(is_optional)..];
        if is_optional && part.len() == 3 && part.iter().all(|(item, _)| *item == Item::Plain('.')) {
            open = true;
        } else {
            let parameter = parameter(part, !is_optional)?;
            if parameters.iter().any(|known| known.key == parameter.key) {
                return Err(error(
                    *column,
                    format!("the key {:?} stands here twice", parameter.key),
                ));
            }
            parameters.push(parameter);
        }
        if parameters.len() > MOST_KEYS {
            return Err(error(*column, format!("more than {MOST_KEYS} keys")));
        }
    }
    parameters.sort();
    Ok((parameters, open))
}

fn parameter(items: &[(Item, usize)], required: bool) -> Result<Parameter, PatternError> {
    let equals = items.iter().position(|(item, _)| *item == Item::Plain('='));
    let (key, value) = match equals {
        Some(equals) if equals > 0 => (&items[..equals], &items[equals + 1..]),
        _ => (&items[..0], items),
    };
    let mut text = String::new();
    for (item, column) in key {
        match item {
            Item::Plain(letter) => text.push(*letter),
            _ => return Err(error(*column, "the key of a query cannot vary")),
        }
    }
    Ok(Parameter {
        key: text.into(),
        value: template(value)?,
        required,
    })
}
