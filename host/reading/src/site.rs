//! Addresses of a site, compared as people would.

use magpie_values::language;

/// The address without what does not change the page: scheme, `www.`, fragment, name of an index
/// file, and the slash at its end.
pub(crate) fn address(url: &str) -> String {
    let (rest, _) = url.split_once('#').unwrap_or((url, ""));
    let rest = rest.split_once("://").map_or(rest, |(_, rest)| rest);
    let rest = rest.strip_prefix("www.").unwrap_or(rest);
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let path = path
        .strip_suffix("/index.html")
        .or_else(|| path.strip_suffix("/index.php"))
        .unwrap_or(path)
        .trim_end_matches('/');
    match query {
        "" => path.to_owned(),
        query => format!("{path}?{query}"),
    }
}

/// The host without `www.`.
pub(crate) fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    host.strip_prefix("www.").unwrap_or(host)
}

/// The path and query of an address.
pub(crate) fn path(address: &str) -> &str {
    address.find('/').map_or("", |at| &address[at..])
}

/// The shape of an address: its first folder, apart from a language. `/en/events/2025/fair` has
/// the shape `events/**`, `/about` has `*`, and the entry has `/`.
pub(crate) fn shape(url: &str) -> String {
    let address = address(url);
    let path = path(&address);
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let mut folders = path.split('/').filter(|folder| !folder.is_empty()).peekable();
    folders.next_if(|first| is_language(first));
    match (folders.next(), folders.next()) {
        (None, _) if query.is_empty() => "/".to_owned(),
        (None, _) => "/?".to_owned(),
        (Some(_), None) => "*".to_owned(),
        (Some(first), Some(_)) if first.bytes().filter(u8::is_ascii_digit).count() > 2 => "#/**".to_owned(),
        (Some(first), Some(_)) => format!("{first}/**"),
    }
}

/// The group of an address: its folders with numbers as `#`, and the arguments of its query but for
/// the last. `/events/2025-07/fair` has the group `events/#-#/*`. Pages of a group are made for one
/// purpose, where those of a shape may have several.
pub(crate) fn group(url: &str) -> String {
    let address = address(url);
    let path = path(&address);
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let mut folders: Vec<&str> = path.split('/').filter(|folder| !folder.is_empty()).collect();
    if folders.first().is_some_and(|first| is_language(first)) {
        folders.remove(0);
    }
    let last = folders.pop();
    let mut group = without_numbers(&folders.join("/"));
    let mut arguments: Vec<&str> = query.split('&').filter(|argument| !argument.is_empty()).collect();
    match (last, arguments.pop()) {
        (None, None) => return "/".to_owned(),
        (Some(_), None) => group.push_str("/*"),
        // The page is named by the argument, and the path names the kind.
        (last, Some(own)) => {
            let key = own.split('=').next().unwrap_or_default();
            let rest = arguments.join("&");
            group = format!("{group}/{}?{rest}&{key}=*", last.unwrap_or_default());
            group = without_numbers(&group);
        }
    }
    group.trim_start_matches('/').to_owned()
}

/// The name of a list: its address without its language, and with numbers as `#`, so that all pages
/// of it have one name. Lists of one template may list different kinds of objects.
pub(crate) fn list(url: &str) -> String {
    let address = address(url);
    let path = path(&address).trim_start_matches('/');
    let (first, rest) = path.split_once('/').unwrap_or((path, ""));
    without_numbers(if is_language(first) { rest } else { path })
}

/// A text with `#` in place of each run of digits.
fn without_numbers(text: &str) -> String {
    let mut shortened = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '0'..='9' if shortened.ends_with('#') => {}
            '0'..='9' => shortened.push('#'),
            other => shortened.push(other),
        }
    }
    shortened
}

/// The first folder of a reference as it is written, or nothing if it names a page beside it.
pub(crate) fn folder(reference: &str) -> &str {
    let rest = reference.split_once("://").map_or(reference, |(_, rest)| rest);
    let path = if rest.len() < reference.len() {
        path(rest)
    } else {
        rest
    };
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let mut folders = path
        .split('/')
        .filter(|folder| !matches!(*folder, "" | "." | ".."));
    let first = folders.next();
    first.filter(|_| folders.next().is_some()).unwrap_or_default()
}

fn is_language(folder: &str) -> bool {
    let primary = folder.split(['-', '_']).next().unwrap_or_default();
    primary.len() == 2 && folder.len() <= 5 && language::normalise(folder).is_ok()
}

#[cfg(test)]
mod tests {
    use super::group;

    #[test]
    fn pages_of_one_purpose_are_a_group() {
        let cases = [
            ("https://www.site.example/", "/"),
            ("https://site.example/en/", "/"),
            ("https://site.example/about", "*"),
            ("https://site.example/events/2025-07/fair/", "events/#-#/*"),
            ("https://site.example/pt/events/2025-07-11-feira", "events/*"),
            ("https://site.example/x/archive/08-2026.html", "x/archive/*"),
            (
                "https://site.example/index.cfm?kind=show&id=7",
                "index.cfm?kind=show&id=*",
            ),
            ("https://site.example/show.asp?id=7", "show.asp?&id=*"),
        ];
        for (url, expected) in cases {
            assert_eq!(group(url), expected, "{url}");
        }
    }
}
