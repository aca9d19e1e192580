//! Matching of hosts and paths that belong together.

use magpie_values::domain;

/// The registrable domain of a host, or the host itself when it is an address or has none.
pub(super) fn site_of(host: &str) -> &str {
    // IP addresses have no domain. Those of IPv6 are in brackets, those of IPv4 end in a digit,
    // which no top-level domain does.
    let is_address = host.ends_with(']') || host.ends_with(|last: char| last.is_ascii_digit());
    if is_address {
        return host;
    }
    domain::registrable(host).unwrap_or(host)
}

/// RFC 6265bis, 5.1.3: the same name, or one below it. What is below an address is no name.
pub(super) fn domain_matches(host: &str, domain: &str) -> bool {
    let is_below = || {
        host.strip_suffix(domain)
            .is_some_and(|before| before.ends_with('.'))
            && !host.ends_with(|last: char| last.is_ascii_digit())
    };
    host == domain || is_below()
}

/// RFC 6265bis, 5.1.4.
pub(super) fn path_matches(path: &str, cookie_path: &str) -> bool {
    path.strip_prefix(cookie_path)
        .is_some_and(|rest| rest.is_empty() || cookie_path.ends_with('/') || rest.starts_with('/'))
}

/// The path up to its last slash, without it.
pub(super) fn default_path(path: &str) -> &str {
    match path.rfind('/') {
        Some(end) if end > 0 && path.starts_with('/') => &path[..end],
        _ => "/",
    }
}
