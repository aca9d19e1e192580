//! Pages out of the archive.

use magpie_http::HttpLimits;
use magpie_page::{Page, PageSource};
use magpie_rows::{PageId, ReadStore, ReplayedPage, StoreError};
use url::Url;

/// Reads a page as it was read when it was fetched. `None` if the archive has no copy of it.
pub(crate) fn page_from_archive(
    reader: &dyn ReadStore,
    page: PageId,
    url: Url,
) -> Result<Option<Page>, StoreError> {
    let replayed = reader.replay(page, &HttpLimits::default())?;
    Ok(replayed.and_then(|replayed| page_of(replayed, url)))
}

/// Reads many pages, and passes those of which the archive has a copy to `each`.
pub(crate) fn pages_from_archive(
    reader: &dyn ReadStore,
    pages: &[PageId],
    each: &mut dyn FnMut(PageId, Page),
) -> Result<(), StoreError> {
    reader.replays(pages, &HttpLimits::default(), &mut |id, replayed| {
        // A damaged record costs its own page and no other.
        let page = replayed.ok().and_then(|replayed| {
            let url = Url::parse(&replayed.page.url).ok()?;
            page_of(replayed, url)
        });
        if let Some(page) = page {
            each(id, page);
        }
    })
}

fn page_of(replayed: ReplayedPage, url: Url) -> Option<Page> {
    let response = replayed.response?;
    let headers = response.headers.iter();
    Some(Page::new(PageSource {
        url,
        status: response.status,
        headers: headers
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
        fetched_at: replayed.page.fetched_at,
        body: response.body.into(),
    }))
}
