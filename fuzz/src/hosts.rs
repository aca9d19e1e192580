//! `Host` fields of requests: one per line.

use magpie_http::{HostNames, split_host};

/// Checks that a name is taken apart in one way only, and that a server answers to no name but its
/// own.
pub fn check(data: &[u8]) {
    let addresses = ["127.0.0.1:8747", "[::1]:8747"].map(|address| address.parse().expect("an address"));
    let names = HostNames::new(&addresses, &["magpie.example".to_owned(), "box:99".to_owned()]);
    for line in crate::text(data).lines() {
        let Some((host, port)) = split_host(line) else {
            assert!(!names.contain(line), "{line:?} is no name and is answered");
            continue;
        };
        let host_end = line.len() - port.map_or(0, |_| line.len() - line.rfind(':').expect("a colon"));
        assert_eq!(line[..host_end].to_ascii_lowercase(), host, "{line:?}");
        assert!(
            host.bytes()
                .all(|byte| byte.is_ascii_graphic() && !b"@/\\?#%".contains(&byte)),
            "{line:?}"
        );
        let printed = port.map_or(host.clone(), |port| format!("{host}:{port}"));
        assert_eq!(split_host(&printed), Some((host.clone(), port)), "{line:?}");
        let is_ours = match (host.as_str(), port.unwrap_or(80)) {
            ("127.0.0.1" | "localhost" | "[::1]", 8747) => true,
            ("magpie.example", 80 | 8747) | ("box", 99) => true,
            _ => false,
        };
        assert_eq!(names.contain(line), is_ours, "{line:?}");
    }
}
