//! Resources: objects by their permanent addresses, `magpie://WORKSPACE/object/17`.
//!
//! A list names objects by number alone. Labels come from web pages, and a list has no place for a
//! fence around them.

use magpie_rows::ReadStore;
use magpie_rows::{ObjectId, SearchOptions, SearchOrder, SortKey};
use magpie_values::Timestamp;
use serde_json::{Value, json};

use crate::Error;
use crate::api::{Found, VerticalSchema, object_document, object_id};

/// Resources of a page of the list.
const PAGE: usize = 100;

/// The scheme of the addresses.
const SCHEME: &str = "magpie";

/// The media type of a resource: JSON within a fence.
const MEDIA_TYPE: &str = "text/plain";

fn address(workspace: &str, id: ObjectId) -> String {
    format!("{SCHEME}://{workspace}/object/{}", id.0)
}

pub(super) fn templates(reader: &dyn ReadStore) -> Result<Value, Error> {
    let workspace = reader.workspace_id()?;
    Ok(json!([{
        "uriTemplate": format!("{SCHEME}://{workspace}/object/{{id}}"), "name": "object", "title": "An object",
        "description": "All that is known of an object: its values, and the pages that state them. The tools tell \
            its number.",
        "mimeType": MEDIA_TYPE,
    }]))
}

/// Returns a page of the objects of all verticals, the newest of each first, and the cursor of the
/// next page.
pub(super) fn list(
    reader: &dyn ReadStore,
    now: Timestamp,
    cursor: Option<&str>,
) -> Result<(Value, Option<String>), Error> {
    let bad = || Error::BadRequest("`cursor` is not of this list: take it from the answer before".to_owned());
    let workspace = reader.workspace_id()?;
    let verticals = VerticalSchema::all(reader)?;
    let (mut at, mut after) = match cursor {
        None => (0, None),
        Some(cursor) => {
            let (name, position) = cursor.split_once('/').ok_or_else(bad)?;
            let at = verticals.iter().position(|vertical| vertical.name == name);
            let after = match position {
                "" => None,
                position => Some(position.parse().map_err(|_| bad())?),
            };
            (at.ok_or_else(bad)?, after)
        }
    };
    let mut resources = Vec::new();
    while let Some(vertical) = verticals.get(at) {
        let options = SearchOptions {
            order: SearchOrder {
                by: SortKey::Newest,
                is_reversed: false,
            },
            after: after.take(),
            limit: PAGE - resources.len(),
            facets: 0,
        };
        let page = reader.search(&vertical.name, &vertical.query("", now)?, &options)?;
        resources.extend(page.hits.iter().map(|object| {
            json!({
                "uri": address(&workspace, object.id), "name": format!("object-{}", object.id.0),
                "title": format!("Object {} of {}", object.id.0, vertical.name), "mimeType": MEDIA_TYPE,
            })
        }));
        if let Some(next) = page.next {
            return Ok((json!(resources), Some(format!("{}/{next}", vertical.name))));
        }
        at += 1;
        if resources.len() == PAGE {
            let next = verticals.get(at).map(|vertical| format!("{}/", vertical.name));
            return Ok((json!(resources), next));
        }
    }
    Ok((json!(resources), None))
}

/// Returns the object at an address, and its own address: that of its successor, if it is part of
/// another object now. `None` if there is no such address.
pub(super) fn read(reader: &dyn ReadStore, uri: &str) -> Result<Option<Resource>, Error> {
    let workspace = reader.workspace_id()?;
    let number = uri
        .strip_prefix(SCHEME)
        .and_then(|rest| rest.strip_prefix("://"))
        .and_then(|rest| rest.strip_prefix(workspace.as_str()))
        .and_then(|rest| rest.strip_prefix("/object/"));
    let Some(number) = number else { return Ok(None) };
    match whole(reader, number) {
        Ok((id, object)) => Ok(Some(Resource {
            uri: address(&workspace, id),
            media_type: MEDIA_TYPE,
            object,
        })),
        Err(Error::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// An object as a resource.
pub(crate) struct Resource {
    pub(crate) uri: String,
    pub(crate) media_type: &'static str,
    /// The object, which is not fenced yet.
    pub(crate) object: Value,
}

fn whole(reader: &dyn ReadStore, number: &str) -> Result<(ObjectId, Value), Error> {
    following(reader, object_id(number)?)
}

/// Returns all that is known of an object, or of the one that it is part of now.
pub(super) fn following(reader: &dyn ReadStore, mut id: ObjectId) -> Result<(ObjectId, Value), Error> {
    loop {
        match object_document(reader, id)? {
            Found::Here(object) => return Ok((id, object)),
            // A successor has a greater or smaller number, but never itself.
            Found::In(successor) if successor != id => id = successor,
            Found::In(_) => return Err(Error::Defect),
        }
    }
}
