//! An object as one site shows it: its attributes, their notation, and planted errors.

use super::Scene;
use crate::facts::{Attribute, Fact, Value};
use crate::population::ObjectId;
use crate::random::Key;
use crate::spec::Vertical;
use crate::words::stock::GIVEN;

/// Role of an object on a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The page is about the object.
    Main,
    /// One of several objects.
    Listed,
    /// Shown beside the object that the page is about.
    Related,
    /// Named, but with too little data to identify it.
    Mention,
}

#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) object: ObjectId,
    pub(crate) position: u32,
    pub(crate) role: Role,
    pub(crate) fields: Vec<Field>,
}

#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) attribute: Attribute,
    /// Value according to the site, right or wrong.
    pub(crate) value: Value,
    pub(crate) text: String,
    /// True if the value differs from that of the world.
    pub(crate) is_wrong: bool,
}

impl Record {
    pub(crate) fn field(&self, attribute: Attribute) -> Option<&Field> {
        self.fields.iter().find(|field| field.attribute == attribute)
    }

    pub(crate) fn title(&self) -> &str {
        self.field(Attribute::Title).map_or("", |field| &field.text)
    }
}

/// Price changes a week, in thousandths. Shops reprice some of their stock all the time, bookshops
/// less.
const REPRICING: [(Vertical, u64); 3] = [
    (Vertical::Events, 0),
    (Vertical::Books, 25),
    (Vertical::Products, 60),
];
/// Weekly probability, in thousandths, that a product sells out or is back in stock.
const RESTOCKING: u64 = 40;

impl Scene<'_> {
    /// Returns an object as its detail page shows it.
    pub(crate) fn full_record(&self, position: u32) -> Option<Record> {
        self.record(position, Role::Main, |scene, attribute| scene.shows(attribute))
    }

    /// Returns an object as a list shows it.
    pub(crate) fn listed_record(&self, position: u32) -> Option<Record> {
        if !self.site.plan.has_rich_lists {
            return self.record(position, Role::Mention, |_, attribute| {
                attribute == Attribute::Title
            });
        }
        self.record(position, Role::Listed, |scene, attribute| {
            scene.shows_in_lists(attribute)
        })
    }

    fn record(&self, position: u32, role: Role, wants: impl Fn(&Self, Attribute) -> bool) -> Option<Record> {
        let entry = self.catalogue.entries.get(position as usize)?;
        let object = entry.object;
        let known = self
            .week
            .saturating_sub(self.site.habits.lag)
            .max(entry.listed)
            .min(self.week);
        let mut facts = if role == Role::Mention {
            vec![Fact::new(
                Attribute::Title,
                Value::Text(self.population().title(object)),
            )]
        } else {
            self.population().facts(object, known)
        };
        let stale = if known == self.week || role == Role::Mention {
            Vec::new()
        } else {
            stale(&facts, &self.population().facts(object, self.week))
        };
        facts.extend(self.local_facts(object));
        let fields = facts.into_iter().filter(|fact| wants(self, fact.attribute));
        let fields = fields.map(|fact| self.field(object, fact, &stale)).collect();
        Some(Record {
            object,
            position,
            role,
            fields,
        })
    }

    fn field(&self, object: ObjectId, mut fact: Fact, stale: &[Attribute]) -> Field {
        let key = self
            .key("error", u64::from(object))
            .of("attribute", fact.attribute as u64);
        let mut is_wrong = stale.contains(&fact.attribute);
        if key.per_mille(self.site.habits.errors) {
            is_wrong |= corrupt(&mut fact.value, key.of("spoil", 0));
        }
        let text = self.design.writing.write(fact.attribute, &fact.value);
        Field {
            attribute: fact.attribute,
            value: fact.value,
            text,
            is_wrong,
        }
    }

    /// Returns the facts that differ between sites.
    pub(super) fn local_facts(&self, object: ObjectId) -> Vec<Fact> {
        let vertical = self.web.spec().vertical;
        if vertical == Vertical::Events {
            return Vec::new();
        }
        let key = self.key("local", u64::from(object));
        let mut facts = Vec::new();
        if !self.is_sold_on_request(object) {
            let price = Value::Money(self.price(object, key), self.site.currency);
            facts.push(Fact::new(Attribute::Price, price));
        }
        if key.of("has rating", 0).per_mille(500) {
            let tenths = 20 + key.of("rating", 0).below(31) as u32;
            facts.push(Fact::new(
                Attribute::Rating,
                Value::Rating(tenths, 1 + key.of("votes", 0).below(400) as u32),
            ));
        }
        if vertical == Vertical::Products {
            let sku = format!(
                "{}{:05}",
                self.site.name.chars().take(2).collect::<String>().to_uppercase(),
                object % 100_000
            );
            facts.push(Fact::new(Attribute::Sku, Value::Code(sku)));
            let turns = self.count_changes(key.of("stock", 0), RESTOCKING);
            let starts_in = key.of("in stock", 0).per_mille(850);
            facts.push(Fact::new(
                Attribute::Availability,
                Value::Stock(turns.is_multiple_of(2) == starts_in),
            ));
        }
        facts
    }

    /// Returns the accuracy of values on this site and may differ elsewhere, by the names of the
    /// schema.
    pub(crate) fn local_values(&self, object: ObjectId, vertical: Vertical) -> Vec<(String, Vec<String>)> {
        let facts = self.local_facts(object);
        facts
            .iter()
            .map(|fact| (fact.attribute.name(vertical).to_owned(), fact.value.normal()))
            .collect()
    }

    /// Returns the price on this site in this week: the usual price, up to a quarter lower or
    /// higher, never round.
    fn price(&self, object: ObjectId, key: Key) -> u32 {
        let usual = u64::from(self.population().usual_price(object));
        let version = self.count_changes(key.of("price", 0), self.repricing());
        let factor = 75 + key.of("level", u64::from(version)).below(51);
        (usual * factor / 100 / 100 * 100
            + key.of("cents", 0).weighted(&[(6, 99), (2, 90), (1, 95), (1, 50)])) as u32
    }

    fn repricing(&self) -> u64 {
        REPRICING[self.web.spec().vertical as usize].1
    }

    /// Returns the number of times that an event with a weekly probability has occurred by now.
    pub(crate) fn count_changes(&self, key: Key, per_mille: u64) -> u32 {
        (1..=self.week)
            .filter(|week| key.of("week", u64::from(*week)).per_mille(per_mille))
            .count() as u32
    }

    /// Returns the last week in which the page's data about an object changed.
    pub(crate) fn record_changed(&self, position: u32) -> u32 {
        let Some(entry) = self.catalogue.entries.get(position as usize) else {
            return 0;
        };
        let key = self.key("local", u64::from(entry.object));
        let price = self.last_change(key.of("price", 0), self.repricing());
        let has_stock = self.web.spec().vertical == Vertical::Products;
        let stock = if has_stock {
            self.last_change(key.of("stock", 0), RESTOCKING)
        } else {
            0
        };
        let world = self.population().last_change(entry.object, self.week);
        entry
            .listed
            .max(price)
            .max(stock)
            .max(world)
            .max(self.last_edit(position))
    }

    /// Returns the last week, up to now, in which an event with a weekly probability occurred.
    pub(crate) fn last_change(&self, key: Key, per_mille: u64) -> u32 {
        (1..=self.week)
            .rev()
            .find(|week| key.of("week", u64::from(*week)).per_mille(per_mille))
            .unwrap_or(0)
    }

    /// Returns true if the detail pages of the site show an attribute.
    fn shows(&self, attribute: Attribute) -> bool {
        if self.site.decoys.codes.is_some() && super::is_code(attribute) {
            return true;
        }
        let share = match attribute {
            Attribute::Title | Attribute::Start | Attribute::Authors | Attribute::Status => return true,
            Attribute::Venue | Attribute::Price => 920,
            Attribute::Isbn | Attribute::Brand | Attribute::Publisher => 780,
            Attribute::Gtin => 450,
            _ => 580,
        };
        self.key("shows", attribute as u64).per_mille(share)
    }

    /// Returns true if the lists of the site show an attribute: few, but enough to identify the
    /// object.
    fn shows_in_lists(&self, attribute: Attribute) -> bool {
        let is_usual = matches!(attribute, Attribute::Gtin | Attribute::Sku | Attribute::Isbn);
        if self.site.decoys.codes.is_some() && is_usual {
            return true;
        }
        let share = match attribute {
            Attribute::Title | Attribute::Start | Attribute::Authors => return true,
            Attribute::Venue => 800,
            Attribute::Price if self.web.spec().vertical == Vertical::Products => return true,
            Attribute::Price => 500,
            Attribute::Isbn | Attribute::Brand => 150,
            _ => 0,
        };
        share > 0 && self.shows(attribute) && self.key("lists", attribute as u64).per_mille(share)
    }
}

