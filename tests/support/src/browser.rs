//! A person's browser: Chromium, driven through its pipe.
//!
//! Every wait has a limit, the browser ends with its [`Browser`], and `timeout` ends it if the test
//! itself is killed.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::has_program;

/// Seconds after which a browser is killed.
const MAX_LIFE: &str = "150";

/// The wait for an answer of the browser.
const MAX_WAIT: Duration = Duration::from_secs(20);

/// Runs a program with the ends of its pipe where it expects them.
const RUN: &str = r#"exec "$@" 3<&0 4>&1 0</dev/null 1>/dev/null 2>/dev/null"#;

const SWITCHES: [&str; 12] = [
    "--headless",
    "--no-sandbox",
    "--remote-debugging-pipe",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--lang=en-GB",
    // Frames in a sandbox stay in the process of their page, where they can be looked at.
    "--disable-features=IsolateSandboxedIframes",
    "--no-startup-window",
];

pub struct Browser {
    child: Child,
    input: ChildStdin,
    incoming: Receiver<Value>,
    events: VecDeque<Value>,
    last: u64,
    _profile: TempDir,
}

impl Browser {
    /// Starts a browser. Skips the test and returns `None` where there is none.
    pub fn start() -> Option<Browser> {
        if !(has_program("chromium") && has_program("timeout")) {
            return None;
        }
        let profile = tempfile::tempdir().expect("a folder for the profile");
        let mut command = Command::new("sh");
        command.args(["-c", RUN, "sh", "timeout", "--signal=KILL", MAX_LIFE, "chromium"]);
        command.args(SWITCHES);
        command.arg(format!("--user-data-dir={}", profile.path().display()));
        command.env("HOME", profile.path()).env("TZ", "UTC");
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.process_group(0);
        let mut child = command.spawn().expect("a browser");
        let input = child.stdin.take().expect("a pipe");
        let output = child.stdout.take().expect("a pipe");
        let (sender, incoming) = channel();
        // It ends with the browser.
        std::thread::spawn(move || {
            let mut reader = BufReader::new(output);
            let mut message = Vec::new();
            while reader.read_until(0, &mut message).is_ok_and(|length| length > 0) {
                message.pop();
                let parsed = serde_json::from_slice(&message);
                if parsed.is_ok_and(|value| sender.send(value).is_err()) {
                    break;
                }
                message.clear();
            }
        });
        Some(Browser {
            child,
            input,
            incoming,
            events: VecDeque::new(),
            last: 0,
            _profile: profile,
        })
    }

