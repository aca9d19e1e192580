//! The program run by a test, and the lab's web served to it.

use std::path::Path;
use std::process::Output;
use std::sync::Arc;

use magpie_lab::{ServerHandle, Size, Vertical, Web, WebSpec, WeekHandle, Weight, serve};
use serde_json::Value;
use tokio::runtime::Runtime;

pub(crate) use crate::context::program as magpie;

/// A small, light web of the lab: its vertical and its seed.
pub(crate) type Spec = (Vertical, u64);

pub(crate) fn ran(folder: &Path, arguments: &[&str]) -> Output {
    magpie(folder).args(arguments).output().expect("it runs")
}

/// All that it printed.
pub(crate) fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

/// Returns the JSON output of a command that must have succeeded.
pub(crate) fn json(output: &Output) -> Vec<Value> {
    assert!(output.status.success(), "{}", said(output));
    lines_of_json(output)
}

/// Returns the JSON output of a command, whatever its exit code.
pub(crate) fn lines_of_json(output: &Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
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
