//! A workspace in PostgreSQL, with workers, by typed commands.

use std::collections::BTreeSet;
use std::thread::sleep;
use std::time::{Duration, Instant};

use magpie_lab::Vertical;
use magpie_test_servers::{Postgres, Release};
use serde_json::Value;

use crate::context::{Ran, Running, TestContext};
use crate::web::{Served, Spec};

mod faults;
mod replica;
mod work;

const WEB: Spec = (Vertical::Events, 7);

/// The pages and the objects of a workspace.
struct Content {
    /// Paths of pages. One crawl meets more variants with a needless query than another.
    pages: BTreeSet<String>,
    /// Times at which they begin.
    objects: BTreeSet<String>,
}

impl Content {
    fn of(context: &TestContext, workspace: &str) -> Content {
        let rows =
            |table: &str| context.json(&format!("export {table} --out - --quiet --workspace {workspace}"));
        let text = |row: &Value, key: &str| {
            let text = row.pointer(key).and_then(Value::as_str);
            text.unwrap_or_default().to_owned()
        };
        // Each worker asks for the robots.txt and the sitemaps of its sites, which have no depth.
        let pages = rows("pages").into_iter().filter(|row| row["depth"].is_u64());
        let pages: Vec<_> = pages
            .map(|row| (row["run"].as_i64(), text(&row, "/url")))
            .collect();
        let mut met = BTreeSet::new();
        let twice = pages.iter().filter(|page| !met.insert(*page));
        assert_eq!(twice.collect::<Vec<_>>(), Vec::<&(Option<i64>, String)>::new());
        let path = |(_, url): &(_, String)| url.split('?').next().unwrap_or_default().to_owned();
        Content {
            pages: pages.iter().map(path).collect(),
            // The name of an object is that of one of its records.
            objects: rows("objects")
                .iter()
                .map(|row| text(row, "/attributes/start"))
                .collect(),
        }
    }

    #[track_caller]
    fn is(&self, other: &Content) {
        let differences = |mine: &BTreeSet<String>, others: &BTreeSet<String>| {
            mine.symmetric_difference(others)
                .cloned()
                .collect::<Vec<String>>()
        };
        assert_eq!(differences(&self.pages, &other.pages), Vec::<String>::new());
        assert_eq!(differences(&self.objects, &other.objects), Vec::<String>::new());
    }
}

/// A server, and a context whose folder `ws` and whose workspaces on the server reach a web.
struct Machines {
    pub(crate) context: TestContext,
    served: Served,
    pub(crate) postgres: Postgres,
    /// Without the password.
    address: String,
    settings: Vec<(&'static str, String)>,
}

impl Machines {
    fn start_or_skip(release: Release, served: Served) -> Option<Machines> {
        let postgres = Postgres::start_or_skip(release)?;
        let proxy = served.proxy();
        let settings = [
            ("network.proxy", proxy.as_str()),
            ("search.url", "http://find.test"),
            ("search.delay", "0s"),
            ("politeness.delay", "0s"),
            ("politeness.autothrottle", "false"),
            ("workers.lease", "2s"),
        ];
        let settings = settings.map(|(key, value)| (key, value.to_owned())).to_vec();
        let (address, password) = without_password(&postgres.url("postgres"));
        let context = TestContext::with_workspace("events", "").variable("PGPASSWORD", &password);
        for (key, value) in &settings {
            context.ok(&format!("config {key} --write '{value}' --workspace ws"));
        }
        context.write("seeds.jsonl", served.seeds());
        std::fs::create_dir(context.path("archive")).expect("a folder");
        Some(Machines {
            context,
            served,
            postgres,
            address,
            settings,
        })
    }

    /// Makes a workspace on the server, and returns its address.
    fn workspace(&self, schema: &str) -> String {
        let archive = format!("file://{}", self.context.path("archive").display());
        let address = self.create(schema, &archive, |line| self.context.ok(line));
        for (key, value) in &self.settings {
            self.context
                .ok(&format!("config {key} --write '{value}' --workspace {address}"));
        }
        address
    }

    /// Makes a workspace without settings by a way to run commands.
    fn create(&self, schema: &str, archive: &str, run: impl Fn(&str) -> Ran) -> String {
        let address = format!("{}?schema={schema}", self.address);
        run(&format!("init {address} --archive {archive}"));
        let component = magpie_tests::vertical("events");
        run(&format!(
            "plugin add {} --workspace {address}",
            component.display()
        ));
        address
    }

    /// Starts workers, and waits until they have joined.
    fn workers(&self, address: &str, count: usize) -> Vec<Running> {
        let line = format!("worker --workspace {address}");
        let workers = (0..count).map(|_| self.context.start(&line)).collect();
        self.wait_for_workers(address, count);
        workers
    }

    fn wait_for_workers(&self, address: &str, count: usize) {
        let begin = Instant::now();
        while live(&self.context, address) < count {
            assert!(begin.elapsed() < Duration::from_secs(60), "no workers");
            sleep(Duration::from_millis(100));
        }
    }

    fn learn(&self, workspace: &str) {
        self.context
            .ok(&format!("learn --seeds seeds.jsonl --workspace {workspace}"));
    }
}

/// Returns the number of workers that are there.
fn live(context: &TestContext, address: &str) -> usize {
    let status = context.ok(&format!("status --json --workspace {address}")).last();
    let workers = status["workers"].as_array().cloned().unwrap_or_default();
    let is_live = |row: &&Value| row["live"] == true && row["part"] == "worker";
    workers.iter().filter(is_live).count()
}

/// Splits the password off an address.
fn without_password(url: &str) -> (String, String) {
    let (before, host) = url.split_once('@').expect("a user");
    let (user, password) = before.rsplit_once(':').expect("a password");
    (format!("{user}@{host}"), password.to_owned())
}

#[test]
fn a_server_with_and_without_workers_comes_to_what_a_folder_comes_to() {
    let Some(machines) = Machines::start_or_skip(Release::V15, Served::start(WEB, 0, 0)) else {
        return;
    };
    machines.learn("ws");
    let folder = Content::of(&machines.context, "ws");
    assert!(folder.objects.len() > 40);
    let alone = machines.workspace("alone");
    machines.learn(&alone);
    Content::of(&machines.context, &alone).is(&folder);
    let shared = machines.workspace("shared");
    let workers = machines.workers(&shared, 2);
    machines.learn(&shared);
    Content::of(&machines.context, &shared).is(&folder);
    let found = |workspace: &str| {
        let line = format!("objects --where quartet --json --workspace {workspace}");
        machines.context.json(&line).len()
    };
    assert!(found("ws") > 1 && found(&shared) == found("ws"));
    // A round a week later.
    let context = &machines.context;
    let _later = machines.served.later(1);
    let rounds = ["ws", &shared].map(|workspace| {
        let line = format!("recrawl --later 1w --json --workspace {workspace}");
        let last = context.ok(&line).last();
        assert!(last["new_objects"].as_u64() > Some(0), "{last}");
        last["new_objects"].clone()
    });
    assert_eq!(rounds[0], rounds[1]);
    Content::of(context, &shared).is(&Content::of(context, "ws"));
    for worker in &workers {
        worker.terminate();
    }
    for mut worker in workers {
        assert!(worker.0.wait().expect("it ends").success());
    }
    assert_eq!(
        live(context, &shared),
        0,
        "workers leave when they are asked to stop"
    );
    context
        .ok(&format!("archive verify --workspace {shared}"))
        .says(["no problem"]);
}
