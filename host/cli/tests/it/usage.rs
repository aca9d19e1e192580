//! Wrong inputs: each message with its exit code.

use crate::context::TestContext;

#[test]
fn of_the_command_line() {
    TestContext::new().snapshot(
        "errors/command-line",
        [
            "lern",
            "learn --site x",
            "init a b",
            "crawl --forget --pages -3 https://example.org/",
            "crawl --forget --pages 0 https://example.org/",
            "crawl --forget --include '(' https://example.org/",
            "objects show",
            "learn --seeds a --sites b",
        ],
    );
}

#[test]
fn without_a_workspace() {
    let context = TestContext::new();
    context.snapshot(
        "errors/no-workspace",
        [
            "status",
            "learn",
            "recrawl",
            "watch --once",
            "plan",
            "report",
            "sites",
            "patterns",
            "objects",
            "export pages",
            "explain https://example.org/",
            "status -w nowhere",
        ],
    );
    for command in ["recrawl", "crawl"] {
        let refused = context.fails(4, &format!("{command} -w nowhere"));
        refused.says(["nowhere is not a workspace", "magpie init"]);
    }
    assert!(!context.path("nowhere").exists());
}

#[test]
fn without_a_vertical() {
    let context = TestContext::new();
    context.snapshot(
        "errors/no-vertical",
        [
            "init ws",
            "learn -w ws",
            "recrawl -w ws",
            "watch -w ws --once",
            "crawl -w ws",
        ],
    );
    context.write("ws/verticals/events.wasm", "not wasm at all");
    context.snapshot(
        "errors/broken-vertical",
        [
            "learn -w ws",
            "crawl -w ws",
            "plugin check ws/verticals/events.wasm",
            "plugin check nowhere.wasm",
        ],
    );
}

#[test]
fn of_settings() {
    let context = TestContext::with_workspace("events", "");
    context.snapshot(
        "errors/settings",
        [
            "config -w ws nosuch",
            "status -w ws --set nosuch.key=1",
            "crawl -w ws --set nosuch.key=1",
            "crawl -w ws --set politeness.delay=banana",
            "crawl -w ws --set politeness.delay",
            "crawl -w ws --set network.proxy=:::",
        ],
    );
    for (name, settings) in [
        ("misspelt", "[politness]\ndelay = \"1s\"\n"),
        ("unclosed", "[scope\n"),
        ("kind", "[crawl]\nthreads = \"many\"\n"),
        ("vertical", "[vertical.events]\nnosuch = 1\n"),
        ("other-vertical", "[vertical.books]\nx = 1\n"),
    ] {
        context.write("ws/magpie.toml", settings);
        context.snapshot(&format!("errors/settings-{name}"), ["crawl -w ws"]);
    }
}

#[test]
fn of_seeds_and_sites() {
    let context = TestContext::with_workspace("events", "");
    context.write("empty.txt", "");
    context.write("words.txt", "hello world\n");
    context.write("foo.jsonl", "{\"foo\": 1}\n");
    context.write("strat.csv", "name,strat\nA night,2026-05-01\n");
    context.write("someday.csv", "name,start\nA night,someday\n");
    context.write("binary.csv", b"na\xff\xfe");
    context.write("good.csv", "name,start\nA night,2026-05-01\n");
    context.snapshot(
        "errors/seeds",
        [
            "learn -w ws",
            "learn -w ws --seeds nosuch.csv",
            "learn -w ws --seeds foo.jsonl",
            "learn -w ws --seeds strat.csv",
            "learn -w ws --seeds someday.csv",
            "learn -w ws --seeds binary.csv",
            "learn -w ws --seeds good.csv",
            "learn -w ws --seeds good.csv --vertical books",
        ],
    );
    context.write("pages/one.html", "<html lang=en><title>x</title><p>12 34");
    std::fs::create_dir(context.path("no-pages")).expect("a folder");
    context.snapshot(
        "errors/focus",
        [
            "focus -w ws",
            "focus -w ws --sites nosuch.txt",
            "focus -w ws --sites empty.txt",
            "focus -w ws --samples nosuch",
            "focus -w ws --samples no-pages",
            "focus -w ws --samples pages",
            "focus -w ws --tokens ' '",
            "focus -w ws --tokens 'concert ticket'",
            "focus -w ws --tokens concert --sites words.txt",
            "focus -w ws --until 95 https://a.example/",
            "focus -w ws --target 'no site' https://a.example/",
            "focus -w ws --set focus.strategy=random https://a.example/",
        ],
    );
    context.snapshot(
        "errors/sites",
        [
            "learn -w ws --sites nosuch.txt",
            "learn -w ws --sites empty.txt",
            "learn -w ws --sites words.txt",
            "crawl -w ws",
            "crawl -w ws javascript:alert(1)",
            "crawl -w ws file:///etc/passwd",
            "crawl -w ws http://127.0.0.1:9/",
            "sites -w ws nosuch.example",
            "sites -w ws nosuch.example --drop",
            "recrawl -w ws",
            "plan -w ws",
            "watch -w ws --once",
            "watch -w ws --once --budget banana",
            "report -w ws",
            "report -w ws --run 99",
        ],
    );
    context.write("bad.txt", "# ours\nexample.org\n\nftp://example.org/\n");
    let refused = context.fails(4, "learn -w ws --sites bad.txt");
    refused.says(["bad.txt, line 4", "ftp://example.org/"]);
}

#[test]
fn settings_are_written_into_the_file_and_invalid_ones_are_not() {
    let context = TestContext::with_workspace("events", "# mine\n[watch]\nbudget = \"5/day\" # few\n");
    let text = || context.read("ws/magpie.toml");
    context.ok("config -w ws watch.budget --write 10/day");
    assert_eq!(text(), "# mine\n[watch]\nbudget = \"10/day\" # few\n");
    context.fails(2, "config -w ws watch.budget --write often");
    context.fails(2, "config -w ws watch.nothing --write 1");
    assert_eq!(text(), "# mine\n[watch]\nbudget = \"10/day\" # few\n");
    context.ok("config -w ws scope.exclude --add /old/ --site shop.example");
    let added = "[site.\"shop.example\".scope]\nexclude = [\"/old/\"]";
    assert!(text().contains(added), "{}", text());
    context.fails(2, "config -w ws scope.exclude --add '('");
    context.ok("sites -w ws --pause");
    assert!(text().contains("pause = true"), "{}", text());
    context.ok("sites -w ws --resume");
    assert!(!text().contains("pause"), "{}", text());
}

#[test]
fn a_variable_that_is_no_setting_is_told() {
    let context = TestContext::with_workspace("events", "");
    let mut status = context.command("status -w ws");
    let told = crate::context::Ran::of("status", status.env("MAGPIE_POLITENES_DELAY", "2s"));
    told.ends(0).says(["did you mean `MAGPIE_POLITENESS_DELAY`?"]);
}
