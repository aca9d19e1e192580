//! Canonical URLs: the input is a base URL, and references, one per line.

use magpie_discovery::{CanonicalSettings, Canonicaliser, LinkBase, LinkCache, Resolved};
use magpie_model::CanonicalUrl;
use url::Url;

/// Checks that canonical URLs are idempotent for all settings, and that the cache agrees with
/// computed results.
pub fn check(data: &[u8]) {
    let [base, references] = crate::parts(data);
    let base = Url::parse(&crate::text(base))
        .ok()
        .filter(|base| !base.cannot_be_a_base());
    let base = base.unwrap_or_else(|| Url::parse("https://a.example/x/").expect("a URL"));
    let canonicaliser = Canonicaliser::new(&CanonicalSettings::default());
    let mut cache = LinkCache::new(8);
    let link_base = LinkBase::new(base.clone());
    for reference in crate::text(references).split('\n') {
        let _ = canonicaliser.canonicalise_text(reference, Some(&base));
        let url = base.join(reference).ok();
        let expected = url.and_then(|url| {
            assert_canonical(&minimal(), &url);
            assert_canonical(&canonicaliser, &url)
        });
        let found = cache.resolve(reference, &link_base, &canonicaliser).ok();
        assert_eq!(found.is_some(), expected.is_some(), "{reference:?} on {base}");
        if let (Some(found), Some(expected)) = (found, expected) {
            assert_eq!(
                found.fingerprint(),
                expected.fingerprint(),
                "{reference:?} on {base}"
            );
            assert!(!matches!(found, Resolved::New(new) if new.url != expected));
        }
    }
}

/// A canonicaliser that keeps all parameters and their order.
fn minimal() -> Canonicaliser {
    Canonicaliser::new(&CanonicalSettings {
        drop_tracking: false,
        drop_session_ids: false,
        order_keys: false,
        ..CanonicalSettings::default()
    })
}

fn assert_canonical(canonicaliser: &Canonicaliser, url: &Url) -> Option<CanonicalUrl> {
    let once = canonicaliser.canonicalise(url).ok()?.url;
    let parsed = once.to_url().expect("a canonical URL is a URL");
    assert_eq!(parsed.as_str(), once.as_str(), "parsing changes nothing");
    let twice = canonicaliser.canonicalise(&parsed).expect("it is still a page");
    assert_eq!((&twice.url, &twice.changes[..]), (&once, &[][..]));
    let text = once.as_str();
    assert_eq!(CanonicalUrl::trusted(text).as_ref(), Some(&once));
    assert!(
        text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#'),
        "{text:?}"
    );
    assert_eq!(format!("{}{}", once.origin(), once.path_and_query()), text);
    // Host and port are kept as written, except for a trailing dot of the host.
    assert_eq!(parsed.port(), url.port());
    let host = url.host_str().unwrap_or_default();
    let bare = host.strip_suffix('.').filter(|bare| !bare.ends_with('.'));
    assert_eq!(parsed.host_str(), Some(bare.unwrap_or(host)));
    Some(once)
}
