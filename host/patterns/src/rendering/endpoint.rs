//! URLs of data that scripts fetch, as templates over the URLs of pages.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use magpie_model::CanonicalUrl;
use serde::{Deserialize, Serialize};

/// Maximum length of a template in bytes.
const MAX_BYTES: usize = 4_096;

/// Minimum length of a segment or value that a template takes over from a page, unless it has a
/// digit.
const MIN_LENGTH: usize = 3;

/// The URL of the data of a page, with places for parts of the page's own URL.
///
/// `{path}` is the page's path and `{query}` its query with the question mark; `{2}` is the second
/// segment of the path; `{id}` is the last number in the path; `{=page}` is the value of the key
/// `page`. Everything else is constant.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EndpointTemplate {
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Piece {
    Text(String),
    Path,
    Query,
    Segment(usize),
    Id,
    Value(String),
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    /// It is longer than any URL.
    #[error("the template has more than {MAX_BYTES} bytes")]
    Long,
    /// A place that is not known.
    #[error("unknown place {{{0}}}: expected {{path}}, {{query}}, {{id}}, a number of a segment or {{=KEY}}")]
    Place(String),
    /// A place without its end.
    #[error("a place begins with {{ and does not end")]
    Open,
    /// It does not begin with an origin.
    #[error("expected a template that begins with http:// or https:// and a host")]
    Origin,
}

impl EndpointTemplate {
    /// Returns the template by which each of these pages leads to its data; `None` if there is
    /// none. Templates that take over much of the page's URL come first, constant ones last.
    pub fn derive(pairs: &[(&CanonicalUrl, &CanonicalUrl)]) -> Option<EndpointTemplate> {
        let (page, data) = pairs.first()?;
        let fits = |template: &EndpointTemplate| {
            pairs
                .iter()
                .all(|(page, data)| template.fill(page).as_ref() == Some(*data))
        };
        // Parts that all pages share may belong to any place of the template.
        let varies = |(piece, text): &(Piece, String)| {
            pairs.len() == 1
                || pairs
                    .iter()
                    .any(|(page, _)| piece.of(page).as_deref() != Some(text.as_str()))
        };
        let mut path = vec![(Piece::Path, page.path().to_owned())];
        let by_path = replaced(data, &path);
        if pairs.iter().any(|(page, _)| page.query().is_some()) {
            path.push((Piece::Query, Piece::Query.of(page).unwrap_or_default()));
        }
        let parts: Vec<_> = parts(page).into_iter().filter(varies).collect();
        let mut candidates = vec![replaced(data, &path), by_path, replaced(data, &parts)];
        candidates.retain(|pieces| {
            pieces
                .iter()
                .any(|piece| !matches!(piece, Piece::Text(_) | Piece::Query))
        });
        let distinct: BTreeSet<_> = pairs.iter().map(|(_, data)| data).collect();
        if distinct.len() == 1 {
            candidates.push(vec![Piece::Text(data.as_str().to_owned())]);
        }
        let templates = candidates.into_iter().map(|pieces| EndpointTemplate { pieces });
        templates.into_iter().find(fits)
    }

    /// Returns the URL of a page's data; `None` if the page lacks a part that the template takes.
    pub fn fill(&self, page: &CanonicalUrl) -> Option<CanonicalUrl> {
        let parts = self.pieces.iter().map(|piece| piece.of(page));
        let url: String = parts.collect::<Option<Vec<_>>>()?.concat();
        CanonicalUrl::trusted(url)
    }

    /// The scheme and host of the data.
    pub fn origin(&self) -> &str {
        let Some(Piece::Text(text)) = self.pieces.first() else {
            return "";
        };
        let host = text.find("://").map_or(0, |place| place + 3);
        let end = text[host..].find(['/', '?']).map_or(text.len(), |end| host + end);
        &text[..end]
    }

    /// Returns the constant text that the URLs of the data begin with.
    pub(crate) fn beginning(&self) -> &str {
        match self.pieces.first() {
            Some(Piece::Text(text)) => text,
            _ => "",
        }
    }
}

impl Piece {
    /// Returns the text that the piece stands for; `None` if the page does not have it.
    fn of(&self, page: &CanonicalUrl) -> Option<String> {
        Some(match self {
            Piece::Text(text) => text.clone(),
            Piece::Path => page.path().to_owned(),
            Piece::Query => page.query().map(|query| format!("?{query}")).unwrap_or_default(),
            Piece::Segment(number) => segments(page).nth(number.checked_sub(1)?)?.to_owned(),
            Piece::Id => last_number(page.path())?.to_owned(),
            Piece::Value(key) => values(page).find(|(known, _)| known == key)?.1.to_owned(),
        })
    }
}

