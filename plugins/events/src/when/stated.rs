//! Dates that are stated for machines, and what the page shows beside them.

use magpie_sdk::date::{DateTime, Time};

/// What a machine-readable date and the text beside it say together. The text is what people go by:
/// many pages call their local time UTC, and as many convert it rightly.
pub(crate) fn reconcile(stated: DateTime, shown: Option<DateTime>) -> DateTime {
    let stated = without_midnight(to_minute(stated));
    let Some(shown) = shown.filter(|shown| stated.days_until(*shown).abs() <= 1) else {
        return stated;
    };
    match (stated.time(), shown.time()) {
        (None, Some(_)) if stated.same_day(shown) => shown,
        (Some(_), Some(_)) if stated.offset() == Some(0) => as_shown(stated, shown),
        // Noon in Greenwich is another thing machines write when only the day is known.
        (Some(time), None) if stated.offset() == Some(0) && time.to_seconds() == 12 * 3600 => shown,
        _ => stated,
    }
}

/// A moment in UTC as the clock on the page shows it, with the offset that follows from the two.
fn as_shown(stated: DateTime, shown: DateTime) -> DateTime {
    /// Zones are a multiple of this many minutes away from UTC.
    const ZONE_STEP: i64 = 15;
    let ahead = (shown.to_unix(0) - stated.to_unix(0)) / 60;
    let is_zone = ahead != 0 && ahead % ZONE_STEP == 0 && ahead.abs() <= 14 * 60;
    let wall = shown
        .time()
        .map_or(shown, |time| DateTime::of_time(shown.date(), time));
    if is_zone {
        i16::try_from(ahead)
            .ok()
            .and_then(|ahead| wall.with_offset(ahead))
            .unwrap_or(wall)
    } else {
        wall
    }
}

/// Midnight is what machines write when only the day is known.
pub(crate) fn without_midnight(moment: DateTime) -> DateTime {
    if moment.time().is_some_and(|time| time.to_seconds() == 0) {
        DateTime::of_day(moment.date())
    } else {
        moment
    }
}

/// A moment without seconds: nothing begins at a second, machines only write them.
pub(crate) fn to_minute(moment: DateTime) -> DateTime {
    let Some(time) = moment.time().filter(|time| time.second().is_some()) else {
        return moment;
    };
    let Some(time) = Time::new(time.hour(), time.minute(), None) else {
        return moment;
    };
    let minute = DateTime::of_time(moment.date(), time);
    moment
        .offset()
        .and_then(|offset| minute.with_offset(offset))
        .unwrap_or(minute)
}

#[cfg(test)]
mod tests {
    use super::reconcile;
    use magpie_sdk::date::parse_iso;

    #[test]
    fn the_clock_on_the_page_decides_over_universal_time() {
        let check = |stated: &str, shown: &str, expected: &str| {
            let stated = parse_iso(stated).unwrap_or_else(|| panic!("{stated}"));
            assert_eq!(reconcile(stated, parse_iso(shown)).to_string(), expected);
        };
        check(
            "2026-05-03T17:30:00Z",
            "2026-05-03T19:30",
            "2026-05-03T19:30+02:00",
        );
        check("2026-05-03T19:30:00Z", "2026-05-03T19:30", "2026-05-03T19:30");
        check("2026-05-03", "2026-05-03T19:30", "2026-05-03T19:30");
        check(
            "2026-05-03T19:30+02:00",
            "2026-06-01T20:00",
            "2026-05-03T19:30+02:00",
        );
        check("2026-05-03T00:00:00", "2026-05-03", "2026-05-03");
        check("2026-05-03T12:00:00Z", "2026-05-03", "2026-05-03");
    }
}
