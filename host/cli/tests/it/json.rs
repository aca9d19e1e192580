//! The output of each command with `--json`, compared with snapshots and with its schema.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use magpie_lab::Vertical;
use magpie_tests::json_schema::misfits;
use serde_json::Value;

use crate::authors::{prepared, write_fixture};
use crate::context::{TestContext, assert_filtered};
use crate::help::of_each_command;
use crate::outputs::{sequential, with_forms};
use crate::web::Served;

/// Entries of an array that a snapshot shows.
const MAX_SHOWN: usize = 3;

/// A webhook without deliveries, since nothing happens after it is set.
const WEBHOOK: &str = "[[webhook]]\nname = \"shop\"\nurl = \"http://hooks.test/magpie\"\non = [\"object.gone\"]\n\
    where = \"price<=20\"\nsecret = \"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\"\n";

/// Commands that the tests do not run, since they compile.
const NOT_RUN: &[&str] = &["plugin build"];

/// The output of commands with `--json`, by the command.
struct Samples {
    context: TestContext,
    printed: BTreeMap<String, Vec<Value>>,
    texts: BTreeMap<String, String>,
}

impl Samples {
    fn new(context: TestContext) -> Self {
        Self {
            context,
            printed: BTreeMap::new(),
            texts: BTreeMap::new(),
        }
    }

    /// Runs a command with arguments and `--json`.
    fn run(&mut self, command: &str, arguments: &str) {
        let line = format!("{command} {arguments} --json");
        let ran = self.context.run(&line);
        let mut lines = ran.json();
        if command == "plan" {
            // Pages of one value are in the order of their last visits, milliseconds apart.
            lines.sort_by_key(|line| line["page"].to_string());
        }
        assert!(!lines.is_empty(), "{line}: {}", ran.err);
        let text = self.texts.entry(command.to_owned()).or_default();
        let _ = writeln!(text, "$ magpie {line}");
        let mut shapes = BTreeSet::new();
        for line in &lines {
            // It is printed each second.
            if line["event"] != "progress" && shapes.insert(shape(line)) {
                let _ = writeln!(text, "{}", shortened(line));
            }
        }
        text.push('\n');
        self.printed.entry(command.to_owned()).or_default().extend(lines);
    }

