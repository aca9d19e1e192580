//! Records that count on pages in place of those that the vertical found first.
//!
//! Each page is written in a transaction of its own. A call that was interrupted is repeated, and
//! leaves the pages alone that it has written before.

use std::collections::BTreeSet;

use magpie_rows::{Extraction, PageId, PageReading, Readings, SiteNews, StoreError};
use tokio_postgres::types::Type;

use crate::hand_in::{extraction_row, know, put, violation_rows};
use crate::numbers::{SHARED, bucket_of, count_of, row, site_of};
use crate::server::{Call, call};
use crate::statements::readings::{
    CLUSTER_AGAIN, CLUSTERED_UP_TO, DROP_EXTRACTIONS, DROP_RECORDS, DROP_VIOLATIONS, MOVE_RECORDS,
    NEWEST_COMPONENTS, PUT_READ_RECORDS, RECORDS_OF_VERTICAL, RETIRE_RECORDS, SEEN_RECORDS, SET_STANDING,
};
use crate::statements::warehouse::SITES_WITH_NEWS;
use crate::statements::{PUT_EXTRACTIONS, PUT_VIOLATIONS};
use crate::store::Store;
use crate::value::Value;

/// A record that is on a page.
struct Present {
    number: i64,
    component: i64,
    content: String,
    sources: Option<String>,
    standing: bool,
}

/// A page before it is written.
struct Before {
    /// The newest component of the vertical that was shown it.
    component: Option<i64>,
    records: Vec<Present>,
    /// The numbers of records that no member was seen as.
    unseen: Vec<i64>,
    /// The clustering that has the page.
    warehouse: Option<i64>,
}

impl Readings for Store {
    fn sites_with_news(&self, vertical: &str) -> Result<Vec<SiteNews>, StoreError> {
        self.query(call(&SITES_WITH_NEWS, [vertical.into()]), |cells| {
            Ok(SiteNews {
                site: cells.site()?,
                key: cells.get()?,
                after: cells.unsigned()?,
            })
        })
    }

    fn put_readings(&self, vertical: &str, pages: Vec<PageReading>) -> Result<usize, StoreError> {
        let mut changed = 0;
        for reading in &pages {
            let (page, before) = (reading.page, self.before(vertical, reading.page)?);
            let Some(component) = before.component else {
                continue;
            };
            let own = || {
                before
                    .records
                    .iter()
                    .filter(|record| record.component == component)
            };
            let is_replaced = own().any(|record| record.standing != record.sources.is_none());
            let present = own().filter(|record| record.standing);
            let present =
                present.filter_map(|record| Some((record.content.clone(), record.sources.clone()?)));
            let wanted: Option<Vec<_>> = reading.records.as_ref().map(|records| {
                let texts = records.iter();
                let texts = texts.map(|one| (one.record.to_text(), sources_text(&one.sources)));
                texts.collect()
            });
            if is_replaced.then(|| present.collect::<Vec<_>>()) == wanted {
                continue;
            }
            let dropped: Vec<i64> = own()
                .filter(|record| record.sources.is_some() && before.unseen.contains(&record.number))
                .map(|record| record.number)
                .collect();
            let records = reading.records.iter().flatten();
            let records: Vec<_> = records
                .map(|one| (&one.record, one.expires_at, Some(sources_text(&one.sources))))
                .collect();
            self.hold(bucket_of(page.0))?;
            self.writer
                .with_record_counts(&self.server, site_of(page.0), |last| {
                    let bucket = bucket_of(page.0);
                    self.write(site_of(page.0), || {
                        let standing = [
                            bucket.into(),
                            page.0.into(),
                            component.into(),
                            reading.records.is_none().into(),
                        ];
                        let mut calls = vec![
                            call(&DROP_RECORDS, [bucket.into(), numbers(&dropped)]),
                            call(&SET_STANDING, standing),
                        ];
                        put_records(&mut calls, page, component, last, &records);
                        calls.extend(before.again(page));
                        calls
                    })?;
                    Ok(records.len())
                })?;
            changed += 1;
        }
        Ok(changed)
    }

