//! Pages with the places of their bodies.

use std::path::PathBuf;

use magpie_archive::{ArchivedRows, Archives, KeptRendering, archived, rendering, replays};
use magpie_http::HttpLimits;
use magpie_rows::{
    Archived, ArchivedResponse, PageId, PageRow, Rendering, ReplayedPage, RunId, StoreError, UrlId, Urls as _,
};
use magpie_warc::Location;

use crate::numbers::bucket_of;
use crate::page_row::read_page;
use crate::server::call;
use crate::statements::bodies::{
    LATEST_AT_ADDRESS, LATEST_OF_URL, PAGES_BY_NUMBER, PAGES_OF_URL, RENDERINGS,
};
use crate::store::Store;

impl Archived for Store {
    fn page(&self, page: PageId) -> Result<Option<PageRow>, StoreError> {
        Ok(self.page_rows(&[page])?.pop())
    }

    fn pages_of(&self, url: UrlId, limit: usize) -> Result<Vec<PageRow>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let values = [bucket_of(url.0).into(), url.0.into(), limit.into()];
        self.query(call(&PAGES_OF_URL, values), read_page)
    }

    fn latest_response(
        &self,
        fingerprint: u64,
        url: &str,
        run: Option<RunId>,
    ) -> Result<Option<PageRow>, StoreError> {
        let run = run.map(|run| run.0);
        let mut latest = self.query(call(&LATEST_AT_ADDRESS, [url.into(), run.into()]), read_page)?;
        for found in self.find_urls(&[fingerprint])? {
            let values = [bucket_of(found.id.0).into(), found.id.0.into(), run.into()];
            latest.extend(self.query(call(&LATEST_OF_URL, values), read_page)?);
        }
        let later = |one: PageRow, other: PageRow| if one.is_before(&other) { other } else { one };
        Ok(latest.into_iter().reduce(later))
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

impl ArchivedRows for Store {
    /// Readers wait for a store less long than the writer does.
    fn archives(&self) -> Archives {
        Archives::new(PathBuf::new())
    }

    fn page_rows(&self, pages: &[PageId]) -> Result<Vec<PageRow>, StoreError> {
        self.of_pages(&PAGES_BY_NUMBER, pages, &[], |cells| {
            let row = read_page(cells)?;
            Ok((row.id, row))
        })
    }

    fn kept_renderings(&self, pages: &[PageId]) -> Result<Vec<(PageId, KeptRendering)>, StoreError> {
        self.of_pages(&RENDERINGS, pages, &[], |cells| {
            let (page, name) = (cells.page()?, cells.get()?);
            let location = Location {
                offset: cells.unsigned()?,
                length: cells.unsigned()?,
            };
            let links = cells.get()?;
            let counts = [cells.unsigned()?, cells.unsigned()?, cells.unsigned()?];
            Ok((page, (page, KeptRendering::of(name, location, links, counts))))
        })
    }
}
