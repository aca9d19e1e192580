//! `magpie plugin diff`.

use magpie_tests::guest;

use super::{err, folder_with_pages, magpie, out};

#[test]
fn a_difference_says_what_came_and_what_went() {
    let folder = folder_with_pages();
    let (ordinary, traps) = (
        guest("ordinary").display().to_string(),
        guest("traps").display().to_string(),
    );
    let output = magpie(folder.path(), &["plugin", "diff", &ordinary, &traps, "b.html"]);
    let (text, warning) = (out(&output), err(&output));
    assert!(text.contains("  now fails: plugin traps 1.2.3 trapped"), "{text}");
    assert!(
        text.contains("differing pages: 1 of 1 · objects: 0 added, 1 removed"),
        "{text}"
    );
    assert!(
        warning.contains("ordinary and traps are different verticals"),
        "{warning}"
    );
}
