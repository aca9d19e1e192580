//! Cookies by the rules of RFC 6265bis, as far as a client without scripts needs them.
//!
//! `SameSite` is ignored, since every request of a crawler is started by its user, and so is
//! `HttpOnly`, which is about scripts. A jar is bounded per site and in total: servers with endless
//! cookies and crawls of many sites push out the oldest.

mod parse;
mod site;

use std::collections::HashMap;

use magpie_values::Timestamp;
use magpie_values::domain::is_public_suffix;
use url::{Host, Url};

use parse::Parsed;
use site::{domain_matches, path_matches, site_of};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CookieLimits {
    /// Cookies per site (registrable domain).
    pub per_site: usize,
    /// Bytes of names and values per site.
    pub site_bytes: usize,
    /// Cookies in all.
    pub total: usize,
    /// Bytes of names and values in all.
    pub total_bytes: usize,
}

impl CookieLimits {
    /// The least that RFC 6265bis, 6.1, asks for.
    pub const PER_SITE: usize = 50;
    /// They all go into one request, whose head servers refuse beyond 8 KiB.
    pub const SITE_BYTES: usize = 6 * 1024;
    /// Room for a thousand sites with ten cookies each.
    const TOTAL: usize = 10_000;
    /// A small share of a crawl's memory.
    const TOTAL_BYTES: usize = 2 * 1024 * 1024;
}

impl Default for CookieLimits {
    fn default() -> CookieLimits {
        CookieLimits {
            per_site: CookieLimits::PER_SITE,
            site_bytes: CookieLimits::SITE_BYTES,
            total: CookieLimits::TOTAL,
            total_bytes: CookieLimits::TOTAL_BYTES,
        }
    }
}

/// One cookie, as a row to keep.
#[derive(Clone, PartialEq, Eq)]
pub struct Cookie {
    /// Its name; may be empty.
    pub name: String,
    pub value: String,
    /// The host that set it, or the domain it named.
    pub domain: String,
    /// Sends the cookie to exactly this host, not to its subdomains.
    pub host_only: bool,
    /// The path below which it is sent.
    pub path: String,
    /// Sends the cookie over https only.
    pub secure: bool,
    /// When it ends, in milliseconds since 1970; `None` for the end of the run.
    pub expires: Option<Timestamp>,
    /// When it was set first, in milliseconds since 1970.
    pub created: Timestamp,
}

impl std::fmt::Debug for Cookie {
    /// Omits the value, which may be a session of a user.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Cookie")
            .field("name", &self.name)
            .field("domain", &self.domain)
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl Cookie {
    fn bytes(&self) -> usize {
        self.name.len() + self.value.len()
    }

    fn is_past(&self, now: Timestamp) -> bool {
        self.expires.is_some_and(|expires| expires <= now)
    }

    fn is_same(&self, other: &Cookie) -> bool {
        self.name == other.name
            && self.domain == other.domain
            && self.host_only == other.host_only
            && self.path == other.path
    }

    fn fits(&self, host: &str, url: &Url) -> bool {
        let fits_host = if self.host_only {
            self.domain == host
        } else {
            domain_matches(host, &self.domain)
        };
        fits_host && path_matches(url.path(), &self.path) && (!self.secure || url.scheme() == "https")
    }
}

/// The cookies of one site, the latest set last.
#[derive(Debug, Default)]
struct Site {
    cookies: Vec<Cookie>,
    bytes: usize,
    /// When a cookie was set last, as a count of settings.
    turn: u64,
}

#[derive(Debug)]
pub struct CookieJar {
    limits: CookieLimits,
    sites: HashMap<String, Site>,
    count: usize,
    bytes: usize,
    turn: u64,
}

impl CookieJar {
    pub fn new(limits: CookieLimits) -> CookieJar {
        CookieJar {
            limits,
            sites: HashMap::new(),
            count: 0,
            bytes: 0,
            turn: 0,
        }
    }

    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns true if there are no cookies.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Takes the value of a `Set-Cookie` field. Says whether a cookie was kept.
    pub fn set(&mut self, url: &Url, field: &str, now: Timestamp) -> bool {
        let Some(parsed) = Parsed::read(field, now) else {
            return false;
        };
        let Some(cookie) = received(parsed, url, now) else {
            return false;
        };
        if self.hides_secure(&cookie, url) {
            return false;
        }
        self.keep(cookie, now)
    }

    /// Returns the `Cookie` field for a request.
    pub fn field(&self, url: &Url, now: Timestamp) -> Option<String> {
        if self.sites.is_empty() {
            return None;
        }
        let host = host_text(url)?;
        let site = self.sites.get(site_of(&host))?;
        let fits = |cookie: &&Cookie| !cookie.is_past(now) && cookie.fits(&host, url);
        let mut cookies: Vec<&Cookie> = site.cookies.iter().filter(fits).collect();
        // RFC 6265bis, 5.8.3: longer paths first, then the older ones.
        cookies.sort_by_key(|cookie| (std::cmp::Reverse(cookie.path.len()), cookie.created));
        let mut field = String::new();
        for cookie in cookies {
            if !field.is_empty() {
                field.push_str("; ");
            }
            if !cookie.name.is_empty() {
                field.push_str(&cookie.name);
                field.push('=');
            }
            field.push_str(&cookie.value);
        }
        (!field.is_empty()).then_some(field)
    }

