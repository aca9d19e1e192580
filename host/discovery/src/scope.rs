//! Scope of a crawl: the URLs that belong to it.

use std::fmt;

use magpie_model::{CanonicalUrl, HostKey, SiteKey, UrlReason};
use regex::{RegexSet, RegexSetBuilder};

/// The extent of a crawl around its seeds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// The hosts of the seeds.
    Host,
    /// The sites of the seeds: all hosts of their registrable domains.
    #[default]
    Site,
    /// Only the hosts that are listed.
    Listed,
    /// Everywhere.
    Anywhere,
}

/// Settings for the URLs of a crawl.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeSettings {
    pub seeds: Vec<CanonicalUrl>,
    /// The extent around them.
    pub reach: Reach,
    /// Further hosts: `shop.example`, `shop.example:8080`, `*.shop.example` for all subdomains.
    pub hosts: Vec<String>,
    /// If not empty, one of these regular expressions must match a URL. Seeds are exempt.
    pub include: Vec<String>,
    /// Regular expressions of which none may be found in the URL.
    pub exclude: Vec<String>,
    /// URLs whose pages were removed for good.
    pub forgotten: Vec<ForgottenUrls>,
    /// Links away from a seed.
    pub max_depth: Option<u32>,
    /// Maximum length of a URL in bytes.
    pub max_url_bytes: usize,
    /// Segments of a path.
    pub max_segments: usize,
}

/// URLs whose pages were removed for good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForgottenUrls {
    /// A regular expression that is found in them.
    pub regex: String,
    /// The reason that is kept with them.
    pub detail: String,
}

/// Length that servers and proxies are expected to accept, and that sitemaps may use.
const MAX_URL_BYTES: usize = 2048;

/// Real paths have up to about a dozen.
const MAX_SEGMENTS: usize = 32;

/// Memory of the patterns of one crawl once compiled.
const PATTERN_BYTES: usize = 4 * 1024 * 1024;

/// Patterns of one kind. A list of thousands of URLs is no list of patterns.
const MAX_PATTERNS: usize = 1_000;

impl Default for ScopeSettings {
    fn default() -> Self {
        ScopeSettings {
            seeds: Vec::new(),
            reach: Reach::default(),
            hosts: Vec::new(),
            include: Vec::new(),
            exclude: Vec::new(),
            forgotten: Vec::new(),
            max_depth: None,
            max_url_bytes: MAX_URL_BYTES,
            max_segments: MAX_SEGMENTS,
        }
    }
}

#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidScope {
    /// Patterns that cannot be read or are too large.
    #[error("invalid {list} pattern: {source}")]
    Pattern {
        /// `include`, `exclude` or `forgotten`.
        list: &'static str,
        source: regex::Error,
    },
    /// More patterns than can be tried on each URL.
    #[error("there are {count} {list} patterns; at most {MAX_PATTERNS} can be tried on each URL")]
    TooManyPatterns {
        /// `include`, `exclude` or `forgotten`.
        list: &'static str,
        count: usize,
    },
    #[error("invalid host {0:?}: expected shop.example, shop.example:8080 or *.shop.example")]
    Host(String),
}

/// Reason why a URL does not belong to a crawl. Displays as a plain sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutOfScope {
    OtherHost(HostKey),
    OtherSite(SiteKey),
    UnlistedHost(HostKey),
    /// An exclude pattern is found in it.
    Excluded(String),
    /// Its pages were removed for good, for this reason.
    Forgotten(String),
    /// No include pattern is found in it.
    NotIncluded,
    /// More links away from a seed than the limit.
    TooDeep {
        depth: u32,
        limit: u32,
    },
    TooLong {
        bytes: usize,
        limit: usize,
    },
    TooManySegments {
        segments: usize,
        limit: usize,
    },
}

/// Decides which URLs belong to a crawl.
#[derive(Clone, Debug)]
pub struct Scope {
    settings: ScopeSettings,
    seed_hosts: Vec<HostKey>,
    seed_sites: Vec<SiteKey>,
    include: RegexSet,
    exclude: RegexSet,
    forgotten: RegexSet,
}

