//! One batch of pages: compared, merged, and written whole.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use magpie_matching::{Added, MemberId, Origin, Step};
use magpie_model::Prepared;
use magpie_model::{Object, Record};
use magpie_rows::{
    Batch, FoundPage, Marks, MemberFilter, MemberState, MergedObject, NewMember, ObjectId, WarehouseLink,
};

use super::origins::{encode, origins};
use super::plan::{Fresh, NONE, Plan};
use super::session::{Memory, Session, keys, member, number};
use super::{Remembering, WarehouseError};

#[derive(Default)]
struct Compared {
    /// The cluster of each fresh record.
    clusters: BTreeMap<i64, i64>,
    /// The retired clusters and those they were merged into, in the order of merging.
    merged: Vec<(i64, i64)>,
    /// The same by cluster.
    stays: HashMap<i64, i64>,
    new_clusters: u64,
    links: Vec<WarehouseLink>,
    prepared: Vec<Prepared>,
}

/// The state of the clusters that a batch touches.
struct Touched {
    /// As they are from now on.
    clusters: Vec<MergedObject>,
    /// Those of which nothing is left, each with the one that has their last record.
    emptied: Vec<(i64, i64)>,
}

impl Compared {
    /// Returns the number of a cluster after this batch.
    fn now(&self, mut cluster: i64) -> i64 {
        // The smaller number always stays, so this comes to an end.
        while let Some(stays) = self.stays.get(&cluster) {
            cluster = *stays;
        }
        cluster
    }
}

impl<M: Remembering> Session<'_, M> {
    /// Takes in the records of pages. Returns the number of records that can't be read.
    pub(super) fn batch(
        &mut self,
        memory: &mut Memory,
        marks: Marks,
        pages: Vec<FoundPage>,
    ) -> Result<u64, WarehouseError> {
        let mut plan = Plan::of(self.store, self.warehouse, pages)?;
        let origins = origins(self.store, &self.subject.info, &plan.read)?;
        for fresh in &mut plan.fresh {
            fresh.origin = origins.get(&fresh.id).copied().unwrap_or_default();
        }
        let compared = self.compare(memory, &plan)?;
        for member in plan.members_mut() {
            let own = compared.clusters.get(&member.id);
            // A merge in this batch may have retired the number that the store still has.
            member.object = own.copied().unwrap_or_else(|| compared.now(member.object));
        }
        let Touched { clusters, emptied } = self.touched(&plan, &compared)?;
        let ended: Vec<_> = compared.merged.iter().copied().chain(emptied).collect();
        self.count(&plan, &compared);
        self.store.take_in(Batch {
            warehouse: self.warehouse,
            marks,
            now: self.options.clock.now(),
            objects: clusters,
            merged: ended
                .into_iter()
                .map(|(gone, stays)| (ObjectId(gone), ObjectId(stays)))
                .collect(),
            seen: plan.seen.clone(),
            gone: plan
                .turned()
                .filter(|member| !member.current)
                .map(|member| member.id)
                .collect(),
            replaced: replaced(&plan, &memory.apart),
            links: compared.links,
            members: new_members(&plan.fresh, &compared.clusters, compared.prepared),
        })?;
        Ok(plan.unreadable)
    }

    /// Notes that pages without records were read.
    pub(super) fn pass_over(&mut self, marks: Marks) -> Result<(), WarehouseError> {
        let batch = Batch {
            warehouse: self.warehouse,
            marks,
            now: self.options.clock.now(),
            ..Batch::default()
        };
        Ok(self.store.take_in(batch)?)
    }

    fn compare(&mut self, memory: &mut Memory, plan: &Plan) -> Result<Compared, WarehouseError> {
        let mut compared = Compared::default();
        // A batch of pages that are as they were calls no component.
        if plan.fresh.is_empty() {
            return Ok(compared);
        }
        let ids: Vec<MemberId> = plan.fresh.iter().map(|fresh| member(fresh.id)).collect();
        let objects: Vec<Object> = plan.fresh.iter().map(|fresh| fresh.record.to_object()).collect();
        let origins: Vec<Origin> = plan.fresh.iter().map(|fresh| fresh.origin).collect();
        let added = memory
            .clustering
            .add_from(&mut self.matcher, &ids, &objects, &origins);
        let Added { clusters, merged } = added.map_err(|error| self.failed(error))?;
        compared.prepared = self.matcher.take();
        let names = &mut memory.names;
        compared.merged = merged
            .into_iter()
            .filter_map(|(gone, stays)| names.merge(gone, stays))
            .collect();
        compared.stays = compared.merged.iter().copied().collect();
        for (fresh, cluster) in plan.fresh.iter().zip(clusters) {
            let (number, is_new) = names.number(cluster);
            compared.new_clusters += u64::from(is_new);
            compared.clusters.insert(fresh.id, number);
        }
        let links = memory.clustering.links_of(&ids).into_iter();
        compared.links = links.map(warehouse_link).collect();
        Ok(compared)
    }

    /// The clusters that are not as they were, and those of which nothing is left.
    fn touched(&mut self, plan: &Plan, compared: &Compared) -> Result<Touched, WarehouseError> {
        let at_hand: BTreeMap<i64, &Record> =
            plan.fresh.iter().map(|fresh| (fresh.id, &fresh.record)).collect();
        let stand = Stand::of(plan, compared);
        let parts = parts(plan, compared);
        // Members are read under the old numbers, since the store has them there until the batch is
        // written.
        let old: Vec<i64> = parts.values().flatten().copied().collect();
        let mut members: HashMap<i64, Vec<MemberState>> = HashMap::new();
        for state in self.store.members(MemberFilter::Objects(&old))? {
            members.entry(state.object).or_default().push(state);
        }
        let (mut touched, mut emptied) = (Vec::new(), Vec::new());
        for (cluster, old) in parts {
            let mut states: BTreeMap<i64, MemberState> = BTreeMap::new();
            let mut left_for = None;
            for part in old {
                for state in members.remove(&part).unwrap_or_default() {
                    match compared.clusters.get(&state.id) {
                        Some(other) if *other != cluster => left_for = Some(*other),
                        _ => {
                            states.insert(state.id, state);
                        }
                    }
                }
            }
            stand.bring(&mut states, cluster);
            match left_for {
                // A record that returned may have joined another cluster and left its old one
                // empty. The old number then leads to the new cluster.
                Some(other) if states.is_empty() => emptied.push((cluster, other)),
                _ => touched.push((cluster, states.into_values().collect())),
            }
        }
        let clusters = self.merged(&touched, &at_hand)?;
        Ok(Touched { clusters, emptied })
    }

    fn count(&mut self, plan: &Plan, compared: &Compared) {
        let new = plan.fresh.iter().filter(|fresh| !fresh.returns).count() as u64;
        let report = &mut self.report;
        report.pages += plan.pages;
        report.records += plan.objects;
        report.new_members += new;
        report.sightings += plan.objects - plan.unreadable - new;
        report.new_objects += compared.new_clusters;
        report.merged += compared.merged.len() as u64;
        let text = format!(
            "{}: {} records clustered, {} of them new",
            report.vertical, report.records, report.new_members
        );
        (self.progress)(&text);
    }
}

