//! Writing the results of clustering.
//!
//! Calls that read before they write hold the lease of the shared bucket during both. The
//! transaction fails if another process had the lease in between.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use magpie_model::Record;
use magpie_rows::diff::Version;
use magpie_rows::found::{self, NewPage, News};
use magpie_rows::log::{Logged, NewChange, NewChanges, attributes_to_json, final_successors};
use magpie_rows::{
    AddressRow, Batch, ChangeKind, FoundPage, FoundPages, MatcherKind, MergedObject, NewMember, ObjectId,
    ObjectState, PageAnchors, PageId, Readings as _, Reassignment, Rebuild, RecordPage, SiteId, StoreError,
    Warehouse, WarehouseLink, WarehouseTotals, anchors_from_json, origin,
};
use magpie_values::Timestamp;
use serde_json::json;
use tokio_postgres::types::Type;
use xxhash_rust::xxh3::xxh3_64;

use crate::failure::{Failure, server_error};
use crate::hand_in::put;
use crate::numbers::{SHARED, bucket_of, count_of, row, rows_of, site_of};
use crate::objects::warehouse_row;
use crate::server::{Answer, Call, call};
use crate::statements::LINKS;
use crate::statements::objects::WAREHOUSES;
use crate::statements::readings::{CLUSTERED_AGAIN, READ_AGAIN};
use crate::statements::warehouse::{
    ADDRESSES, ALL_STALE, ALL_THERE, ARCHIVED_ADDRESSES, CLUSTERED_AT, CUT_LINKS, DROP_MEMBER_LINKS, EXPIRED,
    INVALIDATE, KEEP_APART, LOGGED, LOSE_MEMBERS, MERGE_MEMBERS, MERGE_MERGED, MERGE_OBJECTS, MOVE_MEMBERS,
    NEW_OBJECTS, NEW_PAGES, NEW_RECORDS, NEW_WAREHOUSE, PAGES_OF_RECORDS, PLACES, PREPARE_MEMBERS,
    PUT_CHANGES, PUT_MARKS, PUT_MATCHING, PUT_MEMBER_LINKS, PUT_MEMBERS, PUT_OBJECTS, PUT_SIGHTINGS,
    PUT_STATES, RECORDS_THERE, REPLACE_MEMBERS, SAME_EPOCH, SEE_MEMBERS, SEE_OBJECTS, STALE, STALE_AT,
    STALE_OBJECT, STANDING_AT, TOTALS, WAREHOUSE_OF, WITHDRAW,
};
use crate::store::Store;
use crate::value::{Cells, Value, numbers, texts};

/// Pages that are clustered again at a time.
const AGAIN: i64 = 1_000;

impl Warehouse for Store {
    fn warehouse(&self, vertical: &str, now: Timestamp) -> Result<i64, StoreError> {
        let known = || {
            let found = self.query(call(&WAREHOUSE_OF, [SHARED.into(), vertical.into()]), |cells| {
                cells.get()
            })?;
            Ok::<Option<i64>, StoreError>(found.first().copied())
        };
        if let Some(warehouse) = known()? {
            return Ok(warehouse);
        }
        self.write_shared(|| vec![call(&NEW_WAREHOUSE, [SHARED.into(), vertical.into(), now.into()])])?;
        known()?.ok_or_else(|| server_error(format!("the vertical {vertical} was not written down")))
    }

    fn found(&self, vertical: &str, records: usize) -> Result<FoundPages, StoreError> {
        let again = self.found_again(vertical)?;
        if !again.pages.is_empty() {
            return Ok(again);
        }
        found::found(
            &VerticalNews {
                store: self,
                vertical,
            },
            records,
        )
    }

