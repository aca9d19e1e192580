//! Handing in results: a thread gathers them, and writes those of each bucket in one transaction.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use magpie_archive::NewBody;
use magpie_rows::{
    Component, Extraction, Filed, FiledOffer, HintSource, Host, Page, PageId, SiteId, StoreError, UrlOutcome,
};
use magpie_values::Timestamp;
use tokio_postgres::Row;

use crate::buckets::Buckets;
use crate::failure::server_error;
use crate::numbers::{bucket_of, count_of, row, rows_of};
use crate::segments::{Segment, SegmentWriter};
use crate::server::{Call, Server, call};
use crate::statement::Statement;
use crate::statements::bodies::{PUT_RENDERINGS, PUT_SEGMENT};
use crate::statements::{
    COMPONENT, LAST_NUMBERS, NEW_COMPONENT, PUT_EXTRACTIONS, PUT_FEEDS, PUT_HINTS, PUT_HOSTS, PUT_INBOX,
    PUT_JUDGEMENTS, PUT_LINKS, PUT_PAGES, PUT_RECORDS, PUT_URLS, PUT_VIOLATIONS, SETTLE,
};
use crate::store::bucket_epoch;
use crate::value::{Cells, Value, columns, read};

/// Limits for a batch of results: it is handed in at the first of these. Of results that are not
/// handed in twice as many bytes may wait; whoever has more has to wait.
#[derive(Clone, Copy, Debug)]
pub struct BatchLimits {
    pub results: usize,
    /// Bytes of messages, links and records.
    pub bytes: usize,
    /// Maximum age of the oldest result in a batch.
    pub age: Duration,
}

impl Default for BatchLimits {
    fn default() -> Self {
        BatchLimits {
            results: 256,
            bytes: 16 * 1024 * 1024,
            age: Duration::from_millis(200),
        }
    }
}

impl BatchLimits {
    /// Returns limits for batches with bodies. Each is a file in an object store, which is large
    /// enough that hundreds of pages share the time of a request and its price. Sites that are
    /// asked once a second have several pages in it, which share the statements of a hand-in.
    #[must_use]
    pub fn for_segments(self) -> BatchLimits {
        BatchLimits {
            results: usize::MAX,
            age: self.age.max(Duration::from_secs(4)),
            ..self
        }
    }
}

/// Outcome of an extraction without a problem.
pub(crate) const DONE: &str = "done";

/// The handle for sending results to the thread.
pub(crate) struct Writer {
    shared: Arc<Shared>,
    records: Arc<Mutex<RecordCounts>>,
    buckets: Arc<Buckets>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    limits: BatchLimits,
    /// The sequence up to which everything is durable.
    committed: AtomicU64,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: Vec<Filed>,
    /// Time at which the first of them came.
    since: Option<Instant>,
    /// Bytes of results that wait.
    gathered: usize,
    /// Bytes of results that wait or are being written.
    weight: usize,
    /// Sequence number of the last result in the queue.
    filed: u64,
    /// Sequence number of the last result whose commit a caller waits for.
    wanted: u64,
    is_closing: bool,
    /// The error that ended the thread, until it is reported.
    failure: Option<StoreError>,
    /// The same in words, for everybody after that.
    stopped: Option<(String, bool)>,
}

impl Writer {
    pub(crate) fn start(
        server: &Arc<Server>,
        buckets: &Arc<Buckets>,
        limits: BatchLimits,
        segments: Option<SegmentWriter>,
    ) -> Result<Writer, StoreError> {
        let shared = Arc::new(Shared {
            limits,
            committed: AtomicU64::default(),
            state: Mutex::default(),
            changed: Condvar::default(),
        });
        let records = Arc::<Mutex<RecordCounts>>::default();
        let mut recorder = Recorder {
            server: Arc::clone(server),
            buckets: Arc::clone(buckets),
            components: HashMap::new(),
            records: Arc::clone(&records),
            segments,
        };
        let worker = Arc::clone(&shared);
        let thread = Builder::new()
            .name("magpie-hand-in".to_owned())
            .spawn(move || worker.work(&mut recorder))
            .map_err(|error| server_error(format!("can't start a thread: {error}")))?;
        Ok(Writer {
            shared,
            records,
            buckets: Arc::clone(buckets),
            thread: Some(thread),
        })
    }

