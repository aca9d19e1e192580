//! One clustering of one vertical, from opening to the last batch.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use magpie_matching::{ClusterId, Clustering, MemberId, Settings, Standing};
use magpie_model::{Key, Prepared};
use magpie_rows::{Batch, MemberFilter, MemberState, Warehouse, WarehouseTotals};

use super::names::Names;
use super::origins::decode;
use super::recording::Recording;
use super::{Options, Remembering, Report, Subject, WarehouseError};

/// Clusters whose label and record are made at a time. Up to two hundred records of each are in
/// memory.
pub(super) const MERGED_AT_A_TIME: usize = 500;

/// Members read at a time.
pub(super) const MEMBERS: usize = 10_000;

/// Below this many records, that all are one thing is no wonder.
const FEW: u64 = 10;

/// Everything that a clustering works with.
pub(super) struct Session<'a, M> {
    pub(super) store: &'a dyn Warehouse,
    pub(super) subject: &'a Subject,
    pub(super) matcher: Recording<'a, M>,
    pub(super) options: &'a Options,
    pub(super) progress: &'a mut dyn FnMut(&str),
    /// The vertical's number in the workspace.
    pub(super) warehouse: i64,
    pub(super) report: Report,
}

/// The existing clustering, in memory.
pub(super) struct Memory {
    pub(super) clustering: Clustering,
    pub(super) names: Names,
    /// Members of pairs that a person has kept apart.
    pub(super) apart: BTreeSet<i64>,
}

impl<'a, M: Remembering> Session<'a, M> {
    pub(super) fn new(
        store: &'a dyn Warehouse,
        subject: &'a Subject,
        matcher: &'a mut M,
        options: &'a Options,
        progress: &'a mut dyn FnMut(&str),
    ) -> Result<Self, WarehouseError> {
        let warehouse = store.warehouse(&subject.info.name, options.clock.now())?;
        Ok(Self {
            store,
            subject,
            matcher: Recording::new(matcher),
            options,
            progress,
            warehouse,
            report: Report {
                vertical: subject.info.name.clone(),
                matcher: Some(subject.matcher),
                ..Report::default()
            },
        })
    }

    /// Does everything there is to do.
    pub(super) fn run(mut self) -> Result<Report, WarehouseError> {
        let vertical = &self.subject.info.name;
        let row = self.store.warehouse_vertical(vertical)?;
        let stands = row.is_some_and(|row| row.matching == self.subject.matching(self.options));
        let mut memory = None;
        if !stands {
            // Clusters that other rules have made are not mixed with those of the present rules.
            memory = Some(self.rebuild()?);
        }
        self.refresh()?;
        let mut unreadable = 0;
        loop {
            let found = self.store.found(vertical, self.options.batch)?;
            if !found.pages.is_empty() {
                let standing = match memory.take() {
                    Some(standing) => standing,
                    // The existing clustering is read only if there are pages with records, since
                    // it may be large.
                    None => self.restored()?,
                };
                unreadable += self.batch(memory.insert(standing), found.marks, found.pages)?;
            } else if !found.marks.upto.is_empty() {
                // The mark is moved all the same, or the same pages would be read again each time.
                self.pass_over(found.marks)?;
            }
            if found.last {
                break;
            }
        }
        if memory.is_some_and(|memory| memory.clustering.is_unsettled()) {
            // A page that records were joined by is no detail page after all, or is one now.
            self.rebuild()?;
            self.refresh()?;
        }
        self.conclude(unreadable)?;
        Ok(self.report)
    }