    fn put_extractions(&self, vertical: &str, pages: Vec<(PageId, Extraction)>) -> Result<usize, StoreError> {
        let mut changed = 0;
        for (page, extraction) in &pages {
            let component = know(&self.server, &extraction.component)?;
            let before = self.before(vertical, *page)?;
            let own = before
                .records
                .iter()
                .filter(|record| Some(record.component) == before.component && record.sources.is_none());
            let found = extraction.records.iter().map(|found| found.record.to_text());
            let is_same = found.eq(own.map(|record| record.content.clone()));
            let records: Vec<_> = match is_same {
                true => Vec::new(),
                false => extraction
                    .records
                    .iter()
                    .map(|found| (&found.record, found.expires_at, None))
                    .collect(),
            };
            self.hold(bucket_of(page.0))?;
            self.writer
                .with_record_counts(&self.server, site_of(page.0), |last| {
                    let bucket = bucket_of(page.0);
                    let of_vertical = || [bucket.into(), page.0.into(), vertical.into()];
                    self.write(site_of(page.0), || {
                        let mut calls = vec![
                            call(&DROP_VIOLATIONS, of_vertical()),
                            call(&DROP_EXTRACTIONS, of_vertical()),
                        ];
                        match (is_same, before.component) {
                            // The records stay, and so do those of the reading in their place.
                            (true, Some(old)) => calls.push(call(
                                &MOVE_RECORDS,
                                [bucket.into(), page.0.into(), old.into(), component.into()],
                            )),
                            (true, None) => {}
                            (false, _) => {
                                calls.push(call(&DROP_RECORDS, [bucket.into(), numbers(&before.unseen)]));
                                calls.push(call(&RETIRE_RECORDS, of_vertical()));
                                calls.extend(before.again(*page));
                            }
                        }
                        let row = extraction_row(*page, component.into(), extraction);
                        put(&mut calls, &PUT_EXTRACTIONS, bucket, [row].into_iter());
                        let rows = violation_rows(*page, component.into(), extraction);
                        put(&mut calls, &PUT_VIOLATIONS, bucket, rows);
                        put_records(&mut calls, *page, component, last, &records);
                        calls
                    })?;
                    Ok(records.len())
                })?;
            changed += usize::from(!is_same);
        }
        Ok(changed)
    }
}

impl Before {
    /// Has a page clustered again, if it was clustered.
    fn again<'a>(&self, page: PageId) -> Option<Call<'a>> {
        let warehouse = self.warehouse?;
        let values = [bucket_of(page.0).into(), warehouse.into(), page.0.into()];
        Some(call(&CLUSTER_AGAIN, values))
    }
}

impl Store {
    fn before(&self, vertical: &str, page: PageId) -> Result<Before, StoreError> {
        let (bucket, site) = (bucket_of(page.0), site_of(page.0));
        let of_page = || [bucket.into(), numbers(&[page.0]), vertical.into()];
        let newest = self.query(call(&NEWEST_COMPONENTS, of_page()), |cells| {
            cells.get::<i64>()?;
            cells.get()
        })?;
        let records = self.query(call(&RECORDS_OF_VERTICAL, of_page()), |cells| {
            cells.get::<i64>()?;
            Ok(Present {
                number: cells.get()?,
                component: cells.get()?,
                content: cells.get()?,
                sources: cells.get()?,
                standing: cells.get()?,
            })
        })?;
        let all: Vec<i64> = records.iter().map(|record| record.number).collect();
        let seen = self.query(call(&SEEN_RECORDS, [SHARED.into(), numbers(&all)]), |cells| {
            cells.get::<i64>()
        })?;
        let seen: BTreeSet<i64> = seen.into_iter().collect();
        let clustered = [SHARED.into(), vertical.into(), numbers(&[site.0])];
        let clustered = self.query(call(&CLUSTERED_UP_TO, clustered), |cells| {
            let (warehouse, _): (i64, i64) = (cells.get()?, cells.get()?);
            Ok((warehouse, cells.get::<i64>()?))
        })?;
        let has_page = |(warehouse, last)| (count_of(page.0) <= last).then_some(warehouse);
        Ok(Before {
            component: newest.first().copied(),
            records,
            unseen: all.into_iter().filter(|record| !seen.contains(record)).collect(),
            warehouse: clustered.into_iter().find_map(has_page),
        })
    }
}

type NewRecord<'r> = (
    &'r magpie_model::Record,
    Option<magpie_values::Timestamp>,
    Option<String>,
);

/// Adds the statement that writes records, numbered after the last one of the site.
fn put_records<'r>(
    calls: &mut Vec<Call<'r>>,
    page: PageId,
    component: i64,
    last: i64,
    records: &'r [NewRecord<'_>],
) {
    let rows = (0i64..)
        .zip(records)
        .map(|(position, (record, expires_at, sources))| {
            [
                row(site_of(page.0), last + position + 1).into(),
                page.0.into(),
                component.into(),
                position.into(),
                (&record.object_type).into(),
                record.confidence.into(),
                record.to_text().into(),
                (*expires_at).into(),
                sources.into(),
            ]
        });
    put(calls, &PUT_READ_RECORDS, bucket_of(page.0), rows);
}

fn sources_text(sources: &magpie_rows::Sources) -> String {
    serde_json::to_string(sources).unwrap_or_default()
}

fn numbers<'a>(numbers: &[i64]) -> Value<'a> {
    let numbers = numbers.iter().map(|number| (*number).into());
    Value::Many(Type::INT8_ARRAY, numbers.collect())
}
