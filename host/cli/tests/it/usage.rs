//! Wrong inputs: each message with its exit code.

use crate::context::{TestContext, magpie_snapshot};

#[test]
fn of_the_command_line() {
    let context = TestContext::new();
    magpie_snapshot!(
        context,
        "errors/command-line",
        ["lern"],
        ["learn", "--site", "x"],
        ["init", "a", "b"],
        ["crawl", "--forget", "--pages", "-3", "https://example.org/"],
        ["crawl", "--forget", "--pages", "0", "https://example.org/"],
        ["crawl", "--forget", "--include", "(", "https://example.org/"],
        ["objects", "show"],
        ["learn", "--seeds", "a", "--sites", "b"],
    );
}

#[test]
fn without_a_workspace() {
    let context = TestContext::new();
    magpie_snapshot!(
        context,
        "errors/no-workspace",
        ["status"],
        ["learn"],
        ["recrawl"],
        ["watch", "--once"],
        ["plan"],
        ["report"],
        ["sites"],
        ["patterns"],
        ["objects"],
        ["export", "pages"],
        ["explain", "https://example.org/"],
        ["status", "-w", "nowhere"],
    );
}

#[test]
fn without_a_vertical() {
    let context = TestContext::new();
    magpie_snapshot!(
        context,
        "errors/no-vertical",
        ["init", "ws"],
        ["learn", "-w", "ws"],
        ["recrawl", "-w", "ws"],
        ["watch", "-w", "ws", "--once"],
        ["crawl", "-w", "ws"],
    );
    context.write("ws/verticals/events.wasm", "not wasm at all");
    magpie_snapshot!(
        context,
        "errors/broken-vertical",
        ["learn", "-w", "ws"],
        ["crawl", "-w", "ws"],
        ["plugin", "check", "ws/verticals/events.wasm"],
        ["plugin", "check", "nowhere.wasm"],
    );
}

#[test]
fn of_settings() {
    let context = TestContext::with_workspace("events", "");
    magpie_snapshot!(
        context,
        "errors/settings",
        ["config", "-w", "ws", "nosuch"],
        ["status", "-w", "ws", "--set", "nosuch.key=1"],
        ["crawl", "-w", "ws", "--set", "nosuch.key=1"],
        ["crawl", "-w", "ws", "--set", "politeness.delay=banana"],
        ["crawl", "-w", "ws", "--set", "politeness.delay"],
        ["crawl", "-w", "ws", "--set", "network.proxy=:::"],
    );
    let mistakes = [
        ("misspelt", "[politness]\ndelay = \"1s\"\n"),
        ("unclosed", "[scope\n"),
        ("kind", "[crawl]\nthreads = \"many\"\n"),
        ("vertical", "[vertical.events]\nnosuch = 1\n"),
        ("other-vertical", "[vertical.books]\nx = 1\n"),
    ];
    for (name, settings) in mistakes {
        context.write("ws/magpie.toml", settings);
        magpie_snapshot!(context, format!("errors/settings-{name}"), ["crawl", "-w", "ws"],);
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
    magpie_snapshot!(
        context,
        "errors/seeds",
        ["learn", "-w", "ws"],
        ["learn", "-w", "ws", "--seeds", "nosuch.csv"],
        ["learn", "-w", "ws", "--seeds", "foo.jsonl"],
        ["learn", "-w", "ws", "--seeds", "strat.csv"],
        ["learn", "-w", "ws", "--seeds", "someday.csv"],
        ["learn", "-w", "ws", "--seeds", "binary.csv"],
        ["learn", "-w", "ws", "--seeds", "good.csv"],
        ["learn", "-w", "ws", "--seeds", "good.csv", "--vertical", "books"],
    );
    context.write("pages/one.html", "<html lang=en><title>x</title><p>12 34");
    std::fs::create_dir(context.path().join("no-pages")).expect("a folder");
    magpie_snapshot!(
        context,
        "errors/focus",
        ["focus", "-w", "ws"],
        ["focus", "-w", "ws", "--sites", "nosuch.txt"],
        ["focus", "-w", "ws", "--sites", "empty.txt"],
        ["focus", "-w", "ws", "--samples", "nosuch"],
        ["focus", "-w", "ws", "--samples", "no-pages"],
        ["focus", "-w", "ws", "--samples", "pages"],
        ["focus", "-w", "ws", "--tokens", " "],
        ["focus", "-w", "ws", "--tokens", "concert ticket"],
        ["focus", "-w", "ws", "--tokens", "concert", "--sites", "words.txt"],
        ["focus", "-w", "ws", "--until", "95", "https://a.example/"],
        ["focus", "-w", "ws", "--target", "no site", "https://a.example/"],
        [
            "focus",
            "-w",
            "ws",
            "--set",
            "focus.strategy=random",
            "https://a.example/"
        ],
    );
    magpie_snapshot!(
        context,
        "errors/sites",
        ["learn", "-w", "ws", "--sites", "nosuch.txt"],
        ["learn", "-w", "ws", "--sites", "empty.txt"],
        ["learn", "-w", "ws", "--sites", "words.txt"],
        ["crawl", "-w", "ws"],
        ["crawl", "-w", "ws", "javascript:alert(1)"],
        ["crawl", "-w", "ws", "file:///etc/passwd"],
        ["crawl", "-w", "ws", "http://127.0.0.1:9/"],
        ["sites", "-w", "ws", "nosuch.example"],
        ["sites", "-w", "ws", "nosuch.example", "--drop"],
        ["recrawl", "-w", "ws"],
        ["plan", "-w", "ws"],
        ["watch", "-w", "ws", "--once"],
        ["watch", "-w", "ws", "--once", "--budget", "banana"],
        ["report", "-w", "ws"],
        ["report", "-w", "ws", "--run", "99"],
    );
}

#[test]
fn settings_are_written_into_the_file_and_invalid_ones_are_not() {
    let context = TestContext::with_workspace("events", "# mine\n[watch]\nbudget = \"5/day\" # few\n");
    let file = context.path().join("ws/magpie.toml");
    let text = || std::fs::read_to_string(&file).unwrap();
    let run = |arguments: &[&str]| {
        let status = context
            .command(arguments)
            .args(["-w", "ws"])
            .output()
            .unwrap()
            .status;
        status.code().unwrap()
    };
    assert_eq!(run(&["config", "watch.budget", "--write", "10/day"]), 0);
    assert_eq!(text(), "# mine\n[watch]\nbudget = \"10/day\" # few\n");
    assert_eq!(run(&["config", "watch.budget", "--write", "often"]), 2);
    assert_eq!(run(&["config", "watch.nothing", "--write", "1"]), 2);
    assert_eq!(text(), "# mine\n[watch]\nbudget = \"10/day\" # few\n");
    let added = [
        "config",
        "scope.exclude",
        "--add",
        "/old/",
        "--site",
        "shop.example",
    ];
    assert_eq!(run(&added), 0);
    assert!(
        text().contains("[site.\"shop.example\".scope]\nexclude = [\"/old/\"]"),
        "{}",
        text()
    );
    assert_eq!(run(&["config", "scope.exclude", "--add", "("]), 2);
    assert_eq!(run(&["sites", "--pause"]), 0);
    assert!(text().contains("pause = true"), "{}", text());
    assert_eq!(run(&["sites", "--resume"]), 0);
    assert!(!text().contains("pause"), "{}", text());
}
