//! A workspace and a server for tests, and a client that sends exactly the given bytes.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use magpie_engine::recrawl::Method;
use magpie_engine::settings::{Layer, Origin, Resolved};
use magpie_engine::{Clock, LearnRequest, Session, SessionOptions, Stop, learn, recrawl};
use magpie_serve::{Actions, Limits, Server, ServerOptions};
use magpie_sqlite::{Workspace, WorkspaceOptions};
use magpie_test_support::server::{Reply, Site, links as links_page};
use magpie_values::Timestamp;
use tokio::runtime::Runtime;

/// A server that runs until it is dropped.
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    pub(crate) entrance: String,
    /// The name and the port by which the entrance leads here; without one those of the address.
    pub(crate) own: String,
    stop: Stop,
    _runtime: Runtime,
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    /// The value of a header field, or nothing.
    pub(crate) fn field(&self, name: &str) -> &str {
        let mut lines = self.head.lines();
        let found = lines.find_map(|line| {
            let (field, value) = line.split_once(':')?;
            field.eq_ignore_ascii_case(name).then(|| value.trim())
        });
        found.unwrap_or_default()
    }
}

/// Settings with these lines in the file of the workspace.
pub(crate) fn settings(toml: &str) -> Resolved {
    let layer = Layer::file(&Origin::Workspace("magpie.toml".into()), toml).unwrap();
    Resolved::new(&[layer]).unwrap()
}

/// Options of a session with these settings.
pub(crate) fn session_options(toml: &str) -> SessionOptions {
    SessionOptions {
        cache: Some(magpie_tests::compiled()),
        ..SessionOptions::new(settings(toml))
    }
}

/// Texts of strangers that would act if they were not escaped.
pub(crate) const HOSTILE: [&str; 3] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(2)>",
    "javascript:alert(3)",
];

/// The event whose picture has an address that can't be read.
const UNREADABLE: &str = "/event/0-concert";

const PLACES: [(&str, f64, f64); 2] = [("Old Mill", 52.52, 13.405), ("Town Hall", 53.55, 9.993)];

/// The events of the test site: path, name, day, place, price.
fn events(week: usize) -> Vec<(String, String, String, String, String)> {
    let later = week > 0;
    let day = |number: usize| {
        // One is put off in the second week.
        let hour = if week > 1 && number == POSTPONED { 21 } else { 20 };
        format!("2026-12-{:02}T{hour}:00:00Z", number + 1)
    };
    let mut all: Vec<_> = (0..12)
        .map(|number| {
            let place = ["Old Mill", "Town Hall", "Harbour Stage"][number % 3];
            let name = format!(
                "Concert of the {} Quartet",
                ["Amber", "Birch", "Cedar", "Dune"][number % 4]
            );
            let price = if later && number == 0 { 9 } else { 12 + number };
            (
                format!("/event/{number}-concert"),
                name,
                day(number),
                place.to_owned(),
                price.to_string(),
            )
        })
        .collect();
    for (at, text) in HOSTILE.iter().enumerate() {
        all.push((
            format!("/event/{}-hostile", 50 + at),
            format!("Night of {text}"),
            day(20 + at),
            format!("Hall {text}"),
            "5".to_owned(),
        ));
    }
    if later {
        all.push((
            "/event/90-new".to_owned(),
            "Recital by Candlelight".to_owned(),
            day(27),
            "Old Mill".to_owned(),
            "7".to_owned(),
        ));
    }
    all
}

/// The event that is put off.
const POSTPONED: usize = 4;

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
}

fn reply(path: &str, week: usize) -> Reply {
    let all = events(week);
    if path == "/robots.txt" {
        return Reply::text(format!("User-agent: *\nDisallow: /private\n# {}\n", HOSTILE[0]));
    }
    if path == "/" {
        let links: Vec<&str> = all.iter().map(|(path, ..)| path.as_str()).collect();
        let mut all = links.clone();
        all.push("/private/page");
        return links_page("Programme", &all);
    }
    match all.iter().find(|(own, ..)| own == path) {
        None => Reply::status(404),
        Some((_, name, day, place, price)) => {
            let mut data = serde_json::json!({
                "@context": "https://schema.org", "@type": "MusicEvent", "name": name, "startDate": day,
                "location": {"@type": "Place", "name": place},
                "offers": {"@type": "Offer", "price": price, "priceCurrency": "EUR"},
                "image": "https://pictures.example/quartet.png",
            });
            if path == UNREADABLE {
                data["image"] = "ftp://pictures.example/quartet.png".into();
            }
            if let Some((_, latitude, longitude)) = PLACES.iter().find(|(own, ..)| own == place) {
                data["location"]["geo"] = serde_json::json!({"@type": "GeoCoordinates", "latitude": latitude, "longitude": longitude});
            }
            let data = data.to_string().replace('<', "\\u003c");
            let (name, place) = (escaped(name), escaped(place));
            Reply::html(format!(
                "<!doctype html><html lang=en><head><title>{name}</title><script type=\"application/ld+json\">{data}</script>\
                 </head><body><h1>{name}</h1><p>At {place} on {day}. Tickets: {price} EUR</p></body></html>"
            ))
        }
    }
}

/// A workspace with the events of a site on loopback, learned and recrawled a week later.
pub(crate) struct Collected {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) clock: Clock,
    pub(crate) site: String,
    pub(crate) toml: String,
    week: Arc<AtomicUsize>,
    _web: Site,
}