impl Scope {
    /// A scope by settings, or what is wrong with them.
    pub fn new(settings: &ScopeSettings) -> Result<Scope, InvalidScope> {
        let mut settings = settings.clone();
        for host in &mut settings.hosts {
            *host = read_host(host)?;
        }
        let unique = |mut keys: Vec<HostKey>| {
            keys.sort();
            keys.dedup();
            keys
        };
        let seed_hosts = unique(settings.seeds.iter().map(HostKey::of).collect());
        let mut seed_sites: Vec<SiteKey> = seed_hosts.iter().map(HostKey::site).collect();
        seed_sites.sort();
        seed_sites.dedup();
        Ok(Scope {
            include: compile("include", &settings.include)?,
            exclude: compile("exclude", &settings.exclude)?,
            forgotten: {
                let forgotten = settings.forgotten.iter();
                let regexes: Vec<String> = forgotten.map(|urls| urls.regex.clone()).collect();
                compile("forgotten", &regexes)?
            },
            seed_hosts,
            seed_sites,
            settings,
        })
    }

    /// Returns an error if a URL at this number of links from a seed does not belong to the crawl.
    pub fn judge(&self, url: &CanonicalUrl, depth: u32) -> Result<(), OutOfScope> {
        // The cheapest questions come first, because every link of the crawl is judged here.
        self.judge_size(url)?;
        if let Some(limit) = self.settings.max_depth.filter(|limit| depth > *limit) {
            return Err(OutOfScope::TooDeep { depth, limit });
        }
        self.judge_host(url)?;
        if let Some(detail) = self.forgotten(url.as_str()) {
            return Err(OutOfScope::Forgotten(detail.to_owned()));
        }
        if let Some(found) = self.exclude.matches(url.as_str()).iter().next() {
            return Err(OutOfScope::Excluded(self.settings.exclude[found].clone()));
        }
        // A seed was named by the user, who wants it even if the patterns are about the pages
        // behind it.
        let is_free = self.include.is_empty() || depth == 0;
        if !is_free && !self.include.is_match(url.as_str()) {
            return Err(OutOfScope::NotIncluded);
        }
        Ok(())
    }

    /// Returns the reason for which the pages of a URL were removed for good. `None` if they were
    /// not.
    pub fn forgotten(&self, url: &str) -> Option<&str> {
        let found = self.forgotten.matches(url).iter().next()?;
        Some(&self.settings.forgotten[found].detail)
    }

    fn judge_size(&self, url: &CanonicalUrl) -> Result<(), OutOfScope> {
        let (bytes, limit) = (url.as_str().len(), self.settings.max_url_bytes);
        if bytes > limit {
            return Err(OutOfScope::TooLong { bytes, limit });
        }
        let segments = memchr::memchr_iter(b'/', url.path().as_bytes()).count();
        let limit = self.settings.max_segments;
        match segments > limit {
            true => Err(OutOfScope::TooManySegments { segments, limit }),
            false => Ok(()),
        }
    }

    /// Returns an error if the host of a URL is not part of the crawl. The path is not checked.
    pub fn judge_host(&self, url: &CanonicalUrl) -> Result<(), OutOfScope> {
        let authority = url.authority();
        if self.settings.reach == Reach::Anywhere
            || self.settings.hosts.iter().any(|host| names(host, authority))
        {
            return Ok(());
        }
        let is_seed_host = self.seed_hosts.iter().any(|host| host.as_str() == authority);
        match self.settings.reach {
            Reach::Host if !is_seed_host => Err(OutOfScope::OtherHost(HostKey::of(url))),
            Reach::Listed => Err(OutOfScope::UnlistedHost(HostKey::of(url))),
            // Most links stay on the seed's host, which is of its site.
            Reach::Site if !is_seed_host && !self.seed_sites.iter().any(|site| site.holds(url)) => {
                Err(OutOfScope::OtherSite(SiteKey::of(url)))
            }
            _ => Ok(()),
        }
    }
}

