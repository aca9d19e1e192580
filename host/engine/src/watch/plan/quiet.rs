//! Sites without a current object: looked at once a day, then ever more seldom.

use std::time::Duration;

use magpie_values::Timestamp;

use super::{Evidence, WatchedSite};

/// Pages of one look.
pub(super) const LOOK: u64 = 5;

/// Delay of the first look after the last visit. Each look without news adds as much.
const FIRST_LOOK: Duration = Duration::from_secs(86_400);

/// Maximum delay of a look.
const MAX_LOOK: Duration = Duration::from_secs(7 * 86_400);

/// Visits of one look lie no further apart.
const ONE_LOOK: Duration = Duration::from_secs(6 * 3_600);

impl Evidence<'_> {
    /// Returns when a site without current objects is looked at next; none for a site that has
    /// some, or pages that may have some and were never fetched.
    pub(super) fn opens_at(&self, site: &WatchedSite, now: Timestamp) -> Option<Timestamp> {
        let surveyed = &site.standing.surveyed;
        let is_open = |(url, page): (&_, &magpie_rows::KnownPage)| {
            self.sightings.has_current(&page.url)
                || (page.fetched_at.is_none()
                    && site.navigator.may_have_objects(url)
                    && !site.navigator.reads(url))
        };
        if surveyed.named_pages().any(is_open) {
            return None;
        }
        let mut visits: Vec<Timestamp> = surveyed.pages.iter().filter_map(|page| page.fetched_at).collect();
        visits.extend(
            self.seen
                .pages
                .values()
                .flat_map(|seen| &seen.times)
                .map(|(at, _)| *at),
        );
        // Visits in the future come from a clock that has stepped back, and would put off the look
        // until then.
        visits.retain(|at| *at <= now);
        visits.sort_unstable();
        let last = *visits.last()?;
        let links = self.found.values().flatten().map(|link| link.at);
        let objects = surveyed.survey.urls.iter();
        let objects = objects
            .flat_map(|url| self.versions.events(url.fingerprint().0).0)
            .copied();
        let news = links
            .chain(objects)
            .filter(|at| *at <= now)
            .max()
            .unwrap_or(Timestamp::MIN);
        // Looks are counted from the last news, so a site that shows something new is looked at
        // sooner again.
        let since = visits.partition_point(|at| *at <= news);
        let wait = FIRST_LOOK.saturating_mul(looks(&visits, since) + 1);
        Some(last + wait.min(MAX_LOOK))
    }
}

/// Counts the looks that began with one of the visits from a place on. The visits are in order.
fn looks(visits: &[Timestamp], since: usize) -> u32 {
    let begins = |place: &usize| match place.checked_sub(1) {
        Some(before) => visits[*place].since(visits[before]) > ONE_LOOK,
        None => true,
    };
    (since..visits.len()).filter(begins).count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visits_close_together_are_one_look() {
        let visits = [0, 1, 5, 30, 31, 90].map(|hour| Timestamp::from_seconds(hour * 3_600));
        // Later visits of the look that brought the last news are not another look.
        let counted = [0, 1, 3, 4, 6].map(|since| looks(&visits, since));
        assert_eq!(counted, [3, 2, 2, 1, 0]);
    }
}
