//! Search engine queries by the schema alone.

use magpie_values::{kind, query};

use crate::bindings::queries::Query;
use crate::cluster::Values;
use crate::record::Record;

/// Returns queries for an object: its identifiers; its name in quotes with the other values that
/// the schema marks with `query`; and the same words without quotes. The host makes the same
/// queries for a vertical that has none of its own.
pub fn queries<R: Record>(record: &R) -> Vec<Query> {
    let values = Values::of(record);
    let attributes: Vec<query::Attribute<'_>> = R::SCHEMA
        .iter()
        .enumerate()
        .map(|(index, attribute)| query::Attribute {
            meaning: kind::comparison(attribute.kind).into(),
            identifies: attribute.identifies,
            query: attribute.query,
            weight: attribute.weight,
            values: values.all(index).iter().map(|value| &**value).collect(),
        })
        .collect();
    let made = query::queries(&attributes).into_iter().map(|query| Query {
        text: query.text,
        purpose: query.purpose.to_owned(),
    });
    made.collect()
}
