//! Facts about a site that outlive a crawl.

use magpie_values::Timestamp;

/// A learned rule for the URLs of a site, as it is kept between runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptUrlRule {
    /// A word for what was learned.
    pub url_rule: String,
    /// The key that it is about; empty where it is about none.
    pub key: String,
    pub evidence: String,
    /// When, in milliseconds since 1970.
    pub learned_at: Timestamp,
}

/// A cookie as it is kept between runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cookie {
    pub domain: String,
    pub path: String,
    pub name: String,
    pub value: String,
    /// Sends the cookie to exactly this host, not to its subdomains.
    pub host_only: bool,
    /// Sends the cookie over TLS only.
    pub secure: bool,
    /// When it ends, in milliseconds since 1970; none for the end of the run.
    pub expires_at: Option<Timestamp>,
}

/// Facts that earlier crawls have learned of a site, beside its URLs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownSite {
    /// The feeds that its pages name.
    pub feeds: Vec<String>,
    /// The cookies that it has set.
    pub cookies: Vec<Cookie>,
    /// The rules by which it names its pages.
    pub url_rules: Vec<KeptUrlRule>,
}
