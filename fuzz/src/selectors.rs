//! Selectors: one, and a page.

use magpie_page::{Column, Selector};

/// A search finds what matching node by node finds, in document order, and a table has a row for each.
pub fn check(data: &[u8]) {
    let [css, body] = crate::parts(data);
    let css = crate::text(css);
    let _ = Column::parse(&css, &css);
    let Ok(selector) = Selector::parse(&css) else {
        return;
    };
    let page = crate::dom::page(body);
    let document = page.document();
    // A selector may be made to be slow, and those who search can stop it.
    let mut asked = 0;
    let mut keep_going = || {
        asked += 1;
        asked < 1_000
    };
    let Ok(found) = document.select(0, &selector, &mut keep_going) else {
        return;
    };
    let one_by_one: Vec<u32> = (0..document.node_count())
        .filter(|&node| document.matches(node, &selector))
        .collect();
    assert_eq!(found, one_by_one);
    let rows = page
        .table(0, &selector, &[], &mut || true)
        .expect("nobody stops it");
    assert_eq!(rows.iter().map(|row| row.node).collect::<Vec<_>>(), found);
}
