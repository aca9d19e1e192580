//! Days in paths of URLs.

use super::civil::Date;
use crate::text::truncate;

/// Returns the day in the path of a URL: as folders, `/2019/05/03/name`, of which `/2019/05` stands
/// for the middle of the month, or in a segment, `2024-04-20-name`, `name_2024_04_20`.
#[must_use]
pub fn day_in_path(url: &str) -> Option<Date> {
    /// Maximum number of bytes that are read.
    const MAX_PATH: usize = 1024;
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let steps: Vec<&str> = truncate(path, MAX_PATH)
        .split('/')
        .filter(|step| !step.is_empty())
        .collect();
    let folders = (0..steps.len()).find_map(|place| {
        let year = year(steps[place])?;
        let month = short(steps.get(place + 1)?)?;
        let day = steps.get(place + 2).and_then(|step| short(step));
        day.and_then(|day| Date::new(year, month, day))
            .or_else(|| Date::new(year, month, 15))
    });
    folders.or_else(|| steps.iter().rev().find_map(|step| in_segment(step)))
}

fn in_segment(step: &str) -> Option<Date> {
    let name = step.split('.').next().unwrap_or(step);
    let parts: Vec<&str> = name.split(['-', '_']).collect();
    parts.windows(3).find_map(|parts| {
        let two = |part: &str| short(part).filter(|_| part.len() == 2);
        Date::new(year(parts[0])?, two(parts[1])?, two(parts[2])?)
    })
}

/// Parses a year that pages have. Other numbers are products and prices.
fn year(step: &str) -> Option<i32> {
    let year = digits(step, 4).then(|| step.parse().ok())??;
    (1990..2100).contains(&year).then_some(year)
}

fn short(step: &str) -> Option<u8> {
    (digits(step, 1) || digits(step, 2)).then(|| step.parse().ok())?
}

fn digits(step: &str, count: usize) -> bool {
    step.len() == count && step.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::day_in_path;

    #[test]
    fn paths_have_days() {
        for (url, day) in [
            ("https://example.org/2019/05/03/night-music/", Some("2019-05-03")),
            ("/blog/2019/05/night-music", Some("2019-05-15")),
            ("/view/30939_2024_04_20?page=2", Some("2024-04-20")),
            ("/events/2025-03-21-dia-da-arvore/", Some("2025-03-21")),
            ("/events/2025-03-21-dia-da-arvore/index.html", Some("2025-03-21")),
            ("/2019/13/", None),
            ("/broadside-of-1776-2/", None),
            ("/night-music-2-2", None),
            ("", None),
        ] {
            let found = day_in_path(url).map(|day| day.to_string());
            assert_eq!(found.as_deref(), day, "{url}");
        }
    }
}