    /// Waits until there is room for a number of bytes.
    pub(crate) fn wait_for_room(&self, bytes: usize) -> Result<(), StoreError> {
        let mut state = self.shared.state();
        loop {
            state.check()?;
            // A result larger than all the room would wait for ever, so it goes alone.
            if state.weight == 0 || state.weight + bytes <= 2 * self.shared.limits.bytes {
                return Ok(());
            }
            state = self.shared.wait(state);
        }
    }

    pub(crate) fn file(&self, filed: Filed) -> Result<(), StoreError> {
        let mut state = self.shared.state();
        state.check()?;
        state.filed = filed.sequence;
        state.weight += filed.weight;
        state.gathered += filed.weight;
        state.since.get_or_insert_with(Instant::now);
        state.waiting.push(filed);
        drop(state);
        self.shared.changed.notify_all();
        Ok(())
    }

    pub(crate) fn committed(&self) -> u64 {
        self.shared.committed.load(Ordering::Acquire)
    }

    /// Numbers records of a site: `write` gets the count of the last one, and returns the number
    /// of those that it wrote.
    pub(crate) fn with_record_counts(
        &self,
        server: &Server,
        site: SiteId,
        write: impl FnOnce(i64) -> Result<usize, StoreError>,
    ) -> Result<(), StoreError> {
        let mut counts = locked(&self.records);
        let Some(epoch) = self.buckets.epoch(bucket_of(site.0)) else {
            return Err(StoreError::LeaseOver {
                site: site.0,
                epoch: 0,
            });
        };
        count_records(server, &mut counts, site, epoch)?;
        let last = counts.get(&site.0).map_or(0, |(_, last)| *last);
        let written = write(last)?;
        counts.insert(site.0, (epoch, last + written as i64));
        Ok(())
    }

    /// Waits until all results that were queued before are durable.
    pub(crate) fn flush(&self) -> Result<(), StoreError> {
        let mut state = self.shared.state();
        let wanted = state.filed;
        state.wanted = wanted;
        self.shared.changed.notify_all();
        loop {
            state.check()?;
            if self.committed() >= wanted {
                return Ok(());
            }
            state = self.shared.wait(state);
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.shared.state().is_closing = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was printed when it happened.
            let _ = thread.join();
        }
    }
}

impl State {
    /// The first to ask gets the error itself, the others its words.
    fn check(&mut self) -> Result<(), StoreError> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        match &self.stopped {
            None => Ok(()),
            Some((cause, disk_full)) => Err(StoreError::Stopped {
                cause: cause.clone(),
                disk_full: *disk_full,
            }),
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'s>(&self, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        // Bounded, since the thread may have ended by a panic.
        let waited = self.changed.wait_timeout(state, Duration::from_secs(1));
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Hands in batch after batch until the end, or the first error.
    fn work(&self, recorder: &mut Recorder) {
        let _ending = Ending(self);
        while let Some(batch) = self.next_batch() {
            let last = batch.last().map_or(0, |filed| filed.sequence);
            let weight: usize = batch.iter().map(|filed| filed.weight).sum();
            let result = recorder.hand_in(&batch);
            let mut state = self.state();
            state.weight -= weight;
            let is_over = result.is_err();
            match result {
                Ok(()) => self.committed.store(last, Ordering::Release),
                // Later results may depend on those that are lost, such as a page on its URL.
                Err(error) => {
                    state.stopped = Some((error.to_string(), error.is_disk_full()));
                    state.failure = Some(error);
                }
            }
            drop(state);
            self.changed.notify_all();
            if is_over {
                return;
            }
        }
    }

    /// Waits for a batch that is due. Returns `None` at the end.
    fn next_batch(&self) -> Option<Vec<Filed>> {
        let mut state = self.state();
        loop {
            let age = state.since.map(|since| since.elapsed());
            let is_due = state.is_closing
                || state.waiting.len() >= self.limits.results
                || state.gathered >= self.limits.bytes
                || state.wanted > self.committed.load(Ordering::Acquire)
                || age.is_some_and(|age| age >= self.limits.age);
            if is_due && !state.waiting.is_empty() {
                state.since = None;
                state.gathered = 0;
                return Some(std::mem::take(&mut state.waiting));
            }
            if state.is_closing {
                return None;
            }
            let limit = age.map_or(Duration::from_secs(60), |age| self.limits.age.saturating_sub(age));
            let waited = self.changed.wait_timeout(state, limit);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// Marks the thread as ended, also after a panic: callers that wait would otherwise wait for ever.
struct Ending<'a>(&'a Shared);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        let ended = || ("the thread that hands in has ended".to_owned(), false);
        self.0.state().stopped.get_or_insert_with(ended);
        self.0.changed.notify_all();
    }
}

/// Turns results into rows.
struct Recorder {
    server: Arc<Server>,
    buckets: Arc<Buckets>,
    /// The numbers of the plugins met so far.
    components: HashMap<Arc<Component>, i64>,
    records: Arc<Mutex<RecordCounts>>,
    /// `None` where there is no place for bodies.
    segments: Option<SegmentWriter>,
}

/// The count of the last record of each site, with the epoch of the bucket in which it was read.
/// It is locked while records are written.
type RecordCounts = HashMap<i64, (i64, i64)>;

/// The results and offers that are written to a bucket.
#[derive(Default)]
struct Part<'f> {
    results: Vec<&'f Filed>,
    offers: Vec<&'f FiledOffer>,
}

