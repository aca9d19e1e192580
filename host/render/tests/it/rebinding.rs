//! A name that changes its address: to a public one when the page is fetched, to a private one when
//! its scripts ask again. The browser leaves each request to the client, whose guard judges the
//! address of each look-up.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use magpie_render::{AskedOfClient, RequestOutcome};
use magpie_test_support::server::{Reply, Site, Tripwire};
use magpie_web::{AddressPolicy, Client, ClientSettings, DnsSettings, Resolution, Resolve, Resolving};

use crate::support::{Tester, patient};

/// Stands for a public address: an address of this machine that the guard is set to allow.
const PUBLIC: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

const PRIVATE: Ipv4Addr = Ipv4Addr::LOCALHOST;

/// Gives the public address once, and the private one from then on.
#[derive(Default)]
struct Rebinding(AtomicUsize);

impl Resolve for Rebinding {
    fn resolve(&self, _: &str) -> Resolving {
        let address = match self.0.fetch_add(1, Ordering::SeqCst) {
            0 => PUBLIC,
            _ => PRIVATE,
        };
        Box::pin(async move {
            Ok(Resolution {
                addresses: vec![IpAddr::V4(address)],
                lifetime: Some(Duration::ZERO),
            })
        })
    }
}

#[test]
fn a_name_that_moves_to_a_private_address_reaches_nothing_there() {
    let Some(tester) = Tester::start(patient()) else {
        return;
    };
    let private = Tripwire::at(&format!("{PRIVATE}:0"));
    let port = private.address().port();
    // Chromium itself takes every name below `localhost` for this machine.
    let page = format!(
        r#"<p id=end></p><iframe src="/frame"></iframe><link rel=preconnect href="http://rebind.localhost:{port}">
        <script src="/script.js"></script><script>
        const hosts = ["rebind.test:{port}", "rebind.localhost:{port}", "127.0.0.1:{port}"];
        for (const host of hosts) {{
            const tries = [
                () => fetch(`http://${{host}}/secret`).then(() => {{ document.body.className = "reached"; }}, () => 0),
                () => new WebSocket(`ws://${{host}}/socket`),
                () => new EventSource(`http://${{host}}/events`),
                () => navigator.sendBeacon(`http://${{host}}/beacon`, "x"),
                () => {{ new Image().src = `http://${{host}}/image`; }},
                () => {{ const form = document.createElement("form"); form.action = `http://${{host}}/form`;
                    form.target = "_blank"; document.body.append(form); form.submit(); }},
            ];
            for (const action of tries) try {{ action(); }} catch {{}}
        }}
        let count = 0;
        const again = () => fetch("/again?" + count).then(() => {{ document.body.className = "reached"; }}, () => {{
            count += 1;
            if (count < 5) setTimeout(again, 20); else document.getElementById("end").append("gave up");
        }});
        again();
        </script>"#
    );
    // Each connection is closed, so that the next request looks up again.
    Site::at(&format!("{PUBLIC}:{port}"), move |_| {
        Reply::html(page.as_str()).with("Connection", "close").and_close()
    });
    let resolver = Arc::new(Rebinding::default());
    let client = Client::new(ClientSettings {
        addresses: AddressPolicy::allowing(["127.0.0.2/32".parse().unwrap()]),
        dns: DnsSettings {
            shortest: Duration::ZERO,
            resolver: Some(Arc::clone(&resolver) as Arc<dyn Resolve>),
            ..DnsSettings::default()
        },
        ..ClientSettings::default()
    });
    let answers = Arc::new(AskedOfClient(client.unwrap()));
    let rendered = tester.render_with(&format!("http://rebind.test:{port}/page"), answers);
    let document = rendered.document.unwrap();
    assert!(document.html.contains("gave up"), "{}", document.html);
    assert!(!document.html.contains("class=\"reached\""), "{}", document.html);
    assert!(
        resolver.0.load(Ordering::SeqCst) > 5,
        "each request looked the name up"
    );
    let mut again = rendered
        .requests
        .iter()
        .filter(|request| request.url.contains("/again?"));
    let failed = again.next().unwrap();
    assert!(
        matches!(&failed.outcome, RequestOutcome::Failed(reason) if reason.contains("127.0.0.1")),
        "{failed:?}"
    );
    assert!(again.all(|request| matches!(request.outcome, RequestOutcome::Failed(_))));
    private.assert_untouched();
}
