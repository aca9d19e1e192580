//! Queries: pairs of keys and values, in one order, without those that do not decide the page.

use super::escapes::{Needs, Respelled, respell};
use super::{Canonicaliser, Change};

/// Remains of `&amp;` at the front of a key. Each visit to a page that escapes twice adds one, and
/// nothing else does.
const DEBRIS: [&str; 2] = ["amp;", "amp%3B"];

impl Canonicaliser {
    pub(super) fn push_query(
        &self,
        query: &str,
        out: &mut String,
        respelled: &mut Respelled,
        changes: &mut Vec<Change>,
    ) {
        if query.is_empty() {
            changes.push(Change::EmptyQuery);
            return;
        }
        if Needs::of(query).respelling() {
            let mut spelled = String::with_capacity(query.len() + 16);
            respell(query, &mut spelled, respelled);
            self.push_spelled_query(&spelled, out, changes);
        } else {
            self.push_spelled_query(query, out, changes);
        }
    }

    fn push_spelled_query(&self, query: &str, out: &mut String, changes: &mut Vec<Change>) {
        // Most queries are, and they are copied as a whole.
        if self.is_canonical(query) {
            out.push('?');
            out.push_str(query);
            return;
        }
        let mut pairs = self.pairs_that_count(query, changes);
        if self.order_keys && !pairs.is_sorted_by(|one, next| key_of(one) <= key_of(next)) {
            // A stable sort: values of one key keep their order, which is often a list's.
            pairs.sort_by(|one, other| key_of(one).cmp(key_of(other)));
            changes.push(Change::KeyOrder);
        }
        for (number, pair) in pairs.into_iter().enumerate() {
            out.push(if number == 0 { '?' } else { '&' });
            out.push_str(pair);
        }
    }

    /// Returns true if a query can stay unchanged: the usual case, found without allocating.
    pub(super) fn is_canonical(&self, query: &str) -> bool {
        let mut last = "";
        query.split('&').all(|pair| {
            let (key, value) = split(pair);
            let in_order = !self.order_keys || last <= key;
            last = key;
            in_order
                && !pair.is_empty()
                && strip_debris(pair).len() == pair.len()
                && self.keys.keeps(key, value)
        })
    }

    fn pairs_that_count<'a>(&self, query: &'a str, changes: &mut Vec<Change>) -> Vec<&'a str> {
        let (mut is_holed, mut has_debris) = (false, false);
        let mut pairs = Vec::new();
        for written in query.split('&') {
            let pair = strip_debris(written);
            has_debris |= pair.len() < written.len();
            if pair.is_empty() {
                is_holed = true;
                continue;
            }
            let (key, value) = split(pair);
            match self.keys.reason_to_drop(key, value) {
                Some(change) => changes.push(change),
                None => pairs.push(pair),
            }
        }
        changes.extend(is_holed.then_some(Change::EmptyPairs));
        changes.extend(has_debris.then_some(Change::EntityDebris));
        pairs
    }
}

fn split(pair: &str) -> (&str, &str) {
    pair.split_once('=').unwrap_or((pair, ""))
}

fn key_of(pair: &str) -> &str {
    split(pair).0
}

/// Takes `amp;` from the front as often as it is there, unless it is all there is.
fn strip_debris(mut pair: &str) -> &str {
    while let Some(rest) = DEBRIS.into_iter().find_map(|debris| pair.strip_prefix(debris)) {
        if rest.is_empty() {
            break;
        }
        pair = rest;
    }
    pair
}