/// The clusters that are not as they were, each with those it was made of.
fn parts(plan: &Plan, compared: &Compared) -> BTreeMap<i64, BTreeSet<i64>> {
    let mut parts: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
    let mut touch = |cluster: i64| {
        parts.entry(compared.now(cluster)).or_default().insert(cluster);
    };
    compared.clusters.values().for_each(|cluster| touch(*cluster));
    for (gone, stays) in &compared.merged {
        touch(*gone);
        touch(*stays);
    }
    plan.turned().for_each(|member| touch(member.object));
    for fresh in plan.fresh.iter().filter(|fresh| fresh.returns) {
        // It may have been of another cluster when it went.
        let before = plan.before.get(&fresh.id);
        before.into_iter().for_each(|member| touch(member.object));
    }
    // A new member has no cluster before it is compared.
    parts.remove(&NONE);
    parts
}

/// The state of members after a batch.
struct Stand<'p> {
    /// The records that were compared, by their cluster.
    fresh: HashMap<i64, Vec<&'p Fresh>>,
    /// Members that came to their page or left it, with their new state.
    turned: HashMap<i64, bool>,
}

impl<'p> Stand<'p> {
    fn of(plan: &'p Plan, compared: &Compared) -> Stand<'p> {
        let mut fresh: HashMap<i64, Vec<&Fresh>> = HashMap::new();
        for one in &plan.fresh {
            if let Some(cluster) = compared.clusters.get(&one.id) {
                fresh.entry(*cluster).or_default().push(one);
            }
        }
        let turned = plan.turned().map(|member| (member.id, member.current));
        Stand {
            fresh,
            turned: turned.collect(),
        }
    }

    /// Brings the members of a cluster to where they stand after the batch.
    fn bring(&self, states: &mut BTreeMap<i64, MemberState>, cluster: i64) {
        for fresh in self.fresh.get(&cluster).into_iter().flatten() {
            let state = states.entry(fresh.id).or_insert(MemberState {
                id: fresh.id,
                object: cluster,
                url: 0,
                record_print: fresh.record_print,
                current: true,
                compared: true,
                is_subject: fresh.origin.is_subject,
                first_seen: fresh.seen_at,
                last_seen: fresh.seen_at,
            });
            state.compared = true;
            state.is_subject = fresh.origin.is_subject;
        }
        for state in states.values_mut() {
            if let Some(current) = self.turned.get(&state.id) {
                state.current = *current;
            }
        }
    }
}

/// Returns the members that another of the same page and cluster replaces.
fn replaced(plan: &Plan, apart: &BTreeSet<i64>) -> Vec<i64> {
    // Those that a person named must stay.
    let mut replaced = Vec::new();
    for here in plan.at.values() {
        let standing: BTreeSet<i64> = here
            .iter()
            .filter(|member| member.current)
            .map(|member| member.object)
            .collect();
        let left = here.iter().filter(|member| !member.current && member.compared);
        let left = left.filter(|member| standing.contains(&member.object) && !apart.contains(&member.id));
        replaced.extend(left.map(|member| member.id));
    }
    replaced
}

fn new_members(fresh: &[Fresh], clusters: &BTreeMap<i64, i64>, prepared: Vec<Prepared>) -> Vec<NewMember> {
    let members = fresh.iter().zip(prepared);
    let members = members.map(|(fresh, prepared)| NewMember {
        id: fresh.id,
        object: clusters.get(&fresh.id).copied().unwrap_or(NONE),
        url: fresh.url.clone(),
        record_print: fresh.record_print,
        seen_at: fresh.seen_at,
        features: prepared.features,
        keys: keys(prepared.keys),
        origin: encode(&fresh.origin),
    });
    members.collect()
}

pub(super) fn warehouse_link(step: Step) -> WarehouseLink {
    WarehouseLink {
        one: number(step.from),
        other: number(step.to),
        probability: step.probability,
        scheme: step.scheme,
        reasons: step.reasons,
    }
}
