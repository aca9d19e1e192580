//! Many values in one call: rows, and from each row the columns.

use std::str::FromStr;

use selectors::context::SelectorCaches;

use super::element::Work;
use super::search::{Search, Stopped};
use super::syntax::{InvalidSelector, Selector};
use crate::dom::{Document, NodeId};

/// Value to take from each row, and its position in the row.
#[derive(Clone, Debug)]
pub struct Column {
    /// None means the row itself.
    selector: Option<Selector>,
    take: Take,
}

/// Value to take from an element.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Take {
    Text,
    OwnText,
    Html,
    Attribute(String),
    Url(String),
}

impl Column {
    /// Parses a column: a selector relative to the row (empty or `:scope`: the row itself), and the
    /// value to take: `text`, `own-text`, `html`, `@name` or `url:name`.
    pub fn parse(css: &str, take: &str) -> Result<Column, InvalidSelector> {
        let take = take.parse().map_err(|UnknownTake| InvalidSelector {
            css: take.to_owned(),
            position: 1,
            reason: "a column takes text, own-text, html, @name or url:name",
        })?;
        let selector = match css.trim() {
            "" | ":scope" => None,
            _ => Some(Selector::parse(css)?),
        };
        Ok(Column { selector, take })
    }
}

struct UnknownTake;

impl FromStr for Take {
    type Err = UnknownTake;

    fn from_str(text: &str) -> Result<Take, UnknownTake> {
        match text {
            "text" => Ok(Take::Text),
            "own-text" => Ok(Take::OwnText),
            "html" => Ok(Take::Html),
            _ => {
                let (name, take): (_, fn(String) -> Take) = match text.strip_prefix("url:") {
                    Some(name) => (name, Take::Url),
                    None => (text.strip_prefix('@').ok_or(UnknownTake)?, Take::Attribute),
                };
                if name.is_empty() {
                    Err(UnknownTake)
                } else {
                    Ok(take(name.to_ascii_lowercase()))
                }
            }
        }
    }
}

/// One value that `table` took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The node it was taken from.
    pub node: NodeId,
    /// The value.
    pub text: String,
}

/// One row that `table` found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The node the row selector matched.
    pub node: NodeId,
    /// A cell for each column; none where nothing matched or the attribute is not there.
    pub cells: Vec<Option<Cell>>,
}

impl Document {
    /// Returns a row for each element below `scope` that matches `rows`, with one value for each
    /// column.
    pub fn table(
        &self,
        scope: NodeId,
        rows: &Selector,
        columns: &[Column],
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<Row>, Stopped> {
        let work = Work::new(self, keep_going);
        let mut caches = SelectorCaches::default();
        let mut search = Search::new(&work, &mut caches);
        let nodes = search.all(scope, rows)?;
        nodes
            .into_iter()
            .map(|node| self.row(node, columns, &mut search))
            .collect()
    }

    fn row(&self, node: NodeId, columns: &[Column], search: &mut Search<'_, '_>) -> Result<Row, Stopped> {
        let cells = columns.iter().map(|column| {
            let found = match &column.selector {
                None => Some(node),
                Some(selector) => search.first(node, selector)?,
            };
            Ok(found.and_then(|node| {
                Some(Cell {
                    node,
                    text: self.take(node, &column.take)?,
                })
            }))
        });
        Ok(Row {
            node,
            cells: cells.collect::<Result<_, Stopped>>()?,
        })
    }

    fn take(&self, node: NodeId, take: &Take) -> Option<String> {
        match take {
            Take::Text => Some(self.text_of(node)),
            Take::OwnText => Some(self.own_text(node)),
            Take::Html => Some(self.html_of(node)),
            Take::Attribute(name) => self.attribute(node, name).map(str::to_owned),
            Take::Url(name) => self.resolve(self.attribute(node, name)?),
        }
    }
}
