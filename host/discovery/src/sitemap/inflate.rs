//! Sitemaps are often compressed by hand, on top of what HTTP does.

use std::borrow::Cow;
use std::io::Read;

use flate2::read::MultiGzDecoder;

use super::{Sitemap, SitemapProblem};

/// Files inside one another: some servers compress what was compressed.
const LAYERS: usize = 2;

const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// The text of a file, at most one byte more than the limit, so that the excess shows.
pub(super) fn inflate<'a>(bytes: &'a [u8], max_bytes: usize, sitemap: &mut Sitemap) -> Cow<'a, [u8]> {
    let mut text = Cow::Borrowed(bytes);
    for _ in 0..LAYERS {
        if !text.starts_with(&MAGIC) {
            break;
        }
        let mut inflated = Vec::new();
        let ceiling = u64::try_from(max_bytes).unwrap_or(u64::MAX).saturating_add(1);
        let read = MultiGzDecoder::new(&*text)
            .take(ceiling)
            .read_to_end(&mut inflated);
        // A broken stream keeps its valid beginning, whose entries are usable.
        if read.is_err() {
            sitemap.problem(SitemapProblem::BrokenGzip(inflated.len()));
        }
        text = Cow::Owned(inflated);
    }
    text
}
