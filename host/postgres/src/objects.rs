//! Objects and their members.

use std::collections::HashMap;

use magpie_model::Record;
use magpie_rows::{
    Doubts, HeldLink, Matching, MemberFilter, MemberState, ObjectId, ObjectOnPage, ObjectRow, Objects,
    RecordRow, RecordTimes, StandingRow, StoreError, WarehouseLink, WarehouseRow, WeakestLink,
};
use xxhash_rust::xxh3::xxh3_64;

use crate::failure::{Failure, server_error};
use crate::numbers::SHARED;
use crate::server::call;
use crate::statements::objects::{
    APART, DESCRIBED_LINKS, DOUBTFUL_PAGES, HELD_LINKS, LINKS_OF, MEMBERS_AT, MEMBERS_OF_OBJECTS,
    MEMBERS_WITH, OBJECT_NUMBERS, OBJECTS, OBJECTS_AFTER, OBJECTS_ON_PAGES, RECORD_TIMES, RECORDS, STANDING,
    URLS_OF_MEMBERS, WAREHOUSES,
};
use crate::store::Store;
use crate::value::{Cells, fields, numbers};

/// Objects whose links are read at a time.
const HELD: i64 = 10_000;

impl Objects for Store {
    fn warehouse_vertical(&self, vertical: &str) -> Result<Option<WarehouseRow>, StoreError> {
        let rows = self.query(call(&WAREHOUSES, [SHARED.into(), vertical.into()]), warehouse_row)?;
        Ok(rows.into_iter().next())
    }

    fn object(&self, id: ObjectId) -> Result<Option<ObjectRow>, StoreError> {
        let rows = self.query(call(&OBJECTS, [SHARED.into(), numbers([id.0])]), object_row)?;
        Ok(rows.into_iter().next())
    }

    fn objects_after(
        &self,
        vertical: &str,
        after: Option<ObjectId>,
        limit: usize,
    ) -> Result<Vec<ObjectRow>, StoreError> {
        let after = after.map_or(i64::MIN, |after| after.0);
        let values = [
            SHARED.into(),
            vertical.into(),
            after.into(),
            (limit as i64).into(),
        ];
        self.query(call(&OBJECTS_AFTER, values), object_row)
    }

    fn objects_on_pages(
        &self,
        vertical: &str,
        after: Option<(u64, ObjectId)>,
        limit: usize,
    ) -> Result<Vec<ObjectOnPage>, StoreError> {
        let (print, object) = after.map_or((i64::MIN, i64::MIN), |(print, object)| {
            (print.cast_signed(), object.0)
        });
        let (shared, limit) = (SHARED.into(), (limit as i64).into());
        let values = [shared, vertical.into(), print.into(), object.into(), limit];
        self.query(call(&OBJECTS_ON_PAGES, values), |cells| {
            Ok(ObjectOnPage {
                url_print: cells.unsigned()?,
                object: ObjectId(cells.get()?),
                url: cells.get()?,
                first_seen: cells.time()?,
                last_seen: cells.time()?,
                expires_at: cells.optional_time()?,
            })
        })
    }

    fn doubtful_pages(&self, vertical: &str) -> Result<Vec<(u64, ObjectId, f64)>, StoreError> {
        self.query(call(&DOUBTFUL_PAGES, [SHARED.into(), vertical.into()]), |cells| {
            Ok((cells.unsigned()?, ObjectId(cells.get()?), cells.get()?))
        })
    }

    fn record_times(&self, vertical: &str, after: i64, limit: usize) -> Result<Vec<RecordTimes>, StoreError> {
        let values = [
            SHARED.into(),
            vertical.into(),
            after.into(),
            (limit as i64).into(),
        ];
        self.query(call(&RECORD_TIMES, values), |cells| {
            Ok(fields!(
                cells,
                RecordTimes {
                    member: get,
                    url: unsigned,
                    first_seen: time,
                    last_seen: time,
                    current: get,
                    new_object: get
                }
            ))
        })
    }

    fn members(&self, of: MemberFilter<'_>) -> Result<Vec<MemberState>, StoreError> {
        let call = match of {
            MemberFilter::Urls(warehouse, urls) => {
                let prints = urls.iter().map(|url| xxh3_64(url.as_bytes()).cast_signed());
                call(&MEMBERS_AT, [SHARED.into(), warehouse.into(), numbers(prints)])
            }
            MemberFilter::Objects(objects) => call(
                &MEMBERS_OF_OBJECTS,
                [SHARED.into(), numbers(objects.iter().copied())],
            ),
            MemberFilter::Records(records) => {
                call(&MEMBERS_WITH, [SHARED.into(), numbers(records.iter().copied())])
            }
        };
        self.query(call, |cells| {
            Ok(MemberState {
                id: cells.get()?,
                object: cells.get()?,
                url: cells.unsigned()?,
                record_print: record_print(cells)?,
                current: cells.get()?,
                compared: cells.get()?,
                is_subject: cells.get()?,
                first_seen: cells.time()?,
                last_seen: cells.time()?,
            })
        })
    }

