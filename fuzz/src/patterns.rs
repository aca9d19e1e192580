//! URL patterns, one a line, and URLs, one a line.

use magpie_discovery::{CanonicalSettings, Canonicaliser};
use magpie_patterns::pattern::{PatternSet, UrlPattern};
use magpie_model::CanonicalUrl;
use regex::Regex;

/// A pattern is read back as it is written, matches nothing that its regular expression does not, and the same in a set.
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
            .filter(|&number| patterns[number].matches(url))
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
    // A pattern within its limits may have an expression beyond those of the crate.
    let Ok(regex) = Regex::new(&written) else {
        return;
    };
    for url in urls {
        // The other way round the two may differ: the pattern takes each part for as long as it goes, and never thinks better of it. With
        // a query, they differ a little, as is said where the expression is made.
        if url.query().is_none() && pattern.matches(url) {
            assert!(regex.is_match(url.as_str()), "{written} and {url}");
        }
    }
}
