//! Webhooks of a watch: signed, in order, at least once however often the watch is killed.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use base64::Engine as _;
use magpie_lab::Vertical;
use magpie_test_support::server::{Asked, Reply, Site};
use serde_json::Value;

use crate::context::{Running, TestContext};
use crate::outputs::sequential;
use crate::web::Served;

/// The key of all webhooks here, in base64.
const KEY: &str = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// Time after which a test fails instead of hanging.
const PATIENCE: Duration = Duration::from_secs(300);

#[derive(Clone, Debug, PartialEq)]
struct Message {
    id: String,
    body: String,
}

impl Message {
    fn events(&self) -> Vec<Value> {
        let body: Value = serde_json::from_str(&self.body).expect("JSON");
        body["data"]["events"].as_array().expect("events").clone()
    }
}

/// The receiver's answer to a message.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Reaction {
    Take,
    Answer(u16),
    KillBeforeAnswer,
    KillAfterAnswer,
}

/// A server that gets messages.
struct Receiver {
    site: Site,
    process: Arc<Mutex<Option<Running>>>,
}

impl Receiver {
    /// `react` has the reactions to messages, by their number.
    fn start(react: impl Fn(usize) -> Reaction + Send + Sync + 'static) -> Receiver {
        let process = Arc::new(Mutex::new(None::<Running>));
        let (killed, count) = (Arc::clone(&process), AtomicUsize::new(0));
        let site = Site::start(move |_| {
            let taken = Reply::bytes("HTTP/1.1 200 x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            match react(count.fetch_add(1, Ordering::SeqCst)) {
                Reaction::Take => taken.and_close(),
                Reaction::Answer(status) => Reply::status(status).with("Connection", "close").and_close(),
                Reaction::KillBeforeAnswer => {
                    kill(&killed);
                    Reply::close()
                }
                Reaction::KillAfterAnswer => {
                    let killed = Arc::clone(&killed);
                    Reply::script(move |wire| {
                        let sent = taken.write(wire);
                        kill(&killed);
                        sent
                    })
                    .and_close()
                }
            }
        });
        Receiver { site, process }
    }

    fn messages(&self) -> Vec<Message> {
        self.site.log().iter().map(message).collect()
    }
}

fn kill(process: &Mutex<Option<Running>>) {
    if let Some(process) = process.lock().expect("a process").as_mut() {
        process.0.kill().expect("killed");
    }
}

/// Returns a message after a check of its signature.
fn message(asked: &Asked) -> Message {
    let head = &asked.head;
    let field = |name: &str| asked.field(name).unwrap_or_else(|| panic!("no {name}: {head}"));
    assert!(
        asked.method == "POST" && field("content-type") == "application/json",
        "{head}"
    );
    let (id, time, body) = (field("webhook-id"), field("webhook-timestamp"), &asked.body);
    let base64 = base64::engine::general_purpose::STANDARD;
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, &base64.decode(KEY).expect("a key"));
    let signature = field("webhook-signature");
    let signature = base64
        .decode(signature.strip_prefix("v1,").expect("version 1"))
        .expect("base64");
    let signed = format!("{id}.{time}.{body}");
    ring::hmac::verify(&key, signed.as_bytes(), &signature).expect("the signature is right");
    Message {
        id: id.to_owned(),
        body: body.clone(),
    }
}

/// A webhook in the settings.
fn webhook(name: &str, port: u16, more: &str) -> String {
    format!(
        "[[webhook]]\nname = \"{name}\"\nurl = \"http://127.0.0.1:{port}/hook\"\nsecret = \"whsec_{KEY}\"\n\
         replay = true\n{more}\n"
    )
}

/// The state of a webhook, as the program prints it.
fn state(context: &TestContext) -> Value {
    context.ok("webhooks -w ws --json").last()
}

#[track_caller]
fn watch_once(context: &TestContext) {
    context.ok("watch -w ws --once --budget 0/day");
}

