//! A served web of the lab, and a session that learns it.

use std::sync::Arc;
use std::time::Duration;

use magpie_engine::learn::{LearnRequest, learn};
use magpie_engine::{Session, Stop};
use magpie_lab::{ServerHandle, Size, Vertical, Web, WebSpec, WeekHandle, serve};
use magpie_tests::TestWorkspace;
use magpie_values::Timestamp;
use tokio::runtime::Runtime;

const DAY: u64 = 86_400;

/// A small web of the lab, and a session of a workspace that reaches it.
pub(crate) struct Bench {
    web: Arc<Web>,
    week: WeekHandle,
    /// None only while it is opened again.
    session: Option<Session>,
    pub(crate) stop: Stop,
    workspace: TestWorkspace,
    server: ServerHandle,
    _runtime: Runtime,
}

impl Bench {
    /// Serves the small web of events of a seed, and opens a new workspace with these settings,
    /// as TOML, besides those that the lab needs.
    pub(crate) fn new(seed: u64, settings: &str) -> Bench {
        Bench::of(WebSpec::new(Vertical::Events, Size::Small, seed), settings)
    }

    /// Serves a web, and opens a new workspace.
    pub(crate) fn of(spec: WebSpec, settings: &str) -> Bench {
        let runtime = Runtime::new().expect("a runtime");
        let web = Arc::new(Web::new(spec));
        let week = WeekHandle::new(0);
        let address = ([127, 0, 0, 1], 0).into();
        let server = runtime
            .block_on(serve(Arc::clone(&web), week.clone(), address))
            .expect("it is served");
        let settings = settings_for(&server, settings);
        let workspace = TestWorkspace::new(&[magpie_tests::vertical("events")], &settings);
        let monday = Timestamp::from_seconds(web.spec().monday(0) * DAY as i64);
        workspace.clock.set(monday);
        Bench {
            web,
            week,
            session: Some(workspace.open()),
            stop: workspace.stop.clone(),
            workspace,
            server,
            _runtime: runtime,
        }
    }

    pub(crate) fn server(&self) -> &ServerHandle {
        &self.server
    }

    pub(crate) fn session(&self) -> &Session {
        self.session.as_ref().expect("it is open")
    }

    /// Closes the session and opens the workspace again, as another process would.
    pub(crate) fn reopen(&mut self) {
        // The workspace is locked as long as a session has it.
        self.session = None;
        self.workspace.stop = self.stop.clone();
        self.session = Some(self.workspace.open());
    }

    /// The same, with other settings.
    pub(crate) fn reopen_with(&mut self, settings: &str) {
        let settings = settings_for(&self.server, settings);
        self.workspace.set(&settings);
        self.reopen();
    }

    /// A request to learn all sites of the web.
    pub(crate) fn all_sites(&self) -> LearnRequest {
        LearnRequest::sites(self.web.sites().map(|site| site.home)).expect("URLs")
    }

    pub(crate) fn learn_all(&self) {
        let learned = learn(self.session(), &self.all_sites(), &mut ());
        learned.expect("it learns").expect("it was not stopped");
    }

    /// Moves the web and the clock of the session on.
    pub(crate) fn pass_weeks(&self, weeks: u32) {
        self.week.set(self.week.get() + weeks);
        let time = Duration::from_secs(u64::from(weeks) * 7 * DAY);
        self.session().clock().advance(time);
    }
}

/// Returns settings besides those by which the lab is reached.
fn settings_for(server: &ServerHandle, more: &str) -> String {
    format!(
        "network.proxy = \"http://{}\"\npoliteness.delay = \"0s\"\npoliteness.autothrottle = false\n{more}",
        server.address()
    )
}
