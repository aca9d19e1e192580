//! Pages out of the archive, as if they were fetched again.

use std::collections::HashMap;
use std::time::Duration;

use bytes::Bytes;
use magpie_http::{Headers, HttpHead, HttpLimits, HttpResponse};
use magpie_rows::{ArchivedResponse, PageId, PageRow, Rendering, ReplayedPage, StoreError};
use magpie_warc::{Location, Record, Truncated};

use crate::archives::Archives;

/// Rows of pages, with the places of their bodies.
pub trait ArchivedRows {
    fn archives(&self) -> Archives;

    /// Returns the rows of those pages that are there.
    fn page_rows(&self, pages: &[PageId]) -> Result<Vec<PageRow>, StoreError>;

    /// Returns what browsers made of those pages that they showed.
    fn kept_renderings(&self, pages: &[PageId]) -> Result<Vec<(PageId, KeptRendering)>, StoreError>;
}

/// A document of a browser in the archive.
#[derive(Debug)]
pub struct KeptRendering {
    archive: String,
    location: Location,
    /// Without the document.
    rendering: Rendering,
}

impl KeptRendering {
    /// Returns a document in an archive. The counts are its requests, the bytes of their answers,
    /// and microseconds of CPU time.
    pub fn of(
        archive: String,
        location: Location,
        links: Option<&str>,
        [requests, bytes, cpu]: [u64; 3],
    ) -> Self {
        KeptRendering {
            archive,
            location,
            rendering: Rendering {
                html: Bytes::new(),
                links: Rendering::links_of_json(links),
                requests,
                bytes,
                cpu: Duration::from_micros(cpu),
            },
        }
    }

    fn shown(&self, archives: &Archives) -> Result<Rendering, StoreError> {
        let record = archives.record(&self.archive, self.location)?;
        Ok(Rendering {
            html: record.block.into(),
            ..self.rendering.clone()
        })
    }
}

/// Reads pages as they were read, and passes each to `each`, in their order.
pub fn replays(
    rows: &impl ArchivedRows,
    pages: &[PageId],
    limits: &HttpLimits,
    each: &mut dyn FnMut(PageId, Result<ReplayedPage, StoreError>),
) -> Result<(), StoreError> {
    replay_once(rows, pages, limits, &mut |page, mut replayed| {
        // Another process may have joined the archive to others since its row was read.
        if matches!(replayed, Err(StoreError::ArchiveMissing { .. })) {
            let again = replay_once(rows, &[page], limits, &mut |_, again| replayed = again);
            replayed = again.and(replayed);
        }
        each(page, replayed);
    })
}

fn replay_once(
    rows: &impl ArchivedRows,
    pages: &[PageId],
    limits: &HttpLimits,
    each: &mut dyn FnMut(PageId, Result<ReplayedPage, StoreError>),
) -> Result<(), StoreError> {
    let by_page = |pages: &[PageId]| -> Result<HashMap<PageId, PageRow>, StoreError> {
        let rows = rows.page_rows(pages)?.into_iter();
        Ok(rows.map(|row| (row.id, row)).collect())
    };
    let mut found = by_page(pages)?;
    let originals: Vec<PageId> = found.values().filter_map(|row| row.same_as).collect();
    let originals = match originals.is_empty() {
        true => HashMap::new(),
        false => by_page(&originals)?,
    };
    let renderings: HashMap<PageId, KeptRendering> = rows.kept_renderings(pages)?.into_iter().collect();
    let archives = rows.archives();
    for page in pages {
        let Some(row) = found.remove(page) else { continue };
        let original = row.same_as.map(|original| originals.get(&original));
        each(
            *page,
            replayed(&archives, row, original, renderings.get(page), limits),
        );
    }
    Ok(())
}

