//! Outputs of the commands on a small web of the lab.

use magpie_lab::Vertical;

use crate::context::{TestContext, assert_filtered};
use crate::web::Served;

/// Returns settings for one request at a time, so that pages come in the same order each time.
pub(crate) fn sequential(proxy: &str) -> String {
    format!(
        "[network]\nproxy = \"{proxy}\"\nconnections = 1\n[politeness]\ndelay = \"0s\"\nautothrottle = false\n\
         requests = 1\nmax_crawl_delay = \"0s\"\n[crawl]\nthreads = 1\nsites = 1\n[fetch]\nretries = 0\n"
    )
}

#[test]
fn of_every_command() {
    let served = Served::start((Vertical::Books, 5), 0, 0);
    let context = TestContext::with_workspace("books", sequential(&served.proxy())).at("2026-11-03T09:00Z");
    // The largest site is read in an order that varies, so the numbers of its records do.
    let homes = &served.homes()[1..];
    context.write("sites.txt", homes.join("\n"));
    context.snapshot("outputs/learn", ["learn -w ws --sites sites.txt"]);
    context.snapshot("outputs/sites", ["sites -w ws"]);
    context.snapshot("outputs/patterns", ["patterns -w ws", "patterns -w ws --all"]);
    context.snapshot("outputs/status", ["status -w ws"]);
    context.snapshot(
        "outputs/objects",
        [
            "objects -w ws --limit 5",
            "objects changes -w ws --limit 3",
            "objects show -w ws 1",
            "objects explain -w ws 1",
            "objects explain -w ws 1 2",
        ],
    );
    context.snapshot(
        "errors/objects",
        [
            "objects -w ws --where foo=1",
            "objects -w ws --where 'title>banana'",
            "objects -w ws --where title:",
            "objects -w ws --where '\"title'",
            "objects changes -w ws --since soon",
            "objects -w ws --sort foo",
            "objects -w ws --new-since soon",
            "objects -w ws --columns foo",
            "objects show -w ws 99999",
            "objects show -w ws x",
            "objects split -w ws r1 r1",
            "export foo -w ws",
        ],
    );
    let home = homes[1].as_str();
    context.snapshot("outputs/explain", [format!("explain -w ws {home}").as_str()]);
    context.snapshot("outputs/fetch", [format!("fetch -w ws {home}").as_str()]);
    context.snapshot("outputs/config", ["config -w ws --changed"]);
    context.snapshot(
        "outputs/export",
        [
            "export pages -w ws --out pages.jsonl",
            "export links -w ws --out links.csv",
            "export records -w ws --out records.csv",
            "export objects -w ws --out objects.csv",
            "export objects -w ws --out - --run 9",
            "export objects -w ws --out x.txt",
        ],
    );
    context.snapshot("outputs/recrawl", ["recrawl -w ws", "recrawl -w ws --later 1w"]);
    // Pages of one value are in the order of their last visits, which differ by milliseconds.
    let plan = context.transcript(["plan -w ws"]);
    let mut lines: Vec<&str> = plan.lines().collect();
    lines.sort_unstable();
    assert_filtered(&context, "outputs/plan", &lines.join("\n"));
    context.snapshot("outputs/report", ["report -w ws --out report.html"]);
    assert_filtered(&context, "outputs/report.html", &context.read("report.html"));
    context.snapshot(
        "outputs/crawl",
        [format!("crawl -w ws {home} --pages 3").as_str()],
    );
    context.snapshot(
        "outputs/watch",
        ["watch -w ws --once --later 2w", "watch -w ws --once --later 3w"],
    );
}

/// A workspace that has learned a web in which all sites are behind forms.
pub(crate) fn with_forms() -> (TestContext, Served) {
    let served = Served::deep((Vertical::Events, 7));
    let context = TestContext::with_workspace("events", sequential(&served.proxy())).at("2026-11-03T09:00Z");
    context.learn(&served.homes());
    (context, served)
}

#[test]
fn of_commands_on_forms() {
    let (context, _served) = with_forms();
    context.write("entities.tsv", "person\tAda\nno tab here\n");
    context.snapshot(
        "outputs/forms",
        ["forms -w ws", "forms -w ws --all wibveak-2.test"],
    );
    context.snapshot(
        "outputs/surface",
        [
            "surface -w ws --plan",
            "surface -w ws --requests 12",
            "explain -w ws http://www.gaugaevzaurn-0.test/s?wd=jrfwswfxvxhcmpkhhhrf&trountjeg=&via=home&cat=0",
        ],
    );
    context.snapshot(
        "errors/forms",
        [
            "forms -w ws nosuch.test",
            "surface -w ws nosuch.test",
            "surface -w ws --plan wibveak-2.test",
            "surface -w ws --entities entities.tsv",
            "surface -w ws --queries nosuch.txt",
        ],
    );
}
