//! Looking into a workspace, also while a crawl runs.

pub(crate) mod explain;
pub(crate) mod extractions;
mod past;
mod replay;
pub(crate) mod status;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::column::{millis, optional_millis};
use std::time::Duration;

use magpie_model::UrlReason;
use magpie_values::Timestamp;
use rusqlite::{Connection, ErrorCode, OptionalExtension, Row};

use crate::fetch_result::{Host, PageId, Robots, RunId, SiteId, UrlId};
use crate::frontier::Counts;
use crate::workspace::{ARCHIVES, Cookie, DATABASE, Deadline, KeptUrlRule, MIGRATIONS, for_reading, version};
use crate::{FetchRequest, SiteFacts, StoreError};

pub use explain::{FoundOn, FoundUrl, ListedUrl, UrlExplanation, UrlFilter};
pub(crate) use extractions::DONE;
pub use extractions::{
    ComponentTotals, ExtractionRow, FoundRecord, JudgementRow, ViolatingPage, ViolationTotals,
};
pub(crate) use past::{past, past_links};
pub use replay::{ArchivedResponse, ReplayedPage};
pub use status::{RunRow, SiteRow, Status};

/// A connection that is looked into: that of a reader, or of a workspace that is open for writing.
/// Gives a connection for reading, so that the reading traits are implemented once for both.
pub trait Looks {
    /// Runs a query.
    fn look<T>(&self, with: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError>;
}

impl Looks for Reader {
    fn look<T>(&self, with: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        Reader::look(self, with)
    }
}

impl<L: Looks> SiteFacts for L {
    fn host(&self, origin: &str) -> Result<Option<Host>, StoreError> {
        self.look(|connection| host(connection, origin))
    }

    fn url_rules(&self, site: &str) -> Result<Vec<KeptUrlRule>, StoreError> {
        self.look(|connection| url_rules(connection, site))
    }

    fn sites_with_url_rules(&self) -> Result<Vec<(SiteId, String)>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id, key FROM site WHERE id IN (SELECT site_id FROM url_rule) ORDER BY id",
            )?;
            let rows = statement.query_map([], |row| Ok((SiteId(row.get(0)?), row.get(1)?)))?;
            rows.collect()
        })
    }
}

/// Reads committed data. It needs no lock, and every call sees one state of the database.
pub struct Reader {
    connection: Connection,
    path: PathBuf,
    deadline: Deadline,
    limit: Option<Duration>,
    /// Identifies the file that was opened.
    file: Option<FileId>,
}

/// Identifies a file while any process has it open.
type FileId = (u64, u64);

#[cfg(unix)]
fn file_id(path: &Path) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt as _;
    let metadata = path.metadata().ok()?;
    Some((metadata.dev(), metadata.ino()))
}

/// Elsewhere a file that is open can't be replaced.
#[cfg(not(unix))]
fn file_id(path: &Path) -> Option<FileId> {
    path.metadata().ok().map(|_| (0, 0))
}

/// One fetch, as recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRow {
    /// Its name.
    pub id: PageId,
    /// The site in whose work it was fetched.
    pub site: SiteId,
    /// Counts the pages of the site from 1, in the order they were committed.
    pub number: u64,
    /// The URL in the frontier, if it is there.
    pub url_id: Option<UrlId>,
    /// The URL as fetched.
    pub url: String,
    /// In which run.
    pub run: Option<RunId>,
    /// When, in milliseconds since 1970.
    pub fetched_at: Timestamp,
    /// The status code; none when no answer came.
    pub status: Option<u16>,
    /// The media type.
    pub media_type: Option<String>,
    /// The title.
    pub title: Option<String>,
    /// The bytes of the body, codings undone.
    pub bytes: u64,
    /// For the next conditional request.
    pub etag: Option<String>,
    /// The same, as sent.
    pub last_modified: Option<String>,
    /// Redirect target.
    pub redirect: Option<String>,
    /// The problem of the fetch.
    pub problem: Option<UrlReason>,
    /// The same for people.
    pub detail: Option<String>,
    /// The archive's name, and where in it the record lies.
    pub archived: Option<(String, u64, u64)>,
    /// The page that has the body, when the record is a revisit.
    pub same_as: Option<PageId>,
    /// The beginning of the hash of the body; `None` without one.
    pub body: Option<u64>,
    /// The hash of the text, where it was read.
    pub text: Option<u64>,
}

