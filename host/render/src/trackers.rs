//! Hosts that count visitors. Pages show the same without them.

use url::Url;

/// Domains of the services that most pages load, in order. Their subdomains belong to them.
const DOMAINS: [&str; 34] = [
    "adnxs.com",
    "adservice.google.com",
    "amazon-adsystem.com",
    "analytics.tiktok.com",
    "bat.bing.com",
    "bugsnag.com",
    "chartbeat.com",
    "clarity.ms",
    "connect.facebook.net",
    "criteo.com",
    "criteo.net",
    "doubleclick.net",
    "fullstory.com",
    "google-analytics.com",
    "googleadservices.com",
    "googlesyndication.com",
    "googletagmanager.com",
    "googletagservices.com",
    "hotjar.com",
    "hubspot.com",
    "matomo.cloud",
    "mixpanel.com",
    "newrelic.com",
    "nr-data.net",
    "optimizely.com",
    "outbrain.com",
    "quantserve.com",
    "scorecardresearch.com",
    "segment.com",
    "segment.io",
    "sentry.io",
    "snap.licdn.com",
    "static.cloudflareinsights.com",
    "taboola.com",
];

/// Returns `true` if the host of a URL counts visitors.
pub(crate) fn is_tracker(url: &Url) -> bool {
    let mut rest = url.host_str();
    while let Some(name) = rest {
        if DOMAINS.binary_search(&name).is_ok() {
            return true;
        }
        rest = name.split_once('.').map(|(_, domain)| domain);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subdomains_belong_to_a_tracker() {
        assert!(DOMAINS.is_sorted());
        for (url, expected) in [
            ("https://www.google-analytics.com/ga.js", true),
            ("https://stats.g.doubleclick.net/", true),
            ("https://google.com/", false),
            ("https://notdoubleclick.net/", false),
            ("http://127.0.0.1/", false),
        ] {
            assert_eq!(is_tracker(&url.parse().unwrap()), expected, "{url}");
        }
    }
}
