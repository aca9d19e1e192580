//! Pages that are called otherwise since they were fetched, and were fetched again by the name that they have now.

use std::collections::HashMap;

use magpie_discovery::Canonicaliser;
use magpie_store::KnownPage;

use super::survey::{is_gone, is_there};
use super::{CollectError, Collection};

impl Collection<'_> {
    /// Has nothing stand any more where nobody will ask again: at names of pages that were fetched since by the names that links
    /// have for them now. What they have today stands there, or nothing does.
    pub fn withdraw_renamed(&self) -> Result<(), CollectError> {
        let view = self.view();
        let mut urls = Vec::new();
        for (site, key) in self.store.taught_sites()? {
            let canonicaliser = view.canonicaliser(&key)?;
            if canonicaliser.ignored_keys().next().is_some() {
                urls.extend(replaced(&self.store.known_pages(site)?, &canonicaliser));
            }
        }
        if !urls.is_empty() {
            self.store.withdraw(self.vertical, urls)?;
        }
        Ok(())
    }
}

/// The URLs of pages that were fetched later by the name that they have now, whatever came of it but a failure that may pass.
fn replaced(pages: &[KnownPage], canonicaliser: &Canonicaliser) -> Vec<String> {
    let by_url: HashMap<&str, &KnownPage> = pages.iter().map(|page| (page.url.as_str(), page)).collect();
    let is_replaced = |page: &&KnownPage| {
        let Ok(canonical) = canonicaliser.canonicalise_text(&page.url, None) else {
            return false;
        };
        let named = by_url.get(canonical.url.as_str());
        named.is_some_and(|named| {
            let is_answered = is_there(named) || is_gone(named);
            named.id != page.id && named.fetched_at > page.fetched_at && is_answered
        })
    };
    let replaced = pages.iter().filter(is_replaced);
    replaced.map(|page| page.url.clone()).collect()
}

#[cfg(test)]
mod tests {
    use magpie_discovery::{CanonicalSettings, UrlLesson};

    use magpie_values::Timestamp;

    use super::super::survey::visited_page;
    use super::*;

    #[test]
    fn a_page_takes_the_place_of_those_that_were_fetched_before_it_by_other_names() {
        let failed = KnownPage {
            status: Some(503),
            page: None,
            ..visited_page(5, "http://a.test/down", Timestamp::from_millis(20))
        };
        let gone = KnownPage {
            status: Some(404),
            page: None,
            ..visited_page(7, "http://a.test/gone", Timestamp::from_millis(20))
        };
        let pages = [
            visited_page(1, "http://a.test/?from=1", Timestamp::from_millis(10)),
            visited_page(2, "http://a.test/", Timestamp::from_millis(20)),
            visited_page(3, "http://a.test/?from=2", Timestamp::from_millis(30)),
            visited_page(4, "http://a.test/down?from=1", Timestamp::from_millis(10)),
            failed,
            visited_page(6, "http://a.test/gone?from=1", Timestamp::from_millis(10)),
            gone,
            visited_page(8, "http://a.test/never?from=1", Timestamp::from_millis(10)),
        ];
        let mut canonicaliser = Canonicaliser::new(&CanonicalSettings::default());
        assert!(replaced(&pages, &canonicaliser).is_empty());
        canonicaliser.learn(&UrlLesson::NeedlessKey("from".to_owned()));
        assert_eq!(
            replaced(&pages, &canonicaliser),
            ["http://a.test/?from=1", "http://a.test/gone?from=1"]
        );
    }
}
