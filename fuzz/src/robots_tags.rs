//! `X-Robots-Tag`: a header a line.

use magpie_discovery::RobotsDirectives;

/// Headers mean the same in any order, and a header more never allows more.
pub fn check(data: &[u8]) {
    let text = crate::text(data);
    let forward = RobotsDirectives::from_headers(text.lines(), "magpie");
    let mut lines: Vec<&str> = text.lines().collect();
    lines.reverse();
    assert_eq!(
        forward,
        RobotsDirectives::from_headers(lines.iter().copied(), "magpie")
    );
    let fewer = RobotsDirectives::from_headers(lines.iter().copied().skip(1), "magpie");
    assert!(fewer.index || !forward.index);
    assert!(fewer.follow || !forward.follow);
    let mut twice = forward;
    twice.merge(&forward);
    assert_eq!(twice, forward);
    if let Some(end) = forward.unavailable_after {
        assert!(!forward.index_at(end));
    }
}
