//! Pages with the places of their bodies.

use magpie_rows::{PageId, PageRow, StoreError, UrlId};

use crate::numbers::bucket_of;
use crate::page_row::read_page;
use crate::server::call;
use crate::statements::bodies::{PAGE, PAGES_OF_URL};
use crate::store::Store;

impl Store {
    /// Returns a page without its body.
    pub fn page(&self, page: PageId) -> Result<Option<PageRow>, StoreError> {
        let values = [bucket_of(page.0).into(), page.0.into()];
        Ok(self.query(call(&PAGE, values), read_page)?.pop())
    }

    /// Returns the last pages of a URL of the frontier, the newest first.
    pub fn pages_of(&self, url: UrlId, limit: usize) -> Result<Vec<PageRow>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let values = [bucket_of(url.0).into(), url.0.into(), limit.into()];
        self.query(call(&PAGES_OF_URL, values), read_page)
    }
}
