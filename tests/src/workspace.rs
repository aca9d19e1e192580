//! A workspace in a temporary folder, and sessions on it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use magpie_engine::learn::{LearnOutcome, LearnRequest, learn};
use magpie_engine::recrawl::recrawl_settings;
use magpie_engine::{Clock, Resolved, Session, SessionOptions, Stop};
use magpie_values::Timestamp;
use tempfile::TempDir;

/// Settings for servers on loopback.
pub const LOOPBACK: &str = "network.allow_addresses = [\"127.0.0.0/8\"]\npoliteness.delay = \"0s\"\n\
    politeness.autothrottle = false\n";

/// A workspace that is removed when this is dropped.
pub struct TestWorkspace {
    folder: TempDir,
    settings: String,
    /// Time of all its sessions.
    pub clock: Clock,
    /// Stops its sessions.
    pub stop: Stop,
    made_at: Timestamp,
}

impl TestWorkspace {
    /// Makes a workspace with components, whose sessions have these settings.
    pub fn new(components: &[PathBuf], settings: &str) -> TestWorkspace {
        let clock = Clock::default();
        let workspace = TestWorkspace {
            folder: tempfile::tempdir().expect("a folder"),
            settings: settings.to_owned(),
            made_at: clock.now(),
            clock,
            stop: Stop::default(),
        };
        let components: Vec<&Path> = components.iter().map(PathBuf::as_path).collect();
        Session::create(
            &workspace.path(),
            &components,
            workspace.options(workspace.resolved()),
        )
        .expect("a workspace");
        workspace
    }

    /// Makes a workspace with one component for servers on loopback, and with more settings.
    pub fn local(component: &Path, more: &str) -> TestWorkspace {
        TestWorkspace::new(&[component.to_owned()], &format!("{LOOPBACK}{more}"))
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("workspace")
    }

    /// Settings of the sessions from now on.
    pub fn set(&mut self, settings: &str) {
        settings.clone_into(&mut self.settings);
    }

    fn resolved(&self) -> Resolved {
        Resolved::from_toml(&self.settings).expect("settings")
    }

    fn options(&self, settings: Resolved) -> SessionOptions {
        SessionOptions {
            cache: Some(crate::compiled()),
            clock: self.clock.clone(),
            stop: self.stop.clone(),
            ..SessionOptions::new(settings)
        }
    }

    /// Opens the workspace for recrawls, as another process would. One session has it at a time.
    pub fn open(&self) -> Session {
        self.session(recrawl_settings(self.resolved()))
    }

    fn session(&self, settings: Resolved) -> Session {
        Session::open(&self.path(), self.options(settings)).expect("a session")
    }

    /// Learns the site of a page by a session of its own.
    pub fn learn(&self, home: &str) -> LearnOutcome {
        let request = LearnRequest::sites([home]).expect("a URL");
        let learned = learn(&self.session(self.resolved()), &request, &mut ());
        learned.expect("it learns").expect("it was not stopped")
    }

    /// Sets the clock to a time after the workspace was made.
    pub fn at(&self, later: Duration) {
        self.clock.set(self.made_at + later);
    }
}
