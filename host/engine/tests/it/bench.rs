//! A served web of the lab, and a session that learns it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use magpie_engine::learn::{Beginning, LearnRequest, NamedSite};
use magpie_engine::recrawl::recrawl_settings;
use magpie_engine::settings::{Layer, Origin, Resolved};
use magpie_engine::{Clock, Session, SessionOptions, Stop, VERTICALS};
use magpie_lab::{ServerHandle, Size, Vertical, Web, WebSpec, WeekHandle, serve};
use magpie_model::CanonicalUrl;
use magpie_sqlite::{Workspace, WorkspaceOptions};
use magpie_values::Timestamp;
use tempfile::TempDir;
use tokio::runtime::Runtime;

const DAY: u64 = 86_400;

/// A small web of the lab, and a session of a workspace that reaches it.
pub(crate) struct Bench {
    web: Arc<Web>,
    week: WeekHandle,
    /// None only while it is opened again.
    session: Option<Session>,
    pub(crate) stop: Stop,
    settings: String,
    server: ServerHandle,
    _runtime: Runtime,
    _folder: TempDir,
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
        let folder = tempfile::tempdir().expect("a folder");
        let stop = Stop::default();
        let clock = Clock::default();
        clock.set(Timestamp::from_seconds(web.spec().monday(0) * DAY as i64));
        let settings = settings_for(&server, settings);
        let path = folder.path().join("workspace");
        create(&path);
        let session = Session::open(&path, options(&settings, clock, stop.clone()));
        let session = Some(session.expect("a session"));
        Bench {
            web,
            week,
            session,
            stop,
            settings,
            server,
            _runtime: runtime,
            _folder: folder,
        }
    }

    /// The server of the web.
    pub(crate) fn server(&self) -> &ServerHandle {
        &self.server
    }

    /// The session.
    pub(crate) fn session(&self) -> &Session {
        self.session.as_ref().expect("it is open")
    }

    /// Closes the session and opens the workspace again, as another process would.
    pub(crate) fn reopen(&mut self) {
        let path = self.session().folder().to_owned();
        let clock = self.session().clock().clone();
        // The workspace is locked as long as a session has it.
        self.session = None;
        let session = Session::open(&path, options(&self.settings, clock, self.stop.clone()));
        self.session = Some(session.expect("a session"));
    }

    /// The same, with other settings.
    pub(crate) fn reopen_with(&mut self, settings: &str) {
        self.settings = settings_for(&self.server, settings);
        self.reopen();
    }

    /// A request to learn all sites of the web.
    pub(crate) fn all_sites(&self) -> LearnRequest {
        let named = |url: String| NamedSite {
            home: CanonicalUrl::trusted(url.as_str()).expect("a URL"),
            text: url,
        };
        LearnRequest {
            beginning: Some(Beginning::Sites(
                self.web.sites().map(|site| named(site.home)).collect(),
            )),
            ..LearnRequest::default()
        }
    }

    /// Moves the web and the clock of the session on.
    pub(crate) fn pass_weeks(&self, weeks: u32) {
        self.week.set(self.week.get() + weeks);
        let time = Duration::from_secs(u64::from(weeks) * 7 * DAY);
        self.session().clock().advance(time);
    }
}

/// Opens a new workspace with one component and with these settings, for servers that are no web of
/// the lab.
pub(crate) fn open_alone(folder: &Path, component: &Path, settings: &str) -> Session {
    create_with(folder, component);
    open_again(folder, settings, Stop::default())
}

/// The same with several components.
pub(crate) fn open_alone_with(folder: &Path, components: &[PathBuf], settings: &str) -> Session {
    let (first, others) = components.split_first().expect("a component");
    create_with(folder, first);
    for component in others {
        let name = component.file_name().expect("a file");
        std::fs::copy(component, folder.join(VERTICALS).join(name)).expect("copied");
    }
    open_again(folder, settings, Stop::default())
}

/// Opens a workspace that is there already.
pub(crate) fn open_again(folder: &Path, settings: &str, stop: Stop) -> Session {
    Session::open(folder, options(settings, Clock::default(), stop)).expect("a session")
}

/// Returns settings besides those by which the lab is reached.
fn settings_for(server: &ServerHandle, more: &str) -> String {
    format!(
        "network.proxy = \"http://{}\"\npoliteness.delay = \"0s\"\npoliteness.autothrottle = false\n{more}",
        server.address()
    )
}

fn create(folder: &Path) {
    create_with(folder, &magpie_tests::vertical("events"));
}

fn create_with(folder: &Path, component: &Path) {
    let workspace = Workspace::create(folder, &WorkspaceOptions::default());
    workspace.expect("a workspace").close().expect("closed");
    std::fs::create_dir_all(folder.join(VERTICALS)).expect("a folder");
    let name = component.file_name().expect("a file");
    std::fs::copy(component, folder.join(VERTICALS).join(name)).expect("copied");
}

fn options(settings: &str, clock: Clock, stop: Stop) -> SessionOptions {
    let layer = Layer::file(&Origin::Default, settings).expect("settings");
    let settings = Resolved::new(&[layer]).expect("settings");
    SessionOptions {
        settings: recrawl_settings(settings),
        vertical: None,
        cache: None,
        program: "test".to_owned(),
        clock,
        stop,
    }
}
