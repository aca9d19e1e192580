//! Pages whose canonical URL has changed since they were fetched, and that were fetched again under
//! the new one.

use std::collections::HashMap;

use magpie_discovery::Canonicaliser;
use magpie_rows::KnownPage;

use super::collection::{Collection, SiteError};
use super::survey::{is_gone, is_there};

impl Collection<'_> {
    /// Withdraws the objects at old URLs of pages that were fetched since under their new URL.
    /// Their current objects are recorded there.
    pub(crate) fn retire_aliased_pages(&self) -> Result<(), SiteError> {
        let view = self.view();
        let mut urls = Vec::new();
        for (site, key) in self.store.sites_with_url_rules()? {
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

/// Returns the old URLs of pages that were fetched later under their new URL, unless that fetch
/// failed temporarily.
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
    use magpie_discovery::{CanonicalSettings, UrlRule};

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
        canonicaliser.learn(&UrlRule::NeedlessKey("from".to_owned()));
        assert_eq!(
            replaced(&pages, &canonicaliser),
            ["http://a.test/?from=1", "http://a.test/gone?from=1"]
        );
    }
}
