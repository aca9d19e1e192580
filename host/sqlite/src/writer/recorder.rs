//! Writes results into the open batch.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::time::Duration;

use magpie_archive::{Archives, Bodies, NewBody, Segments, StoreUrl};
use magpie_rows::{
    Filed, FiledOffer, Page, PageId, PageJudgement, RunId, SiteId, StoreError, UrlId, UrlState,
};
use magpie_values::Timestamp;
use magpie_warc::{ArchiveSettings, ArchiveWriter};
use rusqlite::Connection;

use crate::error::database_error;
use crate::workspace::options::{BatchLimits, SEGMENT_BYTES, WorkspaceOptions};
use crate::writer::archives::{begin_archive, insert, new_segments, next_id, segments_below, unfinished};
use crate::writer::batch::Batch;
use crate::writer::bodies::Known;
use crate::writer::components::Components;
use crate::writer::index::{UNINDEXED, index_known, read_unindexed};
use crate::writer::links::Paths;
use crate::writer::rows::Archived;
use crate::writer::tally::Tally;
use crate::writer::{Task, links, rows};

/// Owns the connection that writes, and the archive.
pub(super) struct Recorder {
    connection: Connection,
    database: PathBuf,
    archives: Archives,
    /// Place of segments in an object store; `None` for the folder of archives.
    segments: Option<Segments>,
    settings: ArchiveSettings,
    limits: BatchLimits,
    archive: Option<OpenArchive>,
    seed: u64,
    batch: Batch,
    committed: u64,
    tally: Tally,
    paths: Paths,
    /// URLs that are not in `known` yet.
    unindexed: Vec<(i64, i64, i64)>,
    /// The same, for telling whether one is known.
    unindexed_keys: HashSet<(i64, i64)>,
    bodies: Bodies,
    components: Components,
    /// The numbers of the last pages of sites.
    last_pages: HashMap<i64, i64>,
    json: String,
}

/// Sites whose last page is remembered: a few megabytes. Others are looked up.
const NUMBERED: usize = 100_000;

struct OpenArchive {
    id: i64,
    /// The address of a segment, which is put into the store when the batch ends.
    segment: Option<StoreUrl>,
    run: Option<RunId>,
    writer: ArchiveWriter,
    committed: u64,
}

impl Recorder {
    pub(super) fn new(
        connection: Connection,
        database: PathBuf,
        archives: Archives,
        options: &WorkspaceOptions,
    ) -> Result<Recorder, StoreError> {
        let failed = |error| database_error(&database, error);
        let segments = options.store.as_ref();
        let segments = segments.map(|store| {
            let below = segments_below(&connection, &store.url)?;
            new_segments(&connection, below)
        });
        let segments = segments.transpose().map_err(failed)?;
        let mut settings = options.archive.clone();
        if segments.is_some() {
            settings.file_bytes = settings.file_bytes.min(SEGMENT_BYTES);
        }
        let seed = record_seed(&connection).map_err(failed)?;
        let unindexed = read_unindexed(&connection).map_err(failed)?;
        Ok(Recorder {
            connection,
            database,
            archives,
            segments,
            settings,
            limits: options.batch,
            archive: None,
            seed,
            batch: Batch::default(),
            committed: 0,
            tally: Tally::default(),
            paths: Paths::default(),
            unindexed_keys: unindexed
                .iter()
                .map(|(site, fingerprint, _)| (*site, *fingerprint))
                .collect(),
            unindexed,
            bodies: Bodies::default(),
            components: Components::default(),
            last_pages: HashMap::new(),
            json: String::new(),
        })
    }

    /// The sequence up to which everything is durable.
    pub(super) fn committed(&self) -> u64 {
        self.committed
    }

    /// Returns the time that the open batch may wait, or `None` if none is open.
    pub(super) fn time_left(&self) -> Option<Duration> {
        self.batch.time_left(&self.limits)
    }

