//! All pages in Chromium: light and dark, wide and narrow, with and without script.
//!
//! Needs Chromium and ChromeDriver; axe-core comes from npm into the target folder. Parts that can't
//! be had are skipped with a message. Screenshots are kept in `target/screenshots`.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::support::Collected;

/// The version of axe-core.
const AXE: &str = "axe-core@4.14.1";

/// The pages, once there are objects. `SITE` stands for the key of the site.
const PAGES: [(&str, &str); 19] = [
    ("home", "/"),
    ("list", "/events"),
    ("filtered", "/events?q=quartet"),
    ("calendar", "/events?view=calendar&month=2026-12"),
    ("prices", "/events?view=prices"),
    ("object", "/object/1"),
    ("value", "/object/1/value/name"),
    ("changes", "/changes"),
    ("sites", "/sites"),
    ("site", "/site/SITE"),
    ("plan", "/plan"),
    ("urls", "/urls?state=refused"),
    ("url", "/url?u=SITE/private/page"),
    ("runs", "/runs"),
    ("run", "/run/1"),
    ("quality", "/quality"),
    ("doubts", "/doubts"),
    ("verticals", "/verticals"),
    ("missing", "/nothing"),
];

/// A screen: its name, its width, its colours, and whether scripts run.
const SCREENS: [(&str, u32, &str, bool); 4] = [
    ("light-wide", 1_280, "light", true),
    ("dark-narrow", 320, "dark", true),
    ("light-narrow", 320, "light", false),
    ("dark-wide", 1_280, "dark", true),
];

/// A session of a browser, by the WebDriver protocol.
struct Browser {
    driver: Child,
    port: u16,
    session: String,
}

impl Browser {
    /// Starts a browser. Returns `None` where there is none.
    fn start() -> Option<Browser> {
        // ChromeDriver takes no port 0 that it would tell; one that was free a moment ago will do.
        let port = std::net::TcpListener::bind("127.0.0.1:0")
            .ok()?
            .local_addr()
            .ok()?
            .port();
        let driver = Command::new("chromedriver")
            .arg(format!("--port={port}"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let mut browser = Browser {
            driver,
            port,
            session: String::new(),
        };
        while browser.call("GET", "/status", None)["ready"] != true {
            if browser.driver.try_wait().ok()?.is_some() {
                return None;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        let arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ];
        let options = json!({"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": {"args": arguments},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }}});
        let begun = browser.call("POST", "/session", Some(&options));
        let session = begun["sessionId"].as_str()?;
        browser.session = format!("/session/{session}");
        Some(browser)
    }

    /// Sends a command and returns its value.
    fn call(&self, method: &str, path: &str, body: Option<&Value>) -> Value {
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) else {
            return Value::Null;
        };
        let body = body.map(ToString::to_string).unwrap_or_default();
        let request = format!(
            "{method} {}{path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.session,
            self.port,
            body.len()
        );
        let mut text = Vec::new();
        let _closed = stream
            .write_all(request.as_bytes())
            .and_then(|()| stream.read_to_end(&mut text));
        let text = String::from_utf8_lossy(&text);
        let (_, body) = text.split_once("\r\n\r\n").unwrap_or_default();
        serde_json::from_str::<Value>(body).unwrap_or_default()["value"].take()
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        self.call("POST", path, Some(body))
    }

    /// Sends a command to the developer tools.
    fn tools(&self, command: &str, parameters: &Value) {
        self.post(
            "/goog/cdp/execute",
            &json!({"cmd": command, "params": parameters}),
        );
    }

    /// Runs a script that ends by calling its last argument.
    fn script(&self, text: &str) -> Value {
        self.post("/execute/async", &json!({"script": text, "args": []}))
    }

    /// Takes what was logged since the last call.
    fn log(&self, kind: &str) -> Vec<Value> {
        match self.post("/se/log", &json!({"type": kind})) {
            Value::Array(entries) => entries,
            _ => Vec::new(),
        }
    }

    fn screen(&self, width: u32, colours: &str, runs_scripts: bool) {
        let size = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        self.tools("Emulation.setDeviceMetricsOverride", &size);
        let features = json!({"features": [{"name": "prefers-color-scheme", "value": colours}]});
        self.tools("Emulation.setEmulatedMedia", &features);
        self.tools(
            "Emulation.setScriptExecutionDisabled",
            &json!({"value": !runs_scripts}),
        );
    }

    /// Keeps a picture of the whole page.
    fn keep_screenshot(&self, file: &Path) {
        let shot = self.post(
            "/goog/cdp/execute",
            &json!({"cmd": "Page.captureScreenshot", "params": {"captureBeyondViewport": true}}),
        );
        let data = shot["data"].as_str().unwrap_or_default();
        let bytes = decoded(data);
        std::fs::write(file, bytes).unwrap();
    }
}

