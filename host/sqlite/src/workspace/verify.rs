//! Checking that everything agrees.

use magpie_rows::StoreError;
use magpie_values::Timestamp;
use magpie_warc::{ArchiveReader, Location, RecordKind, read_archived};
use rusqlite::Connection;

use crate::column::millis;
use crate::workspace::Workspace;
use crate::workspace::connect::{ARCHIVES, DATABASE};
use crate::writer::bodies::requested_url;

/// The result of a check of the whole workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Pages with a record, all looked at.
    pub pages: u64,
    /// Response and revisit records in the archives.
    pub records: u64,
    /// Problems, in sentences. Empty if there are none.
    pub problems: Vec<String>,
}

/// Maximum number of problems to report.
const MAX_PROBLEMS: usize = 100;

impl Workspace {
    /// Checks the database's structure, its sums, and every record of the archives against the
    /// pages. It reads everything, which takes minutes for a large crawl.
    pub fn verify(&self) -> Result<Verified, StoreError> {
        // Results that wait for the writer would make sums and archives differ.
        self.0.writer.flush()?;
        let mut verified = Verified::default();
        let mut problems = self.look(database_problems)?;
        let pages = self.look(archived_pages)?;
        verified.pages = pages.len() as u64;
        for page in &pages {
            let path = self.path().join(ARCHIVES).join(&page.archive);
            match read_archived(&path, page.location) {
                Err(error) => problems.push(format!("page {}: {error}", page.id)),
                Ok(record) if record.target != requested_url(&page.url) => {
                    problems.push(format!(
                        "page {}: its archive record is of {}",
                        page.id, record.target
                    ));
                }
                Ok(record)
                    if record.date.map(Timestamp::as_seconds) != Some(page.fetched_at.as_seconds()) =>
                {
                    problems.push(format!("page {}: its archive record has another date", page.id));
                }
                Ok(_) => {}
            }
            if problems.len() > MAX_PROBLEMS {
                break;
            }
        }
        verified.records = self.count_records(&self.look(archive_names)?, &mut problems)?;
        if verified.records != verified.pages {
            problems.push(format!(
                "the archives have {} responses, the database has {}",
                verified.records, verified.pages
            ));
        }
        problems.truncate(MAX_PROBLEMS);
        verified.problems = problems;
        Ok(verified)
    }

    fn count_records(&self, names: &[String], problems: &mut Vec<String>) -> Result<u64, StoreError> {
        let mut count = 0;
        for name in names {
            let path = self.path().join(ARCHIVES).join(name);
            // A missing archive was reported for each of its pages.
            if !path.exists() {
                continue;
            }
            let reader =
                ArchiveReader::open(&path).map_err(|error| StoreError::file("can't read", &path, error))?;
            for item in reader {
                match item {
                    Ok(record) => {
                        count += u64::from(matches!(record.kind, RecordKind::Response | RecordKind::Revisit));
                        if let Some(problem) = record.problem {
                            problems.push(format!("{name}, record at byte {}: {problem}", record.offset));
                        }
                    }
                    // A file that was begun and got nothing is no archive yet.
                    Err(_) if std::fs::metadata(&path).is_ok_and(|file| file.len() == 0) => {}
                    Err(problem) => problems.push(format!("{name}, {problem}")),
                }
            }
        }
        Ok(count)
    }
}

struct ArchivedPage {
    id: i64,
    url: String,
    fetched_at: Timestamp,
    archive: String,
    location: Location,
}

fn archived_pages(connection: &Connection) -> rusqlite::Result<Vec<ArchivedPage>> {
    let mut statement = connection.prepare(
        "SELECT page.id, coalesce(page.url, url.url), page.fetched_at, archive.name, archive_offset, archive_length
         FROM page JOIN archive ON archive.id = page.archive_id LEFT JOIN url ON url.id = page.url_id
         ORDER BY page.archive_id, archive_offset",
    )?;
    let rows = statement.query_map([], |row| {
        Ok(ArchivedPage {
            id: row.get(0)?,
            url: row.get(1)?,
            fetched_at: millis(row, 2)?,
            archive: row.get(3)?,
            location: Location {
                offset: row.get::<_, i64>(4)?.unsigned_abs(),
                length: row.get::<_, i64>(5)?.unsigned_abs(),
            },
        })
    })?;
    rows.collect()
}

fn archive_names(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare("SELECT name FROM archive ORDER BY id")?;
    let rows = statement.query_map([], |row| row.get(0))?;
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
