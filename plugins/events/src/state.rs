//! Reads events from JSON: the state of a page's scripts, and calendars that sites load.
//!
//! Objects are recognised by the words of their keys, as nothing else describes them.

use std::collections::HashSet;

use magpie_sdk::date::DateTime;
use magpie_sdk::extract::{StateObject, state_objects};
use magpie_sdk::{Page, text};

use crate::draft::{Draft, Source};
use crate::when::{self, Clock, When};
use crate::{name, values};

/// Maximum number of events of a page. More are an archive.
const MAX_EVENTS: usize = 2_000;

/// Maximum number of performers of an event.
const MAX_PERFORMERS: usize = 20;

magpie_sdk::word_lists! { "state.txt";
    BESIDE: Words = "beside";
    CALLED: Words = "called";
    OTHERS: Words = "others";
    NAME: Words = "name";
    START: Words = "start";
    DATE: Words = "date";
    TIME: Words = "time";
    END: Words = "end";
    PLACE: Words = "place";
    ADDRESS: Words = "address";
    STATUS: Words = "status";
    PRICE: Words = "price";
    ORGANISER: Words = "organiser";
    PERFORMERS: Words = "performers";
    MOMENTS: Words = "moments";
}

/// Returns the events in the state of a page, or in a JSON document.
pub(crate) fn events(page: &Page, clock: &Clock<'_>) -> Vec<Draft> {
    let is_document = page.content_type().ends_with("json");
    let mut known = HashSet::new();
    let drafts = state_objects(page, BESIDE)
        .into_iter()
        .filter_map(|object| draft(&object, page, clock, is_document));
    drafts
        .filter(|draft| {
            let start = draft.start().map(|start| start.to_string()).unwrap_or_default();
            let place = draft.event.venue.as_deref().map(str::to_owned);
            known.insert((
                text::bare(&draft.event.name),
                start,
                place,
                draft.event.status.clone(),
            ))
        })
        .take(MAX_EVENTS)
        .collect()
}

fn draft(object: &StateObject<'_>, page: &Page, clock: &Clock<'_>, is_document: bool) -> Option<Draft> {
    if object.is_called(OTHERS) {
        return None;
    }
    let stated = name::stated(&object.text(NAME)?);
    if !name::is_telling(&stated.text) || stated.text.len() > name::MAX_NAME {
        return None;
    }
    let place = object.text(PLACE).filter(|text| is_name(text));
    let link = object.link();
    let is_event = object.has_beside() || object.is_called(CALLED) || place.is_some();
    // A calendar consists of events. The state of a page also has campaigns, which start and end.
    let started = || {
        let may_start = is_document || is_event || link.is_some();
        may_start.then(|| moment(object, START, clock)).flatten()
    };
    // Any text has a date. An event also has hours or a place, or a key with the word.
    let dated = || {
        let may_be_dated = is_event || object.has(TIME);
        may_be_dated.then(|| moment(object, DATE, clock)).flatten()
    };
    let start = when::without_midnight(started().or_else(dated)?);
    let hours = object.text(TIME).filter(|_| start.time().is_none());
    let (start, end) = match hours.and_then(|hours| clock.hours(&hours)) {
        Some(hours) => Clock::join(start, Some(hours)),
        None => (start, None),
    };
    let stated_end = match object.text(END) {
        Some(written) if number(&written).is_none() => clock.stated_end(start, &written),
        _ => moment(object, END, clock),
    };
    // Software writes midnight to midnight for whole days.
    let stated_end = stated_end
        .map(when::without_midnight)
        .filter(|end| start.time().is_some() || end.time().is_none());
    let mut draft = Draft::of(Source::Feed);
    draft.event.name = stated.text;
    let status = object.text(STATUS);
    let status = status.as_deref().and_then(crate::words::status).or(stated.status);
    draft.event.status = status.map(str::to_owned);
    draft.set_when(When {
        start: when::to_minute(start),
        end: stated_end.or(end).map(when::to_minute).filter(|end| *end > start),
        node: 0,
    });
    if let Some(place) = place {
        values::add_place(&mut draft, &place, 0);
    }
    let address = object.text(ADDRESS);
    let address = address.or_else(|| object.object(PLACE)?.text(ADDRESS));
    if let Some(address) = address {
        draft.event.address = Some(address.into());
    }
    draft.event.organiser = object
        .text(ORGANISER)
        .filter(|text| is_name(text))
        .map(Into::into);
    draft.event.price = object.money(PRICE).map(Into::into);
    let performers = object
        .texts(PERFORMERS)
        .into_iter()
        .filter(|text| is_name(text))
        .take(MAX_PERFORMERS);
    draft.event.performers = performers.map(Into::into).collect();
    let link = link.or_else(|| object.text(&["website"]).and_then(|url| page.resolve(&url)));
    draft.event.url = link.map(Into::into);
    Some(draft)
}

/// Returns true for a text with a letter. `{"venue": 153}` refers to a place elsewhere.
fn is_name(written: &str) -> bool {
    written.contains(char::is_alphabetic)
}

/// Returns the moment at the first of these keys: a text, an object, or a number of seconds or
/// milliseconds.
fn moment(object: &StateObject<'_>, keys: &[&str], clock: &Clock<'_>) -> Option<DateTime> {
    let inner = object.object(keys).and_then(|inner| inner.text(MOMENTS));
    let written = inner.or_else(|| object.text(keys))?;
    match number(&written) {
        Some(seconds) => DateTime::from_unix(seconds, 0),
        None => clock.read_stated(&written).map(|(start, _)| start),
    }
}

