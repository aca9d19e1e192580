//! Which encoding a page is in: a label for the header, and the body.

use encoding_rs::{Encoding, UTF_8};
use magpie_page::{Page, PageSource};
use url::Url;

/// A byte order mark decides, else the header; what is UTF-8 is kept as it is; text grows by a known factor at most.
pub fn check(data: &[u8]) {
    let [label, body] = crate::parts(data);
    let is_label = label
        .iter()
        .all(|byte| byte.is_ascii_alphanumeric() || b"-_:.".contains(byte));
    let header = match is_label && !label.is_empty() {
        true => format!("text/html; charset={}", crate::text(label)),
        false => crate::text(label).into_owned(),
    };
    let page = page(header, body);
    let (encoding, text) = (page.encoding(), page.text());
    assert_eq!(
        Encoding::for_label(encoding.as_bytes()).map(Encoding::name),
        Some(encoding)
    );
    assert!(
        text.len() <= 3 * body.len() + 3,
        "{} bytes of {}",
        text.len(),
        body.len()
    );
    if let Some((marked, length)) = Encoding::for_bom(body) {
        assert_eq!(
            (encoding, text),
            (
                marked.name(),
                &*marked.decode_without_bom_handling(&body[length..]).0
            )
        );
        return;
    }
    if encoding == UTF_8.name()
        && let Ok(same) = std::str::from_utf8(body)
    {
        assert_eq!(text, same);
    }
    if let Some(named) = Encoding::for_label(label).filter(|_| is_label) {
        // UTF-8 is claimed by pages that have never seen it.
        assert!(
            encoding == named.name() || named == UTF_8,
            "{encoding} in place of {}",
            named.name()
        );
    }
    for problem in page.problems() {
        assert!(!problem.to_string().is_empty());
    }
}

fn page(content_type: String, body: &[u8]) -> Page {
    Page::new(PageSource {
        url: Url::parse("https://any.example.jp/").expect("a URL"),
        status: 200,
        headers: vec![("Content-Type".to_owned(), content_type)],
        fetched_at: magpie_values::Timestamp::default(),
        body: body.to_vec().into(),
    })
}