    fn addresses(&self, urls: &[(SiteId, String)]) -> Result<Vec<AddressRow>, StoreError> {
        let mut by_bucket: BTreeMap<i16, BTreeSet<(i64, &str)>> = BTreeMap::new();
        for (site, url) in urls {
            by_bucket
                .entry(bucket_of(site.0))
                .or_default()
                .insert((site.0, url));
        }
        let mut found = Vec::new();
        for (bucket, urls) in by_bucket {
            let archived = texts(urls.iter().map(|(_, url)| *url));
            found.extend(self.query(call(&ARCHIVED_ADDRESSES, [bucket.into(), archived]), address_row)?);
            let mut calls = Vec::new();
            let urls = urls
                .into_iter()
                .map(|(site, url)| [site.into(), url_print(url).into(), url.into()]);
            put(&mut calls, &ADDRESSES, bucket, urls);
            for call in calls {
                found.extend(self.query(call, address_row)?);
            }
        }
        Ok(found)
    }

    fn anchors(&self, pages: &[PageId]) -> Result<Vec<PageAnchors>, StoreError> {
        let mut found = Vec::new();
        for (bucket, pages) in by_bucket(pages.iter().map(|page| page.0)) {
            found.extend(self.query(call(&LINKS, [bucket.into(), pages]), |cells| {
                let (page, address, links) = (cells.page()?, cells.get()?, cells.get()?);
                Ok(PageAnchors {
                    page,
                    links: anchors_from_json(origin(address), links),
                })
            })?);
        }
        Ok(found)
    }

    fn pages_of_records(&self, records: &[i64]) -> Result<Vec<RecordPage>, StoreError> {
        let mut found = Vec::new();
        for (bucket, records) in by_bucket(records.iter().copied()) {
            found.extend(
                self.query(call(&PAGES_OF_RECORDS, [bucket.into(), records]), |cells| {
                    let (record, page) = (cells.get()?, cells.get()?);
                    Ok(RecordPage {
                        record,
                        page: PageId(page),
                        site: site_of(page),
                        url: cells.get()?,
                    })
                })?,
            );
        }
        Ok(found)
    }

    fn stale(&self, warehouse: i64, limit: usize) -> Result<Vec<i64>, StoreError> {
        let values = [SHARED.into(), warehouse.into(), (limit as i64).into()];
        self.query(call(&STALE, values), |cells| cells.get())
    }

    fn totals(&self, warehouse: i64) -> Result<WarehouseTotals, StoreError> {
        let found = self.query(call(&TOTALS, [SHARED.into(), warehouse.into()]), |cells| {
            Ok(WarehouseTotals {
                objects: cells.unsigned()?,
                members: cells.unsigned()?,
                last: cells.get()?,
            })
        })?;
        Ok(found.first().copied().unwrap_or_default())
    }

    fn take_in(&self, batch: Batch) -> Result<(), StoreError> {
        let records = batch.seen.iter().filter_map(|seen| seen.record);
        self.check_records(
            batch
                .members
                .iter()
                .map(|member| member.id)
                .chain(records)
                .collect(),
        )?;
        let epoch = self.shared_epoch()?;
        let touched = batch.touched();
        let mut log = self.logged(touched.iter().copied())?;
        batch.objects.iter().for_each(|object| log.put(object, batch.now));
        let merged = batch.merged.iter().map(|(gone, stays)| (gone.0, stays.0));
        merged.clone().for_each(|(gone, stays)| log.merge(gone, stays));
        let merged = final_successors(merged);
        let mut urls = self.urls_of(&touched)?;
        let successors: HashMap<i64, i64> = merged.iter().copied().collect();
        for (object, _) in urls.values_mut() {
            *object = successors.get(object).copied().unwrap_or(*object);
        }
        let members = batch.members.iter();
        urls.extend(members.map(|member| (member.id, (member.object, member.url.clone()))));
        let entries = self.new_entries(batch.warehouse, None, &touched, &log, &urls)?;
        let batch = Gathered::of(&batch, merged);
        self.write_in_epoch(epoch, |calls| {
            batch.write(calls, &log.entries);
            entries.iter().for_each(|entries| entries.write(calls));
        })
        .map(drop)
    }

    fn expire(&self, warehouse: i64, now: Timestamp) -> Result<usize, StoreError> {
        let epoch = self.shared_epoch()?;
        let values = [SHARED.into(), warehouse.into(), now.into()];
        let expired = self.query(call(&EXPIRED, values), |cells| {
            Ok(NewChange {
                object: cells.get()?,
                kind: ChangeKind::Expired,
                attributes: Vec::new(),
                after: version(cells)?,
                into: None,
                state: ObjectState::Expired,
            })
        })?;
        self.write_in_epoch(epoch, |calls| append(calls, &expired, now))?;
        Ok(expired.len())
    }

