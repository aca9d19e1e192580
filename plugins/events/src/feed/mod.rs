//! Reads calendars that are not HTML: iCalendar files. JSON is read by [`crate::state`].
//!
//! They list events explicitly, so no evidence is weighed. Entries without a name or a day are
//! dropped.

mod ics;
mod rule;

use magpie_sdk::Page;
use magpie_sdk::date::DateTime;

use crate::draft::{Draft, Source};
use crate::when::{self, Clock, When};
use crate::{name, values};

/// Maximum number of events of a feed. More are an archive.
const MAX_EVENTS: usize = 2_000;

/// Returns the events of a feed, or `None` if the page is not a feed.
pub(crate) fn events(page: &Page, clock: &Clock<'_>) -> Option<Vec<Draft>> {
    let entries = match page.content_type().as_str() {
        "text/calendar" => ics::entries(&page.source(), clock),
        "application/json" => return Some(crate::state::events(page, clock)),
        _ => return None,
    };
    let drafts = entries.into_iter().filter_map(|entry| entry.draft(page));
    Some(drafts.take(MAX_EVENTS).collect())
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Entry {
    name: String,
    start: Option<DateTime>,
    end: Option<DateTime>,
    place: String,
    address: String,
    /// Latitude and longitude; empty if they can't be read.
    coordinates: String,
    organiser: String,
    url: String,
    status: String,
}

impl Entry {
    fn draft(self, page: &Page) -> Option<Draft> {
        let name = name::stated(&self.name);
        let start = self.start?;
        if !name::is_telling(&name.text) || name.text.len() > name::MAX_NAME {
            return None;
        }
        let mut draft = Draft::of(Source::Feed);
        draft.event.name = name.text;
        draft.event.status = (crate::words::status(&self.status).or(name.status)).map(str::to_owned);
        draft.set_when(When {
            start: when::to_minute(start),
            end: self.end.map(when::to_minute).filter(|end| *end > start),
            node: 0,
        });
        if !self.place.is_empty() {
            values::add_place(&mut draft, &self.place, 0);
        }
        if !self.address.is_empty() {
            draft.event.address = Some(self.address.as_str().into());
        }
        if !self.coordinates.is_empty() {
            draft.event.coordinates = Some(self.coordinates.as_str().into());
        }
        if !self.organiser.is_empty() {
            draft.event.organiser = Some(self.organiser.as_str().into());
        }
        let url = Some(self.url).filter(|url| !url.is_empty());
        draft.event.url = url.and_then(|url| page.resolve(&url)).map(Into::into);
        Some(draft)
    }
}
