//! Sites for the program: small ones, and the web of the lab.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use magpie_lab::{Arrival, ServerHandle, Size, Vertical, Web, WebSpec, WeekHandle, Weight, serve};
use magpie_test_support::server::{Reply, Site, links};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

/// A small, light web of the lab: its vertical and its seed.
pub(crate) type Spec = (Vertical, u64);

/// Settings for servers on loopback.
pub(crate) const LOOPBACK: &str = "[network]\nallow_addresses = [\"127.0.0.0/8\"]\n\
    [politeness]\ndelay = \"0s\"\nautothrottle = false\n";

/// The page of an event.
pub(crate) fn event(name: &str, start: &str, place: &str) -> Reply {
    let data = json!({
        "@context": "https://schema.org", "@type": "MusicEvent", "name": name, "startDate": start,
        "location": {"@type": "Place", "name": place},
    });
    event_of(&data)
}

/// The page of an event with this description.
pub(crate) fn event_of(data: &Value) -> Reply {
    let name = data["name"].as_str().expect("a name");
    Reply::html(format!(
        "<!doctype html><html lang=en><title>{name}</title><script type=\"application/ld+json\">{data}</script>\
         <h1>{name}</h1>"
    ))
}

/// A page with links to numbered pages.
pub(crate) fn numbered(title: &str, before: &str, numbers: impl IntoIterator<Item = usize>) -> Reply {
    let all: Vec<String> = numbers
        .into_iter()
        .map(|number| format!("{before}{number}"))
        .collect();
    links(title, &all.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Returns the number at the end of a path that begins so.
pub(crate) fn number_of(path: &str, before: &str) -> Option<usize> {
    path.strip_prefix(before)?.parse().ok()
}

/// A site with a list of some events that are far away.
pub(crate) fn venue(nights: usize) -> Site {
    Site::start(move |path| match number_of(path, "/night/") {
        Some(night) if night < nights => event(
            &format!("A night called {night}"),
            "2099-05-01T20:00",
            "The old mill",
        ),
        _ if path == "/" => numbered("The old mill", "/night/", 0..nights),
        _ => Reply::status(404),
    })
}

/// A shop that sells a number of books, each with a valid ISBN-13 and a title of its number.
pub(crate) fn book_shop(count: usize, title: fn(usize) -> String) -> Site {
    let book = move |number: usize| {
        let digits = format!("978030640{number:03}");
        let sum: usize = digits
            .bytes()
            .enumerate()
            .map(|(place, digit)| usize::from(digit - b'0') * if place % 2 == 0 { 1 } else { 3 })
            .sum();
        let isbn = format!("{digits}{}", (10 - sum % 10) % 10);
        let title = title(number);
        Reply::html(format!(
            "<!doctype html><title>{title}</title><h1>{title}</h1>\
             <script type=\"application/ld+json\">{{\"@context\":\"https://schema.org\",\"@type\":\"Book\",\
             \"name\":\"{title}\",\"isbn\":\"{isbn}\",\
             \"author\":{{\"@type\":\"Person\",\"name\":\"Ada Quill\"}}}}</script>"
        ))
    };
    Site::start(move |path| match number_of(path, "/book/") {
        Some(number) if number < count => book(number),
        _ if path == "/" => numbered("Books", "/book/", 0..count),
        _ => Reply::status(404),
    })
}

/// A web that is served until this is dropped.
pub(crate) struct Served {
    web: Arc<Web>,
    server: Option<ServerHandle>,
    runtime: Runtime,
}

impl Served {
    /// Serves a week of a web; a port of 0 takes a free one.
    pub(crate) fn start((vertical, seed): Spec, week: u32, port: u16) -> Served {
        Served::of(WebSpec::new(vertical, Size::Small, seed), week, port)
    }

    /// Serves a web in which all sites are behind search forms.
    pub(crate) fn deep((vertical, seed): Spec) -> Served {
        let mut spec = WebSpec::new(vertical, Size::Small, seed);
        spec.deep = 1_000;
        Served::of(spec, 0, 0)
    }

    /// Serves a web with a part of the pages, on sites that never fail.
    pub(crate) fn calm((vertical, seed): Spec, scale: f64) -> Served {
        let mut spec = WebSpec::new(vertical, Size::Small, seed).with_scale(scale);
        spec.hazards = false;
        Served::of(spec, 0, 0)
    }

    fn of(mut spec: WebSpec, week: u32, port: u16) -> Served {
        spec.weight = Weight::Light;
        let web = Arc::new(Web::new(spec));
        let runtime = Runtime::new().expect("threads");
        let address = ([127, 0, 0, 1], port).into();
        let served = serve(Arc::clone(&web), WeekHandle::new(week), address);
        let server = runtime.block_on(served).expect("the port is free");
        Served {
            web,
            server: Some(server),
            runtime,
        }
    }

    /// Serves a later week of the web in its place.
    pub(crate) fn later(self, week: u32) -> Served {
        let (spec, port) = (self.web.spec().clone(), self.port());
        drop(self);
        Served::of(spec, week, port)
    }

    pub(crate) fn proxy(&self) -> String {
        format!("http://127.0.0.1:{}", self.port())
    }

    /// Settings by which a workspace reaches it.
    pub(crate) fn settings(&self) -> String {
        let proxy = self.proxy();
        format!(
            "[network]\nproxy = \"{proxy}\"\n[search]\nurl = \"http://find.test\"\ndelay = \"0s\"\n\
             [politeness]\ndelay = \"0s\"\nautothrottle = false\nrequests = 8\n"
        )
    }

    /// Returns the requests to each host of the sites since the last call, by their agents.
    pub(crate) fn arrivals(&self) -> BTreeMap<String, Vec<(String, Instant)>> {
        let mut arrivals = BTreeMap::<String, Vec<_>>::new();
        for Arrival { host, agent, at } in self.server.as_ref().expect("it is served").take_arrivals() {
            if host != self.web.search_host() {
                arrivals.entry(host).or_default().push((agent, at));
            }
        }
        arrivals
    }

    fn port(&self) -> u16 {
        self.server.as_ref().expect("it is served").address().port()
    }

    /// The first pages of its sites.
    pub(crate) fn homes(&self) -> Vec<String> {
        self.web.sites().map(|site| site.home).collect()
    }

    /// A few of its objects, one JSON object a line.
    pub(crate) fn seeds(&self) -> String {
        let seeds = self.web.seeds(5);
        let lines = seeds
            .iter()
            .map(|seed| serde_json::to_string(seed).expect("JSON"));
        lines.map(|line| line + "\n").collect()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if let Some(server) = self.server.take() {
            self.runtime.block_on(server.shutdown());
        }
    }
}

/// Number of books of a [`shop`].
pub(crate) const BOOKS: usize = 4;

/// A shop that sells the same books as all others of its kind.
pub(crate) fn shop() -> Site {
    book_shop(BOOKS, |number| {
        let titles = [
            "Rivers of the North",
            "A Mountain Year",
            "Old Forests",
            "The Quiet Desert",
        ];
        titles[number % BOOKS].to_owned()
    })
}
