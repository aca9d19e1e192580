//! Queries to a search engine for an object, by the schema alone.

use magpie_model::{Query, Record, VerticalInfo};
use magpie_values::query;

/// Returns queries for a record, the most telling first: those that the SDK makes for a vertical
/// that has no queries of its own.
pub fn queries(info: &VerticalInfo, record: &Record) -> Vec<Query> {
    let attributes: Vec<query::Attribute<'_>> = info
        .attributes
        .iter()
        .map(|attribute| query::Attribute {
            meaning: attribute.kind.comparison().into(),
            identifies: attribute.identifies,
            query: attribute.query,
            weight: attribute.weight,
            values: record.all(&attribute.name).collect(),
        })
        .collect();
    let made = query::queries(&attributes).into_iter().map(|query| Query {
        text: query.text,
        purpose: query.purpose.to_owned(),
    });
    made.collect()
}
