//! Settings of a client.

use std::sync::Arc;
use std::time::Duration;

use crate::{AddressPolicy, CookieLimits, Credentials, Override, Proxy, Resolve, TlsSettings};

#[derive(Clone)]
pub struct ClientSettings {
    /// The `User-Agent`. It should name the crawler and a page or an address of its operator.
    pub user_agent: String,
    /// Languages in order of preference, as in `Accept-Language`. Nothing is sent when empty.
    pub accept_language: String,
    /// Fields that every request gets. They replace those that the client would send.
    pub headers: Vec<(String, String)>,
    pub timeouts: Timeouts,
    pub limits: Limits,
    pub connections: ConnectionSettings,
    /// Addresses that may be connected to.
    pub addresses: AddressPolicy,
    pub dns: DnsSettings,
    pub tls: TlsSettings,
    /// Through what requests go, if not directly.
    pub proxy: Option<Proxy>,
    /// Hosts that are reached directly although there is a proxy: a name stands for itself and its
    /// subdomains, an address or a range such as `10.0.0.0/8` for hosts that are addresses, `*` for
    /// all hosts. These are the forms that the variable `no_proxy` has elsewhere.
    pub no_proxy: Vec<String>,
    /// Basic authentication: an origin (`https://example.org:8443`) and what it is given.
    pub credentials: Vec<(String, Credentials)>,
    /// Limits of cookies. With `None` no cookies are kept or sent.
    pub cookies: Option<CookieLimits>,
}

/// The user agent when nothing is set.
const USER_AGENT: &str = concat!(
    "magpie/",
    env!("CARGO_PKG_VERSION"),
    " (+https://github.com/magpie-crawler/magpie)"
);

impl Default for ClientSettings {
    fn default() -> ClientSettings {
        ClientSettings {
            user_agent: USER_AGENT.to_owned(),
            accept_language: String::new(),
            headers: Vec::new(),
            timeouts: Timeouts::default(),
            limits: Limits::default(),
            connections: ConnectionSettings::default(),
            addresses: AddressPolicy::default(),
            dns: DnsSettings::default(),
            tls: TlsSettings::default(),
            proxy: None,
            no_proxy: Vec::new(),
            credentials: Vec::new(),
            cookies: Some(CookieLimits::default()),
        }
    }
}

/// Timeouts of the phases of a fetch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeouts {
    pub dns: Duration,
    /// Connecting, all addresses of a name together.
    pub connect: Duration,
    pub tls: Duration,
    /// From the request to the end of the response's head.
    pub first_byte: Duration,
    /// Between two pieces of a body.
    pub idle: Duration,
    /// The whole fetch.
    pub whole: Duration,
    /// The slowest body, in bytes per second; 0 for any.
    pub minimum_rate: u64,
    /// Time for which a body may be slower than that.
    pub rate_grace: Duration,
}

impl Timeouts {
    /// A resolver asks each of its servers twice with 5 s in between. One that needs longer does
    /// not answer.
    pub const DNS: Duration = Duration::from_secs(10);
    /// A lost SYN is sent again after 1, 3 and 7 s.
    pub const CONNECT: Duration = Duration::from_secs(10);
    /// Two round trips and a signature; the same as for connecting.
    pub const TLS: Duration = Duration::from_secs(10);
    /// Slow shops render a page in seconds.
    pub const FIRST_BYTE: Duration = Duration::from_secs(15);
    /// Longer than TCP needs for three lost packets in a row.
    pub const IDLE: Duration = Duration::from_secs(15);
    /// The largest body allowed at 280 KB/s; no page takes a minute that is worth it.
    pub const WHOLE: Duration = Duration::from_secs(60);
    /// A page of 60 KB within the whole time. Less is a tarpit.
    pub const MINIMUM_RATE: u64 = 1024;
    /// Time for a server that sends the start of a page and then computes the rest.
    const RATE_GRACE: Duration = Duration::from_secs(5);
}

