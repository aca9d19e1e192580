//! Structured data of all kinds in one form.

mod entity;
mod found;
mod json_ld;
mod lenient;
mod microdata;
mod microformats;
mod open_graph;
mod rdfa;
mod state;
mod vocabulary;

use serde_json::Value;

use crate::dom::{Document, NodeId};
use crate::{Limits, Problem};
use entity::Budget;
use found::Found;
pub(crate) use state::{document_urls, state_urls};

/// One entity of the page's structured data, in one form whatever the syntax was.
#[derive(Clone, Debug, PartialEq)]
pub struct StructuredItem {
    /// `json-ld`, `microdata`, `rdfa`, `microformats2`, `open-graph` or `inline-state`.
    pub syntax: &'static str,
    /// Its types, short where the vocabulary is schema.org (`Event`), as written otherwise
    /// (`h-event`, `og:article`). Objects of inline state often have no type; theirs is the name
    /// of the property that holds them (`events`). So are the objects of a JSON document.
    pub types: Vec<String>,
    /// The entity as a JSON object: `@type` a list of strings, `@id` a string when there is one,
    /// and every property a list of strings, numbers, booleans or nested entities of the same form.
    /// schema.org's property names are short, those of Open Graph as written (`og:title`), those of
    /// microformats without their prefix (`name`); microformats inside one that are no property of
    /// it are its `children`.
    pub json: Value,
    /// The element that holds it; none for JSON-LD that was put together from several scripts, and
    /// in a JSON document.
    pub node: Option<NodeId>,
}

/// Reads the objects of a JSON document, in the order of the document.
pub(crate) fn read_json(text: &str, limits: &Limits) -> (Vec<StructuredItem>, Vec<Problem>) {
    let budget = Budget::new(limits);
    finish(state::read_document(text, &budget), &budget, Vec::new())
}

/// Reads all structured data of a document, in document order.
pub(crate) fn read(document: &Document, limits: &Limits) -> (Vec<StructuredItem>, Vec<Problem>) {
    let budget = Budget::new(limits);
    let mut problems = Vec::new();
    let mut found = json_ld::read(document, &budget, &mut problems);
    found.extend(microdata::read(document, &budget));
    found.extend(rdfa::read(document, &budget));
    found.extend(microformats::read(document, &budget));
    found.extend(open_graph::read(document, &budget));
    // Last, so that a large state leaves the budget to what was written for readers of any kind.
    found.extend(state::read(document, &budget));
    found.sort_by_key(|found| found.place);
    finish(found, &budget, problems)
}

fn finish(
    found: Vec<Found>,
    budget: &Budget,
    mut problems: Vec<Problem>,
) -> (Vec<StructuredItem>, Vec<Problem>) {
    if budget.is_exceeded() {
        problems.push(Problem::TooMuchStructuredData);
    }
    let items = found.into_iter().map(|found| StructuredItem {
        syntax: found.syntax,
        types: found.entity.types.clone(),
        json: found.entity.into_json(),
        node: found.node,
    });
    (items.collect(), problems)
}