#[test]
fn every_change_arrives_in_order_however_often_the_watch_is_killed() {
    let served = Served::start((Vertical::Events, 7), 0, 0);
    let network =
        sequential(&served.proxy()).replace("connections = 1", "connections = 1\nno_proxy = [\"127.0.0.1\"]");
    let context = TestContext::with_workspace("events", &network).at("2026-11-03T09:00Z");
    context.learn(&served.homes());

    a_private_address_is_refused_unless_it_is_allowed(&context, &network);
    let network = network.replace("no_proxy", "allow_addresses = [\"127.0.0.1/32\"]\nno_proxy");
    a_webhook_that_never_answers_is_given_up_for_now(&context, &network);
    a_webhook_that_is_gone_is_parked_and_resumed(&context, &network);
    the_end_of_a_run_is_told_once(&context, &network);
    a_killed_watch_repeats_and_skips_none(&context, &network);
}

fn a_private_address_is_refused_unless_it_is_allowed(context: &TestContext, network: &str) {
    let receiver = Receiver::start(|_| Reaction::Take);
    context.write(
        "ws/magpie.toml",
        format!("{network}{}", webhook("inside", receiver.site.address.port(), "")),
    );
    watch_once(context);
    let state = state(context);
    assert_eq!(state["state"], "retrying", "{state}");
    let problem = state["last_error"].as_str().expect("a problem");
    assert!(problem.contains("127.0.0.1"), "{problem}");
    assert_eq!(receiver.messages(), []);
}

/// One server takes the message and never answers; the other sends an answer without an end.
fn a_webhook_that_never_answers_is_given_up_for_now(context: &TestContext, network: &str) {
    let silent = Site::always(Reply::silence()).address.port();
    let endless = Site::always(Reply::script(|wire| {
        wire.send("HTTP/1.1 200 OK\r\n")?;
        wire.repeat("X-Drop: x\r\n", Duration::from_millis(20))
    }));
    let endless = endless.address.port();
    let hooks = [("silent", silent), ("endless", endless)].map(|(name, port)| webhook(name, port, ""));
    let fetch =
        "[fetch]\nfirst_byte_timeout = \"200ms\"\nidle_timeout = \"200ms\"\ntotal_timeout = \"400ms\"\n";
    let network = match network.contains("[fetch]\n") {
        true => network.replace("[fetch]\n", fetch),
        false => format!("{network}{fetch}"),
    };
    context.write("ws/magpie.toml", format!("{network}{}", hooks.concat()));
    watch_once(context);
    let states = context.json("webhooks -w ws --json");
    assert_eq!(states.len(), 2, "{states:?}");
    for state in states {
        assert_eq!(state["state"], "retrying", "{state}");
        assert!(state["last_error"].is_string(), "{state}");
        assert_eq!(state["events"], 0, "{state}");
    }
}

fn a_webhook_that_is_gone_is_parked_and_resumed(context: &TestContext, network: &str) {
    let receiver = Receiver::start(|number| match number {
        0 => Reaction::Answer(410),
        _ => Reaction::Take,
    });
    let hook = webhook(
        "shop",
        receiver.site.address.port(),
        "where = \"is:current\"\non = [\"object.new\"]",
    );
    context.write("ws/magpie.toml", format!("{network}{hook}"));
    assert_eq!(state(context)["state"], "new");
    watch_once(context);
    assert_eq!(state(context)["state"], "parked");
    watch_once(context);
    assert_eq!(receiver.messages().len(), 1, "a parked webhook is left alone");

    context.ok("webhooks -w ws --resume shop");
    watch_once(context);
    let messages = receiver.messages();
    assert_eq!(messages[0], messages[1], "a message is repeated as it was");
    let state = state(context);
    assert_eq!(
        (&state["state"], &state["last_error"]),
        (&Value::from("following"), &Value::Null)
    );
    let events: usize = messages[1..].iter().map(|message| message.events().len()).sum();
    assert!(events > 0);
    assert_eq!(state["events"], events);
    assert!(
        messages
            .iter()
            .flat_map(Message::events)
            .all(|event| event["type"] == "object.new")
    );
}

