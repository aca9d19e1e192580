//! The rules that every request passes before it is routed.
//!
//! A page on loopback is reachable by every web site that the reader's browser shows, so the name
//! in `Host` must be one of ours (DNS rebinding), and what acts must come from our own pages
//! (forged requests). Where there are no accounts and no other machine reaches the server, reading
//! is open, and acting needs a session, which a link that is used once begins. Elsewhere people log
//! in to an account and programs send a key; their role decides what they may do. A proxy in front
//! of the server may vouch for a reader instead, and the key of a feed opens feeds.
//!
//! [`check`] refuses each POST whose sender is no operator, unless its path is one of those that
//! change nothing. So an act needs no check of its own, and the audit has a line for it.

pub(crate) mod bind;
mod check;
mod enter;
pub(crate) mod gate;
pub(crate) mod headers;
mod login;
mod proxy;
mod session;
mod throttle;

pub(crate) use check::{MAX_BODY, check, may_act};
pub(crate) use proxy::{Peer, TrustedProxy};
pub(crate) use session::random;

/// The longest head of a request.
pub(crate) const MAX_HEAD: usize = 32 * 1_024;

pub(crate) fn routes() -> axum::Router<crate::App> {
    enter::routes().merge(login::routes())
}
