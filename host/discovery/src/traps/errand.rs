//! URLs that do something, or show a page that has a URL of its own once more: told by the names
//! that shops, calendars and content management systems give them.

use magpie_model::CanonicalUrl;

use super::Trap;

/// Keys whose requests change something, export all data, or ask who the visitor is.
const ACTING_KEYS: [&str; 20] = [
    "_dl",
    "_stream",
    "add-to-cart",
    "add_to_cart",
    "add_to_compare",
    "add_to_wishlist",
    "add-to-wishlist",
    "addtocart",
    "apply_coupon",
    "empty-cart",
    "remove_compare_item",
    "remove_from_wishlist",
    "remove_item",
    "removed_item",
    "replytocom",
    "replytopost",
    "returnto",
    "undo_item",
    "unapproved",
    "wc-ajax",
];

/// Values of `action`, `do`, `task` and `mode` whose requests change something, or ask who the
/// visitor is.
const ACTIONS: [&str; 27] = [
    "add",
    "addtocart",
    "buy",
    "compare",
    "delete",
    "edit",
    "login",
    "logout",
    "lostpassword",
    "markpatrolled",
    "mcrundo",
    "new",
    "protect",
    "purge",
    "register",
    "remove",
    "reply",
    "report",
    "retire",
    "revert",
    "rollback",
    "submit",
    "subscribe",
    "unsubscribe",
    "unwatch",
    "vote",
    "watch",
];

/// Beginnings of such values.
const ACTION_BEGINNINGS: [&str; 5] = ["add_to_", "add-to-", "export", "yith-woocompare", "wpml"];

/// Keys of such values.
const ACTION_KEYS: [&str; 4] = ["action", "do", "mode", "task"];

/// Keys that sort what a list has.
const SORTING_KEYS: [&str; 11] = [
    "filter_orderby",
    "order_by",
    "orderby",
    "orderdirection",
    "product_list_dir",
    "product_list_order",
    "product_orderby",
    "sort_by",
    "sortby",
    "sortdir",
    "sortorder",
];

/// Keys that say how much of a list a page shows.
const SIZES: [&str; 6] = [
    "items_per_page",
    "pagesize",
    "per_page",
    "per-page",
    "product_list_limit",
    "product_list_mode",
];

/// Values of `order` and `sort` that only arrange a list.
const ORDERS: &[&str] = &[
    "asc",
    "desc",
    "price",
    "date",
    "name",
    "title",
    "popularity",
    "rating",
    "newest",
    "relevance",
];

/// Keys that sort a list or show it in another way where they have one of some values.
const VIEWS: [(&str, &[&str]); 10] = [
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

const SHARES: &[&str] = &[
    "email",
    "facebook",
    "linkedin",
    "pinterest",
    "pocket",
    "reddit",
    "telegram",
    "tumblr",
    "twitter",
    "whatsapp",
    "x",
];

/// Keys that ask for what a page says as a file of a calendar; its objects are those of the page.
const CALENDAR_FILES: [&str; 4] = ["ical", "ics", "outlook-ical", "webcal"];

/// Names at the beginning of a path, after a language at most, behind which is a service and no
/// page for readers.
const SERVICES: [&str; 14] = [
    "account",
    "basket",
    "cart",
    "checkout",
    "my-account",
    "oembed",
    "wp-admin",
    "wp-cron.php",
    "wp-json",
    "wp-login.php",
    "wp-login",
    "wp-signup.php",
    "wp-trackback.php",
    "xmlrpc.php",
];

/// Names at the end of a path or a title behind which a visitor logs in, or is sent to a page by
/// chance. A namespace may precede them: `Special:Random`.
const ERRANDS: [&str; 17] = [
    "createaccount",
    "log-in",
    "log-out",
    "login",
    "logout",
    "lost-password",
    "lostpassword",
    "random",
    "randompage",
    "sign-in",
    "sign-out",
    "sign-up",
    "signin",
    "signout",
    "signup",
    "userlogin",
    "userlogout",
];

/// Endings of files with the data of a whole site or list. Verticals read pages.
const EXPORTS: [&str; 9] = [
    ".csv", ".db", ".ods", ".parquet", ".sql", ".sqlite", ".tsv", ".xls", ".xlsx",
];

/// Finds the purpose of a URL that is not to read a page, or a page that has another URL.
pub(super) fn judge(url: &CanonicalUrl) -> Result<(), Trap> {
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
    // Further pages of lists often carry how the list is shown; alone it says nothing of which page
    // it is.
    let mut is_view = true;
    let mut last = String::new();
    for (key, value) in pairs {
        if acts(&key, &value) {
            return Err(Trap::Acts { key });
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

fn acts(key: &str, value: &str) -> bool {
    if key == "title" && value.contains([':', '%']) && is_errand(value) {
        return true;
    }
    // Some programs mark the names that are theirs.
    let key = key.trim_start_matches(['@', ':']);
    let key = key.strip_prefix("%40").or(key.strip_prefix("%3a")).unwrap_or(key);
    let is_action = || {
        ACTIONS.contains(&value)
            || ACTION_BEGINNINGS
                .iter()
                .any(|beginning| value.starts_with(beginning))
    };
    ACTING_KEYS.contains(&key) || (ACTION_KEYS.contains(&key) && is_action())
}

fn shows_again(key: &str, value: &str) -> bool {
    let is_file = CALENDAR_FILES.contains(&key) && matches!(value, "" | "1" | "true" | "yes");
    SORTING_KEYS.contains(&key) || is_file
}

fn is_way_of_showing(key: &str, value: &str) -> bool {
    let views = |(known, values): &(&str, &[&str])| *known == key && values.contains(&value);
    SIZES.contains(&key) || VIEWS.iter().any(views)
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