    /// Calls a method of a session, or of the browser if `session` is empty.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "callers write the parameters in place"
    )]
    pub fn call(&mut self, session: &str, method: &str, parameters: Value) -> Value {
        self.last += 1;
        let id = self.last;
        let mut message = json!({"id": id, "method": method, "params": parameters});
        if !session.is_empty() {
            message["sessionId"] = json!(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.input.write_all(&bytes).expect("the browser ended");
        let until = Instant::now() + MAX_WAIT;
        loop {
            let mut message = self.receive(until, method);
            if message["id"] == id {
                assert!(message["error"].is_null(), "{method}: {}", message["error"]);
                return message["result"].take();
            }
            self.events.push_back(message);
        }
    }

    fn receive(&mut self, until: Instant, what: &str) -> Value {
        let left = until.saturating_duration_since(Instant::now());
        match self.incoming.recv_timeout(left) {
            Ok(message) => message,
            Err(problem) => panic!("the browser did not answer to {what}: {problem}"),
        }
    }

    pub fn tab(&mut self) -> Tab<'_> {
        let target = self.call("", "Target.createTarget", json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let session = self.call("", "Target.attachToTarget", attach);
        let session = session["sessionId"].as_str().unwrap_or_default().to_owned();
        let mut tab = Tab {
            browser: self,
            session,
            requests: Vec::new(),
            errors: Vec::new(),
            status: 0,
        };
        for domain in ["Page", "Network", "Log", "Runtime"] {
            tab.call(&format!("{domain}.enable"), json!({}));
        }
        tab
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // All processes of the browser are a group of their own.
        let group = format!("-{}", self.child.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub struct Tab<'a> {
    browser: &'a mut Browser,
    session: String,
    /// The URLs that were asked for since the last address was opened.
    pub requests: Vec<String>,
    /// Errors of the console since then, such as scripts that were blocked.
    pub errors: Vec<String>,
    /// The status of the document that was opened last.
    pub status: u64,
}

impl Tab<'_> {
    /// Calls a method of the tab.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.browser.call(&self.session, method, parameters)
    }

    /// Sets the width, the colour scheme and whether scripts run.
    pub fn set(&mut self, width: u32, is_dark: bool, has_script: bool) {
        let metrics = json!({"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", metrics);
        let scheme = if is_dark { "dark" } else { "light" };
        let features = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.call("Emulation.setEmulatedMedia", features);
        let script = json!({"value": !has_script});
        self.call("Emulation.setScriptExecutionDisabled", script);
    }

    /// Opens an address and waits until it is loaded.
    pub fn open(&mut self, url: &str) {
        self.forget();
        self.call("Page.navigate", json!({"url": url}));
        self.wait_for_load();
    }

    /// Runs a script that leads to another page, and waits until that is loaded.
    pub fn leads(&mut self, script: &str) {
        self.forget();
        self.evaluate(script);
        self.wait_for_load();
    }

    fn forget(&mut self) {
        self.look();
        self.requests.clear();
        self.errors.clear();
        self.status = 0;
    }

    fn wait_for_load(&mut self) {
        let until = Instant::now() + MAX_WAIT;
        loop {
            let event = match self.browser.events.pop_front() {
                Some(event) => event,
                None => self.browser.receive(until, "the address"),
            };
            let is_loaded = event["method"] == "Page.loadEventFired";
            self.take(&event);
            if is_loaded {
                return;
            }
        }
    }

    /// Takes note of what has happened.
    pub fn look(&mut self) {
        while let Ok(event) = self.browser.incoming.try_recv() {
            self.browser.events.push_back(event);
        }
        while let Some(event) = self.browser.events.pop_front() {
            self.take(&event);
        }
    }

    fn take(&mut self, event: &Value) {
        if event["sessionId"] != self.session.as_str() {
            return;
        }
        let parameters = &event["params"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        match event["method"].as_str().unwrap_or_default() {
            "Network.requestWillBeSent" => self.requests.push(text(&parameters["request"]["url"])),
            "Network.responseReceived" if parameters["type"] == "Document" && self.status == 0 => {
                self.status = parameters["response"]["status"].as_u64().unwrap_or_default();
            }
            "Log.entryAdded" if parameters["entry"]["level"] == "error" => {
                let entry = &parameters["entry"];
                self.errors
                    .push(format!("{} {}", text(&entry["text"]), text(&entry["url"])));
            }
            "Runtime.exceptionThrown" => self.errors.push(parameters["exceptionDetails"].to_string()),
            "Runtime.consoleAPICalled" if parameters["type"] == "error" => {
                self.errors.push(parameters["args"].to_string());
            }
            // A script of a stranger ran, or one of ours that has no business to.
            "Page.javascriptDialogOpening" => {
                self.errors.push(format!("a dialog: {}", parameters["message"]));
            }
            _ => {}
        }
    }

    /// Evaluates an expression, and waits for its promise.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let parameters = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let mut outcome = self.call("Runtime.evaluate", parameters);
        let problem = &outcome["exceptionDetails"];
        assert!(problem.is_null(), "{expression:.200}: {problem}");
        outcome["result"]["value"].take()
    }

    /// Waits until an expression is true.
    pub fn wait_until(&mut self, expression: &str, limit: Duration) {
        let until = Instant::now() + limit;
        loop {
            if self.evaluate(expression) == true {
                return;
            }
            if Instant::now() > until {
                let text = self.evaluate("document.body.innerText");
                panic!("`{expression}` did not become true; the page says: {text}");
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    pub fn press(&mut self, key: &str, code: u32) {
        let mut parameters =
            json!({"type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": code});
        if key == "Enter" {
            parameters["text"] = json!("\r");
        }
        self.call("Input.dispatchKeyEvent", parameters.clone());
        parameters["type"] = json!("keyUp");
        self.call("Input.dispatchKeyEvent", parameters);
    }

    /// Writes a picture of the page into a file.
    pub fn screenshot(&mut self, file: &Path) {
        let size = self.evaluate("[innerWidth, Math.min(document.documentElement.scrollHeight, 4000)]");
        let clip = json!({"x": 0, "y": 0, "width": size[0], "height": size[1], "scale": 1});
        let parameters = json!({"format": "png", "captureBeyondViewport": true, "clip": clip});
        let picture = self.call("Page.captureScreenshot", parameters);
        let bytes = decoded(picture["data"].as_str().unwrap_or_default());
        std::fs::write(file, bytes).expect("the picture can be written");
    }
}

fn decoded(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut held, mut bits) = (0_u32, 0);
    for byte in text.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => continue,
        };
        held = (held << 6) | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
        }
    }
    bytes
}
