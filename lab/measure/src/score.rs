//! Scoring: expected values of pages, found values, and precision, recall and F1 of these.
//!
//! - Expected values pass the host's own check, as do the values that plugins write, so normal
//!   forms are compared. An expected value that has no normal form can't be found and counts as
//!   missed.
//! - Words are equal if their folded tokens are: case, marks and punctuation don't count.
//!   Everything else is equal as normal form; a date's zone counts if both sides have one, its
//!   seconds if they are not zero, a currency if one is expected.
//! - The unit is the page: a page's precision is the share of its found accuracy of values, its
//!   recall the share of its expected values that were found. A set's precision is the mean over
//!   pages where something was found, its recall the mean over pages where something was expected.
//!   With one value a page these are the usual numbers.

use magpie_model::{Attribute, Field, Kind, Object, PageContext, Record, Value, VerticalInfo, check};
use magpie_values::{date, text};

/// The expected values of one object, by attribute.
#[derive(Clone, Debug, Default)]
pub(crate) struct Truth(Vec<(String, Vec<String>)>);

impl Truth {
    /// Brings expected values into the normal forms of a schema.
    pub(crate) fn new(info: &VerticalInfo, page: &PageContext, values: &[(&str, String)]) -> Self {
        let mut truth = Self::default();
        for (name, value) in values.iter().filter(|(_, value)| !value.trim().is_empty()) {
            let Some(attribute) = info.attribute(name) else {
                continue;
            };
            truth.push(&attribute.name, normal(attribute, page, value));
        }
        truth
    }

    /// Adds the values of another page about the same object.
    pub(crate) fn join(&mut self, other: Truth) {
        for (attribute, values) in other.0 {
            values.into_iter().for_each(|value| self.push(&attribute, value));
        }
    }

    fn push(&mut self, attribute: &str, value: String) {
        match self.0.iter_mut().find(|(name, _)| name == attribute) {
            Some((_, values)) => {
                if !values.contains(&value) {
                    values.push(value);
                }
            }
            None => self.0.push((attribute.to_owned(), vec![value])),
        }
    }

    /// The expected values of an attribute.
    pub(crate) fn all(&self, attribute: &str) -> &[String] {
        let found = self.0.iter().find(|(name, _)| name == attribute);
        found.map_or(&[], |(_, values)| values)
    }
}

/// A value as the host's check leaves it; as it is, when the check refuses it.
fn normal(attribute: &Attribute, page: &PageContext, value: &str) -> String {
    let alone = VerticalInfo {
        attributes: vec![attribute.clone()],
        ..VerticalInfo::default()
    };
    let field = Field {
        path: attribute.name.clone(),
        value: Value::Text(value.to_owned()),
        node: None,
    };
    let object = Object {
        fields: vec![field],
        ..Object::default()
    };
    let record = check(&alone, &object, page).record;
    let normal = record.and_then(|record| record.get(&attribute.name).map(str::to_owned));
    normal.unwrap_or_else(|| value.to_owned())
}

pub(crate) fn same(kind: &Kind, expected: &str, found: &str) -> bool {
    expected == found
        || match kind {
            Kind::Text | Kind::Person | Kind::Organisation | Kind::Place | Kind::Unknown(_) => {
                let words = text::bare(expected);
                !words.is_empty() && words == text::bare(found)
            }
            Kind::DateTime => {
                let ((one, zone), (other, another)) = (wall(expected), wall(found));
                one == other && (zone.is_empty() || another.is_empty())
            }
            Kind::Money => !expected.contains(' ') && found.split(' ').next() == Some(expected),
            _ => false,
        }
}

/// A date's wall time, and its zone. Seconds of zero are how some write a full minute.
fn wall(value: &str) -> (&str, &str) {
    const TO_THE_SECOND: usize = "2017-03-18T17:30:00".len();
    let time = value.find('T').unwrap_or(value.len());
    let zone = value[time..]
        .find(['Z', '+', '-'])
        .map_or(value.len(), |at| time + at);
    let (wall, zone) = value.split_at(zone);
    let to_the_minute = wall.strip_suffix(":00").filter(|_| wall.len() == TO_THE_SECOND);
    (to_the_minute.unwrap_or(wall), zone)
}

/// The amount of a price in normal form, or the least of a range.
pub(crate) fn amount(price: &str) -> Option<f64> {
    price.split([' ', '-']).next()?.parse().ok()
}

/// Returns true if two times may be one: the same instant if both have a zone, else equal by
/// the clock, else the same day.
pub(crate) fn is_same_moment(expected: &str, found: &str) -> bool {
    let (Some(one), Some(other)) = (date::parse_iso(expected), date::parse_iso(found)) else {
        return expected == found;
    };
    let has_zone = |text: &str| {
        text.split_once('T')
            .is_some_and(|(_, time)| time.contains(['Z', '+', '-']))
    };
    let has_time = |text: &str| text.contains('T');
    if has_time(expected) && has_time(found) {
        if has_zone(expected) && has_zone(found) && one.to_unix(0) == other.to_unix(0) {
            return true;
        }
        return to_the_minute(expected) == to_the_minute(found);
    }
    expected.get(..10) == found.get(..10)
}

