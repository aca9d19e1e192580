//! Pages out of the archive.

use magpie_http::HttpLimits;
use magpie_page::{Page, PageSource};
use magpie_rows::{PageId, ReadStore, StoreError};
use url::Url;

/// Reads a page as it was read when it was fetched. `None` if the archive has no copy of it.
pub(crate) fn page_from_archive(
    reader: &dyn ReadStore,
    page: PageId,
    url: Url,
) -> Result<Option<Page>, StoreError> {
    let replayed = reader.replay(page, &HttpLimits::default())?;
    let Some((row, response)) = replayed.and_then(|replayed| Some((replayed.page, replayed.response?)))
    else {
        return Ok(None);
    };
    let headers = response.headers.iter();
    Ok(Some(Page::new(PageSource {
        url,
        status: response.status,
        headers: headers
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
        fetched_at: row.fetched_at,
        body: response.body.into(),
    })))
}
