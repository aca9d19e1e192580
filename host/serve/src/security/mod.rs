//! The rules that every request passes before it is routed.
//!
//! A page on loopback is reachable by every web site that the reader's browser shows, so the name
//! in `Host` must be one of ours (DNS rebinding), and what acts must come from our own pages
//! (forged requests). Reading is open on loopback. Acting needs a session, which a link that is
//! used once begins; so does reading at any other address. A proxy in front of the server may vouch
//! for a reader instead, and the key of a feed opens feeds.

pub(crate) mod bind;
mod check;
mod enter;
pub(crate) mod headers;
mod proxy;
mod session;

use std::net::SocketAddr;

pub(crate) use check::{MAX_BODY, check};
pub(crate) use enter::routes;
use magpie_http::HostNames;
pub(crate) use proxy::{Peer, TrustedProxy};
use session::Sessions;
pub(crate) use session::random;

/// The longest head of a request.
pub(crate) const MAX_HEAD: usize = 32 * 1_024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visitor {
    /// May read nothing but what is open to all.
    Stranger,
    /// May read.
    Reader,
    /// May act too.
    Actor,
}

/// The rules for requests to one server.
pub(crate) struct Gate {
    names: HostNames,
    sessions: Sessions,
    proxy: Option<TrustedProxy>,
    /// Reading needs a session too.
    is_closed: bool,
}

impl Gate {
    /// The rules of a server at these addresses. `hosts` are further names of it.
    pub(crate) fn new(
        addresses: &[SocketAddr],
        hosts: &[String],
        token: Option<&str>,
        proxy: Option<TrustedProxy>,
    ) -> Gate {
        Gate {
            names: HostNames::new(addresses, hosts),
            sessions: Sessions::new(token),
            proxy,
            is_closed: addresses.iter().any(|address| !address.ip().is_loopback()),
        }
    }

    /// The token of the link that begins a session, once.
    pub(crate) fn entrance(&self) -> Option<String> {
        self.sessions.entrance()
    }

    /// Begins a session and returns its token, if the token given is right.
    fn enter(&self, token: &str) -> Option<String> {
        self.sessions.enter(token)
    }

    /// Returns `true` if strangers may not read.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed
    }
}
