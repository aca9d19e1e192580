//! Texts with places for the query, the count and the key.

use std::fmt;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

#[derive(Clone)]
pub(super) struct Template(Vec<Piece>);

#[derive(Clone, Debug, PartialEq)]
enum Piece {
    Text(String),
    Place(Place),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Query,
    Count,
    Key,
}

pub(super) enum Flaw {
    Open,
    /// Nothing is known by this name.
    Unknown(String),
}

impl Template {
    /// Reads a text with names in braces.
    pub(super) fn parse(text: &str) -> Result<Template, Flaw> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once('{') {
            let (name, after) = behind.split_once('}').ok_or(Flaw::Open)?;
            pieces.push(Piece::Text(before.to_owned()));
            pieces.push(Piece::Place(match name {
                "query" => Place::Query,
                "count" => Place::Count,
                "key" => Place::Key,
                other => return Err(Flaw::Unknown(other.to_owned())),
            }));
            rest = after;
        }
        pieces.push(Piece::Text(rest.to_owned()));
        Ok(Template(pieces))
    }

    /// A fixed address that the query follows, and what follows the query.
    pub(super) fn around(before: String, place: Place, after: &str) -> Template {
        Template(vec![
            Piece::Text(before),
            Piece::Place(place),
            Piece::Text(after.to_owned()),
        ])
    }

    pub(super) fn then(mut self, place: Place) -> Template {
        self.0.push(Piece::Place(place));
        self
    }

    pub(super) fn has(&self, place: Place) -> bool {
        self.0.contains(&Piece::Place(place))
    }

    /// The text with everything in its place, percent-encoded as an address wants it.
    pub(super) fn address(&self, query: &str, count: usize, key: &str) -> String {
        self.filled(|place| match place {
            Place::Query => encoded(query),
            Place::Count => count.to_string(),
            Place::Key => encoded(key),
        })
    }

    /// The text with the key as it is.
    pub(super) fn field(&self, key: &str) -> String {
        self.filled(|_| key.to_owned())
    }

    fn filled(&self, value: impl Fn(Place) -> String) -> String {
        let text = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Place(place) => value(*place),
        };
        self.0.iter().map(text).collect()
    }
}

impl fmt::Debug for Template {
    /// Its places alone: people write their keys into such texts.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places = self.0.iter().filter_map(|piece| match piece {
            Piece::Text(_) => None,
            Piece::Place(place) => Some(place),
        });
        formatter.debug_list().entries(places).finish()
    }
}

fn encoded(text: &str) -> String {
    // Everything but letters and digits is encoded, so the text can't end its part of the URL.
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}
