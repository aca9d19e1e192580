//! Merging the records of a cluster.

use std::collections::BTreeMap;

use magpie_model::Matcher as _;
use magpie_model::{Merged, Object, Record, RecordValue};
use magpie_rows::{MemberState, MergedObject};
use serde_json::{Map, Value};

use super::answering::Answering;
use super::session::{MERGED_AT_A_TIME, Session};
use super::{Remembering, WarehouseError, years};

/// Maximum number of members that are merged. More of them repeat the same, and plugins have
/// limits.
const MAX_MERGED: usize = 200;

impl<M: Remembering> Session<'_, M> {
    /// Merges clusters from their members.
    pub(super) fn merged(
        &mut self,
        clusters: &[(i64, Vec<MemberState>)],
        at_hand: &BTreeMap<i64, &Record>,
    ) -> Result<Vec<MergedObject>, WarehouseError> {
        // Records that are at hand are not read.
        let mut merged = Vec::with_capacity(clusters.len());
        for some in clusters.chunks(MERGED_AT_A_TIME) {
            let members: Vec<Vec<i64>> = some.iter().map(|(_, states)| speaking(states)).collect();
            let missing = members
                .iter()
                .flatten()
                .filter(|member| !at_hand.contains_key(member));
            let missing: Vec<i64> = missing.copied().collect();
            let read = self.read_records(&missing)?;
            let wanted: Vec<i64> = members.iter().flatten().copied().collect();
            let mut addresses = Answering::of(self.store, &self.subject.info, &wanted)?;
            for ((id, states), members) in some.iter().zip(members) {
                let records = members.into_iter().filter_map(|member| {
                    let record = at_hand.get(&member).copied().or_else(|| read.get(&member))?;
                    Some((member, record.clone()))
                });
                let records: Vec<_> = records.collect();
                let mut object = self.merged_of(*id, states, &records)?;
                addresses.settle(&mut object, states, &records)?;
                merged.push(object);
            }
        }
        Ok(merged)
    }

    fn merged_of(
        &mut self,
        id: i64,
        states: &[MemberState],
        records: &[(i64, Record)],
    ) -> Result<MergedObject, WarehouseError> {
        let objects: Vec<Object> = records.iter().map(|(_, record)| record.to_object()).collect();
        let is_subject = |member: i64| states.iter().any(|state| state.id == member && state.is_subject);
        let subjects = records
            .iter()
            .take_while(|(member, _)| is_subject(*member))
            .count();
        let mut merged = self.merge(&objects)?;
        let decides = (1..objects.len()).contains(&subjects);
        if decides {
            // The page that is about the object decides. Lists and widgets fill what it does not
            // say.
            let own = self.merge(&objects[..subjects])?;
            let says = |name: &String| {
                let mut own = records[..subjects].iter();
                own.any(|(_, record)| record.get(name).is_some())
            };
            merged.keep.retain(|(name, _)| !says(name));
            merged.keep.extend(own.keep);
        }
        let (mut record, origins) = self.joined(records, &merged);
        years::complete(&mut record, &origins, records, states, &self.subject.info);
        if decides {
            merged.label = self.merge(&[record.to_object()])?.label;
        }
        Ok(MergedObject {
            id,
            label: merged.label,
            origins: origins.to_string(),
            members: states.len() as u64,
            current: states.iter().filter(|state| state.current).count() as u64,
            first_seen: states
                .iter()
                .map(|state| state.first_seen)
                .min()
                .unwrap_or_default(),
            last_seen: states
                .iter()
                .map(|state| state.last_seen)
                .max()
                .unwrap_or_default(),
            expires_at: record.expires_at(&self.subject.info),
            record,
        })
    }

    fn merge(&mut self, objects: &[Object]) -> Result<Merged, WarehouseError> {
        match objects {
            [] => Ok(Merged::default()),
            objects => self.matcher.merge(objects).map_err(|error| self.failed(error)),
        }
    }

    /// Reads the records of members, but for those that can't be read.
    pub(super) fn read_records(&self, members: &[i64]) -> Result<BTreeMap<i64, Record>, WarehouseError> {
        if members.is_empty() {
            return Ok(BTreeMap::new());
        }
        let rows = self.store.records(members)?.into_iter();
        Ok(rows.filter_map(|row| Some((row.id, row.record?))).collect())
    }

    /// Merges records into one: each attribute comes from the chosen record, else from the
    /// first that has it.
    fn joined(&self, records: &[(i64, Record)], merged: &Merged) -> (Record, Value) {
        let mut values: Vec<RecordValue> = Vec::new();
        let mut origins = Map::new();
        for attribute in &self.subject.info.attributes {
            let name = attribute.name.as_str();
            let has = |place: &usize| {
                records
                    .get(*place)
                    .is_some_and(|(_, record)| record.get(name).is_some())
            };
            let chosen = merged.keep.iter().find(|(kept, _)| kept == name);
            // A component may name a place that is not there, or a record without this attribute.
            // The first record with it stands in.
            let chosen = chosen
                .and_then(|(_, place)| usize::try_from(*place).ok())
                .filter(has);
            let Some(place) = chosen.or_else(|| (0..records.len()).find(has)) else {
                continue;
            };
            let (member, record) = &records[place];
            origins.insert(name.to_owned(), (*member).into());
            let own = record.values.iter().filter(|value| value.attribute == name);
            values.extend(own.map(|value| RecordValue {
                // The position of a value on its page has no meaning for the merged record.
                raw: None,
                node: None,
                ..value.clone()
            }));
        }
        let record = Record {
            object_type: records
                .first()
                .map_or_else(String::new, |(_, record)| record.object_type.clone()),
            confidence: records
                .iter()
                .map(|(_, record)| record.confidence)
                .fold(0.0, f64::max),
            values,
        };
        (record, Value::Object(origins))
    }
}

/// The members whose word counts: subjects of their pages first, then by number.
fn speaking(states: &[MemberState]) -> Vec<i64> {
    let some = |wanted: fn(&MemberState) -> bool| -> Vec<i64> {
        let mut wanted: Vec<&MemberState> = states.iter().filter(|state| wanted(state)).collect();
        // Subjects of their pages first, as they decide. The sort is stable.
        wanted.sort_by_key(|state| !state.is_subject);
        wanted
            .into_iter()
            .take(MAX_MERGED)
            .map(|state| state.id)
            .collect()
    };
    // Members on their pages now are merged; if there are none, those that were compared last.
    let current = some(|state| state.current);
    let compared = || some(|state| state.compared);
    let ways = [
        Some(current).filter(|some| !some.is_empty()),
        Some(compared()).filter(|some| !some.is_empty()),
    ];
    ways.into_iter()
        .flatten()
        .next()
        .unwrap_or_else(|| some(|_| true))
}