/// Values of the query, segments and the last number of a page, the longest first.
fn parts(page: &CanonicalUrl) -> Vec<(Piece, String)> {
    let segments = (1..).zip(segments(page));
    let mut found: Vec<(Piece, String)> = values(page)
        .map(|(key, value)| (Piece::Value(key.to_owned()), value.to_owned()))
        .chain(segments.map(|(number, segment)| (Piece::Segment(number), segment.to_owned())))
        .chain(last_number(page.path()).map(|id| (Piece::Id, id.to_owned())))
        // Short texts without a digit occur in other places by chance.
        .filter(|(_, text)| text.len() >= MIN_LENGTH || text.bytes().any(|byte| byte.is_ascii_digit()))
        .collect();
    // A short text may be a part of a longer one, which is replaced first.
    found.sort_by_key(|(_, text)| std::cmp::Reverse(text.len()));
    found
}

/// Replaces texts behind the origin of a URL by their pieces, each at its last occurrence.
fn replaced(data: &CanonicalUrl, texts: &[(Piece, String)]) -> Vec<Piece> {
    let mut pieces = vec![Piece::Text(data.as_str()[data.origin().len()..].to_owned())];
    for (piece, text) in texts {
        if text.is_empty() {
            // An empty query is at the end.
            pieces.push(piece.clone());
            continue;
        }
        let place = pieces
            .iter()
            .enumerate()
            .rev()
            .find_map(|(index, held)| match held {
                Piece::Text(held) => Some((index, held.rfind(text.as_str())?)),
                _ => None,
            });
        let Some((index, start)) = place else { continue };
        let Piece::Text(held) = pieces[index].clone() else {
            continue;
        };
        let (before, after) = (&held[..start], &held[start + text.len()..]);
        let mut parts = vec![piece.clone()];
        if !before.is_empty() {
            parts.insert(0, Piece::Text(before.to_owned()));
        }
        if !after.is_empty() {
            parts.push(Piece::Text(after.to_owned()));
        }
        pieces.splice(index..=index, parts);
    }
    match &mut pieces[0] {
        Piece::Text(text) => text.insert_str(0, data.origin()),
        _ => pieces.insert(0, Piece::Text(data.origin().to_owned())),
    }
    pieces
}

fn segments(url: &CanonicalUrl) -> impl Iterator<Item = &str> {
    url.path().split('/').filter(|segment| !segment.is_empty())
}

fn values(url: &CanonicalUrl) -> impl Iterator<Item = (&str, &str)> {
    let pairs = url.query().unwrap_or_default().split('&');
    pairs
        .filter_map(|pair| pair.split_once('='))
        .filter(|(_, value)| !value.is_empty())
}

/// Returns the last run of digits in a path.
fn last_number(path: &str) -> Option<&str> {
    let end = path.rfind(|letter: char| letter.is_ascii_digit())? + 1;
    let start = path[..end]
        .rfind(|letter: char| !letter.is_ascii_digit())
        .map_or(0, |before| {
            before + path[before..].chars().next().map_or(1, char::len_utf8)
        });
    Some(&path[start..end])
}

impl FromStr for EndpointTemplate {
    type Err = EndpointError;

    fn from_str(text: &str) -> Result<Self, EndpointError> {
        if text.len() > MAX_BYTES {
            return Err(EndpointError::Long);
        }
        let after = text
            .strip_prefix("http://")
            .or_else(|| text.strip_prefix("https://"))
            .ok_or(EndpointError::Origin)?;
        let (host, path) = after.split_at(after.find(['/', '?', '{']).unwrap_or(after.len()));
        // A path and a query begin with a mark that ends the host. Other places would extend it.
        let is_host_whole =
            !path.starts_with('{') || path.starts_with("{path}") || path.starts_with("{query}");
        if host.is_empty() || host.contains('}') || !is_host_whole {
            return Err(EndpointError::Origin);
        }
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some((before, place)) = rest.split_once('{') {
            let (place, after) = place.split_once('}').ok_or(EndpointError::Open)?;
            if !before.is_empty() {
                pieces.push(Piece::Text(before.to_owned()));
            }
            pieces.push(match (place, place.strip_prefix('='), place.parse::<usize>()) {
                ("path", ..) => Piece::Path,
                ("query", ..) => Piece::Query,
                ("id", ..) => Piece::Id,
                (_, Some(key), _) if !key.is_empty() => Piece::Value(key.to_owned()),
                (_, _, Ok(number)) if number > 0 => Piece::Segment(number),
                _ => return Err(EndpointError::Place(place.to_owned())),
            });
            rest = after;
        }
        if !rest.is_empty() {
            pieces.push(Piece::Text(rest.to_owned()));
        }
        Ok(Self { pieces })
    }
}

impl fmt::Display for EndpointTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces.iter().try_for_each(|piece| match piece {
            Piece::Text(text) => f.write_str(text),
            Piece::Path => f.write_str("{path}"),
            Piece::Query => f.write_str("{query}"),
            Piece::Segment(number) => write!(f, "{{{number}}}"),
            Piece::Id => f.write_str("{id}"),
            Piece::Value(key) => write!(f, "{{={key}}}"),
        })
    }
}

impl TryFrom<String> for EndpointTemplate {
    type Error = EndpointError;

    fn try_from(text: String) -> Result<Self, EndpointError> {
        text.parse()
    }
}

impl From<EndpointTemplate> for String {
    fn from(template: EndpointTemplate) -> String {
        template.to_string()
    }
}