/// Returns true if two times are on the same day by the clock, or the same instant. A found day
/// without a year agrees if the page does not state the year either.
pub(crate) fn is_same_day(expected: &str, found: &str, states_year: impl FnOnce(&str) -> bool) -> bool {
    const DAY: usize = "2017-03-18".len();
    const YEAR: usize = "2017".len();
    if let Some(found) = found.strip_prefix("--") {
        let (Some(day), Some(year)) = (expected.get(YEAR + 1..DAY), expected.get(..YEAR)) else {
            return false;
        };
        return found.get(..day.len()) == Some(day) && !states_year(year);
    }
    let day = expected.get(..DAY);
    day.is_some() && day == found.get(..DAY) || is_same_moment(expected, found)
}

fn to_the_minute(text: &str) -> &str {
    const TO_THE_MINUTE: usize = "2017-03-18T17:30".len();
    text.get(..TO_THE_MINUTE).unwrap_or(text)
}

/// Result of one attribute on one page.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageScore {
    pub(crate) page: String,
    pub(crate) expected: usize,
    pub(crate) found: usize,
    pub(crate) right: usize,
    /// Expected values and found values, for attributes that have values.
    pub(crate) values: [Vec<String>; 2],
    pub(crate) told: String,
}

impl PageScore {
    /// Compares values; each of the found ones counts for one of the expected ones.
    pub(crate) fn of(page: &str, kind: &Kind, expected: &[String], found: &[&str]) -> Self {
        let mut left: Vec<&str> = found.to_vec();
        let mut right = 0;
        for value in expected {
            if let Some(at) = left.iter().position(|one| same(kind, value, one)) {
                left.swap_remove(at);
                right += 1;
            }
        }
        Self {
            page: page.to_owned(),
            expected: expected.len(),
            found: found.len(),
            right,
            told: format!("expected {expected:?}, found {found:?}"),
            values: [
                expected.to_vec(),
                found.iter().map(|value| (*value).to_owned()).collect(),
            ],
        }
    }

    /// F1 of this page alone: 1 when nothing was expected and nothing found.
    pub(crate) fn f1(&self) -> f64 {
        match self.expected + self.found {
            0 => 1.0,
            all => 2.0 * self.right as f64 / all as f64,
        }
    }
}

/// Result of one attribute on all pages.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) pages: Vec<PageScore>,
}

impl Tally {
    pub(crate) fn push(&mut self, score: PageScore) {
        self.pages.push(score);
    }

    pub(crate) fn precision(&self) -> f64 {
        mean(
            self.pages
                .iter()
                .filter(|page| page.found > 0)
                .map(|page| page.right as f64 / page.found as f64),
        )
    }

    pub(crate) fn recall(&self) -> f64 {
        mean(
            self.pages
                .iter()
                .filter(|page| page.expected > 0)
                .map(|page| page.right as f64 / page.expected as f64),
        )
    }

    /// The harmonic mean of precision and recall.
    pub(crate) fn f1(&self) -> f64 {
        let (precision, recall) = (self.precision(), self.recall());
        if precision + recall > 0.0 {
            2.0 * precision * recall / (precision + recall)
        } else {
            0.0
        }
    }

    /// The mean of the pages' own F1.
    pub(crate) fn mean_f1(&self) -> f64 {
        mean(self.pages.iter().map(PageScore::f1))
    }

    /// Pages where something was expected.
    pub(crate) fn asked(&self) -> usize {
        self.pages.iter().filter(|page| page.expected > 0).count()
    }

    /// The pages that are not all right, the worst first.
    pub(crate) fn worst(&self, most: usize) -> Vec<&PageScore> {
        let mut bad: Vec<&PageScore> = self.pages.iter().filter(|page| page.f1() < 1.0).collect();
        bad.sort_by(|one, other| one.f1().total_cmp(&other.f1()));
        bad.truncate(most);
        bad
    }
}

/// Zero for nothing.
fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    if count == 0 { 0.0 } else { sum / f64::from(count) }
}

