//! New objects of a list, each counted once.

use super::seen::Versions;
use magpie_values::Timestamp;

/// A link to a page that is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FoundLink {
    /// The fingerprint of the page's URL.
    pub(super) page: u64,
    pub(super) at: Timestamp,
}

/// Returns the times at which new objects came to a list, in order. A list shows them (`shown`), or
/// links to their pages (`found`), or both: then an object counts once.
pub(super) fn news(
    found: &[FoundLink],
    shown: &[Timestamp],
    visits: &[(Timestamp, bool)],
    versions: &Versions,
) -> Vec<Timestamp> {
    let mut news = shown.to_vec();
    let mut without_link = shown.to_vec();
    let mut link_shown = |at: Timestamp| {
        let visit = visits.partition_point(|(visit, _)| *visit <= at);
        let since = visit
            .checked_sub(1)
            .map_or(Timestamp::MIN, |visit| visits[visit].0);
        let place = without_link.partition_point(|shown| *shown <= at).checked_sub(1);
        let place = place.filter(|place| without_link[*place] >= since);
        place.map(|place| without_link.remove(place)).is_some()
    };
    let mut of_unknown = Vec::new();
    for link in found {
        match versions.brought_new(link.page) {
            Some(true) => news.push(link.at),
            // A link to a page whose objects were all seen elsewhere first brings no object: it
            // belongs to an object that the list showed at the same visit, or another list.
            Some(false) => {
                link_shown(link.at);
            }
            None => of_unknown.push(link.at),
        }
    }
    // A link to a page without known objects counts if the links of a visit exceed the objects that
    // the list showed at that visit without such a link.
    news.extend(of_unknown.into_iter().filter(|at| !link_shown(*at)));
    news.sort_unstable();
    news
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the moment this many milliseconds after the beginning of 1970.
    const fn moment(milliseconds: i64) -> Timestamp {
        Timestamp::from_millis(milliseconds)
    }

    const VISITS: [(Timestamp, bool); 2] = [(moment(100), false), (moment(200), false)];

    fn link(page: u64, at: Timestamp) -> FoundLink {
        FoundLink { page, at }
    }

    #[test]
    fn an_object_that_a_list_shows_and_links_counts_once() {
        // The list shows the objects of pages 1 and 2, of which page 2 was read later. Page 3 has
        // an object that was seen there first, page 4 one that another list had shown.
        let versions = Versions::of_pages(&[
            (2, moment(230), false),
            (3, moment(240), true),
            (4, moment(250), false),
        ]);
        let found = [link(1, moment(203)), link(2, moment(203)), link(3, moment(203))];
        assert_eq!(
            news(&found, &[moment(200), moment(200)], &VISITS, &versions),
            [200, 200, 203].map(moment)
        );
        assert!(news(&[link(4, moment(203))], &[], &VISITS, &versions).is_empty());
    }

    #[test]
    fn links_to_unknown_pages_count_beyond_what_the_list_shows_at_that_visit() {
        let versions = Versions::default();
        let found = [link(1, moment(103)), link(2, moment(203)), link(3, moment(203))];
        assert_eq!(
            news(&found, &[moment(100)], &VISITS, &versions),
            [100, 203, 203].map(moment)
        );
        assert_eq!(
            news(&found, &[moment(200)], &VISITS, &versions),
            [103, 200, 203].map(moment)
        );
        assert_eq!(news(&found, &[], &VISITS, &versions), [103, 203, 203].map(moment));
    }
}
