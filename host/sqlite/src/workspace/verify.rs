//! Checking that everything agrees.

use magpie_http::{HttpHead, HttpLimits};
use magpie_rows::{StoreError, Verified};
use magpie_values::Timestamp;
use magpie_warc::{PayloadDigest, Record, RecordKind};
use rusqlite::Connection;

use crate::column::millis;
use crate::workspace::Workspace;
use crate::workspace::connect::DATABASE;
use crate::workspace::recover::{Recorded, recorded};
use crate::writer::bodies::requested_url;

/// Maximum number of problems to report.
const MAX_PROBLEMS: usize = 100;

impl Workspace {
    /// Checks the database's structure, its sums, and every record of the archives against the
    /// pages. It reads everything once, which takes minutes for a large crawl.
    pub fn verify(&self) -> Result<Verified, StoreError> {
        // Results that wait for the writer would make sums and archives differ.
        self.0.writer.flush()?;
        let mut verified = Verified {
            problems: self.look(database_problems)?,
            ..Verified::default()
        };
        let expected = self.look(expected_records)?;
        verified.pages = expected.iter().filter(|record| record.is_page).count() as u64;
        let mut rest = &expected[..];
        for archive in self.look(recorded)? {
            let own = rest.iter().take_while(|record| record.archive == archive.id);
            let (own, behind) = rest.split_at(own.count());
            rest = behind;
            self.verify_archive(&archive, own, &mut verified)?;
            if verified.problems.len() > MAX_PROBLEMS {
                break;
            }
        }
        if verified.records != verified.pages {
            verified.problems.push(format!(
                "the archives have {} responses, the database has {}",
                verified.records, verified.pages
            ));
        }
        verified.problems.truncate(MAX_PROBLEMS);
        Ok(verified)
    }

    /// Reads an archive once, beside its pages in the order of their records.
    fn verify_archive(
        &self,
        archive: &Recorded,
        expected: &[Expected],
        verified: &mut Verified,
    ) -> Result<(), StoreError> {
        let Recorded { name, bytes, .. } = archive;
        let archives = &self.0.archives;
        let found = archives.length(name)?;
        if found.unwrap_or(0) < *bytes {
            verified.problems.push(match found {
                Some(found) => format!("{name} has {found} bytes instead of {bytes}"),
                None => format!("{name} is missing, with the bodies of {} pages", expected.len()),
            });
        }
        // A file that was begun and got nothing is no archive yet.
        if found.is_none() || *bytes == 0 {
            return Ok(());
        }
        let mut expected = expected.iter().peekable();
        let mut end = None;
        for item in archives.records(name, *bytes)? {
            let record = match item {
                Ok(record) => record,
                Err(problem) => {
                    verified.problems.push(format!("{name}, {problem}"));
                    end = None;
                    continue;
                }
            };
            let is_response = matches!(record.kind, RecordKind::Response | RecordKind::Revisit);
            verified.records += u64::from(is_response);
            if let Some(problem) = &record.problem {
                verified
                    .problems
                    .push(format!("{name}, record at byte {}: {problem}", record.offset));
            }
            if let Some((page, end)) = end.take()
                && end != record.offset
            {
                verified
                    .problems
                    .push(format!("page {page}: its archive record has another length"));
            }
            while let Some(missed) = expected.next_if(|next| next.offset < record.offset) {
                verified.problems.push(missed.is_missing(name));
            }
            if let Some(next) = expected.next_if(|next| next.offset == record.offset) {
                verified.problems.extend(next.problem(&record));
                end = Some((next.page, next.offset + next.length));
            }
        }
        verified
            .problems
            .extend(expected.map(|missed| missed.is_missing(name)));
        Ok(())
    }
}

/// A page, or a rendering of one, that should have a record.
struct Expected {
    page: i64,
    archive: i64,
    is_page: bool,
    url: String,
    fetched_at: Timestamp,
    /// The digest of the body, where the record has the body.
    digest: Option<PayloadDigest>,
    offset: u64,
    length: u64,
}

impl Expected {
    fn is_missing(&self, archive: &str) -> String {
        format!(
            "page {}: {archive} has no readable record at byte {}",
            self.page, self.offset
        )
    }

