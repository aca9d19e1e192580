//! Dates and times that are written in several parts (`2009-06-26`, `7pm`, `+08:00`).

/// Joins the parts of a value: a whole date and time if that comes first, or the first date, time
/// and zone. Returns `None` if no part is any of these.
pub(super) fn join(parts: &[String], day: Option<&str>) -> Option<String> {
    let (mut date, mut time, mut zone) = (None, None, None);
    for part in parts {
        let part = part.trim();
        if date.is_none() && time.is_none() && is_whole(part) {
            return Some(part.to_owned());
        }
        if date.is_none() && is_date(part) {
            date = Some(part.to_owned());
        } else if let Some((read_time, read_zone)) = split_time(part).filter(|_| time.is_none()) {
            time = Some(read_time);
            zone = zone.or(read_zone);
        } else if zone.is_none() && is_zone(part) {
            zone = Some(part.to_owned());
        }
    }
    let date = date.or_else(|| day.filter(|_| time.is_some()).map(str::to_owned));
    // The rules for values in parts write zones without a colon.
    let zone = zone.unwrap_or_default().replace(':', "").to_ascii_uppercase();
    let time = time.map(|time| time + &zone);
    match (date, time) {
        (Some(date), Some(time)) => Some(format!("{date} {time}")),
        (one, other) => one.or(other),
    }
}

/// A value in one part; a time alone gets the day of the item.
pub(super) fn complete(value: &str, day: Option<&str>) -> String {
    // Items often give the day at the start alone: `10:00` to `12:00`.
    match (split_time(value), day) {
        (Some(_), Some(_)) => join(&[value.to_owned()], day).unwrap_or_else(|| value.to_owned()),
        _ => value.to_owned(),
    }
}

/// The date at the start of a value.
pub(super) fn day_of(value: &str) -> Option<&str> {
    let end = value.find(['T', 't', ' ']).unwrap_or(value.len());
    let day = &value[..end];
    is_date(day).then_some(day)
}

/// `2009-06-26`, `2009-177`, `2009-06`.
fn is_date(text: &str) -> bool {
    let mut parts = text.split('-');
    let digits = |part: Option<&str>, lengths: &[usize]| {
        part.is_some_and(|part| {
            lengths.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    digits(parts.next(), &[4])
        && digits(parts.next(), &[2, 3])
        && parts.next().is_none_or(|day| digits(Some(day), &[2]))
        && parts.next().is_none()
}

fn is_whole(text: &str) -> bool {
    let Some(at) = text.find(['T', 't', ' ']) else {
        return false;
    };
    is_date(&text[..at]) && split_time(&text[at + 1..]).is_some()
}

/// `Z`, `+08:00`, `-0800`, `+8`.
fn is_zone(text: &str) -> bool {
    if text.eq_ignore_ascii_case("z") {
        return true;
    }
    let Some(offset) = text.strip_prefix(['+', '-']) else {
        return false;
    };
    (1..=5).contains(&offset.len())
        && offset.bytes().all(|byte| byte.is_ascii_digit() || byte == b':')
        && offset.starts_with(|c: char| c.is_ascii_digit())
}

/// The time of a text as `hh:mm` or `hh:mm:ss`, and its zone.
fn split_time(text: &str) -> Option<(String, Option<String>)> {
    let text = text.trim();
    let at = text.find(['+', '-', 'Z', 'z']).unwrap_or(text.len());
    let (time, zone) = text.split_at(at);
    if !zone.is_empty() && !is_zone(zone) {
        return None;
    }
    Some((clock(time.trim())?, (!zone.is_empty()).then(|| zone.to_owned())))
}

/// `19:30`, `7:30pm`, `7 p.m.` on the clock of 24 hours.
fn clock(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase().replace('.', "");
    let (numbers, half) = match lower
        .strip_suffix('m')
        .and_then(|rest| rest.char_indices().last().map(|last| (rest, last)))
    {
        Some((rest, (at, half @ ('a' | 'p')))) => (rest[..at].trim_end(), Some(half)),
        Some(_) => return None,
        None => (lower.as_str(), None),
    };
    let parts: Vec<&str> = numbers.split(':').collect();
    let fine = |part: &&str| (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    // A lone number is a time only with `am` or `pm` beside it.
    if parts.len() > 3 || !parts.iter().all(fine) || (parts.len() == 1 && half.is_none()) {
        return None;
    }
    let hour: u8 = parts[0].parse().ok()?;
    let hour = match half {
        Some('p') if hour < 12 => hour + 12,
        Some('a') if hour == 12 => 0,
        _ => hour,
    };
    // ISO 8601 allows 24:00 for the end of a day.
    if hour > 24 {
        return None;
    }
    let rest = if parts.len() == 1 {
        vec!["00"]
    } else {
        parts[1..].to_vec()
    };
    Some(format!("{hour:02}:{}", rest.join(":")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_joined() {
        let cases: [(&[&str], Option<&str>, &str); 13] = [
            (&["2009-06-26", "19:00"], None, "2009-06-26 19:00"),
            (&["7:30pm", "2009-06-26"], None, "2009-06-26 19:30"),
            (&["2009-06-26", "7 p.m.", "-08:00"], None, "2009-06-26 19:00-0800"),
            (&["2009-06-26", "19:00Z"], None, "2009-06-26 19:00Z"),
            (&["12am"], Some("2009-06-26"), "2009-06-26 00:00"),
            (&["12pm"], Some("2009-06-26"), "2009-06-26 12:00"),
            (&["2009-06-26T19:00-08", "x"], None, "2009-06-26T19:00-08"),
            (&["2009-06-26"], None, "2009-06-26"),
            (&["2009-177"], None, "2009-177"),
            (&["19:00:15"], None, "19:00:15"),
            (
                &["00:00", "2099-12-31 23:59", "2009-06-26"],
                None,
                "2009-06-26 00:00",
            ),
            (&["2009-06-26", "10:00", "11:00+01:00"], None, "2009-06-26 10:00"),
            (&["soon"], Some("2009-06-26"), ""),
        ];
        for (parts, day, expected) in cases {
            let parts: Vec<String> = parts.iter().map(|&part| part.to_owned()).collect();
            assert_eq!(join(&parts, day).unwrap_or_default(), expected, "{parts:?}");
        }
    }

    #[test]
    fn odd_texts_are_no_times() {
        for text in ["", "7", "m", "pm", "25:00", "1:2:3:4", "7:é", "tomorrow"] {
            assert_eq!(split_time(text), None, "{text}");
        }
        assert_eq!(complete("19:00", Some("2009-06-26")), "2009-06-26 19:00");
        assert_eq!(complete("26 June", Some("2009-06-26")), "26 June");
    }
}
