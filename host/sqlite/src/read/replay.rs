//! Pages out of the archive, as if they were fetched again.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use magpie_http::{Headers, HttpHead, HttpLimits, HttpResponse};
use magpie_rows::{
    Archived, ArchivedResponse, PageId, PageRow, Rendering, ReplayedPage, RunId, StoreError, UrlId,
};
use magpie_warc::{Location, Record, Truncated};
use rusqlite::OptionalExtension;

use crate::column::json_array;
use crate::opened::{Looks, Opened};
use crate::read::explain::ids;
use crate::read::page::{PAGE, page_row};

impl<A: Looks> Archived for Opened<A> {
    fn page(&self, page: PageId) -> Result<Option<PageRow>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(&format!("{PAGE} WHERE page.id = ?1"))?;
            statement.query_row([page.0], page_row).optional()
        })
    }

    fn pages_of(&self, url: UrlId, limit: usize) -> Result<Vec<PageRow>, StoreError> {
        self.look(|connection| {
            let sql = format!("{PAGE} WHERE page.url_id = ?1 ORDER BY page.id DESC LIMIT ?2");
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map((url.0, limit as i64), page_row)?;
            rows.collect()
        })
    }

    fn latest_response(
        &self,
        fingerprint: u64,
        url: &str,
        run: Option<RunId>,
    ) -> Result<Option<PageRow>, StoreError> {
        let known = self.look(|connection| ids(connection, fingerprint))?;
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

    fn replay(&self, page: PageId, limits: &HttpLimits) -> Result<Option<ReplayedPage>, StoreError> {
        let mut found = None;
        self.replays(&[page], limits, &mut |_, replayed| found = Some(replayed))?;
        found.transpose()
    }

    fn replays(
        &self,
        pages: &[PageId],
        limits: &HttpLimits,
        each: &mut dyn FnMut(PageId, Result<ReplayedPage, StoreError>),
    ) -> Result<(), StoreError> {
        let mut rows = self.page_rows(pages)?;
        let originals: Vec<PageId> = rows.values().filter_map(|row| row.same_as).collect();
        let originals = match originals.is_empty() {
            true => HashMap::new(),
            false => self.page_rows(&originals)?,
        };
        let renderings = self.renderings(pages)?;
        for page in pages {
            let Some(row) = rows.remove(page) else { continue };
            let replayed = self.replayed(row, &originals, renderings.get(page), limits);
            each(*page, replayed);
        }
        Ok(())
    }

    fn archived(&self, page: PageId) -> Result<Option<ArchivedResponse>, StoreError> {
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

    fn rendering(&self, page: PageId) -> Result<Option<Rendering>, StoreError> {
        let found = self.renderings(&[page])?.remove(&page);
        found.map(|kept| self.shown(&kept)).transpose()
    }
}

/// A document of a browser in the archive.
struct KeptRendering {
    archive: String,
    location: Location,
    /// Without the document.
    rendering: Rendering,
}

impl<A: Looks> Opened<A> {
    fn page_rows(&self, pages: &[PageId]) -> Result<HashMap<PageId, PageRow>, StoreError> {
        self.look(|connection| {
            let sql = format!("{PAGE} WHERE page.id IN (SELECT value FROM json_each(?1))");
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map([numbers(pages)], page_row)?;
            rows.map(|row| row.map(|row| (row.id, row))).collect()
        })
    }

    fn renderings(&self, pages: &[PageId]) -> Result<HashMap<PageId, KeptRendering>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT archive.name, archive_offset, archive_length, links, requests, rendering.bytes, cpu, page_id
                 FROM rendering JOIN archive ON archive.id = archive_id
                 WHERE page_id IN (SELECT value FROM json_each(?1))",
            )?;
            let rows = statement.query_map([numbers(pages)], |row| {
                let links: Option<String> = row.get(3)?;
                // Links are written by this program; without them the page is as good as before.
                let links = links.and_then(|links| serde_json::from_str(&links).ok());
                let count = |column| Ok::<_, rusqlite::Error>(row.get::<_, i64>(column)?.cast_unsigned());
                let kept = KeptRendering {
                    archive: row.get(0)?,
                    location: Location {
                        offset: count(1)?,
                        length: count(2)?,
                    },
                    rendering: Rendering {
                        html: Bytes::new(),
                        links: links.unwrap_or_default(),
                        requests: count(4)?,
                        bytes: count(5)?,
                        cpu: Duration::from_micros(count(6)?),
                    },
                };
                Ok((PageId(row.get(7)?), kept))
            })?;
            rows.collect()
        })
    }

    fn shown(&self, kept: &KeptRendering) -> Result<Rendering, StoreError> {
        let record = self.archives().record(&kept.archive, kept.location)?;
        Ok(Rendering {
            html: record.block.into(),
            ..kept.rendering.clone()
        })
    }

    /// A page with its body, which may be that of an original or of a browser.
    fn replayed(
        &self,
        page: PageRow,
        originals: &HashMap<PageId, PageRow>,
        rendering: Option<&KeptRendering>,
        limits: &HttpLimits,
    ) -> Result<ReplayedPage, StoreError> {
        let Some(own) = self.response_of(&page, limits)? else {
            return Ok(ReplayedPage { page, response: None });
        };
        let response = match page.same_as {
            None => Some(own),
            Some(original) => match originals.get(&original) {
                None => None,
                Some(original) => self.response_of(original, limits)?.map(|body| HttpResponse {
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
            },
        };
        let response = match (response, rendering) {
            (Some(response), Some(kept)) => Some(as_shown(response, &self.shown(kept)?)),
            (response, _) => response,
        };
        Ok(ReplayedPage { page, response })
    }

    /// The answer of a page in the archive.
    fn response_of(&self, page: &PageRow, limits: &HttpLimits) -> Result<Option<HttpResponse>, StoreError> {
        let Some((name, offset, length)) = &page.archived else {
            return Ok(None);
        };
        let location = Location {
            offset: *offset,
            length: *length,
        };
        let archives = self.archives();
        let record = archives.record(name, location)?;
        response(&archives.path(name), location, &record, limits).map(Some)
    }

    fn parts(&self, page: &PageRow) -> Result<Option<(Bytes, Bytes, Option<Truncated>)>, StoreError> {
        let Some((name, offset, length)) = &page.archived else {
            return Ok(None);
        };
        let location = Location {
            offset: *offset,
            length: *length,
        };
        let archives = self.archives();
        let record = archives.record(name, location)?;
        let truncated = record.headers.get("WARC-Truncated").map(Truncated::of);
        let block = Bytes::from(record.block);
        let head =
            HttpHead::parse(&block, &HttpLimits::default()).map_err(|problem| StoreError::BadRecord {
                file: archives.path(name),
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

/// The numbers of pages as a JSON array.
fn numbers(pages: &[PageId]) -> String {
    json_array(&pages.iter().map(|page| page.0).collect::<Vec<i64>>())
}

fn response(
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

/// The later of two pages: by the number of their site, or by time where they are of two sites.
fn newer(one: Option<PageRow>, other: Option<PageRow>) -> Option<PageRow> {
    let is_later = |one: &PageRow, other: &PageRow| match one.site == other.site {
        // A clock may be set back between two fetches of a site, its numbers only rise.
        true => one.number < other.number,
        false => one.fetched_at < other.fetched_at,
    };
    match (one, other) {
        (Some(one), Some(other)) => Some(if is_later(&one, &other) { other } else { one }),
        (one, other) => one.or(other),
    }
}
