//! Settings of a throttle.

use std::time::Duration;

#[derive(Clone, Debug, PartialEq)]
pub struct ThrottleSettings {
    /// The least time between the starts of two requests.
    pub delay: Duration,
    /// Maximum number of requests in flight; at least one.
    pub concurrency: u32,
    /// Adapts the delay to the host's latency and refusals.
    pub adaptive: bool,
    /// The delay tends to the latency times this.
    pub latency_factor: f64,
    /// The longest delay that is learned.
    pub longest_delay: Duration,
    /// The longest `Crawl-delay` that is kept.
    pub longest_crawl_delay: Duration,
    /// The longest that a host may ask to be left alone for with `Retry-After`.
    pub longest_pause: Duration,
}

impl ThrottleSettings {
    /// Site owners commonly regard this as polite.
    pub const DELAY: Duration = Duration::from_secs(1);
    /// One visitor at a time.
    const CONCURRENCY: u32 = 1;
    /// The host rests twice as long as it works.
    const LATENCY_FACTOR: f64 = 2.0;
    /// A host that is slower than this is not crawled in a day: 1,440 pages.
    pub const MAX_DELAY: Duration = Duration::from_secs(60);
    /// Real files ask for 1 to 30 s. Hours mean a refusal, which `Disallow` expresses better.
    pub const MAX_CRAWL_DELAY: Duration = Duration::from_secs(60);
    /// Maintenance takes an hour; what takes longer is for the next crawl.
    const MAX_PAUSE: Duration = Duration::from_secs(60 * 60);
}

impl Default for ThrottleSettings {
    fn default() -> ThrottleSettings {
        ThrottleSettings {
            delay: ThrottleSettings::DELAY,
            concurrency: ThrottleSettings::CONCURRENCY,
            adaptive: true,
            latency_factor: ThrottleSettings::LATENCY_FACTOR,
            longest_delay: ThrottleSettings::MAX_DELAY,
            longest_crawl_delay: ThrottleSettings::MAX_CRAWL_DELAY,
            longest_pause: ThrottleSettings::MAX_PAUSE,
        }
    }
}
