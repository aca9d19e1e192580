//! Sitemaps and feeds.

use magpie_discovery::sitemap::{SitemapLimits, read};

const LIMITS: SitemapLimits = SitemapLimits {
    max_bytes: 64 * 1024,
    max_entries: 100,
};

/// A location is longer in no protocol, and memory is bounded by it.
const LONGEST_LOCATION: usize = 8 * 1024;

/// What is read is bounded and tidy, and is the same when it comes compressed or when less of it is wanted.
pub fn check(data: &[u8]) {
    let sitemap = read(data, &LIMITS);
    assert!(sitemap.entries.len() <= LIMITS.max_entries && sitemap.problems.len() <= 20);
    for entry in &sitemap.entries {
        assert!(!entry.location.is_empty() && entry.location.len() <= LONGEST_LOCATION);
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
