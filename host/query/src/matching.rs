//! The meaning of a query: a test of one object.

use std::time::Duration;

use magpie_model::Record;
use magpie_values::Timestamp;
use magpie_values::coordinates;
use magpie_values::text::fold;

use crate::values::{equality_key, interval, is_searchable, site_keys, tokens};
use crate::{Field, Phrase, Query, SeenTime, State, Test};

/// The time for which an object counts as new or changed.
const RECENT: Duration = Duration::from_secs(7 * 86_400);

/// An object as a query sees it.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    pub label: &'a str,
    /// Its merged record.
    pub record: &'a Record,
    pub attributes: &'a [magpie_model::Attribute],
    /// The URLs of its records, also of those that are gone.
    pub urls: &'a [String],
    /// Number of its records that are on their page.
    pub current: u64,
    pub first_seen: Timestamp,
    pub last_seen: Timestamp,
    pub changed_at: Timestamp,
    pub expires_at: Option<Timestamp>,
}

impl Query {
    /// Returns true if an object matches.
    pub fn matches(&self, subject: &Subject<'_>) -> bool {
        let mut terms = self.terms.iter();
        terms.all(|term| term.test.holds(subject, self.now) != term.is_negated)
    }
}

impl State {
    /// Returns the earliest time from which an object is new or changed.
    fn recent_since(now: Timestamp) -> Timestamp {
        now - RECENT
    }
}

impl Test {
    /// Returns true if an object passes the test at a time.
    pub fn holds(&self, subject: &Subject<'_>, now: Timestamp) -> bool {
        match self {
            Test::Words(phrase) => {
                phrase.is_in(&tokens(subject.label))
                    || subject
                        .attributes
                        .iter()
                        .filter(|attribute| is_searchable(&attribute.kind))
                        .flat_map(|attribute| subject.record.all(&attribute.name))
                        .any(|value| phrase.is_in(&tokens(value)))
            }
            Test::Contains(field, phrase) => any(subject, field, |value| phrase.is_in(&tokens(value))),
            Test::Equals(field, key) => any(subject, field, |value| equality_key(&field.kind, value) == *key),
            Test::Part(field, part) => any(subject, field, |value| fold(value).contains(part.as_str())),
            Test::Within(field, wanted) => any(subject, field, |value| {
                // A value that can't be read matches no range, and by the same rule every negated
                // one.
                interval(&field.kind, value)
                    .is_some_and(|value| wanted.allows(value.currency) && wanted.meets(value.low, value.high))
            }),
            Test::Inside(field, area) => any(subject, field, |value| {
                coordinates::parse(value).is_ok_and(|place| area.has(place))
            }),
            Test::Has(field) => subject.record.get(&field.name).is_some(),
            Test::Identifier(keys) => keys
                .iter()
                .any(|(field, key)| any(subject, field, |value| equality_key(&field.kind, value) == *key)),
            Test::Site(site) => subject.urls.iter().any(|url| site_keys(url).contains(site)),
            Test::Is(state) => match state {
                State::New => subject.first_seen >= State::recent_since(now),
                State::Changed => subject.changed_at >= State::recent_since(now),
                State::Current => !is_expired(subject, now),
                State::Expired => is_expired(subject, now),
                State::Gone => subject.current == 0,
            },
            Test::Seen(time, wanted) => {
                let at = match time {
                    SeenTime::First => Some(subject.first_seen),
                    SeenTime::Last => Some(subject.last_seen),
                    SeenTime::Changed => Some(subject.changed_at),
                    SeenTime::Expires => subject.expires_at,
                };
                let at = at.map(|at| at.as_seconds() as f64);
                at.is_some_and(|at| wanted.meets(at, at))
            }
        }
    }
}

fn any(subject: &Subject<'_>, field: &Field, fits: impl FnMut(&str) -> bool) -> bool {
    subject.record.all(&field.name).any(fits)
}

fn is_expired(subject: &Subject<'_>, now: Timestamp) -> bool {
    subject.expires_at.is_some_and(|at| at < now)
}

impl Phrase {
    /// Returns true if the words are among others, in a row.
    pub fn is_in(&self, words: &[String]) -> bool {
        let Some((last, first)) = self.words.split_last() else {
            return false;
        };
        words.windows(self.words.len()).any(|here| {
            let Some((there, before)) = here.split_last() else {
                return false;
            };
            // Words before the last are compared in full; only the last one may be unfinished.
            before == first
                && match self.is_prefix {
                    true => there.starts_with(last.as_str()),
                    false => there == last,
                }
        })
    }
}
