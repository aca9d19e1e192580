//! The warehouse in memory.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::ControlFlow;

use super::{Kept, MemoryStore, missing};
use crate::fetch_result::SiteId;
use crate::history::diff::{self, Version};
use crate::history::log;
use crate::search::{joined, scan};
use crate::warehouse::url_print;
use crate::{
    AttributeChange, Change, ChangeCursor, ChangeFilter, ChangeKind, ChangePage, History, ObjectDetail,
    Coverage, CoverageRow, CoverageStore, ObjectState, RunId, Search, SearchOptions, SearchPage,
};
use crate::{
    Batch, Catalogue, FoundPage, FoundPages, Matching, MemberFilter, MemberRow, MemberState, MergedObject,
    ObjectFilter, ObjectId, ObjectOnPage, ObjectOrder, ObjectRow, Objects, Reassignment, Rebuild, RecordRow,
    RecordTimes, SightingRow, StandingRow, StoreError, Warehouse, WarehouseLink, WarehouseRow,
    WarehouseTotals,
};
use magpie_model::Attribute;
use magpie_query::Query;
use magpie_values::Timestamp;

/// Objects and their members. A change is made to a copy, which takes the place of the whole when
/// nothing of it was refused.
#[derive(Clone, Default)]
pub(super) struct StoredObjects {
    verticals: Vec<Vertical>,
    objects: BTreeMap<i64, StoredObject>,
    members: BTreeMap<i64, Member>,
    /// The member of each record.
    sightings: HashMap<i64, i64>,
    links: BTreeMap<(i64, i64), WarehouseLink>,
    apart: BTreeSet<(i64, i64)>,
    /// The log; the first change has number 1.
    pub(super) changes: Vec<Change>,
}

/// A vertical; the first has number 1.
#[derive(Clone)]
struct Vertical {
    name: String,
    matching: Matching,
    clustered_at: Timestamp,
    upto: BTreeMap<SiteId, u64>,
}

#[derive(Clone)]
pub(super) struct StoredObject {
    warehouse: i64,
    merged: MergedObject,
    pub(super) first_seen: Timestamp,
    last_seen: Timestamp,
    is_stale: bool,
    pub(super) merged_into: Option<i64>,
    state: Option<ObjectState>,
    changed_at: Timestamp,
}

#[derive(Clone)]
pub(super) struct Member {
    warehouse: i64,
    state: MemberState,
    last_record: i64,
    features: Vec<u8>,
    keys: Vec<(String, String)>,
}

impl StoredObjects {
    fn number(&self, vertical: &str) -> Option<i64> {
        let place = self.verticals.iter().position(|known| known.name == vertical)?;
        Some(place as i64 + 1)
    }

    fn vertical(&mut self, warehouse: i64) -> Result<&mut Vertical, StoreError> {
        let vertical = usize::try_from(warehouse - 1).ok();
        let vertical = vertical.and_then(|place| self.verticals.get_mut(place));
        vertical.ok_or_else(|| missing("vertical", warehouse))
    }

    pub(super) fn members_of(&self, vertical: &str) -> impl Iterator<Item = (i64, &Member)> {
        let warehouse = self.number(vertical);
        let members = self.members.iter().map(|(number, member)| (*number, member));
        members.filter(move |(_, member)| Some(member.warehouse) == warehouse)
    }

    /// The objects of a vertical that have not retired.
    pub(super) fn standing(&self, vertical: &str) -> impl Iterator<Item = (i64, &StoredObject)> {
        let warehouse = self.number(vertical);
        let objects = self.objects.iter().map(|(number, object)| (*number, object));
        objects.filter(move |(_, object)| Some(object.warehouse) == warehouse && object.merged_into.is_none())
    }

    fn row(&self, number: i64, object: &StoredObject) -> ObjectRow {
        let merged = &object.merged;
        let vertical = self
            .verticals
            .get(usize::try_from(object.warehouse - 1).unwrap_or(usize::MAX));
        ObjectRow {
            id: ObjectId(number),
            vertical: vertical.map_or_else(String::new, |vertical| vertical.name.clone()),
            label: merged.label.clone(),
            record: merged.record.clone(),
            origins: merged.origins.clone(),
            members: merged.members,
            current: merged.current,
            first_seen: object.first_seen,
            last_seen: object.last_seen,
            expires_at: merged.expires_at,
            state: object.state,
            changed_at: object.changed_at,
        }
    }

