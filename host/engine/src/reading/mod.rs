//! Readings of sites: learned from archived pages, kept as files, and applied to the records of a
//! vertical before they are clustered.
//!
//! The store keeps the records of the vertical beside those of a reading. So a site can be learned
//! again at any time, and pages can be read again without the vertical.

mod compare;
mod reread;
mod samples;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use magpie_model::VerticalInfo;
use magpie_page::Page;
use magpie_reading::{Drift, InvalidReading, Learner, Lists, Outcome, ReadRecord, Reading, Seen, Source};
use magpie_rows::{
    ObjectId, PageId, PageReading, ReadStore, ShownPage, SiteId, SiteNews, SourcedRecord, Sources, Store,
    StoreError,
};
use magpie_runtime::Plugin;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::site::{
    SiteFileError, file_before, pages_from_archive, read_site_file, renew_site_file, site_file,
};

pub use compare::{ChangedValue, Difference, ObjectOnPage};
pub use reread::{Reread, RereadRequest, reread};
pub use samples::{DisagreementOnPage, Samples};

/// The folder of the workspace that readings lie in, one folder for each vertical.
pub const READINGS: &str = "reading";

/// Pages of a site that it is learned from. Of larger sites it is a sample by the hash of the URL.
const MAX_LEARNED: usize = 5_000;

/// Pages that are asked of the store, and written, at a time.
const PAGES: usize = 500;

/// Pages that are read from the archive at a time: all are in memory.
const ARCHIVED: usize = 100;

/// Bytes of pages that stay parsed from one walk over a site to the next: a site is learned from
/// its pages, and then they are read by what was learned. A parsed page takes a few times its
/// bytes.
const MAX_PARSED: usize = 8 << 20;

/// Objects of other sites that are shown to the learner.
const MAX_ELSEWHERE: usize = 20_000;

/// Pages from which a share of unknown ones is a reason to learn again, and the growth of that
/// share.
const MIN_UNKNOWN: usize = 10;
const MAX_UNKNOWN_GROWTH: f64 = 0.3;

/// Errors of readings.
#[derive(Debug, thiserror::Error)]
pub enum ReadingError {
    /// The workspace.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The file can't be read or written.
    #[error(transparent)]
    File(#[from] SiteFileError),
    /// The content of the file is invalid.
    #[error("{path}: {error}")]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The problem and its place in the file.
        error: InvalidReading,
    },
}

/// Reads the pages of sites for one vertical of a workspace.
pub struct SiteReader<'a> {
    store: &'a dyn ReadStore,
    folder: &'a Path,
    info: VerticalInfo,
    min_confidence: f64,
    parsed: RefCell<Parsed>,
}

/// Pages of a site that were read from the archive.
#[derive(Default)]
struct Parsed {
    site: Option<SiteId>,
    pages: HashMap<PageId, Arc<Page>>,
    bytes: usize,
}

impl Parsed {
    /// Keeps a page if there is room.
    fn keep(&mut self, id: PageId, page: &Arc<Page>) {
        let bytes = page.body().len();
        if self.bytes + bytes <= MAX_PARSED {
            self.bytes += bytes;
            self.pages.insert(id, Arc::clone(page));
        }
    }
}

/// The result of reading pages of a site.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct PagesRead {
    /// Pages that were looked at.
    pub pages: u64,
    /// Pages that have other records than the vertical found.
    pub changed: u64,
    /// Records that the vertical had missed.
    pub made: u64,
    /// Records of the vertical that were dropped.
    pub dropped: u64,
    /// Pages with other records than they had before in the workspace.
    pub written: u64,
    #[serde(skip)]
    drift: Drift,
}

/// The newest pages of a site that the vertical was shown, and what its lists say of them.
struct Newest {
    /// The pages by the hashes of their URLs.
    by_url: BTreeMap<u64, PageId>,
    lists: Lists,
}

impl Newest {
    fn has(&self, shown: &ShownPage) -> bool {
        self.by_url.get(&xxh3_64(shown.url.as_bytes())) == Some(&shown.page)
    }
}

