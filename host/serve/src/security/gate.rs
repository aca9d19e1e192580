//! Who has sent a request, and what the server knows for telling.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use axum::extract::Request;
use axum::http::{HeaderMap, header};
use magpie_http::{HostNames, split_host};
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;

use super::proxy::{self, TrustedProxy, one};
use super::session::{Holder, Sessions, random};
use super::throttle::Throttle;
use crate::accounts::{Accounts, AccountsFile, Role};
use crate::audit::{Audit, Log};

/// Passwords that are verified at the same time. Each takes 19 MiB.
const MAX_VERIFYING: usize = 2;

/// Random letters of a name: 80 bits.
const NAME_LETTERS: usize = 20;

/// The way in which the sender of a request is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Via {
    Nothing,
    Link,
    Login,
    Key,
    Proxy,
}

impl fmt::Display for Via {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Via::Nothing => "nothing",
            Via::Link => "link",
            Via::Login => "login",
            Via::Key => "key",
            Via::Proxy => "proxy",
        })
    }
}

/// The sender of a request.
#[derive(Clone, Debug)]
pub(crate) struct Visitor {
    /// The account, or the reader whom a proxy names.
    pub(crate) name: Option<String>,
    pub(crate) via: Via,
    /// None for a stranger, who may read nothing but what is open to all.
    pub(crate) role: Option<Role>,
    pub(crate) address: IpAddr,
    /// The browser speaks https to the proxy in front of the server.
    pub(super) is_https: bool,
    /// There are accounts.
    pub(crate) can_log_in: bool,
}

impl Visitor {
    pub(crate) fn is_operator(&self) -> bool {
        self.role == Some(Role::Operator)
    }
}

/// The rules for requests to one server.
pub(crate) struct Gate {
    pub(super) names: HostNames,
    /// The random host name in the link that begins a session. A browser sends the cookie of a name
    /// to all of its ports, and no program at another port knows this name.
    pub(crate) own_name: Option<String>,
    pub(super) sessions: Sessions,
    pub(super) proxy: Option<TrustedProxy>,
    pub(crate) accounts: AccountsFile,
    pub(crate) audit: Audit,
    pub(super) throttle: Throttle,
    pub(super) verifying: Arc<Semaphore>,
    /// Other machines reach the server.
    pub(super) is_reached: bool,
    /// Everybody may read.
    pub(super) is_public: bool,
}

/// Choices of whoever starts a server.
pub(crate) struct GateOptions<'a> {
    pub(crate) folder: &'a Path,
    /// Further names of the server.
    pub(crate) hosts: &'a [String],
    pub(crate) proxy: Option<TrustedProxy>,
    pub(crate) is_public: bool,
    pub(crate) log: Option<Log>,
}

impl Gate {
    /// The rules of a server at these addresses.
    pub(crate) fn new(addresses: &[SocketAddr], options: GateOptions<'_>) -> Gate {
        let own_name = own_name(addresses);
        let mut hosts = options.hosts.to_vec();
        let port = addresses.first().map_or(0, SocketAddr::port);
        hosts.extend(own_name.as_ref().map(|name| format!("{name}:{port}")));
        Gate {
            names: HostNames::new(addresses, &hosts),
            own_name,
            sessions: Sessions::default(),
            proxy: options.proxy,
            accounts: AccountsFile::new(options.folder),
            audit: Audit::new(options.folder, options.log),
            throttle: Throttle::default(),
            verifying: Arc::new(Semaphore::new(MAX_VERIFYING)),
            is_reached: addresses.iter().any(|address| !address.ip().is_loopback()),
            is_public: options.is_public,
        }
    }

    /// The token of the link that begins a session, once. There is none where people log in.
    pub(crate) fn entrance(&self) -> Option<String> {
        self.has_link().then(|| self.sessions.entrance()).flatten()
    }

    pub(super) fn has_link(&self) -> bool {
        let has_accounts = self.accounts.now().map_or(true, |accounts| !accounts.is_empty());
        !self.is_reached && !has_accounts && !self.accounts.is_used()
    }

    /// Returns `true` if a request asks for the name that the link has. The cookie of its session
    /// counts at no other, since a program that listens at another port of the other receives it.
    pub(super) fn is_own_name(&self, headers: &HeaderMap) -> bool {
        let host = one(headers, header::HOST).and_then(split_host);
        let own = self.own_name.as_ref();
        own.is_none_or(|own| host.is_some_and(|(host, _)| host == *own))
    }

    /// The addresses of proxies that are believed.
    pub(crate) fn proxies(&self) -> &[IpAddr] {
        self.proxy.as_ref().map_or(&[], TrustedProxy::addresses)
    }

    /// Returns `true` if strangers may not read.
    pub(crate) fn is_closed(&self) -> bool {
        !self.is_public && !self.has_link()
    }

    /// Finds out who has sent a request. A key counts before a session, and a proxy before both.
    pub(super) fn visitor(&self, request: &Request, accounts: &Accounts) -> Visitor {
        let headers = request.headers();
        let proxy = self.proxy.as_ref();
        let role_of = |name: &str| accounts.named(name).map(|account| account.role);
        let (name, via, role) = if let Some(name) = proxy.and_then(|proxy| proxy.reader(request)) {
            let role = match accounts.is_empty() {
                true => Role::Operator,
                false => role_of(name).unwrap_or(Role::Reader),
            };
            (Some(name.to_owned()), Via::Proxy, Some(role))
        } else if let Some(account) = bearer(headers).and_then(|key| accounts.with_key(key)) {
            (Some(account.name.clone()), Via::Key, Some(account.role))
        } else {
            match self.sessions.holder(headers, Instant::now()) {
                Some(Holder::Link) if self.has_link() && self.is_own_name(headers) => {
                    (None, Via::Link, Some(Role::Operator))
                }
                Some(of @ Holder::Account(..)) => {
                    let all = accounts.iter();
                    let account = all
                        .filter(|account| !account.is_key())
                        .find(|account| Holder::of(account) == of);
                    match account {
                        Some(account) => (Some(account.name.clone()), Via::Login, Some(account.role)),
                        None => (None, Via::Nothing, None),
                    }
                }
                _ => (None, Via::Nothing, None),
            }
        };
        Visitor {
            name,
            via,
            role: role.or_else(|| (!self.is_closed()).then_some(Role::Reader)),
            address: proxy::client(proxy, request),
            is_https: proxy::is_https(proxy, request),
            can_log_in: !accounts.is_empty(),
        }
    }
}

/// Returns a name that browsers resolve to this machine (RFC 6761, 6.3) and that can't be guessed.
/// Other addresses of loopback have none.
fn own_name(addresses: &[SocketAddr]) -> Option<String> {
    let usual = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
    let is_usual = addresses.iter().all(|address| usual.contains(&address.ip()));
    let secret = is_usual.then(random)??;
    Some(format!("magpie-{}.localhost", secret.get(..NAME_LETTERS)?))
}

/// Returns the key that a program sends.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, key) = one(headers, header::AUTHORIZATION)?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
}