/// One attribute of one object on a page.
pub(crate) fn score(
    info: &VerticalInfo,
    attribute: &str,
    page: &str,
    truth: &Truth,
    found: Option<&Record>,
) -> PageScore {
    let kind = info.attribute(attribute).map_or(&Kind::Text, |known| &known.kind);
    let values: Vec<&str> = found
        .into_iter()
        .flat_map(|record| record.all(attribute))
        .collect();
    PageScore::of(page, kind, truth.all(attribute), &values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(expected: &[&str], found: &[&str]) -> PageScore {
        let expected: Vec<String> = expected.iter().map(|value| (*value).to_owned()).collect();
        PageScore::of("p", &Kind::Text, &expected, found)
    }

    #[test]
    fn each_found_value_counts_once() {
        let score = page(&["Ana Lind", "Joe Oak"], &["ANA LIND", "Ana Lind", "Someone"]);
        assert_eq!((score.expected, score.found, score.right), (2, 3, 1));
    }

    #[test]
    fn precision_asks_where_something_was_found_and_recall_where_something_was_expected() {
        let tally = Tally {
            pages: vec![
                page(&["a"], &["a"]),
                page(&["b"], &[]),
                page(&[], &["c"]),
                page(&[], &[]),
            ],
        };
        assert_eq!((tally.precision(), tally.recall(), tally.f1()), (0.5, 0.5, 0.5));
        assert_eq!(tally.mean_f1(), 0.5);
        assert_eq!(tally.asked(), 2);
    }

    #[test]
    fn the_worst_pages_come_first_and_the_right_ones_not_at_all() {
        let mut tally = Tally::default();
        for (name, found) in [("half", &["a"][..]), ("right", &["a", "b"]), ("none", &[])] {
            tally.push(PageScore {
                page: name.into(),
                ..page(&["a", "b"], found)
            });
        }
        let names: Vec<&str> = tally.worst(9).iter().map(|page| page.page.as_str()).collect();
        assert_eq!(names, ["none", "half"]);
    }

    #[test]
    fn values_are_compared_by_kind() {
        assert!(same(&Kind::Text, "The Tempest!", "the  tempest"));
        assert!(!same(&Kind::Text, "The Tempest", "Tempest"));
        assert!(!same(&Kind::Text, "?", "!"));
        assert!(same(
            &Kind::DateTime,
            "2017-03-18T17:30",
            "2017-03-18T17:30+08:00"
        ));
        assert!(!same(
            &Kind::DateTime,
            "2017-03-18T17:30Z",
            "2017-03-18T17:30+08:00"
        ));
        assert!(!same(&Kind::DateTime, "2017-03-18", "2017-03"));
        assert!(same(&Kind::DateTime, "2017-03-18T17:30:00", "2017-03-18T17:30"));
        assert!(!same(&Kind::DateTime, "2017-03-18T17:00", "2017-03-18T17"));
        assert!(same(&Kind::Money, "12.50", "12.50 EUR"));
        assert!(!same(&Kind::Money, "12.50 EUR", "12.50"));
        assert!(!same(&Kind::Url, "https://a.example/A", "https://a.example/a"));
    }

    #[test]
    fn expected_values_are_normalised_and_odd_ones_stay() {
        let attribute = |name: &str, kind| Attribute {
            name: name.to_owned(),
            kind,
            label: String::new(),
            required: true,
            repeated: false,
            identifies: false,
            query: false,
            expires: false,
            schema_org: None,
            weight: 1.0,
        };
        let info = VerticalInfo {
            attributes: vec![
                attribute("published", Kind::DateTime),
                attribute("isbn", Kind::Identifier("isbn".into())),
            ],
            ..VerticalInfo::default()
        };
        let values = [
            ("published", "June 2010".to_owned()),
            ("isbn", "none".to_owned()),
            ("no", "x".to_owned()),
        ];
        let truth = Truth::new(&info, &PageContext::default(), &values);
        assert_eq!(truth.all("published"), ["2010-06"]);
        assert_eq!(truth.all("isbn"), ["none"]);
        assert!(truth.all("no").is_empty());
    }

    #[test]
    fn moments_are_compared_as_exactly_as_both_are_stated() {
        let same = |one, other| is_same_moment(one, other);
        assert!(same("2026-07-18", "2026-07-18T10:00") && same("2026-07-18T10:00-04:00", "2026-07-18"));
        assert!(same("2020-07-06T18:00Z", "2020-07-06T20:00+02:00"));
        assert!(same("2017-03-18T17:30:00", "2017-03-18T17:30"));
        assert!(same("2026-07-18T10:00-04:00", "2026-07-18T10:00"));
        assert!(!same("2026-07-18T10:00", "2026-07-18T11:00") && !same("2026-07-18", "2026-07-19"));
    }

    #[test]
    fn days_are_compared_without_a_year_only_where_the_page_states_none() {
        let same = |one, other, stated: &str| is_same_day(one, other, |year| stated == year);
        assert!(same("2025-05-03T10:00-04:00", "2025-05-03T18:00", "2025"));
        assert!(same("2025-05-03", "--05-03", "none") && same("2025-05-03T10:00", "--05-03T10:00", "2024"));
        assert!(!same("2025-05-03", "--05-03", "2025") && !same("2025-05-03", "--05-04", "none"));
        assert!(!same("2025-05-03", "2026-05-03", "none") && !same("2025-05", "2025-05-03", "none"));
        assert!(same("2020-07-06T23:00Z", "2020-07-07T01:00+02:00", "2020"));
    }
}