    fn rebuild(&self, warehouse: i64, step: Rebuild) -> Result<(), StoreError> {
        match step {
            // Without a matcher the clustering is invalid, and it stays so if the rebuild is
            // interrupted.
            Rebuild::Begin => {
                self.write_shared(|| vec![call(&INVALIDATE, [SHARED.into(), warehouse.into()])])?;
            }
            Rebuild::Prepare(members) => {
                self.write_shared(|| {
                    let mut calls = Vec::new();
                    let rows = members.iter().map(|member| {
                        let features = Value::Bytes(Some(&member.features));
                        [member.id.into(), features, json!(member.keys).to_string().into()]
                    });
                    put(&mut calls, &PREPARE_MEMBERS, SHARED, rows);
                    calls
                })?;
            }
            Rebuild::Assign(reassignment) => self.reassign(warehouse, &reassignment)?,
        }
        Ok(())
    }

    fn withdraw(&self, vertical: &str, urls: Vec<String>) -> Result<usize, StoreError> {
        let answers = self.write_shared(|| {
            let prints = || numbers(urls.iter().map(|url| url_print(url).cast_signed()));
            [&STALE_AT, &WITHDRAW]
                .map(|statement| call(statement, [SHARED.into(), vertical.into(), prints()]))
                .into()
        })?;
        Ok(answers.last().map_or(0, |answer| answer.changed as usize))
    }

    fn keep_apart(
        &self,
        pair: (i64, i64),
        moved: Vec<i64>,
        now: Timestamp,
    ) -> Result<Option<ObjectId>, StoreError> {
        let epoch = self.shared_epoch()?;
        let first = moved.first().copied();
        let named = numbers([pair.0, pair.1].into_iter().chain(first));
        let places = self.query(call(&PLACES, [SHARED.into(), named]), |cells| {
            Ok((cells.get::<i64>()?, (cells.get::<i64>()?, cells.get::<i64>()?)))
        })?;
        let places: HashMap<i64, (i64, i64)> = places.into_iter().collect();
        for member in [pair.0, pair.1].into_iter().chain(first) {
            if !places.contains_key(&member) {
                return Err(server_error(format!("there is no member {member} to keep apart")));
            }
        }
        let of_first = first.and_then(|first| places.get(&first)).copied();
        let new = self.totals(0)?.last + 1;
        self.write_in_epoch(epoch, |calls| {
            let (one, other) = (pair.0.min(pair.1), pair.0.max(pair.1));
            calls.push(call(
                &KEEP_APART,
                [SHARED.into(), one.into(), other.into(), now.into()],
            ));
            if let Some((warehouse, old)) = of_first {
                put(
                    calls,
                    &NEW_OBJECTS,
                    SHARED,
                    [[warehouse.into(), new.into()]].into_iter(),
                );
                let rows = moved.iter().map(|member| [(*member).into(), new.into()]);
                put(calls, &MOVE_MEMBERS, SHARED, rows);
                calls.push(call(&CUT_LINKS, [SHARED.into(), numbers([old, new])]));
                calls.push(call(&STALE_OBJECT, [SHARED.into(), old.into()]));
            }
        })?;
        Ok(of_first.map(|_| ObjectId(new)))
    }
}

impl Store {
    /// Leases the shared bucket, and returns the epoch in which reads are the basis of a write.
    pub(crate) fn shared_epoch(&self) -> Result<i64, StoreError> {
        self.write_shared(Vec::new)?;
        self.buckets().epoch(SHARED).ok_or(StoreError::LeaseOver {
            site: SHARED.into(),
            epoch: 0,
        })
    }

