//! The record of an event.

use magpie_sdk::{Coordinates, DateTime, Image, Money, Organisation, Person, Place, Record, Url};

/// An event at one time in one place. A play that is performed on ten evenings is ten events.
#[derive(Record, Clone, Debug, Default, PartialEq)]
#[record(name = "Event")]
pub struct Event {
    #[attribute(identifies, query, weight = 2.0, schema_org = "name")]
    pub name: String,
    /// Start. The host drops events without a date.
    #[attribute(identifies, expires, required, schema_org = "startDate")]
    pub start: Option<DateTime>,
    #[attribute(expires, weight = 0.2, schema_org = "endDate")]
    pub end: Option<DateTime>,
    #[attribute(query, schema_org = "location.name")]
    pub venue: Option<Place>,
    #[attribute(weight = 0.5, schema_org = "location.address")]
    pub address: Option<Place>,
    #[attribute(weight = 0.5, schema_org = "location.geo")]
    pub coordinates: Option<Coordinates>,
    /// Price; the range if there are several tickets.
    #[attribute(weight = 0.2, schema_org = "offers.price")]
    pub price: Option<Money>,
    #[attribute(weight = 0.2, schema_org = "organizer.name")]
    pub organiser: Option<Organisation>,
    /// Performers or speakers.
    #[attribute(weight = 0.5, schema_org = "performer.name")]
    pub performers: Vec<Person>,
    #[attribute(schema_org = "url")]
    pub url: Option<Url>,
    #[attribute(weight = 0.0, schema_org = "image")]
    pub image: Option<Image>,
    /// Change of plans: `cancelled`, `postponed`, `rescheduled`, `moved online` or `sold out`.
    #[attribute(weight = 0.0, schema_org = "eventStatus")]
    pub status: Option<String>,
}
