//! Clustering of events.
//!
//! The day decides first, since a series is many events with one name. Then the hour, the name and
//! the place are weighed, because sites write all three differently: `Night Music`, `Harrow
//! Quartet: Night Music`, `Night Music @ The Old Mill`.

use magpie_sdk::date::{self, DateTime};
use magpie_sdk::name::place_similarity;
use magpie_sdk::similarity::{numbers_agree, soft_tokens, tokens_match};
use magpie_sdk::{Key, Verdict, text};

use crate::Event;
use crate::words::languages as lists;

/// Prior log odds (natural) of two events that share a key. They are more often different than
/// equal.
const PRIOR: f64 = -1.0;

/// Probability that two events on different days are the same. An error in one of the dates is
/// rare.
const OTHER_DAY: f64 = 0.02;

/// Number of words of a name that make keys: the longest, which are mostly the rarest.
const KEY_WORDS: usize = 3;

/// Returns the keys of an event: its day with each of the longest words of its name, and its day
/// with the venue.
pub(crate) fn keys(event: &Event) -> Vec<Key> {
    // Without the year, because one page may state it and another may not.
    let day = |start: DateTime| format!("{:02}-{:02}", start.date().month(), start.date().day());
    let Some(day) = start(event).map(day) else {
        return Vec::new();
    };
    let key = |scheme: &str, word: &str| Key {
        scheme: scheme.to_owned(),
        value: format!("{day} {word}"),
    };
    let mut keys: Vec<Key> = longest(core(event))
        .iter()
        .map(|word| key("day+name", word))
        .collect();
    let venue = event.venue.as_deref().map(|venue| longest(words(venue)));
    keys.extend(venue.iter().flatten().take(1).map(|word| key("day+venue", word)));
    // One site names the event after its performer, whom another lists. So both give the same kind
    // of key.
    let performer = event
        .performers
        .first()
        .map(|performer| longest(words(performer)));
    keys.extend(
        performer
            .iter()
            .flatten()
            .take(1)
            .map(|word| key("day+name", word)),
    );
    keys.dedup();
    keys
}

/// Returns the probability that two events are the same.
pub(crate) fn compare(one: &Event, other: &Event) -> Verdict {
    let (Some(first), Some(second)) = (start(one), start(other)) else {
        return verdict(0.0, vec!["a date is missing".to_owned()]);
    };
    // One moment may be on two days, if one of the times is in another zone.
    if !first.same_day(second) && !first.agrees_with(second) {
        return verdict(OTHER_DAY, vec!["days differ".to_owned()]);
    }
    let mut reasons = vec!["same day".to_owned()];
    let mut evidence = PRIOR;
    for (worth, reason) in [hours(first, second), names(one, other), venues(one, other)]
        .into_iter()
        .flatten()
    {
        evidence += worth;
        reasons.push(reason);
    }
    verdict(1.0 / (1.0 + (-evidence).exp()), reasons)
}