impl<'f> Part<'f> {
    fn pages(&self) -> impl Iterator<Item = (&'f Filed, PageId, &'f Page)> {
        let results = self.results.iter().copied();
        results.filter_map(|filed| filed.page.as_ref().map(|(id, page)| (filed, *id, page)))
    }

    fn bodies(&self) -> Vec<NewBody<'f>> {
        let bodies = self.pages().filter_map(|(filed, id, page)| {
            let url = filed.settled.as_ref().map(|(settled, _)| settled.url);
            NewBody::of(id, url, page)
        });
        bodies.collect()
    }
}

impl Recorder {
    fn hand_in(&mut self, batch: &[Filed]) -> Result<(), StoreError> {
        let mut parts: BTreeMap<i16, Part<'_>> = BTreeMap::new();
        for filed in batch {
            let own = bucket_of(filed.site.0);
            // In a later epoch another worker may have fetched the page, too.
            if self.buckets.epoch(own) != Some(bucket_epoch(filed.epoch)) {
                continue;
            }
            for offer in &filed.offers {
                parts
                    .entry(bucket_of(offer.site.0))
                    .or_default()
                    .offers
                    .push(offer);
            }
            parts.entry(own).or_default().results.push(filed);
        }
        // Those without results first: a URL that is settled is not fetched again, and what its
        // page led to must not be lost then.
        let mut parts: Vec<(i16, Part<'_>)> = parts.into_iter().collect();
        parts.sort_by_key(|(_, part)| !part.results.is_empty());
        let mut held = Vec::new();
        for (bucket, part) in parts {
            match self.buckets.epoch(bucket) {
                Some(epoch) => held.push((bucket, epoch, part)),
                None => self.post(bucket, &part)?,
            }
        }
        // Bodies are durable before rows lead to them.
        let segments = match &mut self.segments {
            Some(writer) => {
                let bodies = held
                    .iter()
                    .map(|(bucket, epoch, part)| (*bucket, *epoch, part.bodies()));
                writer.put(&self.server, bodies)?
            }
            None => HashMap::new(),
        };
        for (bucket, epoch, part) in held {
            let segment = segments.get(&bucket);
            let extractions = part.results.iter().flat_map(|filed| {
                let judged = filed.judgements.iter().map(|judged| &judged.component);
                filed
                    .extractions
                    .iter()
                    .map(|extraction| &extraction.component)
                    .chain(judged)
            });
            for component in extractions {
                self.know(component)?;
            }
            let mut counts = locked(&self.records);
            for filed in &part.results {
                if filed.extractions.iter().any(|found| !found.records.is_empty()) {
                    count_records(&self.server, &mut counts, filed.site, epoch)?;
                }
            }
            // Without the lease, the results are those of the next owner to make.
            let mut records = HashMap::new();
            let answers = self.buckets.hand_in_of((bucket, epoch), || {
                records.clear();
                self.calls(bucket, &part, segment, &counts, &mut records)
            })?;
            if answers.is_none() {
                self.post(bucket, &part)?;
            }
            counts.extend(records);
            drop(counts);
            let mut settled = answers.iter().flatten().flat_map(|answer| &answer.rows);
            let wanted = outcomes(&part).len() as i64;
            if let Some(row) = settled.next()
                && Cells::of(row).get::<i64>()? != wanted
            {
                return Err(StoreError::Disagreement {
                    detail: format!("a URL of bucket {bucket} was settled that it does not know"),
                });
            }
        }
        Ok(())
    }

    /// Puts the offers of a part without results where the owner of the bucket finds them. A part
    /// with results is lost with the lease: its pages are fetched again, and lead to them again.
    fn post(&self, bucket: i16, part: &Part<'_>) -> Result<(), StoreError> {
        if !part.results.is_empty() {
            return Ok(());
        }
        let mut calls = Vec::new();
        let rows = part.offers.iter().map(|offer| {
            let [_, row @ ..] = url_row(offer);
            row
        });
        put(&mut calls, &PUT_INBOX, bucket, rows);
        for call in &calls {
            self.server.patiently(call)?;
        }
        Ok(())
    }

    /// Makes sure that a plugin has a number.
    fn know(&mut self, component: &Arc<Component>) -> Result<(), StoreError> {
        if !self.components.contains_key(component) {
            let number = know(&self.server, component)?;
            self.components.insert(Arc::clone(component), number);
        }
        Ok(())
    }

    /// Returns the statements that write a part, and the counts of records after it.
    fn calls<'f>(
        &self,
        bucket: i16,
        part: &Part<'f>,
        segment: Option<&'f Segment>,
        counts: &RecordCounts,
        records: &mut RecordCounts,
    ) -> Vec<Call<'f>> {
        let results = || part.results.iter().copied();
        let pages = || part.pages();
        let mut calls = Vec::new();
        put(
            &mut calls,
            &PUT_URLS,
            bucket,
            part.offers.iter().map(|offer| url_row(offer)),
        );
        put(
            &mut calls,
            &PUT_PAGES,
            bucket,
            pages().map(|(filed, id, page)| page_row(filed, id, page, segment)),
        );
        if let Some(segment) = segment {
            calls.push(call(&PUT_SEGMENT, segment.row(bucket)));
            let renderings = pages().filter_map(|(_, id, page)| segment.rendering_row(id, page));
            put(&mut calls, &PUT_RENDERINGS, bucket, renderings);
        }
        let outcomes = outcomes(part).into_iter();
        let outcomes = outcomes.map(|(url, (outcome, attempts))| {
            [
                url.into(),
                outcome.state.as_str().into(),
                attempts.into(),
                outcome.due_at.into(),
                outcome.reason.as_ref().into(),
                (&outcome.detail).into(),
            ]
        });
        put(&mut calls, &SETTLE, bucket, outcomes);
        let links = pages().filter(|(_, _, page)| !page.links.is_empty());
        put(
            &mut calls,
            &PUT_LINKS,
            bucket,
            links.map(|(_, id, page)| {
                let links: Vec<[&str; 4]> = page
                    .links
                    .iter()
                    .map(|link| [link.href, link.text, link.path, link.rel])
                    .collect();
                [
                    id.0.into(),
                    serde_json::to_string(&links).unwrap_or_default().into(),
                ]
            }),
        );
        put(
            &mut calls,
            &PUT_HOSTS,
            bucket,
            hosts(part).into_values().map(host_row),
        );
        let mut hints: BTreeMap<(i64, u64, HintSource), (Timestamp, Timestamp)> = BTreeMap::new();
        for filed in results() {
            for hint in &filed.hints {
                let key = (filed.site.0, hint.fingerprint, hint.source);
                let kept = hints.entry(key).or_insert((hint.modified_at, hint.seen_at));
                *kept = match kept.1 == hint.seen_at {
                    true => (kept.0.max(hint.modified_at), hint.seen_at),
                    false => (hint.modified_at, hint.seen_at),
                };
            }
        }
        let hints = hints
            .into_iter()
            .map(|((site, fingerprint, source), (modified_at, seen_at))| {
                [
                    site.into(),
                    fingerprint.into(),
                    source.as_str().into(),
                    modified_at.into(),
                    seen_at.into(),
                ]
            });
        put(&mut calls, &PUT_HINTS, bucket, hints);
        let feeds =
            results().flat_map(|filed| filed.feeds.iter().map(|feed| [filed.site.0.into(), feed.into()]));
        put(&mut calls, &PUT_FEEDS, bucket, feeds);
        let found = || {
            pages().flat_map(|(filed, id, _)| {
                filed
                    .extractions
                    .iter()
                    .map(move |extraction| (filed.site, id, extraction))
            })
        };
        let number =
            |component: &Arc<Component>| -> Value<'f> { self.components.get(component).copied().into() };
        let extractions =
            found().map(|(_, id, extraction)| extraction_row(id, number(&extraction.component), extraction));
        put(&mut calls, &PUT_EXTRACTIONS, bucket, extractions);
        let violations = found()
            .flat_map(|(_, id, extraction)| violation_rows(id, number(&extraction.component), extraction));
        put(&mut calls, &PUT_VIOLATIONS, bucket, violations);
        let mut rows = Vec::new();
        for (site, id, extraction) in found() {
            for (position, found) in (0i64..).zip(&extraction.records) {
                let known = counts.get(&site.0).copied().unwrap_or_default();
                let (_, last) = records.entry(site.0).or_insert(known);
                *last += 1;
                rows.push([
                    row(site, *last).into(),
                    id.0.into(),
                    number(&extraction.component),
                    position.into(),
                    (&found.record.object_type).into(),
                    found.record.confidence.into(),
                    found.record.to_text().into(),
                    found.expires_at.into(),
                ]);
            }
        }
        put(&mut calls, &PUT_RECORDS, bucket, rows.into_iter());
        let judgements = pages().flat_map(|(filed, id, _)| {
            filed.judgements.iter().map(move |judged| {
                let judgement = &judged.judgement;
                [
                    id.0.into(),
                    number(&judged.component),
                    judgement.accepted.into(),
                    judgement.confidence.into(),
                    (&judgement.reason).into(),
                ]
            })
        });
        put(&mut calls, &PUT_JUDGEMENTS, bucket, judgements);
        calls
    }
}