    /// Writes rows of the shared bucket that depend on what was read in an epoch.
    pub(crate) fn write_in_epoch<'c>(
        &self,
        epoch: i64,
        writes: impl Fn(&mut Vec<Call<'c>>),
    ) -> Result<Vec<Answer>, StoreError> {
        self.write_shared(|| {
            let mut calls = vec![call(&SAME_EPOCH, [SHARED.into(), epoch.into()])];
            writes(&mut calls);
            calls
        })
    }

    /// Returns objects as they were logged last.
    pub(crate) fn logged(&self, objects: impl Iterator<Item = i64>) -> Result<NewChanges, StoreError> {
        Ok(NewChanges::new(self.logged_rows(objects)?))
    }

    pub(crate) fn logged_rows(
        &self,
        objects: impl Iterator<Item = i64>,
    ) -> Result<HashMap<i64, Logged>, StoreError> {
        let found = self.query(call(&LOGGED, [SHARED.into(), numbers(objects)]), |cells| {
            Ok((
                cells.get()?,
                Logged {
                    version: version(cells)?,
                    state: cells.get::<&str>()?.parse().ok(),
                    merged_into: cells.get()?,
                },
            ))
        })?;
        Ok(found.into_iter().collect())
    }

    /// Fails if one of these records was never found.
    fn check_records(&self, records: BTreeSet<i64>) -> Result<(), StoreError> {
        let buckets: BTreeSet<i16> = records.iter().map(|record| bucket_of(*record)).collect();
        let buckets = Value::Many(Type::INT2_ARRAY, buckets.into_iter().map(Value::from).collect());
        let wanted = records.len();
        let there = self.query(call(&RECORDS_THERE, [buckets, numbers(records)]), |cells| {
            cells.unsigned()
        })?;
        match there.first() {
            Some(there) if *there == wanted as u64 => Ok(()),
            _ => Err(server_error(
                "a batch has members that are no records of this workspace: nothing was written".to_owned(),
            )),
        }
    }

    fn reassign(&self, warehouse: i64, new: &Reassignment) -> Result<(), StoreError> {
        let epoch = self.shared_epoch()?;
        let mut log = self.logged(new.retired.iter().map(|(gone, _)| *gone))?;
        for (gone, stays) in &new.retired {
            log.merge(*gone, *stays);
        }
        let merged = final_successors(new.retired.iter().copied());
        let known = self.query(
            call(&WAREHOUSES, [SHARED.into(), Value::Text(None)]),
            warehouse_row,
        )?;
        let known = known.into_iter().find(|known| known.id == warehouse);
        let retired = new.retired.iter().map(|(gone, _)| *gone).collect();
        let schema = Some(new.matching.schema.as_str());
        let entries = self.new_entries(
            warehouse,
            schema,
            &retired,
            &NewChanges::default(),
            &BTreeMap::new(),
        )?;
        let links = links(&new.links);
        let objects = new.moved.iter().chain(&new.retired).map(|(_, object)| *object);
        let objects: Vec<i64> = objects.collect();
        self.write_in_epoch(epoch, |calls| {
            let rows = new.new.iter().map(|object| [warehouse.into(), (*object).into()]);
            put(calls, &NEW_OBJECTS, SHARED, rows);
            let rows = new
                .moved
                .iter()
                .map(|(member, object)| [(*member).into(), (*object).into()]);
            put(calls, &MOVE_MEMBERS, SHARED, rows);
            merge(calls, &merged);
            append(calls, &log.entries, new.now);
            calls.push(call(&DROP_MEMBER_LINKS, [SHARED.into(), warehouse.into()]));
            put_links(calls, &links);
            calls.push(call(&ALL_STALE, [SHARED.into(), warehouse.into()]));
            calls.push(call(
                &PUT_MATCHING,
                [
                    SHARED.into(),
                    warehouse.into(),
                    new.matching.matcher.map_or("", MatcherKind::as_str).into(),
                    (&new.matching.digest).into(),
                    (&new.matching.options).into(),
                    (&new.matching.schema).into(),
                    new.now.into(),
                ],
            ));
            let members = links.keys().flat_map(|(one, other)| [*one, *other]);
            calls.push(all_there(warehouse, members, objects.iter().copied()));
            entries.iter().for_each(|entries| entries.write(calls));
        })?;
        match known {
            Some(known) if known.matching.schema != new.matching.schema => self.index_all(&known),
            _ => Ok(()),
        }
    }
}

