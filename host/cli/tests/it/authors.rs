//! Outputs and errors of the commands for authors of verticals.

use crate::context::TestContext;

/// A page that the test guests read, and components beside it.
pub(crate) fn prepared(guests: &[&str]) -> TestContext {
    let context = TestContext::new();
    context.write("a.html", "<!doctype html><title>ordinary</title><p>x");
    for guest in guests {
        let component = std::fs::read(magpie_tests::guest(guest)).expect("the guest is built");
        context.write(&format!("{guest}.wasm"), component);
    }
    context
}

/// Writes a fixture with a page of this title.
pub(crate) fn write_fixture(context: &TestContext, folder: &str, title: &str, expected: &str) {
    let page = format!("<!doctype html><title>{title}</title><p>x");
    context.write(&format!("{folder}/page.html"), page);
    let about = r#"{"url": "https://example.org/", "fetched_at": "2026-03-01T12:00:00Z"}"#;
    context.write(&format!("{folder}/page.json"), about);
    context.write(&format!("{folder}/expected.json"), expected);
}

#[test]
fn of_every_command() {
    let context = prepared(&["ordinary"]);
    context.snapshot("outputs/plugin-new", ["plugin new jobs"]);
    context.snapshot("outputs/plugin-inspect", ["plugin inspect ordinary.wasm"]);
    context.snapshot("outputs/plugin-check", ["plugin check ordinary.wasm"]);
    context.snapshot("outputs/plugin-run", ["plugin run ordinary.wasm a.html"]);
}

#[test]
fn of_versions_that_judge_a_page_differently() {
    let context = prepared(&["ordinary", "only-judges"]);
    context.write("b.html", "<!doctype html><title>a relevant page</title><p>x");
    context.snapshot(
        "outputs/plugin-diff",
        [
            "plugin diff only-judges.wasm only-judges.wasm a.html b.html",
            "plugin diff only-judges.wasm ordinary.wasm a.html b.html",
            "plugin diff ordinary.wasm only-judges.wasm b.html --json",
        ],
    );
}

#[test]
fn of_a_test_that_passes_although_values_are_dropped() {
    let context = prepared(&["wrong-kinds"]);
    context.write(
        "fixtures/a/page.html",
        "<!doctype html><title>ordinary</title><p>x",
    );
    context.snapshot(
        "outputs/plugin-test",
        [
            "plugin test --component wrong-kinds.wasm --accept a",
            "plugin test --component wrong-kinds.wasm",
        ],
    );
}

#[test]
fn of_wrong_inputs() {
    let context = prepared(&["ordinary", "traps"]);
    context.write("text.wasm", "not wasm at all");
    context.write("module.wasm", b"\0asm\x01\0\0\0");
    context.snapshot(
        "errors/plugin",
        [
            "plugin check text.wasm",
            "plugin check module.wasm",
            "plugin check nosuch.wasm",
            "plugin inspect nosuch.wasm",
            "plugin run ordinary.wasm nosuch.html",
            "plugin run nosuch.wasm a.html",
            "plugin run traps.wasm a.html",
            "plugin test nosuch",
            "plugin test a.html",
            "plugin build nosuch",
            "plugin record a.html --project nosuch",
            "plugin diff ordinary.wasm nosuch.wasm a.html",
            "plugin new 'Not A Name!'",
        ],
    );
    context.snapshot(
        "errors/plugin-install",
        [
            "init ws",
            "plugin add nosuch.wasm -w ws",
            "plugin add text.wasm -w ws",
            "plugin add ftp://example.org/x.wasm -w ws",
            "plugin add oci://example.org -w ws",
            "plugin update -w ws",
            "plugin update nosuch -w ws",
            "plugin remove nosuch -w ws",
            "plugin list -w ws",
        ],
    );
}

#[test]
fn of_installing() {
    let context = prepared(&["ordinary"]);
    context.snapshot(
        "outputs/plugin-install",
        [
            "init ws",
            "plugin add ordinary.wasm -w ws",
            // The table is as wide as the temporary folder's name.
            "plugin list -w ws --json",
            "plugin update -w ws",
            "plugin remove ordinary -w ws",
            "plugin remove ordinary -w ws",
        ],
    );
}
