//! Keeping house: pages that are forgotten for good, and the limits of the archive.

use std::time::Duration;

use magpie_test_support::server::Site;
use serde_json::Value;

use crate::context::TestContext;
use crate::web::{BOOKS, LOOPBACK, shop};

/// The titles of the objects, in order.
fn titles(context: &TestContext) -> Vec<String> {
    let objects = context.json("objects -w ws --json --sort title");
    let title = |object: &Value| object["attributes"]["title"].as_str().map(str::to_owned);
    objects.iter().filter_map(title).collect()
}

#[test]
fn a_site_and_a_page_are_forgotten_for_good_whenever_the_command_is_killed() {
    let (one, other) = (shop(), shop());
    let context = TestContext::with_workspace("books", LOOPBACK);
    let magpie = |line: &str| context.ok(&format!("{line} -w ws"));
    magpie(&format!("crawl {}", one.url("/")));
    magpie(&format!("crawl {}", other.url("/")));
    let (site, page) = (one.url("/").replace("http://", ""), other.url("/book/0"));
    let site = site.trim_end_matches('/');
    let last = magpie("objects changes --json").last();
    let since = last["cursor"].as_str().expect("a cursor");

    // Nothing is removed without a word.
    context
        .fails(2, &format!("forget -w ws {site}"))
        .says(["--yes", "--dry-run"]);
    let dry = magpie(&format!("forget {site} --dry-run --json")).last();
    assert_eq!(
        (&dry["objects"], &dry["changed_objects"]),
        (&0.into(), &BOOKS.into())
    );
    assert_eq!(titles(&context).len(), BOOKS);

    for wait in [5, 30, 80, 200] {
        let line = format!("forget -w ws {site} {page} --yes");
        context.start(&line).kill_after(Duration::from_millis(wait));
        magpie("archive verify").says(["no problem"]);
        let left = titles(&context).len();
        assert!(left == BOOKS || left == BOOKS - 1, "{left}");
    }
    magpie(&format!("forget {site} {page} --yes"));
    magpie("archive verify").says(["no problem"]);
    magpie("archive reconcile").says(["every file of the archive has pages"]);
    magpie("objects cluster");
    assert_eq!(
        titles(&context),
        ["A Mountain Year", "Old Forests", "The Quiet Desert"]
    );
    context.fails(1, "objects -w ws --where title~rivers");
    let changes = context.json(&format!("objects changes -w ws --json --since {since}"));
    let forgotten = changes.iter().filter(|change| change["kind"] == "forgotten");
    assert_eq!(forgotten.count(), 1, "{changes:?}");
    let everything = context.json("objects changes -w ws --json");
    assert!(!format!("{everything:?}").contains("Rivers"), "{everything:?}");

    // It does not come back.
    let asked = |site: &Site| site.requests().len();
    let before = (asked(&one), asked(&other));
    context.fails(1, &format!("crawl -w ws {}", one.url("/")));
    magpie(&format!("crawl {} --again", other.url("/")));
    assert_eq!(asked(&one), before.0);
    let new = &other.requests()[before.1..];
    assert!(!new.is_empty() && !new.iter().any(|request| request.ends_with("/book/0")));
    assert_eq!(titles(&context).len(), BOOKS - 1);
    for url in [page.as_str(), &one.url("/book/1")] {
        context
            .ok(&format!("explain -w ws {url}"))
            .says(["(forgotten)", "forgotten on 20"]);
    }
    let unknown = one.url("/never-seen");
    context
        .fails(1, &format!("explain -w ws {unknown}"))
        .says(["forgotten on 20"]);
    magpie("forget --list").says([site, page.as_str()]);
    assert!(!context.read("ws/crawl.log").contains("/book/0"));

    // Until it is allowed again.
    magpie(&format!("forget --allow {page}")).says(["queued 1 URL"]);
    context
        .fails(4, &format!("forget -w ws --allow {page}"))
        .says(["is not forgotten"]);
    magpie("crawl");
    assert_eq!(titles(&context).len(), BOOKS);
}

#[test]
fn bodies_beyond_the_limits_are_removed_and_that_is_said() {
    let shop = shop();
    let context = TestContext::with_workspace("books", LOOPBACK);
    let magpie = |line: &str| context.ok(&format!("{line} -w ws"));
    magpie(&format!("crawl {}", shop.url("/")));
    magpie("archive prune").says(["neither `archive.keep` nor `archive.quota` sets a limit"]);
    let size = context.json("status -w ws --json")[0]["archive_bytes"]
        .as_u64()
        .expect("a size");
    let quota = size * 3 / 4;
    context.write(
        "ws/magpie.toml",
        format!("{LOOPBACK}\n[archive]\nquota = \"{quota} B\"\n"),
    );
    magpie("status").says([" of "]);
    // A run removes them at its end.
    let ran = magpie(&format!("crawl {} --again", shop.url("/")));
    ran.says(["can't be read again"]);
    let status = context.json("status -w ws --json").remove(0);
    assert_eq!(status["archive_quota"], quota);
    assert!(
        status["archive_bytes"]
            .as_u64()
            .is_some_and(|bytes| bytes <= quota),
        "{status}"
    );
    magpie("archive verify").says(["no problem"]);
    context.write(
        "ws/magpie.toml",
        format!("{LOOPBACK}\n[archive]\nquota = \"1 B\"\n"),
    );
    magpie("archive prune");
    magpie("reread").says(["the body was removed by `archive.quota` on 20"]);
    context
        .ok(&format!("explain -w ws {}", shop.url("/book/1")))
        .says(["the body was removed by `archive.quota` on 20"]);
    assert_eq!(titles(&context).len(), BOOKS);
}
