//! Pages: bytes to text, to the tree, its texts and its links.

use magpie_page::{Limits, Page, PageSource};
use url::Url;

/// Small, so that a fuzzer reaches them.
fn limits() -> Limits {
    Limits {
        max_depth: 40,
        max_nodes: 1_000,
        max_attributes: 16,
        max_structured_items: 50,
        max_structured_bytes: 16 * 1024,
        max_structured_depth: 8,
        ..Limits::default()
    }
}

/// What one token adds beyond the limit: the elements around it, and the formatting that is opened again.
const NODES_OF_A_TOKEN: u32 = 200;

/// A page of these bytes, within limits that a fuzzer reaches.
pub(crate) fn page(body: &[u8]) -> Page {
    let source = PageSource {
        url: Url::parse("https://any.example/a/b").expect("a URL"),
        status: 200,
        headers: vec![("content-type".to_owned(), "text/html".to_owned())],
        fetched_at: magpie_values::Timestamp::default(),
        body: body.to_vec().into(),
    };
    Page::with_limits(source, limits())
}

/// The tree is a tree in document order within its limits, its texts are tidy, its links absolute, and it can be written.
pub fn check(data: &[u8]) {
    let page = page(data);
    assert_order(&page);
    assert_texts(&page);
    for link in page.links() {
        assert!(page.document().contains(link.node));
        assert!(link.href.starts_with("http"), "{}", link.href);
        assert_eq!(Url::parse(&link.href).map(String::from), Ok(link.href));
    }
    for problem in page.problems() {
        assert!(!problem.to_string().is_empty());
    }
    let html = page.document().html_of(0);
    assert_order(&self::page(html.as_bytes()));
    let _ = (page.title(), page.language());
}

fn assert_order(page: &Page) {
    let (document, outline) = (page.document(), page.outline());
    let count = document.node_count();
    let limits = limits();
    assert!(
        count as usize <= limits.max_nodes + NODES_OF_A_TOKEN as usize,
        "{count} nodes"
    );
    let columns = [
        outline.parents.len(),
        outline.ends.len(),
        outline.tags.len(),
        outline.starts.len(),
    ];
    assert_eq!(columns, [count as usize; 4]);
    assert_eq!((outline.parents[0], outline.ends[0]), (0, count));
    let mut depths = vec![0; count as usize];
    for node in 1..count {
        let at = node as usize;
        let parent = outline.parents[at];
        assert!(parent < node && outline.ends[at] > node);
        assert!(outline.ends[at] <= outline.ends[parent as usize]);
        assert!(outline.starts[at] >= outline.starts[at - 1]);
        assert!(outline.text.is_char_boundary(outline.starts[at] as usize));
        assert!((outline.tags[at] as usize) < outline.tag_names.len());
        depths[at] = depths[parent as usize] + 1;
        // Elements that a rule adds, and the text inside.
        assert!(
            depths[at] <= 2 * limits.max_depth,
            "node {node} at depth {}",
            depths[at]
        );
    }
}

fn assert_texts(page: &Page) {
    let document = page.document();
    for node in 0..document.node_count() {
        let text = document.text_of(node);
        assert_eq!(text.trim(), text);
        assert!(!text.contains("  ") && !text.contains("\n\n"), "{text:?}");
        assert!(document.attributes(node).count() <= limits().max_attributes);
        for child in document.children(node) {
            assert_eq!(document.parent(child), Some(node));
        }
    }
}
