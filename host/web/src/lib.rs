//! The network: one request, one recorded exchange.
//!
//! - [`Client::fetch`] makes one hop. It never follows a redirect, because every hop has to pass
//!   robots.txt, scope, the address policy and the politeness of its host, which the caller checks.
//!   [`follow`] does so for a single page.
//! - [`AddressPolicy`] is asked about every address before a connection is made, so a name that
//!   changes its address between two lookups gains nothing.
//! - [`Throttle`] computes the time of the next request to a host, with its reason. It has no clock
//!   and no timer.
//! - [`Backoff`] and [`retry_after`] compute the time of the next attempt of a failed request.
//!
//! Servers are untrusted: every phase has a timeout, everything that grows has a size limit, and
//! each is a field of [`Timeouts`], [`Limits`] or [`ConnectionSettings`] with its default as a
//! named constant. Nothing here prints, reads the environment or the home directory, and no error
//! or `Debug` output shows a password.

mod accept;
mod address;
mod client;
mod connect;
mod cookies;
mod credentials;
mod date;
mod dns;
mod error;
mod exchange;
mod follow;
mod heads;
mod kept;
mod pool;
mod redirect;
mod request;
mod retry;
mod safe_url;
mod settings;
mod throttle;

pub use accept::MediaTypes;
pub use address::{AddressPolicy, AddressRange, BadRange, NamedRange, Refusal};
pub use client::{BadSettings, Client};
pub use connect::{BadAuthorities, BadProxy, ConnectError, Proxy, ProxyError, TlsError, TlsSettings};
pub use cookies::{Cookie, CookieJar, CookieLimits};
pub use credentials::Credentials;
pub use date::parse_http_date;
pub use dns::{BadOverride, Override, Resolution, Resolve, ResolveError, Resolving};
pub use error::{Cause, FetchError, FetchErrorKind, Phase};
pub use exchange::{Exchange, Protocol, Timings, Truncation};
pub use follow::{FollowError, Followed, MAX_REDIRECTS, follow};
pub use kept::Kept;
pub use redirect::{BadRedirect, RedirectKind};
pub use request::{Request, Validators};
pub use retry::{Backoff, BackoffSettings, retry_after};
pub use safe_url::{SafeUrl, masked};
pub use settings::{ClientSettings, ConnectionSettings, DnsSettings, Limits, Timeouts};
pub use throttle::{Answer, NextRequest, Throttle, ThrottleSettings, ThrottleState, WaitReason};
