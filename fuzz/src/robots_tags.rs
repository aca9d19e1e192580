//! `X-Robots-Tag`: one header per line.

use magpie_discovery::RobotsDirectives;

/// Checks that the order of headers does not matter, and that an additional header never permits
/// more.
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
