//! Bodies of a batch on their way into the object store.

use std::collections::HashMap;
use std::convert::Infallible;

use magpie_archive::{Archives, Bodies, BodyPlace, KnownBodies, KnownBody, NewBody, Segments, StoreUrl};
use magpie_rows::{Page, PageId, RunId, StoreError, UrlId};
use magpie_values::Timestamp;
use magpie_warc::{ArchiveSettings, ArchiveWriter};
use tokio_postgres::types::Type;
use xxhash_rust::xxh3::xxh3_64;

use crate::buckets::Token;
use crate::numbers::bucket_of;
use crate::server::{Server, call};
use crate::statements::bodies::KNOWN_BODIES;
use crate::value::{Value, read};

/// Puts bodies into an object store: those of a batch are one file, so that its time is shared by
/// many pages, in which those of a bucket are one segment.
pub(crate) struct SegmentWriter {
    archives: Archives,
    names: Segments,
    settings: ArchiveSettings,
    /// Makes record ids of this workspace differ from those of others.
    seed: u64,
    bodies: Bodies,
    /// The number of files so far.
    files: i64,
}

/// The bodies of a bucket in a file.
pub(crate) struct Segment {
    pub(crate) number: i64,
    pub(crate) name: String,
    /// The place of the segment in the file.
    pub(crate) base: u64,
    pub(crate) bytes: u64,
    pub(crate) run: Option<RunId>,
    pub(crate) started_at: Timestamp,
    /// The places of bodies in the segment.
    pub(crate) places: HashMap<PageId, BodyPlace>,
}

impl Segment {
    pub(crate) fn row(&self, bucket: i16) -> [Value<'_>; 7] {
        [
            bucket.into(),
            self.number.into(),
            (&self.name).into(),
            self.base.into(),
            self.run.map(|run| run.0).into(),
            self.bytes.into(),
            self.started_at.into(),
        ]
    }

    /// Returns the row of a page that a browser showed.
    pub(crate) fn rendering_row<'f>(&self, id: PageId, page: &Page) -> Option<[Value<'f>; 7]> {
        let location = self.places.get(&id)?.rendering?;
        let rendering = page.rendering.as_ref()?;
        Some([
            id.0.into(),
            location.offset.into(),
            location.length.into(),
            rendering.links_as_json().map_or(Value::Text(None), Value::from),
            rendering.requests.into(),
            rendering.bytes.into(),
            i64::try_from(rendering.cpu.as_micros())
                .unwrap_or(i64::MAX)
                .into(),
        ])
    }
}

impl SegmentWriter {
    pub(crate) fn new(archives: Archives, below: StoreUrl, settings: ArchiveSettings) -> SegmentWriter {
        SegmentWriter {
            archives,
            seed: xxh3_64(below.name().as_bytes()),
            names: new_names(below),
            settings,
            bodies: Bodies::default(),
            files: 0,
        }
    }

    /// Puts the bodies of buckets, each with the epoch of its lease, and returns their segments.
    /// They are durable then, without rows.
    pub(crate) fn put<'f>(
        &mut self,
        server: &Server,
        parts: impl Iterator<Item = (i16, i64, Vec<NewBody<'f>>)>,
    ) -> Result<HashMap<i16, Segment>, StoreError> {
        let mut parts = parts.filter(|(_, _, bodies)| !bodies.is_empty()).peekable();
        let Some(first) = parts.peek().and_then(|(_, _, bodies)| bodies.first()) else {
            return Ok(HashMap::new());
        };
        self.files += 1;
        // The pages of a process are of one run at a time.
        let url = self.names.name(first.page.run, self.files);
        let mut writer = ArchiveWriter::in_memory(url.name(), &self.settings, self.seed);
        let mut segments = HashMap::new();
        for (bucket, epoch, bodies) in parts {
            let base = writer.bytes();
            let places = self.append(server, bucket, base, &bodies, &mut writer)?;
            let segment = Segment {
                number: epoch << 32 | self.files,
                name: url.to_string(),
                base,
                bytes: writer.bytes() - base,
                run: bodies[0].page.run,
                started_at: bodies[0].page.fetched_at,
                places,
            };
            segments.insert(bucket, segment);
        }
        self.archives.put(&url, writer.into_bytes())?;
        Ok(segments)
    }