/// Returns the attributes whose change the site does not know yet.
fn stale(known: &[Fact], today: &[Fact]) -> Vec<Attribute> {
    let is_stale = |fact: &&Fact| {
        let now = today.iter().find(|other| other.attribute == fact.attribute);
        now.is_none_or(|now| now.value != fact.value)
    };
    known.iter().filter(is_stale).map(|fact| fact.attribute).collect()
}

/// Plants an error as people make them. Returns false if the value cannot be changed.
fn corrupt(value: &mut Value, key: Key) -> bool {
    match value {
        Value::Text(text) => return corrupt_text(text, key),
        Value::People(people) => {
            if people.len() > 1 {
                people.pop();
            } else if let Some(person) = people.first_mut() {
                let other = key.pick(&GIVEN[1..]);
                person.given = if other == person.given { GIVEN[0] } else { other };
            }
        }
        Value::Moment(day, minutes) => match (key.below(3), minutes) {
            (0, Some(minutes)) => *minutes = (*minutes + 60) % 1_440,
            (1, _) => *day += 7,
            _ => *day += 1,
        },
        Value::Money(cents, _) => *cents = *cents / 10 + 100,
        Value::Number(number) => *number += 1 + key.below(90) as u32,
        Value::Code(code) => corrupt_code(code, key),
        Value::Rating(..) | Value::Stock(_) | Value::Language(_) | Value::Table(_) => return false,
    }
    true
}

/// Removes a lower-case letter from a text of ASCII words. Returns false if the text has too few.
fn corrupt_text(text: &mut String, key: Key) -> bool {
    let letters = text
        .char_indices()
        .filter(|(_, letter)| letter.is_ascii_lowercase());
    let indexes: Vec<usize> = letters.map(|(index, _)| index).collect();
    if indexes.len() <= 3 {
        return false;
    }
    text.remove(key.pick(&indexes));
    true
}

/// Increments one digit, so that check digits fail.
fn corrupt_code(code: &mut String, key: Key) {
    let digits: Vec<usize> = code
        .char_indices()
        .filter(|(_, c)| c.is_ascii_digit())
        .map(|(index, _)| index)
        .collect();
    if digits.is_empty() {
        return;
    }
    let index = key.pick(&digits);
    let digit = code.as_bytes()[index] - b'0';
    let next = ((digit + 1) % 10).to_string();
    code.replace_range(index..=index, &next);
}
