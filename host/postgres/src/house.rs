//! Bounding the archive, and writing its files again.

use std::collections::{BTreeMap, BTreeSet};

use magpie_archive::{Rewritten, StoreUrl, rewrite};
use magpie_rows::{
    ArchiveLimits, Forgetting, Forgotten, HouseStore, Pruned, PrunedBy, Statistics as _, StoreError, UrlTest,
};
use magpie_values::Timestamp;
use tokio_postgres::types::Type;

use crate::segments::new_names;
use crate::server::call;
use crate::statements::house::{
    BODY_BYTES, DROP_REWRITE, DROP_SEGMENTS, DROP_WASTE, FILE_RECORDS, FILE_SEGMENTS, HAS_OLDER, PLACE_PAGES,
    PLACE_RENDERINGS, PLACE_SEGMENTS, PRUNE, PUT_WASTE, REWRITES, WASTE,
};
use crate::store::Store;
use crate::value::{Value, read};

impl HouseStore for Store {
    fn forget(&self, request: &Forgetting) -> Result<Forgotten, StoreError> {
        self.forget_pages(request)
    }

    fn recall(&self, urls: UrlTest) -> Result<u64, StoreError> {
        self.recall_urls(&urls)
    }

    fn prune(&self, limits: &ArchiveLimits, now: Timestamp) -> Result<Pruned, StoreError> {
        self.writer.flush()?;
        self.tidy()?;
        let before = self.status()?.archive_bytes;
        let mut pruned = Pruned {
            before,
            after: before,
            ..Pruned::default()
        };
        if let Some((oldest, overdue)) = limits.oldest
            && self.has_older(overdue)?
        {
            pruned.pages += self.take_bodies((Some(oldest), None), PrunedBy::Keep, now)?;
            self.tidy()?;
            pruned.after = self.status()?.archive_bytes;
        }
        while let Some(quota) = limits.bytes.filter(|quota| pruned.after > *quota) {
            // Requests and what describes the files are bytes, too. A tenth is left free, so the
            // next pages cause no rewriting.
            let share = quota as f64 * 0.9 / pruned.after as f64;
            let bytes = self.query(call(&BODY_BYTES, []), |cells| cells.get::<f64>())?;
            let up_to = bytes.first().copied().unwrap_or_default() * share;
            let pages = self.take_bodies((None, Some(up_to)), PrunedBy::Quota, now)?;
            if pages == 0 {
                break;
            }
            self.tidy()?;
            pruned.pages += pages;
            pruned.after = self.status()?.archive_bytes;
        }
        Ok(pruned)
    }
}

/// A record that a page has in a file.
struct Placed {
    bucket: i16,
    page: i64,
    segment: i64,
    /// In the file.
    place: u64,
    is_page: bool,
}

impl Store {
    fn has_older(&self, time: Timestamp) -> Result<bool, StoreError> {
        let found = self.query(call(&HAS_OLDER, [time.into()]), |cells| cells.get())?;
        Ok(found.first().copied().unwrap_or_default())
    }

    /// Takes bodies from their pages, and returns the number of the pages.
    fn take_bodies(
        &self,
        (oldest, bytes): (Option<Timestamp>, Option<f64>),
        by: PrunedBy,
        now: Timestamp,
    ) -> Result<u64, StoreError> {
        let answers = self.write_shared(|| {
            let values = [oldest.into(), bytes.into(), now.into(), by.as_str().into()];
            vec![call(&PRUNE, values)]
        })?;
        let rows = answers.last().map_or(&[][..], |answer| &answer.rows);
        let counts = read(rows, |cells| cells.unsigned())?;
        Ok(counts.first().copied().unwrap_or_default())
    }

    /// The files that are to be written again.
    pub(crate) fn rewrites(&self) -> Result<BTreeSet<String>, StoreError> {
        let names = self.query(call(&REWRITES, []), |cells| cells.get())?;
        Ok(names.into_iter().collect())
    }

    /// Writes the listed files again, and removes those that are not needed any more.
    pub(crate) fn tidy(&self) -> Result<(), StoreError> {
        self.remove_waste()?;
        for name in self.rewrites()? {
            let records = self.query(call(&FILE_RECORDS, [(&name).into()]), |cells| {
                Ok(Placed {
                    bucket: cells.get()?,
                    page: cells.get()?,
                    segment: cells.get()?,
                    place: cells.unsigned()?,
                    is_page: cells.get()?,
                })
            })?;
            match records.is_empty() {
                true => drop(self.write_shared(|| dropped(&name))?),
                false => self.write_again(&name, &records)?,
            }
            self.remove_waste()?;
        }
        Ok(())
    }