    /// Compares all output with the snapshots and the schemas.
    fn check(&self) {
        let mut wrong = Vec::new();
        for (command, lines) in &self.printed {
            let name = command.replace(' ', "-");
            assert_filtered(&self.context, &format!("json/{name}"), &self.texts[command]);
            wrong.extend(misfits(command, schema_of(&self.context, command), lines));
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

/// Returns the features of a line by which lines of one kind are recognised.
fn shape(line: &Value) -> String {
    let keys: Vec<&String> = line
        .as_object()
        .map(|line| line.keys().collect())
        .unwrap_or_default();
    format!("{keys:?} {} {}", line["event"], line["stage"])
}

/// Returns a value with only the first entries of each array.
fn shortened(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().take(MAX_SHOWN).map(shortened).collect(),
        Value::Object(entries) => entries
            .iter()
            .map(|(key, value)| (key.clone(), shortened(value)))
            .collect(),
        other => other.clone(),
    }
}

/// Returns the schema of a command, as the program prints it.
fn schema_of(context: &TestContext, command: &str) -> Value {
    serde_json::from_str(&context.ok(&format!("schema {command}")).out).expect("it is JSON")
}

#[test]
fn of_commands_on_a_workspace() {
    let served = Served::start((Vertical::Books, 5), 0, 0);
    let settings = sequential(&served.proxy()) + WEBHOOK;
    let context = TestContext::with_workspace("books", settings).at("2026-11-03T09:00Z");
    let homes = &served.homes()[1..];
    context.write("sites.txt", homes.join("\n"));
    let home = homes[1].as_str();
    let mut samples = Samples::new(context);
    samples.run("learn", "-w ws --sites sites.txt");
    samples.run("status", "-w ws");
    samples.run("patterns", "-w ws");
    samples.run("reading", "-w ws svioptvoub-2.test");
    samples.run("reading", "-w ws svioptvoub-2.test --learn --diff");
    samples.run("reread", "-w ws svioptvoub-2.test");
    samples.run("objects", "-w ws --limit 2");
    samples.run("objects show", "-w ws 1");
    samples.run("objects doubts", "-w ws");
    samples.run("objects explain", "-w ws 1");
    samples.run("objects explain", "-w ws 1 2");
    samples.run("objects explain", "-w ws 1 1");
    samples.run("objects cluster", "-w ws");
    samples.run("explain", &format!("-w ws {home}"));
    samples.run("fetch", &format!("-w ws {home}"));
    samples.run("config", "-w ws crawl.threads");
    for table in ["objects", "records", "pages", "links"] {
        samples.run(&format!("export {table}"), &format!("-w ws --out {table}.jsonl"));
    }
    samples.run("recrawl", "-w ws --later 1w");
    samples.run("objects changes", "-w ws --limit 2");
    samples.run("sites", "-w ws");
    samples.run("report", "-w ws --out report.html");
    samples.run("plan", "-w ws --later 1w");
    samples.run("watch", "-w ws --once --later 3w");
    samples.run("webhooks", "-w ws");
    samples.context.ok("feeds -w ws --make kitchen");
    samples.run("feeds", "-w ws");
    samples
        .context
        .ok("accounts -w ws --make-key exporter --role reader");
    samples.run("accounts", "-w ws");
    samples.run("crawl", &format!("-w ws {home} --pages 3"));
    samples
        .context
        .write("ws/archive/magpie-09999.warc.gz", "left by a kill");
    samples.run("archive reconcile", "-w ws");
    samples.run("archive verify", "-w ws");
    samples.run("archive prune", "-w ws");
    samples.run("forget", "-w ws nowhere.example --yes");
    samples.run("archive compact", "-w ws");
    samples.run("objects split", "-w ws 1 2");
    samples.run("sites", "-w ws svioptvoub-2.test --drop");
    samples.check();
}

#[test]
fn of_a_focused_crawl() {
    let served = Served::start((Vertical::Books, 5), 0, 0);
    let context = TestContext::with_workspace("books", sequential(&served.proxy())).at("2026-11-03T09:00Z");
    context.write("sites.txt", served.homes()[1..].join("\n"));
    let mut samples = Samples::new(context);
    samples.run("focus", "-w ws --sites sites.txt --until 0.9");
    samples.check();
}

#[test]
fn of_commands_on_forms() {
    let (context, _served) = with_forms();
    let mut samples = Samples::new(context);
    samples.run("forms", "-w ws --all");
    samples.run("surface", "-w ws --plan");
    samples.run("surface", "-w ws --requests 6");
    samples.check();
}

#[test]
fn of_commands_for_authors() {
    let context = prepared(&["ordinary", "traps", "only-judges"]);
    context.write("b.html", "<!doctype html><title>broken</title><p>x");
    context.ok("init ws");
    for (fixture, expected) in [
        ("good", r#"{"objects": [{"title": "ordinary"}]}"#),
        ("wrong", r#"{"objects": [{"title": "other", "nosuch": "x"}]}"#),
    ] {
        write_fixture(
            &context,
            &format!("jobs/fixtures/{fixture}"),
            "ordinary",
            expected,
        );
    }
    let mut samples = Samples::new(context);
    samples.run("plugin new", "talks");
    samples.run("plugin check", "ordinary.wasm");
    samples.run("plugin inspect", "ordinary.wasm");
    samples.run("plugin run", "ordinary.wasm a.html nosuch.html");
    samples.run("plugin bench", "ordinary.wasm a.html --rounds 2");
    samples.run("plugin diff", "ordinary.wasm traps.wasm a.html b.html");
    samples.run("plugin diff", "only-judges.wasm ordinary.wasm a.html");
    samples.run("plugin test", "jobs --component ordinary.wasm");
    samples.run("plugin test", "jobs --component ordinary.wasm --accept good");
    samples.run(
        "plugin record",
        "a.html --dir talks --url https://example.org/a --name a --page-only",
    );
    samples.run("plugin add", "ordinary.wasm -w ws");
    samples.run("plugin list", "-w ws");
    samples.run("plugin update", "-w ws");
    samples.run("plugin remove", "ordinary -w ws");
    samples.check();
}

#[test]
fn every_command_with_json_has_a_schema_and_a_snapshot() {
    let context = TestContext::new();
    let snapshots = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/snapshots/json");
    let mut wrong = Vec::new();
    of_each_command(&context, |command, help| {
        // A group of commands has the help of its default command.
        if !help.contains("--json") {
            return;
        }
        schema_of(&context, command);
        let snapshot = snapshots.join(format!("{}.snap", command.replace(' ', "-")));
        if !NOT_RUN.contains(&command) && !snapshot.exists() {
            wrong.push(format!("there is no snapshot {}", snapshot.display()));
        }
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
