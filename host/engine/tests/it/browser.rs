//! Pages in a browser, with the rules of a crawl. Skipped with a line where Chromium is missing.

use std::sync::Arc;
use std::time::Instant;

use magpie_engine::browser::{PageRenderer, RenderedPage, RequestOutcome};
use magpie_engine::{Clients, Clock, Resolved};
use magpie_test_support::has_program;
use magpie_test_support::server::{Reply, Site, Tripwire};
use magpie_web::{Exchange, Request};

/// The rules of the tests: this address alone, and a short delay.
const SETTINGS: &str = r#"
[network]
allow_addresses = ["127.0.0.1/32"]
resolve = ["guarded.test:*:127.0.0.2", "api.test:*:127.0.0.1"]
[politeness]
delay = "200ms"
[render]
time = "120s"
"#;

/// A renderer with the clients of a crawl.
struct Tester {
    runtime: tokio::runtime::Runtime,
    clients: Arc<Clients>,
    renderer: PageRenderer,
}

impl Tester {
    fn new() -> Tester {
        let settings = Arc::new(Resolved::from_toml(SETTINGS).expect("settings"));
        let clients = Arc::new(Clients::new(&settings).expect("clients"));
        let renderer =
            PageRenderer::new(Arc::clone(&clients), settings, Clock::default()).expect("a renderer");
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        Tester {
            runtime: runtime.expect("a runtime"),
            clients,
            renderer,
        }
    }

    fn fetch(&self, url: &str) -> Exchange {
        let request = Request::new(url.parse().expect("a URL"));
        let client = self.clients.for_host("127.0.0.1");
        self.runtime.block_on(client.fetch(&request)).expect("a page")
    }

    /// Fetches a page and renders it.
    fn render(&self, url: &str) -> RenderedPage {
        let page = self.fetch(url);
        self.runtime.block_on(self.renderer.render(&page))
    }
}

fn outcome<'p>(page: &'p RenderedPage, ending: &str) -> &'p RequestOutcome {
    let mut requests = page.rendered.requests.iter();
    let request = requests.find(|request| request.url.ends_with(ending));
    &request
        .unwrap_or_else(|| panic!("{ending} is not among {:?}", page.rendered.requests))
        .outcome
}

fn forbidden(page: &RenderedPage, ending: &str) -> String {
    match outcome(page, ending) {
        RequestOutcome::Forbidden(reason) | RequestOutcome::Failed(reason) => reason.clone(),
        other => panic!("{ending}: {other:?}"),
    }
}

#[test]
fn requests_of_a_page_keep_to_the_rules_of_a_crawl() {
    if !has_program("chromium") {
        return;
    }
    let guarded = Tripwire::at("127.0.0.2:0");
    let port = guarded.address().port();
    let api = Site::start(|path| match path {
        "/robots.txt" => Reply::text("User-agent: *\nDisallow: /secret"),
        "/data" => Reply::text("data of the other site").with("Access-Control-Allow-Origin", "*"),
        _ => Reply::text("secret"),
    });
    let api_port = api.address.port();
    let site = Site::asked(move |asked| match asked.path.as_str() {
        "/robots.txt" => Reply::text("User-agent: *\nDisallow: /private"),
        "/" | "/second" => Reply::html(format!(
            r#"<ul id=list></ul><script src=/app.js></script><script>
            const show = (name, text) => {{ list.innerHTML += `<li>${{name}}: ${{text}}</li>`; }};
            const get = (url) => fetch(url).then((answer) => answer.text())
                .then((text) => show("got", text), () => show("no", url));
            document.cookie = "script=1";
            get("/own"); get("/private"); get("/redirect");
            get("http://api.test:{api_port}/data"); get("http://api.test:{api_port}/secret");
            get("http://127.0.0.2:{port}/address"); get("http://guarded.test:{port}/name");
            </script>"#
        ))
        .with("Set-Cookie", "answer=1; Path=/"),
        "/own" => Reply::text(asked.field("cookie").unwrap_or("none")),
        "/app.js" => Reply::text("window.app = 1").with("X", "y"),
        "/redirect" => Reply::redirect(&format!("http://127.0.0.2:{port}/redirected")),
        "/elsewhere" => Reply::html(format!(
            "<p>here<script>location = 'http://api.test:{api_port}/data'</script>"
        )),
        _ => Reply::status(404),
    });
    let tester = Tester::new();
    let started = Instant::now();
    let page = tester.render(&site.url("/"));
    let document = page.rendered.document.as_ref().expect("a document");
    assert!(
        document.html.contains("got: answer=1; script=1"),
        "{}",
        document.html
    );
    assert!(
        document.html.contains("got: data of the other site"),
        "{}",
        document.html
    );
    assert!(forbidden(&page, "/private").starts_with("robots.txt of http://"));
    assert!(forbidden(&page, "/secret").starts_with("robots.txt of http://"));
    for ending in ["/address", "/name", "/redirected"] {
        let reason = forbidden(&page, ending);
        assert!(reason.contains("127.0.0.2"), "{ending}: {reason}");
    }
    guarded.assert_untouched();
    // A delay before the script and before each of two requests for data.
    assert!(started.elapsed().as_millis() >= 600, "{:?}", started.elapsed());
    assert_eq!(api.counts().get("/secret"), None);
    let fetched: Vec<_> = page
        .exchanges
        .iter()
        .map(|exchange| exchange.url.path())
        .collect();
    for path in ["/app.js", "/own", "/redirect", "/data"] {
        assert!(fetched.contains(&path), "{path} is not among {fetched:?}");
    }

    // Scripts and robots.txt are asked for once, and the page itself by the plain fetch alone.
    tester.render(&site.url("/second"));
    let counts = site.counts();
    for path in ["/app.js", "/robots.txt", "/", "/second"] {
        assert_eq!(counts.get(path), Some(&1), "{path}: {counts:?}");
    }

    let elsewhere = tester.render(&site.url("/elsewhere"));
    let document = elsewhere.rendered.document.as_ref().expect("a document");
    assert!(document.html.contains("here"), "{}", document.html);
    assert_eq!(forbidden(&elsewhere, "/data"), "it leads to another site");
}

#[test]
fn scripts_of_a_page_send_no_request_that_acts() {
    if !has_program("chromium") {
        return;
    }
    let site = Site::start(|path| match path {
        "/" => Reply::html(
            "<p>Page<script src=/delete.js></script><script>fetch('/api/items'); fetch('/items/3/delete');</script>",
        ),
        "/delete.js" => Reply::text("window.erase = 1").with("Content-Type", "text/javascript"),
        "/api/items" => Reply::text("[]"),
        _ => Reply::status(404),
    });
    let page = Tester::new().render(&site.url("/"));
    assert_eq!(
        forbidden(&page, "/items/3/delete"),
        "\"delete\" in the path triggers an action"
    );
    let asked = site.requests();
    assert!(!asked.contains(&"/items/3/delete".to_owned()), "{asked:?}");
    for path in ["/api/items", "/delete.js"] {
        assert!(asked.contains(&path.to_owned()), "{path} of {asked:?}");
    }
}
