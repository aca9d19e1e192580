//! Handles the requests and other actions of a page that the browser reports.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use url::Url;

use super::BINDING;
use super::state::{Decision, PageState};
use crate::browser::{Connection, Event};
use crate::trackers::is_tracker;
use crate::{Answers, PageAnswer, PageRequest, Refusal, RenderError, Resource};

/// Fields of requests that our own client sets.
const NOT_SENT: [&str; 9] = [
    "accept-encoding",
    "accept-language",
    "connection",
    "cookie",
    "host",
    "if-modified-since",
    "if-none-match",
    "upgrade-insecure-requests",
    "user-agent",
];

/// Fields of answers that the browser must not act on: bodies come decoded, and nothing is loaded,
/// reported or reached by another way.
const NOT_SHOWN: [&str; 10] = [
    "alt-svc",
    "connection",
    "content-encoding",
    "content-length",
    "link",
    "nel",
    "report-to",
    "reporting-endpoints",
    "transfer-encoding",
    "sourcemap",
];

/// Begin of the browser's message about a page that is led to a file of this machine.
const LOCAL: &str = "Not allowed to load local resource: ";

pub(crate) struct Interceptor {
    pub(super) connection: Connection,
    pub(super) answers: Arc<dyn Answers>,
    pub(super) state: Arc<PageState>,
    pub(super) session: String,
    pub(super) context: String,
    pub(super) target: String,
}

impl Interceptor {
    /// Answers until the browser ends.
    pub(super) async fn run(self, mut events: mpsc::Receiver<Event>) {
        let mut answering = JoinSet::new();
        loop {
            tokio::select! {
                event = events.recv() => match event {
                    Some(event) => self.handle(&event, &mut answering),
                    None => break self.state.fail(RenderError::Crashed),
                },
                Some(_) = answering.join_next(), if !answering.is_empty() => {}
            }
        }
    }

    fn handle(&self, event: &Event, answering: &mut JoinSet<()>) {
        let content = &event.parameters;
        let own = event.session == self.session;
        let state = &self.state;
        match event.method.as_str() {
            "Fetch.requestPaused" if own => self.decide(content, answering),
            "Runtime.bindingCalled" if own && content["name"] == BINDING => self.hear(content),
            "Page.javascriptDialogOpening" if own => {
                // One that asks before a page is left must not keep it.
                let accept = content["type"] == "beforeunload";
                state.refuse(Refusal::Dialog, word(content, "message"));
                self.post("Page.handleJavaScriptDialog", json!({ "accept": accept }));
            }
            "Page.windowOpen" if own => {
                state.note_captured(word(content, "url"));
                state.refuse(Refusal::Window, word(content, "url"));
            }
            "Page.navigatedWithinDocument" if own => state.note_captured(word(content, "url")),
            "Browser.downloadWillBegin" => {
                state.refuse(Refusal::Download, word(content, "url"));
            }
            "Target.targetCreated" => self.close_other(&content["targetInfo"]),
            "Log.entryAdded" if own => {
                if let Some(url) = word(&content["entry"], "text").strip_prefix(LOCAL) {
                    state.refuse(Refusal::Scheme, url);
                }
            }
            "Inspector.targetCrashed" if own => state.fail(RenderError::Crashed),
            "Target.detachedFromTarget" if content["sessionId"] == self.session.as_str() => {
                state.fail(RenderError::Crashed);
            }
            _ => {}
        }
    }

    /// Closes windows and workers that the page has opened.
    fn close_other(&self, target: &Value) {
        // A browser that was not started here may have windows of its user, which stay open.
        let is_of_page = target["browserContextId"] == self.context.as_str();
        if !is_of_page || target["targetId"] == self.target.as_str() {
            return;
        }
        let url = word(target, "url");
        match word(target, "type") {
            "page" | "tab" => self.state.refuse(Refusal::Window, url),
            "service_worker" | "shared_worker" => self.state.refuse(Refusal::Worker, url),
            _ => return,
        }
        let close = json!({ "targetId": target["targetId"] });
        self.connection.post(None, "Target.closeTarget", close);
    }

