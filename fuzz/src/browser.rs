//! Messages of the DevTools protocol that a browser sends: one per line, then frames of its
//! WebSocket as they are.

use std::sync::{Arc, LazyLock};

use magpie_render::{Answering, Answers, Heard, PageAnswer, PageRequest, RenderSettings, hear};
use serde_json::Value;
use tokio::runtime::Runtime;

/// Bytes of a URL, of a method and of a detail that are recorded at most.
const MAX_URL: usize = 4_096;
const MAX_METHOD: usize = 32;
const MAX_DETAIL: usize = 300;

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_time().build().expect("a runtime starts")
});

struct NoAnswers;

impl Answers for NoAnswers {
    fn answer(&self, request: PageRequest) -> Answering<'_> {
        assert!(
            matches!(request.url.scheme(), "http" | "https"),
            "{}",
            request.url
        );
        let reason = "there is no web".to_owned();
        Box::pin(async move { PageAnswer::Refused { reason } })
    }
}

/// Checks that each message of a hostile browser is read or ends the connection, that little is
/// kept of it, and that no request reaches a network.
pub fn check(data: &[u8]) {
    let [messages, rest] = crate::parts(data);
    let mut frames = Vec::new();
    for message in messages.split(|byte| *byte == b'\n') {
        frames.push(0x81);
        match u16::try_from(message.len()) {
            Ok(length @ 0..126) => frames.push(length as u8),
            Ok(length) => {
                frames.push(126);
                frames.extend(length.to_be_bytes());
            }
            Err(_) => {
                frames.push(127);
                frames.extend((message.len() as u64).to_be_bytes());
            }
        }
        frames.extend(message);
    }
    frames.extend(rest);
    let settings = RenderSettings::default();
    for is_probing in [false, true] {
        let hearing = hear(&frames, is_probing, &settings, Arc::new(NoAnswers));
        check_books(&RUNTIME.block_on(hearing), messages);
    }
}

fn check_books(heard: &Heard, messages: &[u8]) {
    for request in &heard.requests {
        assert!(request.url.len() <= MAX_URL && request.method.len() <= MAX_METHOD);
    }
    assert!(
        heard
            .refused
            .iter()
            .all(|refused| refused.detail.len() <= MAX_DETAIL)
    );
    assert!(
        heard
            .captured
            .iter()
            .all(|url| matches!(url.scheme(), "http" | "https"))
    );
    for sent in &heard.sent {
        let sent: Value = serde_json::from_str(sent).expect("a message to the browser is JSON");
        if sent["method"] == "Fetch.continueRequest" {
            let id = &sent["params"]["requestId"];
            assert!(is_local(id, messages), "{id} reaches a network");
        }
    }
}

/// Returns true if a request of this ID is answered out of the page itself. What comes as frames
/// can't be attributed.
fn is_local(id: &Value, messages: &[u8]) -> bool {
    let lines = messages.split(|byte| *byte == b'\n');
    let messages = lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let mut requests = messages
        .filter(|message| message["params"]["requestId"] == *id)
        .peekable();
    if requests.peek().is_none() {
        return true;
    }
    requests.any(|message| {
        let url = message["params"]["request"]["url"].as_str().unwrap_or_default();
        let scheme = url.trim_start().split(':').next().unwrap_or_default();
        ["data", "blob", "about"]
            .iter()
            .any(|own| scheme.eq_ignore_ascii_case(own))
    })
}
