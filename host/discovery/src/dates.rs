//! Dates as sitemaps, feeds and headers write them.

use magpie_values::Timestamp;
use magpie_values::date::Date;

const SECONDS_OF_DAY: i64 = 86_400;

/// Parses a date in a W3C form (`2024-05-01T10:00:00+02:00`, down to `2024`) or a mail form
/// (`Wed, 01 May 2024 10:00:00 GMT`, `01-May-24`). Omitted parts count as their start, an omitted
/// zone as UTC.
///
/// It takes more than [`Timestamp::parse`], which reads what programs write: sites write dates
/// with slashes, commas and zone names.
pub(crate) fn parse(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    // The longest form has about forty characters.
    if text.len() > 64 || !text.is_ascii() {
        return None;
    }
    parse_w3c(text)
        .or_else(|| parse_mail(text))
        .map(Timestamp::from_seconds)
}

fn parse_w3c(text: &str) -> Option<i64> {
    let (date, time) = match text.find(['T', 't', ' ']) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let mut parts = date.split(['-', '/']);
    let year_text = parts.next()?;
    if year_text.len() != 4 {
        return None;
    }
    let year = number(year_text)?;
    let month = parts.next().map_or(Some(1), number)?;
    let day = parts.next().map_or(Some(1), number)?;
    if parts.next().is_some() {
        return None;
    }
    let seconds = match time {
        Some(time) => seconds_of_time(time)?,
        None => 0,
    };
    at_midnight(year, month, day).map(|start| start + seconds)
}

fn at_midnight(year: u32, month: u32, day: u32) -> Option<i64> {
    let (month, day) = (u8::try_from(month).ok()?, u8::try_from(day).ok()?);
    let date = Date::new(i32::try_from(year).ok()?, month, day)?;
    Some(date.to_days() * SECONDS_OF_DAY)
}

/// Parses `10:00` or `10:00:00.5`, each with `Z`, `+02:00`, `+0200` or nothing after it. Subtracts
/// the offset.
fn seconds_of_time(text: &str) -> Option<i64> {
    let text = text.trim();
    let zone_at = text.find(['Z', 'z', '+', '-', ' ']).unwrap_or(text.len());
    let (clock, zone) = text.split_at(zone_at);
    Some(seconds_of_clock(clock)? - seconds_of_zone(zone.trim())?)
}

fn seconds_of_clock(clock: &str) -> Option<i64> {
    let mut parts = clock.split(':');
    let hour = number(parts.next()?)?;
    let minute = number(parts.next()?)?;
    let second = match parts.next() {
        Some(second) => number(second.split(['.', ',']).next()?)?,
        None => 0,
    };
    // Hour 24 and second 60 occur in correct dates: the end of a day, and a leap second.
    let is_time = hour <= 24 && minute < 60 && second <= 60 && parts.next().is_none();
    is_time.then(|| i64::from(hour * 3600 + minute * 60 + second))
}

/// Zones that mail names by letters.
const ZONES: [(&str, i64); 13] = [
    ("", 0),
    ("Z", 0),
    ("GMT", 0),
    ("UTC", 0),
    ("UT", 0),
    ("EST", -5),
    ("EDT", -4),
    ("CST", -6),
    ("CDT", -5),
    ("MST", -7),
    ("MDT", -6),
    ("PST", -8),
    ("PDT", -7),
];

fn seconds_of_zone(zone: &str) -> Option<i64> {
    if let Some((_, hours)) = ZONES.iter().find(|(name, _)| zone.eq_ignore_ascii_case(name)) {
        return Some(hours * 3600);
    }
    let sign = match zone.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let figures: String = zone[1..].chars().filter(|c| *c != ':').collect();
    let (hours, minutes) = match figures.len() {
        2 => (number(&figures)?, 0),
        4 => (number(&figures[..2])?, number(&figures[2..])?),
        _ => return None,
    };
    let is_zone = hours <= 15 && minutes < 60;
    is_zone.then(|| sign * i64::from(hours * 3600 + minutes * 60))
}

const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

fn parse_mail(text: &str) -> Option<i64> {
    // The day of the week is redundant.
    let text = text.split_once(',').map_or(text, |(_, date)| date).trim();
    let mut words = text.split_ascii_whitespace();
    let first = words.next()?;
    let (day, month, year) = match first.contains('-') {
        true => {
            let mut parts = first.split('-');
            (parts.next()?, parts.next()?, parts.next()?)
        }
        false => (first, words.next()?, words.next()?),
    };
    let month = month.get(..3)?.to_ascii_lowercase();
    let month = MONTHS.iter().position(|name| *name == month)? as u32 + 1;
    let year = match (year.len(), number(year)?) {
        (4, year) => year,
        // Two figures, as mail was once allowed to.
        (2, year) if year < 70 => 2000 + year,
        (2, year) => 1900 + year,
        _ => return None,
    };
    let clock = words.next().map_or(Some(0), seconds_of_clock)?;
    let zone = words.next().map_or(Some(0), seconds_of_zone)?;
    at_midnight(year, month, number(day)?).map(|start| start + clock - zone)
}

fn number(text: &str) -> Option<u32> {
    let is_number = !text.is_empty() && text.len() <= 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    fn parse(text: &str) -> Option<i64> {
        super::parse(text).map(super::Timestamp::as_seconds)
    }

    /// 1 May 2024.
    const DAY: i64 = 19_844 * 86_400;

    #[test]
    fn dates_of_sitemaps() {
        let day = DAY;
        assert_eq!(parse("2024-05-01"), Some(day));
        assert_eq!(parse("2024-05"), Some(day));
        assert_eq!(parse("2024"), Some(19_723 * 86_400));
        assert_eq!(parse("2024-05-01T10:30Z"), Some(day + 37_800));
        assert_eq!(parse("2024-05-01T10:30:05.25+02:00"), Some(day + 30_605));
        assert_eq!(parse(" 2024-05-01 10:30:00 "), Some(day + 37_800));
        assert_eq!(parse("2024-05-01T10:30:00-0330"), Some(day + 50_400));
    }

    #[test]
    fn dates_of_mail() {
        let day = DAY;
        assert_eq!(parse("Wed, 01 May 2024 10:30:00 GMT"), Some(day + 37_800));
        assert_eq!(parse("1 May 24 10:30 +0200"), Some(day + 30_600));
        assert_eq!(parse("Wednesday, 01-May-24 10:30:00 EST"), Some(day + 55_800));
        assert_eq!(parse("01 Jun 1999"), Some(10_743 * 86_400));
    }

    #[test]
    fn what_is_no_date() {
        for text in [
            "",
            "yesterday",
            "2024-13-01",
            "2023-02-29",
            "2024-05-01T25:00",
            "0",
            "1 Foo 2024",
            "2024-05-01T10:00:00+99:00",
            "１２３４",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