    /// Adds a change to the log, and notes the state of its object.
    fn log(
        &mut self,
        number: i64,
        kind: ChangeKind,
        state: ObjectState,
        attributes: Vec<AttributeChange>,
        into: Option<i64>,
        (now, run): (Timestamp, Option<RunId>),
    ) {
        let seq = self.changes.len() as i64 + 1;
        let Some(object) = self.objects.get_mut(&number) else {
            return;
        };
        (object.state, object.changed_at) = (Some(state), now);
        let merged = &object.merged;
        let vertical = usize::try_from(object.warehouse - 1).ok();
        let vertical = vertical.and_then(|place| self.verticals.get(place));
        self.changes.push(Change {
            cursor: ChangeCursor { workspace: 0, seq },
            object: ObjectId(number),
            vertical: vertical.map_or_else(String::new, |vertical| vertical.name.clone()),
            label: merged.label.clone(),
            object_type: merged.record.object_type.clone(),
            kind,
            at: now,
            run,
            attributes,
            expires_at: merged.expires_at,
            into: into.map(ObjectId),
        });
    }

    /// Writes an object and logs its changes.
    fn put_object(&mut self, merged: MergedObject, when: (Timestamp, Option<RunId>)) {
        let number = merged.id;
        let Some(object) = self.objects.get_mut(&number) else {
            return;
        };
        let version = |merged: &MergedObject| Version {
            label: merged.label.clone(),
            record: merged.record.clone(),
            expires_at: merged.expires_at,
        };
        let (before, after) = (version(&object.merged), version(&merged));
        let old_state = object.state;
        (object.first_seen, object.last_seen) = (merged.first_seen, merged.last_seen);
        object.is_stale = false;
        let state = diff::state(old_state, merged.current, merged.expires_at, when.0);
        object.merged = merged;
        for (kind, attributes) in diff::changes(old_state.map(|state| (&before, state)), &after, state) {
            self.log(number, kind, state, attributes, None, when);
        }
    }

    /// A object that is to be written yet, unless it is there.
    fn insert_stale(&mut self, warehouse: i64, number: i64) -> Result<(), StoreError> {
        self.vertical(warehouse)?;
        self.objects.entry(number).or_insert_with(|| StoredObject {
            warehouse,
            merged: MergedObject {
                id: number,
                origins: "{}".to_owned(),
                ..MergedObject::default()
            },
            first_seen: Timestamp::default(),
            last_seen: Timestamp::default(),
            is_stale: true,
            merged_into: None,
            state: None,
            changed_at: Timestamp::default(),
        });
        Ok(())
    }

    fn check_object(&self, number: i64) -> Result<(), StoreError> {
        self.objects
            .get(&number)
            .map(drop)
            .ok_or_else(|| missing("cluster", number))
    }

    fn check_member(&self, number: i64) -> Result<(), StoreError> {
        self.members
            .get(&number)
            .map(drop)
            .ok_or_else(|| missing("member", number))
    }

    fn retire(&mut self, gone: i64, stays: i64, when: (Timestamp, Option<RunId>)) -> Result<(), StoreError> {
        let has_gone = self.objects.get(&gone);
        if let Some((state, into)) = has_gone.map(|object| (object.state, object.merged_into)) {
            self.check_object(stays)?;
            let is_told = state == Some(ObjectState::Merged) && into == Some(stays);
            if state.is_some() && !is_told {
                let (kind, state) = (ChangeKind::Merged, ObjectState::Merged);
                self.log(gone, kind, state, Vec::new(), Some(stays), when);
            }
        }
        for member in self
            .members
            .values_mut()
            .filter(|member| member.state.object == gone)
        {
            member.state.object = stays;
        }
        for (number, object) in &mut self.objects {
            if *number == gone || object.merged_into == Some(gone) {
                object.merged_into = Some(stays);
            }
        }
        Ok(())
    }

    fn put_links(&mut self, links: Vec<WarehouseLink>) -> Result<(), StoreError> {
        for link in links {
            let (one, other) = (link.one.min(link.other), link.one.max(link.other));
            self.check_member(one)?;
            self.check_member(other)?;
            self.links
                .insert((one, other), WarehouseLink { one, other, ..link });
        }
        Ok(())
    }

