//! Sitemaps and feeds.

use magpie_discovery::sitemap::{SitemapLimits, read};

const LIMITS: SitemapLimits = SitemapLimits {
    max_bytes: 64 * 1024,
    max_entries: 100,
};

/// Maximum length of a location: no protocol has longer ones, and it bounds the memory.
const MAX_LOCATION: usize = 8 * 1024;

/// Checks that entries are bounded and trimmed, and that compression or lower limits do not change
/// them.
pub fn check(data: &[u8]) {
    let sitemap = read(data, &LIMITS);
    assert!(sitemap.entries.len() <= LIMITS.max_entries && sitemap.problems.len() <= 20);
    for entry in &sitemap.entries {
        assert!(!entry.location.is_empty() && entry.location.len() <= MAX_LOCATION);
        assert_eq!(entry.location.trim(), entry.location);
        assert!(
            entry
                .priority
                .is_none_or(|priority| (0.0..=1.0).contains(&priority))
        );
    }
    for problem in &sitemap.problems {
        assert!(problem.to_string().len() < 1_000, "a problem is a sentence");
    }
    let fewer = SitemapLimits {
        max_entries: 2,
        ..LIMITS
    };
    assert!(sitemap.entries.starts_with(&read(data, &fewer).entries));
    if data.len() <= LIMITS.max_bytes && !data.starts_with(&crate::GZIP_MAGIC) {
        assert_eq!(read(&crate::gzip(data), &LIMITS), sitemap);
    }
}
