//! Parses iCalendar (RFC 5545), as far as events need it.

use std::collections::{HashMap, HashSet};

use magpie_sdk::date::{self, Date, DateTime};
use magpie_sdk::{coordinates, text};

use super::rule::{self, MAX_PERIODS_OF_ALL, Rule};
use super::{Entry, MAX_EVENTS};
use crate::when::Clock;

/// Number of days from that of the calendar for which recurring events are expanded.
const AHEAD: i64 = 365;

#[derive(Clone, Debug, Default)]
struct Repeated {
    entry: Entry,
    rule: Option<Rule>,
    /// Days excluded from the recurrence.
    left_out: HashSet<Date>,
    id: String,
    /// Day on which the entry was written or changed.
    stamped: Option<Date>,
    /// Day of a recurring event that this entry replaces.
    instead_of: Option<Date>,
}

/// Returns the events of a calendar. Recurring events are expanded for the year after the day on
/// which an entry of it was last written, or after the first of them.
pub(super) fn entries(source: &str, clock: &Clock<'_>) -> Vec<Entry> {
    let repeated = read_all(source);
    let mut moved: HashMap<&str, HashSet<Date>> = HashMap::new();
    // An entry that replaces a day may come after the rule in the file, so these days are known
    // before any rule is expanded.
    for one in &repeated {
        if let Some(day) = one.instead_of {
            moved.entry(&one.id).or_default().insert(day);
        }
    }
    let written = repeated.iter().filter_map(|one| one.stamped).max();
    let stamped = written.or(clock.own_day());
    let none = HashSet::new();
    let mut budget = MAX_PERIODS_OF_ALL;
    let mut entries = Vec::new();
    for one in &repeated {
        if entries.len() >= MAX_EVENTS {
            break;
        }
        let moved = moved.get(one.id.as_str()).unwrap_or(&none);
        match one.days(stamped, moved, &mut budget) {
            Some((start, days)) if !days.is_empty() => {
                entries.extend(days.iter().filter_map(|day| one.entry.moved_to(start, *day)));
            }
            _ => entries.push(one.entry.clone()),
        }
    }
    entries
}

impl Repeated {
    /// Returns the first moment and the coming days of a recurring event. Returns `None` if it does
    /// not recur or has no date.
    fn days(
        &self,
        stamped: Option<Date>,
        moved: &HashSet<Date>,
        budget: &mut i64,
    ) -> Option<(DateTime, Vec<Date>)> {
        let (rule, start) = (self.rule.as_ref()?, self.entry.start?);
        let first = start.date();
        let from = stamped.unwrap_or(first).max(first);
        let mut days = rule.days(first, from, from.add_days(AHEAD)?, budget);
        days.retain(|day| !self.left_out.contains(day) && !moved.contains(day));
        Some((start, days))
    }
}

impl Entry {
    /// Moves the event to another day with the same hours.
    fn moved_to(&self, start: DateTime, day: Date) -> Option<Self> {
        let ahead = start.date().days_until(day);
        let moved = |moment: DateTime| {
            let day = moment.date().add_days(ahead)?;
            let plain = match moment.time() {
                Some(time) => DateTime::of_time(day, time),
                None => DateTime::of_day(day),
            };
            moment
                .offset()
                .map_or(Some(plain), |offset| plain.with_offset(offset))
        };
        Some(Self {
            start: Some(moved(start)?),
            end: self.end.and_then(moved),
            ..self.clone()
        })
    }
}

fn read_all(source: &str) -> Vec<Repeated> {
    let mut entries = Vec::new();
    let mut open: Option<Repeated> = None;
    // Alarms and the like are nested within an event and have properties with the same names.
    let mut inside = 0_usize;
    for line in unfolded(source) {
        let Some((name, parameters, value)) = property(&line) else {
            continue;
        };
        match (name.as_str(), &mut open) {
            ("BEGIN", _) if value.eq_ignore_ascii_case("VEVENT") => {
                open = Some(Repeated::default());
                inside = 0;
            }
            ("BEGIN", Some(_)) => inside += 1,
            ("END", Some(_)) if inside > 0 => inside -= 1,
            ("END", Some(_)) => entries.extend(open.take()),
            (_, Some(open)) if inside == 0 => read(open, &name, parameters, value),
            _ => {}
        }
    }
    entries
}

fn read(open: &mut Repeated, name: &str, parameters: &str, value: &str) {
    let entry = &mut open.entry;
    match name {
        "UID" => value.trim().clone_into(&mut open.id),
        "RRULE" => open.rule = Rule::parse(value),
        "EXDATE" => open.left_out.extend(value.split(',').filter_map(rule::day)),
        "RECURRENCE-ID" => open.instead_of = rule::day(value.trim()),
        "DTSTAMP" | "LAST-MODIFIED" => open.stamped = open.stamped.max(rule::day(value.trim())),
        "SUMMARY" => entry.name = unescaped(value),
        "LOCATION" => entry.place = unescaped(value),
        "GEO" => {
            entry.coordinates = coordinates::parse(value).map_or_else(|_| String::new(), |at| at.to_string());
        }
        "URL" => value.trim().clone_into(&mut entry.url),
        "STATUS" => value.trim().clone_into(&mut entry.status),
        "ORGANIZER" => entry.organiser = common_name(parameters),
        "DTSTART" => entry.start = moment(value),
        "DTEND" => {
            let end = moment(value);
            // The end of an event of whole days is the day after its last one.
            entry.end = match end.filter(|end| end.time().is_none()) {
                Some(after) => after.date().add_days(-1).map(DateTime::of_day),
                None => end,
            };
        }
        _ => {}
    }
}