    fn take_in(
        &mut self,
        batch: Batch,
        run: Option<RunId>,
        has_record: impl Fn(i64) -> bool,
    ) -> Result<(), StoreError> {
        let when = (batch.now, run);
        for merged in batch.objects {
            self.insert_stale(batch.warehouse, merged.id)?;
            self.put_object(merged, when);
        }
        for (gone, stays) in batch.merged {
            self.retire(gone.0, stays.0, when)?;
        }
        for new in batch.members {
            if !has_record(new.id) {
                return Err(missing("record", new.id));
            }
            self.check_object(new.object)?;
            let member = self.members.entry(new.id).or_insert_with(|| Member {
                warehouse: batch.warehouse,
                state: MemberState {
                    id: new.id,
                    object: new.object,
                    url: url_print(&new.url).cast_unsigned(),
                    record_print: new.record_print,
                    current: true,
                    compared: true,
                    first_seen: new.seen_at,
                    last_seen: new.seen_at,
                },
                last_record: new.id,
                features: Vec::new(),
                keys: Vec::new(),
            });
            (member.state.object, member.state.compared) = (new.object, true);
            (member.features, member.keys) = (new.features, new.keys);
        }
        for seen in batch.seen {
            if let Some(record) = seen.record {
                if !has_record(record) {
                    return Err(missing("record", record));
                }
                self.check_member(seen.member)?;
                self.sightings.entry(record).or_insert(seen.member);
            }
            let Some(member) = self.members.get_mut(&seen.member) else {
                continue;
            };
            let state = &mut member.state;
            state.current = true;
            (state.first_seen, state.last_seen) =
                (state.first_seen.min(seen.at), state.last_seen.max(seen.at));
            member.last_record = seen.record.unwrap_or(member.last_record);
            if let Some(object) = self.objects.get_mut(&member.state.object) {
                object.first_seen = object.first_seen.min(seen.at);
                object.last_seen = object.last_seen.max(seen.at);
            }
        }
        for gone in batch.gone {
            if let Some(member) = self.members.get_mut(&gone) {
                member.state.current = false;
            }
        }
        for replaced in batch.replaced {
            if let Some(member) = self.members.get_mut(&replaced) {
                member.state.compared = false;
                (member.features, member.keys) = (Vec::new(), Vec::new());
            }
        }
        self.put_links(batch.links)?;
        let vertical = self.vertical(batch.warehouse)?;
        vertical.clustered_at = batch.now;
        for (site, page) in batch.upto {
            let upto = vertical.upto.entry(site).or_default();
            *upto = page.max(*upto);
        }
        Ok(())
    }

    fn assign(
        &mut self,
        warehouse: i64,
        run: Option<RunId>,
        reassignment: Reassignment,
    ) -> Result<(), StoreError> {
        for number in reassignment.new {
            self.insert_stale(warehouse, number)?;
        }
        for (member, object) in reassignment.moved {
            if let Some(member) = self.members.get_mut(&member) {
                member.state.object = object;
                self.check_object(object)?;
            }
        }
        for (gone, stays) in reassignment.retired {
            self.retire(gone, stays, (reassignment.now, run))?;
        }
        let members = &self.members;
        self.links.retain(|(one, _), _| {
            members
                .get(one)
                .is_none_or(|member| member.warehouse != warehouse)
        });
        self.put_links(reassignment.links)?;
        for object in self.objects.values_mut() {
            object.is_stale |= object.warehouse == warehouse && object.merged_into.is_none();
        }
        let vertical = self.vertical(warehouse)?;
        vertical.matching = reassignment.matching;
        vertical.clustered_at = reassignment.now;
        Ok(())
    }

    /// Moves members of one object into a new one, and cuts the links to those that stay.
    fn move_out(&mut self, moved: &[i64]) -> Result<Option<ObjectId>, StoreError> {
        let Some(first) = moved.first() else {
            return Ok(None);
        };
        let first = self.members.get(first).ok_or_else(|| missing("member", *first))?;
        let (warehouse, old) = (first.warehouse, first.state.object);
        let new = self.objects.last_key_value().map_or(0, |(last, _)| *last) + 1;
        self.insert_stale(warehouse, new)?;
        for member in moved {
            if let Some(member) = self.members.get_mut(member) {
                member.state.object = new;
            }
        }
        let members = &self.members;
        let object_of = |member: i64| members.get(&member).map(|member| member.state.object);
        self.links.retain(|(one, other), _| {
            let (here, there) = (object_of(*one), object_of(*other));
            here == there || (here != Some(old) && here != Some(new))
        });
        if let Some(object) = self.objects.get_mut(&old) {
            object.is_stale = true;
        }
        Ok(Some(ObjectId(new)))
    }
}

impl Objects for MemoryStore {
    fn warehouse_vertical(&self, vertical: &str) -> Result<Option<WarehouseRow>, StoreError> {
        let objects = &self.kept().objects;
        Ok(objects.number(vertical).map(|id| {
            let vertical = &objects.verticals[id as usize - 1];
            WarehouseRow {
                id,
                vertical: vertical.name.clone(),
                matching: vertical.matching.clone(),
                clustered_at: vertical.clustered_at,
            }
        }))
    }

    fn object(&self, id: ObjectId) -> Result<Option<ObjectRow>, StoreError> {
        let objects = &self.kept().objects;
        let Some(asked) = objects.objects.get(&id.0) else {
            return Ok(None);
        };
        let number = asked.merged_into.unwrap_or(id.0);
        let object = objects.objects.get(&number);
        Ok(object.map(|object| objects.row(number, object)))
    }

    fn objects_after(
        &self,
        vertical: &str,
        after: Option<ObjectId>,
        limit: usize,
    ) -> Result<Vec<ObjectRow>, StoreError> {
        let objects = &self.kept().objects;
        let rows = objects.standing(vertical);
        let rows = rows
            .filter(|(number, _)| after.is_none_or(|after| *number > after.0))
            .take(limit);
        Ok(rows.map(|(number, object)| objects.row(number, object)).collect())
    }

