//! Acts that come from the web page of a watch.
//!
//! Changes that settings can express are written into the file of the workspace, which the watch
//! reads again. The rest is queued, and done by the watch between two cycles.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use magpie_engine::settings::{Budget, Raw, Resolved, Value as _, host_of_site};
use magpie_serve::{Act, Actions, Effect, Limits, Server, ServerOptions};
use magpie_terminal::settings::RunSettingArgs;
use magpie_terminal::{Failure, Printer, process, settings};

use super::args::WatchArgs;
use crate::serve::{cannot_bind, log};
use crate::{config, sites};

/// News for the watch.
#[derive(Debug)]
pub(super) enum News {
    Settings,
    Act(Act),
}

/// Starts the web page that the arguments ask for. Returns the news that it sends.
pub(super) fn serve(
    folder: PathBuf,
    resolved: &Arc<Resolved>,
    arguments: &WatchArgs,
    printer: &mut Printer,
) -> Result<Option<Receiver<News>>, Failure> {
    let Some(address) = &arguments.serve else {
        return Ok(None);
    };
    let (sender, receiver) = channel();
    let actions = WatchActions {
        folder: folder.clone(),
        arguments: arguments.settings.clone(),
        has_budget: arguments.budget.is_some(),
        news: Mutex::new(sender),
    };
    let options = ServerOptions {
        folder,
        settings: Arc::clone(resolved),
        listen: Some(address.clone()).filter(|address| !address.is_empty()),
        clock: process::clock().clone(),
        actions: Some(Arc::new(actions)),
        log: log(printer),
        limits: Limits::default(),
    };
    // The threads of the session work for the crawl alone.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Failure::input(format!("can't start threads: {error}")))?;
    let server = runtime
        .block_on(Server::bind(options))
        .map_err(|error| cannot_bind(&error))?;
    printer.tell(&format!("the web page is at {}", server.url()));
    match server.entrance() {
        Some(entrance) => printer.tell(&format!("whoever opens {entrance} first may act")),
        None => printer.tell("accounts with the role `operator` may act"),
    }
    let stop = process::stop_on_interrupt().receiver();
    std::thread::spawn(move || runtime.block_on(server.run(stop)));
    Ok(Some(receiver))
}

/// Acts for the web page.
struct WatchActions {
    folder: PathBuf,
    arguments: RunSettingArgs,
    /// The budget was named on the command line, which the settings can't change.
    has_budget: bool,
    news: Mutex<Sender<News>>,
}

impl WatchActions {
    fn tell(&self, news: News) -> Result<(), String> {
        let sender = self.news.lock().unwrap_or_else(PoisonError::into_inner);
        sender
            .send(news)
            .map_err(|_| "the watch has ended; start it again".to_owned())
    }

    /// Writes the settings that an act changes. Returns `false` if it is no matter of settings.
    fn write(&self, act: &Act) -> Result<bool, Failure> {
        match act {
            Act::Pause { site } => drop(sites::pause(&self.folder, site.as_deref(), true)?),
            Act::Resume { site } => drop(sites::pause(&self.folder, site.as_deref(), false)?),
            Act::Exclude { site, pattern } => {
                let host = site.as_deref().map(host_of_site);
                config::add(&self.folder, host, "scope.exclude", pattern)?;
            }
            Act::Budget { budget } => {
                if self.has_budget {
                    return Err(Failure::usage(
                        "this watch was started with `--budget`, which takes precedence: start it without",
                    ));
                }
                if Budget::read(&Raw::Text(budget.clone())).is_none() {
                    let form = Budget::FORM;
                    return Err(Failure::usage(format!(
                        "invalid value `{budget}` for the budget: expected {form}"
                    )));
                }
                let value = toml_edit::value(budget.as_str());
                settings::write(&self.folder, None, "watch.budget", Some(value))?;
            }
            Act::Visit { .. } | Act::Add { .. } | Act::Drop { .. } | Act::Split { .. } => return Ok(false),
        }
        Ok(true)
    }
}

impl Actions for WatchActions {
    fn act(&self, act: Act) -> Result<Effect, String> {
        match self.write(&act).map_err(|failure| failure.message)? {
            true => self.tell(News::Settings).map(|()| Effect::Done),
            false => self.tell(News::Act(act)).map(|()| Effect::Queued),
        }
    }

    fn settings(&self) -> Result<Resolved, String> {
        let resolved = self.arguments.resolve(Some(&self.folder));
        resolved.map_err(|failure| failure.message)
    }
}
