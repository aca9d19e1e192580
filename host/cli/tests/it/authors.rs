//! Outputs and errors of the commands for authors of verticals.

use crate::context::{TestContext, magpie_snapshot};

/// A page that the test guests read, and components beside it.
fn prepared(guests: &[&str]) -> TestContext {
    let context = TestContext::new();
    context.write("a.html", "<!doctype html><title>ordinary</title><p>x");
    for guest in guests {
        let component = std::fs::read(magpie_tests::guest(guest)).expect("the guest is built");
        context.write(&format!("{guest}.wasm"), component);
    }
    context
}

#[test]
fn of_every_command() {
    let context = prepared(&["ordinary"]);
    magpie_snapshot!(context, "outputs/plugin-new", ["plugin", "new", "jobs"]);
    magpie_snapshot!(
        context,
        "outputs/plugin-inspect",
        ["plugin", "inspect", "ordinary.wasm"],
    );
    magpie_snapshot!(
        context,
        "outputs/plugin-check",
        ["plugin", "check", "ordinary.wasm"]
    );
    magpie_snapshot!(
        context,
        "outputs/plugin-run",
        ["plugin", "run", "ordinary.wasm", "a.html"],
    );
}

#[test]
fn of_versions_that_judge_a_page_differently() {
    let context = prepared(&["ordinary", "only-judges"]);
    context.write("b.html", "<!doctype html><title>a relevant page</title><p>x");
    magpie_snapshot!(
        context,
        "outputs/plugin-diff",
        [
            "plugin",
            "diff",
            "only-judges.wasm",
            "only-judges.wasm",
            "a.html",
            "b.html"
        ],
        [
            "plugin",
            "diff",
            "only-judges.wasm",
            "ordinary.wasm",
            "a.html",
            "b.html"
        ],
        [
            "plugin",
            "diff",
            "ordinary.wasm",
            "only-judges.wasm",
            "b.html",
            "--json"
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
    magpie_snapshot!(
        context,
        "outputs/plugin-test",
        [
            "plugin",
            "test",
            "--component",
            "wrong-kinds.wasm",
            "--accept",
            "a"
        ],
        ["plugin", "test", "--component", "wrong-kinds.wasm"],
    );
}

#[test]
fn of_wrong_inputs() {
    let context = prepared(&["ordinary", "traps"]);
    context.write("text.wasm", "not wasm at all");
    context.write("module.wasm", b"\0asm\x01\0\0\0");
    magpie_snapshot!(
        context,
        "errors/plugin",
        ["plugin", "check", "text.wasm"],
        ["plugin", "check", "module.wasm"],
        ["plugin", "check", "nosuch.wasm"],
        ["plugin", "inspect", "nosuch.wasm"],
        ["plugin", "run", "ordinary.wasm", "nosuch.html"],
        ["plugin", "run", "nosuch.wasm", "a.html"],
        ["plugin", "run", "traps.wasm", "a.html"],
        ["plugin", "test", "nosuch"],
        ["plugin", "test", "a.html"],
        ["plugin", "build", "nosuch"],
        ["plugin", "record", "a.html", "--project", "nosuch"],
        ["plugin", "diff", "ordinary.wasm", "nosuch.wasm", "a.html"],
        ["plugin", "new", "Not A Name!"],
    );

    magpie_snapshot!(
        context,
        "errors/plugin-install",
        ["init", "ws"],
        ["plugin", "add", "nosuch.wasm", "-w", "ws"],
        ["plugin", "add", "text.wasm", "-w", "ws"],
        ["plugin", "add", "ftp://example.org/x.wasm", "-w", "ws"],
        ["plugin", "add", "oci://example.org", "-w", "ws"],
        ["plugin", "update", "-w", "ws"],
        ["plugin", "update", "nosuch", "-w", "ws"],
        ["plugin", "remove", "nosuch", "-w", "ws"],
        ["plugin", "list", "-w", "ws"],
    );
}

#[test]
fn of_installing() {
    let context = prepared(&["ordinary"]);
    magpie_snapshot!(
        context,
        "outputs/plugin-install",
        ["init", "ws"],
        ["plugin", "add", "ordinary.wasm", "-w", "ws"],
        // The table is as wide as the temporary folder's name.
        ["plugin", "list", "-w", "ws", "--json"],
        ["plugin", "update", "-w", "ws"],
        ["plugin", "remove", "ordinary", "-w", "ws"],
        ["plugin", "remove", "ordinary", "-w", "ws"],
    );
}
