//! Pages out of the archive.

use bytes::Bytes;
use magpie_http::HttpResponse;
use magpie_warc::Truncated;

use crate::pages::PageRow;

/// A page as it came.
#[derive(Debug)]
pub struct ReplayedPage {
    /// The record of the page.
    pub page: PageRow,
    /// The decoded answer. That of a revisit has its own head and the body of the page it refers
    /// to; `None` if that page is missing.
    pub response: Option<HttpResponse>,
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
