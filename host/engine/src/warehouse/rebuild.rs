//! Clustering of everything again, for clusters that were made by other rules.
//!
//! Only records that are compared take part: current ones, and the last seen of objects that are
//! gone. A record that a newer one has replaced goes with the number of its cluster.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use magpie_matching::{ClusterId, Clustering, MemberId, Origin};
use magpie_model::Object;
use magpie_rows::{PreparedMember, Reassignment, Rebuild};

use super::batch::warehouse_link;
use super::names::Names;
use super::origins::decode;
use super::session::{MEMBERS, Memory, Session, keys, member, number};
use super::{Remembering, WarehouseError};

impl<M: Remembering> Session<'_, M> {
    /// Clusters all members again, and gives each cluster the number that most of its members had.
    pub(super) fn rebuild(&mut self) -> Result<Memory, WarehouseError> {
        // The old clustering is invalid from here on. A process that is killed before the end
        // begins again.
        self.store.rebuild(self.warehouse, Rebuild::Begin)?;
        let (settings, apart) = self.settings()?;
        let mut clustering = Clustering::new(settings);
        let mut before: BTreeMap<i64, i64> = BTreeMap::new();
        let mut places: Vec<(i64, Origin)> = Vec::new();
        loop {
            let after = before.last_key_value().map_or(0, |(id, _)| *id);
            let rows = self.store.standing_after(self.warehouse, after, MEMBERS)?;
            if rows.is_empty() {
                break;
            }
            before.extend(rows.iter().map(|row| (row.id, row.object)));
            // The features of the rows are of no use to other rules, and would be in memory beside
            // the new ones.
            places.extend(rows.into_iter().map(|row| (row.id, decode(&row.origin))));
        }
        for (id, origin) in &places {
            clustering.foresee(member(*id), origin);
        }
        for (step, some) in places.chunks(MEMBERS).enumerate() {
            self.add(&mut clustering, some)?;
            // A small vertical is done within one step and needs no report of progress.
            if step > 0 {
                (self.progress)(&format!(
                    "{}: {} records were compared again",
                    self.report.vertical,
                    step * MEMBERS + some.len()
                ));
            }
        }
        self.report.reclustered = !before.is_empty();
        let names = self.reassign(&clustering, &before)?;
        Ok(Memory {
            clustering,
            names,
            apart,
        })
    }

    /// Prepares members again and adds them in batches.
    fn add(&mut self, clustering: &mut Clustering, places: &[(i64, Origin)]) -> Result<(), WarehouseError> {
        for some in places.chunks(self.options.batch.max(1)) {
            let (ids, origins): (Vec<i64>, Vec<Origin>) = some.iter().copied().unzip();
            let mut records = self.read_records(&ids)?;
            let objects = ids
                .iter()
                // A record that can't be read keeps its place as an empty object, since
                // preparations are matched to members by their order.
                .map(|id| records.remove(id).unwrap_or_default().to_object());
            let objects: Vec<Object> = objects.collect();
            let members: Vec<MemberId> = ids.iter().map(|id| member(*id)).collect();
            let added = clustering.add_from(&mut self.matcher, &members, &objects, &origins);
            added.map_err(|error| self.failed(error))?;
            let prepared = ids.iter().zip(self.matcher.take());
            let prepared = prepared.map(|(id, prepared)| PreparedMember {
                id: *id,
                features: prepared.features,
                keys: keys(prepared.keys),
            });
            self.store
                .rebuild(self.warehouse, Rebuild::Prepare(prepared.collect()))?;
        }
        Ok(())
    }

    fn reassign(
        &mut self,
        clustering: &Clustering,
        before: &BTreeMap<i64, i64>,
    ) -> Result<Names, WarehouseError> {
        let found: Vec<(ClusterId, Vec<i64>)> = clustering
            .clusters()
            .into_iter()
            .map(|cluster| (cluster.id, cluster.members.into_iter().map(number).collect()))
            .collect();
        let overlaps = overlaps(&found, before);
        let mut names = Names::after(self.store.totals(self.warehouse)?.last);
        let kept = keep(&overlaps);
        kept.iter().for_each(|(number, id)| names.put(*id, *number));
        let mut reassignment = Reassignment {
            matching: self.subject.matching(self.options),
            now: self.options.clock.now(),
            ..Reassignment::default()
        };
        for (id, members) in &found {
            let (number, is_new) = names.number(*id);
            if is_new {
                reassignment.new.push(number);
            }
            let moved = members
                .iter()
                .filter(|member| before.get(member) != Some(&number));
            reassignment.moved.extend(moved.map(|member| (*member, number)));
        }
        for (old, id) in most(&overlaps) {
            // A number that no cluster keeps leads to the cluster that has most of its members, so
            // that old references still find the object.
            if !kept.contains_key(&old) {
                reassignment.retired.push((old, names.number(id).0));
            }
        }
        reassignment.links = clustering.links().into_iter().map(warehouse_link).collect();
        self.store
            .rebuild(self.warehouse, Rebuild::Assign(reassignment))?;
        Ok(names)
    }
}

/// Returns the number of common members of an old and a new cluster: old, new, count.
fn overlaps(found: &[(ClusterId, Vec<i64>)], before: &BTreeMap<i64, i64>) -> Vec<(i64, ClusterId, usize)> {
    // The largest come first, and of equals the older.
    let mut counts: HashMap<(i64, ClusterId), usize> = HashMap::new();
    for (id, members) in found {
        for old in members.iter().filter_map(|member| before.get(member)) {
            *counts.entry((*old, *id)).or_default() += 1;
        }
    }
    let mut overlaps: Vec<_> = counts
        .into_iter()
        .map(|((old, id), count)| (old, id, count))
        .collect();
    overlaps.sort_by_key(|(old, id, count)| (std::cmp::Reverse(*count), *old, *id));
    overlaps
}

/// Returns the number that each new cluster keeps: one each, from the largest overlap.
fn keep(overlaps: &[(i64, ClusterId, usize)]) -> BTreeMap<i64, ClusterId> {
    let (mut kept, mut named) = (BTreeMap::new(), BTreeSet::new());
    for (old, id, _) in overlaps {
        if !kept.contains_key(old) && named.insert(*id) {
            kept.insert(*old, *id);
        }
    }
    kept
}

/// Returns the new cluster that has the most members of each old one.
fn most(overlaps: &[(i64, ClusterId, usize)]) -> BTreeMap<i64, ClusterId> {
    let mut most = BTreeMap::new();
    for (old, id, _) in overlaps {
        most.entry(*old).or_insert(*id);
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_goes_where_most_of_its_members_go() {
        let before = BTreeMap::from([(1, 10), (2, 10), (3, 10), (4, 20), (5, 20), (6, 30)]);
        let found = [
            (ClusterId(1), vec![1]),
            (ClusterId(2), vec![2, 3, 4]),
            (ClusterId(5), vec![5, 6]),
        ];
        let overlaps = overlaps(&found, &before);
        assert_eq!(
            keep(&overlaps),
            BTreeMap::from([(10, ClusterId(2)), (20, ClusterId(5))])
        );
        assert_eq!(most(&overlaps)[&30], ClusterId(5));
    }
}
