//! Events: concerts, plays, talks, meetings and others that people attend.
//!
//! Sources of a page, best first:
//!
//! 1. [`structured`]: structured data. A single event is completed from the visible content.
//! 2. [`listing`]: repeated records with dates, one event each; [`grid`]: tables with events in
//!    columns.
//! 3. [`detail`]: a page that is about one event.
//! 4. [`lines`]: dates in plain lines, as small sites write them.
//! 5. [`series`] and [`choices`]: if nothing else is found, recurring events and days in forms.
//! 6. [`state`]: if nothing is visible, the data that the page's scripts start from.
//!
//! [`feed`] reads calendars as iCalendar files, [`state`] as JSON.
//!
//! A date alone is not an event, as dates are on most pages. [`signs`] weighs the evidence, with
//! words from [`words`]. [`clusters`] decides which events are the same.

#[macro_use]
mod words;

mod blocks;
mod choices;
mod clusters;
mod detail;
mod draft;
mod event;
mod evidence;
mod feed;
mod grid;
mod headings;
mod lines;
mod links;
mod listing;
mod month;
mod name;
mod programme;
mod row;
mod series;
mod signs;
mod state;
mod structured;
#[cfg(test)]
mod testing;
mod titles;
mod tree;
mod values;
mod when;
mod who;

use magpie_sdk::extract::Layout;
use magpie_sdk::{About, Calibration, Error, Found, Key, Page, Query, Verdict, Vertical, queries};

pub use event::Event;

use crate::words::languages as lists;
use draft::Source;
use when::{Clock, Posted, Stated};

#[derive(Clone, Copy, Debug)]
pub struct Events;

impl Vertical for Events {
    type Record = Event;
    const NAME: &'static str = "events";

    fn about() -> About {
        About::new("Concerts, plays, talks, meetings and other things to go to.")
            .content_types(&[
                "text/html",
                "application/xhtml+xml",
                "text/calendar",
                "application/json",
            ])
            .schema_types(structured::TYPES)
            .path_hints(lists::PATH_HINT)
    }

    fn extract(page: &Page) -> Result<Vec<Found<Event>>, Error> {
        let layout = Layout::new(page);
        let stated = Stated::of(&layout);
        let posted = Posted::of(&layout);
        let clock = Clock::new(&layout, &stated, &posted);
        if let Some(events) = feed::events(page, &clock) {
            return Ok(events.into_iter().map(draft::Draft::found).collect());
        }
        let mut frame = tree::Frame::of(&layout);
        let months = month::Months::of(&layout, &clock, |node| !frame.is_beside(node));
        // The other readers would take the numbers and entries of a grid for a list.
        months.regions.iter().for_each(|region| frame.take_out(region));
        let mut marked = structured::events(&layout, &clock);
        // Visible content belongs to a certain event only if the page has no other.
        if let [event] = &mut marked[..] {
            detail::complete(&layout, &frame, &clock, &stated, event);
        }
        if !marked.is_empty() {
            return Ok(marked.into_iter().map(draft::Draft::found).collect());
        }
        let signs = signs::Signs::of(&layout);
        let mut drafts = plain(&layout, &frame, &clock, &stated, &signs, months);
        drafts.retain(|draft| {
            let start = draft.start();
            // Pictures of a gallery have dates in their names.
            let leads_to_picture = draft
                .event
                .url
                .as_ref()
                .is_some_and(|url| values::is_picture(url));
            start.is_none_or(|start| !posted.rules_out(start, draft.node_of("start")))
                && !words::is_absence(&draft.event.name)
                && !leads_to_picture
        });
        // An article tells of events that others hold.
        drafts
            .iter_mut()
            .for_each(|draft| draft.is_hearsay = posted.is_article);
        if drafts.is_empty() && !posted.is_article {
            drafts = state::events(page, &clock);
        }
        Ok(drafts.into_iter().map(draft::Draft::found).collect())
    }

    fn calibration() -> Calibration {
        Calibration::parse(include_str!("calibration.txt"))
    }

    fn keys(record: &Event) -> Vec<Key> {
        clusters::keys(record)
    }

    fn compare(one: &Event, other: &Event) -> Verdict {
        clusters::compare(one, other)
    }

    fn label(record: &Event) -> String {
        clusters::label(record)
    }

    fn queries(record: &Event) -> Vec<Query> {
        queries::queries(record)
    }
}

/// Returns the events of a page without structured data.
fn plain(
    layout: &Layout<'_>,
    frame: &tree::Frame,
    clock: &Clock<'_>,
    stated: &Stated,
    signs: &signs::Signs,
    months: month::Months,
) -> Vec<draft::Draft> {
    let titles = titles::Titles::new(layout, frame, *clock);
    let shows_month = months.is_any();
    let page = detail::event_page(layout, frame, clock);
    let mut drafts = if months.events.is_empty() {
        unsettled(layout, frame, clock, stated, signs, &titles, page.as_ref())
    } else {
        beside_month(layout, frame, clock, stated, signs, &titles, months.events)
    };
    // The heading and days of a page with a month grid are those of the calendar. So only labelled
    // dates show that the page is about one event.
    drafts.retain(|draft| !shows_month || !matches!(draft.source, Source::Detail | Source::Lines));
    if drafts.is_empty() && !shows_month {
        drafts = series::events(layout, frame, clock, signs, &titles);
    }
    if drafts.is_empty() && !shows_month {
        drafts = choices::events(layout, frame, clock, &titles);
    }
    if let Some(page) = &page {
        drafts = dates_of_one(layout, drafts, page);
    }
    // Of a programme, breaks between the talks are no events. `Lunch` alone may be one.
    if drafts.iter().any(|draft| !words::is_pause(&draft.event.name)) {
        drafts.retain(|draft| !words::is_pause(&draft.event.name));
    }
    programme::move_past_midnight(&mut drafts);
    let is_alone = drafts.len() == 1;
    drafts.iter_mut().for_each(|draft| titles.settle(draft, is_alone));
    drafts
}

