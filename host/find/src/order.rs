//! The order of hits, and positions in it.

use std::cmp::Ordering;

use magpie_model::Attribute;
use magpie_query::{Query, is_ranged};
use magpie_rows::{BadCursor, Cursor, SearchOptions, SearchOrder, SortKey, StoreError};
use magpie_values::Timestamp;
use xxhash_rust::xxh3::xxh3_64;

use crate::position::{Position, SortValue};

/// A hit with the value by which it is sorted.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Hit {
    pub(crate) key: SortValue,
    pub(crate) object: i64,
}

#[derive(Clone, Debug)]
pub(crate) struct Order {
    pub(crate) by: SortKey,
    /// The schema's entry of the attribute that makes the order.
    pub(crate) attribute: Option<Attribute>,
    pub(crate) is_descending: bool,
    /// Hash of the vertical, the query and the order: a cursor of another search is refused.
    search: u64,
}

impl Order {
    /// Returns the order that is asked for. Fails if the schema does not have its attribute.
    pub(crate) fn new(
        vertical: &str,
        attributes: &[&Attribute],
        query: &Query,
        options: &SearchOptions,
    ) -> Result<Order, StoreError> {
        let SearchOrder { by, is_reversed } = &options.order;
        let attribute = match by {
            SortKey::Attribute(name) => {
                let found = attributes.iter().find(|attribute| attribute.name == *name);
                let missing = || StoreError::NoAttribute {
                    vertical: vertical.to_owned(),
                    attribute: name.clone(),
                };
                Some((*found.ok_or_else(missing)?).clone())
            }
            _ => None,
        };
        let is_descending = match by {
            SortKey::Label | SortKey::Expires | SortKey::Soonest | SortKey::Attribute(_) => false,
            SortKey::Relevance
            | SortKey::Newest
            | SortKey::Records
            | SortKey::FirstSeen
            | SortKey::LastSeen
            | SortKey::Changed => true,
        };
        // All that the order depends on, so that a cursor of one search is refused by another.
        let search = format!("{vertical}\n{query}\n{by:?}\n{is_reversed}");
        Ok(Order {
            by: by.clone(),
            attribute,
            is_descending: is_descending != *is_reversed,
            search: xxh3_64(search.as_bytes()),
        })
    }

    /// Returns true if hits are sorted by numbers of an attribute.
    pub(crate) fn is_by_number(&self) -> bool {
        self.attribute
            .as_ref()
            .is_some_and(|attribute| is_ranged(&attribute.kind))
    }

    /// Compares two hits.
    pub(crate) fn compare(&self, one: &Hit, other: &Hit) -> Ordering {
        let rank = |key: &SortValue| match key {
            SortValue::Number(_) => 0,
            SortValue::Text(_) => 1,
            SortValue::Missing => 2,
        };
        let keys = match (&one.key, &other.key) {
            (SortValue::Number(one), SortValue::Number(other)) => one.total_cmp(other),
            (SortValue::Text(one), SortValue::Text(other)) => one.cmp(other),
            (one, other) => match rank(one).cmp(&rank(other)) {
                Ordering::Equal => Ordering::Equal,
                // Hits without a key come last in both directions, so this is returned before the
                // order is reversed.
                order => return order,
            },
        };
        let order = keys.then(one.object.cmp(&other.object));
        match self.is_descending {
            true => order.reverse(),
            false => order,
        }
    }

    /// Returns the hit at which a page ends, if a cursor of this search was passed.
    pub(crate) fn position(&self, cursor: Option<&Cursor>) -> Result<Option<Hit>, StoreError> {
        match cursor {
            None => Ok(None),
            Some(cursor) => match Position::of_cursor(cursor)? {
                // A cursor of another search would name a place that this order does not have.
                Position { search, key, object } if search == self.search => Ok(Some(Hit { key, object })),
                _ => Err(BadCursor::Elsewhere.into()),
            },
        }
    }

    pub(crate) fn cursor(&self, hit: &Hit) -> Cursor {
        let position = Position {
            search: self.search,
            key: hit.key.clone(),
            object: hit.object,
        };
        position.to_cursor()
    }

    /// Sorts hits, and returns those after a position, at most `limit`, with the cursor after them
    /// if more follow.
    pub(crate) fn cut(
        &self,
        mut hits: Vec<Hit>,
        after: Option<&Hit>,
        limit: usize,
    ) -> (Vec<Hit>, Option<Cursor>) {
        if let Some(after) = after {
            hits.retain(|hit| self.compare(hit, after).is_gt());
        }
        let has_more = hits.len() > limit;
        if has_more && limit > 0 {
            hits.select_nth_unstable_by(limit - 1, |one, other| self.compare(one, other));
        }
        hits.truncate(limit);
        hits.sort_by(|one, other| self.compare(one, other));
        let last = hits.last().filter(|_| has_more);
        let next = last.map(|last| self.cursor(last));
        (hits, next)
    }
}

/// Returns the key of what is next, by the time when an object expires.
pub(crate) fn soonest_key(expires_at: Option<Timestamp>, now: Timestamp) -> SortValue {
    // Later than any date, and small enough for sums to be exact.
    const NEVER: f64 = 1e15;
    SortValue::Number(match expires_at {
        Some(at) if at >= now => at.as_millis() as f64,
        Some(at) => 2.0 * NEVER - at.as_millis() as f64,
        None => NEVER,
    })
}

/// Returns the key of a text: it is sorted without its case, and cut, since a cursor carries it.
pub(crate) fn text_key(text: &str) -> SortValue {
    const MAX_KEY: usize = 200;
    let folded = magpie_values::text::fold(text);
    SortValue::Text(magpie_values::text::truncate(&folded, MAX_KEY).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_next_comes_first_and_what_was_last_comes_last() {
        let at = Timestamp::from_seconds;
        let now = at(1_000);
        let keys = [Some(1_000), Some(2_000), None, Some(999), Some(10)].map(|expires| {
            match soonest_key(expires.map(at), now) {
                SortValue::Number(key) => key,
                other => panic!("{other:?}"),
            }
        });
        assert!(keys.is_sorted_by(|one, other| one < other), "{keys:?}");
    }
}
