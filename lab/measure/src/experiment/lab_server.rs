//! A generated web, served within this process, with its clock.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use magpie_engine::canonicaliser;
use magpie_engine::settings::{Layer, Raw, Resolved};
use magpie_lab::{ServerHandle, Truth, Web, WebSpec, WeekHandle, serve};
use magpie_model::CanonicalUrl;
use magpie_values::Timestamp;
use tokio::runtime::Runtime;

use magpie_engine::VERTICALS;
use magpie_terminal::process;

/// Settings for a local server that can be asked as fast as it answers.
pub(crate) const LOCAL_SETTINGS: [(&str, &str); 12] = [
    ("politeness.delay", "0s"),
    ("politeness.autothrottle", "false"),
    ("politeness.max_crawl_delay", "0s"),
    ("politeness.requests", "8"),
    ("politeness.robots_wait", "1s"),
    ("fetch.retries", "1"),
    ("fetch.retry_wait", "10ms"),
    ("fetch.first_byte_timeout", "3s"),
    ("fetch.total_timeout", "10s"),
    ("learn.pages", "5000"),
    ("scope.pages", "5000"),
    ("crawl.log", "nothing"),
];

/// Time of day on Monday at which the work of a week begins, in milliseconds. At that time Sunday
/// is over everywhere on Earth, and Monday nowhere.
const AFTERNOON: i64 = 13 * HOUR;

const HOUR: i64 = 3_600;

const DAY: i64 = 24 * HOUR;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Traffic {
    /// Number of requests, including robots.txt and sitemaps.
    pub(crate) requests: u64,
    pub(super) bytes: u64,
}

pub(super) struct Truths {
    pub(super) all: Truth,
    /// Only objects that are still current.
    pub(super) current: Truth,
}

pub(super) fn remove(folder: &Path) -> Result<()> {
    std::fs::remove_dir_all(folder).with_context(|| format!("can't remove {}", folder.display()))
}

/// A generated web with its server.
pub(crate) struct LabServer {
    pub(crate) web: Arc<Web>,
    component: PathBuf,
    /// True if workspaces that are no longer needed are kept.
    keeps_workspaces: bool,
    week: WeekHandle,
    server: ServerHandle,
    _runtime: Runtime,
}

impl LabServer {
    pub(crate) fn open(spec: WebSpec, component: PathBuf, keeps_workspaces: bool) -> Result<LabServer> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let web = Arc::new(Web::new(spec));
        let week = WeekHandle::new(0);
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let server = runtime
            .block_on(serve(Arc::clone(&web), week.clone(), address))
            .context("can't serve the web")?;
        let lab = LabServer {
            web,
            component,
            keeps_workspaces,
            week,
            server,
            _runtime: runtime,
        };
        lab.go_to(0);
        Ok(lab)
    }

    /// Serves another web in the same way.
    pub(super) fn beside(&self, spec: WebSpec) -> Result<LabServer> {
        LabServer::open(spec, self.component.clone(), self.keeps_workspaces)
    }

    /// Moves the web and the clock to a week.
    pub(crate) fn go_to(&self, week: u32) {
        self.go_to_hour(week, 0);
    }

    /// Like [`Self::go_to`], with the clock some hours later.
    pub(super) fn go_to_hour(&self, week: u32, hour: i64) {
        self.week.set(week);
        let seconds = self.begins(week) + hour * HOUR;
        process::clock().set(Timestamp::from_seconds(seconds));
    }

    pub(crate) fn proxy(&self) -> String {
        format!("http://{}", self.server.address())
    }

    /// Returns the time of the week at which its work begins, in seconds since 1970.
    pub(crate) fn begins(&self, week: u32) -> i64 {
        self.web.spec().monday(week) * DAY + AFTERNOON
    }

    pub(super) fn week(&self) -> u32 {
        self.week.get()
    }

    pub(crate) fn traffic(&self) -> Traffic {
        let mut traffic = Traffic::default();
        for host in self.server.traffic().values() {
            traffic.requests += host.requests;
            traffic.bytes += host.bytes;
        }
        traffic
    }

    /// Returns the truth of the current week.
    pub(super) fn truths(&self) -> Truths {
        let all = self.web.truth(self.week());
        let mut current = all.clone();
        current.objects.retain(|object| !object.is_gone);
        Truths { all, current }
    }

    /// Returns the settings of a workspace that crawls this web, with some changes.
    pub(super) fn settings(&self, changes: &[(&str, String)]) -> Result<Resolved> {
        let mut layer = Layer::default();
        let proxy = ("network.proxy", self.proxy());
        let near = LOCAL_SETTINGS
            .iter()
            .map(|(key, value)| (*key, (*value).to_owned()));
        for (key, value) in near.chain([proxy]).chain(changes.iter().cloned()) {
            layer.flag("the experiment", key, Raw::Text(value));
        }
        Ok(Resolved::new(&[layer])?)
    }

    /// Returns the home pages of all sites.
    pub(super) fn homes(&self, resolved: &Resolved) -> Result<Vec<CanonicalUrl>> {
        let homes = self.web.sites().map(|site| site.home);
        let canonical = homes.map(|home| {
            let canonical = self.canonical(resolved, &home);
            canonical.with_context(|| format!("`{home}` can't be crawled"))
        });
        canonical.collect()
    }

    /// Canonicalises a URL of the truth as crawls do.
    pub(super) fn canonical(&self, resolved: &Resolved, url: &str) -> Option<CanonicalUrl> {
        let host = url.split_once("://")?.1.split('/').next()?;
        let canonical = canonicaliser(resolved.for_host(host)).canonicalise_text(url, None);
        canonical.ok().map(|canonical| canonical.url)
    }

    /// Removes a workspace that is no longer needed, unless workspaces are kept.
    pub(super) fn discard(&self, workspace: &Path) -> Result<()> {
        if self.keeps_workspaces {
            Ok(())
        } else {
            remove(workspace)
        }
    }

    pub(super) fn install_component(&self, workspace: &Path) -> Result<()> {
        let name = self.component.file_name().unwrap_or_default();
        let into = workspace.join(VERTICALS).join(name);
        let copied = std::fs::copy(&self.component, &into);
        copied
            .map(drop)
            .with_context(|| format!("can't write {}", into.display()))
    }
}
