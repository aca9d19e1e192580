//! Starting Chromium.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use super::BrowserError;
use super::connection::{Connection, MAX_MESSAGE};
use super::profile::Profile;
use crate::RenderSettings;

/// Names under which systems install Chromium and its relatives.
const NAMES: [&str; 5] = [
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "chrome",
];

/// Bytes kept of the end of a browser's stderr, to report why it does not start.
const MAX_SAID: usize = 16 << 10;

/// Runs a browser with the ends of its pipe where it expects them: its input is descriptor 3 and
/// its output descriptor 4. A shell does so without unsafe code.
const RUN: &str = r#"exec "$@" 3<&0 4>&1 0</dev/null 1>&2"#;

/// Prints the file of the first name that is on the path.
const FIND: &str = r#"for name; do command -v "$name" && exit 0; done; exit 1"#;

/// Switches that hold for every page.
const SWITCHES: [&str; 29] = [
    "--headless",
    "--remote-debugging-pipe",
    "--disable-gpu",
    "--no-first-run",
    "--no-default-browser-check",
    // Nothing of its own goes over the network. What is not intercepted is sent to a proxy whose
    // name has no address, and no other name or address resolves either.
    "--proxy-server=socks5://magpie.invalid:1",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--dns-prefetch-disable",
    "--disable-quic",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--disable-breakpad",
    "--no-pings",
    // Nothing but the page.
    "--disable-extensions",
    "--disable-default-apps",
    "--no-startup-window",
    "--disable-features=Translate,MediaRouter,DialMediaRouteProvider,OptimizationHints,\
     WebRtcHideLocalIpsWithMdns,NetworkTimeServiceQuerying,IsolateOrigins,site-per-process,\
     BackForwardCache,WebUIOmniboxPopup,WebUIOmniboxAimPopup,OmniboxWebUIPopup,\
     WebUIOmniboxFullPopup,AimServerEligibilityEnabled",
    "--disable-site-isolation-trials",
    "--disable-dev-shm-usage",
    "--mute-audio",
    "--hide-scrollbars",
    "--password-store=basic",
    "--use-mock-keychain",
    "--blink-settings=imagesEnabled=false",
];

/// A browser that was started.
pub(super) struct Launched {
    child: Child,
    has_sandbox: bool,
    /// Removed when the browser has ended.
    _profile: Profile,
    said: Arc<Mutex<Vec<u8>>>,
}

pub(super) fn find() -> Result<PathBuf, BrowserError> {
    let mut command = Command::new("sh");
    command.args(["-c", FIND, "sh"]).args(NAMES);
    command.stdin(Stdio::null()).stderr(Stdio::null());
    let found = command.output().map_err(|_| BrowserError::Missing)?;
    let text = String::from_utf8_lossy(&found.stdout);
    match text.lines().next() {
        Some(file) if found.status.success() => Ok(PathBuf::from(file)),
        _ => Err(BrowserError::Missing),
    }
}

/// Returns `false` for the one user whom Chromium denies its sandbox.
pub(super) fn may_have_sandbox() -> bool {
    #[cfg(unix)]
    return !rustix::process::geteuid().is_root();
    #[cfg(not(unix))]
    return true;
}

/// Starts a browser with a fresh profile. It ends when it is dropped.
pub(super) fn start(
    program: &Path,
    settings: &RenderSettings,
    has_sandbox: bool,
) -> std::io::Result<(Launched, Connection)> {
    let profile = Profile::new()?;
    let mut command = Command::new("sh");
    command.args(["-c", RUN, "sh"]).arg(program).args(SWITCHES);
    let heap = (settings.limits.memory >> 20).max(1);
    command.arg(format!("--js-flags=--max-old-space-size={heap}"));
    command.arg(format!("--user-data-dir={}", profile.path().display()));
    if !has_sandbox {
        command.arg("--no-sandbox");
    }
    // Dates on pages do not depend on the machine, and nothing is written into the home directory.
    command.env("TZ", "UTC").env("HOME", profile.path());
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    #[cfg(unix)]
    // The browser starts processes of its own, and all of them are killed as one group.
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn()?;
    let missing = || std::io::Error::other("a pipe is missing");
    let mut input = child.stdin.take().ok_or_else(missing)?;
    let output = child.stdout.take().ok_or_else(missing)?;
    let mut errors = child.stderr.take().ok_or_else(missing)?;
    let said = Arc::new(Mutex::new(Vec::new()));
    let launched = Launched {
        child,
        has_sandbox,
        _profile: profile,
        said: Arc::clone(&said),
    };
    let (connection, incoming, mut to_send) = Connection::new();
    // The threads end with the browser.
    spawn("browser input", move || {
        while let Some(message) = to_send.blocking_recv() {
            let mut bytes = message.into_bytes();
            // Messages in the pipe end with a zero byte.
            bytes.push(0);
            if input.write_all(&bytes).is_err() {
                break;
            }
        }
    })?;
    spawn("browser output", move || {
        let mut reader = BufReader::new(output);
        let mut message = Vec::new();
        loop {
            message.clear();
            let read = (&mut reader).take(MAX_MESSAGE as u64).read_until(0, &mut message);
            let is_whole = read.is_ok() && message.pop() == Some(0);
            if !is_whole || !incoming.take(&message) {
                break;
            }
        }
    })?;
    spawn("browser errors", move || {
        let mut piece = vec![0; 4_096];
        while let Ok(length @ 1..) = errors.read(&mut piece) {
            let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
            said.extend_from_slice(&piece[..length]);
            let excess = said.len().saturating_sub(MAX_SAID);
            said.drain(..excess);
        }
    })?;
    Ok((launched, connection))
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(work)
        .map(drop)
}

impl Launched {
    pub(super) fn has_sandbox(&self) -> bool {
        self.has_sandbox
    }

    /// Ends the browser. Returns the end of its stderr.
    pub(super) fn end(mut self) -> String {
        self.kill();
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&said).into_owned()
    }

    /// Kills all processes of the browser, which are a group of their own.
    fn kill(&mut self) {
        #[cfg(unix)]
        if let Some(group) = i32::try_from(self.child.id())
            .ok()
            .and_then(rustix::process::Pid::from_raw)
        {
            // It may have ended by itself.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.kill();
        // A process that was killed ends at once.
        let _ = self.child.wait();
    }
}

impl Drop for Launched {
    fn drop(&mut self) {
        self.kill();
    }
}
