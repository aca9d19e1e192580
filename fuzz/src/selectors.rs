//! Selectors: the input is a selector and a page.

use magpie_page::{Column, Selector};

/// Checks that a search finds the nodes that match individually, in document order, and that a
/// table has a row for each.
pub fn check(data: &[u8]) {
    let [css, body] = crate::parts(data);
    let css = crate::text(css);
    let _ = Column::parse(&css, &css);
    let Ok(selector) = Selector::parse(&css) else {
        return;
    };
    let page = crate::dom::page(body);
    let document = page.document();
    // A selector may be constructed to be slow; callers can stop the search.
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
        .expect("no call stops it");
    assert_eq!(rows.iter().map(|row| row.node).collect::<Vec<_>>(), found);
}