impl Collected {
    pub(crate) fn new() -> Collected {
        let week = Arc::new(AtomicUsize::new(0));
        let shared = Arc::clone(&week);
        let site = Site::start(move |path| reply(path, shared.load(Ordering::Relaxed)));
        let folder = tempfile::tempdir().unwrap();
        let toml = "network.allow_addresses = [\"127.0.0.0/8\"]\npoliteness.delay = \"0s\"\n\
            [recrawl]\nrefresh = \"1d\"\n";
        let options = session_options(toml);
        let component = magpie_tests::vertical("events");
        let session = Session::create(folder.path(), &[&component], options).unwrap();
        let clock = session.clock().clone();
        clock.set(Timestamp::parse("2026-11-20T09:00Z").unwrap());
        learn(&session, &LearnRequest::sites([site.url("/")]).unwrap(), &mut ()).unwrap();
        week.store(1, Ordering::Relaxed);
        clock.advance(Duration::from_secs(7 * 86_400));
        recrawl(&session, Method::Selective, &mut ()).unwrap();
        let key = session.store().learned_sites("events").unwrap()[0].key.clone();
        Collected {
            folder,
            clock,
            site: key,
            toml: toml.to_owned(),
            week,
            _web: site,
        }
    }

    /// Lets a week pass in which an event is put off, and recrawls.
    pub(crate) fn a_week_later(&self) {
        let mut options = session_options(&self.toml);
        options.clock = self.clock.clone();
        let session = Session::open(self.folder.path(), options).unwrap();
        self.week.fetch_add(1, Ordering::Relaxed);
        self.clock.advance(Duration::from_secs(7 * 86_400));
        recrawl(&session, Method::Selective, &mut ()).unwrap();
    }

    pub(crate) fn serve(&self, actions: Option<Arc<dyn Actions>>) -> Served {
        Served::with(ServerOptions {
            folder: self.folder.path().to_owned(),
            settings: Arc::new(settings(&self.toml)),
            listen: Some("127.0.0.1:0".to_owned()),
            clock: self.clock.clone(),
            actions,
            log: None,
            limits: Limits::default(),
        })
    }
}

/// Serves a workspace to other machines.
pub(crate) fn open_to_others(folder: &Path, toml: &str, actions: Option<Arc<dyn Actions>>) -> Served {
    let mut served = Served::with(ServerOptions {
        folder: folder.to_owned(),
        settings: Arc::new(settings(toml)),
        listen: Some("0.0.0.0:0".to_owned()),
        clock: Clock::default(),
        actions,
        log: None,
        limits: Limits::default(),
    });
    served.address.set_ip([127, 0, 0, 1].into());
    served.own = served.address.to_string();
    served
}

pub(crate) fn empty_workspace(folder: &Path) {
    Workspace::create(folder, &WorkspaceOptions::default())
        .unwrap()
        .close()
        .unwrap();
}

impl Served {
    pub(crate) fn new(folder: &Path, toml: &str) -> Served {
        Served::limited(folder, toml, Limits::default())
    }

    pub(crate) fn limited(folder: &Path, toml: &str, limits: Limits) -> Served {
        Served::with(ServerOptions {
            folder: folder.to_owned(),
            settings: Arc::new(settings(toml)),
            listen: Some("127.0.0.1:0".to_owned()),
            clock: Clock::default(),
            actions: None,
            log: None,
            limits,
        })
    }

    pub(crate) fn with(options: ServerOptions) -> Served {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        let server = runtime.block_on(Server::bind(options)).unwrap();
        let stop = Stop::default();
        let address = server.addresses()[0];
        let entrance = server.entrance().unwrap_or_default();
        runtime.spawn(server.run(stop.receiver()));
        let own = entrance.split('/').nth(2);
        Served {
            address,
            own: own.map_or_else(|| address.to_string(), str::to_owned),
            entrance,
            stop,
            _runtime: runtime,
        }
    }

    /// Sends a request of these lines, with the usual `Host` unless they have one.
    pub(crate) fn send(&self, first: &str, fields: &[&str], body: &str) -> Answer {
        let mut request = format!("{first} HTTP/1.1\r\nConnection: close\r\n");
        if !fields.iter().any(|field| field.starts_with("Host:")) {
            request.push_str(&format!("Host: {}\r\n", self.address));
        }
        for field in fields {
            request.push_str(&format!("{field}\r\n"));
        }
        if !body.is_empty() {
            request.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        request.push_str(&format!("\r\n{body}"));
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        let _closed_early_after_a_refusal = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        Answer {
            status: status.unwrap_or_default(),
            head: head.to_owned(),
            body: body.to_owned(),
        }
    }

    /// Opens the entrance, and returns the fields that a browser sends from then on.
    pub(crate) fn enter(&self) -> [String; 3] {
        let host = format!("Host: {}", self.own);
        let path = &self.entrance[self.entrance.find("/-/").unwrap()..];
        let entered = self.send(&format!("GET {path}"), &[&host], "");
        assert_eq!(entered.status, 303, "{}", entered.body);
        let cookie = entered.field("Set-Cookie").split(';').next().unwrap();
        [
            host,
            format!("Cookie: {cookie}"),
            format!("Origin: http://{}", self.own),
        ]
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send(&format!("GET {path}"), &[], "")
    }

    /// Sends a form as our own page does.
    pub(crate) fn post(&self, path: &str, fields: &[&str], body: &str) -> Answer {
        let mut all = vec!["Content-Type: application/x-www-form-urlencoded"];
        all.extend(fields);
        self.send(&format!("POST {path}"), &all, body)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.ask();
    }
}
