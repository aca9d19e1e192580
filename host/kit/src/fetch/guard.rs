//! Looks at the addresses a name resolves to, before a connection is made to one of them. Judging the name alone would not do: any
//! name may resolve to any address, and to another one the next time it is asked.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ureq::Error;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

/// A resolver for one chain of redirects. Clones share what was seen.
#[derive(Clone, Debug)]
pub(super) struct Guard {
    is_private: fn(IpAddr) -> bool,
    seen: Arc<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    /// A hop of the chain had a public address.
    public: AtomicBool,
    /// The hop at hand was reached by a redirect.
    redirected: AtomicBool,
    /// A name is being looked up.
    resolving: AtomicBool,
}

/// A redirect that the guard refuses.
#[derive(Debug, thiserror::Error)]
#[error("{address} is a private address")]
pub(super) struct PrivateAddress {
    pub(super) address: IpAddr,
}

impl Guard {
    pub(super) fn new(is_private: fn(IpAddr) -> bool) -> Guard {
        Guard {
            is_private,
            seen: Arc::default(),
        }
    }

    /// Says that the next hop is not what the person asked for.
    pub(super) fn redirected(&self) {
        self.seen.redirected.store(true, Ordering::Relaxed);
    }

    /// Whether the last thing that was begun is a look-up, so that an error is the look-up's.
    pub(super) fn is_resolving(&self) -> bool {
        self.seen.resolving.load(Ordering::Relaxed)
    }
}

impl Resolver for Guard {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, Error> {
        self.seen.resolving.store(true, Ordering::Relaxed);
        let found = DefaultResolver::default().resolve(uri, config, timeout)?;
        self.seen.resolving.store(false, Ordering::Relaxed);
        let public_before = self.seen.public.load(Ordering::Relaxed);
        let guarded = public_before && self.seen.redirected.load(Ordering::Relaxed);
        let mut allowed = self.empty();
        let mut refused = None;
        for address in &found {
            let private = (self.is_private)(address.ip());
            if private && guarded {
                refused = Some(address.ip());
                continue;
            }
            if !private {
                self.seen.public.store(true, Ordering::Relaxed);
            }
            allowed.push(*address);
        }
        match refused {
            Some(address) if allowed.is_empty() => Err(Error::Other(Box::new(PrivateAddress { address }))),
            _ => Ok(allowed),
        }
    }
}