    /// Every cookie that still holds, to keep them over a restart.
    pub fn export(&self, now: Timestamp) -> Vec<Cookie> {
        let mut sites: Vec<(&String, &Site)> = self.sites.iter().collect();
        sites.sort_by_key(|(_, site)| site.turn);
        let cookies = sites.into_iter().flat_map(|(_, site)| &site.cookies);
        cookies.filter(|cookie| !cookie.is_past(now)).cloned().collect()
    }

    /// Takes cookies that were exported. Those that do not hold any more are left out.
    pub fn import(&mut self, cookies: impl IntoIterator<Item = Cookie>, now: Timestamp) {
        for cookie in cookies {
            self.keep(cookie, now);
        }
    }

    /// Returns true if a cookie that came without encryption would shadow one that needs it (RFC
    /// 6265bis, 5.7, step 16).
    fn hides_secure(&self, cookie: &Cookie, url: &Url) -> bool {
        if cookie.secure || url.scheme() == "https" {
            return false;
        }
        let Some(site) = self.sites.get(site_of(&cookie.domain)) else {
            return false;
        };
        site.cookies.iter().any(|known| {
            known.secure
                && known.name == cookie.name
                && (domain_matches(&known.domain, &cookie.domain)
                    || domain_matches(&cookie.domain, &known.domain))
                && path_matches(&cookie.path, &known.path)
        })
    }

    fn keep(&mut self, mut cookie: Cookie, now: Timestamp) -> bool {
        let key = site_of(&cookie.domain).to_owned();
        let site = self.sites.entry(key.clone()).or_default();
        let (count, bytes) = (site.cookies.len(), site.bytes);
        if let Some(index) = site.cookies.iter().position(|known| known.is_same(&cookie)) {
            let known = site.cookies.remove(index);
            site.bytes -= known.bytes();
            // RFC 6265bis, 5.7: a cookie that is replaced keeps its time of creation, which decides
            // the order in which cookies are sent.
            cookie.created = known.created.min(cookie.created);
        }
        // A date in the past is how a server takes a cookie back.
        let kept = !cookie.is_past(now) && cookie.bytes() <= self.limits.site_bytes;
        if kept {
            site.bytes += cookie.bytes();
            site.cookies.push(cookie);
            self.turn += 1;
            site.turn = self.turn;
            site.push_out(&self.limits, now);
        }
        self.count = self.count + site.cookies.len() - count;
        self.bytes = self.bytes + site.bytes - bytes;
        if site.cookies.is_empty() {
            self.sites.remove(&key);
        }
        self.push_out();
        kept
    }

    /// Drops whole sites, those without a new cookie for the longest time first.
    fn push_out(&mut self) {
        while self.count > self.limits.total || self.bytes > self.limits.total_bytes {
            // Whole sites are dropped, since half of the cookies of a site would be useless.
            let oldest = self.sites.iter().min_by_key(|(_, site)| site.turn);
            let Some(oldest) = oldest.map(|(key, _)| key.clone()) else {
                return;
            };
            if let Some(site) = self.sites.remove(&oldest) {
                self.count -= site.cookies.len();
                self.bytes -= site.bytes;
            }
        }
    }
}

impl Site {
    fn push_out(&mut self, limits: &CookieLimits, now: Timestamp) {
        if self.cookies.len() <= limits.per_site && self.bytes <= limits.site_bytes {
            return;
        }
        self.cookies.retain(|cookie| !cookie.is_past(now));
        self.bytes = self.cookies.iter().map(Cookie::bytes).sum();
        while self.cookies.len() > limits.per_site || self.bytes > limits.site_bytes {
            self.bytes -= self.cookies.remove(0).bytes();
        }
    }
}

/// The host as cookies compare it: names without their last dot, addresses as they are.
fn host_text(url: &Url) -> Option<String> {
    match url.host()? {
        Host::Domain(name) => Some(name.trim_end_matches('.').to_owned()),
        Host::Ipv4(address) => Some(address.to_string()),
        Host::Ipv6(address) => Some(format!("[{address}]")),
    }
}

/// RFC 6265bis, 5.7: the checks that need to know who sent it.
fn received(parsed: Parsed, url: &Url, now: Timestamp) -> Option<Cookie> {
    let host = host_text(url)?;
    let (domain, host_only) = match parsed.domain {
        Some(domain) if domain == host => (
            host,
            is_public_suffix(&domain) || matches!(url.host(), Some(Host::Ipv4(_) | Host::Ipv6(_))),
        ),
        Some(domain) if !is_public_suffix(&domain) && domain_matches(&host, &domain) => (domain, false),
        Some(_) => return None,
        None => (host, true),
    };
    let is_https = url.scheme() == "https";
    if parsed.secure && !is_https {
        return None;
    }
    let path = parsed
        .path
        .unwrap_or_else(|| site::default_path(url.path()).to_owned());
    // Names that promise how they were set. A cookie without a name must not look like one.
    let promise = if parsed.name.is_empty() {
        &parsed.value
    } else {
        &parsed.name
    };
    let promise = promise.to_ascii_lowercase();
    let keeps_promise = if promise.starts_with("__secure-") {
        parsed.secure
    } else if promise.starts_with("__host-") {
        parsed.secure && host_only && path == "/"
    } else {
        true
    };
    if !keeps_promise
        || (parsed.name.is_empty() && (promise.starts_with("__secure-") || promise.starts_with("__host-")))
    {
        return None;
    }
    Some(Cookie {
        name: parsed.name,
        value: parsed.value,
        domain,
        host_only,
        path,
        secure: parsed.secure,
        expires: parsed.expires,
        created: now,
    })
}

#[cfg(test)]
mod tests;
