//! Explanations why records are one object, or why not.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap, VecDeque};

use magpie_matching::{Clustering, Origin, SchemaMatcher, Settings};
use magpie_model::{Matcher, Prepared, Record, Verdict};
use magpie_rows::{Objects, WarehouseLink};
use magpie_runtime::{Plugin, PluginMatcher};

use super::origins::decode;
use super::session::{MEMBERS, member};
use super::{Remembering, WarehouseError, chosen};

/// The comparison of two clusters: the most similar pair of records.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// The two records.
    pub pair: (i64, i64),
    /// The verdict of the matcher; `None` if it has none.
    pub verdict: Option<Verdict>,
    /// The kinds of keys they share. Without a shared key they are never compared.
    pub shared: Vec<String>,
    /// True if a person separated them.
    pub by_hand: bool,
    /// True if they are never one object: they have different pages of one site, or are rows of one
    /// list.
    pub by_site: bool,
}

/// Records of one cluster that are compared with those of another; more rarely change the result.
const MAX_COMPARED: usize = 20;

/// Returns the links from one record to another, in order, or `None` if they are not connected.
pub fn path(links: &[WarehouseLink], from: i64, to: i64) -> Option<Vec<WarehouseLink>> {
    let mut beside: BTreeMap<i64, Vec<&WarehouseLink>> = BTreeMap::new();
    for link in links {
        beside.entry(link.one).or_default().push(link);
        beside.entry(link.other).or_default().push(link);
    }
    let mut reached: BTreeMap<i64, Option<(i64, &WarehouseLink)>> = BTreeMap::from([(from, None)]);
    // Clusters are joined by their strongest links first, so the shortest path is usually the only
    // one.
    let mut waiting = VecDeque::from([from]);
    while let Some(here) = waiting.pop_front().filter(|here| *here != to) {
        for link in beside.get(&here).into_iter().flatten() {
            let there = if link.one == here { link.other } else { link.one };
            if let Entry::Vacant(entry) = reached.entry(there) {
                entry.insert(Some((here, link)));
                waiting.push_back(there);
            }
        }
    }
    let mut way = Vec::new();
    let mut here = to;
    while let Some((before, link)) = reached.get(&here)? {
        way.push((*link).clone());
        here = *before;
    }
    way.reverse();
    Some(way)
}

/// Compares the records of two clusters with the component of their vertical, as a clustering does.
pub fn compared(
    reader: &dyn Objects,
    plugins: &[Plugin],
    vertical: &str,
    ones: &[i64],
    others: &[i64],
) -> Result<Option<Compared>, WarehouseError> {
    match chosen(plugins, vertical) {
        Some((plugin, true)) => compared_by(reader, &mut PluginMatcher(plugin), vertical, ones, others),
        Some((plugin, false)) => compared_by(
            reader,
            &mut SchemaMatcher::new(plugin.info()),
            vertical,
            ones,
            others,
        ),
        None => Err(WarehouseError::NoPlugin {
            vertical: vertical.to_owned(),
            there: plugins.iter().map(|plugin| plugin.info().name.clone()).collect(),
        }),
    }
}

/// Compares them with any matcher.
pub fn compared_by<M: Remembering>(
    reader: &dyn Objects,
    matcher: &mut M,
    vertical: &str,
    ones: &[i64],
    others: &[i64],
) -> Result<Option<Compared>, WarehouseError> {
    let Some(row) = reader.warehouse_vertical(vertical)? else {
        return Ok(None);
    };
    // The matcher of the schema weighs words by the records of the whole vertical.
    let places = Places::read(reader, matcher, row.id)?;
    let failed = |error: M::Error| WarehouseError::Matcher {
        vertical: vertical.to_owned(),
        source: Box::new(error),
    };
    let ones = prepare(reader, matcher, ones, failed)?;
    let others = prepare(reader, matcher, others, failed)?;
    let many: Vec<&[u8]> = others
        .iter()
        .map(|(_, other)| other.features.as_slice())
        .collect();
    let apart = reader.apart(row.id)?;
    let mut best: Option<Compared> = None;
    for (one_id, one) in &ones {
        let mut verdicts = matcher.compare(&one.features, &many).map_err(failed)?.into_iter();
        for (other_id, other) in &others {
            let verdict = verdicts.next();
            // A pair without a verdict ranks below the least likely one.
            let probability = |verdict: &Option<Verdict>| verdict.as_ref().map_or(-1.0, |v| v.probability);
            let shared = shared(one, other);
            // A pair that is compared is better evidence than one that never is.
            let rank = |compared: &Compared| (!compared.shared.is_empty(), probability(&compared.verdict));
            let compared = Compared {
                pair: (*one_id, *other_id),
                verdict,
                shared,
                by_hand: apart.contains(&(*one_id.min(other_id), *one_id.max(other_id))),
                by_site: places.forbid(*one_id, *other_id),
            };
            let by_hand = best.as_ref().is_some_and(|best| best.by_hand) || compared.by_hand;
            let by_site = best.as_ref().is_some_and(|best| best.by_site) || compared.by_site;
            if best.as_ref().is_none_or(|best| rank(&compared) > rank(best)) {
                best = Some(compared);
            }
            best.iter_mut()
                .for_each(|best| (best.by_hand, best.by_site) = (by_hand, by_site));
        }
    }
    Ok(best)
}