/// Returns a label of an event for lists: `Night Music, 2026-05-03 19:30, Old Mill`.
pub(crate) fn label(event: &Event) -> String {
    let time = start(event).map(|start| {
        let time = start.time().map(|time| format!(" {time}")).unwrap_or_default();
        format!("{}{time}", start.date())
    });
    let parts = [
        Some(event.name.clone()),
        time,
        event.venue.as_deref().map(str::to_owned),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn verdict(probability: f64, reasons: Vec<String>) -> Verdict {
    Verdict { probability, reasons }
}

fn start(event: &Event) -> Option<DateTime> {
    date::parse_iso(event.start.as_deref()?)
}

/// Returns the evidence of the hours, if both are known. Doors open about half an hour before the
/// beginning.
fn hours(one: DateTime, other: DateTime) -> Option<(f64, String)> {
    const DOORS: i64 = 35;
    const SLIP: i64 = 75;
    let (first, second) = (one.time()?, other.time()?);
    // Sites state wrong zones, so equal hours count whatever the zones are.
    if one.agrees_with(other) || first == second {
        return Some((1.5, "same time".to_owned()));
    }
    let apart = (first.to_seconds() - second.to_seconds()).abs() / 60;
    let worth = if apart <= DOORS {
        0.0
    } else if apart <= SLIP {
        -1.5
    } else {
        -4.0
    };
    Some((worth, format!("{apart} minutes apart")))
}

/// Returns the evidence of the names. A name that contains all words of the other is a longer form
/// of it, unless one of its words distinguishes two events.
fn names(one: &Event, other: &Event) -> Option<(f64, String)> {
    let (first, second) = (core(one), core(other));
    if first.is_empty() || second.is_empty() {
        return None;
    }
    let (left, right) = (first.join(" "), second.join(" "));
    if numbers_agree(&left, &right).is_some_and(|agree| agree < 0.5) || tells_apart(&first, &second) {
        return Some((-4.0, "names tell two apart".to_owned()));
    }
    let alike = soft_tokens(&left, &right);
    let held = held_words(&first, other).max(held_words(&second, one));
    let short = first.len().min(second.len());
    let worth = match (alike, held) {
        (0.9.., _) => 3.0,
        (0.75.., _) => 2.0,
        (_, 0.95..) if short >= 2 => 2.0,
        (_, 0.95..) => 1.0,
        (_, 0.65..) => 0.3,
        (0.5.., _) => -0.5,
        _ => -4.0,
    };
    let percent = (alike.max(held * 0.95) * 100.0).round();
    Some((worth, format!("names {percent} % alike")))
}

/// Returns true if exactly one of the names has a word that distinguishes events.
fn tells_apart(one: &[String], other: &[String]) -> bool {
    lists::NAME_VARIANT.iter().any(|telling| {
        let is_in = |words: &[String]| words.iter().any(|word| word == telling);
        is_in(one) != is_in(other)
    })
}

/// Returns the share of words of a name that are in the name or among the performers of the other
/// event.
fn held_words(name: &[String], other: &Event) -> f64 {
    const SAME_WORD: f64 = 0.9;
    let mut known = words(&other.name);
    known.extend(other.performers.iter().flat_map(|performer| words(performer)));
    let is_known = |word: &&String| known.iter().any(|known| tokens_match(word, known) >= SAME_WORD);
    name.iter().filter(is_known).count() as f64 / name.len() as f64
}

fn venues(one: &Event, other: &Event) -> Option<(f64, String)> {
    let (left, right) = (one.venue.as_deref()?, other.venue.as_deref()?);
    // `Open Hives @ Harrow College` may be in any hall.
    let names = |event: &Event, venue: &str| {
        let name = words(&event.name);
        words(venue).iter().all(|word| name.contains(word))
    };
    if names(one, right) || names(other, left) {
        return None;
    }
    let mut alike = place_similarity(left, right);
    let address = |event: &Event| event.address.as_deref().map(str::to_owned).unwrap_or_default();
    // The venue of one site may be a hall of the other's venue, or part of its address.
    let whole = |event: &Event, venue: &str| words(&format!("{venue} {}", address(event)));
    let held = |inner: &str, outer: Vec<String>| {
        let inner = words(inner);
        !inner.is_empty() && inner.iter().all(|word| outer.contains(word))
    };
    if held(left, whole(other, right)) || held(right, whole(one, left)) {
        alike = alike.max(0.9);
    }
    let worth = match alike {
        0.85.. => 1.5,
        0.6.. => 0.7,
        0.4.. => -0.5,
        _ => -2.5,
    };
    Some((worth, format!("venues {} % alike", (alike * 100.0).round())))
}

/// Returns the words of a name that identify the event: without noise, years and the venue.
fn core(event: &Event) -> Vec<String> {
    let all = words(&event.name);
    let venue = event.venue.as_deref().map(words).unwrap_or_default();
    let is_year = |word: &String| {
        word.len() == 4 && word.starts_with("20") && word.bytes().all(|byte| byte.is_ascii_digit())
    };
    let kept: Vec<String> = all
        .iter()
        .filter(|word| !venue.contains(word) && !is_year(word))
        .cloned()
        .collect();
    // The name may consist of the venue and the year alone.
    if kept.is_empty() { all } else { kept }
}

/// Returns the words of a text without noise, or all words if it has nothing else.
fn words(written: &str) -> Vec<String> {
    let all: Vec<String> = text::tokens(written)
        .into_iter()
        .map(|word| word.replace(['\'', '’'], ""))
        .filter(|word| !word.is_empty())
        .collect();
    let kept: Vec<String> = all
        .iter()
        .filter(|word| !lists::NAME_NOISE.contains(&word.as_str()))
        .cloned()
        .collect();
    if kept.is_empty() { all } else { kept }
}

/// Returns the longest words, longest first. The result does not depend on the order of the words.
fn longest(mut words: Vec<String>) -> Vec<String> {
    words.sort_by(|one, other| {
        other
            .chars()
            .count()
            .cmp(&one.chars().count())
            .then(one.cmp(other))
    });
    words.dedup();
    words.truncate(KEY_WORDS);
    words
}

#[cfg(test)]
mod tests {
    use super::{compare, keys, label};
    use crate::Event;

    fn event(name: &str, start: &str, venue: &str) -> Event {
        Event {
            name: name.to_owned(),
            start: Some(start.into()),
            venue: (!venue.is_empty()).then(|| venue.into()),
            ..Event::default()
        }
    }

    fn check(one: &Event, other: &Event, same: bool) {
        let verdict = compare(one, other);
        assert_eq!(verdict.probability > 0.5, same, "{one:?} {other:?} {verdict:?}");
        assert!((verdict.probability - compare(other, one).probability).abs() < 1e-9);
        let shared = keys(one)
            .iter()
            .any(|key| keys(other).iter().any(|other| other.value == key.value));
        assert!(shared || !same, "no key in common: {one:?} {other:?}");
    }

    #[test]
    fn spellings_of_one_event_are_one() {
        let music = event("Night Music", "2026-05-03T19:30", "Old Mill");
        check(
            &music,
            &event("NIGHT MUSIC - live", "2026-05-03", "The Old Mill, Ashford"),
            true,
        );
        check(
            &music,
            &event(
                "Harrow Quartet: Night Music",
                "2026-05-03T19:30+01:00",
                "Old Mill",
            ),
            true,
        );
        check(
            &music,
            &event("Night Music at Old Mill", "2026-05-03T19:00", ""),
            true,
        );
        check(
            &music,
            &event("Night Musick", "2026-05-03T19:30", "Old Mill"),
            true,
        );
        check(
            &event("Open Hives @ Harrow College", "2026-05-03T19:30", "Dalton Hall"),
            &event("Open Hives", "2026-05-03T19:30", "Harrow College"),
            true,
        );
    }

    #[test]
    fn near_misses_stay_apart() {
        let music = event("Night Music", "2026-05-03T19:30", "Old Mill");
        check(
            &music,
            &event("Night Music", "2026-05-04T19:30", "Old Mill"),
            false,
        );
        check(
            &music,
            &event("Night Music", "2026-05-03T15:00", "Old Mill"),
            false,
        );
        check(
            &music,
            &event("Night Music for Children", "2026-05-03", "Old Mill"),
            false,
        );
        check(
            &music,
            &event("Night Music", "2026-05-03", "Riverside Theatre"),
            false,
        );
        check(
            &music,
            &event("Quiz Evening", "2026-05-03T19:30", "Old Mill"),
            false,
        );
        let first = event("Cello Suites, part 1", "2026-05-03", "Old Mill");
        check(
            &first,
            &event("Cello Suites, part 2", "2026-05-03", "Old Mill"),
            false,
        );
    }

    #[test]
    fn a_label_says_what_when_and_where() {
        let label = label(&event("Night Music", "2026-05-03T19:30", "Old Mill"));
        assert_eq!(label, "Night Music, 2026-05-03 19:30, Old Mill");
    }
}