    fn standing_after(
        &self,
        warehouse: i64,
        after: i64,
        limit: usize,
    ) -> Result<Vec<StandingRow>, StoreError> {
        let values = [
            SHARED.into(),
            warehouse.into(),
            after.into(),
            (limit as i64).into(),
        ];
        self.query(call(&STANDING, values), |cells| {
            Ok(StandingRow {
                id: cells.get()?,
                object: cells.get()?,
                features: cells.get()?,
                // JSON of another program counts as empty.
                keys: serde_json::from_str(cells.get()?).unwrap_or_default(),
                origin: cells.get()?,
            })
        })
    }

    fn records(&self, wanted: &[i64]) -> Result<Vec<RecordRow>, StoreError> {
        self.query(call(&RECORDS, [numbers(wanted.iter().copied())]), |cells| {
            Ok(RecordRow {
                id: cells.get()?,
                record: Record::from_text(cells.get()?),
                expires_at: cells.optional_time()?,
            })
        })
    }

    fn links_of(&self, object: i64) -> Result<Vec<WarehouseLink>, StoreError> {
        self.query(call(&LINKS_OF, [SHARED.into(), object.into()]), link_row)
    }

    fn weakest_links(&self, vertical: &str) -> Result<Vec<WeakestLink>, StoreError> {
        let mut doubts = Doubts::default();
        let mut after = i64::MIN;
        loop {
            let objects = self.object_numbers(vertical, after, HELD)?;
            let Some(last) = objects.last() else {
                break;
            };
            after = *last;
            let links = self.query(call(&HELD_LINKS, [SHARED.into(), numbers(objects)]), |cells| {
                Ok(HeldLink {
                    object: cells.get()?,
                    ends: [cells.get()?, cells.get()?],
                    probability: cells.get()?,
                    current: [cells.get()?, cells.get()?],
                })
            })?;
            links.into_iter().for_each(|link| doubts.add(link));
        }
        self.describe(&doubts.weakest())
    }

    fn apart(&self, warehouse: i64) -> Result<Vec<(i64, i64)>, StoreError> {
        self.query(call(&APART, [SHARED.into(), warehouse.into()]), |cells| {
            Ok((cells.get()?, cells.get()?))
        })
    }
}

impl Store {
    /// Reads numbers of the objects of a vertical after one.
    pub(crate) fn object_numbers(
        &self,
        vertical: &str,
        after: i64,
        limit: i64,
    ) -> Result<Vec<i64>, StoreError> {
        let values = [SHARED.into(), vertical.into(), after.into(), limit.into()];
        self.query(call(&OBJECT_NUMBERS, values), |cells| cells.get())
    }

    fn describe(&self, links: &[HeldLink]) -> Result<Vec<WeakestLink>, StoreError> {
        let ends = links.iter().flat_map(|link| link.ends);
        let urls = self.query(call(&URLS_OF_MEMBERS, [SHARED.into(), numbers(ends)]), |cells| {
            Ok((cells.get()?, cells.get()?))
        })?;
        let urls: HashMap<i64, String> = urls.into_iter().collect();
        let values = [
            SHARED.into(),
            numbers(links.iter().map(|link| link.object)),
            numbers(links.iter().map(|link| link.ends[0])),
            numbers(links.iter().map(|link| link.ends[1])),
        ];
        self.query(call(&DESCRIBED_LINKS, values), |cells| {
            let (object, label) = (ObjectId(cells.get()?), cells.get()?);
            let link = link_row(cells)?;
            let urls = [link.one, link.other].map(|end| urls.get(&end).cloned().unwrap_or_default());
            Ok(WeakestLink {
                object,
                label,
                link,
                urls,
            })
        })
    }
}

pub(crate) fn warehouse_row(cells: &mut Cells<'_>) -> Result<WarehouseRow, Failure> {
    let (id, vertical) = (cells.get()?, cells.get()?);
    // The text is empty before the first clustering.
    let matcher: &str = cells.get()?;
    Ok(WarehouseRow {
        id,
        vertical,
        matching: Matching {
            matcher: matcher.parse().ok(),
            digest: cells.get()?,
            options: cells.get()?,
            schema: cells.get()?,
        },
        clustered_at: cells.time()?,
    })
}

pub(crate) fn object_row(cells: &mut Cells<'_>) -> Result<ObjectRow, Failure> {
    Ok(ObjectRow {
        id: ObjectId(cells.get()?),
        vertical: cells.get()?,
        label: cells.get()?,
        record: Record::from_text(cells.get()?).unwrap_or_default(),
        origins: cells.get()?,
        members: cells.unsigned()?,
        current: cells.unsigned()?,
        first_seen: cells.time()?,
        last_seen: cells.time()?,
        expires_at: cells.optional_time()?,
        state: cells.get::<&str>()?.parse().ok(),
        changed_at: cells.time()?,
    })
}

fn link_row(cells: &mut Cells<'_>) -> Result<WarehouseLink, Failure> {
    Ok(WarehouseLink {
        one: cells.get()?,
        other: cells.get()?,
        probability: cells.get()?,
        scheme: cells.get()?,
        reasons: serde_json::from_str(cells.get()?).unwrap_or_default(),
    })
}

fn record_print(cells: &mut Cells<'_>) -> Result<u128, Failure> {
    let bytes: &[u8] = cells.get()?;
    let bytes = bytes.try_into().map_err(|_| {
        Failure::Other(server_error(format!(
            "the hash of a record has {} bytes, not 16: the workspace is damaged",
            bytes.len()
        )))
    })?;
    Ok(u128::from_be_bytes(bytes))
}