/// Parses a number of seconds or milliseconds since 1970.
fn number(written: &str) -> Option<i64> {
    /// Minimum of a number that counts seconds; smaller ones are years and days.
    const SECONDS: i64 = 100_000_000;
    /// Minimum of a number that counts milliseconds.
    const MILLISECONDS: i64 = 100_000_000_000;
    let count = written.parse::<i64>().ok().filter(|count| *count > SECONDS)?;
    Some(if count >= MILLISECONDS {
        count / 1_000
    } else {
        count
    })
}

#[cfg(test)]
mod tests {
    use super::events;
    use crate::testing::{clock, page};
    use magpie_sdk::Page;
    use magpie_sdk::extract::Layout;

    fn found(page: &Page) -> Vec<(String, String)> {
        let layout = Layout::new(page);
        let drafts = events(page, &clock(&layout)).into_iter();
        let found = drafts.map(|draft| {
            let start = draft.start().map(|start| start.to_string());
            (draft.event.name, start.unwrap_or_default())
        });
        found.collect()
    }

    fn check(source: &str, expected: &[(&str, &str)]) {
        let document = Page::from_response(
            "https://example.org/events.json",
            "application/json",
            1_775_000_000,
            source.as_bytes(),
        );
        let found = found(&document);
        let found: Vec<(&str, &str)> = found
            .iter()
            .map(|(name, start)| (name.as_str(), start.as_str()))
            .collect();
        assert_eq!(found, expected, "{source}");
    }

    #[test]
    fn events_are_found_by_usual_keys() {
        check(
            r#"{"items": [{"id": "7x", "status": "confirmed", "summary": "Night Music",
                "start": {"dateTime": "2026-05-03T19:30:00+02:00"}}]}"#,
            &[("Night Music", "2026-05-03T19:30+02:00")],
        );
        check(
            r#"[{"EventBodyName": "Parks Committee", "EventDate": "2026-05-04T00:00:00", "EventTime": "6:00 PM"}]"#,
            &[("Parks Committee", "2026-05-04T18:00")],
        );
        check(
            r#"[{"title": "Late Show", "starts_at": 1777836600, "id": 4}]"#,
            &[("Late Show", "2026-05-03T19:30Z")],
        );
        // A cancelled event and its successor differ; a repeated object does not.
        check(
            r#"[{"name": "Zoning", "start": "2026-05-04T10:00", "venue": {"name": "Hall"}, "status": "cancelled"},
                {"name": "Zoning", "start": "2026-05-04T10:00", "venue": {"name": "Hall"}, "status": "final"},
                {"name": "Zoning", "start": "2026-05-04T10:00", "venue": {"name": "Hall"}, "status": "final"}]"#,
            &[("Zoning", "2026-05-04T10:00"), ("Zoning", "2026-05-04T10:00")],
        );
        check(
            r#"[{"title": "A post", "date": "2026-05-04T09:12:00", "id": 1}]"#,
            &[],
        );
        check("{\"title\": ", &[]);
    }

    #[test]
    fn numbers_are_no_names() {
        let source = r#"[{"title": "Night Music", "start": "2026-05-03T19:30", "venue": 153, "organizer": [9],
            "artists": [{"name": "Ann Lee"}, 4], "htmlLink": "https://hall.example/events/1"}]"#;
        let url = "https://example.org/events.json";
        let document = Page::from_response(url, "application/json", 1_775_000_000, source.as_bytes());
        let event = events(&document, &clock(&Layout::new(&document))).remove(0).event;
        assert_eq!((event.venue, event.organiser), (None, None));
        assert_eq!(event.performers.len(), 1);
        assert_eq!(event.url.as_deref(), Some("https://hall.example/events/1"));
    }

    #[test]
    fn state_has_events_and_campaigns() {
        let html = r#"<script id="__NEXT_DATA__" type="application/json">{"props": {
            "events": [{"name": "Night Music", "startDate": "2026-05-03T19:30", "venue": {"name": "Old Mill",
                "address": "Mill Lane 1"}, "artists": [{"name": "Ann Lee"}, {"name": "Bo Ek"}], "slug": "night-music",
                "price": {"amount": 12.5, "currency": "EUR"}, "url": "/events/1"}],
            "campaigns": [{"name": "Spring Deals", "start": "2026-05-01", "end": "2026-05-31", "url": "/deals"}],
            "banner": {"title": "Book now", "start": "2026-05-01", "place": "top"},
            "build": {"name": "web", "start": "2026-05-01", "version": "1.2"}}}</script>"#;
        let page = page(html);
        assert_eq!(
            found(&page),
            [("Night Music".to_owned(), "2026-05-03T19:30".to_owned())]
        );
        let layout = Layout::new(&page);
        let event = events(&page, &clock(&layout)).remove(0).event;
        assert_eq!(event.venue.as_deref(), Some("Old Mill"));
        assert_eq!(event.address.as_deref(), Some("Mill Lane 1"));
        assert_eq!(event.price.as_deref(), Some("12.5 EUR"));
        assert_eq!(event.performers.len(), 2);
        assert_eq!(event.url.as_deref(), Some("https://example.org/events/1"));
    }
}
