//! The inverse of [`Writing::write`], for tests.

use magpie_values::date::Date;

use super::{DateForm, TimeForm, Writing};
use crate::facts::{Attribute, Value};

impl Writing {
    /// Parses a value of the same kind as `kind` and returns its normal form. An implied year is
    /// taken from `kind`.
    pub(crate) fn read_back(&self, attribute: Attribute, text: &str, kind: &Value) -> Option<Vec<String>> {
        match kind {
            Value::Moment(day, minutes) => {
                let year = Date::from_days(*day)?.year();
                let (day, minutes) = self.read_moment(text, year, *day, minutes.is_some())?;
                Some(Value::Moment(day, minutes).normal())
            }
            Value::Money(_, currency) => {
                Some(Value::Money(self.read_cents(text, currency)?, currency).normal())
            }
            Value::Code(_) => Some(vec![text.chars().filter(|c| !matches!(c, '-' | ' ')).collect()]),
            Value::Number(_) => text.parse().ok().map(|number| Value::Number(number).normal()),
            Value::Rating(..) => {
                let tenths: String = text
                    .strip_suffix("/5")?
                    .chars()
                    .filter(char::is_ascii_digit)
                    .collect();
                Some(Value::Rating(tenths.parse().ok()?, 1).normal())
            }
            // Names, texts and availability are compared as written.
            other => (self.write(attribute, other) == text).then(|| other.normal()),
        }
    }

    fn read_cents(&self, text: &str, currency: &str) -> Option<u32> {
        let has_currency = ["€", "£", "$", currency].iter().any(|sign| text.contains(sign));
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        has_currency.then_some(())?;
        digits.parse().ok()
    }

    fn read_moment(&self, text: &str, year: i32, cell: i64, has_time: bool) -> Option<(i64, Option<u16>)> {
        if !has_time {
            return Some((self.read_date(text, year)?, None));
        }
        // The cell of a calendar shows the time alone; the day is that of the cell.
        if let Some(minutes) = read_time(self.time, text) {
            return Some((cell, Some(minutes)));
        }
        let at = format!(" {} ", self.language.at);
        let between = if self.between == "@" {
            at.as_str()
        } else {
            self.between
        };
        // Some dates contain the separator themselves. The time follows the last separator after
        // which one can be parsed.
        let mut cuts = text.rmatch_indices(between).map(|(index, _)| index);
        cuts.find_map(|cut| {
            let minutes = read_time(self.time, &text[cut + between.len()..])?;
            Some((self.read_date(&text[..cut], year)?, Some(minutes)))
        })
    }

    fn read_date(&self, text: &str, year: i32) -> Option<i64> {
        let numbers: Vec<i32> = text
            .split(|c: char| !c.is_ascii_digit())
            .filter_map(|digits| digits.parse().ok())
            .collect();
        let month = || {
            let names = match self.date {
                DateForm::Short | DateForm::ShortWeekday => &self.language.months_short,
                _ => &self.language.months,
            };
            // Takes the last match: short names of weekdays may equal those of months, and come
            // before them.
            let found = text
                .rsplit([' ', ','])
                .find_map(|word| names.iter().position(|name| word == *name));
            found.map(|index| index as i32 + 1)
        };
        let (y, m, d) = match (self.date, &numbers[..]) {
            (DateForm::Iso, [y, m, d]) => (*y, *m, *d),
            (DateForm::Dots | DateForm::Slashes, [d, m, y]) => (*y, *m, *d),
            (DateForm::MonthFirst, [m, d, y]) => (*y, *m, *d),
            (DateForm::NoYear, [d]) => (year, month()?, *d),
            (_, [d, y]) => (*y, month()?, *d),
            _ => return None,
        };
        Date::new(y, u8::try_from(m).ok()?, u8::try_from(d).ok()?).map(Date::to_days)
    }
}

fn read_time(form: TimeForm, text: &str) -> Option<u16> {
    let text = text.trim_end_matches(" Uhr");
    let (time, shift) = match form {
        TimeForm::Twelve => {
            let (time, half) = text.split_once(' ')?;
            (time, if half == "pm" { 12 } else { 0 })
        }
        _ => (text, 0),
    };
    let (hour, minute) = time.split_once([':', '.', 'h'])?;
    let hour: u16 = hour.parse().ok()?;
    let hour = if form == TimeForm::Twelve {
        hour % 12 + shift
    } else {
        hour
    };
    Some(hour * 60 + minute.parse::<u16>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::LANGUAGES;
    use crate::random::Key;

    #[test]
    fn every_notation_parses_back() {
        for seed in 0..400u64 {
            let writing = Writing::new(Key::root(seed), seed as usize % LANGUAGES.len());
            for value in [
                Value::Moment(20_777 + seed as i64, Some((seed as u16 * 30 + 600) % 1_440)),
                Value::Moment(20_777 + seed as i64 * 3, None),
                Value::Money(123_456 + seed as u32, "EUR"),
                Value::Money(999, "CHF"),
                Value::Code("9783161484100".to_owned()),
                Value::Rating(43, 7),
            ] {
                let text = writing.write(Attribute::Title, &value);
                let read = writing.read_back(Attribute::Title, &text, &value);
                assert_eq!(read, Some(value.normal()), "{text} by {writing:?}");
            }
        }
    }
}
