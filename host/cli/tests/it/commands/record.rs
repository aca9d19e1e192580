//! `magpie plugin record`.

use super::{err, folder_with_pages, magpie};

#[test]
fn a_fixture_is_named_by_one_folder_and_has_a_url() {
    let folder = folder_with_pages();
    let made = magpie(folder.path(), &["plugin", "new", "jobs"]);
    assert!(made.status.success(), "{}", err(&made));
    let record = |more: &[&str]| {
        let arguments = [&["plugin", "record", "a.html", "--dir", "jobs"][..], more].concat();
        magpie(folder.path(), &arguments)
    };
    for name in ["../../evil", "/tmp/evil", "", ".", "a/b"] {
        let output = record(&["--url=https://example.org/a", "--name", name, "--page-only"]);
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert!(
            err(&output).contains("can't be a fixture's name"),
            "{}",
            err(&output)
        );
    }
    let output = record(&["--name=a", "--page-only"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        err(&output).contains("hint: add `--url https://…`"),
        "{}",
        err(&output)
    );
    let output = record(&["--url=https://example.org/a", "--name=a", "--page-only"]);
    assert!(output.status.success(), "{}", err(&output));
    // Before anything is built.
    let again = record(&["--url=https://example.org/a", "--name=a"]);
    assert_eq!(again.status.code(), Some(2));
    let said = err(&again);
    assert!(said.contains("jobs/fixtures/a already exists"), "{said}");
    assert!(said.contains("`magpie plugin test jobs --accept a`"), "{said}");
    assert!(folder.path().join("jobs/fixtures/a/page.json").exists());
    assert!(!folder.path().join("jobs/fixtures/a/expected.json").exists());
}