    /// Records a message of our script in the page.
    fn hear(&self, content: &Value) {
        let Ok(said) = serde_json::from_str::<[String; 2]>(word(content, "payload")) else {
            return;
        };
        let [reason, detail] = &said;
        let reason = match reason.as_str() {
            "socket" => Refusal::Socket,
            "worker" => Refusal::Worker,
            "window" => {
                self.state.note_captured(detail);
                Refusal::Window
            }
            "dialog" => Refusal::Dialog,
            "permission" => Refusal::Permission,
            _ => return,
        };
        self.state.refuse(reason, detail);
    }

    /// Decides about a request.
    fn decide(&self, content: &Value, answering: &mut JoinSet<()>) {
        let request = &content["request"];
        let (text, method) = (word(request, "url"), word(request, "method"));
        let id = word(content, "requestId").to_owned();
        let mut resource = Resource::parse(word(content, "resourceType"));
        // The protocol has one type for pages and for frames inside them. The frame of the page
        // itself has the ID of its target.
        if resource == Resource::Document && content["frameId"] != self.target.as_str() {
            resource = Resource::Frame;
        }
        // No script waits for these, and a stream of events never ends: the page would not come to
        // rest.
        if resource == Resource::Data && is_speculative(&request["headers"]) {
            resource = Resource::Other;
        }
        let Ok(url) = Url::parse(text) else {
            return self.fail(&id, "Failed");
        };
        match url.scheme() {
            "http" | "https" => {}
            // These are answered out of the page itself and reach no network.
            "data" | "blob" | "about" => {
                return self.post("Fetch.continueRequest", json!({ "requestId": id }));
            }
            _ => return self.refuse(&id, text, method, resource, Refusal::Scheme),
        }
        // Answered before methods are refused: the request that a preflight asks for is a GET, or
        // is refused when it comes.
        if method == "OPTIONS" {
            return self.allow_preflight(&id, request);
        }
        if method != "GET" {
            return self.refuse(&id, text, method, resource, Refusal::Method);
        }
        match resource {
            Resource::Document | Resource::Script | Resource::Data => {}
            Resource::Stylesheet => {
                // Scripts wait for style sheets. An empty one lets them continue.
                self.state
                    .refuse_request(text, method, resource, Refusal::Resource);
                let headers = [("Content-Type".to_owned(), "text/css".to_owned())];
                return self.post("Fetch.fulfillRequest", fulfilment(&id, 200, &headers, b""));
            }
            Resource::Image | Resource::Font | Resource::Media | Resource::Frame | Resource::Other => {
                return self.refuse(&id, text, method, resource, Refusal::Resource);
            }
        }
        // A page of such a host may itself be crawled.
        if resource != Resource::Document && is_tracker(&url) {
            return self.refuse(&id, text, method, resource, Refusal::Tracker);
        }
        match self.state.begin(&url, resource) {
            Decision::Stay => self.fail(&id, "Aborted"),
            Decision::Refuse => self.fail(&id, without_answer(resource)),
            Decision::Repeat(answer) => {
                answer_request(&self.connection, &self.session, &id, resource, &answer);
            }
            Decision::Ask(place) => {
                let asked = PageRequest {
                    url: url.clone(),
                    resource,
                    cookie: header(&request["headers"], "cookie").filter(|cookie| !cookie.is_empty()),
                    headers: headers(&request["headers"]),
                };
                let (answers, state) = (Arc::clone(&self.answers), Arc::clone(&self.state));
                let (connection, session) = (self.connection.clone(), self.session.clone());
                // A task per request: the answer may wait for the delay of its host, and other
                // events must not.
                answering.spawn(async move {
                    let answer = answers.answer(asked).await;
                    state.end(place, &url, resource, &answer);
                    answer_request(&connection, &session, &id, resource, &answer);
                });
            }
        }
    }

