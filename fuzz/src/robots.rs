//! robots.txt: the input is a path with its query, and the file.

use magpie_discovery::{Robots, Verdict};

/// Checks that equivalent spellings of paths and files get the same verdict, and that a verdict
/// refers to a rule of the file.
pub fn check(data: &[u8]) {
    let [request, file] = crate::parts(data);
    let request = crate::text(request);
    let robots = Robots::parse(file);
    // At most one problem of each kind.
    assert!(robots.problems().len() <= 4, "{:?}", robots.problems());
    let sitemaps = robots.sitemaps();
    assert!(
        sitemaps
            .iter()
            .enumerate()
            .all(|(index, sitemap)| !sitemaps[..index].contains(sitemap))
    );
    for agent in ["magpie", "*", "other-bot"] {
        let rules = robots.rules(agent);
        assert!(rules.len() <= file.len());
        assert!(rules.crawl_delay().is_none_or(|delay| delay.as_secs() <= 86_400));
        assert!(rules.allows("/robots.txt"));
        let verdict = rules.judge(&request);
        assert_eq!(verdict.allowed, rules.allows(&request));
        match verdict.rule {
            Some(rule) => {
                assert_eq!(rule.allow, verdict.allowed);
                assert!(rule.line as usize <= file.len());
            }
            None => assert!(verdict.allowed),
        }
        let path = request.split('?').next().unwrap_or_default();
        if path.starts_with('/') && path != "/robots.txt" {
            let respelled = respelled(&request);
            assert_eq!(rules.judge(&respelled), verdict, "{respelled:?} is {request:?}");
        }
        if let Ok(text) = std::str::from_utf8(file) {
            let other = Robots::parse(with_line_feeds(text).as_bytes()).rules(agent);
            assert_same(&other.judge(&request), &verdict);
        }
    }
}

/// Percent-encodes every ASCII letter and digit of the path that is not part of an escape.
fn respelled(request: &str) -> String {
    let bytes = request.as_bytes();
    let escaped =
        |at: usize| (1..=2).any(|back| at.checked_sub(back).is_some_and(|start| bytes[start] == b'%'));
    let mut out = Vec::new();
    for (at, byte) in bytes.iter().enumerate() {
        if byte.is_ascii_alphanumeric() && !escaped(at) {
            out.extend_from_slice(format!("%{byte:02x}").as_bytes());
        } else {
            out.push(*byte);
        }
    }
    crate::text(&out).into_owned()
}

fn with_line_feeds(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

fn assert_same(one: &Verdict<'_>, other: &Verdict<'_>) {
    assert_eq!(one.allowed, other.allowed);
    assert_eq!(one.rule.map(|rule| rule.line), other.rule.map(|rule| rule.line));
}
