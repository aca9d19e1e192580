//! Kinds of known URLs, by their answers: only pages count in shares of pages.

use magpie_discovery::is_file;
use magpie_discovery::sitemap::is_feed;
use magpie_model::{CanonicalUrl, UrlReason};
use magpie_rows::{KnownPage, UrlState};

/// The kind of a known URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UrlKind {
    /// An HTML page that was fetched.
    Page,
    /// It was never fetched, may be, and does not end like a file.
    Unfetched,
    /// Nothing is there.
    Gone,
    /// A picture, a document, or something else that is no HTML.
    File,
    /// A feed or a sitemap.
    Feed,
    /// A redirect, an error, or a URL that is not fetched.
    Other,
}

impl UrlKind {
    /// Classifies a URL by its last answers.
    pub fn of(page: &KnownPage) -> UrlKind {
        let Some(url) = CanonicalUrl::trusted(page.url.as_str()) else {
            return UrlKind::Other;
        };
        match (&page.problem, page.status) {
            (_, Some(404 | 410)) | (Some(UrlReason::SoftNotFound), _) => return UrlKind::Gone,
            (Some(UrlReason::MediaType), _) => return UrlKind::File,
            (_, Some(300..=303 | 305..=399)) => return UrlKind::Other,
            (_, Some(200..=299)) => {}
            // An error may pass, and what was there before still counts.
            _ if page.page.is_some() => {}
            (_, None) if matches!(page.state, UrlState::Queued | UrlState::Held) => {
                return if is_file(&url) {
                    UrlKind::File
                } else {
                    UrlKind::Unfetched
                };
            }
            _ => return UrlKind::Other,
        }
        match page.media_type.as_deref() {
            None => UrlKind::Page,
            Some(written) if written.contains("html") => UrlKind::Page,
            Some(written) if is_feed(written) || written.contains("xml") => UrlKind::Feed,
            Some(_) => UrlKind::File,
        }
    }

    /// Returns true for what shares of pages are shares of: HTML pages, and URLs that may be such.
    pub fn is_page(self) -> bool {
        matches!(self, UrlKind::Page | UrlKind::Unfetched)
    }
}

/// The numbers of URLs of sites that are no pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoPages {
    /// URLs behind which nothing is.
    pub gone: u64,
    /// Pictures, documents and other files.
    pub files: u64,
    /// Feeds and sitemaps.
    pub feeds: u64,
    /// Redirects, errors, and URLs that are not fetched.
    pub others: u64,
}

impl NoPages {
    /// Counts URLs by their kinds.
    pub(crate) fn count(kinds: impl IntoIterator<Item = UrlKind>) -> NoPages {
        let mut counts = NoPages::default();
        for kind in kinds {
            match kind {
                UrlKind::Page | UrlKind::Unfetched => {}
                UrlKind::Gone => counts.gone += 1,
                UrlKind::File => counts.files += 1,
                UrlKind::Feed => counts.feeds += 1,
                UrlKind::Other => counts.others += 1,
            }
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use magpie_values::Timestamp;

    use super::*;
    use crate::site::survey::visited_page;

    #[test]
    fn only_html_counts_as_a_page() {
        let visited = |url: &str| visited_page(1, url, Timestamp::from_millis(1));
        let answered = |status, media_type: &str| KnownPage {
            page: (status < 300).then_some(magpie_rows::PageId(1)),
            status: Some(status),
            media_type: Some(media_type.to_owned()),
            ..visited("https://a.test/x")
        };
        let never = |url: &str, state| KnownPage {
            page: None,
            page_at: None,
            fetched_at: None,
            status: None,
            media_type: None,
            state,
            ..visited(url)
        };
        let problem = |problem, page: KnownPage| KnownPage {
            page: None,
            problem: Some(problem),
            ..page
        };
        let cases = [
            (visited("https://a.test/x.jpg"), UrlKind::Page),
            (answered(200, "text/html; charset=utf-8"), UrlKind::Page),
            (answered(200, "application/xhtml+xml"), UrlKind::Page),
            (
                problem(UrlReason::CutLength, answered(200, "text/html")),
                UrlKind::Page,
            ),
            (answered(404, "text/html"), UrlKind::Gone),
            (answered(410, "text/html"), UrlKind::Gone),
            (
                problem(UrlReason::SoftNotFound, answered(200, "text/html")),
                UrlKind::Gone,
            ),
            (
                problem(UrlReason::MediaType, answered(200, "image/png")),
                UrlKind::File,
            ),
            (answered(200, "text/plain"), UrlKind::File),
            (answered(200, "application/rss+xml"), UrlKind::Feed),
            (answered(200, "application/xml"), UrlKind::Feed),
            (answered(301, "text/html"), UrlKind::Other),
            (answered(503, "text/html"), UrlKind::Other),
            (
                KnownPage {
                    status: Some(503),
                    ..answered(200, "text/html")
                },
                UrlKind::Page,
            ),
            (never("https://a.test/x", UrlState::Queued), UrlKind::Unfetched),
            (never("https://a.test/x.pdf", UrlState::Held), UrlKind::File),
            (never("https://a.test/x", UrlState::Failed), UrlKind::Other),
        ];
        for (page, kind) in &cases {
            assert_eq!(UrlKind::of(page), *kind, "{page:?}");
        }
        let expected = NoPages {
            gone: 3,
            files: 3,
            feeds: 2,
            others: 3,
        };
        assert_eq!(NoPages::count(cases.map(|(_, kind)| kind)), expected);
    }
}
