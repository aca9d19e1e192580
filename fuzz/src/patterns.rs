//! URL patterns and URLs, one per line each.

use magpie_discovery::{CanonicalSettings, Canonicaliser};
use magpie_model::CanonicalUrl;
use magpie_patterns::pattern::{PatternSet, UrlPattern};
use regex::Regex;

/// Checks that a pattern survives a round trip, matches only URLs that its regular expression
/// matches, and matches the same URLs as part of a set.
pub fn check(data: &[u8]) {
    let [patterns, urls] = crate::parts(data);
    let urls = urls_of(&crate::text(urls));
    let patterns: Vec<UrlPattern> = crate::text(patterns)
        .split('\n')
        .take(8)
        .filter_map(|line| line.parse().ok())
        .collect();
    let set = PatternSet::new(patterns.iter().cloned());
    for pattern in &patterns {
        let written = pattern.to_string();
        assert_eq!(written.parse().as_ref(), Ok(pattern), "{written}");
        assert!(pattern.constant_length() <= written.len());
        let _ = (pattern.kinds(), pattern.words(), pattern.folder());
        assert_as_regex(pattern, &urls);
    }
    for url in &urls {
        let one_by_one: Vec<usize> = (0..patterns.len())
            .filter(|&index| patterns[index].matches(url))
            .collect();
        assert_eq!(set.matching(url), one_by_one, "{url}");
        assert_eq!(set.matches(url), !one_by_one.is_empty());
        let exact = UrlPattern::exact(url);
        assert!(exact.matches(url) && exact.is_exact(), "{exact}");
        assert_eq!(exact.to_string().parse(), Ok(exact));
    }
}

fn urls_of(lines: &str) -> Vec<CanonicalUrl> {
    let canonicaliser = Canonicaliser::new(&CanonicalSettings::default());
    let lines = lines.split('\n').take(8);
    let urls = lines.filter_map(|line| canonicaliser.canonicalise_text(line, None).ok());
    urls.map(|canonical| canonical.url).collect()
}

fn assert_as_regex(pattern: &UrlPattern, urls: &[CanonicalUrl]) {
    let written = pattern.to_regex();
    // A pattern within its limits may have an expression that exceeds those of the regex crate.
    let Ok(regex) = Regex::new(&written) else {
        return;
    };
    for url in urls {
        // The converse need not hold: the pattern matches each part greedily and never backtracks.
        // URLs with a query differ slightly, as documented at `to_regex`.
        if url.query().is_none() && pattern.matches(url) {
            assert!(regex.is_match(url.as_str()), "{written} and {url}");
        }
    }
}
