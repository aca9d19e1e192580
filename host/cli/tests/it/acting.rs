//! Acts on the web page of a watch that runs, as a real process: each changes what it does.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use magpie_test_support::server::{Reply, Site, links};
use magpie_values::Timestamp;
use serde_json::Value;

use crate::context::{Running, TestContext};
use crate::requests::{Answer, send};
use crate::watch::{PATIENCE, health, wait_for_health};
use crate::web::{LOOPBACK, event, number_of, numbered};

/// Events of the first site when it is learned, and those below a path that is excluded later.
const EVENTS: usize = 10;
const OLD: usize = 6;

/// A page with one event. Events of one number are the same event at every site.
fn page_of(number: usize) -> Reply {
    let name = ["Amber", "Birch", "Cedar", "Dune", "Elm", "Fern", "Gorse"][number % 7];
    event(
        &format!("The {name} Ensemble plays number {number}"),
        &format!("2099-05-{:02}T20:00", 1 + number % 27),
        &format!("Hall {number}"),
    )
}

/// A site with a programme. Later it has one event more, and one more below `/old/`.
fn programme(has_more: &Arc<AtomicBool>) -> Site {
    let has_more = Arc::clone(has_more);
    Site::start(move |path| {
        let more = usize::from(has_more.load(Ordering::Relaxed));
        if let Some(number) = number_of(path, "/event/").filter(|number| *number < EVENTS + more) {
            return page_of(number);
        }
        if let Some(number) = number_of(path, "/old/").filter(|number| *number < OLD + more) {
            return page_of(100 + number);
        }
        match path {
            "/" => {
                let events = (0..EVENTS + more).map(|number| format!("/event/{number}"));
                let old = (0..OLD + more).map(|number| format!("/old/{number}"));
                let all: Vec<String> = events.chain(old).collect();
                links("Programme", &all.iter().map(String::as_str).collect::<Vec<_>>())
            }
            _ => Reply::status(404),
        }
    })
}

/// A site that lists three events of the first site, and some of its own.
fn neighbour() -> Site {
    const SHOWN: [usize; 8] = [0, 1, 2, 50, 51, 52, 53, 54];
    Site::start(|path| match number_of(path, "/whats-on/") {
        Some(number) if SHOWN.contains(&number) => page_of(number),
        _ if path == "/" => numbered("What is on", "/whats-on/", SHOWN),
        _ => Reply::status(404),
    })
}

/// A watch that serves its page and is acted upon.
struct Acting<'a> {
    context: &'a TestContext,
    process: Running,
    address: String,
    session: String,
}