fn locked(counts: &Mutex<RecordCounts>) -> MutexGuard<'_, RecordCounts> {
    counts.lock().unwrap_or_else(PoisonError::into_inner)
}

fn count_records(
    server: &Server,
    counts: &mut RecordCounts,
    site: SiteId,
    epoch: i64,
) -> Result<(), StoreError> {
    if counts.get(&site.0).is_none_or(|(counted, _)| *counted != epoch) {
        let (first, last) = rows_of(site);
        let values = [bucket_of(site.0).into(), first.into(), last.into()];
        let answer = server.patiently(&call(&LAST_NUMBERS, values))?;
        let [_, _, last] = last_counts(&answer.rows)?;
        counts.insert(site.0, (epoch, last));
    }
    Ok(())
}

/// Returns the number of a plugin, which is written down when it is new.
pub(crate) fn know(server: &Server, component: &Component) -> Result<i64, StoreError> {
    loop {
        let values = [(&component.digest).into(), (&component.options).into()];
        let answer = server.patiently(&call(&COMPONENT, values))?;
        if let Some(row) = answer.rows.first() {
            return Ok(Cells::of(row).get()?);
        }
        let Component {
            vertical,
            version,
            digest,
            options,
        } = component;
        let values = [vertical.into(), version.into(), digest.into(), options.into()];
        // Another worker may take the same number: then it is tried again.
        server.patiently(&call(&NEW_COMPONENT, values))?;
    }
}

