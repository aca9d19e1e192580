//! Pages that are not clustered yet, gathered from what a store says of each site.

use std::collections::HashSet;

use magpie_model::Record;
use magpie_values::Timestamp;
use xxhash_rust::xxh3::xxh3_64;

use crate::ids::{PageId, SiteId};
use crate::warehouse::{FoundPage, FoundPages};

/// Pages that are looked at for one batch, whatever is on them: most have nothing, and cost little.
const MAX_PAGES: usize = 20_000;

/// Pages that are read at a time: a site may have millions, and few have as many records as wanted.
const CHUNK: usize = 1_000;

/// The part of a store that tells what is new to a vertical.
pub trait News {
    type Error;

    /// Returns the sites with pages that are not clustered, each with the number of the last one
    /// that is.
    fn sites(&self) -> Result<Vec<(SiteId, u64)>, Self::Error>;

    /// Returns pages of a site after a number, in their order.
    fn pages(&self, site: SiteId, after: u64, limit: usize) -> Result<Vec<NewPage>, Self::Error>;

    /// Returns the records that stand on pages of a site after a number and up to another, in the
    /// order of pages: page, number, record.
    #[expect(clippy::type_complexity, reason = "one row")]
    fn records(
        &self,
        site: SiteId,
        after: u64,
        upto: u64,
    ) -> Result<Vec<(u64, i64, Option<Record>)>, Self::Error>;

    /// Returns the hashes of URLs, among some, that had something when they were fetched last.
    fn standing(&self, prints: &[u64]) -> Result<HashSet<u64>, Self::Error>;
}

/// A page as a store has it.
#[derive(Clone, Debug)]
pub struct NewPage {
    /// Its number within its site.
    pub number: u64,
    pub page: PageId,
    pub url: Option<String>,
    pub fetched_at: Timestamp,
    pub status: Option<u16>,
    /// The number of records that the vertical found; `None` if it was not asked.
    pub records: Option<u64>,
}

/// Reads the next pages site by site, until they have a number of records, and puts them in the
/// order of time.
pub fn found<N: News>(news: &N, records: usize) -> Result<FoundPages, N::Error> {
    let mut found = FoundPages {
        last: true,
        ..FoundPages::default()
    };
    let mut timed: Vec<(Timestamp, FoundPage)> = Vec::new();
    let (mut looked_at, mut taken) = (0, 0);
    for (site, after) in news.sites()? {
        // Most pages have no records and cost little, but a site may have millions of them. So the
        // pages are limited as well as the records.
        if taken >= records || looked_at >= MAX_PAGES {
            found.last = false;
            break;
        }
        let next = next_pages(news, site, after, records - taken, MAX_PAGES - looked_at)?;
        found.last &= next.is_last;
        looked_at += next.looked_at;
        taken += next.taken;
        found.marks.upto.push((site, next.upto));
        let mut time = Timestamp::MIN;
        timed.extend(next.pages.into_iter().map(|page| {
            // A clock that was set back does not turn the order of a site.
            time = time.max(page.fetched_at);
            (time, page)
        }));
    }
    timed.sort_by_key(|(time, _)| *time);
    found.pages = timed.into_iter().map(|(_, page)| page).collect();
    Ok(found)
}

struct NextPages {
    pages: Vec<FoundPage>,
    upto: u64,
    looked_at: usize,
    taken: usize,
    is_last: bool,
}

fn next_pages<N: News>(
    news: &N,
    site: SiteId,
    after: u64,
    records: usize,
    pages: usize,
) -> Result<NextPages, N::Error> {
    let mut next = NextPages {
        pages: Vec::new(),
        upto: after,
        looked_at: 0,
        taken: 0,
        is_last: true,
    };
    let mut candidates: Vec<Candidate> = Vec::new();
    'chunks: loop {
        let chunk = news.pages(site, next.upto, CHUNK)?;
        let is_last = chunk.len() < CHUNK;
        for page in chunk {
            // At least one page is looked at in each call, or clustering would never get past a
            // page with more records than the batch.
            if next.taken >= records || next.looked_at >= pages {
                next.is_last = false;
                break 'chunks;
            }
            next.looked_at += 1;
            next.upto = page.number;
            let on_page = page.records.unwrap_or_default();
            if let Some(candidate) = Candidate::of(site, page) {
                next.taken += on_page as usize;
                candidates.push(candidate);
            }
        }
        if is_last {
            break;
        }
    }
    let found = news.records(site, after, next.upto)?;
    let gone = candidates.iter().filter(|candidate| candidate.is_gone);
    let gone: Vec<u64> = gone.map(|candidate| print(&candidate.page.url)).collect();
    let standing = match gone.is_empty() {
        true => HashSet::new(),
        false => news.standing(&gone)?,
    };
    next.pages = mattering(candidates, found, standing);
    Ok(next)
}

/// A page that may matter to the clustering.
struct Candidate {
    number: u64,
    is_asked: bool,
    is_unchanged: bool,
    is_gone: bool,
    page: FoundPage,
}

impl Candidate {
    /// Other pages were not shown to the vertical, and say nothing about its objects.
    fn of(site: SiteId, page: NewPage) -> Option<Candidate> {
        let candidate = Candidate {
            number: page.number,
            is_asked: page.records.is_some(),
            is_unchanged: page.status == Some(304),
            // A page that is gone, or is elsewhere now, has nothing any more.
            is_gone: matches!(page.status, Some(301 | 308 | 404 | 410)),
            page: FoundPage {
                page: page.page,
                site,
                url: page.url?,
                fetched_at: page.fetched_at,
                records: None,
                is_gone: matches!(page.status, Some(404 | 410)),
            },
        };
        (candidate.is_asked || candidate.is_unchanged || candidate.is_gone).then_some(candidate)
    }
}

/// Keeps the pages that matter to the clustering, with their records.
fn mattering(
    candidates: Vec<Candidate>,
    found: Vec<(u64, i64, Option<Record>)>,
    mut standing: HashSet<u64>,
) -> Vec<FoundPage> {
    let mut found = found.into_iter().peekable();
    let mut pages = Vec::new();
    for mut candidate in candidates {
        let mut on_page = Vec::new();
        while let Some((number, id, record)) = found.next_if(|(number, ..)| *number <= candidate.number) {
            if number == candidate.number {
                on_page.push((id, record));
            }
        }
        let print = print(&candidate.page.url);
        // A site has many pages that are gone and never had an object.
        let has_lost = candidate.is_gone && standing.contains(&print);
        if !candidate.is_asked && !candidate.is_unchanged && !has_lost {
            continue;
        }
        if !on_page.is_empty() {
            // The page may be gone again later in the same batch.
            standing.insert(print);
        }
        candidate.page.records = (candidate.is_asked || has_lost).then_some(on_page);
        pages.push(candidate.page);
    }
    pages
}

fn print(url: &str) -> u64 {
    xxh3_64(url.as_bytes())
}
