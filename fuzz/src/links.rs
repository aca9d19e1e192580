//! The link scanner.

use magpie_discovery::{ScanLimits, ScannedPage, path_hash, scan};
use url::Url;

/// Checks that links are bounded and refer to the page, and that lower limits or text extraction do
/// not change the first ones.
pub fn check(data: &[u8]) {
    let html = crate::text(data);
    let limits = ScanLimits {
        max_links: 50,
        max_href_bytes: 200,
        max_text_bytes: 100,
        product_token: "magpie".to_owned(),
        ..ScanLimits::default()
    };
    let page = scan(&html, &limits);
    assert!(page.links.len() <= limits.max_links);
    for link in &page.links {
        let href = page.href(link);
        // The limit applies to the written form, where a NUL is one byte; its replacement character
        // has three.
        let nuls = href.matches('\u{fffd}').count();
        assert!(href.len() - 2 * nuls <= limits.max_href_bytes, "{href:?}");
        assert_eq!(href.trim_matches(|c| c <= ' '), href);
        assert!(
            page.text_of(link).len() <= limits.max_text_bytes,
            "{:?}",
            page.text_of(link)
        );
        assert_eq!(path_hash(&page.path(link.path)), page.path_hash(link.path));
        let _ = (page.rel(link), page.language(link), link.kind);
    }
    assert!(page.canonical.is_none_or(|link| link < page.links.len()));
    assert!(page.refresh.is_none_or(|refresh| refresh.link < page.links.len()));
    assert_eq!(page.canonical.is_some(), page.canonical_href().is_some());
    let url = Url::parse("https://any.example/a/b").expect("a URL");
    assert!(!page.base_url(&url).cannot_be_a_base());

    let fewer = ScanLimits {
        max_links: 3,
        ..limits.clone()
    };
    let all = hrefs(&page);
    assert_eq!(hrefs(&scan(&html, &fewer)), all[..all.len().min(3)]);
    let with_text = ScanLimits {
        keep_text: true,
        ..limits.clone()
    };
    let with_text = scan(&html, &with_text);
    assert_eq!(hrefs(&with_text), all);
    assert!(with_text.text.len() <= 3 * html.len());
    cut_short(&html, &limits);
}

/// Checks that a page truncated by its limit gives the same links as the truncated text.
fn cut_short(html: &str, limits: &ScanLimits) {
    let end = html.floor_char_boundary(html.len() / 2);
    let cut = ScanLimits {
        max_bytes: end,
        ..limits.clone()
    };
    assert_eq!(hrefs(&scan(html, &cut)), hrefs(&scan(&html[..end], limits)));
}

fn hrefs<'p>(page: &'p ScannedPage<'_>) -> Vec<(&'p str, String)> {
    let links = page.links.iter();
    links
        .map(|link| (page.href(link), page.path(link.path)))
        .collect()
}