impl<'a> SiteReader<'a> {
    /// A reader for the vertical with this schema. Records below a confidence are not made.
    pub fn new(
        store: &'a dyn ReadStore,
        folder: &'a Path,
        info: VerticalInfo,
        min_confidence: f64,
    ) -> SiteReader<'a> {
        SiteReader {
            store,
            folder,
            info,
            min_confidence,
            parsed: RefCell::default(),
        }
    }

    /// The file of a site's reading.
    pub fn file(&self, key: &str) -> PathBuf {
        site_file(self.folder, READINGS, &self.info.name, key)
    }

    /// The reading of a site; none if it was not learned.
    pub fn present(&self, key: &str) -> Result<Option<Reading>, ReadingError> {
        self.parse(self.file(key))
    }

    /// A reading of a site of which nothing was learned, for corrections.
    pub fn empty(&self, key: &str) -> Reading {
        Reading::empty(&self.info, host(key))
    }

    /// The reading that was in force before the present one.
    pub fn previous(&self, key: &str) -> Result<Option<Reading>, ReadingError> {
        self.parse(file_before(&self.file(key)))
    }

    fn parse(&self, path: PathBuf) -> Result<Option<Reading>, ReadingError> {
        let Some(text) = read_site_file(&path)? else {
            return Ok(None);
        };
        match Reading::parse(&text, &self.info) {
            Ok(reading) => Ok(Some(reading)),
            Err(error) => Err(ReadingError::Invalid { path, error }),
        }
    }

    /// Keeps a reading, and the one in force before it. Returns the file in which an edited one was
    /// kept.
    pub fn keep(&self, key: &str, reading: &Reading) -> Result<Option<PathBuf>, ReadingError> {
        Ok(renew_site_file(&self.file(key), "", Some(&reading.to_toml()))?)
    }

    /// Learns a site from its archived pages. The corrections of the previous reading are kept.
    pub fn learn(
        &self,
        site: SiteId,
        key: &str,
        previous: Option<&Reading>,
    ) -> Result<Reading, ReadingError> {
        let mut learner = Learner::new(&self.info, host(key));
        let newest = self.newest(site)?;
        self.see_elsewhere(&mut learner, &newest)?;
        let learned = newest.by_url.values().take(MAX_LEARNED);
        let learned: HashSet<PageId> = learned.copied().collect();
        let is_wanted = |shown: &ShownPage| learned.contains(&shown.page) && !shown.has_failed;
        self.each_archived(site, 0, &is_wanted, &mut |shown, page| {
            learner.see(Seen {
                page: &page,
                context: &magpie_reading::context_of(&page),
                records: &shown.records,
            });
            Ok(())
        })?;
        Ok(learner.learn(previous))
    }

    /// Shows objects that other sites have, as of the last clustering.
    fn see_elsewhere(&self, learner: &mut Learner, own: &Newest) -> Result<(), ReadingError> {
        let on_pages = self.store.all_objects_on_pages(&self.info.name)?;
        let elsewhere: HashSet<ObjectId> = on_pages
            .into_iter()
            .filter(|row| !own.by_url.contains_key(&row.url_print))
            .map(|row| row.object)
            .collect();
        let (mut after, mut shown) = (None, 0);
        while shown < MAX_ELSEWHERE && !elsewhere.is_empty() {
            let objects = self.store.objects_after(&self.info.name, after, PAGES)?;
            let Some(last) = objects.last() else { break };
            after = Some(last.id);
            for object in objects.iter().filter(|object| elsewhere.contains(&object.id)) {
                learner.see_elsewhere(&object.record);
                shown += 1;
            }
        }
        Ok(())
    }

    /// Reads all pages of a site as they are now, and has those clustered again whose records
    /// changed.
    pub fn read_again(
        &self,
        store: &dyn Store,
        site: SiteId,
        reading: &Reading,
    ) -> Result<PagesRead, ReadingError> {
        self.read_after(store, (site, 0), reading)
    }

    /// Reads the pages that are not clustered yet, of all sites that have a reading, but for those
    /// that are read already. A site whose pages are not what they were is learned again. Returns
    /// sentences for people.
    pub(crate) fn read_news(
        &self,
        store: &dyn Store,
        read: &HashSet<SiteId>,
    ) -> Result<Vec<String>, ReadingError> {
        let mut notices = Vec::new();
        let sites = store.sites_with_news(&self.info.name)?;
        for SiteNews { site, key, after } in sites.into_iter().filter(|news| !read.contains(&news.site)) {
            let reading = match self.present(&key) {
                Ok(None) => continue,
                Ok(Some(reading)) => reading,
                // Pages are read by the vertical alone until the file is mended.
                Err(error) => {
                    notices.push(format!(
                        "{error}; until it is mended or removed, the pages of {key} are read by the vertical alone"
                    ));
                    continue;
                }
            };
            let read = self.read_after(store, (site, after), &reading)?;
            if let Some(reason) = reason_to_learn(&reading, &read.drift) {
                let learned = self.learn(site, &key, Some(&reading))?;
                self.keep(&key, &learned)?;
                self.read_again(store, site, &learned)?;
                notices.push(format!(
                    "{key}: {reason}, so Magpie learned again how to read it (`magpie reading {key} --diff`)"
                ));
            }
        }
        Ok(notices)
    }

    fn read_after(
        &self,
        store: &dyn Store,
        (site, after): (SiteId, u64),
        reading: &Reading,
    ) -> Result<PagesRead, ReadingError> {
        let newest = self.newest(site)?;
        let mut read = PagesRead::default();
        let mut waiting: Vec<PageReading> = Vec::new();
        // A page without a copy in the archive stays as the vertical read it.
        let is_wanted = |shown: &ShownPage| newest.has(shown) && !shown.has_failed;
        self.each_archived(site, after, &is_wanted, &mut |shown, page| {
            let outcome = self.outcome(&shown, &page, reading, &newest.lists);
            read.drift.note(&outcome);
            read.pages += 1;
            read.dropped += outcome.dropped.len() as u64;
            read.made += outcome.records.iter().filter(|one| one.is_made).count() as u64;
            let records = (!is_as_found(&shown, &outcome)).then(|| self.sourced(outcome.records));
            read.changed += u64::from(records.is_some());
            waiting.push(PageReading {
                page: shown.page,
                records,
            });
            if waiting.len() >= PAGES {
                let batch = std::mem::take(&mut waiting);
                read.written += store.put_readings(&self.info.name, batch)? as u64;
            }
            Ok(())
        })?;
        read.written += store.put_readings(&self.info.name, waiting)? as u64;
        Ok(read)
    }

    /// Reads one page.
    fn outcome(&self, shown: &ShownPage, page: &Page, reading: &Reading, lists: &Lists) -> Outcome {
        let context = magpie_reading::context_of(page);
        let mut outcome = reading.read(page, &context, shown.records.clone(), lists.of(&shown.url));
        outcome
            .records
            .retain(|one| !one.is_made || one.record.confidence >= self.min_confidence);
        outcome
    }

    fn sourced(&self, records: Vec<ReadRecord>) -> Vec<SourcedRecord> {
        let records = records.into_iter().map(|read| {
            let sources = read.record.values.iter().zip(&read.sources);
            let sources: Sources = sources
                .map(|(value, source)| (value.attribute.clone(), source.to_string()))
                .collect();
            SourcedRecord {
                expires_at: read.record.expires_at(&self.info),
                record: read.record,
                sources,
            }
        });
        records.collect()
    }

    fn newest(&self, site: SiteId) -> Result<Newest, ReadingError> {
        let mut by_url = BTreeMap::new();
        let mut lists = Lists::new(&self.info);
        self.each_page(site, 0, &mut |shown| {
            lists.note(&shown.url, &shown.records);
            by_url.insert(xxh3_64(shown.url.as_bytes()), shown.page);
            Ok(())
        })?;
        Ok(Newest { by_url, lists })
    }

    /// Passes the pages of a site after a number to `each`.
    fn each_page(
        &self,
        site: SiteId,
        mut after: u64,
        each: &mut dyn FnMut(ShownPage) -> Result<(), ReadingError>,
    ) -> Result<(), ReadingError> {
        loop {
            let pages = self.store.shown_pages(&self.info.name, site, after, PAGES)?;
            let Some(last) = pages.last() else { return Ok(()) };
            after = last.number;
            pages.into_iter().try_for_each(&mut *each)?;
        }
    }

    /// Passes the wanted pages of a site after a number to `each`, as far as the archive has them.
    fn each_archived(
        &self,
        site: SiteId,
        after: u64,
        is_wanted: &dyn Fn(&ShownPage) -> bool,
        each: &mut dyn FnMut(ShownPage, Arc<Page>) -> Result<(), ReadingError>,
    ) -> Result<(), ReadingError> {
        if self.parsed.borrow().site != Some(site) {
            self.parsed.replace(Parsed {
                site: Some(site),
                ..Parsed::default()
            });
        }
        let mut waiting: Vec<ShownPage> = Vec::new();
        self.each_page(site, after, &mut |shown| {
            if is_wanted(&shown) {
                waiting.push(shown);
            }
            match waiting.len() >= ARCHIVED {
                true => self.pass(std::mem::take(&mut waiting), each),
                false => Ok(()),
            }
        })?;
        self.pass(waiting, each)
    }

    fn pass(
        &self,
        pages: Vec<ShownPage>,
        each: &mut dyn FnMut(ShownPage, Arc<Page>) -> Result<(), ReadingError>,
    ) -> Result<(), ReadingError> {
        let parsed = |id: PageId| self.parsed.borrow().pages.get(&id).cloned();
        let others = pages.iter().map(|shown| shown.page);
        let others: Vec<PageId> = others.filter(|id| parsed(*id).is_none()).collect();
        let mut read = HashMap::new();
        pages_from_archive(self.store, &others, &mut |id, page| {
            read.insert(id, Arc::new(page));
        })?;
        // In the order of the pages, so that a reading does not depend on what is parsed already.
        for shown in pages {
            if let Some(page) = parsed(shown.page) {
                each(shown, page)?;
            } else if let Some(page) = read.remove(&shown.page) {
                self.parsed.borrow_mut().keep(shown.page, &page);
                each(shown, page)?;
            }
        }
        Ok(())
    }
}

