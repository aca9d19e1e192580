//! A workspace on a replica of its server: it is read there, and written to at the primary.

use std::fs::File;
use std::thread::sleep;
use std::time::{Duration, Instant};

use magpie_test_servers::Release;
use serde_json::Value;

use super::{Machines, WEB};
use crate::context::Ran;
use crate::web::Served;

const REFUSAL: &str =
    "is read-only: it is a replica, or was set so. To write, use the address of the primary server";

#[test]
fn a_replica_is_read_and_not_written_to() {
    // The other release has no program for it.
    let Some(mut machines) = Machines::start_or_skip(Release::V15, Served::start(WEB, 0, 0)) else {
        return;
    };
    let primary = machines.workspace("followed");
    machines.learn(&primary);
    let replica = machines.postgres.replica();
    let (from, to) = (machines.postgres.port().to_string(), replica.port().to_string());
    let address = primary.replace(&from, &to);
    let context = &machines.context;
    context.write("password", "correct horse battery\n");
    let line = format!("accounts --add ada --role operator --workspace {primary}");
    let file = File::open(context.path("password")).expect("it is there");
    Ran::of(&line, context.command(&line).stdin(file)).ends(0);

    let begin = Instant::now();
    while context
        .json(&format!("accounts --json --workspace {address}"))
        .is_empty()
    {
        assert!(begin.elapsed() < Duration::from_secs(60), "nothing is replicated");
        sleep(Duration::from_millis(100));
    }
    for line in [
        "objects --json",
        "objects --where quartet --json",
        "export objects --out - --quiet",
        "export records --out - --quiet",
        "export links --out - --quiet",
        "export pages --out - --quiet",
        "sites --json",
    ] {
        let found = |workspace: &str| context.json(&format!("{line} --workspace {workspace}"));
        let there: Vec<Value> = found(&address);
        assert!(!there.is_empty(), "{line}");
        assert_eq!(there, found(&primary), "{line}");
    }
    let status = context.ok(&format!("status --json --workspace {address}")).last();
    assert!(status["pages"].as_u64() > Some(100), "{status}");

    for line in [
        "learn --seeds seeds.jsonl",
        "recrawl",
        "watch --once",
        "worker",
        "archive verify",
        "config politeness.delay --write 9s",
        "accounts --remove ada",
    ] {
        let refused = context.fails(4, &format!("{line} --workspace {address}"));
        assert!(refused.err.contains(REFUSAL), "{line}: {}", refused.err);
        assert!(!refused.err.contains("wrote"), "{line}: {}", refused.err);
    }
    let other = address.replace("followed", "other");
    let archive = context.path("archive");
    let init = format!("init {other} --archive file://{}", archive.display());
    context.fails(4, &init).says([REFUSAL]);

    let page = context.serve(&format!("serve --workspace {address}"));
    let origin = format!("Origin: {}", page.url().trim_end_matches('/'));
    let form = "Content-Type: application/x-www-form-urlencoded";
    let login = "name=ada&password=correct+horse+battery";
    page.get("/sites").has(303);
    let entered = page.send("POST /-/login", &[&origin, form], login).has(303);
    let cookie = entered.field("set-cookie").split(';').next().unwrap_or_default();
    let cookie = format!("Cookie: {cookie}");
    for path in ["/", "/events", "/sites", "/changes", "/-/ready", "/metrics"] {
        page.send(&format!("GET {path}"), &[&cookie], "").has(200);
    }
    let refused = page
        .send("POST /-/act", &[&cookie, &origin, form], "act=pause")
        .has(409);
    assert!(refused.body.contains(REFUSAL), "{}", refused.body);

    // It needs no primary to be read.
    let count = || {
        context
            .json(&format!("objects --json --workspace {address}"))
            .len()
    };
    let before = count();
    machines.postgres.kill();
    assert_eq!(count(), before);
    page.send("GET /events", &[&cookie], "").has(200);
}