impl Store {
    /// Reads clustered pages that have other records now, with their records.
    fn found_again(&self, vertical: &str) -> Result<FoundPages, StoreError> {
        let rows = self.query(call(&READ_AGAIN, [vertical.into(), AGAIN.into()]), |cells| {
            let page = PageId(cells.get()?);
            let page = FoundPage {
                page,
                site: site_of(page.0),
                url: cells.get()?,
                fetched_at: cells.time()?,
                records: Some(Vec::new()),
                is_gone: false,
            };
            let record = cells.get::<Option<i64>>()?;
            let content: Option<&str> = cells.get()?;
            Ok((page, record.map(|id| (id, content.and_then(Record::from_text)))))
        })?;
        let mut found = FoundPages::default();
        for (page, record) in rows {
            if found.pages.last().is_none_or(|last| last.page != page.page) {
                found.marks.again.push(page.page);
                found.pages.push(page);
            }
            if let (Some(record), Some(last)) = (record, found.pages.last_mut()) {
                last.records.get_or_insert_default().push(record);
            }
        }
        Ok(found)
    }
}

/// A batch with each row once, as arrays need it: the last of each object, member and link, and all
/// sightings of a member together.
struct Gathered<'b> {
    batch: &'b Batch,
    merged: Vec<(i64, i64)>,
    objects: BTreeMap<i64, &'b MergedObject>,
    members: BTreeMap<i64, (&'b NewMember, [u8; 16])>,
    /// The first and the last time, and the last record.
    seen: BTreeMap<i64, (Timestamp, Timestamp, Option<i64>)>,
    links: BTreeMap<(i64, i64), &'b WarehouseLink>,
    marks: BTreeMap<i64, u64>,
}

impl<'b> Gathered<'b> {
    fn of(batch: &'b Batch, merged: Vec<(i64, i64)>) -> Gathered<'b> {
        let members = batch.members.iter();
        let mut seen = BTreeMap::new();
        for next in &batch.seen {
            let all = seen.entry(next.member).or_insert((next.at, next.at, None));
            *all = (all.0.min(next.at), all.1.max(next.at), next.record.or(all.2));
        }
        let mut marks = BTreeMap::new();
        for (site, page) in &batch.marks.upto {
            let mark = marks.entry(site.0).or_insert(*page);
            *mark = (*mark).max(*page);
        }
        Gathered {
            batch,
            merged,
            objects: batch.objects.iter().map(|object| (object.id, object)).collect(),
            members: members
                .map(|member| (member.id, (member, member.record_print.to_be_bytes())))
                .collect(),
            seen,
            links: links(&batch.links),
            marks,
        }
    }

    fn write<'c>(&'c self, calls: &mut Vec<Call<'c>>, changes: &'c [NewChange]) {
        let (warehouse, now) = (self.batch.warehouse, self.batch.now);
        let objects = self.objects.values().map(|object| object_row(warehouse, object));
        put(calls, &PUT_OBJECTS, SHARED, objects);
        merge(calls, &self.merged);
        append(calls, changes, now);
        let members = self.members.values();
        let members = members.map(|(member, print)| member_row(warehouse, member, print));
        put(calls, &PUT_MEMBERS, SHARED, members);
        let sightings = self
            .batch
            .seen
            .iter()
            .filter_map(|seen| Some((seen.record?, seen.member)));
        let sightings = sightings.map(|(record, member)| [record.into(), member.into()]);
        put(calls, &PUT_SIGHTINGS, SHARED, sightings);
        for statement in [&SEE_MEMBERS, &SEE_OBJECTS] {
            let seen = self.seen.iter();
            let seen = seen.map(|(member, (first, last, record))| {
                [
                    (*member).into(),
                    (*first).into(),
                    (*last).into(),
                    (*record).into(),
                ]
            });
            put(calls, statement, SHARED, seen);
        }
        for (statement, members) in [
            (&LOSE_MEMBERS, &self.batch.gone),
            (&REPLACE_MEMBERS, &self.batch.replaced),
        ] {
            let members = members.iter().map(|member| [(*member).into()]);
            put(calls, statement, SHARED, members);
        }
        put_links(calls, &self.links);
        // The pages count as clustered in the same transaction, so no record is clustered twice
        // after a crash.
        let marks = self.marks.iter();
        let marks = marks.map(|(site, page)| [warehouse.into(), (*site).into(), (*page).into()]);
        put(calls, &PUT_MARKS, SHARED, marks);
        let again = &self.batch.marks.again;
        if !again.is_empty() {
            let buckets: BTreeSet<i16> = again.iter().map(|page| bucket_of(page.0)).collect();
            let buckets = buckets.into_iter().map(Value::from).collect();
            let pages = numbers(again.iter().map(|page| page.0));
            let buckets = Value::Many(Type::INT2_ARRAY, buckets);
            calls.push(call(&CLUSTERED_AGAIN, [buckets, warehouse.into(), pages]));
        }
        calls.push(call(&CLUSTERED_AT, [SHARED.into(), warehouse.into(), now.into()]));
        let linked = self.links.keys().flat_map(|(one, other)| [*one, *other]);
        let members = self.members.keys().chain(self.seen.keys()).copied().chain(linked);
        let objects = self.members.values().map(|(member, _)| member.object);
        let objects = objects.chain(self.merged.iter().map(|(_, stays)| *stays));
        calls.push(all_there(warehouse, members, objects));
    }
}