/// Reads an answer as it came.
pub fn archived(rows: &impl ArchivedRows, page: PageId) -> Result<Option<ArchivedResponse>, StoreError> {
    let archives = rows.archives();
    let Some(page) = rows.page_rows(&[page])?.pop() else {
        return Ok(None);
    };
    let Some((mut head, mut body, mut truncated)) = parts(&archives, &page)? else {
        return Ok(None);
    };
    if let Some(original) = page.same_as {
        let Some(original) = rows.page_rows(&[original])?.pop() else {
            return Ok(None);
        };
        let Some(parts) = parts(&archives, &original)? else {
            return Ok(None);
        };
        // An answer 304 has few header fields. Those of the page that it confirms describe the
        // body.
        if page.status == Some(304) {
            head = parts.0;
        }
        (body, truncated) = (parts.1, parts.2);
    }
    Ok(Some(ArchivedResponse {
        page,
        head,
        body,
        truncated,
    }))
}

/// Reads a page as a browser showed it.
pub fn rendering(rows: &impl ArchivedRows, page: PageId) -> Result<Option<Rendering>, StoreError> {
    let kept = rows.kept_renderings(&[page])?.pop();
    kept.map(|(_, kept)| kept.shown(&rows.archives())).transpose()
}

/// Reads a page with its body, which may be that of an original, if that is there, or of a browser.
fn replayed(
    archives: &Archives,
    page: PageRow,
    original: Option<Option<&PageRow>>,
    rendering: Option<&KeptRendering>,
    limits: &HttpLimits,
) -> Result<ReplayedPage, StoreError> {
    let Some(own) = response_of(archives, &page, limits)? else {
        return Ok(ReplayedPage { page, response: None });
    };
    let response = match original {
        // Without the page that it confirms, there is no body.
        None if own.status == 304 => None,
        None => Some(own),
        Some(None) => None,
        Some(Some(original)) => response_of(archives, original, limits)?.map(|body| HttpResponse {
            // Not modified: what was asked for is as it was, and so is the answer's status.
            status: if own.status == 304 {
                body.status
            } else {
                own.status
            },
            headers: own.headers,
            body: body.body,
            problem: body.problem,
        }),
    };
    let response = match (response, rendering) {
        (Some(response), Some(kept)) => Some(as_shown(response, &kept.shown(archives)?)),
        (response, _) => response,
    };
    Ok(ReplayedPage { page, response })
}

/// The answer of a page in the archive.
fn response_of(
    archives: &Archives,
    page: &PageRow,
    limits: &HttpLimits,
) -> Result<Option<HttpResponse>, StoreError> {
    with_record(archives, page, |record| record.http_response(limits))
}

/// The head and the body of the answer of a page, and the reason why the body is incomplete.
fn parts(
    archives: &Archives,
    page: &PageRow,
) -> Result<Option<(Bytes, Bytes, Option<Truncated>)>, StoreError> {
    with_record(archives, page, |record| {
        let truncated = record.headers.get("WARC-Truncated").map(Truncated::of);
        let block = Bytes::from(record.block);
        HttpHead::parse(&block, &HttpLimits::default())
            .map(|head| (block.slice(..head.length), block.slice(head.length..), truncated))
    })
}

fn with_record<T, E: std::fmt::Display>(
    archives: &Archives,
    page: &PageRow,
    read: impl FnOnce(Record) -> Result<T, E>,
) -> Result<Option<T>, StoreError> {
    let Some((name, offset, length)) = &page.archived else {
        return Ok(None);
    };
    let location = Location {
        offset: *offset,
        length: *length,
    };
    let read = read(archives.record(name, location)?);
    read.map(Some).map_err(|problem| StoreError::BadRecord {
        file: archives.path(name),
        offset: *offset,
        detail: problem.to_string(),
    })
}

/// Returns an answer with the document that a browser made of it.
fn as_shown(response: HttpResponse, rendering: &Rendering) -> HttpResponse {
    let mut headers = Headers::default();
    headers.push("content-type".to_owned(), "text/html; charset=utf-8".to_owned());
    for (name, value) in response.headers.iter() {
        let is_replaced = ["content-type", "content-encoding", "content-length"]
            .iter()
            .any(|replaced| name.eq_ignore_ascii_case(replaced));
        // These describe the answer of the server. The document of the browser is plain HTML in
        // UTF-8.
        if !is_replaced {
            headers.push(name.to_owned(), value.to_owned());
        }
    }
    HttpResponse {
        headers,
        body: rendering.html.to_vec(),
        ..response
    }
}