pub(crate) fn extraction_row<'f>(
    page: PageId,
    component: Value<'f>,
    extraction: &'f Extraction,
) -> [Value<'f>; 7] {
    let cpu = i64::try_from(extraction.cpu.as_micros()).unwrap_or(i64::MAX);
    [
        page.0.into(),
        component,
        extraction.problem.as_deref().unwrap_or(DONE).into(),
        (&extraction.detail).into(),
        (extraction.records.len() as u64).into(),
        extraction.violations.into(),
        cpu.into(),
    ]
}

pub(crate) fn violation_rows<'f>(
    page: PageId,
    component: Value<'f>,
    extraction: &'f Extraction,
) -> impl Iterator<Item = [Value<'f>; 5]> {
    let counts = extraction.violation_counts.iter();
    counts.map(move |((attribute, code), count)| {
        [
            page.0.into(),
            component.clone(),
            attribute.into(),
            (*code).into(),
            (*count).into(),
        ]
    })
}

/// Adds a statement that writes rows, if there are any.
pub(crate) fn put<'f, const N: usize>(
    calls: &mut Vec<Call<'f>>,
    statement: &'static Statement,
    bucket: i16,
    rows: impl Iterator<Item = [Value<'f>; N]>,
) {
    let rows: Vec<_> = rows.collect();
    if !rows.is_empty() {
        let mut values = vec![bucket.into()];
        values.extend(columns(rows));
        calls.push(Call::new(statement, values));
    }
}