/// Decodes base 64.
fn decoded(text: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let digits: Vec<u8> = text.bytes().filter_map(value).collect();
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    for four in digits.chunks(4) {
        let bits = four
            .iter()
            .fold(0_u32, |bits, digit| bits << 6 | u32::from(*digit));
        let bits = bits << (6 * (4 - four.len()));
        bytes.extend_from_slice(&bits.to_be_bytes()[1..four.len()]);
    }
    bytes
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.call("DELETE", "", None);
        let _ended = self.driver.kill();
        let _ended = self.driver.wait();
    }
}

/// The folder of what tests build and keep.
fn target() -> PathBuf {
    let named = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    named.unwrap_or_else(|| magpie_tests::root().join("target"))
}

/// The text of axe-core, from npm. Returns `None` where it can't be had.
fn axe() -> Option<String> {
    let folder = target().join("browser");
    let file = folder.join("node_modules/axe-core/axe.min.js");
    if !file.is_file() {
        std::fs::create_dir_all(&folder).ok()?;
        let arguments = [
            "install",
            "--silent",
            "--no-audit",
            "--no-fund",
            "--ignore-scripts",
            AXE,
        ];
        let status = Command::new("npm")
            .args(arguments)
            .current_dir(&folder)
            .status()
            .ok()?;
        if !status.success() {
            return None;
        }
    }
    std::fs::read_to_string(file).ok()
}

#[test]
#[expect(clippy::print_stderr, reason = "what is skipped is told")]
fn pages_are_accessible_and_ask_nobody_else() {
    let Some(browser) = Browser::start() else {
        eprintln!("skipped: Chromium and ChromeDriver are not installed");
        return;
    };
    let axe = axe();
    if axe.is_none() {
        eprintln!("axe-core can't be installed by npm: pages are not checked by it");
    }
    let collected = Collected::new();
    let served = collected.serve(None);
    let origin = format!("http://{}", served.address);
    let site: String = url::form_urlencoded::byte_serialize(collected.site.as_bytes()).collect();
    let shots = target().join("screenshots");
    std::fs::create_dir_all(&shots).unwrap();
    let mut faults = BTreeSet::new();
    for (screen, width, colours, runs_scripts) in SCREENS {
        browser.screen(width, colours, runs_scripts);
        for (name, path) in PAGES {
            let path = path.replace("SITE", &site);
            browser.post("/url", &json!({"url": format!("{origin}{path}")}));
            if runs_scripts {
                let wide = browser.script(
                    "arguments[0](document.documentElement.scrollWidth - document.documentElement.clientWidth)",
                );
                if wide.as_i64() != Some(0) {
                    faults.insert(format!("{screen} {name}: scrolls sideways by {wide} pixels"));
                }
            }
            if let (Some(axe), true) = (&axe, runs_scripts) {
                // An archived page is a stranger's, and axe can't look into its sandbox.
                let check = "const done = arguments[0]; axe.run({exclude: ['iframe']}, {iframes: false}).then(found => \
                    done(found.violations.map(fault => fault.id + ': ' + fault.nodes[0].html + ' ' + \
                    fault.nodes[0].failureSummary)), error => done([String(error)]))";
                let found = browser.script(&format!("{axe};{check}"));
                match found.as_array() {
                    Some(found) => {
                        faults.extend(found.iter().map(|fault| format!("{screen} {name}: {fault}")));
                    }
                    None => drop(faults.insert(format!("{screen} {name}: axe failed: {found}"))),
                }
            }
            browser.keep_screenshot(&shots.join(format!("{name}-{screen}.png")));
            for entry in browser.log("browser") {
                let message = entry["message"].as_str().unwrap_or_default().to_owned();
                // The browser logs the status of the page that is missing on purpose.
                if name != "missing" || !message.contains("404") {
                    faults.insert(format!("{screen} {name}: console: {message}"));
                }
            }
            for entry in browser.log("performance") {
                let message: Value =
                    serde_json::from_str(entry["message"].as_str().unwrap_or_default()).unwrap_or_default();
                let message = &message["message"];
                if message["method"] == "Network.requestWillBeSent" {
                    let asked = message["params"]["request"]["url"].as_str().unwrap_or_default();
                    let is_own = asked.starts_with(&origin) || asked.starts_with("data:");
                    if !is_own {
                        faults.insert(format!("{screen} {name}: asked {asked}"));
                    }
                }
            }
        }
    }
    let faults: Vec<String> = faults.into_iter().collect();
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}
