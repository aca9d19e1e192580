//! Named time zones. The data lies in a library of its own, so it comes as the feature `tz`, which
//! guests that do not need it leave out.

use super::value::DateTime;

/// Minutes east of UTC that clocks in the zone (`Europe/Berlin`) showed at that local time; none
/// for zones that are not known. In the hour that occurs twice the first is meant; a time that was
/// skipped counts as before the skip.
#[cfg(feature = "tz")]
#[must_use]
pub fn offset_at(zone: &str, local: DateTime) -> Option<i16> {
    let zone = jiff::tz::TimeZone::get(zone).ok()?;
    let (date, time) = (local.date(), local.time());
    let clock = |part: fn(super::value::Time) -> u8| time.map_or(0, part) as i8;
    let local = jiff::civil::DateTime::new(
        date.year() as i16,
        date.month() as i8,
        date.day() as i8,
        clock(super::value::Time::hour),
        clock(super::value::Time::minute),
        0,
        0,
    );
    let timestamp = zone.to_timestamp(local.ok()?).ok()?;
    i16::try_from(zone.to_offset(timestamp).seconds() / 60).ok()
}

/// Without the feature `tz` no zone is known by its name.
#[cfg(not(feature = "tz"))]
#[must_use]
pub fn offset_at(_zone: &str, _local: DateTime) -> Option<i16> {
    None
}
