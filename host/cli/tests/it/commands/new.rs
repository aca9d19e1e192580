//! `magpie plugin new`.

use super::{folder_with_pages, magpie, out};

#[test]
fn advice_can_be_typed_as_it_stands() {
    let folder = folder_with_pages();
    let made = magpie(folder.path(), &["plugin", "new", "my jobs", "--name", "jobs"]);
    assert!(
        out(&made).contains("  magpie plugin test 'my jobs' "),
        "{}",
        out(&made)
    );
}
