//! Reads events from structured data: JSON-LD, microdata, RDFa, microformats.

use magpie_sdk::extract::{self, Layout};
use magpie_sdk::{Entity, text};

use crate::draft::{Draft, Source};
use crate::when::{self, Clock, When};
use crate::words::languages as lists;
use crate::{name, words};

/// Types of events in schema.org and microformats.
pub(crate) const TYPES: &[&str] = &[
    "Event",
    "BusinessEvent",
    "ChildrensEvent",
    "ComedyEvent",
    "ConferenceEvent",
    "CourseInstance",
    "DanceEvent",
    "EducationEvent",
    "EventSeries",
    "ExhibitionEvent",
    "Festival",
    "FoodEvent",
    "Hackathon",
    "LiteraryEvent",
    "MusicEvent",
    "PerformingArtsEvent",
    "ScreeningEvent",
    "SocialEvent",
    "SportsEvent",
    "TheaterEvent",
    "VisualArtsEvent",
    "h-event",
];

/// Types of events in schema.org that people do not attend.
const NOT_TO_GO_TO: &[&str] = &[
    "PublicationEvent",
    "BroadcastEvent",
    "OnDemandEvent",
    "DeliveryEvent",
    "SaleEvent",
    "UserInteraction",
];

/// Returns the events in the structured data of a page that have a date and a name.
pub(crate) fn events(layout: &Layout<'_>, clock: &Clock<'_>) -> Vec<Draft> {
    let mut types: Vec<&str> = TYPES.to_vec();
    types.push("*Event");
    let entities = extract::entities(layout.page(), &types);
    let is_listing = entities.len() > 1;
    let drafts = entities
        .into_iter()
        .filter(|entity| !NOT_TO_GO_TO.iter().any(|name| entity.is(name)))
        // The `superEvent` of an event is the series or festival that it is a part of.
        .filter(|entity| {
            entity
                .holder()
                .is_none_or(|(_, property)| property != "superEvent")
        });
    let drafts = drafts.filter_map(|entity| draft(layout, clock, entity, is_listing));
    merged(drafts.collect())
}

fn draft(layout: &Layout<'_>, clock: &Clock<'_>, entity: Entity<'_>, is_listing: bool) -> Option<Draft> {
    let mut draft = Draft {
        source: Source::Structured,
        schema_type: entity.types().iter().find(|name| *name != "h-event").cloned(),
        ..Draft::default()
    };
    let node = entity.element().map_or(0, |element| element.node());
    let written = entity
        .get("name")
        .or_else(|| entity.get("workPresented"))
        .or_else(|| entity.get("headline"))?;
    let name = name::stated(&text::unescape(written));
    if name.text.is_empty() {
        return None;
    }
    draft.event.name = name.text;
    draft.at("name", node);
    draft.set_when(times(clock, entity, node)?);
    places(entity, &mut draft, node);
    people(entity, &mut draft);
    draft.event.status = status(entity).or(name.status).map(str::to_owned);
    draft.event.price = price(entity).map(Into::into);
    let page = layout.page();
    // If there is only one event, its page is this one. Otherwise the URL of the ticket shop is the
    // best.
    let url = entity
        .get("url")
        .or_else(|| entity.get("offers.url").filter(|_| is_listing));
    draft.event.url = url.and_then(|url| page.resolve(url)).map(Into::into);
    let image = entity
        .get("image")
        .or_else(|| entity.get("image.url"))
        .or_else(|| entity.get("photo"));
    draft.event.image = image.and_then(|image| page.resolve(image)).map(Into::into);
    Some(draft)
}

/// Returns true for a placeholder of a person or organisation in a theme: its type, or the account
/// of the site.
fn is_placeholder(name: &str) -> bool {
    lists::PLACEHOLDER.is(name) || !name.chars().any(char::is_alphanumeric)
}

/// Returns start and end. Software writes midnight if only the day is known.
fn times(clock: &Clock<'_>, entity: Entity<'_>, node: u32) -> Option<When> {
    let first = |names: &[&str]| names.iter().find_map(|name| entity.get(name));
    let (start, range_end) = clock.read_stated(first(&[
        "startDate",
        "start",
        "dtstart",
        "eventSchedule.startDate",
    ])?)?;
    let end = first(&["endDate", "end", "dtend"]).and_then(|end| clock.stated_end(start, end));
    let end = end.or(range_end).filter(|end| *end > start);
    let midnight =
        |moment: magpie_sdk::date::DateTime| moment.time().is_none_or(|time| time.to_seconds() == 0);
    // Some software ends a whole day in its last hour, such as at 23:59.
    let day_only = midnight(start)
        && end.is_none_or(|end| midnight(end) || end.time().is_some_and(|time| time.hour() == 23));
    let plain = |moment: magpie_sdk::date::DateTime| {
        if day_only {
            magpie_sdk::date::DateTime::of_day(moment.date())
        } else {
            when::to_minute(moment)
        }
    };
    let (start, end) = (plain(start), end.map(plain).filter(|end| *end > plain(start)));
    Some(When { start, end, node })
}

