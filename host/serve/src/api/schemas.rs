//! The verticals of a workspace and their attributes.

use magpie_model::Attribute;
use magpie_query::{Context, Query};
use magpie_rows::ReadStore;
use magpie_values::Timestamp;

use crate::Error;

#[derive(Clone, Debug)]
pub(crate) struct VerticalSchema {
    pub(crate) name: String,
    /// Its attributes, as they were when it was clustered.
    pub(crate) attributes: Vec<Attribute>,
}

impl VerticalSchema {
    pub(crate) fn all(reader: &dyn ReadStore) -> Result<Vec<VerticalSchema>, Error> {
        let rows = reader.warehouse_verticals()?;
        let schema = |row: &magpie_rows::WarehouseRow| VerticalSchema {
            name: row.vertical.clone(),
            attributes: serde_json::from_str(&row.matching.schema).unwrap_or_default(),
        };
        Ok(rows.iter().map(schema).collect())
    }

    /// Returns the named vertical, or the only one.
    pub(crate) fn choose(reader: &dyn ReadStore, name: Option<&str>) -> Result<VerticalSchema, Error> {
        let mut all = VerticalSchema::all(reader)?;
        let names = |all: &[VerticalSchema]| {
            let names: Vec<&str> = all.iter().map(|vertical| vertical.name.as_str()).collect();
            names.join(", ")
        };
        match name {
            Some(name) => match all.iter().position(|vertical| vertical.name == name) {
                Some(at) => Ok(all.swap_remove(at)),
                None if all.is_empty() => Err(Error::NotFound(
                    "there is no object yet: nothing has been collected and clustered".to_owned(),
                )),
                None => Err(Error::NotFound(format!(
                    "there is no vertical `{name}`; there are {}",
                    names(&all)
                ))),
            },
            None if all.len() == 1 => Ok(all.swap_remove(0)),
            None if all.is_empty() => Err(Error::NotFound(
                "there is no object yet: nothing has been collected and clustered".to_owned(),
            )),
            None => Err(Error::BadRequest(format!(
                "there are several verticals: name one with `vertical`: {}",
                names(&all)
            ))),
        }
    }

    /// Returns the named vertical, for an address that may also have been meant for a page.
    pub(crate) fn read(reader: &dyn ReadStore, name: &str) -> Result<VerticalSchema, Error> {
        let found = VerticalSchema::all(reader)?
            .into_iter()
            .find(|vertical| vertical.name == name);
        found.ok_or_else(|| Error::NotFound(format!("there is no page and no vertical of the name `{name}`")))
    }

    pub(crate) fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// Returns the label of an attribute; its name if the schema does not have it any more.
    pub(crate) fn label<'a>(&'a self, name: &'a str) -> &'a str {
        self.attribute(name)
            .map_or(name, |attribute| attribute.label.as_str())
    }

    /// Parses a query for objects of the vertical.
    pub(crate) fn query(&self, text: &str, now: Timestamp) -> Result<Query, Error> {
        let context = Context {
            attributes: &self.attributes,
            now,
        };
        Query::parse(text, &context).map_err(|error| Error::BadRequest(error.to_string()))
    }
}