    /// Takes a result into the batch, and commits the batch when it is full.
    pub(super) fn file(&mut self, filed: &Filed) -> Result<(), StoreError> {
        if let Some((_, page)) = &filed.page
            && page.exchange.is_some()
        {
            // Before the batch begins, since another archive commits the batch that is open.
            self.choose_archive(page.run, page.fetched_at)?;
        }
        self.begin()?;
        self.batch.sequence = filed.sequence;
        self.batch.add(
            usize::from(filed.page.is_some()),
            filed.offers.len(),
            filed.weight,
        );
        let url = filed.settled.as_ref().map(|(settled, _)| settled.url);
        if let Some((id, page)) = &filed.page {
            self.record_page(*id, filed.site, url, page)?;
        }
        self.record_rows(filed)
            .map_err(|error| database_error(&self.database, error))?;
        if let Some((settled, attempts)) = &filed.settled {
            let changed = rows::settle_url(&self.connection, settled, *attempts);
            // Memory and database disagree on the URL. Another write would lose it or have it
            // fetched twice.
            if changed.map_err(|error| database_error(&self.database, error))? != 1 {
                return Err(StoreError::Disagreement {
                    detail: format!("it does not know URL {}", settled.url.0),
                });
            }
            self.tally.count(filed.site, UrlState::Queued, None, -1);
            self.tally
                .count(filed.site, settled.state, settled.reason.as_ref(), 1);
        }
        if self.batch.is_full(&self.limits) {
            return self.commit();
        }
        Ok(())
    }

    /// Takes a small change into the batch.
    pub(super) fn write(&mut self, sequence: u64, task: Task) -> Result<(), StoreError> {
        self.begin()?;
        self.batch.sequence = sequence;
        task(&self.connection).map_err(|error| database_error(&self.database, error))
    }

    /// Does something in a transaction of its own. No batch is open.
    pub(super) fn run(&mut self, task: Task) -> Result<(), StoreError> {
        let failed = |error| database_error(&self.database, error);
        let transaction = self.connection.unchecked_transaction().map_err(failed)?;
        task(&transaction).map_err(failed)?;
        transaction.commit().map_err(failed)
    }

    /// Makes the batch durable.
    pub(super) fn commit(&mut self) -> Result<(), StoreError> {
        if !self.batch.is_open() {
            return Ok(());
        }
        let mut archived = None;
        // The archive is durable before the database names its records.
        if let Some(archive) = &mut self.archive
            && archive.writer.bytes() != archive.committed
        {
            archived = Some((archive.id, archive.writer.sync()?));
        }
        // A segment is never continued.
        if let Some(segment) = self.archive.take_if(|archive| archive.segment.is_some())
            && let Some(url) = &segment.segment
        {
            self.archives.put(url, segment.writer.into_bytes())?;
        }
        self.write_batch_end(archived)
            .map_err(|error| database_error(&self.database, error))?;
        if let (Some(archive), Some((_, bytes))) = (&mut self.archive, archived) {
            archive.committed = bytes;
        }
        self.committed = self.batch.sequence;
        self.batch.end();
        Ok(())
    }

    /// Closes the open archive. No batch is open.
    pub(super) fn seal(&mut self) -> Result<(), StoreError> {
        self.archive = None;
        self.connection
            .execute("UPDATE archive SET closed = 1 WHERE closed = 0", [])
            .map(drop)
            .map_err(|error| database_error(&self.database, error))
    }

    /// Puts the last objects in their place when the workspace is closed. No batch is open.
    pub(super) fn finish(&mut self) -> Result<(), StoreError> {
        let failed = |error| database_error(&self.database, error);
        let transaction = self.connection.unchecked_transaction().map_err(failed)?;
        index_known(&transaction, &mut self.unindexed).map_err(failed)?;
        transaction.commit().map_err(failed)?;
        // Readers may hold the log; then the next to open carries it over.
        self.connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
            .map_err(failed)
    }

