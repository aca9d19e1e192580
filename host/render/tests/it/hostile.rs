//! Pages that mean harm. Each ends with a reason, and the next page works.

use std::net::UdpSocket;
use std::sync::Arc;
use std::time::Duration;

use magpie_render::{Heard, Refusal, RenderLimits, RenderSettings, RequestOutcome, hear};
use magpie_test_support::server::Tripwire;
use serde_json::{Value, json};

use crate::browsers::Nothing;
use crate::support::{Outcome, Tester, html, json, missing, patient};

#[test]
fn actions_are_refused_and_nothing_reaches_this_machine() {
    let Some(tester) = Tester::start(patient()) else {
        return;
    };
    let listener = Tripwire::at("127.0.0.1:0");
    let packets = UdpSocket::bind("127.0.0.1:0").unwrap();
    let (tcp, udp) = (listener.address(), packets.local_addr().unwrap());
    let outcome = tester.page(&format!(
        r#"<link rel=dns-prefetch href="//localhost"><link rel=preconnect href="http://{tcp}">
        <link rel=prefetch href="http://{tcp}/prefetch">
        <iframe srcdoc="<script>new WebSocket('ws://{tcp}/frame')</script>"></iframe><p id=end></p><script>
        const tries = [
            () => {{ for (let count = 0; count < 1000; count += 1) open("http://{tcp}/window"); }},
            () => {{ alert("hello"); if (confirm("sure?")) open("http://{tcp}/sure"); }},
            () => new WebSocket("ws://{tcp}/socket"),
            () => new WebSocket("ws://localhost:{port}/name"),
            () => new WebTransport("https://{tcp}/transport"),
            () => new EventSource("http://{tcp}/events"),
            () => navigator.sendBeacon("http://{tcp}/beacon", "x"),
            () => new Worker(URL.createObjectURL(new Blob([`fetch("http://{tcp}/worker")`]))),
            () => new SharedWorker("/shared.js"),
            () => navigator.serviceWorker.register("/service.js").catch(() => 0),
            () => new RTCPeerConnection({{ iceServers: [{{ urls: "stun:{udp}" }}] }}),
            () => navigator.geolocation.getCurrentPosition(() => 0, () => end.append("no position")),
            () => Notification.requestPermission(),
            () => {{ const file = document.createElement("a"); file.download = "x.txt";
                file.href = URL.createObjectURL(new Blob(["x"])); file.click(); }},
            () => {{ new Image().src = "file:///etc/passwd"; }},
            () => {{ location = "file:///etc/passwd"; }},
            () => {{ const frame = document.createElement("iframe"); document.body.append(frame);
                frame.contentWindow.open("http://{tcp}/second"); }},
        ];
        for (const action of tries) try {{ action(); }} catch {{}}
        </script>"#,
        port = tcp.port(),
    ));
    assert!(outcome.document().html.contains("no position"));
    for reason in [
        Refusal::Window,
        Refusal::Dialog,
        Refusal::Socket,
        Refusal::Worker,
        Refusal::Permission,
        Refusal::Download,
        Refusal::Scheme,
    ] {
        let mut refused = outcome.rendered.refused.iter();
        assert!(
            refused.any(|refused| refused.reason == reason),
            "{reason:?} is not among {:?}",
            outcome.rendered.refused
        );
    }
    let mut refused = outcome.rendered.refused.iter();
    let windows = refused
        .find(|refused| refused.detail.ends_with("/window"))
        .unwrap();
    assert_eq!(windows.times, 1_000);
    assert_eq!(outcome.asked.len(), 1, "{:?}", outcome.asked);
    listener.assert_untouched();
    packets.set_nonblocking(true).unwrap();
    assert!(
        packets.recv(&mut [0; 10]).is_err(),
        "a page has sent a packet to this machine"
    );
    works(&tester);
}