    fn append(
        &mut self,
        server: &Server,
        bucket: i16,
        base: u64,
        bodies: &[NewBody<'_>],
        writer: &mut ArchiveWriter,
    ) -> Result<HashMap<PageId, BodyPlace>, StoreError> {
        // A page refers to bodies of its own bucket, so that they are read from one partition, and
        // are written with it or not at all.
        let candidates = bodies.iter().filter_map(|new| self.bodies.candidate(new));
        let candidates = candidates.filter(|page| bucket_of(page.0) == bucket);
        let mut known = Known::read(server, bucket, bodies, candidates)?;
        let mut places = HashMap::with_capacity(bodies.len());
        for new in bodies {
            let Ok(same) = self.bodies.find(&known, new);
            let mut place = self.bodies.append(writer, new, same.as_ref())?;
            place.location.offset -= base;
            if let Some(rendering) = &mut place.rendering {
                rendering.offset -= base;
            }
            known.add(new, &place);
            places.insert(new.id, place);
        }
        Ok(places)
    }
}

/// Returns names that no other process gives.
pub(crate) fn new_names(below: StoreUrl) -> Segments {
    Segments {
        below,
        token: Token::new().0,
    }
}

/// The bodies that pages of a batch may have, with those of the batch itself.
#[derive(Default)]
struct Known {
    bodies: HashMap<PageId, KnownBody>,
    /// The pages with the last bodies of URLs.
    last: HashMap<UrlId, PageId>,
}

impl Known {
    fn read(
        server: &Server,
        bucket: i16,
        bodies: &[NewBody<'_>],
        candidates: impl Iterator<Item = PageId>,
    ) -> Result<Known, StoreError> {
        let urls = bodies.iter().filter_map(|new| Some(new.url?.0.into())).collect();
        let pages = candidates.map(|page| page.0.into()).collect();
        let numbers = |numbers| Value::Many(Type::INT8_ARRAY, numbers);
        let found = server.patiently(&call(
            &KNOWN_BODIES,
            [bucket.into(), numbers(urls), numbers(pages)],
        ))?;
        let found = read(&found.rows, |cells| {
            let url = cells.get::<Option<i64>>()?.map(UrlId);
            let body = KnownBody {
                page: cells.page()?,
                url: cells.get()?,
                date: cells.time()?,
                digest: cells.digest()?,
            };
            Ok((url, body))
        })?;
        let mut known = Known::default();
        for (url, body) in found {
            known.last.extend(url.map(|url| (url, body.page)));
            known.bodies.insert(body.page, body);
        }
        Ok(known)
    }

    fn add(&mut self, new: &NewBody<'_>, place: &BodyPlace) {
        let page = place.same_as.unwrap_or(new.id);
        if let Some(url) = new.url
            && matches!(new.page.status, Some(200..=399))
        {
            self.last.insert(url, page);
        }
        if place.same_as.is_none() {
            let body = KnownBody {
                page,
                url: new.page.url.clone(),
                date: new.page.fetched_at,
                digest: Some(place.digest),
            };
            self.bodies.insert(page, body);
        }
    }
}

impl KnownBodies for Known {
    type Error = Infallible;

    fn body(&self, page: PageId) -> Result<Option<KnownBody>, Infallible> {
        Ok(self.bodies.get(&page).cloned())
    }

    fn last_body(&self, url: UrlId) -> Result<Option<KnownBody>, Infallible> {
        let page = self.last.get(&url);
        Ok(page.and_then(|page| self.bodies.get(page)).cloned())
    }
}
