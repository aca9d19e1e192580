//! URLs of services, and those that show a page again that has a URL of its own: recognised by the
//! names that shops, calendars and content management systems give them.

use magpie_model::CanonicalUrl;

use super::trap::Trap;
use crate::Acts;

magpie_values::word_lists! { "errand.txt";
    SORTING_KEYS: Words = "sorting_key";
    SIZE_KEYS: Words = "size_key";
    ORDERS: Words = "order";
    DIRECTIONS: Words = "direction";
    FILE_ORDERS: Words = "file_order";
    SHARES: Words = "share";
    CALENDAR_FILES: Words = "calendar_file";
    SERVICES: Words = "service";
    ERRANDS: Words = "errand";
    EXPORTS: Words = "export";
}

/// Keys that sort a list or show it in another way where they have one of some values.
const VIEWS: [(&str, &[&str]); 11] = [
    ("c", FILE_ORDERS),
    ("dir", &["asc", "desc"]),
    (
        "limit",
        &[
            "5", "9", "10", "12", "15", "20", "24", "25", "30", "36", "48", "50", "60", "75", "96", "100",
            "all",
        ],
    ),
    ("mode", &["grid", "list", "table"]),
    ("order", ORDERS),
    ("print", &["1", "true", "yes", "print", "pdf"]),
    ("share", SHARES),
    ("sort", ORDERS),
    ("tmpl", &["component", "print"]),
    ("view", &["grid", "list", "table", "print"]),
    ("view_mode", &["grid", "list", "table"]),
];

/// Finds the purpose of a URL that is not to read a page, or a page that has another URL.
pub(super) fn judge(url: &CanonicalUrl, acts: &Acts) -> Result<(), Trap> {
    if let Some(by) = acts.of_url(url.path(), url.query()) {
        return Err(Trap::Acts { by });
    }
    if let Some(name) = service(url.path()) {
        return Err(Trap::Service {
            name: name.to_owned(),
        });
    }
    let path = url.path().trim_end_matches('/').to_ascii_lowercase();
    let last = path.rsplit('/').next().unwrap_or_default();
    let ending = EXPORTS.iter().find(|ending| last.ends_with(*ending));
    let errand = is_errand(last).then_some(last);
    if let Some(name) = errand.or(ending.copied()) {
        return Err(Trap::Service {
            name: name.to_owned(),
        });
    }
    let Some(query) = url.query() else {
        return Ok(());
    };
    let pairs = query.split('&').map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        (key.to_ascii_lowercase(), value.to_ascii_lowercase())
    });
    // Further pages of lists often carry how the list is shown; alone it does not decide which page
    // it is.
    let mut is_view = true;
    let mut last = String::new();
    for (key, value) in pairs {
        if key == "title" && value.contains([':', '%']) && is_errand(&value) {
            return Err(Trap::Service { name: value });
        }
        if shows_again(&key, &value) {
            return Err(Trap::ShowsAgain { key });
        }
        is_view &= is_way_of_showing(&key, &value);
        last = key;
    }
    match is_view {
        true => Err(Trap::ShowsAgain { key: last }),
        false => Ok(()),
    }
}

/// Returns true if a URL is that of a feed, by its path.
pub(super) fn is_feed(url: &CanonicalUrl) -> bool {
    let path = url.path().trim_end_matches('/');
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    matches!(
        name,
        "feed" | "rss" | "atom" | "feed.xml" | "rss.xml" | "atom.xml" | "index.xml" | "feed.json"
    ) || name.ends_with(".rss")
        || name.ends_with(".atom")
}

/// Returns true for a name behind which there is no page to read.
fn is_errand(name: &str) -> bool {
    let name = name.rsplit_once(':').map_or(name, |(_, name)| name);
    let name = name.rsplit_once("%3a").map_or(name, |(_, name)| name);
    ERRANDS.contains(&name)
}

fn shows_again(key: &str, value: &str) -> bool {
    let is_file = CALENDAR_FILES.contains(&key) && matches!(value, "" | "1" | "true" | "yes");
    SORTING_KEYS.contains(&key) || is_file
}

fn is_way_of_showing(key: &str, value: &str) -> bool {
    let views = |(known, values): &(&str, &[&str])| *known == key && values.contains(&value);
    let direction = || value.rsplit(['-', '_', '.']).next().unwrap_or_default();
    let is_sorted = || matches!(key, "order" | "sort") && DIRECTIONS.contains(&direction());
    SIZE_KEYS.contains(&key) || VIEWS.iter().any(views) || is_sorted()
}

/// The name of a service in a path.
fn service(path: &str) -> Option<&str> {
    let mut segments = path.split('/').filter(|segment| !segment.is_empty());
    let first = segments.next()?;
    let is_language = first.len() == 2 || (first.len() == 5 && matches!(first.as_bytes()[2], b'-' | b'_'));
    let first = match is_language {
        true => segments.next()?,
        false => first,
    };
    SERVICES.contains(&first).then_some(first)
}