impl Reader {
    /// Opens a workspace for reading.
    pub fn open(path: &Path) -> Result<Reader, StoreError> {
        let database = path.join(DATABASE);
        if !database.is_file() {
            return Err(StoreError::NotThere {
                path: path.to_owned(),
            });
        }
        let mut connection = for_reading(&database)?;
        let deadline =
            Deadline::install(&mut connection).map_err(|error| StoreError::database(&database, error))?;
        let found = version(&connection, &database, MIGRATIONS.len())?;
        if found == 0 {
            return Err(StoreError::Empty { file: database });
        }
        if found < MIGRATIONS.len() {
            return Err(StoreError::OlderSchema {
                path: database,
                found: found as i64,
                known: MIGRATIONS.len() as i64,
            });
        }
        Ok(Reader {
            connection,
            path: path.to_owned(),
            file: file_id(&database),
            deadline,
            limit: None,
        })
    }

    /// Fails if the database was moved, replaced or migrated after the reader was opened.
    pub fn check_current(&self) -> Result<(), StoreError> {
        let database = self.database();
        let file = file_id(&database);
        if file.is_none() || file != self.file {
            let path = self.path.clone();
            return Err(StoreError::NotThere { path });
        }
        let found = version(&self.connection, &database, MIGRATIONS.len())?;
        match found == MIGRATIONS.len() {
            true => Ok(()),
            false => Err(StoreError::OlderSchema {
                path: database,
                found: found as i64,
                known: MIGRATIONS.len() as i64,
            }),
        }
    }

    /// Limits the time of each call. One that takes longer fails with [`StoreError::TooSlow`].
    #[must_use]
    pub fn with_time_limit(self, limit: Duration) -> Reader {
        Reader {
            limit: Some(limit),
            ..self
        }
    }

    /// Reads the whole database and fails if it is damaged.
    pub fn check(&self) -> Result<(), StoreError> {
        let found = self.look(|connection| {
            connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0))
        })?;
        match found.as_str() {
            "ok" => Ok(()),
            _ => Err(StoreError::Corrupt {
                file: self.database(),
                detail: found,
            }),
        }
    }

    /// Returns the number of known URLs by state and reason, of one site or of all.
    pub fn counts(&self, site: Option<SiteId>) -> Result<Counts, StoreError> {
        self.look(|connection| counts(connection, site))
    }

    /// The queued URLs of each site that has any.
    pub fn queued_by_site(&self) -> Result<BTreeMap<SiteId, u64>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT site_id, sum(urls) FROM tally WHERE state = 'queued' GROUP BY site_id HAVING sum(urls) > 0",
            )?;
            let rows = statement.query_map([], |row| {
                Ok((SiteId(row.get(0)?), row.get::<_, i64>(1)?.unsigned_abs()))
            })?;
            rows.collect()
        })
    }

    /// The URLs that a person named, the oldest first.
    pub fn seeds(&self) -> Result<Vec<String>, StoreError> {
        self.look(|connection| {
            let mut statement = connection
                .prepare("SELECT url FROM url WHERE source = 'seed' ORDER BY found_at, site_id, id")?;
            let rows = statement.query_map([], |row| row.get(0))?;
            rows.collect()
        })
    }

    /// A page.
    pub fn page(&self, page: PageId) -> Result<Option<PageRow>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(&format!("{PAGE} WHERE page.id = ?1"))?;
            statement.query_row([page.0], page_row).optional()
        })
    }

    /// The last pages of a URL of the frontier, the newest first.
    pub fn pages_of(&self, url: UrlId, limit: usize) -> Result<Vec<PageRow>, StoreError> {
        self.look(|connection| {
            let sql = format!("{PAGE} WHERE page.url_id = ?1 ORDER BY page.id DESC LIMIT ?2");
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map((url.0, limit as i64), page_row)?;
            rows.collect()
        })
    }

    /// The cookies of a site.
    pub fn cookies(&self, site: SiteId) -> Result<Vec<Cookie>, StoreError> {
        self.look(|connection| cookies(connection, site))
    }

    /// The feeds of a site.
    pub fn feeds(&self, site: SiteId) -> Result<Vec<String>, StoreError> {
        self.look(|connection| feeds(connection, site))
    }

    /// A value that was kept under a name.
    pub fn meta(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached("SELECT value FROM meta WHERE key = ?1")?;
            statement.query_row([key], |row| row.get(0)).optional()
        })
    }

    /// The folder of the archives.
    pub fn archives(&self) -> PathBuf {
        self.path.join(ARCHIVES)
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.path.join(DATABASE)
    }

    pub(crate) fn look<T>(
        &self,
        with: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.deadline.set(self.limit);
        let outcome = with(&self.connection);
        self.deadline.set(None);
        outcome.map_err(|error| match (error.sqlite_error_code(), self.limit) {
            (Some(ErrorCode::OperationInterrupted), Some(limit)) => StoreError::TooSlow { limit },
            _ => StoreError::database(&self.database(), error),
        })
    }
}

