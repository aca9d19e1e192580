//! Search without an index: each object is tested.

use std::collections::HashMap;

use magpie_model::Attribute;
use magpie_query::{MAX_FACET_BYTES, Query, Subject, Test, has_facet, interval, tokens};
use magpie_values::Timestamp;

use super::order::{Hit, Order, text_key};
use super::run::facet;
use super::{Count, MAX_COUNTED, SearchOptions, SearchPage, SortKey};
use magpie_query::SortValue;
use crate::{ObjectRow, StoreError};

/// Searches objects, each with the URLs of its records.
pub(crate) fn search(
    vertical: &str,
    attributes: &[Attribute],
    objects: Vec<(ObjectRow, Vec<String>)>,
    query: &Query,
    options: &SearchOptions,
) -> Result<SearchPage, StoreError> {
    let by_name: Vec<&Attribute> = attributes.iter().collect();
    let order = Order::new(vertical, &by_name, query, options)?;
    let after = order.position(options.after.as_ref())?;
    let matching = objects.into_iter();
    let mut rows: Vec<ObjectRow> = matching
        .filter(|(row, urls)| query.matches(&subject(row, urls, attributes)))
        .map(|(row, _)| row)
        .collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.id));
    let counted = rows.len().min(MAX_COUNTED);
    let total = match rows.len() > MAX_COUNTED {
        true => Count::MoreThan(counted as u64),
        false => Count::Exact(counted as u64),
    };
    let mut facets = Vec::new();
    for attribute in attributes.iter().filter(|attribute| has_facet(attribute)) {
        let mut counts: HashMap<&str, u64> = HashMap::new();
        for row in &rows[..counted] {
            let mut values: Vec<&str> = row.record.all(&attribute.name).collect();
            values.retain(|value| value.len() <= MAX_FACET_BYTES);
            values.sort_unstable();
            values.dedup();
            values
                .into_iter()
                .for_each(|value| *counts.entry(value).or_default() += 1);
        }
        if !counts.is_empty() && options.facets > 0 {
            let values = counts.into_iter().map(|(value, hits)| (hits, value.to_owned()));
            facets.push(facet(attribute, values.collect(), options.facets));
        }
    }
    let hits = rows.iter().map(|row| Hit {
        key: key(&order, row, query),
        object: row.id.0,
    });
    let (hits, next) = order.cut(hits.collect(), after.as_ref(), options.limit);
    let mut by_id: HashMap<i64, ObjectRow> = rows.into_iter().map(|row| (row.id.0, row)).collect();
    Ok(SearchPage {
        hits: hits.iter().filter_map(|hit| by_id.remove(&hit.object)).collect(),
        total,
        facets,
        facets_of: counted as u64,
        next,
    })
}

/// Returns an object as a query sees it.
pub(crate) fn subject<'a>(
    row: &'a ObjectRow,
    urls: &'a [String],
    attributes: &'a [Attribute],
) -> Subject<'a> {
    Subject {
        label: &row.label,
        record: &row.record,
        attributes,
        urls,
        current: row.current,
        first_seen: row.first_seen,
        last_seen: row.last_seen,
        changed_at: row.changed_at,
        expires_at: row.expires_at,
    }
}

fn key(order: &Order, row: &ObjectRow, query: &Query) -> SortValue {
    let time = |time: Timestamp| SortValue::Number(time.as_millis() as f64);
    match &order.by {
        SortKey::Newest => SortValue::Number(0.0),
        SortKey::Relevance => {
            let label = tokens(&row.label);
            let mut words = query.terms().iter().filter(|term| !term.is_negated);
            let mut has_words = false;
            let has_all = words.all(|term| match &term.test {
                Test::Words(phrase) => {
                    has_words = true;
                    phrase.is_in(&label)
                }
                _ => true,
            });
            SortValue::Number(f64::from(u8::from(has_all && has_words)))
        }
        SortKey::Label => text_key(&row.label),
        SortKey::Records => SortValue::Number(row.members as f64),
        SortKey::FirstSeen => time(row.first_seen),
        SortKey::LastSeen => time(row.last_seen),
        SortKey::Changed => time(row.changed_at),
        SortKey::Expires => row.expires_at.map_or(SortValue::Missing, time),
        SortKey::Attribute(name) => {
            let kind = order.attribute.as_ref().map(|attribute| &attribute.kind);
            match kind.filter(|_| order.is_by_number()) {
                Some(kind) => {
                    let mut values = row.record.all(name);
                    let number = values.find_map(|value| interval(kind, value));
                    number.map_or(SortValue::Missing, |number| SortValue::Number(number.low))
                }
                None => row.record.get(name).map_or(SortValue::Missing, text_key),
            }
        }
    }
}
