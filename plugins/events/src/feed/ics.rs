//! iCalendar (RFC 5545), as far as events need it.

use magpie_sdk::date::{self, DateTime};
use magpie_sdk::text;

use super::Entry;
use crate::when::Clock;

/// The events of a calendar. A repeated event is given once, on its first day.
pub(super) fn entries(source: &str, _: &Clock<'_>) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut open: Option<Entry> = None;
    // Alarms and the like stand within an event and have properties of the same names.
    let mut inside = 0_usize;
    for line in unfolded(source) {
        let Some((name, parameters, value)) = property(&line) else {
            continue;
        };
        match (name.as_str(), &mut open) {
            ("BEGIN", _) if value.eq_ignore_ascii_case("VEVENT") => {
                open = Some(Entry::default());
                inside = 0;
            }
            ("BEGIN", Some(_)) => inside += 1,
            ("END", Some(_)) if inside > 0 => inside -= 1,
            ("END", Some(_)) => entries.extend(open.take()),
            (_, Some(entry)) if inside == 0 => read(entry, &name, parameters, value),
            _ => {}
        }
    }
    entries
}

fn read(entry: &mut Entry, name: &str, parameters: &str, value: &str) {
    match name {
        "SUMMARY" => entry.name = unescaped(value),
        "LOCATION" => entry.place = unescaped(value),
        "URL" => value.trim().clone_into(&mut entry.url),
        "STATUS" => value.trim().clone_into(&mut entry.status),
        "ORGANIZER" => entry.organiser = common_name(parameters),
        "DTSTART" => entry.start = moment(value),
        "DTEND" => {
            let end = moment(value);
            // The end of whole days is the day after the last one.
            entry.end = match end.filter(|end| end.time().is_none()) {
                Some(after) => after.date().add_days(-1).map(DateTime::of_day),
                None => end,
            };
        }
        _ => {}
    }
}

/// Lines of any length are broken, and go on behind white space.
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

/// `DTSTART;TZID=Europe/Berlin:20260503T193000`: the name, the parameters and the value.
fn property(line: &str) -> Option<(String, &str, &str)> {
    let mut quoted = false;
    let colon = line.find(|letter| {
        quoted ^= letter == '"';
        letter == ':' && !quoted
    })?;
    let (head, value) = (&line[..colon], &line[colon + 1..]);
    let (name, parameters) = head.split_once(';').unwrap_or((head, ""));
    Some((name.trim().to_ascii_uppercase(), parameters, value))
}

/// A moment by the clock of its place; the zone's name is no offset, and what is said in UTC keeps that.
fn moment(value: &str) -> Option<DateTime> {
    let value = value.trim();
    let (day, time) = value.split_once('T').unwrap_or((value, ""));
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

/// `CN="Ashford Town Council"`.
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
    use super::{moment, property, unescaped, unfolded};

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
    fn moments_keep_what_was_said() {
        let read = |value| moment(value).map(|moment| moment.to_string());
        assert_eq!(read("20260503T193000").as_deref(), Some("2026-05-03T19:30"));
        assert_eq!(read("20260503T173000Z").as_deref(), Some("2026-05-03T17:30Z"));
        assert_eq!(read("20260503").as_deref(), Some("2026-05-03"));
        assert_eq!(read("2026ü503"), None);
        assert_eq!(read(""), None);
    }
}