/// Returns the dates of the event that a page is about. Events of its content without a URL of
/// their own are dates or parts of it.
fn dates_of_one(
    layout: &Layout<'_>,
    drafts: Vec<draft::Draft>,
    page: &detail::EventPage,
) -> Vec<draft::Draft> {
    let (name, node) = (&page.name, page.node);
    let date = |draft: &draft::Draft| draft.when.as_ref().map_or(node, |when| when.node);
    let has_url = |draft: &draft::Draft| {
        let url = draft.event.url.as_ref();
        url.is_some_and(|url| when::host(url) == when::host(layout.page().url()))
    };
    let is_of_it = |draft: &draft::Draft| {
        matches!(draft.source, Source::List | Source::Lines)
            && !words::meets_in(&draft.event.name)
            && !has_url(draft)
            && page.content.contains(&date(draft))
    };
    // Opening hours do not depend on the event. Below a heading such as `Related events`, lines are
    // teasers of other pages, and their names are not certain.
    let drafts = drafts.into_iter().filter(|draft| {
        let is_teaser = draft.source == Source::Lines && !has_url(draft) && date(draft) >= page.content.end;
        !words::ends_in_hours(&draft.event.name) && !is_teaser
    });
    let named = drafts.map(|mut draft| {
        if is_of_it(&draft) && draft.event.name != *name {
            draft.event.name.clone_from(name);
            draft.nodes.retain(|(attribute, _)| *attribute != "name");
            draft.at("name", node);
        }
        draft
    });
    // The first of several parts on a day has the start.
    let mut known = std::collections::HashSet::new();
    let mut named: Vec<draft::Draft> = programme::once(named.collect());
    named.retain(|draft| {
        let day = draft.start().map(magpie_sdk::date::DateTime::date);
        draft.event.name != *name || known.insert(day)
    });
    named
}

/// Returns the events of a month grid, and those of lists beside it.
fn beside_month(
    layout: &Layout<'_>,
    frame: &tree::Frame,
    clock: &Clock<'_>,
    stated: &Stated,
    signs: &signs::Signs,
    titles: &titles::Titles<'_, '_>,
    events: Vec<draft::Draft>,
) -> Vec<draft::Draft> {
    let listed = listing::events(layout, frame, clock, stated, signs, titles);
    programme::once(events.into_iter().chain(listed).collect())
}

/// Returns the events of a page without a month grid, with the names found next to them.
fn unsettled(
    layout: &Layout<'_>,
    frame: &tree::Frame,
    clock: &Clock<'_>,
    stated: &Stated,
    signs: &signs::Signs,
    titles: &titles::Titles<'_, '_>,
    page: Option<&detail::EventPage>,
) -> Vec<draft::Draft> {
    let listed = listing::events(layout, frame, clock, stated, signs, titles);
    let grids = grid::events(layout, frame, clock, signs);
    // Read as a list of records, a grid has the events of its first column only.
    let listed = if grids.len() > listed.len() { grids } else { listed };
    // Teasers beside and below the content say nothing about it. They are read if the page has no
    // event of its own; else they are found on pages and lists of theirs.
    let (teasers, listed): (Vec<_>, Vec<_>) = listed.into_iter().partition(|draft| {
        let node = draft.when.as_ref().map_or(0, |when| when.node);
        frame.is_beside(node) || page.is_some_and(|page| node >= page.content.end)
    });
    let own = of_content(layout, frame, clock, stated, signs, titles, listed);
    if own.is_empty() { teasers } else { own }
}

/// Returns the events of the content of a page, given those of its lists.
fn of_content(
    layout: &Layout<'_>,
    frame: &tree::Frame,
    clock: &Clock<'_>,
    stated: &Stated,
    signs: &signs::Signs,
    titles: &titles::Titles<'_, '_>,
    listed: Vec<draft::Draft>,
) -> Vec<draft::Draft> {
    /// Minimum number of events of a programme, which counts more than a heading near a date.
    const PROGRAMME: usize = 4;
    let detail = detail::event(layout, frame, clock, stated, signs, &listed);
    if let Some(event) = detail.as_ref().filter(|event| event.is_labelled) {
        return vec![event.clone()];
    }
    if programme::is_full(&listed) {
        return listed;
    }
    if let Some(given) = detail::in_slots(layout, frame, clock, stated, signs) {
        return given;
    }
    let lines = lines::events(layout, frame, clock, signs, titles);
    match detail {
        Some(event)
            if listed.is_empty()
                && !lines::is_series(&lines)
                && (lines.len() < PROGRAMME || is_day_of(&event, &lines)) =>
        {
            vec![event]
        }
        _ => programme::of(clock, listed, lines),
    }
}

/// Returns true if all lines are on the day of an event, and so only repeat it.
fn is_day_of(event: &draft::Draft, lines: &[draft::Draft]) -> bool {
    let day = |draft: &draft::Draft| draft.start().map(magpie_sdk::date::DateTime::date);
    lines.iter().all(|line| day(line) == day(event))
}

magpie_sdk::export!(Events);