    /// Takes back what is not committed, after an error.
    pub(super) fn abandon(&mut self) {
        self.batch.end();
        // These hold what the transaction has counted and numbered, which is rolled back.
        self.tally.clear();
        self.paths.clear();
        // If this fails too, opening the workspace rolls back.
        let _ = self.connection.execute_batch("ROLLBACK");
        if let Some(archive) = &mut self.archive {
            let _ = archive.writer.roll_back(archive.committed);
        }
    }

    fn begin(&mut self) -> Result<(), StoreError> {
        if self.batch.is_open() {
            return Ok(());
        }
        self.connection
            .execute_batch("BEGIN IMMEDIATE")
            .map_err(|error| database_error(&self.database, error))?;
        self.batch.open();
        Ok(())
    }

    fn write_batch_end(&mut self, archived: Option<(i64, u64)>) -> rusqlite::Result<()> {
        if let Some((id, bytes)) = archived {
            self.connection
                .prepare_cached("UPDATE archive SET bytes = ?2 WHERE id = ?1")?
                .execute((id, bytes.cast_signed()))?;
        }
        self.tally.write(&self.connection)?;
        if self.unindexed.len() >= UNINDEXED {
            index_known(&self.connection, &mut self.unindexed)?;
            self.unindexed_keys.clear();
        }
        self.connection.prepare_cached("COMMIT")?.execute([]).map(drop)
    }

    fn record_rows(&mut self, filed: &Filed) -> rusqlite::Result<()> {
        if let Some((page, _)) = &filed.page {
            for extraction in &filed.extractions {
                let component = self.components.id(&self.connection, &extraction.component)?;
                rows::insert_extraction(&self.connection, *page, component, extraction, Some(0))?;
            }
            for PageJudgement { component, judgement } in &filed.judgements {
                let component = self.components.id(&self.connection, component)?;
                rows::insert_judgement(&self.connection, *page, component, judgement)?;
            }
        }
        rows::put_hints(&self.connection, filed.site, &filed.hints)?;
        rows::put_feeds(&self.connection, filed.site, &filed.feeds)?;
        for host in &filed.hosts {
            rows::put_host(&self.connection, host)?;
        }
        for offer in &filed.offers {
            self.record_offer(offer)?;
        }
        Ok(())
    }

    fn record_offer(&mut self, filed: &FiledOffer) -> rusqlite::Result<()> {
        let key = (filed.site.0, filed.offer.fingerprint.cast_signed());
        // The site of this URL was not leased when it was found, so only the database knows it.
        if !filed.certain && self.is_known(key)? {
            return Ok(());
        }
        rows::insert_url(&self.connection, filed)?;
        self.unindexed.push((key.0, key.1, filed.id.0));
        self.unindexed_keys.insert(key);
        self.tally
            .count(filed.site, filed.offer.state, filed.offer.reason.as_ref(), 1);
        Ok(())
    }

    fn is_known(&self, key: (i64, i64)) -> rusqlite::Result<bool> {
        if self.unindexed_keys.contains(&key) {
            return Ok(true);
        }
        self.connection
            .prepare_cached("SELECT 1 FROM known WHERE site_id = ?1 AND fingerprint = ?2")?
            .exists(key)
    }

    fn record_page(
        &mut self,
        id: PageId,
        site: SiteId,
        url: Option<UrlId>,
        page: &Page,
    ) -> Result<(), StoreError> {
        let new = NewBody::of(id, url, page);
        let archived = new.map(|new| self.archive_page(&new)).transpose()?;
        let failed = |error| database_error(&self.database, error);
        let number = match self.last_pages.get(&site.0) {
            Some(last) => last + 1,
            None => rows::last_page(&self.connection, site).map_err(failed)? + 1,
        };
        let place = (site, number);
        rows::insert_page(&self.connection, id, place, url, page, archived.as_ref()).map_err(failed)?;
        // Others are looked up, so a crawl of many sites keeps its memory.
        if self.last_pages.len() >= NUMBERED {
            self.last_pages.clear();
        }
        self.last_pages.insert(site.0, number);
        if !page.links.is_empty() {
            let origin = magpie_rows::origin(&page.url);
            links::to_json(
                &page.links,
                origin,
                &mut self.paths,
                &self.connection,
                &mut self.json,
            )
            .map_err(failed)?;
            rows::insert_links(&self.connection, id, origin, &self.json).map_err(failed)?;
        }
        if let Some(rendering) = &page.rendering
            && let Some(archived) = &archived
            && let Some(location) = archived.place.rendering
        {
            rows::insert_rendering(&self.connection, id, (archived.archive, location), rendering)
                .map_err(failed)?;
        }
        Ok(())
    }