/// URLs by state and reason.
pub(crate) fn counts(connection: &Connection, site: Option<SiteId>) -> rusqlite::Result<Counts> {
    let mut statement = connection.prepare_cached(
        "SELECT state, reason, sum(urls) FROM tally WHERE ?1 IS NULL OR site_id = ?1 GROUP BY state, reason HAVING sum(urls) > 0",
    )?;
    let mut rows = statement.query([site.map(|site| site.0)])?;
    let mut counts = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let state = row.get(0)?;
        let reason = url_reason(row, 1)?;
        counts.insert((state, reason), row.get::<_, i64>(2)?.unsigned_abs());
    }
    Ok(Counts(counts))
}

/// Reads a column that keeps a reason, or none, or an empty text.
pub(crate) fn url_reason(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<UrlReason>> {
    let word = row.get_ref(column)?.as_str_or_null()?;
    let word = word.filter(|word| !word.is_empty());
    Ok(word.map(UrlReason::from))
}

const PAGE: &str = "SELECT page.id, page.url_id, coalesce(page.url, url.url), page.run_id, page.fetched_at, page.status,
    page.media_type, page.title, page.bytes, page.etag, page.last_modified, page.redirect, page.problem, page.detail,
    archive.name, page.archive_offset, page.archive_length, page.same_as, page.site_id, page.number, page.digest,
    page.text_hash
    FROM page LEFT JOIN url ON url.id = page.url_id LEFT JOIN archive ON archive.id = page.archive_id";

fn page_row(row: &Row<'_>) -> rusqlite::Result<PageRow> {
    let archive: Option<String> = row.get(14)?;
    let archived = match archive {
        Some(name) => Some((
            name,
            row.get::<_, i64>(15)?.unsigned_abs(),
            row.get::<_, i64>(16)?.unsigned_abs(),
        )),
        None => None,
    };
    Ok(PageRow {
        id: PageId(row.get(0)?),
        site: SiteId(row.get::<_, Option<i64>>(18)?.unwrap_or_default()),
        number: row.get::<_, i64>(19)?.unsigned_abs(),
        url_id: row.get::<_, Option<i64>>(1)?.map(UrlId),
        url: row.get(2)?,
        run: row.get::<_, Option<i64>>(3)?.map(RunId),
        fetched_at: millis(row, 4)?,
        status: row.get(5)?,
        media_type: row.get(6)?,
        title: row.get(7)?,
        bytes: row.get::<_, i64>(8)?.unsigned_abs(),
        etag: row.get(9)?,
        last_modified: row.get(10)?,
        redirect: row.get(11)?,
        problem: url_reason(row, 12)?,
        detail: row.get(13)?,
        archived,
        same_as: row.get::<_, Option<i64>>(17)?.map(PageId),
        body: beginning(row.get_ref(20)?.as_blob_or_null()?),
        text: row.get::<_, Option<i64>>(21)?.map(i64::cast_unsigned),
    })
}

/// Bytes of a hash that tell two bodies apart.
pub(crate) fn beginning(digest: Option<&[u8]>) -> Option<u64> {
    let bytes = digest?.first_chunk::<8>()?;
    Some(u64::from_be_bytes(*bytes))
}

pub(crate) fn fetches(connection: &Connection, request: &FetchRequest) -> rusqlite::Result<Vec<PageRow>> {
    let mut statement = connection.prepare_cached(&format!(
        "{PAGE} WHERE page.site_id = ?1 AND page.number > ?2 AND (?3 IS NULL OR page.run_id = ?3)
            AND page.fetched_at >= ?4 ORDER BY page.number LIMIT ?5"
    ))?;
    let FetchRequest {
        site,
        after,
        run,
        since,
        limit,
    } = request;
    let values = (
        site.0,
        after.cast_signed(),
        run.map(|run| run.0),
        since.as_millis(),
        *limit as i64,
    );
    let rows = statement.query_map(values, page_row)?;
    rows.collect()
}

const HOST: &str =
    "SELECT origin, next_ok_at, delay, failures, robots_fetched_at, robots_status, robots_outcome,
    robots_text FROM host";

fn host_row(row: &Row<'_>) -> rusqlite::Result<Host> {
    let robots = match optional_millis(row, 4)? {
        None => None,
        Some(fetched_at) => Some(Robots {
            fetched_at,
            status: row.get(5)?,
            outcome: row.get(6)?,
            text: row.get(7)?,
        }),
    };
    Ok(Host {
        origin: row.get(0)?,
        next_ok_at: millis(row, 1)?,
        delay: Duration::from_millis(row.get::<_, i64>(2)?.max(0).unsigned_abs()),
        failures: row.get(3)?,
        robots,
    })
}

/// Reads what is known of a host.
pub(crate) fn host(connection: &Connection, origin: &str) -> rusqlite::Result<Option<Host>> {
    let mut statement = connection.prepare_cached(&format!("{HOST} WHERE origin = ?1"))?;
    statement.query_row([origin], host_row).optional()
}

/// Reads the cookies of a site.
pub(crate) fn cookies(connection: &Connection, site: SiteId) -> rusqlite::Result<Vec<Cookie>> {
    let mut statement = connection.prepare_cached(
        "SELECT domain, path, name, value, host_only, secure, expires_at FROM cookie WHERE site_id = ?1",
    )?;
    let rows = statement.query_map([site.0], |row| {
        Ok(Cookie {
            domain: row.get(0)?,
            path: row.get(1)?,
            name: row.get(2)?,
            value: row.get(3)?,
            host_only: row.get(4)?,
            secure: row.get(5)?,
            expires_at: optional_millis(row, 6)?,
        })
    })?;
    rows.collect()
}

/// Reads the feeds of a site.
pub(crate) fn feeds(connection: &Connection, site: SiteId) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare_cached("SELECT url FROM feed WHERE site_id = ?1 ORDER BY url")?;
    let rows = statement.query_map([site.0], |row| row.get(0))?;
    rows.collect()
}

/// Reads how a site names its pages, by its key.
pub(crate) fn url_rules(connection: &Connection, site: &str) -> rusqlite::Result<Vec<KeptUrlRule>> {
    let mut statement = connection.prepare_cached(
        "SELECT rule, url_rule.key, evidence, learned_at FROM url_rule JOIN site ON site.id = site_id
         WHERE site.key = ?1 ORDER BY learned_at, rule, url_rule.key",
    )?;
    let rows = statement.query_map([site], |row| {
        Ok(KeptUrlRule {
            url_rule: row.get(0)?,
            key: row.get(1)?,
            evidence: row.get(2)?,
            learned_at: millis(row, 3)?,
        })
    })?;
    rows.collect()
}