    fn write_again(&self, name: &str, records: &[Placed]) -> Result<(), StoreError> {
        let segments = self.query(call(&FILE_SEGMENTS, [name.into()]), |cells| {
            let segment: (i16, i64) = (cells.get()?, cells.get()?);
            Ok((segment, cells.unsigned()?, cells.unsigned()?))
        })?;
        let ends = segments.iter().map(|(_, base, bytes)| base + bytes);
        let bytes = ends.max().unwrap_or_default();
        let (folder, _) = name.rsplit_once('/').unwrap_or_default();
        let folder = StoreUrl::parse(folder).map_err(|detail| StoreError::Disagreement {
            detail: format!("{name}: {detail}"),
        })?;
        let into = new_names(folder).name(None, 1).to_string();
        self.write_shared(|| vec![call(&PUT_WASTE, [(&into).into()])])?;
        let stay = records.iter().map(|record| record.place).collect();
        let written = rewrite(&self.archives, (name, bytes), &stay, &into)?;
        // The segments of a file that was a folder's share one range.
        let are_apart = segments.windows(2).all(|pair| pair[0].1 != pair[1].1);
        let ranges = ranges(records, &written, are_apart);
        let placed = |is_page: bool| {
            let mut columns = [const { Vec::new() }; 3];
            for record in records.iter().filter(|record| record.is_page == is_page) {
                let (base, _) = ranges[&(record.bucket, record.segment)];
                columns[0].push(Value::from(record.bucket));
                columns[1].push(Value::from(record.page));
                columns[2].push(Value::from(now(&written, record.place) - base));
            }
            many(columns)
        };
        self.write_shared(|| {
            let mut columns = [const { Vec::new() }; 4];
            for ((bucket, segment), (base, bytes)) in &ranges {
                columns[0].push(Value::from(*bucket));
                columns[1].push(Value::from(*segment));
                columns[2].push(Value::from(*base));
                columns[3].push(Value::from(*bytes));
            }
            let [buckets, numbers, bases, lengths] = many(columns);
            let mut calls = vec![
                call(&PLACE_PAGES, placed(true)),
                call(&PLACE_RENDERINGS, placed(false)),
                call(
                    &PLACE_SEGMENTS,
                    [(&into).into(), buckets, numbers, bases, lengths],
                ),
            ];
            calls.extend(dropped(name));
            calls.push(call(&DROP_WASTE, [(&into).into()]));
            calls
        })
        .map(drop)
    }

    /// Removes the files that no row of a segment has.
    pub(crate) fn remove_waste(&self) -> Result<(), StoreError> {
        for name in self.query(call(&WASTE, []), |cells| cells.get::<String>())? {
            self.archives.remove(&name)?;
            self.write_shared(|| vec![call(&DROP_WASTE, [(&name).into()])])?;
        }
        Ok(())
    }
}

/// Removes what is left of a file, and lists it to be removed.
fn dropped(name: &str) -> Vec<crate::server::Call<'_>> {
    vec![
        call(&PUT_WASTE, [name.into()]),
        call(&DROP_SEGMENTS, [name.into()]),
        call(&DROP_REWRITE, [name.into()]),
    ]
}

/// Returns the present place of a record that stayed.
fn now(written: &Rewritten, before: u64) -> u64 {
    let found = written
        .places
        .binary_search_by_key(&before, |(before, _)| *before);
    found.map_or(0, |at| written.places[at].1)
}

/// Returns the range of each segment in a file that was written again. The first begins with what
/// describes the file, and each ends where the next begins.
fn ranges(records: &[Placed], written: &Rewritten, are_apart: bool) -> BTreeMap<(i16, i64), (u64, u64)> {
    let mut begins: BTreeMap<(i16, i64), u64> = BTreeMap::new();
    for record in records {
        let place = now(written, record.place);
        let begin = begins.entry((record.bucket, record.segment)).or_insert(place);
        *begin = place.min(*begin);
    }
    if !are_apart {
        return begins
            .into_keys()
            .map(|segment| (segment, (0, written.bytes)))
            .collect();
    }
    let mut ordered: Vec<_> = begins.into_iter().collect();
    ordered.sort_by_key(|(_, begin)| *begin);
    if let Some((_, first)) = ordered.first_mut() {
        *first = 0;
    }
    let ends: Vec<u64> = ordered.iter().skip(1).map(|(_, begin)| *begin).collect();
    let ends = ends.into_iter().chain([written.bytes]);
    ordered
        .iter()
        .zip(ends)
        .map(|((segment, begin), end)| (*segment, (*begin, end - begin)))
        .collect()
}

/// Columns of a small number and of large ones, which may be empty.
pub(crate) fn many<const N: usize>(columns: [Vec<Value<'_>>; N]) -> [Value<'_>; N] {
    let mut kinds = std::iter::once(Type::INT2_ARRAY).chain(std::iter::repeat(Type::INT8_ARRAY));
    columns.map(|column| Value::Many(kinds.next().unwrap_or(Type::INT8_ARRAY), column))
}