/// Reads the pages that are not clustered yet, for one vertical or for all that have a component.
/// Returns sentences for people.
pub fn read_news(
    store: &dyn Store,
    folder: &Path,
    plugins: &[Plugin],
    only: Option<&str>,
    min_confidence: f64,
) -> Result<Vec<String>, ReadingError> {
    let mut notices = Vec::new();
    let wanted = |plugin: &&Plugin| {
        let name = &plugin.info().name;
        plugin.extracts() && only.is_none_or(|only| only == name)
    };
    for plugin in plugins.iter().filter(wanted) {
        let reader = SiteReader::new(store, folder, plugin.info().clone(), min_confidence);
        notices.extend(reader.read_news(store, &HashSet::new())?);
    }
    Ok(notices)
}

/// Returns true if a reading changed nothing that the vertical found.
fn is_as_found(shown: &ShownPage, outcome: &Outcome) -> bool {
    let own = |source: &Source| matches!(source, Source::Page | Source::StructuredData);
    outcome.dropped.is_empty()
        && outcome.records.len() == shown.records.len()
        && outcome
            .records
            .iter()
            .zip(&shown.records)
            .all(|(read, found)| read.sources.iter().all(own) && read.record == *found)
}

/// Returns the reason for which a site has to be learned again, if there is one.
fn reason_to_learn(reading: &Reading, drift: &Drift) -> Option<String> {
    let drifted = drift.drifted(reading);
    if !drifted.is_empty() {
        let attributes: BTreeSet<&str> = drifted.iter().map(|one| one.attribute.as_str()).collect();
        let attributes: Vec<&str> = attributes.into_iter().collect();
        return Some(format!("{} stand elsewhere than before", attributes.join(", ")));
    }
    let grown = drift.unknown() - reading.unknown();
    (drift.pages() >= MIN_UNKNOWN && grown > MAX_UNKNOWN_GROWTH).then(|| {
        format!(
            "{:.0} % of its pages are of no known kind",
            drift.unknown() * 100.0
        )
    })
}

/// The host of a site's key.
fn host(key: &str) -> &str {
    key.split_once("://").map_or(key, |(_, host)| host)
}