    fn objects_on_pages(
        &self,
        vertical: &str,
        after: Option<(u64, ObjectId)>,
        limit: usize,
    ) -> Result<Vec<ObjectOnPage>, StoreError> {
        let kept = self.kept();
        let members = kept
            .objects
            .members_of(vertical)
            .filter(|(_, member)| member.state.current);
        // Of equal records on a page the one with the greatest number names the page.
        let on_pages: BTreeMap<(i64, i64), &Member> = members
            .map(|(_, member)| ((member.state.url.cast_signed(), member.state.object), member))
            .collect();
        let after = after.map(|(print, object)| (print.cast_signed(), object.0));
        let rows = on_pages
            .iter()
            .filter(|(key, _)| after.is_none_or(|after| **key > after));
        let rows = rows.filter_map(|((_, number), member)| {
            let object = kept.objects.objects.get(number)?;
            let page = kept.record(member.last_record)?.page;
            Some(ObjectOnPage {
                url_print: member.state.url,
                object: ObjectId(*number),
                url: kept.pages.get(&page)?.page.url.clone(),
                first_seen: object.first_seen,
                last_seen: object.last_seen,
                expires_at: object.merged.expires_at,
            })
        });
        Ok(rows.take(limit).collect())
    }

    fn doubtful_pages(&self, vertical: &str) -> Result<Vec<(u64, ObjectId, f64)>, StoreError> {
        let objects = &self.kept().objects;
        let mut best: HashMap<i64, f64> = HashMap::new();
        for ((one, other), link) in &objects.links {
            for member in [one, other] {
                let best = best.entry(*member).or_insert(0.0);
                *best = best.max(link.probability);
            }
        }
        let mut first: HashMap<i64, i64> = HashMap::new();
        for (number, member) in &objects.members {
            first.entry(member.state.object).or_insert(*number);
        }
        let mut pages: BTreeMap<(i64, i64), f64> = BTreeMap::new();
        for (number, member) in objects
            .members_of(vertical)
            .filter(|(_, member)| member.state.current)
        {
            let object = member.state.object;
            let likely = match first[&object] == number {
                true => 1.0,
                false => best.get(&number).copied().unwrap_or(1.0),
            };
            let page = pages
                .entry((member.state.url.cast_signed(), object))
                .or_insert(likely);
            *page = page.max(likely);
        }
        let doubtful = pages.into_iter().filter(|(_, likely)| *likely < 1.0);
        Ok(doubtful
            .map(|((print, object), likely)| (print.cast_unsigned(), ObjectId(object), likely))
            .collect())
    }

    fn record_times(&self, vertical: &str, after: i64, limit: usize) -> Result<Vec<RecordTimes>, StoreError> {
        let objects = &self.kept().objects;
        let members = objects.members_of(vertical).filter(|(number, _)| *number > after);
        let rows = members.take(limit).map(|(number, member)| RecordTimes {
            member: number,
            url: member.state.url,
            first_seen: member.state.first_seen,
            last_seen: member.state.last_seen,
            current: member.state.current,
            new_object: objects.objects[&member.state.object].first_seen >= member.state.first_seen,
        });
        Ok(rows.collect())
    }

    fn members(&self, of: MemberFilter<'_>) -> Result<Vec<MemberState>, StoreError> {
        let objects = &self.kept().objects;
        let members = objects.members.values();
        let states: Vec<MemberState> = match of {
            MemberFilter::Urls(warehouse, urls) => {
                let prints: HashSet<u64> = urls.iter().map(|url| url_print(url).cast_unsigned()).collect();
                let own = members
                    .filter(|member| member.warehouse == warehouse && prints.contains(&member.state.url));
                own.map(|member| member.state).collect()
            }
            MemberFilter::Objects(wanted) => {
                let own = members.filter(|member| wanted.contains(&member.state.object));
                own.map(|member| member.state).collect()
            }
            MemberFilter::Records(records) => {
                let own = records.iter().filter_map(|record| objects.sightings.get(record));
                let own: BTreeSet<&i64> = own.collect();
                own.into_iter()
                    .map(|member| objects.members[member].state)
                    .collect()
            }
        };
        Ok(states)
    }

    fn standing_after(
        &self,
        warehouse: i64,
        after: i64,
        limit: usize,
    ) -> Result<Vec<StandingRow>, StoreError> {
        let objects = &self.kept().objects;
        let members = objects.members.range(after.saturating_add(1)..);
        let compared = members.filter(|(_, member)| member.warehouse == warehouse && member.state.compared);
        let rows = compared.take(limit).map(|(number, member)| StandingRow {
            id: *number,
            object: member.state.object,
            features: member.features.clone(),
            keys: member.keys.clone(),
        });
        Ok(rows.collect())
    }