fn object_row(warehouse: i64, object: &MergedObject) -> [Value<'_>; 11] {
    [
        warehouse.into(),
        object.id.into(),
        (&object.label).into(),
        (&object.record.object_type).into(),
        object.record.to_text().into(),
        (&object.origins).into(),
        object.members.into(),
        object.current.into(),
        object.first_seen.into(),
        object.last_seen.into(),
        object.expires_at.into(),
    ]
}

fn member_row<'c>(warehouse: i64, member: &'c NewMember, print: &'c [u8]) -> [Value<'c>; 9] {
    [
        member.id.into(),
        warehouse.into(),
        member.object.into(),
        url_print(&member.url).into(),
        Value::Bytes(Some(print)),
        member.seen_at.into(),
        Value::Bytes(Some(&member.features)),
        json!(member.keys).to_string().into(),
        Value::Bytes(Some(&member.origin)),
    ]
}

/// Links by their members, the smaller number first.
fn links(links: &[WarehouseLink]) -> BTreeMap<(i64, i64), &WarehouseLink> {
    let key = |link: &WarehouseLink| (link.one.min(link.other), link.one.max(link.other));
    links.iter().map(|link| (key(link), link)).collect()
}

fn put_links<'c>(calls: &mut Vec<Call<'c>>, links: &BTreeMap<(i64, i64), &'c WarehouseLink>) {
    let rows = links.iter().map(|((one, other), link)| {
        [
            (*one).into(),
            (*other).into(),
            link.probability.into(),
            (&link.scheme).into(),
            json!(link.reasons).to_string().into(),
        ]
    });
    put(calls, &PUT_MEMBER_LINKS, SHARED, rows);
}

/// Merges objects into their last successors.
fn merge(calls: &mut Vec<Call<'_>>, merged: &[(i64, i64)]) {
    for statement in [&MERGE_MEMBERS, &MERGE_MERGED, &MERGE_OBJECTS] {
        let rows = merged
            .iter()
            .map(|(gone, stays)| [(*gone).into(), (*stays).into()]);
        put(calls, statement, SHARED, rows);
    }
}

/// Appends changes to the log, and notes the states of their objects.
pub(crate) fn append<'c>(calls: &mut Vec<Call<'c>>, changes: &'c [NewChange], now: Timestamp) {
    let rows = changes.iter().map(|change| {
        [
            change.object.into(),
            change.kind.as_str().into(),
            now.into(),
            (&change.after.label).into(),
            (&change.after.record.object_type).into(),
            change.after.expires_at.into(),
            attributes_to_json(&change.attributes).into(),
            change.into.into(),
        ]
    });
    put(calls, &PUT_CHANGES, SHARED, rows);
    let states: BTreeMap<i64, ObjectState> = changes
        .iter()
        .map(|change| (change.object, change.state))
        .collect();
    let rows = states
        .into_iter()
        .map(|(object, state)| [object.into(), state.as_str().into(), now.into()]);
    put(calls, &PUT_STATES, SHARED, rows);
}