    fn archive_page(&mut self, new: &NewBody<'_>) -> Result<Archived, StoreError> {
        let same = self.bodies.find(&Known(&self.connection), new);
        let same = same.map_err(|error| database_error(&self.database, error))?;
        let archive = self.archive.as_mut().ok_or_else(|| StoreError::Disagreement {
            detail: "no archive is open".to_owned(),
        })?;
        Ok(Archived {
            archive: archive.id,
            place: self.bodies.append(&mut archive.writer, new, same.as_ref())?,
        })
    }

    /// Begins a segment for a run. Its row and its pages are in one transaction, so a segment that
    /// was put by a process that died is not known.
    fn begin_segment(&mut self, run: Option<RunId>, now: Timestamp) -> Result<(), StoreError> {
        self.commit()?;
        self.begin()?;
        let Some(segments) = &self.segments else {
            return Ok(());
        };
        let named = next_id(&self.connection).and_then(|id| {
            let url = segments.name(run, id);
            insert(&self.connection, id, &url.to_string(), run, now, true)?;
            Ok((id, url))
        });
        let (id, url) = named.map_err(|error| database_error(&self.database, error))?;
        self.archive = Some(OpenArchive {
            id,
            run,
            writer: ArchiveWriter::in_memory(url.name(), &self.settings, self.seed),
            segment: Some(url),
            committed: 0,
        });
        Ok(())
    }

    /// Opens the right archive: that of the page's run, with room. Beginning one commits the batch,
    /// so that the database knows of a file before it exists.
    fn choose_archive(&mut self, run: Option<RunId>, now: Timestamp) -> Result<(), StoreError> {
        let current = self.archive.as_ref();
        if current.is_some_and(|archive| archive.run == run && !archive.writer.is_full()) {
            return Ok(());
        }
        if self.segments.is_some() {
            return self.begin_segment(run, now);
        }
        self.commit()?;
        let failed = |error| database_error(&self.database, error);
        if let Some(archive) = self.archive.take() {
            self.connection
                .execute("UPDATE archive SET closed = 1 WHERE id = ?1", [archive.id])
                .map_err(failed)?;
        }
        let folder = self.archives.folder();
        let found = unfinished(&self.connection, run).map_err(failed)?;
        let (id, name, bytes) = match found {
            Some(found) => found,
            None => begin_archive(&self.connection, folder, run, now).map_err(failed)?,
        };
        let writer = if bytes == 0 && !folder.join(&name).exists() {
            ArchiveWriter::create(folder, &name, &self.settings, self.seed)?
        } else {
            ArchiveWriter::resume(folder, &name, bytes, &self.settings, self.seed)?
        };
        self.archive = Some(OpenArchive {
            id,
            segment: None,
            run,
            writer,
            committed: bytes,
        });
        // The one that was found may have been full already.
        self.choose_archive(run, now)
    }
}

/// Returns the seed that makes record ids of this workspace differ from those of others; created
/// once.
pub(crate) fn record_seed(connection: &Connection) -> rusqlite::Result<u64> {
    use std::hash::{BuildHasher, RandomState};
    let fresh = RandomState::new().hash_one(std::process::id());
    connection.execute(
        "INSERT OR IGNORE INTO meta VALUES ('record_seed', ?1)",
        [format!("{fresh:016x}")],
    )?;
    let seed: String =
        connection.query_row("SELECT value FROM meta WHERE key = 'record_seed'", [], |row| {
            row.get(0)
        })?;
    Ok(u64::from_str_radix(&seed, 16).unwrap_or(fresh))
}
