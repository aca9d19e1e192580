//! Records that count on pages in place of those that the vertical found first.
//!
//! The pages of a site are written in one transaction. A call that was interrupted is repeated, and
//! leaves the pages alone that it has written before.

use std::collections::{BTreeMap, HashMap, HashSet};

use magpie_model::Record;
use magpie_rows::{Extraction, PageId, PageReading, Readings, SiteId, SiteNews, StoreError};
use magpie_values::Timestamp;
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
#[derive(Default)]
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
        for (site, readings) in by_site(&pages, |reading| reading.page) {
            let before = self.before(vertical, site, readings.iter().map(|reading| reading.page))?;
            let mut edit = Edit::default();
            for reading in readings {
                changed += usize::from(edit.read(reading, &before[&reading.page]));
            }
            self.write_edit(site, &edit)?;
        }
        Ok(changed)
    }

    fn put_extractions(&self, vertical: &str, pages: Vec<(PageId, Extraction)>) -> Result<usize, StoreError> {
        let mut changed = 0;
        for (site, extractions) in by_site(&pages, |(page, _)| *page) {
            let before = self.before(vertical, site, extractions.iter().map(|(page, _)| *page))?;
            let mut edit = Edit::default();
            for (page, extraction) in extractions {
                let component = know(&self.server, &extraction.component)?;
                let before = &before[page];
                changed += usize::from(edit.extract(vertical, *page, component, extraction, before));
            }
            self.write_edit(site, &edit)?;
        }
        Ok(changed)
    }
}

/// Changes to the records of a site's pages.
#[derive(Default)]
struct Edit<'r> {
    /// Statements that come before the new records.
    calls: Vec<Call<'r>>,
    records: Vec<NewRecord<'r>>,
}

struct NewRecord<'r> {
    page: PageId,
    component: i64,
    position: i64,
    record: &'r Record,
    expires_at: Option<Timestamp>,
    sources: Option<String>,
}

impl<'r> Edit<'r> {
    /// Puts the records of a reading in the place of others. Returns false if they are there.
    fn read(&mut self, reading: &'r PageReading, before: &Before) -> bool {
        let page = reading.page;
        let Some(component) = before.component else {
            return false;
        };
        let own = || {
            let records = before.records.iter();
            records.filter(|record| record.component == component)
        };
        let is_replaced = own().any(|record| record.standing != record.sources.is_none());
        let present = own().filter(|record| record.standing);
        let present = present.filter_map(|record| Some((record.content.clone(), record.sources.clone()?)));
        let wanted: Option<Vec<_>> = reading.records.as_ref().map(|records| {
            let texts = records.iter();
            let texts = texts.map(|one| (one.record.to_text(), sources_text(&one.sources)));
            texts.collect()
        });
        if is_replaced.then(|| present.collect::<Vec<_>>()) == wanted {
            return false;
        }
        let bucket = bucket_of(page.0);
        let dropped: Vec<i64> = own()
            .filter(|record| record.sources.is_some() && before.unseen.contains(&record.number))
            .map(|record| record.number)
            .collect();
        let standing = [
            bucket.into(),
            page.0.into(),
            component.into(),
            reading.records.is_none().into(),
        ];
        self.calls
            .push(call(&DROP_RECORDS, [bucket.into(), numbers(&dropped)]));
        self.calls.push(call(&SET_STANDING, standing));
        self.calls.extend(before.again(page));
        let records = reading.records.iter().flatten();
        self.records
            .extend((0..).zip(records).map(|(position, one)| NewRecord {
                page,
                component,
                position,
                record: &one.record,
                expires_at: one.expires_at,
                sources: Some(sources_text(&one.sources)),
            }));
        true
    }

