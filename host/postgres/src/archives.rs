//! Checking and tending files in the object store.

use std::collections::HashSet;
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
    /// Segments are read one by one, each beside its pages.
    fn verify(&self) -> Result<Verified, StoreError> {
        self.writer.flush()?;
        let mut verified = Verified::default();
        for counts in [&WRONG_COUNTS, &WRONG_PAGES] {
            verified
                .problems
                .extend(self.query(call(counts, []), |cells| cells.get())?);
        }
        let mut after = (i16::MIN, 0);
        loop {
            let values = [after.0.into(), after.1.into(), (MANY as i64).into()];
            let segments = self.query(call(&SEGMENTS, values), |cells| {
                let key = (cells.get::<i16>()?, cells.get::<i64>()?);
                Ok((key, cells.get::<String>()?, cells.unsigned()?, cells.unsigned()?))
            })?;
            for (key, name, base, bytes) in &segments {
                let values = [key.0.into(), key.1.into()];
                let expected = self.query(call(&RECORDS_OF_SEGMENT, values), |cells| {
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
                })?;
                verified.pages += expected.iter().filter(|record| record.is_page).count() as u64;
                check_records(&self.archives, (name, *base, *bytes), &expected, &mut verified)?;
                after = *key;
            }
            if segments.len() < MANY || verified.problems.len() > MAX_PROBLEMS {
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