fn compile(list: &'static str, patterns: &[String]) -> Result<RegexSet, InvalidScope> {
    let count = patterns.len();
    if count > MAX_PATTERNS {
        return Err(InvalidScope::TooManyPatterns { list, count });
    }
    RegexSetBuilder::new(patterns)
        // A short pattern can describe a machine of any size: `a{1000}{1000}`.
        .size_limit(PATTERN_BYTES)
        .dfa_size_limit(PATTERN_BYTES)
        .build()
        .map_err(|source| InvalidScope::Pattern { list, source })
}

fn read_host(written: &str) -> Result<String, InvalidScope> {
    let host = written.trim().to_ascii_lowercase();
    let bare = host.strip_prefix("*.").unwrap_or(&host);
    // The parser decides what a host is, and the rest of the URL must stay empty.
    let url = url::Url::parse(&format!("http://{bare}/"));
    let is_host =
        url.is_ok_and(|url| url.path() == "/" && url.query().is_none() && url.username().is_empty());
    match is_host && !bare.contains(['*', '#', '@']) {
        true => Ok(host),
        false => Err(InvalidScope::Host(written.to_owned())),
    }
}

/// Returns true if an entry of the list names a host. An entry without a port covers all ports.
fn names(entry: &str, authority: &str) -> bool {
    let bare_host = || match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => host,
        _ => authority,
    };
    let fits = |host: &str| match entry.strip_prefix('*') {
        // `*.shop.example` covers subdomains and the host itself.
        Some(end) => host.ends_with(end) || host == &end[1..],
        None => host == entry,
    };
    fits(authority) || fits(bare_host())
}

impl OutOfScope {
    /// Returns the reason that is kept with the URL.
    pub fn reason(&self) -> UrlReason {
        match self {
            OutOfScope::OtherHost(_) => UrlReason::OtherHost,
            OutOfScope::OtherSite(_) => UrlReason::OtherSite,
            OutOfScope::UnlistedHost(_) => UrlReason::UnlistedHost,
            OutOfScope::Excluded(_) => UrlReason::Excluded,
            OutOfScope::Forgotten(_) => UrlReason::Forgotten,
            OutOfScope::NotIncluded => UrlReason::NotIncluded,
            OutOfScope::TooDeep { .. } => UrlReason::TooDeep,
            OutOfScope::TooLong { .. } => UrlReason::TooLong,
            OutOfScope::TooManySegments { .. } => UrlReason::TooManySegments,
        }
    }
}

impl fmt::Display for OutOfScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OutOfScope::OtherHost(host) => {
                write!(f, "{host} is another host, and the crawl stays on its hosts")
            }
            OutOfScope::OtherSite(site) => {
                write!(f, "{site} is another site, and the crawl stays on its sites")
            }
            OutOfScope::UnlistedHost(host) => write!(f, "{host} is not among the listed hosts"),
            OutOfScope::Excluded(pattern) => write!(f, "the pattern {pattern} excludes it"),
            OutOfScope::Forgotten(detail) => f.write_str(detail),
            OutOfScope::NotIncluded => f.write_str("no include pattern matches it"),
            OutOfScope::TooDeep { depth, limit } => {
                write!(
                    f,
                    "it is {depth} links away from a seed, more than the limit of {limit}"
                )
            }
            OutOfScope::TooLong { bytes, limit } => {
                write!(f, "the URL has {bytes} bytes, more than the limit of {limit}")
            }
            OutOfScope::TooManySegments { segments, limit } => {
                write!(
                    f,
                    "the path has {segments} segments, more than the limit of {limit}"
                )
            }
        }
    }
}

impl std::error::Error for OutOfScope {}

#[cfg(test)]
mod tests {
    use super::{ForgottenUrls, InvalidScope, Reach, Scope, ScopeSettings};
    use magpie_model::CanonicalUrl;

    fn url(text: &str) -> CanonicalUrl {
        CanonicalUrl::trusted(text).expect("canonical")
    }

    fn settings(reach: Reach) -> ScopeSettings {
        ScopeSettings {
            seeds: vec![url("https://www.shop.example/start")],
            reach,
            ..Default::default()
        }
    }