    /// Puts an extraction in the place of others. Returns false if its records are there.
    fn extract(
        &mut self,
        vertical: &'r str,
        page: PageId,
        component: i64,
        extraction: &'r Extraction,
        before: &Before,
    ) -> bool {
        let bucket = bucket_of(page.0);
        let own = before
            .records
            .iter()
            .filter(|record| Some(record.component) == before.component && record.sources.is_none());
        let found = extraction.records.iter().map(|found| found.record.to_text());
        let is_same = found.eq(own.map(|record| record.content.clone()));
        let of_vertical = || [bucket.into(), page.0.into(), vertical.into()];
        self.calls.push(call(&DROP_VIOLATIONS, of_vertical()));
        self.calls.push(call(&DROP_EXTRACTIONS, of_vertical()));
        match (is_same, before.component) {
            // The records stay, and so do those of the reading in their place.
            (true, Some(old)) => {
                let moved = [bucket.into(), page.0.into(), old.into(), component.into()];
                self.calls.push(call(&MOVE_RECORDS, moved));
            }
            (true, None) => {}
            (false, _) => {
                let dropped = [bucket.into(), numbers(&before.unseen)];
                self.calls.push(call(&DROP_RECORDS, dropped));
                self.calls.push(call(&RETIRE_RECORDS, of_vertical()));
                self.calls.extend(before.again(page));
                let records = (0..).zip(&extraction.records);
                self.records.extend(records.map(|(position, found)| NewRecord {
                    page,
                    component,
                    position,
                    record: &found.record,
                    expires_at: found.expires_at,
                    sources: None,
                }));
            }
        }
        let row = extraction_row(page, component.into(), extraction);
        put(&mut self.calls, &PUT_EXTRACTIONS, bucket, [row].into_iter());
        let rows = violation_rows(page, component.into(), extraction);
        put(&mut self.calls, &PUT_VIOLATIONS, bucket, rows);
        !is_same
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
    fn write_edit(&self, site: SiteId, edit: &Edit<'_>) -> Result<(), StoreError> {
        if edit.calls.is_empty() {
            return Ok(());
        }
        self.hold(bucket_of(site.0))?;
        self.writer.with_record_counts(&self.server, site, |last| {
            self.write(site, || {
                let rows = (last + 1..).zip(&edit.records).map(|(number, new)| {
                    [
                        row(site, number).into(),
                        new.page.0.into(),
                        new.component.into(),
                        new.position.into(),
                        (&new.record.object_type).into(),
                        new.record.confidence.into(),
                        new.record.to_text().into(),
                        new.expires_at.into(),
                        (&new.sources).into(),
                    ]
                });
                let mut calls = edit.calls.clone();
                put(&mut calls, &PUT_READ_RECORDS, bucket_of(site.0), rows);
                calls
            })?;
            Ok(edit.records.len())
        })
    }

    /// Returns the state of some pages of a site.
    fn before(
        &self,
        vertical: &str,
        site: SiteId,
        pages: impl Iterator<Item = PageId>,
    ) -> Result<HashMap<PageId, Before>, StoreError> {
        let bucket = bucket_of(site.0);
        let mut before: HashMap<PageId, Before> = pages.map(|page| (page, Before::default())).collect();
        let pages: Vec<i64> = before.keys().map(|page| page.0).collect();
        let of_pages = || [bucket.into(), numbers(&pages), vertical.into()];
        let newest = self.query(call(&NEWEST_COMPONENTS, of_pages()), |cells| {
            Ok((PageId(cells.get()?), cells.get::<i64>()?))
        })?;
        let records = self.query(call(&RECORDS_OF_VERTICAL, of_pages()), |cells| {
            let page = PageId(cells.get()?);
            let record = Present {
                number: cells.get()?,
                component: cells.get()?,
                content: cells.get()?,
                sources: cells.get()?,
                standing: cells.get()?,
            };
            Ok((page, record))
        })?;
        let all: Vec<i64> = records.iter().map(|(_, record)| record.number).collect();
        let seen = self.query(call(&SEEN_RECORDS, [SHARED.into(), numbers(&all)]), |cells| {
            cells.get::<i64>()
        })?;
        let seen: HashSet<i64> = seen.into_iter().collect();
        let clustered = [SHARED.into(), vertical.into(), numbers(&[site.0])];
        let clustered = self.query(call(&CLUSTERED_UP_TO, clustered), |cells| {
            let (warehouse, _): (i64, i64) = (cells.get()?, cells.get()?);
            Ok((warehouse, cells.get::<i64>()?))
        })?;
        for (page, component) in newest {
            before.entry(page).or_default().component = Some(component);
        }
        for (page, record) in records {
            let before = before.entry(page).or_default();
            if !seen.contains(&record.number) {
                before.unseen.push(record.number);
            }
            before.records.push(record);
        }
        for (page, before) in &mut before {
            let has_page = |(warehouse, last): &(i64, i64)| (count_of(page.0) <= *last).then_some(*warehouse);
            before.warehouse = clustered.iter().find_map(has_page);
        }
        Ok(before)
    }
}

/// Groups pages by their sites.
fn by_site<T>(pages: &[T], page_of: impl Fn(&T) -> PageId) -> BTreeMap<SiteId, Vec<&T>> {
    let mut sites: BTreeMap<SiteId, Vec<&T>> = BTreeMap::new();
    for page in pages {
        sites.entry(site_of(page_of(page).0)).or_default().push(page);
    }
    sites
}

fn sources_text(sources: &magpie_rows::Sources) -> String {
    serde_json::to_string(sources).unwrap_or_default()
}

fn numbers<'a>(numbers: &[i64]) -> Value<'a> {
    let numbers = numbers.iter().map(|number| (*number).into());
    Value::Many(Type::INT8_ARRAY, numbers.collect())
}