#[test]
fn endless_pages_end_with_a_reason_and_the_next_page_works() {
    let settings = RenderSettings {
        limits: RenderLimits {
            time: Duration::from_secs(6),
            memory: 400 << 20,
            requests: 50,
            bytes: 1 << 20,
            ..RenderLimits::default()
        },
        ..RenderSettings::default()
    };
    let Some(tester) = Tester::start(settings) else {
        return;
    };
    let never_quiet = "<p id=time>begin</p><script>setInterval(() => time.append('.'), 50)</script>";
    let outcome = tester.page(never_quiet);
    assert!(!outcome.document().is_settled);
    assert!(outcome.document().html.contains("begin..."));

    let floods = "<script>for (let count = 0; count < 2000; count += 1) fetch('/data?' + count)</script>";
    let outcome = tester.page(floods);
    assert_eq!(outcome.asked.len(), 50);
    let limit = RequestOutcome::Refused(Refusal::RequestLimit);
    assert_eq!(outcome.outcome("/data?49"), &limit);

    let outcome = tester.render("http://site.test/page", |request| match request.url.path() {
        "/page" => html("<script>const next = (count) => fetch('/big?' + count).then(() => next(count + 1)); next(0)</script>"),
        _ => json(&"x".repeat(300_000)),
    });
    assert_eq!(
        outcome.outcome("/big?3"),
        &RequestOutcome::Answered {
            status: 200,
            bytes: 300_000
        }
    );
    assert_eq!(
        outcome.outcome("/big?4"),
        &RequestOutcome::Refused(Refusal::ByteLimit)
    );

    let redirects = tester.render("http://site.test/0", |request| {
        let number: u32 = request.url.path()[1..].parse().unwrap_or_default();
        html(&format!("<script>location = '/{}'</script>", number + 1))
    });
    assert_eq!(redirects.code(), "navigations");
    assert_eq!(redirects.asked.len(), 11);
    works(&tester);

    assert_eq!(
        tester
            .page("<script>document.write('x'.repeat(2e6))</script>")
            .code(),
        "too-large"
    );
    assert_eq!(
        tester.page("<p>begin<script>for (;;) {}</script>").code(),
        "unresponsive"
    );
    works(&tester);
    let takes_memory = "<script>const all = []; const take = () => { all.push(new Uint8Array(2e7).fill(1)); document.title = all.length; setTimeout(take, 5) }; take()</script>";
    assert!(matches!(tester.page(takes_memory).code(), "memory" | "crashed"));
    works(&tester);
}

fn works(tester: &Tester) {
    let outcome: Outcome = tester.render("http://site.test/page", |request| match request.url.path() {
        "/page" => html("<p id=text></p><script>text.textContent = 'it ' + 'works'</script>"),
        _ => missing(),
    });
    assert!(outcome.document().html.contains("it works"));
}

/// Returns what is kept of the frames of a browser that a page has taken over.
fn heard(frames: &[u8], is_probing: bool) -> Heard {
    let settings = RenderSettings {
        limits: RenderLimits {
            requests: 1,
            ..RenderLimits::default()
        },
        ..RenderSettings::default()
    };
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().build().expect("a runtime");
    runtime.block_on(hear(frames, is_probing, &settings, Arc::new(Nothing)))
}

fn frame(method: &str, parameters: &Value) -> Vec<u8> {
    let message = json!({ "method": method, "sessionId": "session", "params": parameters }).to_string();
    let length = (message.len() as u64).to_be_bytes();
    [&[0x81, 127][..], &length, message.as_bytes()].concat()
}

#[test]
fn what_is_kept_of_the_messages_of_a_browser_has_bounds() {
    let request = |method: &str, number: usize| {
        let url = format!("https://any.test/{number}/{}", "x".repeat(10_000));
        let request = json!({ "url": url, "method": method });
        let parameters = json!({ "requestId": "id", "resourceType": "XHR", "request": request });
        frame("Fetch.requestPaused", &parameters)
    };
    let beyond_the_limit: Vec<u8> = (0..1_500).flat_map(|number| request("GET", number)).collect();
    let kept = heard(&beyond_the_limit, false).requests;
    assert!(kept.len() <= 1_001, "{} requests", kept.len());
    let invented = heard(&request(&"X".repeat(100_000), 0), false).requests;
    assert_eq!(invented.len(), 1);
    assert!(invented[0].method.len() < 100 && invented[0].url.len() < 10_000);

    let visited = |url: &str| frame("Page.navigatedWithinDocument", &json!({ "url": url }));
    let long = format!("https://any.test/{}", "x".repeat(100_000));
    let captured = heard(&[visited(&long), visited("https://any.test/a")].concat(), true).captured;
    assert_eq!(captured.len(), 1, "only the short one is kept");
}

#[test]
fn the_parts_of_a_message_are_not_longer_together_than_a_message() {
    let begin = [0x01, 1, b'{'];
    let endless = [&[0x80, 127][..], &u64::MAX.to_be_bytes(), b"and so on"].concat();
    let crash = frame("Inspector.targetCrashed", &json!({}));
    let heard = heard(&[&begin[..], &endless, &crash].concat(), false);
    assert!(heard.requests.is_empty() && heard.refused.is_empty());
}

#[test]
fn a_message_that_is_no_object_ends_the_browser() {
    let opens = frame("Page.windowOpen", &json!({ "url": "https://any.test/" }));
    let heard = heard(&[&[0x81, 3][..], b"\"a\"", &opens].concat(), false);
    assert!(heard.refused.is_empty(), "nothing is taken in after it");
}
