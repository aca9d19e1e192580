//! Pages out of the archive, as if they were fetched again.

use magpie_archive::{ArchivedRows, Archives, KeptRendering, archived, rendering, replays};
use magpie_http::HttpLimits;
use magpie_rows::{
    Archived, ArchivedResponse, PageId, PageRow, Rendering, ReplayedPage, RunId, StoreError, UrlId,
};
use magpie_warc::Location;
use rusqlite::OptionalExtension;

use crate::column::json_array;
use crate::opened::{Looks, Opened};
use crate::read::explain::ids;
use crate::read::page::{PAGE, page_row};
use crate::workspace::connect::ARCHIVES;

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
            latest = later(latest, page);
        }
        let other = self.look(|connection| {
            let sql = format!(
                "{PAGE} WHERE page.url = ?1 AND page.archive_id IS NOT NULL AND (?2 IS NULL OR page.run_id = ?2)
                 ORDER BY page.id DESC LIMIT 1"
            );
            connection.prepare_cached(&sql)?.query_row((url, run), page_row).optional()
        })?;
        Ok(later(latest, other))
    }

    fn replays(
        &self,
        pages: &[PageId],
        limits: &HttpLimits,
        each: &mut dyn FnMut(PageId, Result<ReplayedPage, StoreError>),
    ) -> Result<(), StoreError> {
        replays(self, pages, limits, each)
    }

    fn archived(&self, page: PageId) -> Result<Option<ArchivedResponse>, StoreError> {
        archived(self, page)
    }

    fn rendering(&self, page: PageId) -> Result<Option<Rendering>, StoreError> {
        rendering(self, page)
    }
}

impl<A: Looks> ArchivedRows for Opened<A> {
    fn archives(&self) -> Archives {
        Archives::new(self.0.folder().join(ARCHIVES))
    }

    fn page_rows(&self, pages: &[PageId]) -> Result<Vec<PageRow>, StoreError> {
        self.look(|connection| {
            let sql = format!("{PAGE} WHERE page.id IN (SELECT value FROM json_each(?1))");
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map([numbers(pages)], page_row)?;
            rows.collect()
        })
    }

    fn kept_renderings(&self, pages: &[PageId]) -> Result<Vec<(PageId, KeptRendering)>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT archive.name, archive_offset, archive_length, links, requests, rendering.bytes, cpu, page_id
                 FROM rendering JOIN archive ON archive.id = archive_id
                 WHERE page_id IN (SELECT value FROM json_each(?1))",
            )?;
            let rows = statement.query_map([numbers(pages)], |row| {
                let links: Option<String> = row.get(3)?;
                let count = |column| Ok::<_, rusqlite::Error>(row.get::<_, i64>(column)?.cast_unsigned());
                let location = Location {
                    offset: count(1)?,
                    length: count(2)?,
                };
                let counts = [count(4)?, count(5)?, count(6)?];
                let kept = KeptRendering::of(row.get(0)?, location, links.as_deref(), counts);
                Ok((PageId(row.get(7)?), kept))
            })?;
            rows.collect()
        })
    }
}

/// The numbers of pages as a JSON array.
fn numbers(pages: &[PageId]) -> String {
    json_array(&pages.iter().map(|page| page.0).collect::<Vec<i64>>())
}

/// The later of two pages.
fn later(one: Option<PageRow>, other: Option<PageRow>) -> Option<PageRow> {
    match (one, other) {
        (Some(one), Some(other)) => Some(if one.is_before(&other) { other } else { one }),
        (one, other) => one.or(other),
    }
}
