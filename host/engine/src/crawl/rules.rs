//! Rules for all pages of one site, made once from the settings.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use magpie_discovery::{CanonicalSettings, InvalidScope, Reach, ScanLimits, Scope, ScopeSettings};
use magpie_model::{CanonicalUrl, SiteKey};
use magpie_patterns::rendering::RenderingRules;
use magpie_values::Timestamp;
use magpie_web::{BackoffSettings, MediaTypes, ThrottleSettings};
use url::{Position, Url};

use super::reading::ReadingSettings;
use crate::forgotten::forgotten_urls;
use crate::settings::{Settings, SiteBoundary};

/// The longest path of a URL, in segments: deeper ones are loops.
const MAX_SEGMENTS: usize = 64;

/// Factor by which each wait for a retry is longer than the one before.
const RETRY_FACTOR: f64 = 2.0;

/// Upper limit for the wait before a retry, unless the server asks for more.
const MAX_RETRY: Duration = Duration::from_secs(3_600);

/// Rules for all pages of a site.
pub(crate) struct SiteRules {
    pub(crate) settings: Settings,
    pub(crate) scope: Scope,
    pub(super) media_types: Arc<MediaTypes>,
    pub(crate) reading: ReadingSettings,
    pub(super) retries: BackoffSettings,
    /// The ports of the first pages; none for the usual one.
    ports: Vec<Option<String>>,
}

impl SiteRules {
    /// The rules of the site with this first page, or these.
    pub(crate) fn new(
        settings: &Settings,
        home: &CanonicalUrl,
        seeds: &[CanonicalUrl],
        keep_links: bool,
    ) -> Result<SiteRules, InvalidScope> {
        let all: Vec<_> = seeds.iter().chain([home]).cloned().collect();
        let limits = ScanLimits {
            max_links: usize::try_from(settings.scope.links).unwrap_or(usize::MAX),
            product_token: settings.identity.robots_name.clone(),
            ..ScanLimits::default()
        };
        let scope = Scope::new(&scope(settings, &all))?;
        let first = if seeds.is_empty() { &all } else { seeds };
        let ports = first.iter().map(|url| url.explicit_port().map(str::to_owned));
        Ok(SiteRules {
            scope,
            ports: ports.collect(),
            media_types: Arc::new(MediaTypes::new(&settings.fetch.media_types)),
            reading: ReadingSettings {
                limits_with_text: ScanLimits {
                    keep_text: true,
                    ..limits.clone()
                },
                limits,
                keep_links,
                acts: settings.acts(),
                rendering: Arc::default(),
            },
            retries: BackoffSettings {
                first: settings.fetch.retry_wait,
                factor: RETRY_FACTOR,
                longest: MAX_RETRY,
                retries: u32::try_from(settings.fetch.retries).unwrap_or(u32::MAX),
            },
            settings: settings.clone(),
        })
    }

    /// The same rules with the ways to have pages that a plain fetch does not have whole.
    pub(crate) fn with_rendering(mut self, rendering: Arc<RenderingRules>) -> SiteRules {
        self.reading.rendering = rendering;
        self
    }

    /// Returns `true` if a URL is of the site's own servers: only these are sent its credentials.
    /// Over plain `http` they are sent only where the site itself is asked over it (`is_plain`).
    pub(super) fn may_have_credentials(&self, url: &Url, is_plain: bool) -> bool {
        // A host of the site at another port is another program.
        let Some(url) = CanonicalUrl::trusted(&url[..Position::AfterQuery]) else {
            return false;
        };
        let port = url.explicit_port();
        (is_plain || url.scheme() == "https")
            && self.ports.iter().any(|own| own.as_deref() == port)
            && self.scope.judge_host(&url).is_ok()
    }

    /// The latest moment for which a crawl waits that has nothing else to do at a site.
    pub(super) fn latest(&self, now: Timestamp) -> Timestamp {
        let retries = &self.retries;
        let last = RETRY_FACTOR.powf(f64::from(retries.retries.saturating_sub(1)));
        let own = (retries.first.as_secs_f64() * last).min(retries.longest.as_secs_f64());
        let politeness = &self.settings.politeness;
        let longest = politeness.max_wait.max(politeness.robots_wait);
        now + longest.max(Duration::from_secs_f64(own))
    }

    pub(crate) fn throttle(&self) -> ThrottleSettings {
        throttle(&self.settings)
    }
}

/// Returns the canonicaliser settings for a site.
pub(crate) fn canonical_settings(settings: &Settings) -> CanonicalSettings {
    CanonicalSettings {
        drop_tracking: settings.urls.drop_tracking,
        tracking_keys: settings.urls.drop_keys.clone(),
        drop_session_ids: settings.urls.drop_sessions,
        keep_keys: settings.urls.keep_keys.clone(),
        order_keys: settings.urls.order_keys,
    }
}

/// Returns the throttle settings for a host.
pub(crate) fn throttle(settings: &Settings) -> ThrottleSettings {
    let politeness = &settings.politeness;
    ThrottleSettings {
        delay: politeness.delay,
        concurrency: u32::try_from(politeness.requests).unwrap_or(u32::MAX),
        adaptive: politeness.autothrottle,
        longest_delay: politeness.max_delay,
        longest_crawl_delay: politeness.max_crawl_delay,
        ..ThrottleSettings::default()
    }
}

pub(crate) fn scope(settings: &Settings, seeds: &[CanonicalUrl]) -> ScopeSettings {
    let reach = match settings.scope.site {
        SiteBoundary::Domain => Reach::Site,
        SiteBoundary::Host => Reach::Host,
    };
    ScopeSettings {
        seeds: seeds.to_vec(),
        reach,
        hosts: seeds.iter().filter_map(twin).collect(),
        include: settings.scope.include.clone(),
        exclude: settings.scope.exclude.clone(),
        forgotten: forgotten_urls(&settings.scope.forgotten),
        max_depth: Some(u32::try_from(settings.scope.depth).unwrap_or(u32::MAX)),
        max_url_bytes: usize::try_from(settings.scope.url_bytes.0).unwrap_or(usize::MAX),
        max_segments: MAX_SEGMENTS,
    }
}

/// Returns the same host without `www`, or with it: most sites redirect from one to the other.
fn twin(seed: &CanonicalUrl) -> Option<String> {
    // IP addresses have no such twin.
    let host = seed.authority();
    let is_address = seed.host().starts_with('[') || seed.host().parse::<Ipv4Addr>().is_ok();
    match host.strip_prefix("www.") {
        Some(bare) => Some(bare.to_owned()),
        None if is_address => None,
        None => Some(format!("www.{host}")),
    }
}

/// Returns the key of a site in the frontier.
pub fn site_key(settings: &Settings, seed: &CanonicalUrl) -> String {
    match settings.scope.site {
        SiteBoundary::Domain => SiteKey::of(seed).as_str().to_owned(),
        SiteBoundary::Host => {
            let host = seed.authority();
            host.strip_prefix("www.").unwrap_or(host).to_owned()
        }
    }
}