    /// Returns the difference between the page and its record.
    fn problem(&self, record: &Record) -> Option<String> {
        let page = self.page;
        let url = requested_url(&self.url);
        if record.target != url {
            return Some(format!("page {page}: its archive record is of {}", record.target));
        }
        if record.date.map(Timestamp::as_seconds) != Some(self.fetched_at.as_seconds()) {
            return Some(format!("page {page}: its archive record has another date"));
        }
        let digest = self.digest.filter(|_| record.problem.is_none())?;
        let body = match HttpHead::parse(&record.block, &HttpLimits::default()) {
            Ok(head) => &record.block[head.length..],
            Err(problem) => {
                return Some(format!(
                    "page {page}: its archive record is no response: {problem}"
                ));
            }
        };
        (PayloadDigest::of(body) != digest)
            .then(|| format!("page {page}: its body in the archive has another digest"))
    }
}

fn expected_records(connection: &Connection) -> rusqlite::Result<Vec<Expected>> {
    let mut statement = connection.prepare(
        "SELECT page.id, coalesce(page.url, url.url), page.fetched_at, iif(same_as IS NULL, digest, NULL),
                archive_offset AS offset, archive_length, 1, archive_id AS archive
         FROM page LEFT JOIN url ON url.id = page.url_id WHERE archive_id IS NOT NULL
         UNION ALL
         SELECT page.id, coalesce(page.url, url.url), page.fetched_at, NULL,
                rendering.archive_offset, rendering.archive_length, 0, rendering.archive_id
         FROM rendering JOIN page ON page.id = rendering.page_id LEFT JOIN url ON url.id = page.url_id
         ORDER BY archive, offset",
    )?;
    let rows = statement.query_map([], |row| {
        Ok(Expected {
            page: row.get(0)?,
            url: row.get(1)?,
            fetched_at: millis(row, 2)?,
            digest: row.get::<_, Option<[u8; 32]>>(3)?.map(PayloadDigest),
            offset: row.get::<_, i64>(4)?.unsigned_abs(),
            length: row.get::<_, i64>(5)?.unsigned_abs(),
            is_page: row.get(6)?,
            archive: row.get(7)?,
        })
    })?;
    rows.collect()
}

/// Returns the problems inside the database, in sentences.
fn database_problems(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut problems = Vec::new();
    let mut statement = connection.prepare("PRAGMA integrity_check")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let line: String = row.get(0)?;
        if line != "ok" {
            problems.push(format!("{DATABASE}: {line}"));
        }
    }
    /// Queries whose result should be zero, each with a description of what it counts.
    const SUMS: [(&str, &str); 7] = [
        (
            "SELECT count(*) FROM (SELECT site_id, state, reason, urls FROM tally WHERE urls <> 0 EXCEPT
             SELECT site_id, state, iif(state = 'queued', '', coalesce(reason, '')), count(*) FROM url GROUP BY 1, 2, 3)",
            "URLs have a wrong fingerprint",
        ),
        (
            "SELECT count(*) FROM (SELECT site_id, fingerprint FROM url GROUP BY 1, 2 HAVING count(*) > 1)",
            "URLs occur twice",
        ),
        (
            "SELECT count(*) FROM site WHERE queued <> (SELECT count(*) FROM url WHERE site_id = site.id AND state = 'queued')",
            "sites have a wrong number of queued URLs",
        ),
        (
            "SELECT count(*) FROM url LEFT JOIN known ON known.site_id = url.site_id AND known.fingerprint = url.fingerprint
             WHERE known.url_id IS NOT url.id
             AND url.id <= (SELECT coalesce(max(CAST(value AS INTEGER)), 0) FROM meta WHERE key = 'known_up_to')",
            "URLs are missing from the known ones",
        ),
        (
            "SELECT count(*) FROM (SELECT 1 FROM page WHERE archive_id IS NOT NULL GROUP BY archive_id, archive_offset HAVING count(*) > 1)",
            "archive records belong to two pages",
        ),
        (
            "SELECT count(*) FROM extraction WHERE records <>
             (SELECT count(*) FROM record WHERE record.page_id = extraction.page_id AND record.component_id = extraction.component_id
                AND record.sources IS NULL)",
            "extractions have a wrong number of records",
        ),
        (
            "SELECT count(*) FROM (SELECT 1 FROM page GROUP BY site_id
             HAVING site_id IS NULL OR min(number) <> 1 OR max(number) <> count(*))",
            "sites have pages that are not numbered one by one",
        ),
    ];
    for (sql, what) in SUMS {
        let wrong: i64 = connection.query_row(sql, [], |row| row.get(0))?;
        if wrong != 0 {
            problems.push(format!("{DATABASE}: {wrong} {what}"));
        }
    }
    Ok(problems)
}
