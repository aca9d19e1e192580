//! The warehouse as people ask for it.

use std::collections::HashMap;
use std::ops::ControlFlow;

use magpie_model::Record;
use magpie_rows::{
    Catalogue, MemberRow, ObjectFilter, ObjectId, ObjectOrder, ObjectRow, PageId, SightingRow, StoreError,
    WarehouseRow,
};
use tokio_postgres::types::Type;
use xxhash_rust::xxh3::xxh3_64;

use crate::failure::Failure;
use crate::numbers::SHARED;
use crate::objects::{object_row, warehouse_row};
use crate::server::call;
use crate::statements::objects::{
    COUNT_OBJECTS, LAST_OBJECT, MEMBERS, MERGED_INTO, OBJECTS, OBJECTS_AT, SIGHTINGS, SORTED_OBJECTS,
    WAREHOUSES,
};
use crate::store::Store;
use crate::value::{Cells, Value, read};

/// Objects that are read at a time.
const AT_A_TIME: usize = 1_000;

impl Catalogue for Store {
    /// Sorts the numbers of the objects first, and reads the objects part by part in the same
    /// snapshot.
    fn objects(
        &self,
        filter: &ObjectFilter,
        each: &mut dyn FnMut(ObjectRow) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let order = match filter.order {
            ObjectOrder::Number => "number",
            ObjectOrder::Label => "label",
            ObjectOrder::Members => "members",
            ObjectOrder::FirstSeen => "first_seen",
            ObjectOrder::LastSeen => "last_seen",
            ObjectOrder::Expires => "expires",
        };
        let time = |time: Option<magpie_values::Timestamp>| Value::Int(time.map(|time| time.as_millis()));
        let values = [
            SHARED.into(),
            (&filter.vertical).into(),
            time(filter.new_since),
            time(filter.expired_at),
            time(filter.current_at),
            order.into(),
            (if filter.backwards { -1_i64 } else { 1 }).into(),
        ];
        let mut transaction = self.server.snapshot()?;
        let sorted = transaction.run(vec![call(&SORTED_OBJECTS, values)])?;
        let sorted = read(&sorted[0].rows, |cells| cells.get::<i64>())?;
        for part in sorted.chunks(AT_A_TIME) {
            let numbers = Value::Many(Type::INT8_ARRAY, part.iter().map(|id| (*id).into()).collect());
            let rows = transaction.run(vec![call(&OBJECTS, [SHARED.into(), numbers])])?;
            let rows = read(&rows[0].rows, object_row)?;
            let mut rows: HashMap<i64, ObjectRow> = rows.into_iter().map(|row| (row.id.0, row)).collect();
            for row in part.iter().filter_map(|id| rows.remove(id)) {
                if each(row).is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn warehouse_verticals(&self) -> Result<Vec<WarehouseRow>, StoreError> {
        self.query(
            call(&WAREHOUSES, [SHARED.into(), Value::Text(None)]),
            warehouse_row,
        )
    }

    fn warehouse_objects(&self, row: &WarehouseRow) -> Result<u64, StoreError> {
        let count = self.query(call(&COUNT_OBJECTS, [SHARED.into(), row.id.into()]), |cells| {
            cells.unsigned()
        })?;
        Ok(count.into_iter().sum())
    }

    fn last_object(&self) -> Result<i64, StoreError> {
        let last = self.query(call(&LAST_OBJECT, [SHARED.into()]), |cells| cells.get())?;
        Ok(last.first().copied().unwrap_or_default())
    }

    fn merged_into(&self, object: ObjectId) -> Result<Vec<ObjectId>, StoreError> {
        self.query(call(&MERGED_INTO, [SHARED.into(), object.0.into()]), |cells| {
            cells.get().map(ObjectId)
        })
    }

    fn members_of(&self, object: ObjectId) -> Result<Vec<MemberRow>, StoreError> {
        let values = [SHARED.into(), object.0.into(), Value::Int(None)];
        self.query(call(&MEMBERS, values), member_row)
    }

    fn member_with(&self, record: i64) -> Result<Option<MemberRow>, StoreError> {
        let values = [SHARED.into(), Value::Int(None), record.into()];
        Ok(self.query(call(&MEMBERS, values), member_row)?.into_iter().next())
    }

    fn sightings(&self, member: i64) -> Result<Vec<SightingRow>, StoreError> {
        self.query(call(&SIGHTINGS, [SHARED.into(), member.into()]), |cells| {
            Ok(SightingRow {
                record: cells.get()?,
                page: PageId(cells.get()?),
                fetched_at: cells.time()?,
            })
        })
    }

    fn objects_at(&self, vertical: &str, url: &str) -> Result<Vec<ObjectId>, StoreError> {
        let values = [SHARED.into(), vertical.into(), xxh3_64(url.as_bytes()).into()];
        self.query(call(&OBJECTS_AT, values), |cells| cells.get().map(ObjectId))
    }
}

fn member_row(cells: &mut Cells<'_>) -> Result<MemberRow, Failure> {
    Ok(MemberRow {
        id: cells.get()?,
        object: ObjectId(cells.get()?),
        url: cells.get()?,
        page: PageId(cells.get()?),
        record: Record::from_text(cells.get()?).unwrap_or_default(),
        first_seen: cells.time()?,
        last_seen: cells.time()?,
        current: cells.get()?,
        sources: {
            let sources: Option<&str> = cells.get()?;
            sources
                .and_then(|sources| serde_json::from_str(sources).ok())
                .unwrap_or_default()
        },
    })
}