impl Acting<'_> {
    /// Starts the watch of a workspace and enters by the link that it prints.
    fn start(context: &TestContext) -> Acting<'_> {
        let mut command = context.command("watch -w ws --serve 127.0.0.1:0 --set watch.interval=1h");
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        let mut process = Running(command.spawn().expect("it runs"));
        let output = process.0.stderr.take().expect("it is piped");
        let mut lines = BufReader::new(output).lines().map_while(Result::ok);
        let entrance = lines
            .find_map(|line| Some(line.split("whoever opens ").nth(1)?.split(' ').next()?.to_owned()))
            .expect("it prints a link");
        // Later output must not fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        let (address, path) = entrance
            .trim_start_matches("http://")
            .split_once('/')
            .expect("a path");
        let entered = send(address, &format!("GET /{path}"), &[], "").has(303);
        let cookie = entered.field("Set-Cookie").split(';').next().unwrap_or_default();
        Acting {
            session: format!("Cookie: {cookie}"),
            address: address.to_owned(),
            context,
            process,
        }
    }

    fn get(&self, path: &str) -> Answer {
        send(&self.address, &format!("GET {path}"), &[&self.session], "")
    }

    /// Sends the form of an act, as the page does, and waits until it is done: until a cycle that
    /// began after it has ended. Nothing else is under way, since each act is waited for.
    fn act(&self, fields: &[(&str, &str)]) {
        // The watch reports its cycles by the second, so no earlier one may have begun in this one.
        let sent_at = next_second();
        let answer = self.post(fields).has(303);
        let done = self.get(answer.field("Location"));
        assert!(
            done.body.contains("magpie "),
            "the command that does the same: {}",
            done.body
        );
        self.wait_for_cycle(sent_at);
    }

    /// Sends the form of an act.
    fn post(&self, fields: &[(&str, &str)]) -> Answer {
        let mut body = url::form_urlencoded::Serializer::new(String::new());
        let body = body.extend_pairs(fields).finish();
        let head = [
            self.session.as_str(),
            "Sec-Fetch-Site: same-origin",
            "Content-Type: application/x-www-form-urlencoded",
        ];
        send(&self.address, "POST /-/act", &head, &body)
    }

    /// Searches until the objects found meet a condition.
    fn wait_for_objects(&self, query: &str, what: &str, is: impl Fn(&[Value]) -> bool) -> Answer {
        self.wait(&format!("/events.json?q=%22{query}%22"), what, |answer| {
            answer.json()["objects"].as_array().is_some_and(|all| is(all))
        })
    }

    /// Waits until a page has what is wanted of it.
    fn wait(&self, path: &str, what: &str, is: impl Fn(&Answer) -> bool) -> Answer {
        let began = Instant::now();
        loop {
            let answer = self.get(path);
            if is(&answer) {
                return answer;
            }
            assert!(began.elapsed() < PATIENCE, "{what}: {}", answer.body);
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits until the watch has ended a cycle that began after a time.
    fn wait_for_cycle(&self, after: Timestamp) {
        wait_for_health(self.context, |health| {
            let at = health["last"]["at"].as_str().and_then(Timestamp::parse);
            at.is_some_and(|at| at >= after)
        });
    }

    fn settings(&self) -> String {
        self.context.read("ws/magpie.toml")
    }
}

/// Waits until a second begins, and returns it.
fn next_second() -> Timestamp {
    let millis = || Timestamp::from(SystemTime::now()).as_millis();
    let second = millis() / 1_000 + 1;
    while millis() / 1_000 < second {
        std::thread::sleep(Duration::from_millis(10));
    }
    Timestamp::from_millis(second * 1_000)
}

/// The keys of the sites that a page of data lists.
fn sites(answer: &Answer) -> Vec<String> {
    let all = answer.json();
    let rows = all["sites"].as_array().cloned().unwrap_or_default();
    rows.iter()
        .filter_map(|site| Some(site["site"].as_str()?.to_owned()))
        .collect()
}

fn count(site: &Site, path: &str) -> usize {
    site.requests()
        .iter()
        .filter(|asked| asked.as_str() == path)
        .count()
}

#[test]
fn acts_on_the_page_change_what_a_running_watch_does() {
    let has_more = Arc::new(AtomicBool::new(false));
    let (site, other) = (programme(&has_more), neighbour());
    let context = TestContext::with_workspace("events", LOOPBACK);
    context.ok(&format!("learn -w ws {}", site.url("/")));

    let watch = Acting::start(&context);
    watch.wait_for_cycle(Timestamp::MIN);
    let key = sites(&watch.get("/sites.json"))
        .pop()
        .expect("the site is learned");
    look_at_a_site(&watch, &site, &key, &has_more);
    add_a_site(&watch, &other);
    pause_and_resume(&watch, &site, &key);
    split_an_object(&watch);
    drop_a_site(&watch, &other, &key);
    set_the_budget(&watch, &site, &key);

    // It ends at once, although acts have just been carried out.
    watch.process.terminate();
    wait_for_health(&context, |health| health["state"] == "stopped");
    let status = context.json("status -w ws --json");
    assert_eq!(status[0]["watch"]["state"], "stopped");
}

/// Excludes URLs after their number was shown, then looks: what is new is fetched, and what is
/// excluded is not.
fn look_at_a_site(watch: &Acting<'_>, site: &Site, key: &str, has_more: &AtomicBool) {
    has_more.store(true, Ordering::Relaxed);
    let pattern = url::form_urlencoded::byte_serialize(b"/old/").collect::<String>();
    let named = url::form_urlencoded::byte_serialize(key.as_bytes()).collect::<String>();
    let shown = watch
        .get(&format!("/-/exclude?pattern={pattern}&site={named}"))
        .has(200);
    assert!(
        shown.body.contains("Fetched pages that are not visited again") && shown.body.contains("/old/0"),
        "{}",
        shown.body
    );
    let figure = shown
        .body
        .split("not visited again</dt>")
        .nth(1)
        .unwrap_or_default();
    assert!(figure.trim_start().starts_with("<dd>6<"), "{figure}");
    assert!(!watch.settings().contains("exclude"), "looking changes nothing");
    watch.act(&[("act", "exclude"), ("value", "/old/"), ("site", key)]);
    assert!(watch.settings().contains("/old/"), "{}", watch.settings());

    let asked = count(site, "/");
    watch.act(&[("act", "visit"), ("site", key)]);
    watch.wait_for_objects("number%2010", "the new event is found", |all| all.len() == 1);
    assert!(count(site, "/") > asked, "the entry page was read again");
    assert_eq!(count(site, &format!("/event/{EVENTS}")), 1);
    assert_eq!(count(site, &format!("/old/{OLD}")), 0, "it is excluded");
}

fn add_a_site(watch: &Acting<'_>, other: &Site) {
    watch.act(&[("act", "add"), ("value", &other.url("/"))]);
    watch.wait("/sites.json", "the second site is learned", |answer| {
        let all = answer.json();
        let all = all["sites"].as_array().cloned().unwrap_or_default();
        all.len() == 2 && all.iter().all(|site| !site["learned_at"].is_null())
    });
    let found = watch.wait_for_objects("number%2052", "its events are found", |all| all.len() == 1);
    assert_eq!(found.json()["objects"][0]["records"], 1, "{}", found.body);
}

fn pause_and_resume(watch: &Acting<'_>, site: &Site, key: &str) {
    watch.act(&[("act", "pause"), ("site", key)]);
    let encoded = url::form_urlencoded::byte_serialize(key.as_bytes()).collect::<String>();
    let page = watch.get(&format!("/site/{encoded}")).body;
    assert!(page.contains("Resume this site"), "{page}");
    assert!(watch.get("/sites").body.contains("paused"), "the list says so");
    let asked = site.requests().len();
    watch.act(&[("act", "visit"), ("site", key)]);
    assert_eq!(
        site.requests().len(),
        asked,
        "nothing is fetched from a paused site"
    );

    watch.act(&[("act", "resume"), ("site", key)]);
    assert!(!watch.settings().contains("pause"), "{}", watch.settings());
    let asked = count(site, "/");
    watch.act(&[("act", "visit"), ("site", key)]);
    let began = Instant::now();
    while count(site, "/") == asked {
        assert!(began.elapsed() < PATIENCE, "a resumed site is visited");
        std::thread::sleep(Duration::from_millis(50));
    }

    // All sites are paused and resumed by the same setting.
    watch.act(&[("act", "pause")]);
    watch.wait("/sites", "all are paused", |answer| {
        answer.body.contains("Resume all sites")
    });
    // One site may be resumed while the others rest, until all are paused again.
    let is_paused = |watch: &Acting| {
        let page = watch.get(&format!("/site/{encoded}")).body;
        page.contains("Resume this site")
    };
    assert!(is_paused(watch));
    watch.act(&[("act", "resume"), ("site", key)]);
    assert!(!is_paused(watch));
    watch.act(&[("act", "pause")]);
    assert!(is_paused(watch));
    watch.act(&[("act", "resume")]);
    assert!(!is_paused(watch));
    watch.wait("/sites", "all are resumed", |answer| {
        answer.body.contains("Pause all sites")
    });
}

fn split_an_object(watch: &Acting<'_>) {
    let merged = watch.wait_for_objects("number%201", "the event of two sites is one object", |all| {
        all.len() == 1 && all[0]["records"] == 2
    });
    let id = merged.json()["objects"][0]["object"].clone();
    let whole = watch.get(&format!("/object/{id}.json")).json();
    let record = |at: usize| whole["members"][at]["record"].to_string();
    let (one, two) = (record(0), record(1));
    let page = watch.get(&format!("/-/split?object={id}&one={one}&other={two}"));
    assert!(page.body.contains("Keep them apart"), "{}", page.body);
    watch.act(&[("act", "split"), ("one", &one), ("other", &two)]);
    watch.wait_for_objects("number%201", "they are two objects", |all| all.len() == 2);
}

fn drop_a_site(watch: &Acting<'_>, other: &Site, kept: &str) {
    let all = sites(&watch.get("/sites.json"));
    let dropped = all
        .iter()
        .find(|key| *key != kept)
        .expect("there are two")
        .clone();
    watch.act(&[("act", "drop"), ("site", &dropped)]);
    watch.wait("/sites.json", "the site is dropped", |answer| {
        sites(answer) == [kept]
    });
    let asked = other.requests().len();
    let found = watch.get("/events.json?q=%22number%2052%22").json();
    assert_eq!(
        found["objects"].as_array().map(Vec::len),
        Some(1),
        "its objects are kept"
    );
    assert_eq!(other.requests().len(), asked);
}

fn set_the_budget(watch: &Acting<'_>, site: &Site, key: &str) {
    let refused = watch.post(&[("act", "budget"), ("value", "lots")]).has(409);
    assert!(refused.body.contains("5000/day"), "{}", refused.body);
    watch.act(&[("act", "budget"), ("value", "1/day")]);
    assert!(watch.settings().contains("1/day"), "{}", watch.settings());
    let after = health(watch.context);
    assert_eq!(after["last"]["budget"], "1/day", "{after}");
    let plan = watch.get("/plan").body;
    assert!(
        plan.contains("the budget of 1 page a day pays for 0 more") && !plan.contains("5000 pages"),
        "the plan has the budget: {plan}"
    );
    // It is spent, so a look fetches nothing.
    let asked = site.requests().len();
    watch.act(&[("act", "visit"), ("site", key)]);
    assert_eq!(site.requests().len(), asked, "the budget is spent");
}
