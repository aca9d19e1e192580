//! Events.

use super::{ObjectId, Population};
use crate::facts::{Attribute, Fact, Value};
use crate::words::capital;
use crate::words::readable::Lists;
use crate::words::stock::{ADJECTIVES, HOUSES, NOUNS, OCCASIONS, SOCIETIES, STREETS};

const VENUES: u64 = 6;
/// Share of events after midnight in webs that have some, in thousandths.
const LATE: u64 = 200;

impl Population {
    pub(super) fn event_title(&self, object: ObjectId) -> String {
        let key = self.key(object).of("title", 0);
        if let Some((lists, town)) = self.town(self.group(object)) {
            return lists.fill("event", key, &[("town", town)]);
        }
        let noun = key.of("noun", 0).pick(&NOUNS);
        let adjective = key.of("adjective", 0).pick(&ADJECTIVES);
        let name = self.tongue.name(self.key(object).of("act", 0));
        match key.below(6) {
            0 => format!("{name} {}", key.of("occasion", 0).pick(&OCCASIONS)),
            1 => format!("{name}: {adjective} {noun}"),
            2 => format!("The {adjective} {noun}"),
            3 => format!("{name} & the {noun}s"),
            4 => format!("{} {noun}: {name}", capital(&adjective.to_lowercase())),
            _ => format!("{noun} {}", key.of("occasion", 0).pick(&OCCASIONS)),
        }
    }

    pub(super) fn event(&self, object: ObjectId, week: u32) -> Vec<Fact> {
        let key = self.key(object);
        let day = self.day(object, week);
        let start = 600 + 30 * key.of("begins", 0).below(23) as u16;
        let (day, start) = match self.has_late_hours && key.of("late", 0).per_mille(LATE) {
            true => (day + 1, 30 * key.of("late hour", 0).below(5) as u16),
            false => (day, start),
        };
        let length = 60 + 30 * key.of("lasts", 0).below(4) as u16;
        let group = self.group(object);
        let venue = self
            .key
            .of("town", u64::from(group))
            .of("hall", key.of("hall", 0).below(VENUES));
        let town = self.town(group);
        let hall = match town {
            Some((lists, town)) => lists.fill("venue", venue, &[("town", town)]),
            None => format!(
                "{} {}",
                self.tongue.name(venue.of("name", 0)),
                venue.of("house", 0).pick(&HOUSES)
            ),
        };
        let mut facts = vec![
            Fact::new(Attribute::Title, Value::Text(self.event_title(object))),
            Fact::new(Attribute::Start, Value::Moment(day, Some(start))),
            Fact::new(Attribute::Venue, Value::Text(hall)),
            Fact::new(Attribute::Address, Value::Text(self.street(venue, group))),
        ];
        if key.of("has end", 0).per_mille(500) {
            let end = (start + length).min(24 * 60 - 1);
            facts.push(Fact::new(Attribute::End, Value::Moment(day, Some(end))));
        }
        let cents = self.usual_price(object) / 50 * 50;
        facts.push(Fact::new(
            Attribute::Price,
            Value::Money(cents, self.currency(group)),
        ));
        let organiser = self.key.of("organiser", key.of("organiser", 0).below(60));
        let name = match town {
            Some((lists, town)) => lists.fill("organiser", organiser, &[("town", town)]),
            None => {
                let society = organiser.of("kind", 0).pick(&SOCIETIES);
                format!("{} {society}", self.tongue.name(organiser))
            }
        };
        facts.push(Fact::new(Attribute::Organiser, Value::Text(name)));
        let lists = town.map(|(lists, _)| lists);
        let cast = self.people(key.of("cast", 0), 1 + key.of("cast size", 0).below(3), lists);
        facts.push(Fact::new(Attribute::Performers, Value::People(cast)));
        if self.is_cancelled(object, week) {
            facts.push(Fact::new(Attribute::Status, Value::Text("cancelled".to_owned())));
        }
        facts
    }

    /// Returns the name of a town with the lists of its language, where names are readable.
    fn town(&self, group: u16) -> Option<(&'static Lists, &str)> {
        let lists = self.lists(super::group_language(group.into()))?;
        Some((lists, self.group_name(group)))
    }

    fn street(&self, venue: crate::random::Key, group: u16) -> String {
        let number = 1 + venue.of("number", 0).below(180);
        if let Some((lists, town)) = self.town(group) {
            let given = [("number", &*number.to_string()), ("town", town)];
            return lists.fill("address", venue, &given);
        }
        let name = self.tongue.name(venue.of("street", 0));
        let kind = venue.of("street kind", 0).pick(&STREETS);
        format!("{number} {name} {kind}, {}", self.group_name(group))
    }

    pub(crate) fn currency(&self, group: u16) -> &'static str {
        self.key
            .of("currency", u64::from(group))
            .weighted(&[(6, "EUR"), (2, "GBP"), (2, "USD"), (1, "CHF")])
    }
}
