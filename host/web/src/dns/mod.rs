//! Name resolution: overrides, a cache, and a resolver.
//!
//! The system's resolver (getaddrinfo, in the runtime's pool of blocking threads) is used rather
//! than one of our own: it knows `/etc/hosts`, `nsswitch.conf`, search domains and the setup of a
//! VPN, and costs no dependency. It does not report the lifetime of an answer, and a lookup can't
//! be cancelled; hence the cache and the cap here. Other resolvers implement [`Resolve`].

mod cache;
mod overrides;
mod system;

use std::fmt;
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{Semaphore, watch};

pub use overrides::{BadOverride, Override};

use crate::DnsSettings;
use cache::Cache;
use system::SystemResolver;

/// A resolver of names.
pub trait Resolve: Send + Sync {
    fn resolve(&self, host: &str) -> Resolving;
}

/// A look-up under way.
pub type Resolving = Pin<Box<dyn Future<Output = Result<Resolution, ResolveError>> + Send>>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolution {
    /// The addresses, the preferred one first.
    pub addresses: Vec<IpAddr>,
    /// Lifetime of the addresses, if known.
    pub lifetime: Option<Duration>,
}

/// Reason why a name has no address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// There is no such name, or it has no address.
    #[error("there is no address for {host}: {reason}")]
    NoAddress { host: String, reason: String },
    /// The resolver failed: the name may exist.
    #[error("can't resolve {host}: {reason}")]
    Failed { host: String, reason: String },
}

impl ResolveError {
    /// Returns true if a later lookup may succeed.
    pub fn is_temporary(&self) -> bool {
        matches!(self, ResolveError::Failed { .. })
    }
}

type Answer = Result<Arc<[IpAddr]>, ResolveError>;

/// Looks names up, each once at a time.
pub(crate) struct Names {
    overrides: Vec<Override>,
    shared: Arc<Shared>,
}

struct Shared {
    cache: Cache,
    resolver: Arc<dyn Resolve>,
    permits: Arc<Semaphore>,
}

/// State of a name in the cache.
pub(crate) enum Known {
    Answer(Answer),
    /// A lookup is under way and will send the answer.
    UnderWay(watch::Receiver<Option<Answer>>),
    /// The asker has to look it up, and to send the answer.
    Unknown(watch::Sender<Option<Answer>>),
}

impl Names {
    pub(crate) fn new(settings: &DnsSettings) -> Names {
        Names {
            overrides: settings.overrides.clone(),
            shared: Arc::new(Shared {
                cache: Cache::new(settings),
                resolver: settings
                    .resolver
                    .clone()
                    .unwrap_or_else(|| Arc::new(SystemResolver)),
                permits: Arc::new(Semaphore::new(settings.concurrent.max(1))),
            }),
        }
    }

    /// The addresses of a name, with the port.
    pub(crate) async fn look_up(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, ResolveError> {
        let fixed: Vec<SocketAddr> = overrides::matching(&self.overrides, host, port).collect();
        if !fixed.is_empty() {
            return Ok(fixed);
        }
        let addresses = self.addresses(host).await?;
        Ok(addresses
            .iter()
            .map(|address| SocketAddr::new(*address, port))
            .collect())
    }

    async fn addresses(&self, host: &str) -> Answer {
        let mut receiver = match self.shared.cache.ask(host, Instant::now()) {
            Known::Answer(answer) => return answer,
            Known::UnderWay(receiver) => receiver,
            Known::Unknown(sender) => {
                let receiver = sender.subscribe();
                // A separate task, so that the lookup fills the cache even if the caller has timed
                // out.
                tokio::spawn(Arc::clone(&self.shared).look_up(host.to_owned(), sender));
                receiver
            }
        };
        let gone = || ResolveError::Failed {
            host: host.to_owned(),
            reason: "the lookup was cancelled".to_owned(),
        };
        let answer = receiver.wait_for(Option::is_some).await.map_err(|_| gone())?;
        answer.clone().unwrap_or_else(|| Err(gone()))
    }
}

impl Shared {
    async fn look_up(self: Arc<Shared>, host: String, sender: watch::Sender<Option<Answer>>) {
        // Taken out of the cache when this ends in any way without an answer.
        let forget = Forget {
            shared: &self,
            host: &host,
        };
        let Ok(_permit) = Arc::clone(&self.permits).acquire_owned().await else {
            return;
        };
        let answer = self.resolver.resolve(&host).await.and_then(|resolution| {
            if resolution.addresses.is_empty() {
                return Err(ResolveError::NoAddress {
                    host: host.clone(),
                    reason: "the resolver returned none".to_owned(),
                });
            }
            Ok(resolution)
        });
        let kept = self.cache.keep(&host, answer, Instant::now());
        // It borrows and owns nothing, so nothing is lost.
        std::mem::forget(forget);
        sender.send_replace(Some(kept));
    }
}

struct Forget<'a> {
    shared: &'a Shared,
    host: &'a str,
}

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        self.shared.cache.forget(self.host);
    }
}

impl fmt::Debug for Names {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Names")
            .field("overrides", &self.overrides)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