/// The last outcome of each URL of a part. One may be queued again and settled again.
fn outcomes<'f>(part: &Part<'f>) -> BTreeMap<i64, (&'f UrlOutcome, u32)> {
    let settled = part.results.iter().filter_map(|filed| filed.settled.as_ref());
    settled
        .map(|(outcome, attempts)| (outcome.url.0, (outcome, *attempts)))
        .collect()
}

/// The last state of each host of a part, with the last robots file.
fn hosts<'f>(part: &Part<'f>) -> BTreeMap<&'f str, [&'f Host; 2]> {
    let mut hosts: BTreeMap<&str, [&Host; 2]> = BTreeMap::new();
    for host in part.results.iter().flat_map(|filed| &filed.hosts) {
        let known = hosts.entry(&host.origin).or_insert([host, host]);
        known[0] = host;
        if host.robots.is_some() {
            known[1] = host;
        }
    }
    hosts
}

fn host_row([host, with_robots]: [&Host; 2]) -> [Value<'_>; 8] {
    let robots = with_robots.robots.as_ref();
    [
        (&host.origin).into(),
        host.next_ok_at.into(),
        host.delay.into(),
        host.failures.into(),
        robots.map(|robots| robots.fetched_at).into(),
        robots.and_then(|robots| robots.status).map(i64::from).into(),
        robots.map_or(Value::Text(None), |robots| robots.outcome.as_str().into()),
        robots.map_or(Value::Text(None), |robots| (&robots.text).into()),
    ]
}

fn url_row(filed: &FiledOffer) -> [Value<'_>; 14] {
    let offer = &filed.offer;
    [
        filed.id.0.into(),
        filed.site.0.into(),
        offer.fingerprint.into(),
        (&offer.url).into(),
        offer.state.as_str().into(),
        offer.priority.into(),
        offer.depth.into(),
        offer.source.as_str().into(),
        offer.found_on.map(|url| url.0).into(),
        offer.found_at.into(),
        offer.due_at.into(),
        offer.reason.as_ref().into(),
        (&offer.detail).into(),
        offer.form.into(),
    ]
}

fn page_row<'f>(filed: &Filed, id: PageId, page: &'f Page, segment: Option<&'f Segment>) -> [Value<'f>; 27] {
    let place = segment.and_then(|segment| segment.places.get(&id));
    let url = filed.settled.as_ref().map(|(settled, _)| settled.url.0);
    [
        id.0.into(),
        url.into(),
        // A page of a known URL has its text there.
        url.map_or_else(|| (&page.url).into(), |_| Value::Text(None)),
        page.run.map(|run| run.0).into(),
        page.fetched_at.into(),
        page.status.map(i64::from).into(),
        (&page.media_type).into(),
        (&page.charset).into(),
        (&page.language).into(),
        (&page.title).into(),
        page.bytes.into(),
        page.simhash.into(),
        page.text_hash.into(),
        (&page.etag).into(),
        (&page.last_modified).into(),
        (&page.redirect).into(),
        (&page.canonical).into(),
        page.tags.nofollow.into(),
        page.tags.noindex.into(),
        page.problem.as_ref().into(),
        (&page.detail).into(),
        page.duration.map(i64::from).into(),
        place.and(segment).map(|segment| segment.number).into(),
        place.map(|place| place.location.offset).into(),
        place.map(|place| place.location.length).into(),
        place.and_then(|place| place.same_as).map(|same| same.0).into(),
        Value::Bytes(place.map(|place| &place.digest.0[..])),
    ]
}

/// Reads the counts of the last rows of a site: URL, page, record.
pub(crate) fn last_counts(rows: &[Row]) -> Result<[i64; 3], StoreError> {
    let counts = read(rows, |cells| {
        let mut next = || Ok(count_of(cells.get::<Option<i64>>()?.unwrap_or_default()));
        Ok([next()?, next()?, next()?])
    })?;
    Ok(counts.first().copied().unwrap_or_default())
}
