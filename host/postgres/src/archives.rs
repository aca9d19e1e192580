//! Checking and tending files in the object store.

use std::collections::{BTreeSet, HashSet};
use std::iter::from_fn;

use magpie_archive::{Expected, Recorded, check_records, compact, orphans};
use magpie_rows::{ArchiveStore, Compacted, MAX_PROBLEMS, Orphan, StoreError, Verified};
use magpie_values::Timestamp;
use magpie_warc::Location;

use crate::segments::new_names;
use crate::server::call;
use crate::statements::bodies::{FILES_AFTER, KNOWN_FILES, MOVE_SEGMENTS, RECORDS_OF_SEGMENT, SEGMENTS};
use crate::statements::{WRONG_COUNTS, WRONG_PAGES};
use crate::store::Store;
use crate::value::{columns, texts};

/// Rows that are read at a time.
const MANY: usize = 1_000;

impl ArchiveStore for Store {
    /// Ranges of files are read one by one, each beside its pages.
    fn verify(&self) -> Result<Verified, StoreError> {
        self.writer.flush()?;
        let mut verified = Verified {
            problems: self.wrong_rows()?,
            ..Verified::default()
        };
        // Files that were copied from a folder have the pages of many buckets in one range.
        let listed = self.rewrites()?;
        let mut range: Option<(String, u64, u64)> = None;
        let mut expected: Vec<Expected> = Vec::new();
        let mut after = (i16::MIN, 0);
        loop {
            let (name, base, bytes) = range.clone().unwrap_or_default();
            let values = [
                name.into(),
                base.into(),
                bytes.into(),
                after.0.into(),
                after.1.into(),
                (MANY as i64).into(),
            ];
            let segments = self.query(call(&SEGMENTS, values), |cells| {
                let key = (cells.get::<i16>()?, cells.get::<i64>()?);
                Ok((
                    key,
                    (cells.get::<String>()?, cells.unsigned()?, cells.unsigned()?),
                ))
            })?;
            let is_last = segments.len() < MANY;
            for (key, of) in segments {
                if range.as_ref() != Some(&of) {
                    self.check_range(range.as_ref(), &listed, &mut expected, &mut verified)?;
                    range = Some(of);
                }
                expected.extend(self.expected(key)?);
                after = key;
            }
            if is_last || verified.problems.len() > MAX_PROBLEMS {
                self.check_range(range.as_ref(), &listed, &mut expected, &mut verified)?;
                return Ok(verified.ended());
            }
        }
    }

    /// A joined file has the segments of many buckets, and all are moved to it in one transaction.
    fn compact(&self) -> Result<Compacted, StoreError> {
        self.writer.flush()?;
        let Some(below) = &self.below else {
            return Ok(Compacted::default());
        };
        let names = new_names(below.clone());
        let mut files = 0;
        let name = |run| {
            files += 1;
            Ok(names.name(run, files))
        };
        let size = self.options.archive.file_bytes;
        compact(
            &self.archives,
            below,
            size,
            self.recorded(),
            name,
            |group, _, url| {
                let mut bytes = 0;
                let places = group.iter().map(|file| {
                    bytes += file.bytes;
                    [(&file.name).into(), (bytes - file.bytes).into()]
                });
                let [parts, places] = columns(places.collect());
                let url = url.to_string();
                // Hand-ins only add rows, so the lease of the shared bucket keeps two from moving.
                let moved = || {
                    vec![call(
                        &MOVE_SEGMENTS,
                        [(&url).into(), parts.clone(), places.clone()],
                    )]
                };
                self.write_shared(moved).map(drop)
            },
        )
    }

    fn orphans(&self, remove_before: Option<Timestamp>) -> Result<Vec<Orphan>, StoreError> {
        let Some(below) = &self.below else {
            return Ok(Vec::new());
        };
        // Before the rows are read: those of a file in the list may be written meanwhile.
        let listed = self.archives.list(Some(below))?;
        let mut known = HashSet::new();
        for files in listed.chunks(MANY) {
            let names = texts(files.iter().map(|file| file.name.as_str()));
            known.extend(self.query(call(&KNOWN_FILES, [names]), |cells| cells.get())?);
        }
        orphans(&self.archives, listed, &known, remove_before)
    }
}

impl Store {
    /// Compares rows with each other, and returns a sentence for each difference.
    pub(crate) fn wrong_rows(&self) -> Result<Vec<String>, StoreError> {
        let mut problems = self.query(call(&WRONG_COUNTS, []), |cells| cells.get())?;
        problems.extend(self.query(call(&WRONG_PAGES, []), |cells| cells.get())?);
        Ok(problems)
    }

    /// The records that a segment should have.
    fn expected(&self, (bucket, segment): (i16, i64)) -> Result<Vec<Expected>, StoreError> {
        let values = [bucket.into(), segment.into()];
        self.query(call(&RECORDS_OF_SEGMENT, values), |cells| {
            Ok(Expected {
                page: cells.page()?,
                url: cells.get()?,
                fetched_at: cells.time()?,
                digest: cells.digest()?,
                location: Location {
                    offset: cells.unsigned()?,
                    length: cells.unsigned()?,
                },
                is_page: cells.get()?,
            })
        })
    }

    /// Checks a range of a file, and forgets its records.
    fn check_range(
        &self,
        range: Option<&(String, u64, u64)>,
        listed: &BTreeSet<String>,
        expected: &mut Vec<Expected>,
        verified: &mut Verified,
    ) -> Result<(), StoreError> {
        let Some((name, base, bytes)) = range else {
            return Ok(());
        };
        expected.sort_by_key(|record| record.location.offset);
        let pages = expected.iter().filter(|record| record.is_page).count() as u64;
        let mut here = Verified::default();
        check_records(&self.archives, (name, *base, *bytes), expected, &mut here)?;
        verified.pages += pages;
        verified.problems.append(&mut here.problems);
        // Records of pages that lost their body stay until the file is written again.
        verified.records += match listed.contains(name) {
            true => here.records.min(pages),
            false => here.records,
        };
        expected.clear();
        Ok(())
    }

    /// Files with rows, by name.
    fn recorded(&self) -> impl Iterator<Item = Result<Recorded, StoreError>> {
        let mut after = String::new();
        let pages = from_fn(move || {
            let values = [after.as_str().into(), (MANY as i64).into()];
            let files = self.query(call(&FILES_AFTER, values), |cells| {
                Ok(Recorded {
                    name: cells.get()?,
                    bytes: cells.unsigned()?,
                    run: None,
                    started_at: cells.time()?,
                })
            });
            match files {
                Ok(files) => {
                    after.clone_from(&files.last()?.name);
                    Some(files.into_iter().map(Ok).collect())
                }
                Err(error) => Some(vec![Err(error)]),
            }
        });
        pages.flatten()
    }
}