    /// Allows a script to ask another origin. The headers of the answer decide if it may be read.
    fn allow_preflight(&self, id: &str, request: &Value) {
        let asked = |name: &str| header(&request["headers"], name).unwrap_or_default();
        let headers = [
            ("Access-Control-Allow-Origin".to_owned(), asked("origin")),
            ("Access-Control-Allow-Methods".to_owned(), "GET".to_owned()),
            (
                "Access-Control-Allow-Headers".to_owned(),
                asked("access-control-request-headers"),
            ),
            ("Access-Control-Allow-Credentials".to_owned(), "true".to_owned()),
        ];
        self.post("Fetch.fulfillRequest", fulfilment(id, 204, &headers, b""));
    }

    fn refuse(&self, id: &str, url: &str, method: &str, resource: Resource, refusal: Refusal) {
        self.state.refuse_request(url, method, resource, refusal);
        self.fail(id, "BlockedByClient");
    }

    fn fail(&self, id: &str, reason: &str) {
        let parameters = json!({ "requestId": id, "errorReason": reason });
        self.post("Fetch.failRequest", parameters);
    }

    fn post(&self, method: &str, parameters: Value) {
        self.connection.post(Some(&self.session), method, parameters);
    }
}

fn answer_request(connection: &Connection, session: &str, id: &str, resource: Resource, answer: &PageAnswer) {
    let (method, parameters) = match answer {
        PageAnswer::Response {
            status,
            headers,
            body,
        } => ("Fetch.fulfillRequest", fulfilment(id, *status, headers, body)),
        PageAnswer::Refused { .. } | PageAnswer::Failed { .. } => {
            let parameters = json!({ "requestId": id, "errorReason": without_answer(resource) });
            ("Fetch.failRequest", parameters)
        }
    };
    connection.post(Some(session), method, parameters);
}

/// Returns the reason that the browser is given for a request without an answer.
fn without_answer(resource: Resource) -> &'static str {
    match resource {
        // The page stays. After any other reason the browser puts a page about the error in its
        // place.
        Resource::Document => "Aborted",
        _ => "BlockedByClient",
    }
}

fn fulfilment(id: &str, status: u16, headers: &[(String, String)], body: &[u8]) -> Value {
    let shown = headers.iter().filter(|(name, _)| !is_one_of(name, &NOT_SHOWN));
    let shown: Vec<Value> = shown
        .map(|(name, value)| json!({ "name": name, "value": value }))
        .collect();
    json!({
        "requestId": id,
        "responseCode": status,
        "responseHeaders": shown,
        "body": STANDARD.encode(body),
    })
}

/// Returns `true` for requests that count as data and that no script waits for: pages that are
/// loaded in advance, and streams of events, which never end.
fn is_speculative(fields: &Value) -> bool {
    let purpose = header(fields, "sec-purpose").or_else(|| header(fields, "purpose"));
    let accept = header(fields, "accept").unwrap_or_default();
    purpose.is_some_and(|purpose| purpose.contains("prefetch"))
        || accept.contains("signed-exchange")
        || accept.contains("event-stream")
}

fn header(fields: &Value, name: &str) -> Option<String> {
    let mut fields = fields.as_object().into_iter().flatten();
    let (_, value) = fields.find(|(field, _)| field.eq_ignore_ascii_case(name))?;
    value.as_str().map(str::to_owned)
}

/// Returns the fields of a request that are sent on.
fn headers(fields: &Value) -> Vec<(String, String)> {
    let fields = fields.as_object().into_iter().flatten();
    let sent = fields
        .filter(|(name, _)| !is_one_of(name, &NOT_SENT) && !name.to_ascii_lowercase().starts_with("sec-"));
    sent.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
        .collect()
}

fn is_one_of(name: &str, names: &[&str]) -> bool {
    names.iter().any(|other| other.eq_ignore_ascii_case(name))
}

fn word<'v>(content: &'v Value, name: &str) -> &'v str {
    content[name].as_str().unwrap_or_default()
}
