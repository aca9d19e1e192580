//! Pages out of the archive, as if they were fetched again.

use std::path::Path;

use bytes::Bytes;
use rusqlite::OptionalExtension;

use super::{PAGE, PageRow, Reader, page_row};
use crate::StoreError;
use crate::fetch_result::{PageId, RunId};
use magpie_http::{HttpHead, HttpLimits, HttpResponse};
use magpie_warc::{Location, Record, Truncated, read_archived};

/// A page as it came.
#[derive(Debug)]
pub struct ReplayedPage {
    /// The record of the page.
    pub page: PageRow,
    /// The decoded answer. That of a revisit has its own head and the body of the page it refers
    /// to; `None` if that page is missing.
    pub response: Option<HttpResponse>,
}

impl Reader {
    /// The last answer a URL gave: in one run, or at all.
    pub fn latest_response(
        &self,
        fingerprint: u64,
        url: &str,
        run: Option<RunId>,
    ) -> Result<Option<PageRow>, StoreError> {
        let known = self.explain_ids(fingerprint)?;
        let run = run.map(|run| run.0);
        let mut latest: Option<PageRow> = None;
        for id in known {
            let page = self.look(|connection| {
                let sql = format!(
                    "{PAGE} WHERE page.url_id = ?1 AND page.archive_id IS NOT NULL AND (?2 IS NULL OR page.run_id = ?2)
                     ORDER BY page.id DESC LIMIT 1"
                );
                connection.prepare_cached(&sql)?.query_row((id, run), page_row).optional()
            })?;
            latest = newer(latest, page);
        }
        let other = self.look(|connection| {
            let sql = format!(
                "{PAGE} WHERE page.url = ?1 AND page.archive_id IS NOT NULL AND (?2 IS NULL OR page.run_id = ?2)
                 ORDER BY page.id DESC LIMIT 1"
            );
            connection.prepare_cached(&sql)?.query_row((url, run), page_row).optional()
        })?;
        Ok(newer(latest, other))
    }

    /// Reads a page out of the archive.
    pub fn replay(&self, page: PageId, limits: &HttpLimits) -> Result<Option<ReplayedPage>, StoreError> {
        let Some(page) = self.page(page)? else {
            return Ok(None);
        };
        let Some((name, offset, length)) = &page.archived else {
            return Ok(Some(ReplayedPage { page, response: None }));
        };
        let location = Location {
            offset: *offset,
            length: *length,
        };
        let path = self.archives().join(name);
        let record = read_archived(&path, location)?;
        let own = self.response(&path, location, &record, limits)?;
        let response = match page.same_as {
            None => Some(own),
            Some(original) => self.with_body_of(own, original, limits)?,
        };
        Ok(Some(ReplayedPage { page, response }))
    }

    /// A revisit's answer with the body of the page it refers to.
    fn with_body_of(
        &self,
        own: HttpResponse,
        original: PageId,
        limits: &HttpLimits,
    ) -> Result<Option<HttpResponse>, StoreError> {
        let Some((name, offset, length)) = self.page(original)?.and_then(|page| page.archived) else {
            return Ok(None);
        };
        let location = Location { offset, length };
        let path = self.archives().join(name);
        let body = self.response(&path, location, &read_archived(&path, location)?, limits)?;
        Ok(Some(HttpResponse {
            // Not modified: what was asked for is as it was, and so is the answer's status.
            status: if own.status == 304 {
                body.status
            } else {
                own.status
            },
            headers: own.headers,
            body: body.body,
            problem: body.problem,
        }))
    }

    fn response(
        &self,
        path: &Path,
        location: Location,
        record: &Record,
        limits: &HttpLimits,
    ) -> Result<HttpResponse, StoreError> {
        record
            .http_response(limits)
            .map_err(|problem| StoreError::BadRecord {
                file: path.to_owned(),
                offset: location.offset,
                detail: problem.to_string(),
            })
    }

    fn explain_ids(&self, fingerprint: u64) -> Result<Vec<i64>, StoreError> {
        self.look(|connection| super::explain::ids(connection, fingerprint))
    }
}

/// An answer as it lies in the archive, its content coding kept.
#[derive(Clone, Debug)]
pub struct ArchivedResponse {
    /// The record of the page.
    pub page: PageRow,
    /// The head of the response; for "not modified" that of the answer it refers to.
    pub head: Bytes,
    /// The body.
    pub body: Bytes,
    /// Reason why the body is incomplete.
    pub truncated: Option<Truncated>,
}

impl Reader {
    /// Reads an answer out of the archive as it came. None when the page has none there.
    pub fn kept(&self, page: PageId) -> Result<Option<ArchivedResponse>, StoreError> {
        let Some(page) = self.page(page)? else {
            return Ok(None);
        };
        let Some((mut head, mut body, mut truncated)) = self.parts(&page)? else {
            return Ok(None);
        };
        if let Some(original) = page.same_as {
            let Some(original) = self.page(original)? else {
                return Ok(None);
            };
            let Some(parts) = self.parts(&original)? else {
                return Ok(None);
            };
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

    fn parts(&self, page: &PageRow) -> Result<Option<(Bytes, Bytes, Option<Truncated>)>, StoreError> {
        let Some((name, offset, length)) = &page.archived else {
            return Ok(None);
        };
        let location = Location {
            offset: *offset,
            length: *length,
        };
        let path = self.archives().join(name);
        let record = read_archived(&path, location)?;
        let truncated = record.headers.get("WARC-Truncated").map(Truncated::of);
        let block = Bytes::from(record.block);
        let head =
            HttpHead::parse(&block, &HttpLimits::default()).map_err(|problem| StoreError::BadRecord {
                file: path,
                offset: location.offset,
                detail: problem.to_string(),
            })?;
        Ok(Some((
            block.slice(..head.length),
            block.slice(head.length..),
            truncated,
        )))
    }
}

/// The later of two pages: by the number of their site, or by time where they are of two sites.
fn newer(one: Option<PageRow>, other: Option<PageRow>) -> Option<PageRow> {
    let is_later = |one: &PageRow, other: &PageRow| match one.site == other.site {
        true => one.number < other.number,
        false => one.fetched_at < other.fetched_at,
    };
    match (one, other) {
        (Some(one), Some(other)) => Some(if is_later(&one, &other) { other } else { one }),
        (one, other) => one.or(other),
    }
}