    fn records(&self, numbers: &[i64]) -> Result<Vec<RecordRow>, StoreError> {
        let kept = self.kept();
        let rows = numbers.iter().filter_map(|number| {
            let found = kept.record(*number)?;
            Some(RecordRow {
                id: *number,
                record: Some(found.record.clone()),
                expires_at: found.expires_at,
            })
        });
        Ok(rows.collect())
    }

    fn links_of(&self, object: i64) -> Result<Vec<WarehouseLink>, StoreError> {
        let objects = &self.kept().objects;
        let is_of = |member: &i64| {
            objects
                .members
                .get(member)
                .is_some_and(|row| row.state.object == object)
        };
        let links = objects
            .links
            .iter()
            .filter(|((one, other), _)| is_of(one) && is_of(other));
        Ok(links.map(|(_, link)| link.clone()).collect())
    }

    fn apart(&self, warehouse: i64) -> Result<Vec<(i64, i64)>, StoreError> {
        let objects = &self.kept().objects;
        let own = objects.apart.iter().filter(|(one, _)| {
            objects
                .members
                .get(one)
                .is_some_and(|member| member.warehouse == warehouse)
        });
        Ok(own.copied().collect())
    }
}

impl Kept {
    fn member_row(&self, number: i64, member: &Member) -> Option<MemberRow> {
        let found = self.record(member.last_record)?;
        let state = &member.state;
        Some(MemberRow {
            id: number,
            object: ObjectId(state.object),
            url: self.pages[&found.page].page.url.clone(),
            page: found.page,
            record: found.record.clone(),
            first_seen: state.first_seen,
            last_seen: state.last_seen,
            current: state.current,
        })
    }
}

