//! The program run by a test, and the lab's web served to it.

use std::path::Path;
use std::process::Output;
use std::sync::Arc;

use magpie_lab::{ServerHandle, Size, Vertical, Web, WebSpec, WeekHandle, Weight, serve};
use magpie_test_support::server::{Reply, Site, links};
use serde_json::Value;
use tokio::runtime::Runtime;

pub(crate) use crate::context::program as magpie;

/// A small, light web of the lab: its vertical and its seed.
pub(crate) type Spec = (Vertical, u64);

pub(crate) fn ran(folder: &Path, arguments: &[&str]) -> Output {
    magpie(folder).args(arguments).output().expect("it runs")
}

pub(crate) fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

/// Returns the JSON output of a command that must have succeeded.
pub(crate) fn json(output: &Output) -> Vec<Value> {
    assert!(output.status.success(), "{}", said(output));
    lines_of_json(output)
}

/// Returns the JSON output of a command, also of one that failed.
pub(crate) fn lines_of_json(output: &Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

/// Settings for servers on loopback.
pub(crate) const LOOPBACK: &str = "[network]\nallow_addresses = [\"127.0.0.0/8\"]\n\
    [politeness]\ndelay = \"0s\"\nautothrottle = false\n";

/// Makes a workspace with a vertical and settings.
pub(crate) fn workspace(folder: &Path, name: &str, vertical: &str, settings: &str) {
    let made = ran(folder, &["init", name]);
    assert!(made.status.success(), "{}", said(&made));
    let folder = folder.join(name);
    let component = folder.join("verticals").join(vertical).with_extension("wasm");
    std::fs::copy(magpie_tests::vertical(vertical), component).expect("copied");
    std::fs::write(folder.join("magpie.toml"), settings).expect("written");
}

/// Learns sites in the workspace `ws`, and returns what was printed.
pub(crate) fn learn(folder: &Path, sites: &[String]) -> String {
    std::fs::write(folder.join("sites.txt"), sites.join("\n")).expect("written");
    let learned = ran(folder, &["learn", "-w", "ws", "--sites", "sites.txt"]);
    assert!(learned.status.success(), "{}", said(&learned));
    said(&learned)
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
    Site::start(
        move |path| match path.strip_prefix("/book/").map(str::parse::<usize>) {
            Some(Ok(number)) if number < count => book(number),
            _ if path == "/" => {
                let hrefs: Vec<_> = (0..count).map(|number| format!("/book/{number}")).collect();
                links("Books", &hrefs.iter().map(String::as_str).collect::<Vec<_>>())
            }
            _ => Reply::status(404),
        },
    )
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

    pub(crate) fn port(&self) -> u16 {
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
