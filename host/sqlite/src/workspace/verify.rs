//! Checking that everything agrees.

use magpie_archive::{Expected, Recorded, check_records};
use magpie_rows::{MAX_PROBLEMS, PageId, StoreError, Verified};
use magpie_warc::{Location, PayloadDigest};
use rusqlite::Connection;

use crate::column::millis;
use crate::workspace::Workspace;
use crate::workspace::connect::DATABASE;
use crate::workspace::recover::recorded;
use crate::workspace::tidy::numbers;

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
        verified.pages = expected.iter().filter(|(_, record)| record.is_page).count() as u64;
        let mut expected = expected.into_iter().peekable();
        let listed = self.look(|connection| numbers(connection, "SELECT archive_id FROM rewrite"))?;
        for (id, Recorded { name, bytes, .. }) in self.look(recorded)? {
            let mut own = Vec::new();
            while let Some((_, record)) = expected.next_if(|(archive, _)| *archive == id) {
                own.push(record);
            }
            let mut here = Verified::default();
            check_records(&self.0.archives, (&name, 0, bytes), &own, &mut here)?;
            verified.problems.append(&mut here.problems);
            // Records of removed pages stay until the archive is written again.
            verified.records += match listed.contains(&id) {
                true => here
                    .records
                    .min(own.iter().filter(|record| record.is_page).count() as u64),
                false => here.records,
            };
            if verified.problems.len() > MAX_PROBLEMS {
                break;
            }
        }
        Ok(verified.ended())
    }
}

/// Returns the pages that should have a record, each with its archive.
fn expected_records(connection: &Connection) -> rusqlite::Result<Vec<(i64, Expected)>> {
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
        let expected = Expected {
            page: PageId(row.get(0)?),
            url: row.get(1)?,
            fetched_at: millis(row, 2)?,
            digest: row.get::<_, Option<[u8; 32]>>(3)?.map(PayloadDigest),
            location: Location {
                offset: row.get::<_, i64>(4)?.unsigned_abs(),
                length: row.get::<_, i64>(5)?.unsigned_abs(),
            },
            is_page: row.get(6)?,
        };
        Ok((row.get(7)?, expected))
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
             HAVING site_id IS NULL OR min(number) < 1 OR max(number) < count(*))",
            "sites have pages with wrong numbers",
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
