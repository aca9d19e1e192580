use magpie_model::CanonicalUrl;
use magpie_patterns::pattern::{
    FolderInducer, Inducer, PatternSet, Reach, SiteUrls, TypedInducer, UrlPattern,
};
use proptest::prelude::*;

/// Generates URLs of few hosts and words, so that patterns arise, with some characters that are
/// special in patterns.
fn any_url() -> impl Strategy<Value = CanonicalUrl> {
    let segment = prop_oneof![
        4 => "(event|venue|show|list|a|b)",
        4 => "[0-9]{1,6}",
        3 => "[a-z]{1,6}(-[a-z]{1,6}){0,3}",
        1 => "[0-9]{1,4}-[a-z]{1,6}",
        1 => "(19|20)[0-9]{2}(-[01][0-9]-[0-3][0-9])?",
        1 => "[a-f0-9]{8}",
        1 => "[a-zA-Z0-9._~!$'()*+,;=:@%\\[\\]{}|-]{0,8}",
        1 => "[a-z]{1,5}_?[0-9]{1,4}\\.(html|php)",
    ];
    let pair = prop_oneof![
        4 => ("(id|page|cat|d)", "([0-9]{1,5}|[a-z]{0,6}|20[0-9]{2}-0[1-9]-1[0-9])")
            .prop_map(|(key, value)| format!("{key}={value}")),
        1 => "[a-z0-9=&?/\\[\\]{}]{0,6}".prop_map(|text| text),
    ];
    (
        "http://(hall|shop)\\.example",
        proptest::collection::vec(segment, 0..5),
        proptest::option::of(proptest::collection::vec(pair, 0..4)),
    )
        .prop_filter_map("canonical", |(origin, segments, query)| {
            let path = segments.join("/");
            let query = query.map_or(String::new(), |pairs| format!("?{}", pairs.join("&")));
            CanonicalUrl::trusted(format!("{origin}/{path}{query}"))
        })
}

fn inducers() -> Vec<Box<dyn Inducer>> {
    let mut inducers: Vec<Box<dyn Inducer>> = vec![
        Box::new(FolderInducer { reach: Reach::Plain }),
        Box::new(FolderInducer { reach: Reach::Folder }),
    ];
    for inducer in TypedInducer::by_strictness() {
        inducers.push(Box::new(inducer));
    }
    inducers
}

fn doubles_a_key(url: &CanonicalUrl) -> bool {
    let key = |part: &str| match part.split_once('=') {
        Some((key, _)) => key.to_owned(),
        None => String::new(),
    };
    let mut keys: Vec<String> = url.query().unwrap_or("").split('&').map(key).collect();
    let count = keys.len();
    keys.sort();
    keys.dedup();
    keys.len() < count
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn patterns_match_their_urls_and_parse_back(
        wanted in proptest::collection::vec(any_url(), 1..60),
        others in proptest::collection::vec(any_url(), 0..30),
    ) {
        let wanted: Vec<&CanonicalUrl> = wanted.iter().collect();
        let others: Vec<&CanonicalUrl> = others.iter().collect();
        let site = SiteUrls { wanted: &wanted, others: &others };
        for inducer in inducers() {
            let induction = inducer.induce(&site);
            let set = induction.compile();
            for url in &wanted {
                let matching = set.matching(url);
                prop_assert!(!matching.is_empty(), "{} lost {url}: {:?}", inducer.name(), induction.patterns);
            }
            for pattern in &induction.patterns {
                let read: UrlPattern = pattern.to_string().parse()
                    .map_err(|error| TestCaseError::fail(format!("{pattern}: {error}")))?;
                prop_assert_eq!(&read, pattern);
            }
        }
    }

    #[test]
    fn a_set_matches_like_its_patterns(
        wanted in proptest::collection::vec(any_url(), 1..40),
        asked in proptest::collection::vec(any_url(), 1..40),
    ) {
        let refs: Vec<&CanonicalUrl> = wanted.iter().collect();
        let site = SiteUrls { wanted: &refs, others: &[] };
        let mut patterns = Vec::new();
        for inducer in inducers() {
            patterns.extend(inducer.induce(&site).patterns);
        }
        let set = PatternSet::new(patterns.clone());
        for url in wanted.iter().chain(&asked) {
            let alone: Vec<usize> = (0..patterns.len()).filter(|index| patterns[*index].matches(url)).collect();
            prop_assert_eq!(set.matching(url), alone, "{}", url);
        }
    }

    #[test]
    fn a_regular_expression_matches_whatever_its_pattern_matches(
        wanted in proptest::collection::vec(any_url(), 1..12),
        asked in proptest::collection::vec(any_url(), 1..12),
    ) {
        let refs: Vec<&CanonicalUrl> = wanted.iter().collect();
        let site = SiteUrls { wanted: &refs, others: &[] };
        let patterns = TypedInducer::default().induce(&site).patterns;
        prop_assert!(!patterns.is_empty());
        for pattern in patterns {
            let regex = regex::Regex::new(&pattern.to_regex())
                .map_err(|error| TestCaseError::fail(format!("{pattern}: {error}")))?;
            let matched = wanted.iter().chain(&asked).filter(|url| pattern.matches(url) && !doubles_a_key(url));
            for url in matched {
                prop_assert!(regex.is_match(url.as_str()), "{pattern} as {regex} on {url}");
            }
        }
    }

    #[test]
    fn reading_never_panics(text in "[a-z:/{}\\[\\]?&=.\\\\é0-9]{0,40}", tail in "[a-z{}\\[\\]?&=.\\\\/]{0,30}") {
        let _ = text.parse::<UrlPattern>();
        let _ = format!("http://h/{tail}").parse::<UrlPattern>();
    }
}