    fn judge(settings: &ScopeSettings, page: &str) -> Result<(), &'static str> {
        let scope = Scope::new(settings).expect("a scope");
        scope
            .judge(&url(page), 1)
            .map_err(|why| &*why.reason().to_string().leak())
    }

    #[test]
    fn how_far_a_crawl_goes() {
        let cases = [
            (
                "https://www.shop.example/a",
                [Ok(()), Ok(()), Err("unlisted-host"), Ok(())],
            ),
            (
                "http://www.shop.example/a",
                [Ok(()), Ok(()), Err("unlisted-host"), Ok(())],
            ),
            (
                "https://blog.shop.example/",
                [Err("other-host"), Ok(()), Err("unlisted-host"), Ok(())],
            ),
            (
                "https://notshop.example/",
                [Err("other-host"), Err("other-site"), Err("unlisted-host"), Ok(())],
            ),
            (
                "https://static.cdn.example:8080/",
                [Ok(()), Ok(()), Ok(()), Ok(())],
            ),
        ];
        for (page, expected) in cases {
            let reaches = [Reach::Host, Reach::Site, Reach::Listed, Reach::Anywhere];
            for (reach, expected) in reaches.into_iter().zip(expected) {
                let mut settings = settings(reach);
                settings.hosts = vec!["*.cdn.example".to_owned()];
                assert_eq!(judge(&settings, page), expected, "{page} {reach:?}");
            }
        }
    }

    #[test]
    fn patterns_and_limits() {
        let mut settings = settings(Reach::Site);
        settings.include = vec!["/books/".to_owned(), r"\?id=\d+$".to_owned()];
        settings.exclude = vec!["/books/old".to_owned()];
        settings.forgotten = vec![ForgottenUrls {
            regex: "^https://www.shop.example/books/secret$".to_owned(),
            detail: "forgotten".to_owned(),
        }];
        settings.max_depth = Some(3);
        assert_eq!(judge(&settings, "https://www.shop.example/books/1"), Ok(()));
        assert_eq!(judge(&settings, "https://www.shop.example/x?id=7"), Ok(()));
        assert_eq!(
            judge(&settings, "https://www.shop.example/x?id=seven"),
            Err("not-included")
        );
        assert_eq!(
            judge(&settings, "https://www.shop.example/books/old/1"),
            Err("excluded")
        );
        assert_eq!(
            judge(&settings, "https://www.shop.example/books/secret"),
            Err("forgotten")
        );
        assert_eq!(judge(&settings, "https://www.shop.example/books/secrets"), Ok(()));
        let scope = Scope::new(&settings).expect("a scope");
        assert!(
            scope.judge(&url("https://www.shop.example/start"), 0).is_ok(),
            "a seed is not asked"
        );
        let deep = scope
            .judge(&url("https://www.shop.example/books/1"), 4)
            .expect_err("too deep");
        assert_eq!(
            deep.to_string(),
            "it is 4 links away from a seed, more than the limit of 3"
        );
        let long = format!("https://www.shop.example/{}", "a".repeat(2048));
        assert_eq!(judge(&settings, &long), Err("too-long"));
        let nested = format!("https://www.shop.example/books{}", "/a".repeat(40));
        assert_eq!(judge(&settings, &nested), Err("too-many-segments"));
    }

    #[test]
    fn wrong_settings_are_refused() {
        let with = |change: fn(&mut ScopeSettings)| {
            let mut settings = settings(Reach::Site);
            change(&mut settings);
            Scope::new(&settings)
        };
        let bad = with(|settings| settings.include.push("(".to_owned()));
        assert!(matches!(bad, Err(InvalidScope::Pattern { list: "include", .. })));
        let large = with(|settings| settings.exclude.push(r"(\w{1000}){1000}".to_owned()));
        assert!(matches!(
            large,
            Err(InvalidScope::Pattern { list: "exclude", .. })
        ));
        let host = with(|settings| settings.hosts.push("shop.example/books".to_owned()));
        assert!(matches!(host, Err(InvalidScope::Host(_))));
    }
}