impl Default for Timeouts {
    fn default() -> Timeouts {
        Timeouts {
            dns: Timeouts::DNS,
            connect: Timeouts::CONNECT,
            tls: Timeouts::TLS,
            first_byte: Timeouts::FIRST_BYTE,
            idle: Timeouts::IDLE,
            whole: Timeouts::WHOLE,
            minimum_rate: Timeouts::MINIMUM_RATE,
            rate_grace: Timeouts::RATE_GRACE,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The bytes of the response's head, together with the interim (1xx) heads before it.
    pub head_bytes: usize,
    pub head_fields: usize,
    /// Maximum number of interim (1xx) responses.
    pub interim_responses: usize,
    /// The bytes of the body as it comes over the wire.
    pub body_bytes: usize,
    /// The bytes of the body after its codings were undone.
    pub decoded_bytes: usize,
    /// Maximum ratio of the size of a body to its compressed size, beyond the first megabyte.
    pub ratio: usize,
}

impl Limits {
    /// Servers refuse heads beyond 8 to 64 KiB. hyper's smallest buffer is 8 KiB.
    pub const HEAD_BYTES: usize = 64 * 1024;
    /// Real heads have 10 to 60 fields, and common clients take no more than this either. With
    /// more, hyper allocates for the list of every response, which costs a few percent of a fetch.
    pub const HEAD_FIELDS: usize = 100;
    /// `103 Early Hints` comes once or twice.
    const INTERIM_RESPONSES: usize = 16;
    /// Pages are under 10 MB; what is larger is a download.
    pub const BODY_BYTES: usize = 16 * 1024 * 1024;
    /// The same for the page that comes out, since that is what is kept and parsed.
    const DECODED_BYTES: usize = 16 * 1024 * 1024;
    /// HTML inflates 3 to 20 times, a page of nothing but table cells 100 times; gzip reaches
    /// 1,000.
    pub const RATIO: usize = 200;
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            head_bytes: Limits::HEAD_BYTES,
            head_fields: Limits::HEAD_FIELDS,
            interim_responses: Limits::INTERIM_RESPONSES,
            body_bytes: Limits::BODY_BYTES,
            decoded_bytes: Limits::DECODED_BYTES,
            ratio: Limits::RATIO,
        }
    }
}

/// Limits of connections. The number of requests in flight is decided by the
/// [`Throttle`](crate::Throttle) and the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionSettings {
    /// Idle connections in all. The one idle for longest is closed for a new one.
    pub idle_total: usize,
    /// Idle connections per host.
    pub idle_per_host: usize,
    /// Time for which an idle connection is kept.
    pub idle_time: Duration,
    /// Offers HTTP/2 to servers (over TLS).
    pub http2: bool,
}

impl ConnectionSettings {
    /// A process may often have only 1,024 files open, and the database and the archive want some.
    const IDLE_TOTAL: usize = 256;
    /// More than are used at a time by default.
    const IDLE_PER_HOST: usize = 2;
    /// Servers close after 5 to 75 s. A connection must survive the delay between two requests
    /// (seconds), or politeness would cost a handshake per page.
    const IDLE_TIME: Duration = Duration::from_secs(60);
}

impl Default for ConnectionSettings {
    fn default() -> ConnectionSettings {
        ConnectionSettings {
            idle_total: ConnectionSettings::IDLE_TOTAL,
            idle_per_host: ConnectionSettings::IDLE_PER_HOST,
            idle_time: ConnectionSettings::IDLE_TIME,
            http2: true,
        }
    }
}

#[derive(Clone)]
pub struct DnsSettings {
    /// Addresses that were set by hand; the resolver is not asked for these.
    pub overrides: Vec<Override>,
    /// Maximum number of parallel lookups. Others wait, within [`Timeouts::dns`].
    pub concurrent: usize,
    /// Answers are kept at least this long, even if their lifetime is shorter.
    pub shortest: Duration,
    /// Answers are kept at most this long.
    pub longest: Duration,
    /// Lifetime of an answer without one, as from the system's resolver.
    pub unknown: Duration,
    /// Lifetime of the answer that a name has no address.
    pub negative: Duration,
    /// Maximum number of answers to keep.
    pub entries: usize,
    /// The resolver to ask; `None` for the system's resolver.
    pub resolver: Option<Arc<dyn Resolve>>,
}

impl DnsSettings {
    /// Each lookup holds a thread of the blocking pool. A home router drops queries beyond some
    /// dozens.
    const CONCURRENT: usize = 32;
    /// Load balancers use 0 to 60 s. A crawler asks the same host every second and need not see
    /// each change.
    const SHORTEST: Duration = Duration::from_secs(30);
    /// A site that moves is found again within a quarter of a day.
    const LONGEST: Duration = Duration::from_secs(6 * 60 * 60);
    /// The commonest value that is set by hand.
    const UNKNOWN: Duration = Duration::from_secs(300);
    /// RFC 2308 allows hours; a minute keeps a short outage short.
    const NEGATIVE: Duration = Duration::from_secs(60);
    /// About 200 bytes each.
    const ENTRIES: usize = 10_000;
}

impl Default for DnsSettings {
    fn default() -> DnsSettings {
        DnsSettings {
            overrides: Vec::new(),
            concurrent: DnsSettings::CONCURRENT,
            shortest: DnsSettings::SHORTEST,
            longest: DnsSettings::LONGEST,
            unknown: DnsSettings::UNKNOWN,
            negative: DnsSettings::NEGATIVE,
            entries: DnsSettings::ENTRIES,
            resolver: None,
        }
    }
}