/// Places in which the records of a vertical were found.
struct Places {
    /// It knows which pages are detail pages, and has no members.
    clustering: Clustering,
    origins: HashMap<i64, Origin>,
}

impl Places {
    /// Reads them, and lets the matcher count what it weighs words by.
    fn read<M: Remembering>(
        reader: &dyn Objects,
        matcher: &mut M,
        warehouse: i64,
    ) -> Result<Self, WarehouseError> {
        let mut places = Places {
            clustering: Clustering::new(Settings::default()),
            origins: HashMap::new(),
        };
        let mut after = 0;
        loop {
            let rows = reader.standing_after(warehouse, after, MEMBERS)?;
            let Some(last) = rows.last() else {
                return Ok(places);
            };
            after = last.id;
            for row in &rows {
                // Features of other rules are useless to this matcher. Without them words look
                // rarer at most.
                let _ = matcher.remember(&row.features);
                let origin = decode(&row.origin);
                places.clustering.foresee(member(row.id), &origin);
                places.origins.insert(row.id, origin);
            }
        }
    }

    fn forbid(&self, one: i64, other: i64) -> bool {
        let ends = self.origins.get(&one).zip(self.origins.get(&other));
        ends.is_some_and(|(one, other)| self.clustering.forbids(one, other))
    }
}

fn prepare<M: Matcher>(
    reader: &dyn Objects,
    matcher: &mut M,
    records: &[i64],
    failed: impl Fn(M::Error) -> WarehouseError,
) -> Result<Vec<(i64, Prepared)>, WarehouseError> {
    let mut objects = Vec::new();
    let records = &records[..records.len().min(MAX_COMPARED)];
    let rows: HashMap<i64, Option<Record>> = reader
        .records(records)?
        .into_iter()
        .map(|row| (row.id, row.record))
        .collect();
    for record in records {
        let found = rows
            .get(record)
            .ok_or(WarehouseError::NoMember { record: *record })?;
        objects.push(found.clone().unwrap_or_default().to_object());
    }
    let prepared = matcher.prepare(&objects).map_err(failed)?;
    Ok(records.iter().copied().zip(prepared).collect())
}

/// The kinds of keys that two share, each once.
fn shared(one: &Prepared, other: &Prepared) -> Vec<String> {
    let mut shared: Vec<String> = Vec::new();
    for key in one.keys.iter().filter(|key| other.keys.contains(key)) {
        if !shared.contains(&key.scheme) {
            shared.push(key.scheme.clone());
        }
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(one: i64, other: i64) -> WarehouseLink {
        WarehouseLink {
            one,
            other,
            probability: 0.9,
            scheme: "key".to_owned(),
            reasons: Vec::new(),
        }
    }

    #[test]
    fn the_way_between_two_records_is_found_in_either_direction() {
        let links = [link(1, 2), link(2, 5), link(3, 5), link(7, 8)];
        let ends = |from, to| {
            let way = path(&links, from, to)?;
            Some(way.iter().map(|link| (link.one, link.other)).collect::<Vec<_>>())
        };
        assert_eq!(ends(1, 3), Some(vec![(1, 2), (2, 5), (3, 5)]));
        assert_eq!(ends(3, 1), Some(vec![(3, 5), (2, 5), (1, 2)]));
        assert_eq!(ends(1, 1), Some(vec![]));
        assert_eq!(ends(1, 8), None);
        assert_eq!(ends(1, 99), None);
    }
}