fn all_there<'c>(
    warehouse: i64,
    members: impl Iterator<Item = i64>,
    objects: impl Iterator<Item = i64>,
) -> Call<'c> {
    let values = [
        SHARED.into(),
        warehouse.into(),
        numbers(members),
        numbers(objects),
    ];
    call(&ALL_THERE, values)
}

/// Pages that are new to a vertical.
struct VerticalNews<'s> {
    store: &'s Store,
    vertical: &'s str,
}

impl News for VerticalNews<'_> {
    type Error = StoreError;

    fn sites(&self) -> Result<Vec<(SiteId, u64)>, StoreError> {
        let news = self.store.sites_with_news(self.vertical)?;
        Ok(news.into_iter().map(|site| (site.site, site.after)).collect())
    }

    fn pages(&self, site: SiteId, after: u64, limit: usize) -> Result<Vec<NewPage>, StoreError> {
        let values = [
            bucket_of(site.0).into(),
            row(site, after.cast_signed() + 1).into(),
            rows_of(site).1.into(),
            self.vertical.into(),
            (limit as i64).into(),
        ];
        self.store.query(call(&NEW_PAGES, values), |cells| {
            let page = cells.get()?;
            Ok(NewPage {
                number: count_of(page).unsigned_abs(),
                page: PageId(page),
                url: cells.get()?,
                fetched_at: cells.time()?,
                status: cells.optional_small()?,
                records: cells.get::<Option<i64>>()?.map(i64::unsigned_abs),
            })
        })
    }

    fn records(
        &self,
        site: SiteId,
        after: u64,
        upto: u64,
    ) -> Result<Vec<(u64, i64, Option<Record>)>, StoreError> {
        let values = [
            bucket_of(site.0).into(),
            row(site, after.cast_signed() + 1).into(),
            row(site, upto.cast_signed()).into(),
            self.vertical.into(),
        ];
        self.store.query(call(&NEW_RECORDS, values), |cells| {
            let page = count_of(cells.get()?).unsigned_abs();
            Ok((page, cells.get()?, Record::from_text(cells.get()?)))
        })
    }

    fn standing(&self, prints: &[u64]) -> Result<HashSet<u64>, StoreError> {
        let prints = numbers(prints.iter().map(|print| print.cast_signed()));
        let values = [SHARED.into(), self.vertical.into(), prints];
        let found = self
            .store
            .query(call(&STANDING_AT, values), |cells| cells.unsigned())?;
        Ok(found.into_iter().collect())
    }
}

fn address_row(cells: &mut Cells<'_>) -> Result<AddressRow, Failure> {
    Ok(AddressRow {
        url: cells.get()?,
        page: PageId(cells.get()?),
        status: cells.optional_small()?,
        redirect: cells.get()?,
        canonical: cells.get()?,
        title: cells.get()?,
    })
}

/// Reads label, record and expiry of an object.
fn version(cells: &mut Cells<'_>) -> Result<Version, Failure> {
    Ok(Version {
        label: cells.get()?,
        record: Record::from_text(cells.get()?).unwrap_or_default(),
        expires_at: cells.optional_time()?,
    })
}

fn by_bucket<'v>(numbers_of_rows: impl Iterator<Item = i64>) -> impl Iterator<Item = (i16, Value<'v>)> {
    let mut by_bucket: BTreeMap<i16, BTreeSet<i64>> = BTreeMap::new();
    for number in numbers_of_rows {
        by_bucket.entry(bucket_of(number)).or_default().insert(number);
    }
    by_bucket
        .into_iter()
        .map(|(bucket, rows)| (bucket, numbers(rows)))
}

fn url_print(url: &str) -> u64 {
    xxh3_64(url.as_bytes())
}
