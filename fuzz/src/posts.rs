//! Requests to the web page of a workspace that have a body: the path and the media type in a
//! line, then the body.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use http::{Request, Response};
use magpie_engine::Clock;
use magpie_engine::settings::Resolved;
use magpie_serve::{Act, Actions, Effect, Limits, Server, ServerOptions};
use magpie_sqlite::{Workspace, WorkspaceOptions};
use serde_json::Value;
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// A server that acts, of a workspace that is empty.
struct Served {
    runtime: Runtime,
    server: Server,
    acts: Arc<Counter>,
    _folder: TempDir,
}

#[derive(Default)]
struct Counter(AtomicUsize);

impl Actions for Counter {
    fn act(&self, _: Act) -> Result<Effect, String> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(Effect::Done)
    }

    fn settings(&self) -> Result<Resolved, String> {
        Resolved::new(&[]).map_err(|error| error.to_string())
    }
}

static SERVED: LazyLock<Served> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let workspace = Workspace::create(folder.path(), &WorkspaceOptions::default());
    workspace.expect("a workspace").close().expect("it is written");
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime starts");
    let acts = Arc::new(Counter::default());
    let options = ServerOptions {
        folder: folder.path().to_owned(),
        settings: Arc::new(Resolved::new(&[]).expect("the shipped settings")),
        listen: Some("127.0.0.1:0".to_owned()),
        clock: Clock::default(),
        actions: Some(Arc::clone(&acts) as Arc<dyn Actions>),
        log: None,
        limits: Limits::default(),
    };
    let server = runtime
        .block_on(Server::bind(options))
        .expect("an address of this machine");
    Served {
        runtime,
        server,
        acts,
        _folder: folder,
    }
});

/// Checks that whatever is posted has an answer that is no defect of the server and has the form of
/// its media type, and that neither a stranger nor another site acts.
pub fn check(data: &[u8]) {
    let [head, body] = crate::parts(data);
    let head = crate::text(head);
    let (path, media_type) = head.trim().split_once(' ').unwrap_or((head.trim(), ""));
    let served = &*SERVED;
    let post = |fields: &[(&str, &str)]| {
        let mut request = Request::post(path).header("content-type", media_type);
        for (name, value) in fields {
            request = request.header(*name, *value);
        }
        // A path or a media type that HTTP can't carry.
        if let Ok(request) = request.body(body.to_vec()) {
            check_answer(&served.answer(request));
        }
        served.acts.0.swap(0, Ordering::Relaxed)
    };
    let (host, cookie) = served.enter();
    let strange = [("host", host.as_str())];
    assert_eq!(post(&strange), 0, "a stranger acts");
    let foreign = [
        ("host", host.as_str()),
        ("cookie", cookie.as_str()),
        ("origin", "http://other.example"),
    ];
    assert_eq!(post(&foreign), 0, "another site acts");
    let own = [
        ("host", host.as_str()),
        ("cookie", cookie.as_str()),
        ("sec-fetch-site", "same-origin"),
    ];
    assert!(post(&own) <= 1, "a form acts more than once");
}

fn check_answer(answer: &Response<Vec<u8>>) {
    let status = answer.status();
    assert!(!status.is_server_error(), "{status}");
    let media_type = answer.headers().get("content-type");
    let media_type = media_type.map(|value| value.to_str().expect("a media type is ASCII"));
    if media_type.is_some_and(|media_type| media_type.contains("json")) {
        let answer: Value = serde_json::from_slice(answer.body()).expect("the answer is JSON");
        assert!(answer.is_object() || answer.is_array(), "{answer}");
    } else {
        std::str::from_utf8(answer.body()).expect("the answer is text");
    }
}

impl Served {
    /// Begins a session by the link that the server prints, and returns its host and its cookie.
    fn enter(&self) -> (String, String) {
        let link = self.server.entrance().expect("there are no accounts");
        let (_, link) = link.split_once("://").expect("a URL");
        let (host, path) = link.split_once('/').expect("a path");
        let request = Request::get(format!("/{path}")).header("host", host);
        let answer = self.answer(request.body(Vec::new()).expect("a request"));
        let cookie = answer.headers()["set-cookie"].to_str().expect("a cookie");
        let cookie = cookie.split(';').next().unwrap_or_default();
        (host.to_owned(), cookie.to_owned())
    }

    fn answer(&self, request: Request<Vec<u8>>) -> Response<Vec<u8>> {
        self.runtime.block_on(self.server.answer(request))
    }
}