fn places(entity: Entity<'_>, draft: &mut Draft, node: u32) {
    let location = entity.entity_at("location");
    let venue = entity
        .get("location")
        .map(|place| text::tidy(&text::unescape(place)));
    let address = location.and_then(|location| {
        extract::address(location, "address").or_else(|| extract::address(entity, "location.adr"))
    });
    // Sites that mark up a venue with its events do not repeat it in each of them.
    let holder = entity
        .holder()
        .filter(|(holder, _)| holder.is("*Place") || holder.is("LocalBusiness") || holder.is("*Venue"));
    let venue = venue.or_else(|| {
        let name = holder.and_then(|(holder, _)| holder.get("name"));
        name.map(|name| text::tidy(&text::unescape(name)))
    });
    if let Some(venue) = venue.filter(|venue| !venue.is_empty()) {
        match crate::values::split_place(&venue) {
            (name, Some(rest)) if address.is_none() => {
                draft.event.venue = Some(name.into());
                draft.event.address = Some(rest.into());
            }
            _ => draft.event.venue = Some(venue.as_str().into()),
        }
        draft.at("venue", node);
    }
    if let Some(coordinates) =
        extract::coordinates(entity, "location.geo").or_else(|| extract::coordinates(entity, "location"))
    {
        draft.event.coordinates = Some(coordinates.into());
        draft.at("coordinates", node);
    }
    if let Some(address) = address {
        draft.event.address = Some(text::unescape(&address).into_owned().into());
    }
}

fn people(entity: Entity<'_>, draft: &mut Draft) {
    /// Maximum number of performers of an event.
    const MAX_PERFORMERS: usize = 20;
    let named = |path: &str| -> Vec<String> {
        let names = extract::names(entity, path)
            .into_iter()
            .map(|name| text::tidy(&text::unescape(&name)));
        names.filter(|name| !is_placeholder(name)).collect()
    };
    draft.event.organiser = named("organizer").into_iter().next().map(Into::into);
    let mut names: Vec<String> = ["performer", "performers", "actor"]
        .iter()
        .flat_map(|path| named(path))
        .collect();
    if names.is_empty() {
        names = entity
            .holder()
            .filter(|(holder, _)| holder.is("*Group") || holder.is("Person"))
            .into_iter()
            .flat_map(|(holder, _)| extract::names(holder, "name"))
            .collect();
    }
    names.truncate(MAX_PERFORMERS);
    draft.event.performers = names.into_iter().map(Into::into).collect();
}

fn status(entity: Entity<'_>) -> Option<&'static str> {
    let stated = entity.get("eventStatus").or_else(|| entity.get("status"));
    let offers: Vec<&str> = entity
        .entities("offers")
        .filter_map(|offer| offer.get("availability"))
        .collect();
    let sold_out = !offers.is_empty() && offers.iter().all(|offer| offer.ends_with("SoldOut"));
    stated
        .and_then(words::status)
        .or_else(|| sold_out.then_some("sold out"))
}

fn price(entity: Entity<'_>) -> Option<String> {
    let price = extract::money(entity, "offers")
        .filter(|price| price.contains(|letter: char| letter.is_ascii_digit()));
    let free = entity
        .get("isAccessibleForFree")
        .is_some_and(|free| free.eq_ignore_ascii_case("true"));
    price.or_else(|| free.then(|| "0".to_owned()))
}

/// Merges events that are stated in several syntaxes. The first is completed by the others.
fn merged(drafts: Vec<Draft>) -> Vec<Draft> {
    let mut kept: Vec<Draft> = Vec::new();
    let mut places: std::collections::HashMap<(String, Option<String>), usize> =
        std::collections::HashMap::new();
    for draft in drafts {
        let day = draft.start().map(|start| start.date().to_string());
        let key = (text::bare(&draft.event.name), day);
        let Some(&place) = places.get(&key) else {
            places.insert(key, kept.len());
            kept.push(draft);
            continue;
        };
        // Two performances on one day are two events.
        let times = |draft: &Draft| draft.start().and_then(|start| start.time());
        if times(&kept[place]).is_some() && times(&draft).is_some() && times(&kept[place]) != times(&draft) {
            kept.push(draft);
            continue;
        }
        kept[place].complete(draft);
    }
    kept
}
