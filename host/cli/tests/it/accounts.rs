//! `magpie accounts`, and a server whose readers must log in.

use std::fs::File;

use serde_json::json;

use crate::context::{Ran, TestContext};

#[test]
fn accounts_are_added_and_removed_and_servers_obey() {
    let context = TestContext::new();
    context.ok("init ws");
    let refused = context.fails(2, "serve -w ws --listen 0.0.0.0:0");
    let err = &refused.err;
    assert!(
        err.contains("no account to log in with") && err.contains("magpie accounts --add"),
        "{err}"
    );

    context.write("password", "correct horse battery\n");
    context.write("short", "horse\n");
    let add = |file: &str| {
        let line = "accounts -w ws --add ada --role operator";
        let file = File::open(context.path(file)).expect("it is there");
        Ran::of(line, context.command(line).stdin(file))
    };
    assert!(add("short").ends(2).err.contains("expected 8 to 1024 bytes"));
    add("password").ends(0);
    add("password").ends(4);
    let key = context.ok("accounts -w ws --make-key exporter --role reader").out;
    let listed = context.json("accounts -w ws --json");
    let shown: Vec<_> = listed
        .iter()
        .map(|line| [&line["account"], &line["role"], &line["is_key"]])
        .collect();
    assert_eq!(
        json!(shown),
        json!([["ada", "operator", false], ["exporter", "reader", true]])
    );
    let file = context.read("ws/accounts.jsonl");
    assert!(!file.contains("horse") && !file.contains(key.trim()), "{file}");

    let page = context.serve("serve -w ws");
    page.get("/sites").has(303);
    page.get("/api/v1/sites").has(401);
    let bearer = format!("Authorization: Bearer {}", key.trim());
    page.send("GET /api/v1/sites", &[&bearer], "").has(200);
    context.ok("accounts -w ws --remove exporter");
    page.send("GET /api/v1/sites", &[&bearer], "").has(401);
    assert!(
        context
            .fails(4, "accounts -w ws --remove exporter")
            .err
            .contains("no account `exporter`")
    );

    context.write("ws/accounts.jsonl", "{}\n");
    for line in ["accounts -w ws", "serve -w ws --listen 127.0.0.1:0"] {
        let damaged = context.fails(4, line).err;
        assert!(
            damaged.contains("line 1 of ") && damaged.contains("accounts.jsonl"),
            "{damaged}"
        );
    }
    page.get("/sites").has(503);
}
