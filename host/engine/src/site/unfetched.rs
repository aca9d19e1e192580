//! The URLs of a site that were not fetched, and those of them that look like what is wanted.

use magpie_discovery::FormYields;
use magpie_model::CanonicalUrl;
use magpie_rows::{KnownPage, SiteId, UrlState};

use super::collection::{SiteError, View};
use super::survey::ObjectsByPage;

/// Counts of the known URLs of a site, and of those that were fetched. What its rules refuse is not
/// counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unfetched {
    /// The site's key.
    pub site: String,
    /// URLs known.
    pub known: u64,
    /// Those with a good answer, whenever it came.
    pub fetched: u64,
    /// Those that were never fetched and may be: queued or held.
    pub unfetched: u64,
    /// Those of `unfetched` that have the form of pages with objects.
    pub alike: u64,
}

impl View<'_> {
    /// Counts what of a site was not fetched.
    pub fn unfetched(
        &self,
        site: SiteId,
        key: &str,
        sightings: &ObjectsByPage,
    ) -> Result<Unfetched, SiteError> {
        Ok(Unfetched::of(key, &self.reader.known_pages(site)?, sightings))
    }
}

impl Unfetched {
    /// Counts what of a site was not fetched, of its known URLs.
    pub fn of(key: &str, pages: &[KnownPage], sightings: &ObjectsByPage) -> Unfetched {
        let mut yields = FormYields::default();
        for page in pages.iter().filter(|page| page.page.is_some()) {
            if let Some(url) = CanonicalUrl::trusted(page.url.as_str()) {
                yields.learn(&url, !sightings.of(&page.url).is_empty());
            }
        }
        let is_waiting = |page: &&KnownPage| {
            page.fetched_at.is_none() && matches!(page.state, UrlState::Queued | UrlState::Held)
        };
        let waiting = pages.iter().filter(is_waiting);
        let looks_alike = |page: &&KnownPage| {
            CanonicalUrl::trusted(page.url.as_str()).is_some_and(|url| yields.looks_yielding(&url))
        };
        Unfetched {
            site: key.to_owned(),
            known: pages.len() as u64,
            fetched: pages.iter().filter(|page| page.page.is_some()).count() as u64,
            unfetched: waiting.clone().count() as u64,
            alike: waiting.filter(looks_alike).count() as u64,
        }
    }
}
