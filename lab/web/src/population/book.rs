//! Editions of books.

use super::{ObjectId, Population};
use crate::facts::{Attribute, Fact, Value};
use crate::random::Key;
use crate::words::stock::{ADJECTIVES, NOUNS, PRESSES};

impl Population {
    pub(super) fn book_title(&self, object: ObjectId) -> String {
        let key = self.key(object).of("title", 0);
        if let Some(lists) = self.lists(language(self.key(object))) {
            return lists.fill("book", key, &[]);
        }
        let noun = key.of("noun", 0).pick(&NOUNS);
        let other = key.of("other noun", 0).pick(&NOUNS);
        let adjective = key.of("adjective", 0).pick(&ADJECTIVES);
        match key.below(7) {
            0 => format!("The {adjective} {noun}"),
            1 => format!("{noun} and {other}"),
            2 => format!("The {noun} of {}", self.tongue.name(key.of("place", 0))),
            3 => format!("{}'s {noun}", self.tongue.name(key.of("person", 0))),
            4 => format!("A {adjective} {noun} in {}", self.tongue.name(key.of("place", 0))),
            5 => format!(
                "{adjective} {noun}, {adjective2} {other}",
                adjective2 = key.of("second", 0).pick(&ADJECTIVES)
            ),
            _ => format!("The {noun} & the {other}"),
        }
    }

    pub(super) fn book(&self, object: ObjectId) -> Vec<Fact> {
        let key = self.key(object);
        let language = language(key);
        let lists = self.lists(language);
        let mut facts = vec![
            Fact::new(Attribute::Title, Value::Text(self.book_title(object))),
            Fact::new(
                Attribute::Authors,
                Value::People(self.people(key.of("authors", 0), authors(key), lists)),
            ),
            Fact::new(Attribute::Isbn, Value::Code(isbn(u64::from(object), self.key))),
        ];
        if key.of("has subtitle", 0).per_mille(300) {
            let subtitle = match lists {
                Some(lists) => lists.fill("subtitle", key.of("sub", 0), &[]),
                None => format!(
                    "{} {}s of {}",
                    key.of("sub", 0).pick(&ADJECTIVES),
                    key.of("sub noun", 0).pick(&NOUNS),
                    self.tongue.name(key.of("sub place", 0))
                ),
            };
            facts.push(Fact::new(Attribute::Subtitle, Value::Text(subtitle)));
        }
        let group = self.group(object);
        let press = self.key.of("press", u64::from(group)).pick(&PRESSES);
        let publisher = match lists {
            Some(_) => self.group_name(group).to_owned(),
            None => format!("{} {press}", self.group_name(group)),
        };
        facts.push(Fact::new(Attribute::Publisher, Value::Text(publisher)));
        facts.push(Fact::new(
            Attribute::Published,
            Value::Moment(self.day(object, 0), None),
        ));
        facts.push(Fact::new(
            Attribute::Pages,
            Value::Number(60 + key.of("pages", 0).below(840) as u32),
        ));
        facts.push(Fact::new(Attribute::Language, Value::Language(language)));
        let format = key
            .of("format", 0)
            .weighted(&[(5, "Paperback"), (3, "Hardcover"), (1, "Audio CD")]);
        facts.push(Fact::new(Attribute::Format, Value::Text(format.to_owned())));
        facts
    }
}

/// Returns the language of a book, by its number in the list of languages.
fn language(key: Key) -> usize {
    key.of("language", 0).weighted(&[(7, 0), (2, 1), (1, 2), (1, 3)])
}

fn authors(key: Key) -> u64 {
    key.of("author count", 0).weighted(&[(7, 1), (2, 2), (1, 3)])
}

/// Returns a valid ISBN-13, unique in the web: its digits are a permutation of the object's number.
fn isbn(object: u64, key: Key) -> String {
    // Nine digits: multiplying by a number without factors 2 and 5 permutes the numbers below 10^9.
    let digits = (object * 387_420_489 + key.of("isbn", 0).below(1_000_000_000)) % 1_000_000_000;
    with_check_digit(&format!("978{digits:09}"))
}

/// Appends the check digit of ISBN-13 and EAN-13 to twelve digits.
pub(super) fn with_check_digit(digits: &str) -> String {
    let weigh = |(index, digit): (usize, u8)| u32::from(digit - b'0') * if index % 2 == 0 { 1 } else { 3 };
    let sum: u32 = digits.bytes().enumerate().map(weigh).sum();
    format!("{digits}{}", (10 - sum % 10) % 10)
}

#[cfg(test)]
mod tests {
    use super::*;
    use magpie_values::identifier::{Scheme, normalise};

    #[test]
    fn isbns_are_valid_and_unique() {
        let all: std::collections::BTreeSet<String> = (0..2_000).map(|id| isbn(id, Key::root(5))).collect();
        assert_eq!(all.len(), 2_000);
        for isbn in &all {
            assert_eq!(normalise(Scheme::Isbn, isbn).as_ref(), Ok(isbn));
        }
    }
}