fn the_end_of_a_run_is_told_once(context: &TestContext, network: &str) {
    let receiver = Receiver::start(|_| Reaction::Take);
    let hook = webhook("runs", receiver.site.address.port(), "on = [\"run.ended\"]");
    context.write("ws/magpie.toml", format!("{network}{hook}"));
    watch_once(context);
    watch_once(context);
    let events: Vec<Value> = receiver.messages().iter().flat_map(Message::events).collect();
    let [learned] = events.as_slice() else {
        panic!("one run came to its end: {events:?}");
    };
    assert_eq!(
        (&learned["type"], &learned["is_over"]),
        (&"run.ended".into(), &true.into())
    );
    let facts = &learned["facts"];
    assert_eq!(
        (&facts["kind"], &facts["outcome"]),
        (&"learn".into(), &"finished".into()),
        "{learned}"
    );
    assert!(facts["started_at"].is_string() && facts["ended_at"].is_string() && facts["run"].is_i64());
    assert_eq!(learned["vertical"], Value::Null);
}

fn a_killed_watch_repeats_and_skips_none(context: &TestContext, network: &str) {
    let receiver = Receiver::start(|number| match number % 3 {
        0 => Reaction::KillBeforeAnswer,
        1 => Reaction::KillAfterAnswer,
        _ => Reaction::Take,
    });
    let topics =
        ["new", "changed", "gone", "back", "merged", "expired"].map(|topic| format!("\"object.{topic}\""));
    let hook = format!("batch = 20\non = [{}]", topics.join(", "));
    let hook = webhook("copy", receiver.site.address.port(), &hook);
    context.write("ws/magpie.toml", format!("{network}{hook}"));
    let mut log = context.json("objects changes -w ws --json --limit 0");
    // The last line has the end of the log.
    log.retain(|line| line["object"].is_i64());
    assert!(log.len() > 60, "{}", log.len());

    let began = Instant::now();
    let has_all = || {
        let mut events = receiver
            .messages()
            .into_iter()
            .flat_map(|message| message.events());
        events.any(|event| is_same(&event, &log[log.len() - 1])) && state(context)["events"] == log.len()
    };
    let mut kills = 0;
    while !has_all() {
        assert!(began.elapsed() < PATIENCE, "{:?}", state(context));
        let watch = context.start("watch -w ws --budget 0/day");
        *receiver.process.lock().expect("a process") = Some(watch);
        let has_ended = || {
            let mut process = receiver.process.lock().expect("a process");
            let watch = process.as_mut().expect("it was started");
            watch.0.try_wait().expect("a process").is_some()
        };
        loop {
            std::thread::sleep(Duration::from_millis(50));
            if has_ended() {
                kills += 1;
                break;
            }
            if has_all() || began.elapsed() > PATIENCE {
                drop(receiver.process.lock().expect("a process").take());
                break;
            }
        }
    }
    assert!(kills >= 3, "{kills}");

    // Without repeated messages it is the log.
    let mut messages = receiver.messages();
    assert!(messages.len() > log.len().div_ceil(20), "messages were repeated");
    messages.dedup();
    let ids: std::collections::BTreeSet<&str> = messages.iter().map(|message| message.id.as_str()).collect();
    assert_eq!(
        ids.len(),
        messages.len(),
        "a message that is repeated has its ID, and no other has"
    );
    let told: Vec<Value> = messages.iter().flat_map(Message::events).collect();
    assert_eq!(told.len(), log.len());
    for (event, change) in told.iter().zip(&log) {
        assert!(is_same(event, change), "{event}\n{change}");
    }
}

/// Returns true if an event is about a change.
fn is_same(event: &Value, change: &Value) -> bool {
    event["cursor"] == change["cursor"]
        && event["object"] == change["object"]
        && event["kind"] == change["kind"]
}
