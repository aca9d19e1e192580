//! Notation of values on a site: dates, times, prices, names, numbers, and their labels.

mod date;
mod price;
#[cfg(test)]
mod read;

pub(crate) use date::{DateForm, TimeForm};
pub(crate) use price::PriceForm;

use crate::facts::{Attribute, Person, Value};
use crate::language::{LANGUAGES, Language, PHRASES, Phrases, Word, labels};
use crate::random::Key;

/// Notation of the names of people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PersonForm {
    GivenFamily,
    FamilyGiven,
    Initial,
    UpperFamily,
}

/// Notation of titles and venues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextForm {
    Plain,
    Upper,
    /// Only the first word is capitalised.
    Sentence,
    Quoted,
    /// With a leading article that other sites omit.
    Article,
}

/// Notation of long identifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CodeForm {
    Solid,
    Hyphens,
    Spaces,
}

#[derive(Clone, Debug)]
pub(crate) struct Writing {
    pub(crate) language: &'static Language,
    pub(crate) date: DateForm,
    pub(crate) time: TimeForm,
    /// Separator of date and time; `@` means the language's word.
    pub(crate) between: &'static str,
    pub(crate) price: PriceForm,
    pub(crate) person: PersonForm,
    pub(crate) people: &'static str,
    pub(crate) title: TextForm,
    pub(crate) venue: TextForm,
    pub(crate) code: CodeForm,
    pub(crate) after_label: &'static str,
    labels: Key,
    language_index: usize,
}

impl Writing {
    /// Draws a notation in a language.
    pub(crate) fn new(key: Key, language_index: usize) -> Self {
        let language = &LANGUAGES[language_index];
        let at: &'static str = match key.of("between", 0).below(5) {
            0 => ", ",
            1 => " ",
            2 => " - ",
            3 => " | ",
            _ => "@",
        };
        Self {
            language,
            date: DateForm::new(key.of("date", 0), language),
            time: TimeForm::new(key.of("time", 0), language),
            between: at,
            price: PriceForm::new(key.of("price", 0), language),
            person: key.of("person", 0).weighted(&[
                (7, PersonForm::GivenFamily),
                (2, PersonForm::FamilyGiven),
                (1, PersonForm::Initial),
                (1, PersonForm::UpperFamily),
            ]),
            people: key.of("people", 0).pick(&["; ", " / ", " & ", " · "]),
            title: key.of("title", 0).weighted(&[
                (16, TextForm::Plain),
                (1, TextForm::Quoted),
                (2, TextForm::Upper),
                (2, TextForm::Sentence),
            ]),
            venue: key.of("venue", 0).weighted(&[
                (8, TextForm::Plain),
                (1, TextForm::Upper),
                (2, TextForm::Article),
            ]),
            code: key.of("code", 0).weighted(&[
                (5, CodeForm::Solid),
                (3, CodeForm::Hyphens),
                (1, CodeForm::Spaces),
            ]),
            after_label: key.of("after label", 0).pick(&[":", "", " –", ": "]),
            labels: key.of("labels", 0),
            language_index,
        }
    }

    pub(crate) fn label(&self, attribute: Attribute) -> &'static str {
        let synonyms = labels(attribute, self.language_index);
        let count = synonyms.split('|').count() as u64;
        let chosen = self.labels.of("label", attribute as u64).below(count);
        synonyms.split('|').nth(chosen as usize).unwrap_or(synonyms)
    }

    /// Returns the phrases of the site's language.
    pub(crate) fn phrases(&self) -> &'static Phrases {
        &PHRASES[self.language_index]
    }

    pub(crate) fn language_index(&self) -> usize {
        self.language_index
    }

    /// Formats a day without its year, as in articles.
    pub(crate) fn day_of_year(&self, day: i64) -> String {
        date::long_day(day, self.language)
    }

    /// Formats a time alone, as in the cells of calendars.
    pub(crate) fn clock(&self, minutes: u16) -> String {
        self.time.write(minutes)
    }

    pub(crate) fn write(&self, attribute: Attribute, value: &Value) -> String {
        match value {
            Value::Text(text) => self.text(attribute, text),
            Value::People(people) => {
                let names: Vec<String> = people.iter().map(|person| self.person(person)).collect();
                names.join(self.people)
            }
            Value::Moment(day, minutes) => self.moment(*day, *minutes),
            Value::Money(cents, currency) => self.price.write(*cents, currency),
            Value::Number(number) => number.to_string(),
            Value::Code(code) => self.code(code),
            Value::Rating(tenths, _) => self.rating(*tenths),
            Value::Stock(has) => {
                let word = if *has { Word::InStock } else { Word::SoldOut };
                word.text(self.language_index).to_owned()
            }
            Value::Language(language_index) => LANGUAGES[*language_index].name.to_owned(),
            Value::Table(rows) => rows
                .iter()
                .map(|(name, value)| format!("{name}: {value}"))
                .collect::<Vec<_>>()
                .join("; "),
        }
    }

    /// Formats a date with an optional time.
    pub(crate) fn moment(&self, day: i64, minutes: Option<u16>) -> String {
        // A date without a time is not that of an event, so its year cannot be omitted.
        let form = if minutes.is_none() && self.date == DateForm::NoYear {
            DateForm::Long
        } else {
            self.date
        };
        let date = form.write(day, self.language);
        let Some(minutes) = minutes else {
            return date;
        };
        let time = self.time.write(minutes);
        match self.between {
            "@" => format!("{date} {} {time}", self.language.at),
            between => format!("{date}{between}{time}"),
        }
    }

    fn text(&self, attribute: Attribute, text: &str) -> String {
        let form = match attribute {
            Attribute::Title => self.title,
            Attribute::Venue => self.venue,
            Attribute::Status => return Word::Cancelled.text(self.language_index).to_owned(),
            _ => TextForm::Plain,
        };
        match form {
            TextForm::Plain => text.to_owned(),
            TextForm::Upper => text.to_uppercase(),
            TextForm::Quoted => format!("“{text}”"),
            TextForm::Article => format!("The {text}"),
            TextForm::Sentence => crate::words::capital(&text.to_lowercase()),
        }
    }

    fn person(&self, person: &Person) -> String {
        let Person { given, family } = person;
        match self.person {
            PersonForm::GivenFamily => format!("{given} {family}"),
            PersonForm::FamilyGiven => format!("{family}, {given}"),
            PersonForm::Initial => format!("{}. {family}", given.chars().next().unwrap_or('X')),
            PersonForm::UpperFamily => format!("{given} {}", family.to_uppercase()),
        }
    }

    fn code(&self, code: &str) -> String {
        let gap = match self.code {
            CodeForm::Hyphens => "-",
            CodeForm::Spaces => " ",
            CodeForm::Solid => return code.to_owned(),
        };
        match (code.get(..3), code.get(3..12), code.get(12..)) {
            (Some(head), Some(body), Some(check)) if code.len() == 13 => {
                [head, &body[..1], &body[1..5], &body[5..], check].join(gap)
            }
            _ => code.to_owned(),
        }
    }

    fn rating(&self, tenths: u32) -> String {
        let point = if self.language.has_decimal_comma { ',' } else { '.' };
        format!("{}{point}{}/5", tenths / 10, tenths % 10)
    }
}
