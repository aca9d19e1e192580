//! Properties of every page, whatever its bytes.

use magpie_page::{Column, Limits, Page, PageSource, Selector};
use proptest::prelude::*;

/// Pieces that pages are made of, so that random pages are more than random text.
const PIECES: [&str; 40] = [
    "<p>",
    "</p>",
    "<b>",
    "</b>",
    "<a href='/x'>",
    "</a>",
    "<table>",
    "<tr>",
    "<td>",
    "</table>",
    "<div class='h-card a'>",
    "<span class='p-name value'>",
    "</div>",
    "<svg>",
    "<math>",
    "<template>",
    "</template>",
    "<script>",
    "</script>",
    "<script type=application/ld+json>{\"@type\":\"A\",\"b\":[{\"@id\":\"#1\"}",
    "}</script>",
    "<!--",
    "-->",
    "<select>",
    "<option>",
    "<form>",
    "<frameset>",
    "<ul><li>",
    "<br>",
    "<p itemscope itemprop=a itemref=x id=x>",
    "<i itemprop='b c'>",
    "<div typeof=T property=q vocab=http://schema.org/>",
    "&amp",
    "\0",
    "é",
    "\u{a0}",
    "<textarea>",
    "<noscript>",
    "<p hidden>",
    "text ",
];

fn pages() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        8 => prop::sample::select(&PIECES[..]).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..8),
        1 => "[<>/a-z =\"'&#;!-]{0,12}".prop_map(String::into_bytes),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

fn page(body: Vec<u8>) -> Page {
    let url = url::Url::parse("https://any.example/a/b").expect("valid");
    let limits = Limits {
        max_depth: 40,
        max_nodes: 200,
        max_structured_items: 50,
        ..Limits::default()
    };
    Page::with_limits(
        PageSource {
            url,
            status: 200,
            headers: Vec::new(),
            fetched_at: magpie_values::Timestamp::default(),
            body: body.into(),
        },
        limits,
    )
}

proptest! {
    #[test]
    fn every_page_can_be_read(body in pages()) {
        let page = page(body);
        let (document, outline) = (page.document(), page.outline());
        let count = document.node_count() as usize;
        prop_assert_eq!([outline.ends.len(), outline.tags.len(), outline.starts.len()], [count; 3]);
        prop_assert_eq!((outline.parents[0], outline.ends[0] as usize), (0, count));
        for node in 1..count {
            let parent = outline.parents[node] as usize;
            prop_assert!(parent < node);
            prop_assert!(outline.ends[node] > node as u32 && outline.ends[node] <= outline.ends[parent]);
            prop_assert!(outline.starts[node] >= outline.starts[node - 1]);
            prop_assert!(outline.text.is_char_boundary(outline.starts[node] as usize));
        }
        for node in 0..document.node_count() {
            let text = document.text_of(node);
            prop_assert_eq!(text.trim(), text.as_str());
            prop_assert!(!text.contains("  ") && !text.contains("\n\n"));
            prop_assert!(document.own_text(node).len() <= document.text_content(node).len() + node as usize + 1_000);
            let children: Vec<u32> = document.children(node).collect();
            prop_assert!(children.iter().all(|&child| document.parent(child) == Some(node)));
        }
        let _ = (page.title(), page.language(), page.links(), page.problems());
        for item in page.structured_data() {
            prop_assert!(item.json["@type"].is_array());
            prop_assert!(item.node.is_none_or(|node| document.contains(node)));
        }
    }

    #[test]
    fn parsing_again_what_was_written_keeps_the_text(body in pages()) {
        let page = page(body);
        let html = page.document().html_of(0);
        // Some trees can't be written as HTML that gives the same tree (a paragraph in a
        // paragraph), but they can be read.
        let again = Page::from_html("https://any.example/", &html).expect("valid");
        let _ = again.document().text_of(0);
    }

    #[test]
    fn searches_agree_with_matching_one_by_one(body in pages(), css in prop::sample::select(&[
        "p", "b, a", ".a", "p b", "p > *", "[href]", "div.h-card", "#x", "*", "p:has(b)", ":not(p)", "li:first-child",
        "td:nth-child(1)", "p + p", ":is(a, i)[itemprop]", "[class~=value]",
    ][..])) {
        let page = page(body);
        let document = page.document();
        let selector = Selector::parse(css).expect("valid");
        let found = document.select(0, &selector, &mut || true).expect("not stopped");
        let one_by_one: Vec<u32> = (0..document.node_count()).filter(|&node| document.matches(node, &selector)).collect();
        prop_assert_eq!(&found, &one_by_one);
        let columns = [Column::parse(css, "text").expect("valid")];
        let table = page.table(0, &selector, &columns, &mut || true).expect("not stopped");
        prop_assert_eq!(table.iter().map(|row| row.node).collect::<Vec<_>>(), found);
        for row in table {
            let first = document.select(row.node, &selector, &mut || true).expect("not stopped").first().copied();
            prop_assert_eq!(row.cells[0].as_ref().map(|cell| cell.node), first);
        }
    }

    #[test]
    fn selectors_are_read_or_refused(css in "[a-z.#>+~ :()\\[\\]=\"'\\\\*,é|&-]{0,24}") {
        let _ = Selector::parse(&css);
        let _ = Column::parse(&css, &css);
    }
}