/// Joins folded lines. A line that begins with white space continues the previous one.
fn unfolded(source: &str) -> impl Iterator<Item = String> {
    let mut lines = source.lines().peekable();
    std::iter::from_fn(move || {
        let mut line = lines.next()?.to_owned();
        while let Some(more) = lines.next_if(|next| next.starts_with([' ', '\t'])) {
            line.push_str(&more[1..]);
        }
        Some(line)
    })
}

/// Splits a property into name, parameters and value: `DTSTART;TZID=Europe/Berlin:20260503T193000`.
fn property(line: &str) -> Option<(String, &str, &str)> {
    let mut quoted = false;
    // A quoted parameter may contain a colon: `CN="Hall: East"`.
    let colon = line.find(|letter| {
        quoted ^= letter == '"';
        letter == ':' && !quoted
    })?;
    let (head, value) = (&line[..colon], &line[colon + 1..]);
    let (name, parameters) = head.split_once(';').unwrap_or((head, ""));
    Some((name.trim().to_ascii_uppercase(), parameters, value))
}

/// Parses a moment as local time. The name of a time zone is no offset; times in UTC keep theirs.
fn moment(value: &str) -> Option<DateTime> {
    let value = value.trim();
    let (day, time) = value.split_once('T').unwrap_or((value, ""));
    // The slices below need one byte for each character.
    if day.len() != 8 || !value.is_ascii() {
        return None;
    }
    let mut written = format!("{}-{}-{}", &day[..4], &day[4..6], &day[6..]);
    if time.len() >= 4 {
        written.push_str(&format!("T{}:{}", &time[..2], &time[2..4]));
        written.push_str(if time.ends_with('Z') { "Z" } else { "" });
    }
    date::parse_iso(&written)
}

/// Returns the common name: `Ashford Town Council` in `CN="Ashford Town Council"`.
fn common_name(parameters: &str) -> String {
    let mut names = parameters.split(';').filter_map(|part| part.strip_prefix("CN="));
    names.next().unwrap_or_default().trim_matches('"').to_owned()
}

fn unescaped(value: &str) -> String {
    let plain = value.replace("\\n", " ").replace("\\N", " ");
    text::tidy(&text::unescape(
        &plain
            .replace("\\,", ",")
            .replace("\\;", ";")
            .replace("\\\\", "\\"),
    ))
}

#[cfg(test)]
mod tests {
    use super::{entries, moment, property, unescaped, unfolded};
    use crate::testing::{clock, page};
    use magpie_sdk::extract::Layout;

    #[test]
    fn lines_are_joined_and_cut_into_their_parts() {
        let lines: Vec<String> =
            unfolded("SUMMARY:Night\r\n  Music\r\nURL:https://example.org/\r\n").collect();
        assert_eq!(lines, ["SUMMARY:Night Music", "URL:https://example.org/"]);
        let line = "ORGANIZER;CN=\"Council: Parks\":mailto:parks@example.org";
        let expected = (
            "ORGANIZER".to_owned(),
            "CN=\"Council: Parks\"",
            "mailto:parks@example.org",
        );
        assert_eq!(property(line), Some(expected));
        assert_eq!(property("nothing"), None);
        assert_eq!(unescaped("Hall\\, Room 2\\nAshford"), "Hall, Room 2 Ashford");
    }

    #[test]
    fn what_comes_again_is_given_on_each_day_to_come() {
        let page = page("<p>x");
        let layout = Layout::new(&page);
        let source = "BEGIN:VEVENT\nUID:a\nSUMMARY:Parks Board\nDTSTART:20260113T180000\nDTEND:20260113T193000\n\
            DTSTAMP:20260401T080000Z\nRRULE:FREQ=MONTHLY;BYDAY=2TU;UNTIL=20260801\nEXDATE:20260714T180000\nEND:VEVENT\n\
            BEGIN:VEVENT\nUID:a\nRECURRENCE-ID:20260512T180000\nSUMMARY:Parks Board\n\
            DTSTART:20260513T180000\nEND:VEVENT\n";
        let found = entries(source, &clock(&layout));
        let text = |moment: Option<magpie_sdk::date::DateTime>| {
            moment.map(|moment| moment.to_string()).unwrap_or_default()
        };
        let found: Vec<(String, String)> = found
            .iter()
            .map(|entry| (text(entry.start), text(entry.end)))
            .collect();
        let expected = [
            ("2026-04-14T18:00", "2026-04-14T19:30"),
            ("2026-06-09T18:00", "2026-06-09T19:30"),
            ("2026-05-13T18:00", ""),
        ];
        let expected: Vec<(String, String)> =
            expected.iter().map(|(a, b)| ((*a).into(), (*b).into())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn moments_keep_what_was_said() {
        let read = |value| moment(value).map(|moment| moment.to_string());
        assert_eq!(read("20260503T193000").as_deref(), Some("2026-05-03T19:30"));
        assert_eq!(read("20260503T173000Z").as_deref(), Some("2026-05-03T17:30Z"));
        assert_eq!(read("20260503").as_deref(), Some("2026-05-03"));
        assert_eq!(read("2026ü503"), None);
        assert_eq!(read(""), None);
    }
}