impl Catalogue for MemoryStore {
    fn objects(
        &self,
        filter: &ObjectFilter,
        each: &mut dyn FnMut(ObjectRow) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let mut rows: Vec<ObjectRow> = {
            let objects = &self.kept().objects;
            let standing = objects
                .objects
                .iter()
                .filter(|(_, object)| object.merged_into.is_none());
            standing
                .map(|(number, object)| objects.row(*number, object))
                .collect()
        };
        rows.retain(|row| {
            filter
                .vertical
                .as_ref()
                .is_none_or(|wanted| *wanted == row.vertical)
                && filter.new_since.is_none_or(|since| row.first_seen >= since)
                && filter
                    .expired_at
                    .is_none_or(|now| row.expires_at.is_some_and(|at| at < now))
                && filter
                    .current_at
                    .is_none_or(|now| row.expires_at.is_none_or(|at| at >= now))
        });
        rows.sort_by(|one, other| {
            let order = match filter.order {
                ObjectOrder::Number => one.id.cmp(&other.id),
                ObjectOrder::Label => one
                    .label
                    .to_ascii_lowercase()
                    .cmp(&other.label.to_ascii_lowercase()),
                ObjectOrder::Members => one.members.cmp(&other.members),
                ObjectOrder::FirstSeen => one.first_seen.cmp(&other.first_seen),
                ObjectOrder::LastSeen => one.last_seen.cmp(&other.last_seen),
                ObjectOrder::Expires => match (one.expires_at, other.expires_at) {
                    // Those that never expire come last in both directions.
                    (Some(one), Some(other)) => one.cmp(&other),
                    (one, other) => {
                        return one.is_none().cmp(&other.is_none());
                    }
                },
            };
            let order = if filter.backwards { order.reverse() } else { order };
            order.then(one.id.cmp(&other.id))
        });
        for row in rows {
            if each(row).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn merged_into(&self, object: ObjectId) -> Result<Vec<ObjectId>, StoreError> {
        let objects = &self.kept().objects.objects;
        let merged = objects
            .iter()
            .filter(|(_, merged)| merged.merged_into == Some(object.0));
        Ok(merged.map(|(number, _)| ObjectId(*number)).collect())
    }

    fn members_of(&self, object: ObjectId) -> Result<Vec<MemberRow>, StoreError> {
        let kept = self.kept();
        let members = kept.objects.members.iter();
        let own = members.filter(|(_, member)| member.state.object == object.0);
        Ok(own
            .filter_map(|(number, member)| kept.member_row(*number, member))
            .collect())
    }

    fn member_with(&self, record: i64) -> Result<Option<MemberRow>, StoreError> {
        let kept = self.kept();
        let member = kept.objects.sightings.get(&record);
        let member = member.and_then(|number| Some((*number, kept.objects.members.get(number)?)));
        Ok(member.and_then(|(number, member)| kept.member_row(number, member)))
    }

    fn sightings(&self, member: i64) -> Result<Vec<SightingRow>, StoreError> {
        let kept = self.kept();
        let sightings = kept.objects.sightings.iter();
        let mut records: Vec<i64> = sightings
            .filter(|(_, own)| **own == member)
            .map(|(record, _)| *record)
            .collect();
        records.sort_unstable();
        let rows = records.into_iter().filter_map(|record| {
            let found = kept.record(record)?;
            Some(SightingRow {
                record,
                page: found.page,
                fetched_at: kept.pages[&found.page].page.fetched_at,
            })
        });
        Ok(rows.collect())
    }

    fn objects_at(&self, vertical: &str, url: &str) -> Result<Vec<ObjectId>, StoreError> {
        let kept = self.kept();
        let print = url_print(url).cast_unsigned();
        let members = kept.objects.members_of(vertical);
        let here = members.filter(|(_, member)| member.state.current && member.state.url == print);
        let objects: BTreeSet<i64> = here.map(|(_, member)| member.state.object).collect();
        Ok(objects.into_iter().map(ObjectId).collect())
    }
}

impl Warehouse for MemoryStore {
    fn warehouse(&self, vertical: &str, now: Timestamp) -> Result<i64, StoreError> {
        let objects = &mut self.kept().objects;
        if let Some(number) = objects.number(vertical) {
            return Ok(number);
        }
        objects.verticals.push(Vertical {
            name: vertical.to_owned(),
            matching: Matching {
                schema: "[]".to_owned(),
                ..Matching::default()
            },
            clustered_at: now,
            upto: BTreeMap::new(),
        });
        Ok(objects.verticals.len() as i64)
    }

    fn found(&self, vertical: &str, records: usize) -> Result<FoundPages, StoreError> {
        let kept = self.kept();
        let mut found = FoundPages {
            last: true,
            ..FoundPages::default()
        };
        let number = kept.objects.number(vertical);
        let marks = number.map(|number| &kept.objects.verticals[number as usize - 1].upto);
        let mut timed: Vec<(Timestamp, FoundPage)> = Vec::new();
        let mut taken = 0;
        for (site, pages) in &kept.of_site {
            let after = marks.and_then(|marks| marks.get(site)).copied().unwrap_or(0);
            if after >= pages.len() as u64 {
                continue;
            }
            if taken >= records {
                found.last = false;
                break;
            }
            let (mut upto, mut time, mut standing) = (after, Timestamp::MIN, kept.standing_at(vertical));
            for (id, fetched) in kept.pages_after(*site, after) {
                if taken >= records {
                    found.last = false;
                    break;
                }
                upto = fetched.number;
                let own = fetched.extractions.iter();
                let mut own = own
                    .filter(|asked| asked.vertical == vertical && asked.is_done)
                    .peekable();
                let is_asked = own.peek().is_some();
                let on_page: Vec<i64> = own.flat_map(|asked| asked.records.iter().copied()).collect();
                let status = fetched.page.status;
                let print = url_print(&fetched.page.url).cast_unsigned();
                let has_lost = matches!(status, Some(301 | 308 | 404 | 410)) && standing.contains(&print);
                taken += on_page.len();
                if !is_asked && status != Some(304) && !has_lost {
                    continue;
                }
                if !on_page.is_empty() {
                    standing.insert(print);
                }
                let records = on_page.into_iter();
                let records =
                    records.map(|number| (number, kept.record(number).map(|found| found.record.clone())));
                time = time.max(fetched.page.fetched_at);
                let page = FoundPage {
                    page: id,
                    site: *site,
                    url: fetched.page.url.clone(),
                    fetched_at: fetched.page.fetched_at,
                    records: (is_asked || has_lost).then(|| records.collect()),
                };
                timed.push((time, page));
            }
            found.upto.push((*site, upto));
        }
        timed.sort_by_key(|(time, _)| *time);
        found.pages = timed.into_iter().map(|(_, page)| page).collect();
        Ok(found)
    }

    fn stale(&self, warehouse: i64, limit: usize) -> Result<Vec<i64>, StoreError> {
        let objects = &self.kept().objects;
        let stale = objects.objects.iter().filter(|(_, object)| {
            object.warehouse == warehouse && object.is_stale && object.merged_into.is_none()
        });
        Ok(stale.map(|(number, _)| *number).take(limit).collect())
    }

    fn totals(&self, warehouse: i64) -> Result<WarehouseTotals, StoreError> {
        let objects = &self.kept().objects;
        let standing = objects.objects.values();
        let standing =
            standing.filter(|object| object.warehouse == warehouse && object.merged_into.is_none());
        let mut totals = WarehouseTotals {
            last: objects.objects.last_key_value().map_or(0, |(last, _)| *last),
            ..WarehouseTotals::default()
        };
        for object in standing {
            totals.objects += 1;
            totals.members += object.merged.members;
        }
        Ok(totals)
    }

    fn take_in(&self, batch: Batch) -> Result<(), StoreError> {
        self.change(|objects, kept| {
            let run = kept.last_run(batch.now);
            objects.take_in(batch, run, |number| kept.record(number).is_some())
        })
    }

    fn expire(&self, warehouse: i64, now: Timestamp) -> Result<usize, StoreError> {
        self.change(|objects, kept| {
            let when = (now, kept.last_run(now));
            let standing = objects.objects.iter().filter(|(_, object)| {
                object.warehouse == warehouse && object.state == Some(ObjectState::Current)
            });
            let mut expired: Vec<(Timestamp, i64)> = standing
                .filter_map(|(number, object)| Some((object.merged.expires_at?, *number)))
                .filter(|(at, _)| *at < now)
                .collect();
            expired.sort_unstable();
            for (_, number) in &expired {
                let (kind, state) = (ChangeKind::Expired, ObjectState::Expired);
                objects.log(*number, kind, state, Vec::new(), None, when);
            }
            Ok(expired.len())
        })
    }

    fn rebuild(&self, warehouse: i64, step: Rebuild) -> Result<(), StoreError> {
        self.change(|objects, kept| {
            match step {
                Rebuild::Begin => objects.vertical(warehouse)?.matching.matcher = None,
                Rebuild::Prepare(members) => {
                    for prepared in members {
                        if let Some(member) = objects.members.get_mut(&prepared.id) {
                            member.state.compared = true;
                            (member.features, member.keys) = (prepared.features, prepared.keys);
                        }
                    }
                }
                Rebuild::Assign(reassignment) => {
                    let run = kept.last_run(reassignment.now);
                    objects.assign(warehouse, run, reassignment)?;
                }
            }
            Ok(())
        })
    }

    fn withdraw(&self, vertical: &str, urls: Vec<String>) -> Result<usize, StoreError> {
        self.change(|objects, _| {
            let prints: HashSet<u64> = urls.iter().map(|url| url_print(url).cast_unsigned()).collect();
            let warehouse = objects.number(vertical);
            let mut withdrawn = 0;
            for member in objects.members.values_mut() {
                let is_here = Some(member.warehouse) == warehouse && prints.contains(&member.state.url);
                if is_here && member.state.current {
                    member.state.current = false;
                    withdrawn += 1;
                    if let Some(object) = objects.objects.get_mut(&member.state.object) {
                        object.is_stale = true;
                    }
                }
            }
            Ok(withdrawn)
        })
    }

    fn keep_apart(
        &self,
        pair: (i64, i64),
        moved: Vec<i64>,
        _now: Timestamp,
    ) -> Result<Option<ObjectId>, StoreError> {
        self.change(|objects, _| {
            let (one, other) = (pair.0.min(pair.1), pair.0.max(pair.1));
            objects.check_member(one)?;
            objects.check_member(other)?;
            objects.apart.insert((one, other));
            objects.move_out(&moved)
        })
    }
}

impl MemoryStore {
    /// Changes the objects, or leaves them as they were where something is refused.
    fn change<T>(
        &self,
        change: impl FnOnce(&mut StoredObjects, &Kept) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut kept = self.kept();
        let mut objects = kept.objects.clone();
        let value = change(&mut objects, &kept)?;
        kept.objects = objects;
        Ok(value)
    }
}

impl Kept {
    /// Returns the last run that had begun at a time.
    fn last_run(&self, now: Timestamp) -> Option<RunId> {
        let runs = self.runs.iter().filter(|run| run.started_at <= now);
        runs.map(|run| run.id).max()
    }

    /// Returns the objects of a vertical, each with the URLs of its records.
    fn with_urls(&self, vertical: &str) -> Vec<(ObjectRow, Vec<String>)> {
        let mut urls: HashMap<i64, Vec<String>> = HashMap::new();
        for (number, member) in self.objects.members_of(vertical) {
            if let Some(found) = self.record(number) {
                let url = self.pages[&found.page].page.url.clone();
                urls.entry(member.state.object).or_default().push(url);
            }
        }
        let standing = self.objects.standing(vertical).filter(|(_, object)| object.state.is_some());
        let rows = standing.map(|(number, object)| {
            let own = urls.remove(&number).unwrap_or_default();
            (self.objects.row(number, object), own)
        });
        rows.collect()
    }

    fn schema(&self, vertical: &str) -> Option<Vec<Attribute>> {
        let number = self.objects.number(vertical)?;
        let schema = &self.objects.verticals[number as usize - 1].matching.schema;
        Some(serde_json::from_str(schema).unwrap_or_default())
    }

    /// The hashes of the URLs that have a current member.
    fn standing_at(&self, vertical: &str) -> HashSet<u64> {
        let current = self
            .objects
            .members_of(vertical)
            .filter(|(_, member)| member.state.current);
        current.map(|(_, member)| member.state.url).collect()
    }
}

impl Search for MemoryStore {
    fn search(
        &self,
        vertical: &str,
        query: &Query,
        options: &SearchOptions,
    ) -> Result<SearchPage, StoreError> {
        let kept = self.kept();
        let schema = kept.schema(vertical).ok_or_else(|| StoreError::NoVertical {
            vertical: vertical.to_owned(),
        })?;
        scan::search(vertical, &schema, kept.with_urls(vertical), query, options)
    }

    fn matching(
        &self,
        vertical: &str,
        query: &Query,
        among: &[ObjectId],
    ) -> Result<Vec<ObjectId>, StoreError> {
        let kept = self.kept();
        let schema = kept.schema(vertical).unwrap_or_default();
        let objects = kept.with_urls(vertical).into_iter();
        let matching: HashSet<ObjectId> = objects
            .filter(|(row, urls)| query.matches(&scan::subject(row, urls, &schema)))
            .map(|(row, _)| row.id)
            .collect();
        Ok(among.iter().filter(|id| matching.contains(id)).copied().collect())
    }

    fn find_all(&self, vertical: &str, query: &Query) -> Result<Vec<ObjectId>, StoreError> {
        let all: Vec<ObjectId> = {
            let kept = self.kept();
            let standing = kept.objects.standing(vertical);
            standing.map(|(number, _)| ObjectId(number)).collect()
        };
        self.matching(vertical, query, &all)
    }

    /// Returns nothing: there is no list of words.
    fn did_you_mean(&self, _vertical: &str, _query: &Query) -> Result<Option<String>, StoreError> {
        Ok(None)
    }

    fn object_detail(&self, id: ObjectId) -> Result<Option<ObjectDetail>, StoreError> {
        let (row, merged_into, revision) = {
            let objects = &self.kept().objects;
            let Some(object) = objects.objects.get(&id.0) else {
                return Ok(None);
            };
            let changes = objects.changes.iter().filter(|change| change.object == id);
            (objects.row(id.0, object), object.merged_into, changes.count() as u64)
        };
        let (merged, members) = (self.merged_into(id)?, self.members_of(id)?);
        let schema = self.kept().schema(&row.vertical).unwrap_or_default();
        Ok(Some(joined(&schema, row, merged_into.map(ObjectId), revision, merged, members)))
    }
}

impl History for MemoryStore {
    fn changes(
        &self,
        since: Option<&ChangeCursor>,
        filter: &ChangeFilter,
        limit: usize,
    ) -> Result<ChangePage, StoreError> {
        let mut after = log::checked(since, 0)?;
        let all: Vec<Change> = {
            let changes = &self.kept().objects.changes;
            let rest = changes.iter().filter(|change| {
                change.cursor.seq > after
                    && filter.vertical.as_ref().is_none_or(|wanted| *wanted == change.vertical)
                    && (filter.kinds.is_empty() || filter.kinds.contains(&change.kind))
            });
            rest.cloned().collect()
        };
        let last = self.last_change()?.seq;
        let mut changes = Vec::new();
        for change in log::wanted(self, all, filter)? {
            if changes.len() == limit {
                return Ok(log::page(changes, 0, after, false));
            }
            after = change.cursor.seq;
            changes.push(change);
        }
        Ok(log::page(changes, 0, last.max(after), true))
    }

    fn object_changes(&self, object: ObjectId) -> Result<Vec<Change>, StoreError> {
        let changes = &self.kept().objects.changes;
        let own = changes.iter().filter(|change| change.object == object);
        Ok(own.cloned().collect())
    }

    fn last_change(&self) -> Result<ChangeCursor, StoreError> {
        let seq = self.kept().objects.changes.len() as i64;
        Ok(ChangeCursor { workspace: 0, seq })
    }

    fn changes_since(&self, time: Timestamp) -> Result<ChangeCursor, StoreError> {
        let changes = &self.kept().objects.changes;
        let first = changes.iter().position(|change| change.at >= time);
        let seq = first.unwrap_or(changes.len()) as i64;
        Ok(ChangeCursor { workspace: 0, seq })
    }

    fn workspace_id(&self) -> Result<String, StoreError> {
        Ok("0".to_owned())
    }
}

impl Coverage for MemoryStore {
    fn field_coverage(&self, vertical: &str, site: Option<SiteId>) -> Result<Vec<CoverageRow>, StoreError> {
        let kept = self.kept();
        let rows = kept.coverage.iter();
        let own = rows.filter(|((of, at), _)| of == vertical && site.is_none_or(|site| site == *at));
        Ok(own.flat_map(|(_, rows)| rows).cloned().collect())
    }
}

impl CoverageStore for MemoryStore {
    fn put_coverage(&self, vertical: &str, site: SiteId, rows: Vec<CoverageRow>) -> Result<(), StoreError> {
        let mut rows = rows;
        rows.sort_by(|one, other| one.attribute.cmp(&other.attribute));
        self.kept().coverage.insert((vertical.to_owned(), site), rows);
        Ok(())
    }
}
