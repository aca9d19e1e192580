//! The program run by a test, and the lab's web served to it.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

/// The program, in a folder that is all it knows of its user.
pub(crate) fn magpie(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_magpie"));
    command
        .current_dir(folder)
        .env("HOME", folder)
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("XDG_CACHE_HOME")
        .env_remove("MAGPIE_WORKSPACE");
    command
}

pub(crate) fn ran(folder: &Path, arguments: &[&str]) -> Output {
    magpie(folder).args(arguments).output().expect("it runs")
}

/// All that it printed.
pub(crate) fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

/// What it printed for programs; it must have gone well.
pub(crate) fn json(output: &Output) -> Vec<Value> {
    assert!(output.status.success(), "{}", said(output));
    lines_of_json(output)
}

/// What it printed for programs, however it went.
pub(crate) fn lines_of_json(output: &Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

/// A web that is served until this is dropped.
pub(crate) struct Served {
    child: Child,
    pub(crate) said: Value,
}

impl Served {
    /// Serves a week of a web; a port of 0 takes a free one.
    pub(crate) fn start(folder: &Path, web: &[&str], week: u32, port: u16) -> Served {
        let (week, port) = (week.to_string(), port.to_string());
        let mut command = magpie(folder);
        command
            .args(["lab", "serve", "--json", "--week", &week, "--port", &port])
            .args(web)
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().expect("it runs");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("piped");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        Served {
            child,
            said: serde_json::from_str(&line).expect("JSON"),
        }
    }

    pub(crate) fn proxy(&self) -> &str {
        self.said["proxy"].as_str().expect("a proxy")
    }

    pub(crate) fn port(&self) -> u16 {
        let (_, port) = self.proxy().rsplit_once(':').expect("a port");
        port.parse().expect("a number")
    }

    /// The first pages of its sites.
    pub(crate) fn homes(&self) -> Vec<String> {
        let sites = self.said["sites"].as_array().expect("sites").iter();
        sites
            .map(|site| site["home"].as_str().expect("a URL").to_owned())
            .collect()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