    /// Restores the existing clustering.
    fn restored(&mut self) -> Result<Memory, WarehouseError> {
        // If its features are refused, clusters everything again.
        let mut leads: HashMap<i64, ClusterId> = HashMap::new();
        let mut names = Names::after(self.store.totals(self.warehouse)?.last);
        let mut standing = Vec::new();
        let mut after = 0;
        loop {
            let rows = self.store.standing_after(self.warehouse, after, MEMBERS)?;
            let Some(last) = rows.last() else { break };
            after = last.id;
            for row in rows {
                if self.matcher.matcher.remember(&row.features).is_err() {
                    return self.rebuild();
                }
                // Clusters are named after the first of their members that is in memory.
                let id = member(row.id);
                let lead = *leads.entry(row.object).or_insert(ClusterId(id.0));
                names.put(lead, row.object);
                standing.push(Standing {
                    id,
                    prepared: prepared(row.features, row.keys),
                    origin: decode(&row.origin),
                    cluster: lead,
                });
            }
        }
        let (settings, apart) = self.settings()?;
        Ok(Memory {
            // Existing clusters are never split here, so their links are not needed in memory.
            clustering: Clustering::restore(settings, standing, []),
            names,
            apart,
        })
    }

    /// Returns the settings with the pairs that a person has kept apart, and the members of these.
    pub(super) fn settings(&self) -> Result<(Settings, BTreeSet<i64>), WarehouseError> {
        let pairs = self.store.apart(self.warehouse)?;
        let apart = pairs.iter().flat_map(|(one, other)| [*one, *other]).collect();
        let settings = Settings {
            must_not_link: pairs
                .iter()
                .map(|(one, other)| (member(*one), member(*other)))
                .collect(),
            ..self.options.settings.clone()
        };
        Ok((settings, apart))
    }

    /// Merges the records of clusters again that were marked for it.
    fn refresh(&mut self) -> Result<(), WarehouseError> {
        loop {
            let stale = self.store.stale(self.warehouse, MERGED_AT_A_TIME)?;
            if stale.is_empty() {
                return Ok(());
            }
            let mut states: BTreeMap<i64, Vec<MemberState>> =
                stale.into_iter().map(|id| (id, Vec::new())).collect();
            let ids: Vec<i64> = states.keys().copied().collect();
            for state in self.store.members(MemberFilter::Objects(&ids))? {
                states.entry(state.object).or_default().push(state);
            }
            let clusters: Vec<_> = states.into_iter().collect();
            self.store.take_in(Batch {
                warehouse: self.warehouse,
                now: self.options.clock.now(),
                objects: self.merged(&clusters, &BTreeMap::new())?,
                ..Batch::default()
            })?;
        }
    }

    fn conclude(&mut self, unreadable: u64) -> Result<(), WarehouseError> {
        self.store.expire(self.warehouse, self.options.clock.now())?;
        let WarehouseTotals { objects, members, .. } = self.store.totals(self.warehouse)?;
        let vertical = &self.subject.info.name;
        self.report.objects = objects;
        let mut notices = Vec::new();
        if objects == 0 {
            notices.push(format!(
                "no object of {vertical} was found so far; `magpie status` says on how many pages it was looked for, and \
                 `magpie plugin run` shows what the component makes of one"
            ));
        }
        if objects == 1 && members >= FEW {
            notices.push(format!(
                "all {members} records of {vertical} fell into one cluster; `magpie objects explain` says why, and if they are not \
                 one, the keys or the comparison of the component are too lax"
            ));
        }
        if unreadable > 0 {
            notices.push(format!(
                "{unreadable} records of {vertical} can't be read and were left out"
            ));
        }
        self.report.notices = notices;
        Ok(())
    }

    /// Wraps an error of the matcher.
    pub(super) fn failed(&self, error: M::Error) -> WarehouseError {
        WarehouseError::Matcher {
            vertical: self.subject.info.name.clone(),
            source: Box::new(error),
        }
    }
}

pub(super) fn member(id: i64) -> MemberId {
    MemberId(id.unsigned_abs())
}

pub(super) fn number(id: MemberId) -> i64 {
    id.0.cast_signed()
}

pub(super) fn prepared(features: Vec<u8>, keys: Vec<(String, String)>) -> Prepared {
    Prepared {
        features,
        keys: keys
            .into_iter()
            .map(|(scheme, value)| Key { scheme, value })
            .collect(),
    }
}

pub(super) fn keys(prepared: Vec<Key>) -> Vec<(String, String)> {
    prepared.into_iter().map(|key| (key.scheme, key.value)).collect()
}
